"""The numbers of the certified Newton iteration, argued once for all backends.

Lengths are in units of the group's size, so residuals and steps are pure numbers. CLOSE: Newton's method doubles the
digits of a step, so behind a step this short the error is rounding. LOOSE: a residual above it, times the extent, is no
solution whatever the steps do. MEETING: differences below it are rounding or a fold. WORST: at a condition of
1/WORST a row half of the digits are lost, which is where branches meet. SMALL: below this angle sin(x)/x is taken from
its series. FOLLOWED: branches of a closed form nearer than this part of the mechanism's size meet
(`symgen.solve.follow`). ROUNDS bounds the iteration: near a fold it halves the distance, 1e-8 takes some 27. HALVINGS
bounds the damping of a step.
"""

from __future__ import annotations

ROUNDS, HALVINGS = 60, 12
CLOSE: dict[str, str] = {"double": "1e-09", "float": "1e-05F"}
LOOSE: dict[str, str] = {"double": "1e-10", "float": "1e-05F"}
MEETING: dict[str, str] = {"double": "1e-07", "float": "1e-03F"}
WORST: dict[str, str] = {"double": "1e-08", "float": "2e-04F"}
SMALL: dict[str, str] = {"double": "1e-04", "float": "1e-02F"}
FOLLOWED: dict[str, str] = {"double": "1e-07", "float": "1e-03F"}
