"""A solution that was followed, at any other time on its way: for groups that depend on it."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence

import numpy as np

from symgen.library.newton.crossing import Zone
from symgen.library.newton.states import Finder, NewtonState
from symgen.library.newton.walk import walk
from symgen.poses import Array
from symgen.status import Status


class Trace:
    """What is known of a solution over time.

    Parameters
    ----------
    states : where it was walked.
    zones : where it went through singular points.
    worst : condition up to which states are sought.
    times, state_of : other times at which it is known, (n,), and the state at the k-th of them.
    """

    def __init__(
        self,
        finder: Finder,
        states: Sequence[NewtonState],
        zones: Sequence[Zone],
        worst: float,
        times: Array,
        state_of: Callable[[int], NewtonState],
    ) -> None:
        self._finder, self._zones, self._worst = finder, zones, worst
        self._states = sorted((each for each in states if each.condition <= worst), key=_time)
        self._times, self._state_of = times, state_of

    def at(self, times: Array) -> tuple[Array, Array, Array]:
        """Return poses, twists and accelerations, (m, bodies, numbers); NaN where the solution does not lead."""
        problem = self._finder.plan.problem
        sizes = (problem.places, problem.freedoms, problem.freedoms)
        found = [np.full((len(times), self._finder.bodies, size), np.nan) for size in sizes]
        for row, time in enumerate(times):
            for whole, part in zip(found, self._one(float(time)) or (), strict=False):
                whole[row] = part
        return found[0], found[1], found[2]

    def _one(self, time: float) -> tuple[Array, Array, Array] | None:
        for zone in self._zones:
            if zone.blurs(np.array([time]))[0]:
                poses, twists, accelerations = zone.motion(np.array([time]))
                return poses[0], twists[0], accelerations[0]
        # no singular point lies between
        points = [zone.point for zone in self._zones]
        low = max((each for each in points if each <= time), default=-np.inf)
        high = min((each for each in points if each > time), default=np.inf)
        here = [each for each in self._states if low < each.time < high]
        nearest = min(here, key=lambda each: abs(each.time - time), default=None)
        away = np.where((self._times > low) & (self._times < high), np.abs(self._times - time), np.inf)
        if away.size and away.min() < (np.inf if nearest is None else abs(nearest.time - time)):
            nearest = self._state_of(int(np.argmin(away)))
        if nearest is None:
            return None
        way = [nearest]
        if walk(self._finder, way, time, self._worst) != Status.OK:
            return None
        if len(way) > 1:
            insort(self._states, way[-1], key=_time)
        return way[-1].poses, way[-1].twists, way[-1].accelerations


def _time(state: NewtonState) -> float:
    return state.time
