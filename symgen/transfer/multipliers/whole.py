"""Equations of motion with multipliers at once, for mass matrices without an inverse:

    [ M  -J^T ] [ a   ]   [ f ]
    [ J    0  ] [ lam ] = [ g ]

Rows and columns are scaled alike, so that masses many orders apart keep their digits: accelerations by their masses,
where there are any, all others until the largest entry is one. Then by singular values, refined.

Source: scaling: D. Ruiz 2001, A scaling algorithm to equilibrate both rows and columns norms in matrices; here with one
factor for components that a turn of the axes mixes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array

#: Singular values of the scaled equations below this part of the largest are none.
_NONE = 1e-12
_ROUNDS, _REFINEMENTS = 20, 3


@dataclass(frozen=True)
class WholeSolution:
    """Accelerations (n,) and multipliers (m,), with bases of what the equations leave open.

    Parameters
    ----------
    idle : (n, i) accelerations that move no mass and no constraint, of length one in scaled unknowns.
    stresses : (m, s) multipliers that load no body.
    """

    accelerations: Array
    multipliers: Array
    idle: Array
    stresses: Array


def solve_whole(masses: Array, jacobian: Array, force: Array, gap: Array, groups: NDArray[np.intp]) -> WholeSolution:
    """Return the solution of least length in scaled unknowns.

    Parameters
    ----------
    masses : M (n, n), symmetric and positive semidefinite.
    jacobian : J (m, n).
    force, gap : f (n,), g (m,).
    groups : (n,) number of the group that each acceleration is scaled with.
    """
    count = len(masses)
    matrix = np.zeros((count + len(jacobian),) * 2)
    matrix[:count, :count] = masses
    matrix[:count, count:], matrix[count:, :count] = jacobian.T, jacobian
    right, units = np.concatenate([force, gap]), _units(matrix, groups)
    left, sizes, turned = np.linalg.svd(matrix * np.outer(units, units))
    kept = sizes > _NONE * sizes.max(initial=0.0)
    forward, back = left[:, kept].T * units, units[:, None] * turned[kept].T / sizes[kept]
    found = back @ (forward @ right)
    for _ in range(_REFINEMENTS):
        found = found + back @ (forward @ (right - matrix @ found))
    # What moves no mass and no constraint, and what loads nothing: no vector of the null space mixes them.
    rest = turned[~kept].T
    return WholeSolution(found[:count], -found[count:], rest[:count], units[count:, None] * rest[count:])


def _units(matrix: Array, groups: NDArray[np.intp]) -> Array:
    """Return factors for rows and columns: masses of groups become one, then the largest entries of all others."""
    count, own = len(groups), int(groups.max(initial=-1)) + 1
    group = np.concatenate([groups, own + np.arange(len(matrix) - count)])
    units = np.ones(own + len(matrix) - count)
    masses = np.zeros_like(units)
    np.maximum.at(masses, groups, np.diag(matrix)[:count])
    units[masses > 0.0] /= np.sqrt(masses[masses > 0.0])
    for _ in range(_ROUNDS):
        largest = np.zeros_like(units)
        np.maximum.at(largest, group, np.abs(matrix * np.outer(units[group], units[group])).max(axis=1, initial=0.0))
        free = (masses == 0.0) & (largest > 0.0)
        units[free] /= np.sqrt(largest[free])
    found: Array = units[group]
    return found
