"""By what a known body is displaced to see what roundings of its place do to a group, here and in generated code."""

from __future__ import annotations

#: Numbers of a pose -> what is added to each, times the size for places, times how far: in no direction that a
#: mechanism is likely to have. Planar [x, y, phi], spatial [r, q].
ASIDE: dict[int, tuple[float, ...]] = {3: (0.61, 0.43, 0.37), 7: (0.61, 0.43, 0.67, 0.29, 0.41, 0.23, 0.31)}
#: Of these numbers, how many are places.
PLACES: dict[int, int] = {3: 2, 7: 3}
