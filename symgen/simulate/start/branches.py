"""The branches that meet in a singular position, by their tangents.

With F a basis of null(J), a motion that starts with the twist F a stays possible to second order if
l^T (dJ/dq F a) F a = 0 for every l with l^T J = 0: quadratic equations in a. Branches of a mechanism with d freedoms
have d-dimensional tangent spaces F A on which these forms vanish, A^T Q A = 0. They are found by Gauss-Newton steps
from many starts, and each is tried: a little way along it the constraints must close near by, with their regular rank.

Source: J. M. Rico, B. Ravani 1998 (higher-order analysis of singular positions); A. Mueller 2016 (tangent cones).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symgen.poses import Array
from symgen.simulate.start.freedom_count import moved_by, projected, rank_of, ranks_nearby
from symgen.simulate.start.second_order import RANK, inside
from symgen.simulate.tables.joint_rows import JointRows, RowElement

#: Step of the central differences of J [sizes or rad]: errors of 1e-10 from rounding, 1e-11 from the third derivative.
_DIFFERENCE = 3e-6
_STARTS, _ROUNDS, _MOST = 96, 40, 24
_ZERO, _SAME = 1e-8, 1e-5
#: How far a tangent is tried, and what part of that way the constraints may lead aside: their bend leads a thousandth.
_WAY, _ASIDE = 1e-3, 0.05


def branch_tangents(rows: JointRows, pairs: Sequence[RowElement], poses: Array) -> list[Array]:
    """Return orthonormal bases (6 n, d) of the tangent spaces of all branches, twists in sizes.

    Empty where the position is regular, or second order does not tell the branches apart.

    Parameters
    ----------
    pairs : closed at `poses`; drives are left out.
    """
    if not _has_loops(pairs):
        return []
    jacobian = rows.linearise(pairs, poses).jacobian
    left, sizes, right = np.linalg.svd(jacobian)
    rank = int(np.sum(sizes > RANK * sizes[0]))
    if rank == jacobian.shape[0]:
        return []  # no row depends on others: regular
    regular = max([rank, *ranks_nearby(rows, pairs, pairs, poses, ())])
    if regular == rank:
        return []
    free, freedoms = right[rank:].T, jacobian.shape[1] - regular
    forms = _forms(rows, pairs, poses, left[:, rank:], free)
    found: list[Array] = []
    for basis in _isotropic(forms, free.shape[1], freedoms):
        tangent = free @ basis
        if _leads_on(rows, pairs, poses, tangent, regular):
            found.append(tangent)
    return found if len(found) < _MOST else []


def _has_loops(pairs: Sequence[RowElement]) -> bool:
    """Tell whether joints close loops; without them every position is regular."""
    leader: dict[str, str] = {}

    def find(body: str) -> str:
        while leader.get(body, body) != body:
            body = leader[body]
        return body

    for joint in {each.joint.id: each.joint for each in pairs}.values():
        one, two = (find(body) for body in joint.bodies)
        if one == two:
            return True
        leader[one] = two
    return False


def _forms(rows: JointRows, pairs: Sequence[RowElement], poses: Array, idle: Array, free: Array) -> Array:
    """Return independent quadratic forms (k, f, f)."""
    count = free.shape[1]
    forms = np.zeros((idle.shape[1], count, count))
    for i in range(count):
        ahead, behind = (
            rows.linearise(pairs, moved_by(poses, sign * _DIFFERENCE * free[:, i], rows.size)).jacobian
            for sign in (1, -1)
        )
        forms[:, i, :] = idle.T @ ((ahead - behind) / (2 * _DIFFERENCE)) @ free
    forms = 0.5 * (forms + forms.transpose(0, 2, 1))
    _, sizes, vt = np.linalg.svd(forms.reshape(len(forms), -1), full_matrices=False)
    kept: Array = vt[: int(np.sum(sizes > RANK * max(1.0, sizes[0])))].reshape(-1, count, count)
    return kept


def _isotropic(forms: Array, size: int, count: int) -> list[Array]:
    """Return orthonormal bases (size, count) of spaces on which all forms vanish, as far as they are isolated."""
    found: list[Array] = []
    if not count or not len(forms):
        return found
    generator = np.random.default_rng(11)
    for _ in range(_STARTS):
        basis = np.linalg.qr(generator.standard_normal((size, count)))[0]
        for _ in range(_ROUNDS):
            gap = np.einsum("ia,kij,jb->kab", basis, forms, basis)
            if np.abs(gap).max() < 1e-14:
                break
            half = np.einsum("kij,jb->kib", forms, basis)
            slope = np.einsum("kib,ac->kabic", half, np.eye(count)) + np.einsum("kia,bc->kabic", half, np.eye(count))
            change = np.linalg.lstsq(slope.reshape(gap.size, -1), -gap.reshape(-1), rcond=1e-10)[0]
            basis = np.linalg.qr(basis + change.reshape(size, count))[0]
        gap = np.einsum("ia,kij,jb->kab", basis, forms, basis)
        projector = basis @ basis.T
        if np.abs(gap).max() < _ZERO and all(np.abs(projector - b @ b.T).max() > _SAME for b in found):
            found.append(basis)
        if len(found) >= _MOST:
            break
    return sorted(found, key=lambda basis: tuple(np.round(basis @ basis.T, 6).reshape(-1).tolist()))


def _leads_on(rows: JointRows, pairs: Sequence[RowElement], poses: Array, tangent: Array, regular: int) -> bool:
    way = inside(tangent, np.random.default_rng(7).standard_normal(len(tangent)))  # any of it; the same in every run
    way *= _WAY / np.linalg.norm(way)
    moved = projected(rows, pairs, poses, way)
    if moved is None:
        return False
    gap = moved - moved_by(poses, way, rows.size)
    gap[:, :3] /= rows.size
    return float(np.linalg.norm(gap)) < _ASIDE * _WAY and rank_of(rows.linearise(pairs, moved).jacobian) == regular
