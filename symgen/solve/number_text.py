"""Numbers as text, many at once: the shortest that reads back as the number, as ``repr`` has it, without its ``.0``.

A number x of decimal exponent e has the seventeen digits of x 10^(16 - e), rounded to an integer below 2^57. The power
is held as the sum of two doubles, the product's rounding error is found exactly (T. J. Dekker 1971, "A floating-point
technique for extending the available precision"), so that the integer is right wherever the rest is not within a
millionth of one half. Those few, and what has no digits or an exponent near the ends of the range, Python formats.

A decimal reads back as x if it is within half a step of doubles of it: 0.55 to 11.1 of the units of these seventeen
digits. The decimals of fifteen digits are 100 of them apart. So if one of fifteen digits or fewer reads back as x it is
the nearest one of fifteen; else the nearest of sixteen may; else all seventeen are needed. Powers of two, which have a
shorter step below than above, and what is within a hundred-thousandth of half a step are left to Python.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array

Bytes = NDArray[np.uint8]
#: The longest text, -1.2345678901234567e-300, and a separator behind it.
WIDTH = 25
_DIGITS, _SAFE = 17, 100
_SPLIT = 2.0**27 + 1.0
_POINT, _ZERO = ord("."), ord("0")


def number_cells(values: Array) -> Bytes:
    """Return the texts of numbers.

    Parameters
    ----------
    values : (n,).

    Returns
    -------
    Bytes
        (n, `WIDTH`) ASCII, somewhere between bytes of zero; the last byte of each row is zero.
    """
    cells = np.zeros((len(values), WIDTH), dtype=np.uint8)
    size = np.abs(values)
    plain = np.flatnonzero((size > 10.0**-_SAFE) & (size < 10.0**_SAFE))  # NaN fails
    exponents, whole, sure = _shortest_digits(size[plain])
    plain, exponents, whole = plain[sure], exponents[sure], whole[sure]
    digits = _spelled(whole)
    fixed = (exponents >= -4) & (exponents < _DIGITS - 1)
    at = np.flatnonzero(whole % 10 == 0)
    _drop_zeros(digits, at, np.where(fixed[at], exponents[at] + 1, 1))
    for exponent in (np.flatnonzero(np.bincount(exponents[fixed] + 4)) - 4).tolist():
        at = np.flatnonzero(exponents == exponent)
        cells[plain[at]] = _fixed(digits[at], exponent)
    at = np.flatnonzero(~fixed)
    cells[plain[at]] = _scientific(digits[at], exponents[at])
    cells[plain[values[plain] < 0.0], 0] = ord("-")
    cells[values == 0.0, 1] = _ZERO
    rest = values != 0.0
    rest[plain] = False
    for k in np.flatnonzero(rest).tolist():
        cells[k] = text_cell(float(values[k]))
    return cells


def text_cell(value: float) -> Bytes:
    """Return the text of one number, (`WIDTH`,)."""
    text = repr(float(value) + 0.0).removesuffix(".0")  # (-0.0) + 0.0 is 0.0
    return np.frombuffer(text.encode().ljust(WIDTH, b"\0"), dtype=np.uint8)


def _shortest_digits(size: Array) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return decimal exponent, seventeen digits as an integer, and whether they are sure, of positive numbers (n,).

    The digits are those of the shortest decimal, with zeros behind.
    """
    exponents, whole, part, sure = _seventeen_digits(size)
    half = 0.5 * np.spacing(size) * _powers()[0][_DIGITS - 1 - exponents + _OFFSET]
    sixteen = 10 * ((whole + np.where(part > 0.0, 5, 4)) // 10)
    doubtful = (np.abs(part) < 1e-6) & (whole % 10 == 5)  # as near to the one as to the other
    best, doubt = whole.copy(), np.frexp(size)[0] == 0.5
    for near, wrong in ((sixteen, doubtful), (100 * ((whole + 50) // 100), np.zeros_like(doubtful))):
        away = np.abs((near - whole).astype(np.float64) - part)
        reads_back = away < half
        best[reads_back] = near[reads_back]
        doubt |= (np.abs(away - half) < 1e-5 * half) | (wrong & reads_back)
    more = best == 10**_DIGITS
    best[more] = 10 ** (_DIGITS - 1)
    return exponents + more, best, sure & ~doubt


def _seventeen_digits(
    size: Array,
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, NDArray[np.bool_]]:
    """Return decimal exponent, digits as an integer, what of them was rounded, and whether they are sure."""
    upper, lower = _powers()
    exponents = np.floor(np.log10(size)).astype(np.int64)
    exponents += (size >= upper[exponents + 1 + _OFFSET]).astype(np.int64)
    exponents -= size < upper[exponents + _OFFSET]
    power = _DIGITS - 1 - exponents + _OFFSET
    high, low = upper[power], lower[power]
    product = size * high
    rest = _error_of_product(size, high, product) + size * low
    step = np.rint(rest)
    whole = product.astype(np.int64) + step.astype(np.int64)
    sure = np.abs(np.abs(rest - step) - 0.5) > 1e-6
    # below 10^16 another exponent is right, also where rounding would give 10^16
    return exponents, whole, rest - step, sure & ((product - 1e16) + rest >= 0.0) & (whole < 10**_DIGITS)


_OFFSET = _SAFE + _DIGITS + 1


@lru_cache(maxsize=1)
def _powers() -> tuple[Array, Array]:
    """Return the powers of ten from 10^-`_OFFSET` on, each as the sum of two doubles."""
    pairs = []
    for k in range(-_OFFSET, _OFFSET + 1):
        top, bottom = (10**k, 1) if k >= 0 else (1, 10**-k)
        near = top / bottom  # of integers, so rounded once
        up, down = near.as_integer_ratio()
        pairs.append((near, (top * down - up * bottom) / (down * bottom)))
    upper, lower = np.array(pairs).T
    return upper, lower


def _error_of_product(one: Array, two: Array, product: Array) -> Array:
    """Return what rounding took from a product, exactly."""
    high, low = _halves(one)
    other_high, other_low = _halves(two)
    error: Array = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    return error


def _halves(values: Array) -> tuple[Array, Array]:
    big = _SPLIT * values
    high: Array = big - (big - values)
    return high, values - high


@lru_cache(maxsize=1)
def _fours() -> NDArray[np.uint32]:
    """Return the four digits of 0 to 9999, four bytes in one number, (10000,)."""
    return np.frombuffer("".join(f"{k:04d}" for k in range(10_000)).encode(), dtype=np.uint32)


def _spelled(whole: NDArray[np.int64]) -> Bytes:
    """Return the seventeen digits of integers (n,) as ASCII, (n, 17)."""
    groups = np.empty((len(whole), 5), dtype=np.uint32)
    high = whole // 10**8
    first = high // 10**8
    groups[:, 0] = _fours()[first]
    for k, eight in ((1, high - first * 10**8), (3, whole - high * 10**8)):
        short = eight.astype(np.uint32)
        upper = short // np.uint32(10_000)
        groups[:, k] = _fours()[upper]
        groups[:, k + 1] = _fours()[short - upper * np.uint32(10_000)]
    return groups.view(np.uint8)[:, 3:]


def _drop_zeros(digits: Bytes, at: NDArray[np.intp], least: NDArray[np.int64]) -> None:
    """Make the zeros that end the numbers `at` bytes of zero, all but the first `least` digits."""
    found = digits[at]
    ends = _DIGITS - np.argmax(found[:, ::-1] != _ZERO, axis=1)
    found[np.arange(_DIGITS) >= np.maximum(ends, least)[:, None]] = 0
    digits[at] = found


def _fixed(digits: Bytes, exponent: int) -> Bytes:
    """Return numbers of one exponent without one: 123.25, 0.0625."""
    cells = np.zeros((len(digits), WIDTH), dtype=np.uint8)
    if exponent < 0:
        lead = 2 - exponent  # behind the sign "0." and the zeros up to the first digit
        cells[:, 1 : 1 + lead - 1] = _ZERO
        cells[:, 2] = _POINT
        cells[:, lead : lead + _DIGITS] = digits
        return cells
    before = exponent + 1
    cells[:, 1 : 1 + before] = digits[:, :before]
    if before < _DIGITS:
        cells[:, 1 + before] = np.where(digits[:, before] > 0, _POINT, 0)
        cells[:, 2 + before : 2 + _DIGITS] = digits[:, before:]
    return cells


def _scientific(digits: Bytes, exponents: NDArray[np.int64]) -> Bytes:
    """Return numbers with their exponents: 1.5e-07, 2e+100."""
    cells = np.zeros((len(digits), WIDTH), dtype=np.uint8)
    cells[:, 1] = digits[:, 0]
    cells[:, 2] = np.where(digits[:, 1] > 0, _POINT, 0)
    cells[:, 3 : 2 + _DIGITS] = digits[:, 1:]
    cells[:, 2 + _DIGITS] = ord("e")
    cells[:, 3 + _DIGITS] = np.where(exponents < 0, ord("-"), ord("+"))
    size = np.abs(exponents)
    hundreds = size // 100
    cells[:, 4 + _DIGITS] = np.where(hundreds > 0, hundreds + _ZERO, 0)
    cells[:, 5 + _DIGITS : 7 + _DIGITS] = _fours()[size % 100, None].view(np.uint8)[:, 2:]
    return cells
