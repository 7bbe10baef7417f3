"""Between which numbers the steps of a mechanism with fixed geometry lie, whatever its drives do.

A crank of given length reaches what it reaches, so many checks of a group can never fail once the geometry is known. A
range encloses what is *computed*, in float too: by induction, for each operation widens its result by far more than one
rounding. Numbers beyond `_LARGE` could overflow further on: nothing is said of them. NaN is in no range: who drops a
check must see to it that NaN is noticed elsewhere.

Source: interval arithmetic with outward rounding (R. E. Moore, Interval Analysis, 1966).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from symgen.algebra import Expr, float_of, is_number, is_symbol, name_of, operation

#: From low to high.
Range = tuple[float, float]

_WIDER, _UNDERFLOW, _LARGE = 2.0**-18, 1e-30, 1e12


def range_of(value: Expr, known: Mapping[str, Range]) -> Range | None:
    """Return where a value lies, or None if nothing can be said.

    Parameters
    ----------
    known : ranges of symbols.
    """
    if is_number(value):
        return _widened(float_of(value), float_of(value))
    if is_symbol(value):
        return known.get(name_of(value))
    kind, arguments = operation(value)
    if kind in ("cos", "sin"):
        return _widened(-1.0, 1.0)
    if kind == "branch_sign":
        return -1.0, 1.0
    ranges = [range_of(argument, known) for argument in arguments[:1] if kind == "pow"] or [
        range_of(argument, known) for argument in arguments
    ]
    found = [each for each in ranges if each is not None]
    if len(found) < len(ranges):
        return None
    if kind == "pow":
        return _power(found[0], arguments[1])
    if kind == "add":
        total = found[0]
        for low, high in found[1:]:
            total = _checked(total[0] + low, total[1] + high) or (-math.inf, math.inf)
        return _checked(*total)
    if kind == "mul":
        product: Range | None = found[0]
        for each in found[1:]:
            product = None if product is None else _times(product, each)
        return product
    if kind == "abs":
        return _magnitude(found[0])
    if kind == "positive_part":
        return max(found[0][0], 0.0), max(found[0][1], 0.0)
    return None


def _widened(low: float, high: float) -> Range:
    margin = _WIDER * max(abs(low), abs(high)) + _UNDERFLOW
    return low - margin, high + margin


def _checked(low: float, high: float) -> Range | None:
    """Return a widened range, or None if it is too large to go on with (or not a number)."""
    return _widened(low, high) if low >= -_LARGE and high <= _LARGE else None


def _times(first: Range, second: Range) -> Range | None:
    products = [a * b for a in first for b in second]
    return _checked(min(products), max(products))


def _magnitude(one: Range) -> Range:
    low, high = one
    if low <= 0.0 <= high:
        return 0.0, max(-low, high)
    return min(abs(low), abs(high)), max(abs(low), abs(high))


def _power(base: Range, exponent: Expr) -> Range | None:
    if not is_number(exponent):
        return None
    power, (low, high) = float_of(exponent), base
    if power < 0.0:
        if low <= 0.0 <= high:
            return None
        inverse = _checked(*sorted((1.0 / low, 1.0 / high)))
        return None if inverse is None else _positive_power(inverse, -power)
    return _positive_power(base, power)


def _positive_power(base: Range, power: float) -> Range | None:
    if power == 1.0:
        return base
    if power == int(power):
        low, high = _magnitude(base) if int(power) % 2 == 0 else base
        return None if max(abs(low), abs(high)) ** power > _LARGE else _checked(low**power, high**power)
    return _checked(base[0] ** power, base[1] ** power) if base[0] >= 0.0 else None
