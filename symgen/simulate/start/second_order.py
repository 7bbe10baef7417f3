"""Singular configurations by second derivatives: self-stresses that do work along motions of first order.

Along assembled positions the constraints J keep their rank where the position is regular, so that a motion of first
order, J z = 0, goes on along any other, v, and for a self-stress N, N^T J = 0,

    N^T (dJ/dv) z = 0

In a singular configuration this is not so, for some N, v and z: either joints hold less than in positions nearby, or v
does not go on (a shaky structure, whose bars meet in a point or lie in one line: there is no position nearby). Asked
twice: of joints alone, and of joints and drives with v left by joints and z by all. The derivative is symmetric in v
and z, and a quarter of the bias at v + z less that at v - z; motions drawn at random do for all. A singularity of third
order is not seen by this.

Source: R. Connelly, W. Whiteley 1996 (second-order rigidity: a stress resolves what first order leaves open).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symgen.poses import Array
from symgen.simulate.tables.joint_rows import JointRows, Linearised, RowElement

#: Singular values below this part of the largest count as zero: redundant rows are only so on the manifold.
RANK = 1e-6
#: Work below this part of what it is the sum of is rounding.
_NONE = 1e-7
#: Work below this, of self-stresses of length one on motions whose largest part is one, is rounding.
_LEAST = 1e-11


def does_work(null: Array, bends: Callable[[Array], Array], way: Array, other: Array) -> bool:
    """Tell whether self-stresses do work of second order along two motions.

    Parameters
    ----------
    null : (m, k) orthonormal self-stresses.
    bends : motion -> (m,) the bias of the constraints along it.
    way, other : motions of first order, their largest part one.
    """
    if not null.shape[1] or not way.any() or not other.any():
        return False
    bent = (bends(way + other) - bends(way - other)) / 4.0
    work, parts = np.abs(null.T @ bent), np.abs(null.T) @ np.abs(bent)
    return bool(np.any(work > _NONE * parts + _LEAST))


def is_singular_to_second_order(
    rows: JointRows,
    pairs: Sequence[RowElement],
    held: Sequence[RowElement],
    poses: Array,
    linearised: Linearised | None = None,
) -> bool:
    """Tell whether some self-stress of all rows at once does work, at closed poses (n, 7).

    Parameters
    ----------
    pairs : elements of joints; `held` : these and the drives, which come last.
    linearised : `held` at the poses, if it is known.
    """
    random = np.random.default_rng(7)  # any motions do; the same in every run

    def drawn(jacobian: Array) -> Array:
        found = inside(null_space(jacobian), random.standard_normal((jacobian.shape[1],)))
        return found / max(float(np.abs(found).max(initial=0.0)), np.finfo(np.float64).tiny)

    linearised = rows.linearise(held, poses) if linearised is None else linearised
    own = linearised.jacobian[linearised.owner < len(pairs)]
    way = drawn(own)
    cases = [(pairs, own), *([(held, linearised.jacobian)] if len(held) > len(pairs) else [])]
    for elements, found in cases:

        def bends(motion: Array, elements: Sequence[RowElement] = elements) -> Array:
            return np.concatenate(rows.biases(elements, poses, motion.reshape(-1, 6)))

        if does_work(null_space(found.T), bends, way, drawn(found)):
            return True
    return False


def null_space(jacobian: Array) -> Array:
    """Return an orthonormal basis (6 n, k) of what rows (m, 6 n) leave free."""
    _, sizes, vt = np.linalg.svd(jacobian)
    free: Array = vt[int(np.sum(sizes > RANK * sizes[0])) :].T
    return free


def inside(basis: Array, drawn: Array) -> Array:
    """Return the part of a vector (m,) in the span of an orthonormal basis (m, k).

    Which basis of a null space comes out of a decomposition is rounding alone, and differs between machines; amounts of
    its columns drawn at random would be other directions on each. The part in it of one vector is the same.
    """
    found: Array = basis @ (basis.T @ drawn)
    return found
