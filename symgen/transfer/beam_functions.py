"""The functions of vibrating beams and rods as power series: no division by the frequency, both signs of its square.

C_j(z) = sum over k of z^k/(4k + j)!, j = 0 to 3 (Rayleigh and Krylov); c_j(a) = sum over k of (-a)^k/(2k + j)!,
j = 0, 1 (cosine and sine over the angle). Pieces of beams are kept so short that few terms give all digits.

Source: A. N. Krylov 1931; symgen.derive.transfer.vibration_beam proves what they obey.
"""

from __future__ import annotations

import math

import numpy as np

from symgen.library.rotations import Array

#: Largest |z| and |a| of a piece: a third of the clamped piece's first frequency in bending (z = 500), likewise in
#: stretching (a = pi^2); then no clamped piece resonates and cosh grows to 1.5 only.
MOST_BENDING, MOST_WAVE = 16.0, 2.0
_BEND_TERMS, _WAVE_TERMS = 8, 12


def bending_functions(z: Array) -> Array:
    """Return C_0 to C_3, (..., 4), for |z| up to `MOST_BENDING`."""
    return np.stack([_series(z, 4, j, _BEND_TERMS) for j in range(4)], axis=-1)


def wave_functions(a: Array) -> Array:
    """Return c_0 and c_1, (..., 2), for |a| up to `MOST_WAVE`."""
    return np.stack([_series(-a, 2, j, _WAVE_TERMS) for j in range(2)], axis=-1)


def _series(argument: Array, step: int, first: int, terms: int) -> Array:
    total = np.zeros_like(argument)
    for k in reversed(range(terms)):
        total = total * argument + 1.0 / math.factorial(step * k + first)
    return total
