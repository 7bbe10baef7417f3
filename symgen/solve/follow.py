"""Follow a branch over time where branches are ranked zeros of a polynomial: the rank of a branch may change.

Signs of square roots stay with a branch until it meets another one; ranks do not: a zero that passes from pi to -pi
shifts all others. Such groups are solved in all branches for all times; at each time the branch is the one nearest to
where position, velocity and acceleration of the time before predict it. It has to be nearer than the next by a factor
of two, and no further from the prediction than the predicted step is long; else the branch counts as lost from there
on, and says so: nothing jumps silently.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.library.rotations import Array
from symgen.solve.rigid import rotate
from symgen.solve.tracks import BodyTrack
from symgen.status import Status

#: The nearest branch must be nearer than the next by this factor.
CLEAR = 2.0
#: Distances below this part of the mechanism's size are rounding or a fold; see `symgen.solve.branches.MEETING`.
MEETING = 1e-7


@dataclass(frozen=True)
class Followed:
    """Rank of the branch at each time, -1 where it has none, and the status there: (n,) each."""

    rank: NDArray[np.int32]
    status: NDArray[np.int32]


@dataclass(frozen=True)
class Points:
    """Six numbers of points of a body in every branch: origin and axes at the mechanism's size, (branches, n, 4, 3)."""

    place: Array
    rate: Array
    second: Array


def follow(
    tracks: Sequence[Mapping[str, BodyTrack]],
    status: NDArray[np.int32],
    times: Array,
    size: float,
    first: int | None,
    given: Mapping[str, Array],
) -> Followed:
    """Follow one branch of a group.

    Parameters
    ----------
    tracks : for each branch: body -> motion over the n times.
    status : (branches, n).
    size : length [m] that makes angles comparable.
    first : rank at the first time; None: the branch nearest to `given`, body -> pose (7,).
    """
    bodies = [points_of([track[body] for track in tracks], size) for body in given]
    start = np.stack([_framepoints_of(pose[:3], pose[3:], size) for pose in given.values()])
    place = np.stack([body.place for body in bodies], axis=2)  # (branches, n, bodies, 4, 3)
    rate, second = (np.stack([getattr(b, name) for b in bodies], axis=2) for name in ("rate", "second"))
    rank = np.full(len(times), -1, dtype=np.int32)
    found = np.full(len(times), Status.BRANCH_LOST, dtype=np.int32)
    here: int | None = None
    for t in range(len(times)):
        reached = np.flatnonzero((status[:, t] == Status.OK) | (status[:, t] == Status.SINGULAR))
        if not reached.size:
            found[t] = _common(status[:, t])
            break
        if here is None and first is not None:
            choice, verdict = _named(first, status[:, t])
        else:
            if here is None:
                target, reach = start, np.inf
            else:
                dt = times[t] - times[t - 1]
                step = dt * rate[here, t - 1] + 0.5 * dt * dt * second[here, t - 1]
                target = place[here, t - 1] + step
                reach = max(_length(step), MEETING * size)
            distance = np.array([_length(place[b, t] - target) for b in reached])
            choice, verdict = _nearest(reached, distance, reach, MEETING * size, status[:, t])
        rank[t], found[t] = choice, verdict
        if verdict != Status.OK:
            found[t + 1 :] = Status.BRANCH_LOST if verdict == Status.BRANCH_LOST else Status.AMBIGUOUS
            break
        here = choice
    return Followed(rank, found)


def _named(first: int, status: NDArray[np.int32]) -> tuple[int, int]:
    fine = status[first] in (Status.OK, Status.SINGULAR)
    return (first, int(status[first])) if fine else (-1, int(Status.BRANCH_LOST))


def _nearest(
    reached: NDArray[np.intp], distance: Array, reach: float, least: float, status: NDArray[np.int32]
) -> tuple[int, int]:
    """Return the branch nearest to the prediction and what to say of it."""
    order = np.argsort(distance, kind="stable")
    best = int(reached[order[0]])
    if not distance[order[0]] <= reach:
        return -1, int(Status.BRANCH_LOST)
    if len(order) > 1 and distance[order[1]] < CLEAR * max(float(distance[order[0]]), least):
        meet = Status.SINGULAR in (status[best], status[reached[order[1]]])
        return (best, int(Status.SINGULAR)) if meet else (-1, int(Status.AMBIGUOUS))
    return best, int(status[best])


def points_of(tracks: Sequence[BodyTrack], size: float) -> Points:
    """Return the points of a body in every branch."""
    place = np.stack([_framepoints_of(track.r, track.q, size) for track in tracks])
    arms = place[..., 1:, :] - place[..., :1, :]
    omega, alpha, v, a = (
        np.stack([getattr(track, name) for track in tracks])[..., None, :] for name in ("omega", "alpha", "v", "a")
    )
    turning = np.cross(omega, arms)
    rate = np.concatenate([v, v + turning], axis=-2)
    second = np.concatenate([a, a + np.cross(alpha, arms) + np.cross(omega, turning)], axis=-2)
    return Points(place, rate, second)


def _framepoints_of(r: Array, q: Array, size: float) -> Array:
    tips = [r + rotate(q, np.broadcast_to(size * axis, r.shape)) for axis in np.eye(3)]
    return np.stack([r, *tips], axis=-2)


def _length(displacements: Array) -> float:
    """Return the largest root mean square displacement over the bodies, (bodies, 4, 3)."""
    return float(np.sqrt(np.mean(np.sum(displacements**2, axis=-1), axis=-1)).max())


def _common(status: NDArray[np.int32]) -> int:
    """Return why no branch is there: the first thing that is not just out of reach."""
    for each in map(int, status):
        if each not in (Status.NO_ASSEMBLY, Status.BRANCH_LOST):
            return each
    return int(Status.NO_ASSEMBLY)
