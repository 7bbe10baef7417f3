"""Branches over the motion in minimal coordinates, in NumPy; see dynamics_branches.h of the engine, step for step.

A region is a neighbourhood of driven freedoms in which no branch is met by another; a position beyond it is reached by
regions one after the other, over meetings if need be. Nothing depends on steps or rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from symgen.library.smooth import MotionSamples, clearest, evaluate
from symgen.poses import Array, multiply
from symgen.simulate.constants import constant, constants
from symgen.simulate.minimal.numpy_regions import (
    WELL_INSIDE,
    Bodies,
    Branch,
    MinimalStopError,
    Region,
    Surveyor,
    difference,
)
from symgen.simulate.minimal.tables import MinimalProblem
from symgen.status import Status

_HUGE, _CLOSE, _BLURRED, _WIDEST = map(constant, ("UNBOUNDED", "CLOSE", "BLURRED", "WIDEST"))
_FARTHEST, _SAME, _MET = map(constant, ("FARTHEST_MEETING", "SAME_MEETING", "MET"))
_NEWTON_PART, _PARTING, _NOISE, _CLEAR = map(constant, ("NEWTON_PART", "PARTING", "SAMPLE_NOISE", "CLEAR"))
_SPACINGS = constants("SPACINGS")
_SAMPLES, _GOOD, _POOR = int(constant("LIMIT_SAMPLES")), constant("LIMIT_GOOD"), constant("LIMIT_POOR")
#: Regions from one position to the next.
MOST_REGIONS = int(constant("MOST_REGIONS"))


@dataclass
class RegionBorder:
    """Where a branch of the region's centre meets another one, or gets another name; what lies behind it."""

    group: int
    axis: int
    u: Array
    slope: Array
    side: float
    width: float
    size: float
    doubt: float = 0.0
    behind: Region | None = field(default=None)

    def offset(self, u: Array) -> float:
        """Return where a position lies along the axis, positive on the side of the region's centre."""
        return self.side * float(self.slope @ (u - self.u))


class Follower(Surveyor):
    """Knows the branches of all groups wherever the motion goes.

    Attributes
    ----------
    here : the region the motion is in; set it back to an earlier one where a step is refused.
    meeting : of `here`; set where the last position lies so near to it that rates are worthless there, see `limit`.
    """

    def __init__(self, minimal: MinimalProblem, bodies: Bodies, branch: Sequence[int] | Branch) -> None:
        super().__init__(minimal, bodies)
        self.branched = max(minimal.branches) > 1
        self.branch = np.array(branch, dtype=np.int32)
        self.blurred = False
        self._here: Region | None = None
        self.meeting: RegionBorder | None = None
        self._examined = False

    @property
    def here(self) -> Region | None:
        """Return the region; None before the first position."""
        return self._here

    @here.setter
    def here(self, region: Region | None) -> None:
        self._here, self.meeting, self._examined = region, None, False

    # -- meetings ------------------------------------------------------------------------------------------------------

    def _find_meeting(self, here: Region) -> RegionBorder | None:
        """Return where the two branches nearest to each other meet; None where they only come close."""
        own, other = self._own(here.group), here.branch.copy()
        other[here.group] = here.other
        try:
            there = self._look(None, here.u, other)
        except MinimalStopError:
            return None
        one, two = self._scaled(here.seen.column[:, own]), self._scaled(there.column[:, own])
        rates = (one - two).reshape(len(one), -1)
        squares = np.sum(rates**2, axis=1)
        axis = int(np.argmax(squares))
        most, rate = float(squares[axis]), rates[axis]
        if not most > 0.0:
            return None
        size = float((np.linalg.norm(one[axis], axis=1) + np.linalg.norm(two[axis], axis=1)).max(initial=0.0))
        width = min(_BLURRED / float(np.sqrt(most)), _WIDEST / size)
        m = RegionBorder(here.group, axis, here.u.copy(), rates @ rate / most, 0.0, width, size)
        gap = difference(here.seen.pose[own], there.pose[own], self._reach).reshape(-1)
        apart = float(np.linalg.norm(gap))
        for _ in range(60):
            step, before = -float(gap @ rate) / float(rate @ rate), apart
            if not abs(m.u[axis] + step - here.u[axis]) * size < _FARTHEST:
                return None
            met, m.doubt = apart < _MET, abs(step)
            m.u[axis] += step if met else _NEWTON_PART * step
            if met:
                break
            branch = here.branch.copy()
            try:
                pair = self._look(here, m.u, branch), self._look(None, m.u, other)
            except MinimalStopError as stop:
                if stop.status != Status.SINGULAR:
                    return None
                m.u[axis] += (1 - _NEWTON_PART) * step
                break
            gap = difference(pair[0].pose[own], pair[1].pose[own], self._reach).reshape(-1)
            rate = self._scaled(pair[0].column[axis, own] - pair[1].column[axis, own]).reshape(-1)
            apart = float(np.linalg.norm(gap))
            if not apart < _PARTING * before:
                return None
        else:
            return None
        m.side = -1.0 if here.u[axis] < m.u[axis] else 1.0
        return m

    def _take_renamed(self, here: Region) -> RegionBorder:
        """Return the position where a branch gets another number as a meeting."""
        u, slope, aside = here.u.copy(), np.ones(self._drives), _WIDEST / 10 / here.size
        u[here.axis] += here.way
        for k in range(self._drives):
            if k != here.axis:
                centre = here.u.copy()
                centre[k] += aside
                slope[k] = (here.way - self._find_change(here, centre, here.axis, 2 * here.way)) / aside
        side = -1.0 if here.way > 0 else 1.0
        return RegionBorder(here.renamed, here.axis, u, slope, side, _WIDEST / here.size, here.size)

    def _sample(self, m: RegionBorder, start: Region | None, at: float, h: float, branch: Branch) -> tuple[Array, ...]:
        """Return poses, first and second derivatives in steps of h, in lengths and turns, (n, 7) each."""
        u, unit = m.u.copy(), np.zeros(self._drives)
        u[m.axis] += at * h
        unit[m.axis] = 1.0
        pose, twist, acceleration = self.near(start, u, unit, np.zeros(self._drives), branch)
        q, none = pose[:, 3:], np.zeros((len(pose), 1))
        w, al = (np.concatenate([none, each[:, 3:]], axis=1) for each in (twist, acceleration))
        dq = multiply(w, q) / 2
        parts = (pose[:, :3], q), (twist[:, :3], dq), (acceleration[:, :3], (multiply(al, q) + multiply(w, dq)) / 2)
        return tuple(
            h**order * np.concatenate([r / self._reach, 2 * turn], axis=1) for order, (r, turn) in enumerate(parts)
        )

    def _misfit(self, before: list[tuple[Array, ...]], behind: tuple[Array, ...], group: int) -> tuple[float, float]:
        """Return how far a sample behind is from the polynomial through three before it, and how far these go."""
        worst = moved = 0.0
        for b in np.flatnonzero(self._own(group)):
            rows = np.array([[part[b] for part in each] for each in before])  # (3, 3, 7)
            after = np.array([part[b] for part in behind])
            sign = np.where(rows[:, 0, 3:] @ after[0, 3:] < 0.0, -1.0, 1.0)
            rows[:, :, 3:] *= sign[:, None, None]
            rows[:, 0] -= after[0]
            known = MotionSamples(np.array([-3.0, -2.0, -1.0]), rows[:, 0], rows[:, 1], rows[:, 2])
            ahead = evaluate(known, np.array([1.0]))
            misses = ahead.value[0], ahead.rate[0] - after[1], ahead.second[0] - after[2]
            worst = max(worst, *(float(np.linalg.norm(miss)) for miss in misses))
            moved = max(moved, float(np.linalg.norm(rows[2, 0] - rows[0, 0])))
        return worst, moved

    def _smooth(self, m: RegionBorder, here: Region, h: float) -> Branch | None:
        """Return the branches behind a meeting at one spacing of samples; None if it is not clear."""
        floor, before = _NOISE / abs(h * m.size), []
        branch = here.branch.copy()
        for n in (-3.0, -2.0, -1.0):
            branch = here.branch.copy()
            try:
                before.append(self._sample(m, here, n, h, branch))
            except MinimalStopError:
                return None
        for group, count in enumerate(self._branches):
            if count == 1:
                continue
            kept, misses, moved = int(branch[group]), np.full(count, np.inf), 0.0
            for each in range(count):
                branch[group] = each
                try:
                    misses[each], moved = self._misfit(before, self._sample(m, None, 1.0, h, branch), group)
                except MinimalStopError:
                    continue
            each = int(np.argmin(misses))
            branch[group] = each if np.isfinite(misses[each]) else kept
            if group == m.group:
                clear = clearest([*misses, moved], floor, _CLEAR) == branch[group]
            else:
                clear = branch[group] == kept or clearest(misses, floor, _CLEAR) == branch[group]
            if not clear:
                return None
        return branch

    def _judge(self, m: RegionBorder, here: Region) -> None:
        """Say which branches go on behind a meeting: the same at all spacings at which it is clear."""
        tried = [
            self._smooth(m, here, -m.side * spacing / m.size) for spacing in _SPACINGS if spacing >= m.doubt * m.size
        ]
        clear = [branch for branch in tried if branch is not None]
        if not clear or any(np.any(branch != clear[0]) for branch in clear):
            return
        u = m.u.copy()
        u[m.axis] -= m.side * m.width
        try:
            m.behind = self._survey(None, u, clear[0])
        except MinimalStopError:
            m.behind = None

    # -- the way -------------------------------------------------------------------------------------------------------

    def _examine(self, here: Region) -> RegionBorder | None:
        m = self._find_meeting(here) if here.least < _CLOSE else None
        if m is None and here.renamed >= 0 and abs(here.way) * here.size < 2 * _WIDEST:
            m = self._take_renamed(here)
        if m is not None:
            self._judge(m, here)
        return m

    def _is_same(self, m: RegionBorder, here: Region, u: Array, offset: float) -> bool:
        """Tell whether the way from the region's centre to a position comes to the meeting near where it is known."""
        start = m.offset(here.u)
        part = start / (start - offset) if offset < 0.0 else 1.0
        return float(np.sum(np.abs(here.u + part * (u - here.u) - m.u))) * m.size < _SAME

    def go_to(self, u: Array) -> None:
        """Bring the region to a position; `branch` is that there, `blurred` tells that rates are worthless there."""
        self.blurred = False
        if not self.branched:
            return
        if self.here is None:
            self.here = self._survey(None, u, self.branch)
        for _ in range(MOST_REGIONS):
            here = self.here
            if not self._examined:
                self.meeting, self._examined = self._examine(here), True
            m = self.meeting
            offset = np.inf if m is None else m.offset(u)
            if m is not None and offset < m.width / 2 and self._is_same(m, here, u, offset):
                if m.behind is None:
                    raise MinimalStopError(Status.AMBIGUOUS, m.group + 1)
                if offset > -m.width / 2:
                    self.blurred = True
                    self.branch = (m.behind if offset < 0.0 else here).branch.copy()
                    return
                self.here = m.behind
                continue
            part = self._part_inside(here, u)
            if part > 1.0:
                self.branch = here.branch.copy()
                return
            self.here = self._next(here, u, part)
        raise MinimalStopError(Status.NOT_CONVERGED, self.here.group + 1, crowded=True)

    def _next(self, here: Region, u: Array, part: float) -> Region:
        stop = MinimalStopError(Status.SINGULAR)
        for _ in range(5):
            part *= WELL_INSIDE
            try:
                return self._survey(here, here.u + part * (u - here.u), here.branch)
            except MinimalStopError as error:
                stop = error
        raise stop

    def limit(self, u: Array, ud: Array, udd: Array, units: Array) -> tuple[tuple[Array, Array, Array], Array]:
        """Return motion and columns of unit rates near a meeting, from samples on both sides of it."""
        m = self.meeting
        if m is None:
            raise MinimalStopError(Status.SINGULAR)
        offset, width, best = m.side * m.offset(u), m.width, _HUGE
        found: Array | None = None
        stop = MinimalStopError(Status.SINGULAR, m.group + 1)
        for _ in range(6):
            if best <= _GOOD:
                break
            try:
                every, fewer = self._sums(m, u, (ud, udd), units, offset, width)
            except MinimalStopError as error:
                stop = error if found is None else stop
            else:
                error_ = float((np.abs(every - fewer) / (1 + np.abs(every))).max(initial=0.0))
                if error_ < best:
                    best, found = error_, every
            width /= 2
        if found is None or not best < _POOR:
            raise stop
        count = len(self._groups)
        pose = found[: 7 * count].reshape(count, 7)
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1)[:, None]
        twist, acceleration, *columns = found[7 * count :].reshape(-1, count, 6)
        return (pose, twist, acceleration), np.array(columns).reshape(len(units), count, 6)

    def _sums(
        self, m: RegionBorder, u: Array, rates: tuple[Array, Array], units: Array, offset: float, width: float
    ) -> tuple[Array, Array]:
        """Return poses, twists, accelerations and columns in between, from twelve samples and from ten."""
        half = _SAMPLES // 2
        steps = np.array([*range(-half, 0), *range(1, half + 1)], dtype=float)
        weights = np.zeros((2, _SAMPLES))
        weights[0], weights[1, 1:-1] = _lagrange(steps, offset / width), _lagrange(steps[1:-1], offset / width)
        rows: list[Array] = []
        first: Array | None = None
        for step in steps:
            start = self.here if m.side * step > 0.0 else m.behind
            if start is None:
                raise MinimalStopError(Status.SINGULAR, m.group + 1)
            drives = u.copy()
            drives[m.axis] += step * width - offset
            pose, twist, acceleration = self.near(start, drives, *rates, start.branch.copy())
            if first is None:
                first = pose
            pose = pose.copy()
            pose[np.sum(pose[:, 3:] * first[:, 3:], axis=1) < 0.0, 3:] *= -1.0
            none = np.zeros(self._drives)
            columns = [self.near(start, drives, unit, none, start.branch.copy())[1] for unit in units]
            rows.append(np.concatenate([part.reshape(-1) for part in (pose, twist, acceleration, *columns)]))
        sums = weights @ np.array(rows)
        return sums[0], sums[1]


def _lagrange(nodes: Array, at: float) -> Array:
    apart = nodes[:, None] - nodes
    np.fill_diagonal(apart, 1.0)
    ahead = np.broadcast_to(at - nodes, apart.shape).copy()
    np.fill_diagonal(ahead, 1.0)
    found: Array = np.prod(ahead / apart, axis=1)
    return found
