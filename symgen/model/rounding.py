"""Numbers of a table that are rounding of the others there: shown as 0, not as 3e-16."""

from __future__ import annotations

import math
from collections.abc import Iterable

#: Part of the largest number of one kind below which another is rounding: some hundred times that of a double.
_NOTHING = 1e-13


def rounding(numbers: Iterable[Iterable[float]]) -> float:
    """Return the size up to which a number is rounding beside these, which are of its kind."""
    sizes = (abs(float(number)) for row in numbers for number in row)
    return _NOTHING * max((size for size in sizes if size < math.inf), default=0.0)  # not of NaN either


def shown(number: float, least: float) -> float:
    """Return a number, or 0 if it is not above `least`; never -0."""
    return float(number) if not abs(number) <= least else 0.0
