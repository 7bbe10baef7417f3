"""Rank and null space of a matrix, with how clear the decision is.

Matrices here are made of wrenches of unit length, so that one is the size of what they do, also where all that they do
is rounding. Singular values above max(rows, columns) eps s1 100 count, s1 the largest or one. The gap is the ratio of
the least that counts to the largest that does not, which is taken no smaller than rounding, max(rows, columns) eps s1.
Below a gap of 1000 the rank is ill-decided.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.poses import Array

EPS = float(np.finfo(np.float64).eps)
SAFETY = 100.0
#: A gap below this decides nothing.
CLEAR = 1e3


@dataclass(frozen=True, eq=False)
class Decision:
    """A rank.

    Parameters
    ----------
    rank : how many singular values count.
    gap : how clearly.
    least : the least singular value that counts, over the largest; 1 if there is none.
    tolerance : below which none counts, over the largest.
    null : (columns, columns - rank) orthonormal basis of the null space.
    spread : (columns, rank) such that the matrix times it is an orthonormal basis of its range; None where the tool has
        none.
    """

    rank: int
    gap: float
    least: float
    tolerance: float
    null: Array
    spread: Array | None = None

    @property
    def clear(self) -> bool:
        """Whether the gap decides the rank."""
        return self.gap >= CLEAR


def decide(matrix: Array) -> Decision:
    """Return rank and null space by singular values."""
    rows, columns = matrix.shape
    if rows == 0 or columns == 0:
        return Decision(0, 1.0 / EPS, 1.0, SAFETY * EPS, np.eye(columns), np.zeros((columns, 0)))
    if columns > rows:  # what Q has beyond the rows is in the null space anyway
        whole, upper = np.linalg.qr(matrix.T, mode="complete")
        _, sizes, right = np.linalg.svd(upper[:rows].T)
        basis = np.hstack([whole[:, :rows] @ right.T, whole[:, rows:]])
    else:
        _, sizes, right = np.linalg.svd(np.linalg.qr(matrix, mode="r"))
        basis = right.T
    rank, gap, least, tolerance = judge(sizes, max(rows, columns))
    return Decision(rank, gap, least, tolerance, basis[:, rank:], basis[:, :rank] / sizes[:rank])


def judge(sizes: Array, extent: int) -> tuple[int, float, float, float]:
    """Return rank, gap, least singular value that counts and tolerance, the last two relative, of singular values."""
    rounding = max(extent, 1) * EPS
    relative = sizes / max(1.0, float(sizes.max(initial=0.0)))
    rank = int(np.count_nonzero(relative > SAFETY * rounding))
    if not rank:
        return 0, 1.0 / EPS, 1.0, SAFETY * rounding
    above = float(relative[rank]) if rank < len(relative) else 0.0
    return rank, float(relative[rank - 1]) / max(above, rounding), float(relative[rank - 1]), SAFETY * rounding


def rank_of(matrix: Array) -> int:
    """Return the rank by singular values alone."""
    if not matrix.size:
        return 0
    return judge(np.linalg.svd(matrix, compute_uv=False), max(matrix.shape))[0]


def pivoted_null(matrix: Array) -> Decision:
    """Return rank and null space by Householder reflections of the transposed matrix with pivoting.

    Source: P. Businger, G. H. Golub, "Linear least squares solutions by Householder transformations", 1965.
    """
    work, count = matrix.T.copy(), matrix.shape[1]
    whole = np.eye(count)
    diagonal: list[float] = []
    for k in range(min(work.shape)):
        place = k + int(np.argmax(np.sum(work[k:, k:] ** 2, axis=0)))
        work[:, [k, place]] = work[:, [place, k]]
        mirror = work[k:, k].copy()
        length = float(np.linalg.norm(mirror))
        diagonal.append(length)
        if not length > 0.0:
            break
        mirror[0] += np.copysign(length, mirror[0])
        mirror /= np.linalg.norm(mirror)
        work[k:, k:] -= 2.0 * np.outer(mirror, mirror @ work[k:, k:])
        whole[:, k:] -= 2.0 * np.outer(whole[:, k:] @ mirror, mirror)
    rank, gap, least, tolerance = judge(np.array(diagonal), max(matrix.shape))
    return Decision(rank, gap, least, tolerance, whole[:, rank:])
