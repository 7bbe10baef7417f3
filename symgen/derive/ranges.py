"""What the range of a port says: a bound, two bounds, or unit length; other texts are for readers only."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Ranges of ports of unit length: all elements, or the last four, a quaternion.
UNIT = ("unit", "q unit")
_NUMBER = r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
_ONE = re.compile(rf"(>=|<=|>|<)\s*{_NUMBER}")
_TWO = re.compile(rf"{_NUMBER} \.\. {_NUMBER}")


@dataclass(frozen=True)
class Bound:
    """A bound of each element of a port: `relation` is >, >=, < or <=."""

    relation: str
    value: float


def bounds_of(text: str) -> tuple[Bound, ...]:
    """Return the bounds that a range such as "> 0", "<= 2.5" or "-1 .. 1" sets; none for other texts."""
    if one := _ONE.fullmatch(text.strip()):
        return (Bound(one[1], float(one[2])),)
    if two := _TWO.fullmatch(text.strip()):
        return Bound(">=", float(two[1])), Bound("<=", float(two[2]))
    return ()
