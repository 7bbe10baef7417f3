"""All branches of a group at some places of a path, and which of them a step from one place to the next leads to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.status import Status

#: No other branch may be reached in a step, nor in this many times its length.
APART = 2.0
#: The displacement of a step is met by its rates to within this part of the distance to other branches.
_MET = 0.25


@dataclass(frozen=True)
class Branches:
    """All branches of a group at n values of the parameter.

    Parameters
    ----------
    status : (branches, n) int32.
    place, rate, second : (branches, n, bodies, 4, 3) points of each body, their first and second derivatives.
    """

    status: NDArray[np.int32]
    place: Array
    rate: Array
    second: Array

    def rows(self, where: slice) -> Branches:
        """Return some of the n."""
        return Branches(self.status[:, where], self.place[:, where], self.rate[:, where], self.second[:, where])

    def followed_by(self, more: Branches) -> Branches:
        """Return these and more behind them."""
        return Branches(
            np.concatenate([self.status, more.status], axis=1),
            np.concatenate([self.place, more.place], axis=1),
            np.concatenate([self.rate, more.rate], axis=1),
            np.concatenate([self.second, more.second], axis=1),
        )

    def fine(self, branch: int, row: int) -> bool:
        """Tell whether a branch is regular there."""
        return bool(self.status[branch, row] == Status.OK and np.all(np.isfinite(self.second[branch, row])))


#: (n,) values of the parameter -> all branches there.
Look = Callable[[Array], Branches]


def next_branches(seen: Branches, steps: Array, label: int, ranked: bool) -> NDArray[np.int64]:
    """Return for each step between two rows the branch that `label` at its start goes on as, -1 where it is not clear.

    Parameters
    ----------
    seen : n + 1 rows.
    steps : (n,).
    """
    count = seen.status.shape[0]
    now, then = seen.rows(slice(None, -1)), seen.rows(slice(1, None))
    ways = steps[:, None, None, None]
    free = is_free(now, label, steps)
    found = np.full(len(steps), -1, dtype=np.int64)
    least = np.full(len(steps), np.inf)
    for branch in range(count) if ranked else (label,):
        expected = 0.5 * ways * (now.rate[label] + then.rate[branch])
        expected = expected - ways**2 / 12.0 * (then.second[branch] - now.second[label])
        error = length(then.place[branch] - now.place[label] - expected)
        apart = np.full(len(steps), np.inf)
        for other in range(count):
            if other != branch:
                apart = np.fmin(apart, length(then.place[other] - then.place[branch]))
        clear = (then.status[branch] == Status.OK) & (error < _MET * apart) & is_free(then, branch, steps) & free
        if ranked:  # a number says nothing: what goes on moves as far as its rates say, not to another place
            way = np.abs(steps) * np.fmax(length(now.rate[label]), length(then.rate[branch]))
            clear &= error <= way
        better = clear & (error < least)
        found[better], least[better] = branch, error[better]
    return found


def is_free(seen: Branches, label: int, steps: Array) -> NDArray[np.bool_]:
    """Tell for each row whether no other branch can be met within the step: (n,)."""
    dt = np.abs(steps)
    free: NDArray[np.bool_] = np.all(np.isfinite(seen.second[label]), axis=(1, 2, 3)) & (
        seen.status[label] == Status.OK
    )
    for other in range(seen.status.shape[0]):
        if other == label:
            continue
        away = length(seen.place[other] - seen.place[label])
        nearer = dt * length(seen.rate[other] - seen.rate[label])
        nearer = nearer + 0.5 * dt**2 * length(seen.second[other] - seen.second[label])
        # A branch at a fold of its own has no rates: it keeps its distance if that is many steps of this one.
        own = 4.0 * (dt * length(seen.rate[label]) + 0.5 * dt**2 * length(seen.second[label]))
        reach = APART * np.where(np.isfinite(nearer), nearer, own)
        free &= ~(away <= reach)  # NaN: it is not there
    return free


def nearest_branch(seen: Branches, step: float, label: int) -> int:
    """Return the branch in the second row that a step from `label` in the first one meets best; -1 if there is none."""
    misses = []
    for branch in range(seen.status.shape[0]):
        expected = 0.5 * step * (seen.rate[label, 0] + seen.rate[branch, 1])
        expected = expected - step**2 / 12.0 * (seen.second[branch, 1] - seen.second[label, 0])
        misses.append(float(length((seen.place[branch, 1] - seen.place[label, 0] - expected)[None])[0]))
    each = np.where(np.isfinite(misses), misses, np.inf)
    best = int(np.argmin(each))
    return best if np.isfinite(each[best]) else -1


def length(displacements: Array) -> Array:
    """Return the largest root mean square displacement over the bodies, (n,) of (n, bodies, 4, 3)."""
    found: Array = np.sqrt(np.mean(np.sum(displacements**2, axis=-1), axis=-1)).max(axis=-1)
    return found
