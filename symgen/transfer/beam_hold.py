"""Beams of a transfer system: held at their outputs, with joints at their ends."""

from __future__ import annotations

import numpy as np

from symgen.errors import MechanismError
from symgen.library.rotations import Array
from symgen.transfer.beam_element import HeldBeam, held_beam, in_unit
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.system import Hinge, TransferSystem

#: Joints this near an end, in lengths of the beam, are at it.
_AT_END = 1e-6


def hold_beam(snapshot: Snapshot, system: TransferSystem, k: int) -> HeldBeam:
    """Return a beam of a system in the units of a snapshot.

    Raises
    ------
    MechanismError
        The system has loops; nothing holds the beam, or a joint of it is at neither end.
    """
    body = system.by_index[k]
    if system.loops:
        raise _refuse(system, k, "is in a mechanism with closed loops, where accelerations take rigid bodies only")
    if body.output is None:
        raise _refuse(system, k, "is held by no joint; accelerations take beams that one holds at an end")
    beam = in_unit(snapshot.beams[k], snapshot.unit)
    centre, turn = snapshot.centre[k], snapshot.rotation[k]
    for hinge in (body.output, *body.inputs):
        x = float((_place(snapshot, hinge, k) - centre) @ turn[:, 0]) / beam.length
        if abs(abs(x) - 0.5) > _AT_END:
            raise _refuse(
                system, k,
                f"has joint {hinge.joint} at {x + 0.5:.3g} of its length; here joints are at its ends: make two beams "
                "of it and weld them",
            )  # fmt: skip
    gravity = np.array(system.mechanism.gravity) / snapshot.unit
    port = _place(snapshot, body.output, k)
    return held_beam(beam, centre, turn, snapshot.omega[k], gravity, port, planar=system.mechanism.space == "planar")


def _place(snapshot: Snapshot, hinge: Hinge, k: int) -> Array:
    frames = snapshot.frames[hinge.joint]
    return frames.centres[frames.bodies.index(k)]


def _refuse(system: TransferSystem, k: int, words: str) -> MechanismError:
    body = system.mechanism.bodies[k].id
    return MechanismError(words, file=system.mechanism.file, field=f"bodies.{body}.beam")
