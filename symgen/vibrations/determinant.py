"""The characteristic determinant of a chain: its size, its sign, its slope, how far its nearest zero is.

The states that are admissible at the beginning, (12, r), go through the chain; r conditions at its end vanish where
the chain vibrates. As plain products their columns soon are one, the fastest growing one. So they are made orthonormal
behind every part, which multiplies the determinant by a triangle's diagonal: logarithms of those are added. It is the
same determinant without loss of digits by growth, without overflow.

All zeros s_k of it are real (squares of angular frequencies), and it is a product of 1 - s/s_k. Therefore

    |f(s + i h)/f(s)|^2 = prod (1 + h^2/(s - s_k)^2) >= 1 + h^2/(s - s_1)^2,

and two values of the determinant say how far the nearest zero is at least: none is ever jumped over.

Beside a zero of multiplicity m, f'/f = m/(s - s_k) gives its place with all digits, though f itself has lost some.

Source: E. C. Pestel, F. A. Leckie 1963; S. K. Godunov 1961, S. D. Conte 1966 (orthonormal columns). The bound is that
of A. M. Ostrowski's square root iteration, 1966, with a step of any size in place of derivatives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from symgen.poses import Array
from symgen.vibrations.direct import ComplexArray, Release, VibratingChain

#: What rounding makes of a square of moduli over that of neighbours, beside known zeros too.
_NOISE = 1e-9
#: Instead of a pivot that vanishes.
_LEAST = 1e-300
#: Imaginary step, as part of the square: derivatives without differences.
_STEP = 1e-30


def characteristic_determinant(chain: VibratingChain, squares: Array | ComplexArray) -> tuple[Any, Array]:
    """Return the characteristic determinant as sign (n,) and natural logarithm of its modulus (n,).

    Parameters
    ----------
    squares : (n,) squares s of the angular frequency [rad^2/s^2]; for complex ones the sign is a phase.
    """
    columns, rows = chain.ends(squares)
    sign: Any = np.ones(len(squares), dtype=squares.dtype)
    logarithm: Array = np.zeros(len(squares))
    for u in chain.matrices(squares):
        if isinstance(u, Release):
            columns, value = _released(u, columns)
            size = np.maximum(np.abs(value), _LEAST)
            sign, logarithm = sign * value / size, logarithm + np.log(size)
            continue
        columns, triangle = np.linalg.qr(u @ columns)
        diagonal = np.diagonal(triangle, axis1=1, axis2=2)
        size = np.maximum(np.abs(diagonal), _LEAST)
        sign = sign * np.prod(diagonal / size, axis=1)
        logarithm = logarithm + np.log(size).sum(axis=1)
    phase, rest = np.linalg.slogdet(rows @ columns)
    return sign * phase, logarithm + rest


def _released(hinge: Release, columns: Any) -> tuple[Any, Any]:
    """Return states behind a free hinge and the factor of the determinant.

    Its row takes one column out, its own motion comes instead: the determinant of all unknowns and conditions, expanded
    by the row.
    """
    row = np.einsum("ni,nij->nj", hinge.row, columns)
    turn, _ = np.linalg.qr(row.conj()[:, :, None], mode="complete")
    turned = columns @ turn
    value = np.einsum("nj,nj->n", row, turn[:, :, 0]) / np.linalg.det(turn)
    return np.concatenate([turned[:, :, 1:], hinge.column[:, :, None]], axis=2), value


def clearance(chain: VibratingChain, square: float, step: float, known: Sequence[float]) -> float:
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


def degree(chain: VibratingChain, sizes: Array) -> Array:
    """Return about how many zeros are within each size (n,): growth along the imaginary axis, d log|f| / d log h."""
    ratio = 1.25
    places = np.concatenate([sizes * ratio, sizes / ratio])
    _, logarithm = characteristic_determinant(chain, 1j * places)
    above, below = logarithm.reshape(2, -1)
    found: Array = (above - below) / (2.0 * math.log(ratio))
    return found


def slopes(chain: VibratingChain, squares: Array, known: Sequence[float]) -> Array:
    """Return d log f/ds (n,), the sum of 1/(s - s_k) over the zeros that are not known; infinite at a zero."""
    step = np.maximum(np.abs(squares), 1e-200) * _STEP
    phase, _ = characteristic_determinant(chain, squares + 1j * step)
    real = np.where(phase.real == 0.0, math.nan, phase.real)
    found = phase.imag / real / step
    for zero in known:
        found = found - 1.0 / np.where(squares == zero, math.nan, squares - zero)
    return np.where(np.isfinite(found), found, math.inf)
