"""The values of the named tolerances, argued once for all backends.

EPSILON is the spacing of numbers at 1. A quadratic's margin carries a few EPSILON of what it is a difference of (a
step `noise` says of what), so a margin above -16 EPSILON times that is taken as a fold, not as out of reach. Closer to
a fold than 4096 EPSILON, relative, or than the rounding, the branches differ by less than the square root of that,
1e-6 in double: positions are returned, rates are not. A linear
system whose scaled determinant is below SINGULAR_TOLERANCE has lost more than half of its digits. Axes and
quaternions must be unit vectors as far as printed input can be; TINY, the square of 64 EPSILON, bounds squared
lengths relative to the other lengths of the problem. Where a kernel bounds rates beforehand instead of looking at
its results, lengths above SMALL_LENGTH and rates below LARGE_RATE keep every product and quotient within the exponents.
Inputs beyond LARGEST_INPUT, a quarter of the exponents' range, make products of four lengths overflow: what a solver
then refuses is refused as BAD_INPUT, whatever guard the overflow met. Determinants of rates are products of up to six
lengths: with inputs up to LARGEST_OF_RATES, whose differences are 3.5 times as large, none overflows, and only then
SINGULAR says something about rates. Our own sine and cosine take angles to
LARGEST_ANGLE: in double 1e9 rad, whose spacing is 1e-7 rad, in float 2^13 right angles, which are 12,868 rad.
"""

from __future__ import annotations

TOLERANCE_TEXT: dict[str, dict[str, str]] = {
    "FOLD_TOLERANCE": {"double": "(4096.0*DBL_EPSILON)", "float": "(4096.0F*FLT_EPSILON)"},
    "REACH_TOLERANCE": {"double": "(16.0*DBL_EPSILON)", "float": "(16.0F*FLT_EPSILON)"},
    "SINGULAR_TOLERANCE": {"double": "1e-09", "float": "1e-05F"},
    "UNIT_TOLERANCE": {"double": "1e-09", "float": "1e-05F"},
    "SMALL_LENGTH": {"double": "1e-50", "float": "1e-06F"},
    "LARGE_RATE": {"double": "1e+50", "float": "1e+08F"},
    "LARGEST_INPUT": {"double": "1e+75", "float": "1e+09F"},
    "LARGEST_OF_RATES": {"double": "1e+50", "float": "1e+05F"},
    "LARGEST_ANGLE": {"double": "1e+09", "float": "12800.0F"},
    "TINY": {"double": "(4096.0*DBL_EPSILON*DBL_EPSILON)", "float": "(4096.0F*FLT_EPSILON*FLT_EPSILON)"},
}

TOLERANCE_VALUE: dict[str, float] = {
    "FOLD_TOLERANCE": 2.0**-40,
    "REACH_TOLERANCE": 2.0**-48,
    "SINGULAR_TOLERANCE": 1e-9,
    "UNIT_TOLERANCE": 1e-9,
    "SMALL_LENGTH": 1e-50,
    "LARGE_RATE": 1e50,
    "LARGEST_INPUT": 1e75,
    "LARGEST_OF_RATES": 1e50,
    "LARGEST_ANGLE": 1e9,
    "TINY": 2.0**-92,
}

#: The same in float, where FLT_EPSILON is 2^-23.
TOLERANCE_FLOAT: dict[str, float] = {
    "FOLD_TOLERANCE": 2.0**-11,
    "REACH_TOLERANCE": 2.0**-19,
    "SINGULAR_TOLERANCE": 1e-5,
    "UNIT_TOLERANCE": 1e-5,
    "SMALL_LENGTH": 1e-6,
    "LARGE_RATE": 1e8,
    "LARGEST_INPUT": 1e9,
    "LARGEST_OF_RATES": 1e5,
    "LARGEST_ANGLE": 12800.0,
    "TINY": 2.0**-34,
}
