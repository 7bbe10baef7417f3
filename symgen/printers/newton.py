"""The numbers of the certified Newton iteration, argued once for all backends.

Lengths are in units of the group's size, so residuals and steps are pure numbers. CLOSE: Newton's method doubles the
digits of a step, so behind a step this short the error is rounding. LOOSE: a residual above it, times the extent, is no
solution whatever the steps do. MEETING: differences below it are rounding or a fold. WORST: at a condition of
1/WORST a row half of the digits are lost, which is where branches meet. RATED: followed, no rates are told at a
condition above 1/RATED: roundings of accelerations grow with its third power next to where solutions meet, and were
seen to be a thousandth there (float, where conditions of some hundred are common, allows more); nor above 1/REDUNDANT
where constraints are redundant: there the motion may go on smoothly through what is singular. SMALL: below this
angle sin(x)/x is taken from its series. FOLLOWED: branches of a closed form nearer than this part of the mechanism's
size meet (docs/whole-mechanisms.md). ROUNDS bounds the iteration: near a fold it halves the distance, 1e-8 takes some
27. HALVINGS bounds the damping of a step.
"""

from __future__ import annotations

ROUNDS, HALVINGS = 60, 12
CLOSE: dict[str, str] = {"double": "1e-09", "float": "1e-05F"}
LOOSE: dict[str, str] = {"double": "1e-10", "float": "1e-05F"}
MEETING: dict[str, str] = {"double": "1e-07", "float": "1e-03F"}
WORST: dict[str, str] = {"double": "1e-08", "float": "2e-04F"}
RATED: dict[str, str] = {"double": "6e-06", "float": "6e-04F"}
REDUNDANT: dict[str, str] = {"double": "6e-05", "float": "1e-02F"}
SMALL: dict[str, str] = {"double": "1e-04", "float": "1e-02F"}
#: Of branches that are followed (docs/whole-mechanisms.md). ROUNDING: 64 roundings, 16 in float. NEAR, CLEAR: a branch
#: is taken if it misses by less than this part of what the next one misses by; CLEAR where it may have been met. ROUGH:
#: roundings of accelerations above this part of what they are made of are told, SINGULAR; in double counted for how far
#: the bodies are from the origin, in float not: there what a short step predicts instead is worth no more. LEAST,
#: SHORT: the shortest step, four times the root of a rounding, and eight times its fourth root, behind which
#: accelerations are predicted as well as they can be computed that near to a meeting; in parts of the time of a radian.
ROUNDING: dict[str, str] = {"double": "1.4e-14", "float": "1.9e-06F"}
NEAR, CLEAR = 0.25, 1e-2
ROUGH: dict[str, str] = {"double": "1e-05", "float": "2e-02F"}
#: In float what is predicted is worth no more than that, so what is found stands. But from TOLD on, counted for how far
#: the bodies are from the origin, the row says SINGULAR. Empty: ROUGH tells.
TOLD: dict[str, str] = {"double": "", "float": "1e-03F"}
LEAST: dict[str, str] = {"double": "6e-08", "float": "1.4e-03F"}
SHORT: dict[str, str] = {"double": "1e-03", "float": "4e-02F"}
#: What is expected takes the place of what is found only if it misses by less than this part of the size.
SLIGHT: dict[str, str] = {"double": "1e-08", "float": "1e-03F"}
#: By how much a known body is displaced to see what roundings of its place do, in parts of the size, and what part of
#: that four roundings are, one in float: far above rounding, far below what unit lengths are checked to.
DISPLACED: dict[str, str] = {"double": "1e-10", "float": "1e-06F"}
ROUNDED: dict[str, str] = {"double": "1e-05", "float": "0.12F"}
#: What part of that it is where branches are ranked: those that tie, or come near each other, are to keep their ranks.
RANKED: dict[str, str] = {"double": "1e-03", "float": "1.0F"}
TRIES = 4096
FOLLOWED: dict[str, str] = {"double": "1e-07", "float": "1e-03F"}
