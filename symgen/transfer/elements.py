"""The element library in numbers: the generated NumPy routines with matrices in place of their flat arrays.

Every formula of a body or a hinge is a routine of ``generated/transfer/transfer.py``; here are only shapes, and the
hinges with more than three freedoms, which are solved as matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.library.element_routines import call
from symgen.poses import Array

#: A pivot of an articulated inertia below this part of the terms it was made of is none.
NO_INERTIA = 1e-12
#: Moment and force exchanged: P.
SWAP = np.roll(np.arange(6), 3)
_LOWER = np.tril_indices(6)
_MOST_CLOSED = 3
#: Freedoms of a hinge that holds nothing.
FREE = 6


class NoInertiaError(Exception):
    """A hinge carries no inertia in one of its freedoms."""


@dataclass(frozen=True)
class HingeStep:
    """A hinge passed: P S' (6, 6) and e' (6,) outboard, qdd = ka a_O + k0 + kl lam.

    Parameters
    ----------
    ka, k0 : (f, 6), (f,).
    inverse : D^-1, (f, f), negative definite.
    """

    ps: Array
    e: Array
    ka: Array
    k0: Array
    inverse: Array


@dataclass(frozen=True)
class FarSides:
    """Hinges as matrices, eliminated with force rows at the output of the body behind; k at once.

    Parameters
    ----------
    transfer : (k, 13, 13), from the inboard side of the hinge to the input of the body.
    gain : (k, 6, f): what others add to the wrench at the output enters the acceleration with -gain N.
    pivot, terms : (k, f, f), the matrix that was inverted, and the sizes of the terms that it was formed from.
    """

    transfer: Array
    gain: Array
    pivot: Array
    terms: Array


def packed(matrix: Array) -> Array:
    """Return the lower triangle (21,) of a symmetric matrix (6, 6), row by row."""
    found: Array = matrix[_LOWER]
    return found


def symmetric(triangle: Array) -> Array:
    """Return the symmetric matrix of its lower triangle, row by row."""
    size = int((2 * len(triangle)) ** 0.5)
    found = np.zeros((size, size))
    rows, columns = np.tril_indices(size)
    found[rows, columns] = triangle
    found[columns, rows] = triangle
    return found


def inertia_entries(matrix: Array) -> Array:
    """Return xx yy zz xy xz yz (..., 6) of symmetric matrices (..., 3, 3)."""
    found: Array = matrix[..., [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return found


def cross(a: Array, b: Array) -> Array:
    """Return the vector product of two vectors (3,): as NumPy's, which takes ten times as long for a single one."""
    (a0, a1, a2), (b0, b1, b2) = a, b
    return np.array([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0])


def shifting(lever: Array) -> Array:
    """Return X = [[1, -lever^], [0, 1]], (6, 6): moves accelerations back and wrenches ahead by a lever (3,)."""
    x, y, z = lever
    found = np.eye(6)
    found[:3, 3:] = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]]
    return found


def elsewhere(acceleration: Array, omega: Array, way: Array) -> Array:
    """Return accelerations (..., 6) of points of bodies from those of other points, `way` (..., 3) before them."""
    slope, rest = call("geometric_spatial", -way, omega)
    found: Array = (slope.reshape(*rest.shape, 6) @ acceleration[..., None])[..., 0] + rest
    return found


def body(mass: float, inertia: Array, d: Array, omega: Array, force: Array, moment: Array) -> tuple[Array, Array]:
    """Return P S (6, 6) and e (6,) of a body alone at its output, d (3,) from the centre of mass."""
    ps, e = call("riccati_body", mass, inertia_entries(inertia), d, omega, force, moment)
    return symmetric(ps), e


def carried(ps: Array, e: Array, lever: Array, omega: Array) -> tuple[Array, Array]:
    """Return what an input adds to P S and e at the output, lever (3,) from there to the output."""
    more, e_more = call("riccati_input", packed(ps), e, lever, omega)
    return symmetric(more), e_more


def shifted(ps: Array, e: Array, s: Array) -> tuple[Array, Array]:
    """Return P S and e on the other side of a hinge that is apart by s (3,)."""
    if not np.any(s):
        return ps, e
    moved, e_moved = call("riccati_shift", packed(ps), e, s)
    return symmetric(moved), e_moved


def reversed_hinge(s: Array, h: Array, eta: Array) -> tuple[Array, Array]:
    """Return H (6, f) and eta (6,) of a hinge that is passed against its own direction; s (3,) is of that direction."""
    count = h.shape[1]
    if 1 <= count <= _MOST_CLOSED:
        _, h_out, eta_out = call(f"hinge_reverse_{count}", s, h.reshape(-1), eta)
        return h_out.reshape(6, count), eta_out
    back = shifting(-s)
    return -back @ h, -back @ eta


def driven(columns: Array, accelerations: Array, eta: Array) -> Array:
    """Return eta (6,) of a hinge whose columns (6, f) follow laws with these accelerations (f,)."""
    for first in range(0, columns.shape[1], _MOST_CLOSED):
        part = columns[:, first : first + _MOST_CLOSED]
        given = accelerations[first : first + _MOST_CLOSED]
        (eta,) = call(f"hinge_driven_{part.shape[1]}", part.reshape(-1), given, eta)
    return eta


def effort(h: Array, wrench: Array) -> Array:
    """Return the forces (f,) along columns (6, f) of a wrench (6,) [m, q] at the outboard side."""
    parts = [h[:, first : first + _MOST_CLOSED] for first in range(0, h.shape[1], _MOST_CLOSED)]
    found = [call(f"hinge_effort_{part.shape[1]}", part.reshape(-1), wrench)[0] for part in parts]
    return np.concatenate([np.zeros(0), *found])


def hinge(ps: Array, e: Array, h: Array, eta: Array, tau: Array, *, least: Array | float = 0.0) -> HingeStep:
    """Return a hinge passed, from P S and e brought to its outboard port.

    Parameters
    ----------
    h, eta, tau : (6, f), (6,), (f,).
    least : (f,) pivots up to which are rounding of what S has lost behind.

    Raises
    ------
    NoInertiaError
        A pivot of H^T P S H vanishes.
    """
    count = h.shape[1]
    if count == 0:
        return HingeStep(ps, e - (ps @ eta)[SWAP], np.zeros((0, 6)), np.zeros(0), np.zeros((0, 0)))
    if count > _MOST_CLOSED:
        return _hinge_of_many(ps, e, h, eta, tau, float(np.max(least)))
    out, e_out, ka, k0, inverse, pivots, scales = call(f"riccati_hinge_{count}", packed(ps), e, h.reshape(-1), eta, tau)
    if not np.all((pivots > NO_INERTIA * scales) & (pivots > least)):
        raise NoInertiaError
    return HingeStep(symmetric(out), e_out, ka.reshape(count, 6), k0, symmetric(inverse))


def far_side(
    body: tuple[Array, Array, Array, Array], hinge: tuple[Array, Array, Array], rows: tuple[Array, Array]
) -> FarSides:
    """Return hinges of f freedoms as matrices.

    Parameters
    ----------
    body : Y (k, 6, 6), V (k, 6, 6), y0 (k, 6) of the bodies behind, and sizes (k, 6, 6) of the terms of Y.
    hinge : s (k, 3), H (k, 6, f), eta (k, 6).
    rows : N (k, f, 6) on the wrench at the output and what they give (k, f).
    """
    (y, v, y_rest, sizes), (s, h, eta), (n, tau) = body, hinge, rows
    k, count = len(h), h.shape[2]
    if count > _MOST_CLOSED:
        return _far_side_of_many(body, hinge, rows)
    flat = [each.reshape(k, -1) for each in (y, v, y_rest, s, h, eta, n, tau, sizes)]
    u, gain, _, _, pivot, terms = call(f"far_side_{count}", *flat)
    square = (k, count, count)
    return FarSides(u.reshape(k, 13, 13), gain.reshape(k, 6, count), pivot.reshape(square), terms.reshape(square))


def _far_side_of_many(
    body: tuple[Array, Array, Array, Array], hinge: tuple[Array, Array, Array], rows: tuple[Array, Array]
) -> FarSides:
    """As `far_side`, of four to six freedoms."""
    (y, v, y_rest, sizes), (s, h, eta), (n, tau) = body, hinge, rows
    pivot, transfer = n @ y @ h, np.zeros((len(h), 13, 13))
    regular = np.linalg.matrix_rank(pivot) == h.shape[2]
    gain = h @ np.linalg.inv(np.where(regular[:, None, None], pivot, np.eye(h.shape[2])))
    x = np.array([shifting(each) for each in s])
    missing = tau - (n @ ((y @ eta[..., None])[..., 0] + y_rest)[..., None])[..., 0]
    transfer[:, :6, :6], transfer[:, :6, 6:12] = x - gain @ n @ y @ x, -gain @ n @ v @ x
    transfer[:, 6:12, 6:12], transfer[:, 12, 12] = x, 1.0
    transfer[:, :6, 12] = eta + (gain @ missing[..., None])[..., 0]
    return FarSides(transfer, gain, pivot, np.abs(n) @ sizes @ np.abs(h))


def _hinge_of_many(ps: Array, e: Array, h: Array, eta: Array, tau: Array, least: float) -> HingeStep:
    """Pass a hinge of four to six freedoms; behind six nothing of what is carried is felt."""
    carry = ps @ h
    sizes, vectors = np.linalg.eigh(-(h.T @ carry))
    if not sizes[0] > max(NO_INERTIA * sizes[-1], least):
        raise NoInertiaError
    inverse = -(vectors / sizes) @ vectors.T
    exchanged = e[SWAP] - ps @ eta
    ka = inverse @ carry.T
    k0 = inverse @ (h.T @ exchanged - tau)
    if h.shape[1] == FREE:
        return HingeStep(np.zeros((6, 6)), np.linalg.solve(h.T, tau)[SWAP], ka, k0, inverse)
    out = ps - carry @ ka
    return HingeStep((out + out.T) / 2, (exchanged - carry @ k0)[SWAP], ka, k0, inverse)


def shifted_columns(g: Array, lever: Array) -> Array:
    """Return columns (6, k) of wrenches ahead by a lever (3,)."""
    if not g.size:
        return g
    (found,) = call("loop_column_shift", g.T, lever)
    return found.T


def hinge_columns(g: Array, h: Array, step: HingeStep, ps: Array) -> tuple[Array, Array, Array]:
    """Return columns G' (6, k) behind a hinge, C H (k, f) and Kl (f, k).

    Parameters
    ----------
    ps : what `hinge` was given.
    """
    count, columns = h.shape[1], g.shape[1]
    if not count or not columns:
        return g, np.zeros((columns, count)), np.zeros((count, columns))
    if count > _MOST_CLOSED:
        held = g[SWAP].T @ h
        found = step.inverse @ held.T
        behind: Array = np.zeros_like(g) if count == FREE else g - (ps @ h @ found)[SWAP]
        return behind, held, found
    inverse = step.inverse[np.tril_indices(count)]
    out, reach, by_loops = call(f"loop_column_hinge_{count}", g.T, h.reshape(-1), step.ka.reshape(-1), inverse)
    return out.T, reach, by_loops.T
