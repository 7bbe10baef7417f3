"""Ends of a beam: joints are there and nowhere between."""

from __future__ import annotations

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

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
