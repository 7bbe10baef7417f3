"""The characteristic determinant of a chain: its size, its sign, how far its nearest zero is, the zeros beside a place.

The states that are admissible at the beginning, (12, r), go through the chain; r conditions at its end vanish where
the chain vibrates. As plain products their columns soon are one, the fastest growing one. So they are made orthonormal
behind every part, which multiplies the determinant by a triangle's diagonal: logarithms of those are added. It is the
same determinant without loss of digits by growth, without overflow.

All zeros s_k of it are real (squares of angular frequencies), and it is a product of 1 - s/s_k. Therefore

    |f(s + i h)/f(s)|^2 = prod (1 + h^2/(s - s_k)^2) >= 1 + h^2/(s - s_1)^2,

and two values of the determinant say how far the nearest zero is at least: none is ever jumped over.

Source: E. C. Pestel, F. A. Leckie 1963; S. K. Godunov 1961, S. D. Conte 1966 (orthonormal columns); A. Ruhe 1973
(successive linear problems). The bound is Ostrowski's, 1966, with differences for derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from symgen.library.rotations import Array
from symgen.transfer.vibration_direct import Chain

#: What rounding makes of a square of moduli over that of neighbours, beside known zeros too.
_NOISE = 1e-9
#: Imaginary step, as part of the square: derivatives without differences.
_STEP = 1e-30
#: Largest share of an eigenvalue's imaginary part that rounding of a double one leaves.
_REAL = 1e-3


def characteristic_determinant(chain: Chain, squares: Array) -> tuple[Array, Array]:
    """Return the characteristic determinant as sign (n,) and natural logarithm of its modulus (n,).

    Parameters
    ----------
    squares : (n,) squares s of the angular frequency [rad^2/s^2]; for complex ones the sign is a phase.
    """
    columns, rows = chain.ends(squares)
    sign, logarithm = np.ones(len(squares), dtype=squares.dtype), np.zeros(len(squares))
    for u in chain.matrices(squares):
        columns, triangle = np.linalg.qr(u @ columns)
        sign, logarithm = _collect(sign, logarithm, np.diagonal(triangle, axis1=1, axis2=2))
    phase, rest = np.linalg.slogdet(rows @ columns)
    return sign * phase, logarithm + rest


def _collect(sign: Array, logarithm: Array, diagonal: Array) -> tuple[Array, Array]:
    size = np.maximum(np.abs(diagonal), 1e-300)
    return sign * np.prod(diagonal / size, axis=1), logarithm + np.log(size).sum(axis=1)


def clearance(chain: Chain, square: float, step: float, known: Sequence[float]) -> float:
    """Return how far from a square the nearest zero is at least, known ones left out.

    Parameters
    ----------
    step : h of the bound; it is sharp where the zero is some times as far.
    """
    _, (here, beside) = characteristic_determinant(chain, np.array([square, square + 1j * step]))
    if here == -math.inf:
        return 0.0
    ratios = np.array([step / (square - zero) if square != zero else math.inf for zero in known])
    excess = math.expm1(min(2.0 * (beside - here) - float(np.log1p(ratios**2).sum()), 700.0))
    return step / math.sqrt(max(excess, 0.0) + _NOISE)


def degree(chain: Chain, sizes: Array) -> Array:
    """Return about how many zeros are within each size (n,): growth along the imaginary axis, d log|f| / d log h."""
    ratio = 1.25
    places = np.concatenate([sizes * ratio, sizes / ratio])
    _, logarithm = characteristic_determinant(chain, 1j * places)
    above, below = logarithm.reshape(2, -1)
    found: Array = (above - below) / (2.0 * math.log(ratio))
    return found


def zeros_beside(chain: Chain, squares: Array) -> list[Array]:
    """Return for each square the zeros of the determinant's matrix taken as linear there, nearest first.

    Double zeros are two, each with full digits: the matrix has two directions that vanish, though its determinant's
    own digits are halved.
    """
    columns, rows = chain.ends(squares)
    step = np.maximum(np.abs(squares), 1e-200) * _STEP
    for u in chain.matrices(squares + 1j * step):
        columns = u @ columns
        _, triangle = np.linalg.qr(columns.real)
        columns = columns @ np.linalg.inv(_regular(triangle))
    matrices = rows @ columns
    return [_zeros(square, matrix, each) for square, matrix, each in zip(squares, matrices, step, strict=True)]


def _regular(triangle: Array) -> Array:
    """Return a triangle without zeros in its diagonal."""
    found = triangle.copy()
    k = np.arange(triangle.shape[1])
    diagonal = found[:, k, k]
    least = 1e-200 + 1e-17 * np.abs(diagonal).max(axis=1, keepdims=True)
    found[:, k, k] = np.where(np.abs(diagonal) < least, least, diagonal)
    return found


def _zeros(square: float, matrix: Array, step: float) -> Array:
    """Return square + d of M + d M' = 0, from eigenvalues -1/d of M^-1 M'."""
    size = np.maximum(np.abs(matrix.real).max(axis=1, keepdims=True), 1e-300)
    try:
        values = np.linalg.eigvals(np.linalg.solve(matrix.real / size, matrix.imag / size / step))
    except np.linalg.LinAlgError:
        return np.array([square])
    values = values[np.abs(values) > 0.0]
    values = values[np.abs(values.imag) <= _REAL * np.abs(values)].real
    values = values[np.argsort(-np.abs(values))]
    found: Array = square - 1.0 / values
    return found
