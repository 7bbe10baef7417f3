"""From one time to another in steps that are as long as certainty allows.

A step is taken if what is found lies nearer to the prediction than a quarter of the distance to any other solution, if
the determinant keeps its sign, and if the distance from being singular (one over the condition) changes by no more than
a factor. The next step is chosen such that the line through the last two of these distances stays above zero: towards a
point where the Jacobian is singular the steps become shorter and shorter, and nothing is jumped, not even two such
points at once, behind which the determinant has its sign again.
"""

from __future__ import annotations

import numpy as np

from symgen.library.newton.states import Finder, NewtonState, apart
from symgen.status import Status

#: A solution must be nearer to the prediction than this part of the distance to the next one.
NEAR = 0.25
#: The distance from being singular may fall to this part over a step, and grow to one over it.
FALL = 0.4
#: Part of what the distance allows by its slope; growth of steps; a step moves things by this much at most [size, rad].
_AHEAD, _GROWTH, _LONGEST = 0.45, 2.0, 0.2
#: A walk has at most this many steps: each halves the distance to where it ends, or is a good part of the way.
_MOST = 4000


def walk(finder: Finder, trail: list[NewtonState], end: float, worst: float) -> Status:
    """Go on from the last state of `trail` to the time `end`; every state on the way is appended.

    Returns
    -------
    Status
        OK: it is there. SINGULAR: the condition grew above `worst` before. BRANCH_LOST: no step was short enough.
    """
    forward = 1.0 if end >= trail[-1].time else -1.0
    step = _first_step(trail, abs(end - trail[-1].time))
    for _ in range(_MOST):
        here = trail[-1]
        left = abs(end - here.time)
        if left == 0.0:
            return Status.OK
        if here.condition > worst and len(trail) > 1 and here.condition >= trail[-2].condition:
            return Status.SINGULAR
        # no step much shorter than the others at the end
        step = left if step >= left else min(step, 0.5 * left) if step > 0.5 * left else step
        found = _take(finder, trail, end if step >= left else here.time + forward * step)
        if found is None:
            step *= FALL**2
            if step <= 16.0 * np.spacing(max(abs(here.time), abs(end))):
                return Status.BRANCH_LOST
            continue
        trail.append(found)
        step = min(_GROWTH * step, _allowed(trail))
    return Status.BRANCH_LOST


def _first_step(trail: list[NewtonState], span: float) -> float:
    """Return the first step; where nothing is known of the way, it moves things less than the next solution is away."""
    here = trail[-1]
    if len(trail) > 1:
        return min(_GROWTH * abs(here.time - trail[-2].time) or span, _allowed(trail), span)
    step = NEAR * here.near / here.speed if here.speed * span > NEAR * here.near else span
    return min(step, _allowed(trail), span)


def _allowed(trail: list[NewtonState]) -> float:
    here = trail[-1]
    longest = _LONGEST / here.speed if here.speed > 0.0 else np.inf
    if len(trail) < 2:
        return longest
    before = trail[-2]
    fall = before.distance - here.distance
    if fall <= 0.0:
        return longest
    return min(longest, _AHEAD * here.distance * abs(here.time - before.time) / fall)


def _take(finder: Finder, trail: list[NewtonState], time: float) -> NewtonState | None:
    here = trail[-1]
    nodes = trail[-1:]
    if len(trail) > 1 and abs(time - here.time) <= 4.0 * abs(here.time - trail[-2].time):
        nodes = trail[-2:]
    expected = finder.expected(nodes, time)
    found = finder.at(time, expected)
    if found is None or here.sign * found.sign < 0:
        return None
    if not FALL * here.distance <= found.distance <= here.distance / FALL:
        return None
    return found if apart(found.poses, expected) <= NEAR * min(found.near, here.near) else None
