"""The numbers of the search for real zeros of a trigonometric polynomial, argued once for all backends.

ROUNDS bounds the simultaneous iteration; from a starting circle it takes about ten, near a multiple zero it stops where
the value is rounding. A zero of a polynomial that has conjugate symmetry lies on the unit circle to rounding unless it
meets another one, then to the square root of rounding: BAND lets that in with a margin of 1e4, NEARBY is how far
polishing may move such a candidate, and NOISE, in EPSILON times the sum of absolute coefficients, what may be left of
the value: a pair that has left the circle by more than the square root of that is no real zero. Where two assemblies
share the angle, a zero may be a fourfold one, which rounding spreads by its fourth root: zeros nearer than DOUBTS to
each other, or to the circle without lying on it, are looked at once more in a search for all assemblies.
"""

from __future__ import annotations

ROUNDS = 100
#: Loops displaced a little that a search for all assemblies solves at most (SHIFTS in symgen/render/search.py).
DISPLACED_LOOPS = 10
BAND: dict[str, str] = {"double": "2e-04", "float": "2e-02F"}
DOUBTS: dict[str, str] = {"double": "1e-02", "float": "1e-01F"}
NEARBY: dict[str, str] = {"double": "1e-06", "float": "1e-03F"}
NOISE: dict[str, str] = {"double": "64.0", "float": "64.0F"}
#: The same for NumPy, which calculates in double: band, nearby, EPSILON, noise times EPSILON.
NUMPY: tuple[tuple[str, float], ...] = (
    ("_ZERO_BAND", 2e-4),
    ("_ZERO_NEARBY", 1e-6),
    ("_ZERO_ROUNDING", 2.0**-52),
    ("_ZERO_NOISE", 64 * 2.0**-52),
)
