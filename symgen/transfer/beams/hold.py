"""Beams of a transfer system: which end the modes hold, and joints at their ends.

The modes hold the end that the tree of a simulation reaches first, whatever method and tree solve the mechanism: all
describe the same motions. A beam that nothing leads to the ground is held at x = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from symgen.beams.ends import end_at
from symgen.beams.twin import in_unit
from symgen.poses import Array
from symgen.simulate.articulated.beams import held_at_far_end
from symgen.transfer import elements
from symgen.transfer.beams.element import HeldBeam, from_the_other_end, held_beam
from symgen.transfer.elements import SWAP
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.system.system import TransferSystem


def hold_beams(snapshot: Snapshot, system: TransferSystem) -> dict[int, HeldBeam]:
    """Return the beams of a system in the units of a snapshot, by index, each with its frame at its output.

    Raises
    ------
    MechanismError
        A joint of a beam is at neither of its ends.
    """
    if not snapshot.beams:
        return {}
    found = held_by_modes(snapshot)
    for k, beam in found.items():
        output = system.by_index[k].output
        if output is not None and beam.moves(joint_place(snapshot, output.joint, k)).any():
            found[k] = other_way_round(snapshot, k, beam)
    return found


def held_by_modes(snapshot: Snapshot) -> dict[int, HeldBeam]:
    """Return the beams with their frames at the ends that the modes hold; see `hold_beams`."""
    if not snapshot.beams:
        return {}
    for k in snapshot.beams:
        _check_ends(snapshot, k)
    bodies = (replace(body, beam=snapshot.beams.get(k)) for k, body in enumerate(snapshot.mechanism.bodies))
    far = held_at_far_end(replace(snapshot.mechanism, bodies=tuple(bodies)))
    found = {}
    for k in snapshot.beams:
        middle, x = snapshot.centre[k], snapshot.rotation[k][:, 0]
        port = middle + x if snapshot.mechanism.bodies[k].id in far else middle - x
        gravity = np.array(snapshot.mechanism.gravity) / snapshot.unit
        found[k] = held_beam(
            in_unit(snapshot.beams[k], snapshot.unit), middle, snapshot.rotation[k], snapshot.omega[k], gravity, port,
            planar=snapshot.mechanism.space == "planar",
        )  # fmt: skip
    return found


def other_way_round(snapshot: Snapshot, k: int, beam: HeldBeam) -> HeldBeam:
    """Return a beam with its frame at its other end."""
    ps, e = elements.body(
        float(snapshot.mass[k]), snapshot.inertia[k], beam.other - snapshot.centre[k], snapshot.omega[k],
        snapshot.force[k], snapshot.moment[k],
    )  # fmt: skip
    return from_the_other_end(beam, snapshot.omega[k], -ps, e[SWAP])


def with_loads(beams: Mapping[int, HeldBeam], loads: Mapping[int, Array]) -> dict[int, HeldBeam]:
    """Return the same beams with other loads (n,) on their modes."""
    return {k: replace(beam, loads=loads[k]) for k, beam in beams.items()}


def joint_place(snapshot: Snapshot, joint: str, k: int) -> Array:
    """Return the place (3,) of a joint on a body."""
    frames = snapshot.frames[joint]
    return frames.centres[frames.bodies.index(k)]


def _check_ends(snapshot: Snapshot, k: int) -> None:
    length = snapshot.beams[k].length / snapshot.unit
    for joint, frames in snapshot.frames.items():
        if k not in frames.bodies:
            continue
        x = float((joint_place(snapshot, joint, k) - snapshot.centre[k]) @ snapshot.rotation[k][:, 0]) / length
        end_at(snapshot.mechanism, snapshot.mechanism.bodies[k].id, joint, x + 0.5)
