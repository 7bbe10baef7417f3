"""What a result says of flexible beams: coordinates of their modes, points on them, their energies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symgen.model.named import Named
from symgen.simulate.articulated.beams import BentMechanism, FlexibleBeam
from symgen.simulate.engine import Samples
from symgen.simulate.result import SimulationResult
from symgen.simulate.simulation import joined_rows
from symgen.simulate.stretches import Stretch
from symgen.solve.trajectory import JointTrack


def add_beams(result: SimulationResult, bent: BentMechanism, pieces: list[tuple[Stretch, Samples]]) -> SimulationResult:
    """Return the result of a split mechanism with the modes of its beams as coordinates, and with their energies."""
    modes, scalars = joined_rows(pieces, "modes"), joined_rows(pieces, "scalars")
    joints, first = dict(result.joints), 0
    for beam in bent.beams:
        own = modes[:, :, first : first + len(beam.names)]
        first += len(beam.names)
        joints[beam.id] = JointTrack(
            *({name: np.ascontiguousarray(own[:, k, j]) for j, name in enumerate(beam.names)} for k in range(3))
        )
    return replace(result, joints=Named("joint", joints), kinetic=scalars[:, 0], potential=scalars[:, 1])


def elastic_energy(beam: FlexibleBeam, track: JointTrack) -> np.ndarray:
    """Return the energy (n,) [J] of the bent beam."""
    return 0.5 * sum(beam.omega[j] ** 2 * track.coordinates[name] ** 2 for j, name in enumerate(beam.names))
