"""Power series in a small time, cut after the square: derivatives of polynomials without differences.

An array of shape (3, ...) holds value, first derivative and half the second derivative. Products are cut after the
square, so what is computed from exact series is exact but for rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def constant(value: Any) -> Array:
    """Return the series of something that does not change."""
    still = np.asarray(value, dtype=np.float64)
    return np.stack([still, np.zeros_like(still), np.zeros_like(still)])


def times(a: Array, b: Array) -> Array:
    """Return the product, entry by entry."""
    return np.stack([a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0]])


def matmul(a: Array, b: Array) -> Array:
    """Return the product of matrices."""
    return np.stack([a[0] @ b[0], a[0] @ b[1] + a[1] @ b[0], a[0] @ b[2] + a[1] @ b[1] + a[2] @ b[0]])


def transposed(a: Array) -> Array:
    """Return matrices with rows and columns exchanged."""
    return np.swapaxes(a, -1, -2)


def _composed(x: Array, f: Array, df: Array, ddf: Array) -> Array:
    """Return f(x(t)) from f and its derivatives at x(0)."""
    return np.stack([f, df * x[1], df * x[2] + 0.5 * ddf * x[1] ** 2])


def sine(x: Array) -> Array:
    """Return sin x."""
    s, c = np.sin(x[0]), np.cos(x[0])
    return _composed(x, s, c, -s)


def cosine(x: Array) -> Array:
    """Return cos x."""
    s, c = np.sin(x[0]), np.cos(x[0])
    return _composed(x, c, -s, -c)


def arctangent(y: Array, x: Array) -> Array:
    """Return atan2(y, x) with its first derivative; the second is left out (nan)."""
    square = x[0] ** 2 + y[0] ** 2
    first = (x[0] * y[1] - y[0] * x[1]) / square
    return np.stack([np.arctan2(y[0], x[0]), first, np.full_like(first, np.nan)])
