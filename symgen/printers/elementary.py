"""Sine, cosine and the angle of a vector by reduction and polynomials of our own: the same bits on every machine.

With x = k pi/2 + r, |r| <= pi/4 and z = r^2, sin r = r + r z S(z) and cos r = 1 - z/2 + z^2 C(z); with |q| <= 1/2,
arctan q = q + q q^2 A(q^2), and the angle of (x, y) is a multiple of pi/4 plus or minus such an arctangent (Cody and
Waite, Software Manual for the Elementary Functions, 1980). S, C and A are the polynomials whose largest relative error
is smallest (E. Y. Remez 1934), found with 50 digits, their coefficients rounded one after the other, each time with the
best of the others behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import mpmath

from symgen.printers.c99 import Precision
from symgen.printers.tolerances import TOLERANCE_FLOAT, TOLERANCE_VALUE

_DIGITS = 50
_EXCHANGES = 12
_GRID = 240
_BITS: dict[Precision, int] = {"double": 53, "float": 24}
#: How many coefficients S, C and A have.
_TERMS: dict[Precision, tuple[int, int, int]] = {"double": (6, 6, 13), "float": (3, 3, 6)}
#: Bits of the first parts of pi/2; with the bits of k they fit into the type, so that k times a part is exact.
_PART_BITS: dict[Precision, tuple[int, ...]] = {"double": (33, 33), "float": (11, 11, 11)}
#: Bits of pi/4 that a small multiple of it keeps.
_ANGLE_BITS: dict[Precision, int] = {"double": 50, "float": 21}
#: What a caller's angle may be exceeded by: callers check their inputs, to which a few arctangents are added.
ANGLE_MARGIN = 50.0
#: Angles up to it are reduced.
_LARGEST: dict[Precision, float] = {
    "double": TOLERANCE_VALUE["LARGEST_ANGLE"] + ANGLE_MARGIN,
    "float": TOLERANCE_FLOAT["LARGEST_ANGLE"] + ANGLE_MARGIN,
}
#: Angles up to it have fewer right angles than a first part of pi/2 allows; in double, steps of 2^13 turns are taken
#: off what is beyond.
_NEAR: dict[Precision, float] = {"double": 1.6e6, "float": _LARGEST["float"]}
_STEP = 2**15  # right angles
#: What the error may be, in ulp of the result: of sine and cosine of near angles, of the angle of a vector.
BOUNDS: dict[Precision, tuple[float, float]] = {"double": (1.0, 2.0), "float": (1.0, 2.0)}
#: What the error of sine and cosine may be beyond near angles.
FAR_BOUND = 2e-16


@dataclass(frozen=True)
class Elementary:
    """The constants of one precision, exact numbers of the type.

    Parameters
    ----------
    sine, cosine, arctangent : coefficients of S, C and A, lowest first.
    right_angle : pi/2 in parts, largest first.
    quarter : pi/4 in two parts.
    turns : 2/pi.
    near, largest : angles up to the first are reduced at once, to the second in two steps [rad].
    """

    sine: tuple[float, ...]
    cosine: tuple[float, ...]
    arctangent: tuple[float, ...]
    right_angle: tuple[float, ...]
    quarter: tuple[float, float]
    turns: float
    near: float
    largest: float

    @property
    def steps(self) -> tuple[float, ...]:
        """A far angle's step, 2^15 right angles, in parts, and how many of them are in 1 rad."""
        return (*(part * _STEP for part in self.right_angle), self.turns / _STEP)


@cache
def elementary_functions(precision: Precision) -> Elementary:
    """Return the constants of a precision."""
    bits = _BITS[precision]
    sine, cosine, arctangent = _TERMS[precision]
    with mpmath.workdps(_DIGITS):
        wide = (mpmath.pi / 4 * (1 + mpmath.mpf(2) ** -20)) ** 2  # reduction rounds: a little more than pi/4
        return Elementary(
            sine=_polynomial(_sine_rest, lambda z: z / _sinc(z), wide, sine, bits),
            cosine=_polynomial(_cosine_rest, lambda z: z * z / mpmath.cos(mpmath.sqrt(z)), wide, cosine, bits),
            arctangent=_polynomial(
                _arctangent_rest,
                lambda z: z / (1 + z * _arctangent_rest(z)),
                mpmath.mpf(1) / 4 * (1 + mpmath.mpf(2) ** -20),
                arctangent,
                bits,
            ),
            right_angle=_parts(mpmath.pi / 2, _PART_BITS[precision], bits),
            quarter=_pair(_parts(mpmath.pi / 4, (_ANGLE_BITS[precision],), bits)),
            turns=_rounded(2 / mpmath.pi, bits),
            near=_NEAR[precision],
            largest=_LARGEST[precision],
        )


def _sinc(z: Any) -> Any:
    return 1 + z * _sine_rest(z)


@cache
def _sine_factors() -> tuple[Any, ...]:
    return tuple((-1) ** (n + 1) / mpmath.factorial(2 * n + 3) for n in reversed(range(20)))


@cache
def _cosine_factors() -> tuple[Any, ...]:
    return tuple((-1) ** n / mpmath.factorial(2 * n + 4) for n in reversed(range(20)))


@cache
def _arctangent_factors() -> tuple[Any, ...]:
    return tuple(mpmath.mpf((-1) ** (n + 1)) / (2 * n + 3) for n in reversed(range(50)))


def _sine_rest(z: Any) -> Any:
    """(sin r - r)/r^3 by its power series: near zero the closed form cancels."""
    return mpmath.polyval(_sine_factors(), z)


def _cosine_rest(z: Any) -> Any:
    """(cos r - 1 + r^2/2)/r^4 by its power series: near zero the closed form cancels."""
    return mpmath.polyval(_cosine_factors(), z)


def _arctangent_rest(z: Any) -> Any:
    """(arctan q - q)/q^3 by its power series: near zero the closed form cancels."""
    return mpmath.polyval(_arctangent_factors(), z)


def _polynomial(
    wanted: Callable[[Any], Any], weight: Callable[[Any], Any], end: Any, terms: int, bits: int
) -> tuple[float, ...]:
    """Return the coefficients of the best polynomial on [0, end], rounded one after the other."""
    grid = [end * (1 - mpmath.cos(mpmath.pi * (k + mpmath.mpf(1) / 2) / _GRID)) / 2 for k in range(_GRID)]
    rest, weights = [wanted(z) for z in grid], [weight(z) for z in grid]
    fixed: list[float] = []
    for count in range(terms):
        factor = _rounded(_best(grid, rest, weights, range(count, terms))[0], bits)
        rest = [value - factor * z**count for z, value in zip(grid, rest, strict=True)]
        fixed.append(factor)
    return tuple(fixed)


def _best(grid: Sequence[Any], wanted: Sequence[Any], weights: Sequence[Any], powers: range) -> tuple[Any, ...]:
    """Return the coefficients of the combination of powers with the smallest largest weighted error (Remez)."""
    count = len(powers)
    chosen = [round(k * (len(grid) - 1) / count) for k in range(count + 1)]
    coefficients: tuple[Any, ...] = ()
    for _ in range(_EXCHANGES):
        matrix, right = mpmath.matrix(count + 1, count + 1), mpmath.matrix(count + 1, 1)
        for row, k in enumerate(chosen):
            for column, power in enumerate(powers):
                matrix[row, column] = grid[k] ** power
            matrix[row, count] = (-1) ** row / weights[k]
            right[row] = wanted[k]
        solved = mpmath.lu_solve(matrix, right)
        coefficients = tuple(solved[k] for k in range(count))
        found = [z ** powers[0] * mpmath.polyval(coefficients[::-1], z) for z in grid]
        errors = [w * (value - other) for w, value, other in zip(weights, wanted, found, strict=True)]
        following = _alternating(errors, count + 1)
        if following == chosen:
            break
        chosen = following
    return coefficients


def _alternating(errors: list[Any], count: int) -> list[int]:
    """Return where the largest errors of alternating sign are."""
    runs: list[int] = []
    for k, error in enumerate(errors):
        if runs and (errors[runs[-1]] >= 0) == (error >= 0):
            if abs(error) > abs(errors[runs[-1]]):
                runs[-1] = k
        else:
            runs.append(k)
    while len(runs) > count:  # the outermost of smaller error goes
        runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
    if len(runs) < count:
        raise ArithmeticError(f"the error of a polynomial has {len(runs)} extremes, not {count}")
    return runs


def _rounded(value: Any, bits: int) -> float:
    with mpmath.workprec(bits):
        return float(+value)


def _parts(value: Any, sizes: tuple[int, ...], bits: int) -> tuple[float, ...]:
    """Return a number in parts of so many bits; the last has those of the type."""
    found = []
    rest = value
    for size in sizes:
        exponent = mpmath.floor(mpmath.log(rest, 2)) - size + 1
        part = mpmath.floor(rest / mpmath.mpf(2) ** exponent) * mpmath.mpf(2) ** exponent
        found.append(float(part))
        rest -= part
    return (*found, _rounded(rest, bits))


def _pair(parts: tuple[float, ...]) -> tuple[float, float]:
    first, second = parts
    return first, second
