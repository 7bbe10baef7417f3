"""One solution of a group over time: from each time to the next by prediction, in smaller steps where needed.

The solver follows the times as they are given. A step is looked at again where it fails, is long, or where the Jacobian
may have been singular within it: where the line through distances from being singular (one over the condition) comes
near zero. Such a step is walked in small ones (`symgen.library.newton.walk`), through singular points where the motion
goes on smoothly (`symgen.library.newton.crossing`). Where it does not, or it is not clear how, the branch ends there:
nothing jumps silently.

Known bodies and driven freedoms move between two times as `inputs_at` says; without it, as the quintic does that has
their values, rates and accelerations at both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.library.newton.between import InputsAt, quintic_inputs
from symgen.library.newton.crossing import Zone, cross, locate, reach_of
from symgen.library.newton.engine import REPORT, Engine
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.library.newton.states import CERTIFIED, CONDITION, SIGN, Finder, NewtonState
from symgen.library.newton.trace import Trace
from symgen.library.newton.walk import FALL, walk
from symgen.poses import Array
from symgen.status import Status

__all__ = ["CERTIFIED", "CONDITION", "SIGN", "FollowedSolution", "follow"]

#: Conditions at which a walk stops and asks how it goes on, and at which it gives up, as powers of 1/epsilon (1e6 and
#: 2e7 in double precision): at the first a point is as near as 1e-5 and rates still have four digits.
_ASK, _GIVE_UP = 0.384, 0.465
#: Rows that no singular point is known to be near are OK up to this condition, a power of 1/epsilon (1.6e5 in double
#: precision): roundings of accelerations grow with its third power, and were seen to be a thousandth there.
_OK_TO = 1.0 / 3.0
#: Bodies, known ones and driven freedoms move by less than this between two times, else the step is walked.
_LONG = 0.5
#: A step is walked if by the line through two distances from being singular less than this part of the second is left.
_LEFT = 0.5


#: Called with the time that is reached, now and then.
PathProgress = Callable[[float], None]


@dataclass(frozen=True)
class Lost:
    """From this time on the solution is not known, and why."""

    at: float
    status: Status
    why: str


@dataclass(frozen=True)
class FollowedSolution:
    """A solution over all times: as `symgen.library.newton.engine.Tracked`, with a status for every row.

    Parameters
    ----------
    limit : (n,) bool: motion here is the limit of the smooth motion, not what position and Jacobian tell.
    points : times of the singular points that the motion goes through, in the order of travel.
    lost : why the solution could not be followed further, from the first row on that has no limit and is not OK.
    trace : the solution at any other time on the way.
    """

    poses: Array
    twists: Array
    accelerations: Array
    report: Array
    status: NDArray[np.int32]
    limit: NDArray[np.bool_]
    points: tuple[float, ...] = ()
    lost: Lost | None = None
    trace: Trace | None = field(default=None, repr=False, compare=False)


def follow(
    engine: Engine,
    plan: SolverPlan,
    inputs: Inputs,
    times: Array,
    start: Array,
    inputs_at: InputsAt | None = None,
    origin: float | None = None,
    progress: PathProgress | None = None,
) -> FollowedSolution:
    """Follow a solution over all rows.

    Parameters
    ----------
    start : (bodies, places) near the solution at the time `origin`.
    inputs_at : the inputs at any time.
    origin : by default the first time; another one wants `inputs_at`.
    progress : called with the time that is reached, now and then.

    Returns
    -------
    Followed
        Rows at singular points that the motion goes through say SINGULAR, with its limit. Behind a point where it ends,
        or where it is not clear how it goes on, rows say BRANCH_LOST or AMBIGUOUS.
    """
    return _Follower(engine, plan, inputs, times, inputs_at).follow(start, origin, progress)


class _Follower:
    def __init__(self, engine: Engine, plan: SolverPlan, inputs: Inputs, times: Array, at: InputsAt | None) -> None:
        self._engine, self._plan, self._inputs, self._times, self._at = engine, plan, inputs, times, at
        rows, bodies, problem = len(times), len(plan.problem.bodies), plan.problem
        self._poses = np.full((rows, bodies, problem.places), np.nan)
        self._twists = np.full((rows, bodies, problem.freedoms), np.nan)
        self._accelerations = np.full((rows, bodies, problem.freedoms), np.nan)
        self._report = np.full((rows, REPORT), np.nan)
        self._status = np.full(rows, Status.BRANCH_LOST, dtype=np.int32)
        self._limit = np.zeros(rows, dtype=bool)
        self._ask, self._give_up = engine.epsilon**-_ASK, engine.epsilon**-_GIVE_UP
        self._lost: Lost | None = None
        self._walked: list[NewtonState] = []
        self._zones: list[Zone] = []

    def follow(self, start: Array, origin: float | None, progress: PathProgress | None) -> FollowedSolution:
        row = self._begin(start, origin)
        while row < len(self._times):
            if progress is not None:
                progress(float(self._times[row]))
            row = self._go_on(row)
        most = np.where(self._are_judged(), self._give_up, self._engine.epsilon**-_OK_TO)
        coarse = (self._status == Status.OK) & ~(self._report[:, CONDITION] <= most)
        self._status[coarse] = Status.SINGULAR
        self._twists[coarse] = self._accelerations[coarse] = np.nan
        return FollowedSolution(
            self._poses, self._twists, self._accelerations, self._report, self._status, self._limit,
            tuple(zone.point for zone in self._zones), self._lost, self._trace(),
        )  # fmt: skip

    def _are_judged(self) -> NDArray[np.bool_]:
        """Tell of which rows the way to a singular point nearby says how well accelerations are known."""
        found = np.zeros(len(self._times), dtype=bool)
        for zone in self._zones:
            ways = [each.time for each in (*zone.before, *zone.behind)]
            found |= (self._times >= min(ways)) & (self._times <= max(ways))
        return found

    def _trace(self) -> Trace:
        finder = self._finder(1 if len(self._times) > 1 else 0)
        rows = np.flatnonzero((self._status == Status.OK) & (self._report[:, CONDITION] <= self._ask))
        return Trace(
            finder, self._walked, self._zones, self._ask, self._times[rows], lambda k: self._state(finder, int(rows[k]))
        )

    # -- from row to row -------------------------------------------------------------------------------------------

    def _begin(self, start: Array, origin: float | None) -> int:
        """Put the first row, return the next."""
        times = self._times
        finder = self._finder(1 if len(times) > 1 else 0)
        first = float(times[0]) if origin is None else origin
        state = finder.at(first, start)
        if state is None:
            found = self._engine.track(self._plan, self._inputs.rows(slice(0, 1)), times[:1], start)
            if first == times[0] and int(found.status[0]) == Status.SINGULAR:
                self._status[0], self._poses[0], self._report[0] = Status.SINGULAR, found.poses[0], found.report[0]
            why = "the solution to start from is singular: branches meet there, or a freedom is idle"
            self._lost = Lost(first, Status.BRANCH_LOST, why)
            return len(times)
        self._trail = [state]
        if first == times[0]:
            self._put(0, state)
            return 1
        return self._reach(finder, 0)

    def _go_on(self, row: int) -> int:
        """Fill this row, or many from it on; return the next to be filled."""
        here = self._trail[-1]
        if len(self._trail) < 2 or here.time != self._times[row - 1]:
            return self._reach(self._finder(row), row)
        first = row - 1
        found = self._engine.track(
            self._plan, self._inputs.rows(slice(first, None)), self._times[first:], here.poses, here.sign
        )
        good = self._good(found.done, found.report[:, CONDITION], found.twists, first)
        rows = slice(first + 1, first + good)
        for own, other in (
            (self._poses, found.poses), (self._twists, found.twists), (self._accelerations, found.accelerations),
            (self._report, found.report),
        ):  # fmt: skip
            own[rows] = other[1:good]
        self._status[rows] = Status.OK
        row = first + good
        if row >= len(self._times):
            return row
        finder = self._finder(row)
        if good > 1:
            near = [
                k for k in range(max(first, row - 2), row) if k == row - 1 or self._times[k] != self._times[row - 1]
            ]
            self._trail = [self._state(finder, k) for k in near]
        return self._reach(finder, row)

    def _good(self, done: int, condition: Array, twists: Array, first: int) -> int:
        """Return how many of the rows from `first` on need no second look, the first among them."""
        times = self._times[first : first + done]
        if done < 2:
            return 1
        before = self._trail[-2]
        distance = np.concatenate([[before.distance], 1.0 / condition[:done]])
        steps = np.diff(np.concatenate([[before.time], times]))
        with np.errstate(divide="ignore", invalid="ignore"):
            slope = np.diff(distance) / steps
            ahead = distance[1:-1] + slope[:-1] * steps[1:]
            back = distance[2:-1] - slope[2:] * steps[1:-1]
        turned = np.sign(steps[1:]) != np.sign(steps[:-1])
        suspect = ~(ahead >= _LEFT * distance[1:-1]) & ~turned
        suspect |= ~(distance[2:] >= FALL * distance[1:-1]) | ~(distance[1:-1] >= FALL * distance[2:])
        suspect[:-1] |= ~(back >= _LEFT * distance[2:-1]) & ~turned[1:]
        rates = [np.abs(twists[: done - 1]), np.abs(self._inputs.twists[first : first + done - 1])]
        rates.append(np.abs(self._inputs.drives[first : first + done - 1, :, 1]))
        most = np.max([each.reshape(done - 1, -1).max(axis=1, initial=0.0) for each in rates], axis=0)
        suspect |= ~(most * np.abs(np.diff(times)) <= _LONG)
        found = np.flatnonzero(suspect)
        return 1 + (int(found[0]) if found.size else done - 1)

    # -- through singular points -----------------------------------------------------------------------------------

    def _reach(self, finder: Finder, row: int) -> int:
        """Walk to a row, through singular points; put it, and rows near those points; return the next row."""
        end = float(self._times[row])
        worst = self._ask
        while True:
            verdict = walk(finder, self._trail, end, worst)
            if verdict == Status.OK:
                self._put(row, self._trail[-1])
                self._walked += self._trail[:-1]
                self._trail = self._trail[-2:]
                return row + 1
            before = self._widen(finder, end)
            point = locate(before)
            passed = cross(finder, before, point)
            if passed.status == Status.OK:
                zone = Zone(point.time, tuple(before), passed.states, finder.engine.epsilon)
                self._zones.append(zone)
                self._walked += (*before, *passed.states)
                beyond = self._put_limits(zone, row)
                forward = 1.0 if before[-1].time >= before[0].time else -1.0
                if beyond > row:
                    row = beyond
                    if row >= len(self._times):
                        return row
                    end = float(self._times[row])
                    if (end - point.time) * forward < 0.0:  # times turn back: the way lies before the point again
                        self._trail = [before[-1]]
                        return row
                self._trail = [each for each in passed.states if (end - each.time) * forward >= 0.0]
                self._trail = self._trail or [passed.states[0]]
                worst = self._ask
                continue
            if worst < self._give_up and not point.folds:
                worst = self._give_up
                continue
            return self._lose(row, point.time, before, passed.status, passed.reason, finder)

    def _widen(self, finder: Finder, point: float) -> list[NewtonState]:
        """Return the way to a singular point, lengthened backwards where it began near it."""
        first = self._trail[0]
        forward = 1.0 if point >= first.time else -1.0
        wanted = point - forward * 3.0 * reach_of(first)
        if (first.time - wanted) * forward <= 0.0:
            return list(self._trail)
        back = [first]
        walk(finder, back, wanted, self._ask)
        return [*back[:0:-1], *self._trail]

    def _put_limits(self, zone: Zone, row: int) -> int:
        """Put the limit of the smooth motion into rows in a zone, those before `row` too; return the next row."""
        times, last = self._times, row
        first = row
        while last < len(times) and zone.blurs(times[last : last + 1])[0]:
            last += 1
        while first > 0 and zone.blurs(times[first - 1 : first])[0]:
            first -= 1
        rows = slice(first, last)
        if last > first:
            self._poses[rows], self._twists[rows], self._accelerations[rows] = zone.motion(times[rows])
            self._status[rows], self._limit[rows] = Status.SINGULAR, True
            for k in range(first, last):
                self._report[k] = zone.before[-1].report
                self._report[k, CERTIFIED] = 0.0
        return last

    def _lose(
        self, row: int, point: float, before: list[NewtonState], status: Status, reason: str, finder: Finder
    ) -> int:
        self._lost = Lost(point, status, reason)
        self._status[row:] = status
        gap = abs(before[-1].time - point)
        while row < len(self._times) and abs(float(self._times[row]) - point) <= 2.0 * gap:
            self._status[row] = Status.SINGULAR
            self._poses[row] = finder.expected(before[-2:], float(self._times[row]))
            row += 1
        return len(self._times)

    # -- pieces ----------------------------------------------------------------------------------------------------

    def _finder(self, row: int) -> Finder:
        at = self._at
        if at is None:
            at = quintic_inputs(self._inputs, self._times, row) if row else self._inputs_of_the_first
        return Finder(self._engine, self._plan, at)

    def _inputs_of_the_first(self, when: Array) -> Inputs:
        return self._inputs.rows([0] * len(when))

    def _state(self, finder: Finder, row: int) -> NewtonState:
        return finder.state(
            float(self._times[row]), self._inputs.rows(slice(row, row + 1)), self._poses[row], self._twists[row],
            self._accelerations[row], self._report[row],
        )  # fmt: skip

    def _put(self, row: int, state: NewtonState) -> None:
        self._poses[row], self._twists[row], self._accelerations[row] = state.poses, state.twists, state.accelerations
        self._report[row], self._status[row] = state.report, Status.OK
