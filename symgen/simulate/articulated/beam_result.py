"""What a result says of flexible beams: coordinates of their modes, points on them, their energies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.named import Named
from symgen.poses import Array
from symgen.simulate.articulated.beam_deflections import deflection_warnings
from symgen.simulate.articulated.beams import BentMechanism, bend, end_name, has_beams
from symgen.simulate.contract import EngineSamples
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.pieces import joined_rows
from symgen.simulate.results.beam_track import BeamTrack
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.states import no_rows
from symgen.simulate.stretches import Stretch
from symgen.solve.trajectory import JointTrack, PointTrack


def add_beams(
    result: SimulationResult, bent: BentMechanism, pieces: list[tuple[Stretch, EngineSamples]]
) -> SimulationResult:
    """Return the result of a split mechanism as that of the mechanism, beams bent."""
    scalars = joined_rows(pieces, "scalars")
    return _with_beams(result, bent, joined_rows(pieces, "modes"), scalars[:, 0], scalars[:, 1])


def empty_result(mechanism: Mechanism, *, reactions: bool = False) -> SimulationResult:
    """Return a result of no times: what columns a simulation of this mechanism has is known before it.

    Parameters
    ----------
    reactions : with resultants and reactions.
    """
    if not has_beams(mechanism):
        return no_rows(mechanism, reactions=reactions)
    bent = bend(mechanism, read_dynamics())
    none = np.empty(0)
    return _with_beams(no_rows(bent.split), bent, np.empty((0, 3, bent.problem.sizes["MODES"])), none, none)


def _with_beams(
    result: SimulationResult, bent: BentMechanism, modes: Array, kinetic: Array, potential: Array
) -> SimulationResult:
    mechanism, first = bent.mechanism, 0
    joints, points, beams = dict(result.joints), dict(result.points), {}
    bodies = {body.id: body for body in mechanism.bodies}
    for beam in bent.beams:
        own = modes[:, :, first : first + len(beam.names)]
        first += len(beam.names)
        held = result.bodies[end_name(bodies[beam.id]) if beam.backwards else beam.id]
        planar = mechanism.space == "planar"
        track = BeamTrack(
            beam.beam, planar, beam.names, beam.omega, own[:, 0], own[:, 1], own[:, 2], beam.backwards, held
        )
        beams[beam.id] = track
        joints[beam.id] = _coordinates(track, joints.get(beam.id))
        for name, place in bodies[beam.id].points.items():
            moved = track.section(place[0]).attached(np.array([0.0, *place[1:], 1.0, 0.0, 0.0, 0.0]))
            points[f"{beam.id}.{name}"] = PointTrack(moved.r, moved.v, moved.a)
    run = replace(result.run, warnings=(*result.run.warnings, *deflection_warnings(beams, result.times)))
    return replace(
        result, mechanism=mechanism, run=run, joints=Named("joint", joints), points=Named("point", points), beams=beams,
        kinetic=kinetic, potential=potential,
        resultants={name: rows for name, rows in result.resultants.items() if name.partition(".")[0] not in beams},
    )  # fmt: skip


def _coordinates(beam: BeamTrack, joint: JointTrack | None) -> JointTrack:
    """Return the modes as coordinates, after those of a joint that has the beam's name."""
    tables: list[dict[str, Array]] = []
    for kind, values in (
        ("coordinates", beam.values), ("rates", beam.rates), ("accelerations", beam.accelerations)
    ):  # fmt: skip
        found = {} if joint is None else dict(getattr(joint, kind))
        tables.append(found | {name: np.ascontiguousarray(values[:, k]) for k, name in enumerate(beam.names)})
    return JointTrack(*tables)
