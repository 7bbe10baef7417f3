"""Ends of a beam: joints are there and nowhere between."""

from __future__ import annotations

from dataclasses import replace

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Beam

#: Joints this near an end, in lengths of the beam, are at it.
_AT_END = 1e-6


def end_at(mechanism: Mechanism, body: str, joint: str, part: float) -> int:
    """Return the end of a beam where a joint is: 0, or 1 where x is its length.

    Parameters
    ----------
    part : place of the joint along the beam, in lengths of it.

    Raises
    ------
    MechanismError
        It is at neither.
    """
    end = int(part > 0.5)
    if not abs(part - end) <= _AT_END:  # nor a NaN
        raise MechanismError(
            f"has joint {joint} at {part:.3g} of its length; joints are at its ends: make two beams of it and "
            "weld them",
            file=mechanism.file,
            field=f"bodies.{body}.beam",
        )
    return end


def with_end_shapes(mechanism: Mechanism) -> dict[int, Beam]:
    """Return the beams of a mechanism by index, static shapes of loads at the far end chosen where the file does not.

    Both ends jointed: something hangs on the far end, whichever it is, or holds it, and the shapes of a force and of a
    moment there are taken. One end or none: a tree holds the jointed one, and the far end is free.
    """
    beams = {k: body.beam for k, body in enumerate(mechanism.bodies) if body.beam is not None}
    return {
        k: beam if beam.end_shapes is not None else replace(beam, end_shapes=_end_shapes(mechanism, k, beam.length))
        for k, beam in beams.items()
    }


def _end_shapes(mechanism: Mechanism, k: int, length: float) -> int:
    name = mechanism.bodies[k].id
    jointed = {
        frame.at[0] > 0.5 * length
        for joint in mechanism.joints
        for body, frame in zip(joint.bodies, joint.frames or (), strict=False)
        if body == name
    }
    return 2 if len(jointed) == 2 else 0
