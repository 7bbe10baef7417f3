"""Through a point where the Jacobian is singular: what is there, and how the motion goes on behind.

A walk that comes near such a point has left states at distances that shrink geometrically. From them

- the time t* of the point: the distance from being singular goes down like (t* - t)^p with p = 1/2 at a fold, 1 where
  branches cross, 2 where the drive turns there, 3 where it stops and goes on;
- what the smooth motion would be behind it: polynomials (`symgen.library.smooth`).

The motion goes on smoothly if behind the point there is a solution that the polynomial meets in position, rate and
acceleration ten times better than any other solution can be near (by the singular values of the Jacobian there), at the
smallest distance at which rounding allows to tell, and at all larger ones at which the polynomial is good. The smallest
distance matters: branches that only nearly meet turn away from each other within it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.library.newton.chart import motion_of
from symgen.library.newton.states import Finder, NewtonState, apart, samples
from symgen.library.newton.walk import walk
from symgen.library.smooth import evaluate, misfit
from symgen.poses import Array
from symgen.status import Status

Flags = NDArray[np.bool_]

#: The smooth motion misses by less than this part of the distance to any other solution.
CLEAR = 0.1
#: Distances behind the point, in units of that of the last state before it; how many states must agree in the end.
_BEHIND, _JUDGED = (1.0, 2.0, 4.0), 3
#: Distances of a polynomial's samples, in units of that of where it is wanted; the logarithm by which they may differ.
_NODES, _ABOUT = ((1.0, 3.0), (1.0, 2.0), (1.0, 2.0, 4.0)), 0.9
#: Exponents that are told apart, by so many states; how much nearer a point is where rates are compared.
_EXPONENTS, _LINE, _FAR = (0.5, 1.0, 2.0, 3.0, 4.0), 6, 8.0
#: Rates or accelerations are not what position and Jacobian tell where rounding makes more than this part of them.
BLURRED = 1e-6
#: Distances from the point, in units of the time in which things change, at which polynomials over it have samples.
_SPREAD = tuple(0.2 * 0.5**k for k in range(13))


@dataclass(frozen=True)
class Point:
    """A singular point that was walked up to.

    Parameters
    ----------
    time : of the point.
    folds : whether the branch ends there: rates grow as the distance from being singular shrinks.
    """

    time: float
    folds: bool


@dataclass(frozen=True)
class CrossingResult:
    """What a walk found behind a singular point: states, nearest to it first; or none, and why."""

    states: tuple[NewtonState, ...]
    status: Status
    reason: str = ""


def locate(trail: Sequence[NewtonState]) -> Point:
    """Return the singular point that the last states of a walk go to.

    Of some exponents p it is the one for which s^(1/p) over the time is the straightest line.
    """
    last = list(trail[-_LINE:])
    times = np.array([each.time for each in last]) - last[-1].time
    forward = 1.0 if times[0] <= 0.0 else -1.0
    # the walk may begin far away: only where the distance shrinks is it that of this point
    distance = np.array([each.distance for each in last])
    rising = np.flatnonzero(np.diff(distance) >= 0.0)
    first = int(rising[-1]) + 1 if rising.size else 0
    times, distance = times[first:], distance[first:]
    folds = _rates_grow(trail)
    if len(times) < 3:
        return Point(last[-1].time, folds)
    best = (np.inf, 0.0)
    for exponent in _EXPONENTS:
        root = (distance / distance[0]) ** (1.0 / exponent)
        slope, level = np.polyfit(times, root, 1)
        if slope * forward >= 0.0:
            continue
        # by how much times are missed, in parts of what is left of the way at each
        left = root / -slope
        missed = float(np.max(np.abs((level / -slope - times - left) / left)))
        ends = root[-1] * (times[-1] - times[-2]) / (root[-2] - root[-1])
        best = min(best, (missed, float(ends)))
    return Point(last[-1].time + best[1], folds)


def _rates_grow(trail: Sequence[NewtonState]) -> bool:
    here = trail[-1]
    far = [each for each in trail if each.distance > _FAR * here.distance]
    if not far:
        return False
    fast, slow = (float(np.linalg.norm(each.twists)) for each in (here, far[-1]))
    # at a fold in proportion
    return fast > slow * float(np.sqrt(far[-1].distance / here.distance))


def cross(finder: Finder, trail: Sequence[NewtonState], point: Point) -> CrossingResult:
    """Return the states behind a singular point on the smooth motion, if there is one and it is clear which."""
    forward = 1.0 if trail[-1].time >= trail[0].time else -1.0
    gap = max(abs(point.time - trail[-1].time), 8.0 * float(np.spacing(abs(point.time))))
    at = f"at t = {point.time:.9g} s"
    if point.folds:
        return CrossingResult((), Status.BRANCH_LOST, f"the branch ends {at}: within rounding, it turns back in a fold")
    found: list[NewtonState] = []
    known = False
    for factor in _BEHIND:
        time = point.time + forward * factor * gap
        known = known or _inputs_known(finder, time)
        nodes = _about(trail, point.time, factor * gap)
        if len(nodes) < 2:
            break
        state = finder.at(time, finder.expected(nodes, time))
        if state is None or not _judge(trail, point.time, state)[0] <= CLEAR * state.near:
            break
        found.append(state)
    if found and _agrees(finder, trail, found, point):
        return CrossingResult(tuple(found), Status.OK)
    if not known:
        return CrossingResult(
            (),
            Status.AMBIGUOUS,
            (f"branches meet {at}, and the motion of the known bodies and drives is not given after this point"),
        )
    return CrossingResult(
        (),
        Status.AMBIGUOUS,
        f"branches come together {at}, and within rounding, position, rate and acceleration of the motion before do "
        "not determine which of them continues it",
    )


def _inputs_known(finder: Finder, time: float) -> bool:
    inputs = finder.inputs_at(np.array([time]))
    return bool(np.all(np.isfinite(inputs.known)) and np.all(np.isfinite(inputs.drives)))


def _about(
    trail: Sequence[NewtonState], time: float, gap: float, ratios: Sequence[float] = (1.0, 3.0)
) -> list[NewtonState]:
    """Return states that are about so many times as far from a time as a gap; fewer if there are none."""
    away = np.array([abs(each.time - time) for each in trail])
    chosen: list[int] = []
    for wanted in ratios:
        ratio = np.abs(np.log(np.maximum(away, 1e-300) / (wanted * gap)))
        ratio[chosen] = np.inf
        k = int(np.argmin(ratio))
        if ratio[k] < _ABOUT:
            chosen.append(k)
    return [trail[k] for k in sorted(chosen)]


def _judge(trail: Sequence[NewtonState], time: float, state: NewtonState) -> tuple[float, float]:
    """Return by how much a state behind a point misses the smooth motion, and how far that is uncertain by itself.

    Polynomials through two states carry rounding least, those through three are better further away: the motion is
    what the one meets that fits best, and how they differ is how good they are.
    """
    gap = abs(state.time - time)
    missed, places, used = [], [], set()
    for ratios in _NODES:
        nodes = _about(trail, time, gap, ratios)
        if len(nodes) == len(ratios) and (times := tuple(node.time for node in nodes)) not in used:
            used.add(times)
            before = samples(nodes)
            missed.append(float(misfit(before, samples([nodes[-1], state]).rows([1]), gap)[0]))
            places.append(motion_of(evaluate(before, np.array([state.time])), len(state.poses))[0][0])
    if not missed:
        return np.inf, np.inf
    unsure = max(apart(place, other) for place in places for other in places) if len(used) > 1 else np.inf
    return min(missed), unsure


def _agrees(finder: Finder, trail: Sequence[NewtonState], found: list[NewtonState], point: Point) -> bool:
    """Walk on behind the point, and compare with what lies before it as far as polynomials are good.

    `found` becomes what was walked over.
    """
    if any(each.sign != found[0].sign for each in found):
        return False
    nearest = found[0]
    gap = abs(nearest.time - point.time)
    forward = float(np.sign(nearest.time - point.time))
    way = list(found)
    walk(finder, way, point.time + forward * max(reach_of(nearest), 16.0 * gap), way[-1].condition)
    judged = 0
    for state in way:
        missed, unsure = _judge(trail, point.time, state)
        if missed > CLEAR * state.near:
            if unsure > CLEAR * state.near:
                break
            return False
        judged += 1
    found[:] = way
    return judged >= _JUDGED


def reach_of(state: NewtonState) -> float:
    """Return how far from a singular point states are wanted."""
    return _SPREAD[0] / state.speed if state.speed > 0.0 else 0.0


# -- what the motion is there ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Zone:
    """The neighbourhood of a singular point that a motion goes through, or up to.

    Parameters
    ----------
    point : time of the point.
    before, behind : states on both sides; none behind where the motion is not known to go on.
    epsilon : spacing at 1 of the numbers that the states were computed in.
    """

    point: float
    before: tuple[NewtonState, ...]
    behind: tuple[NewtonState, ...]
    epsilon: float

    def blurs(self, times: Array) -> Flags:
        """Tell at which times, (n,), rounding leaves too little of what position and Jacobian tell of rates.

        The error of poses is epsilon times the condition c; over a distance t from the point that is one of
        epsilon c/t^2 in accelerations, to be compared with the square of 1/(the time in which things change).
        """
        found = np.zeros(len(times), dtype=bool)
        for side in (self.before, self.behind):
            if not side:
                continue
            away = np.array([abs(each.time - self.point) for each in side])
            order = np.argsort(away)
            away, condition = away[order], np.array([each.condition for each in side])[order]
            forward = np.sign(side[0].time - self.point)
            here = (times - self.point) * forward
            mine = here >= 0.0
            away = np.maximum(away, np.spacing(abs(self.point)))
            distance = np.maximum(here[mine], away[0])
            c = np.exp(np.interp(np.log(distance), np.log(away), np.log(condition)))
            speed = max(each.speed for each in side)
            found[mine] |= self.epsilon * c > BLURRED * (speed * here[mine]) ** 2
            found[mine] |= here[mine] <= away[0]
        return found

    def motion(self, times: Array) -> tuple[Array, Array, Array]:
        """Return poses, twists and accelerations of the smooth motion at times near the point, (n, bodies, numbers)."""
        bodies = len(self.before[0].poses)
        found: Array | None = None
        best: tuple[float, list[NewtonState]] = (np.inf, list(self.before[-2:]))
        speed = max(each.speed for each in self.before) or 1.0
        for spread in _SPREAD:
            nodes = [
                node for side in (self.before, self.behind) if side for node in _about(side, self.point, spread / speed)
            ]
            if len(nodes) < 2 * (1 + bool(self.behind)):
                continue
            here = evaluate(samples(nodes), np.array([self.point]))
            second = np.concatenate([here.value * speed**2, here.rate * speed, here.second], axis=-1)
            if found is not None:
                change = float(np.linalg.norm(second - found))
                best = (change, nodes) if change < best[0] else best
            found = second
        nodes = sorted(best[1], key=lambda each: abs(each.time - self.before[0].time))
        return motion_of(evaluate(samples(nodes), times), bodies)
