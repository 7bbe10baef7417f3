"""The functions of vibrating beams and rods as power series: no division by the frequency, both signs of its square.

C_j(z) = sum over k of z^k/(4k + j)!, j = 0 to 3 (Rayleigh and Krylov); c_j(a) = sum over k of (-a)^k/(2k + j)!,
j = 0, 1 (cosine and sine over the angle). W_ij: derivatives of the deflections of a beam under a load along itself.
Pieces of beams are kept so short that few terms give all digits.

Source: A. N. Krylov 1931; symgen.derive.transfer.vibration_beam and vibration_column prove what they obey.
"""

from __future__ import annotations

import math

import numpy as np

from symgen.poses import Array

#: Largest |z| and |a| of a piece: a third of the clamped piece's first frequency in bending (z = 500), likewise in
#: stretching (a = pi^2); then no clamped piece resonates and cosh grows to 1.5 only.
MOST_BENDING, MOST_WAVE = 16.0, 2.0
#: Largest |P| x^2/EI of a piece under a load: a quarter of the clamped piece's critical one (4 pi^2), so that neither
#: with z of 16 one resonates; a pulled one grows by cosh 3.
MOST_PUSH = 9.0
_BEND_TERMS, _WAVE_TERMS = 8, 12
#: Powers of the deflections under a load; the last ones are below 9^18/36! = 4e-25.
_PUSH_POWERS = 36


def bending_functions(z: Array) -> Array:
    """Return C_0 to C_3, (..., 4), for |z| up to `MOST_BENDING`."""
    return np.stack([_series(z, 4, j, _BEND_TERMS) for j in range(4)], axis=-1)


def wave_functions(a: Array) -> Array:
    """Return c_0 and c_1, (..., 2), for |a| up to `MOST_WAVE`."""
    return np.stack([_series(-a, 2, j, _WAVE_TERMS) for j in range(2)], axis=-1)


def column_functions(z: Array, push: Array, gain: Array) -> Array:
    """Return W_ij, (..., 16) row by row, of EI v'''' + (P v')' = w^2 mu v.

    With x over the length, x^n has the coefficient c_n in a deflection,

        (n + 4)(n + 3)(n + 2)(n + 1) c_(n+4) = z c_n - gain (n + 1)^2 c_(n+1) - push (n + 2)(n + 1) c_(n+2).

    Parameters
    ----------
    z : (...) w^2 mu x^4/EI, up to `MOST_BENDING` in size.
    push : (...) P x^2/EI at the beginning, up to `MOST_PUSH` in size; `gain` by how much it grows to the end.
    """
    shape = np.broadcast_shapes(np.shape(z), np.shape(push), np.shape(gain))
    c = [np.zeros((*shape, 4), dtype=np.result_type(z, push, gain, 1.0)) for _ in range(_PUSH_POWERS)]
    for j in range(4):
        c[j][..., j] = 1.0 / math.factorial(j)
    z, push, gain = (np.asarray(each)[..., None] for each in (z, push, gain))
    for n in range(_PUSH_POWERS - 4):
        forces = z * c[n] - gain * (n + 1) ** 2 * c[n + 1] - push * ((n + 2) * (n + 1)) * c[n + 2]
        c[n + 4] = forces / ((n + 4) * (n + 3) * (n + 2) * (n + 1))
    rows = [sum(math.perm(n, i) * c[n] for n in reversed(range(i, _PUSH_POWERS))) for i in range(4)]
    found: Array = np.stack(rows, axis=-2).reshape(*shape, 16)
    return found


def _series(argument: Array, step: int, first: int, terms: int) -> Array:
    total = np.zeros_like(argument)
    for k in reversed(range(terms)):
        total = total * argument + 1.0 / math.factorial(step * k + first)
    return total
