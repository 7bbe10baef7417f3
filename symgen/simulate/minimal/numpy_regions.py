"""Regions of driven freedoms in which no branch is met by another, in NumPy; see templates/c99/dynamics.

Step for step what dynamics_branches.h of the engine does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array, multiply
from symgen.simulate.constants import constant
from symgen.simulate.explicit.numpy_steps import StepError
from symgen.simulate.minimal.tables import MinimalProblem
from symgen.status import Status

_HUGE, _UNSEEN, _PLACED = map(constant, ("UNBOUNDED", "UNSEEN", "PLACED"))
_CAUTION, _SHORT_WAY, _AGREES = map(constant, ("CAUTION", "SHORT_WAY", "AGREES"))
_MOST_HALVINGS, _MOST_PLACINGS = int(constant("MOST_HALVINGS")), int(constant("MOST_PLACINGS"))
#: How much of a step towards a position is taken, so that it ends well inside.
WELL_INSIDE = constant("WELL_INSIDE")

Branch = NDArray[np.int32]
#: Driven freedoms, rates, second derivatives, branches -> poses (n, 7), twists and accelerations (n, 6).
Bodies = Callable[[Array, Array, Array, Branch], tuple[Array, Array, Array]]


class MinimalStopError(StepError):
    """A motion could not be found; `crowded`: a position is more regions away than are tried."""

    def __init__(self, status: Status, group: int = 0, body: int = -1, *, crowded: bool = False) -> None:
        super().__init__(status)
        self.group, self.body, self.crowded = group, body, crowded


@dataclass(frozen=True)
class Sight:
    """Poses (n, 7); twists and accelerations of unit rates of each driven freedom (k, n, 6)."""

    pose: Array
    column: Array
    bend: Array


@dataclass
class Region:
    """A neighbourhood in which no branch is met.

    Parameters
    ----------
    near, bend : (k,) how a move uses it up: at once, and squared.
    apart : (groups,) distance from the nearest branch; `least` is that of `group` from its branch `other`.
    renamed : group whose sign changes though no branch is met, -1: none; on `axis`, `way` from the centre.
    size : what a unit of that freedom moves.
    """

    u: Array
    branch: Branch
    seen: Sight
    near: Array
    bend: Array
    apart: Array
    least: float = _HUGE
    group: int = 0
    other: int = 0
    renamed: int = -1
    axis: int = 0
    way: float = 0.0
    size: float = 0.0


def difference(one: Array, two: Array, reach: float) -> Array:
    """Return displacements over the reach, and turns (n, 6) from poses `two` to poses `one`."""
    q, p = one[:, 3:], two[:, 3:]
    twice = np.where(np.sum(q * p, axis=1) < 0.0, -2.0, 2.0)[:, None]
    turn = p[:, :1] * q[:, 1:] - q[:, :1] * p[:, 1:] - np.cross(q[:, 1:], p[:, 1:])
    return np.concatenate([(one[:, :3] - two[:, :3]) / reach, twice * turn], axis=1)


class Surveyor:
    """Looks at all branches of all groups about a position."""

    def __init__(self, minimal: MinimalProblem, bodies: Bodies) -> None:
        self._bodies, self._reach = bodies, minimal.reach
        self._groups, self._branches, self._ranked = minimal.groups, minimal.branches, minimal.ranked
        self._drives = len(minimal.drives)
        self._room = 0.5 if any(minimal.ranked) else 1.0

    # -- looking -------------------------------------------------------------------------------------------------------

    def _own(self, group: int) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self._groups == group
        return found

    def _gap(self, start: Region, u: Array, pose: Array, group: int) -> float:
        """Return how far a group is from where the columns of a region lead."""
        own = self._own(group)
        before, step = start.seen.pose[own], np.einsum("k,kbi->bi", u - start.u, start.seen.column[:, own])
        ahead = before.copy()
        ahead[:, :3] += step[:, :3]
        none = np.zeros((len(step), 1))
        ahead[:, 3:] += multiply(np.concatenate([none, step[:, 3:] / 2], axis=1), before[:, 3:])
        gap = difference(pose[own], ahead, self._reach)
        return float(np.linalg.norm(gap, axis=1).max(initial=0.0))

    def near(self, start: Region | None, u: Array, ud: Array, udd: Array, branch: Branch) -> tuple[Array, Array, Array]:
        """Return the motion on the branches those of a region are at a position in it; ranks in `branch` are set."""
        stop: MinimalStopError | None = None
        found: tuple[Array, Array, Array] | None = None
        try:
            found = self._bodies(u, ud, udd, branch)
        except MinimalStopError as error:
            stop = error
        for group, ranked in enumerate(self._ranked):
            if start is None or not ranked:
                continue
            allowed = start.apart[group] / 4
            if found is not None and self._gap(start, u, found[0], group) <= allowed:
                continue
            best, rank, before = self._nearest(start, u, (ud, udd), branch, group)
            if rank < 0 or best > allowed:
                branch[group] = before
                raise stop or MinimalStopError(Status.BRANCH_LOST, group + 1)
            branch[group], stop = rank, None
            found = self._bodies(u, ud, udd, branch)
        if found is None:
            raise stop or MinimalStopError(Status.BRANCH_LOST)
        return found

    def _nearest(
        self, start: Region, u: Array, rates: tuple[Array, Array], branch: Branch, group: int
    ) -> tuple[float, int, int]:
        before, best, found = int(branch[group]), _HUGE, -1
        for each in range(self._branches[group]):
            branch[group] = each
            try:
                pose = self._bodies(u, *rates, branch)[0]
            except MinimalStopError:
                continue
            gap = self._gap(start, u, pose, group)
            if gap < best:
                best, found = gap, each
        return best, found, before

    def _names(self, start: Region, u: Array) -> tuple[Branch, float] | None:
        """Return for each group the branch that is nearest to where a region leads; None if one has none.

        With it, how far from there, over what is between branches.
        """
        branch, none, off = start.branch.copy(), np.zeros(self._drives), 0.0
        branched = [group for group, count in enumerate(self._branches) if count > 1]
        try:
            pose = self._bodies(u, none, none, branch)[0]
        except MinimalStopError:
            pass
        else:  # mostly it is as it was
            gaps = [self._gap(start, u, pose, group) / float(start.apart[group]) for group in branched]
            if max(gaps) <= _AGREES:
                return branch, max(gaps)
        for group in branched:
            best, found, _ = self._nearest(start, u, (none, none), branch, group)
            if found < 0:
                return None
            branch[group], off = found, max(off, best / float(start.apart[group]))
        return branch, off

    def _look(self, start: Region | None, u: Array, branch: Branch) -> Sight:
        none, columns, bends = np.zeros(self._drives), [], []
        pose: Array = np.zeros((0, 7))
        for unit in np.eye(self._drives) if self._drives else np.zeros((1, 0)):
            pose, column, bend = self.near(start, u, unit, none, branch)
            columns.append(column)
            bends.append(bend)
        return Sight(pose, np.array(columns), np.array(bends))

    def _scaled(self, columns: Array) -> Array:
        found: Array = columns / np.array([self._reach] * 3 + [1.0] * 3)
        return found

    # -- regions -------------------------------------------------------------------------------------------------------

    def _survey(self, start: Region | None, u: Array, branch: Branch) -> Region:
        """Return the region about a position, from all branches of each group there."""
        branch = branch.copy()
        seen = self._look(start, u, branch)
        k, groups = self._drives, len(self._branches)
        r = Region(u.copy(), branch, seen, np.zeros(k), np.zeros(k), np.full(groups, _HUGE))
        for group, count in enumerate(self._branches):
            for other in range(count):
                if other == branch[group]:
                    continue
                each = branch.copy()
                each[group] = other
                try:
                    self._add(r, group, other, self._look(None, u, each))
                except MinimalStopError as stop:
                    if stop.group > group + 1 or stop.status == Status.SINGULAR:  # where it is cannot be seen
                        moved = np.linalg.norm(self._scaled(seen.column), axis=2).max(axis=1, initial=0.0)
                        r.bend = np.maximum(r.bend, (moved / _SHORT_WAY)[:k])
        self._find_renamed(r)
        return r

    def _add(self, r: Region, group: int, other: int, seen: Sight) -> None:
        own = self._own(group)
        gap = difference(r.seen.pose[own], seen.pose[own], self._reach)
        apart = max(float(np.linalg.norm(gap, axis=1).max(initial=0.0)), _UNSEEN)
        one, two = self._scaled(r.seen.column[:, own]), self._scaled(seen.column[:, own])
        nearer = np.linalg.norm(one - two, axis=2).max(axis=1, initial=0.0)[: self._drives]
        moved = np.linalg.norm(one, axis=2) + np.linalg.norm(two, axis=2)
        bent = [np.linalg.norm(self._scaled(each.bend[:, own]), axis=2) for each in (r.seen, seen)]
        bend = (moved**2 + bent[0] + bent[1]).max(axis=1, initial=0.0)[: self._drives]
        r.near, r.bend = np.maximum(r.near, _CAUTION * nearer / apart), np.maximum(r.bend, np.sqrt(bend / apart))
        r.apart[group] = min(apart, r.apart[group])
        if apart < r.least:
            r.least, r.group, r.other = apart, group, other

    def _find_change(self, r: Region, centre: Array, axis: int, far: float) -> float:
        """Return where the number of a branch changes along a driven freedom, `far` from the centre at most."""
        near, u = 0.0, centre.copy()
        for _ in range(_MOST_PLACINGS):
            if not abs(far - near) * r.size > _PLACED:
                break
            middle = (near + far) / 2
            u[axis] = centre[axis] + middle
            names = self._names(r, u)
            if names is None:
                return middle
            same = all(ranked or a == b for ranked, a, b in zip(self._ranked, names[0], r.branch, strict=True))
            near, far = (middle, far) if same else (near, middle)
        return (near + far) / 2

    def _find_renamed(self, r: Region) -> None:
        """Look at the corners of a region whether it leads there, and signs are still those of its centre."""
        for corner in range(2 * self._drives):
            axis, u = corner // 2, r.u.copy()
            branch = self._corner(r, u, axis, forward=corner % 2 == 1)
            if branch is None:
                continue
            changed = np.flatnonzero((branch != r.branch) & ~np.array(self._ranked)).tolist()
            if not changed:
                continue
            r.size = 2 * float(np.linalg.norm(self._scaled(r.seen.column[axis]), axis=1).max(initial=0.0))
            way = self._find_change(r, r.u, axis, u[axis] - r.u[axis])
            if r.renamed < 0 or abs(way) < abs(r.way):
                r.renamed, r.axis, r.way = changed[0], axis, way
            r.near[axis] = max(r.near[axis], 1 / ((WELL_INSIDE - 0.5) * abs(way)))

    def _corner(self, r: Region, u: Array, axis: int, *, forward: bool) -> Branch | None:
        """Set u to a corner of a region, made smaller until it leads there; return the branches there."""
        branch: Branch | None = None
        for _ in range(_MOST_HALVINGS):
            near, bend = float(r.near[axis]), float(r.bend[axis])
            total = near + float(np.sqrt(near**2 + 4 * self._room * bend**2))
            away = 2 * self._room / total if total else np.inf
            if not away < _HUGE:
                return None
            u[axis] = r.u[axis] + (away if forward else -away)
            names = self._names(r, u)
            if names is None:
                return None
            branch = names[0]
            if names[1] <= _AGREES:
                break
            r.near[axis] *= 2
            r.bend[axis] *= 2
        return branch

    def _part_inside(self, r: Region, u: Array) -> float:
        """Return which part of the way to a position lies in a region; more than 1: all."""
        move = np.abs(u - r.u)
        first, second = float(move @ r.near), float(move @ r.bend) ** 2
        if first + second < self._room:
            return 2.0
        return 2 * self._room / (first + float(np.sqrt(first**2 + 4 * self._room * second)))
