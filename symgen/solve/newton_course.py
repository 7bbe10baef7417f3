"""A structural group that certified Newton solves, along a path: followed from node to node, asked for at any place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.poses import Array
from symgen.solve.continuation import TOO_FAR, Ending, PathProgress
from symgen.solve.newton import BodiesAt, Certificates, NewtonPlan, NewtonStart, solve_newton
from symgen.solve.path import Drives, Path
from symgen.status import Status

Motions = Mapping[str, BodyMotion]

#: Nodes that nobody asked for: some 4000 turns of a crank, at about a millisecond each.
_MOST_NODES = 100_000
#: How far behind the last place a change point still takes digits from it, in parts of the time scale, several times.
_BEHIND = 1e-2


class NewtonCourse:
    """A group without a closed form along a path; see `symgen.solve.course.ClosedCourse`.

    Parameters
    ----------
    known : (n,) values of the parameter -> motions of the known bodies there.
    before : (n,) values of the parameter -> status of the groups that this one depends on.
    start : solution in the drawing.
    progress : called with the place that is reached while rows are found, now and then.
    """

    def __init__(
        self,
        plan: NewtonPlan,
        path: Path,
        known: Callable[[Array], Motions],
        before: Callable[[Array], NDArray[np.int32]],
        start: NewtonStart,
        progress: PathProgress | None = None,
    ) -> None:
        self.plan, self.path, self._known, self._before, self._start = plan, path, known, before, start
        self._progress = progress
        self._traces: list[BodiesAt | None] = []

    def bodies(self, at: Array) -> Motions:
        """Return the motion of the group's bodies at (n,) values of the parameter."""
        nodes, begin = self.path.nodes, self.path.begin
        if not self._traces:
            ends = [np.array([begin, nodes[0]]), np.array([begin, nodes[-1]])]
            self._traces = [self._follow(end, self._progress)[3].bodies_at for end in ends]
        back, on = (None if trace is None else trace(at) for trace in self._traces)
        if back is None or on is None:  # not even the beginning could be solved
            return {body: _nowhere(at, self.plan) for body in self.plan.bodies}
        below = (at < begin)[:, None]
        return {
            body: BodyMotion(
                *(
                    np.where(below, getattr(back[body], name), getattr(on[body], name))
                    for name in ("pose", "twist", "acceleration")
                )
            )
            for body in self.plan.bodies
        }

    def rows(self, at: Array) -> tuple[GroupMotion, NDArray[np.int32], NDArray[np.bool_], Certificates]:
        """Return what `symgen.solve.newton.solve_newton` does, at (n,) values of the parameter in any order."""
        low, high = self._reach(at)
        near = at[(at >= low) & (at <= high)]
        begin = self.path.begin
        ways = [
            np.unique(np.append(self._looking_on(near[near >= begin]), begin)),
            np.unique(np.append(self._looking_on(near[near < begin], -1.0), begin))[::-1],
        ]
        places = np.concatenate(ways)
        asked = (min(begin, float(at.min())), max(begin, float(at.max()))) if len(at) else (begin, begin)
        parts = [self._follow(way, self._teller(*asked)) for way in ways]
        order = np.argsort(places, kind="stable")
        pick = order[np.minimum(np.searchsorted(places[order], at), len(places) - 1)]
        far = places[pick] != at
        motion = _rows_of([part[0] for part in parts], [len(way) for way in ways], pick)
        _clear(motion, far)
        status, own = (np.concatenate([part[k] for part in parts])[pick] for k in (1, 2))
        status, own = np.where(far, Status.AMBIGUOUS, status).astype(np.int32), own | far
        certified, condition, limit = (
            np.concatenate([getattr(part[3], name) for part in parts])[pick]
            for name in ("certified", "condition", "limit")
        )
        condition[far] = np.nan
        endings = [ending for part in parts for ending in part[3].endings]
        for first, last in ((-np.inf, low), (high, np.inf)):
            if np.any(far & (at >= first) & (at <= last)):
                endings.append((first, last, Ending(low if last == low else high, Status.AMBIGUOUS, TOO_FAR)))
        points = sorted({point for part in parts for point in part[3].change_points})
        # What comes behind the places that were asked for was looked at for their sake only.
        endings = [each for each in endings if each[0] <= asked[1] and each[1] >= asked[0]]
        points = [point for point in points if asked[0] <= point <= asked[1]]
        certificates = Certificates(certified & ~far, condition, limit & ~far, tuple(points), tuple(endings))
        return motion, status, own, certificates

    def _looking_on(self, places: Array, side: float = 1.0) -> Array:
        """Return places and one behind the last: whether a change point lies there is not seen from before it."""
        if not len(places):
            return places
        last = float(places.max() if side > 0 else places.min())
        behind = last + side * _BEHIND * self.path.scale(last)
        nodes = self.path.nodes
        return np.append(places, behind) if nodes[0] <= behind <= nodes[-1] else places

    def _reach(self, at: Array) -> tuple[float, float]:
        """Return how far down and up the group is followed: that costs time for each node that nobody asked for."""
        nodes, begin = self.path.nodes, self.path.begin
        extra = nodes[~np.isin(nodes, at)]
        above, below = extra[extra > begin], extra[extra < begin][::-1]
        high = float(above[_MOST_NODES]) if len(above) > _MOST_NODES else np.inf
        low = float(below[_MOST_NODES]) if len(below) > _MOST_NODES else -np.inf
        return (
            max(low, float(nodes[0]) if self.path.cut[0] else -np.inf),
            min(high, float(nodes[-1]) if self.path.cut[1] else np.inf),
        )

    def _teller(self, first: float, last: float) -> PathProgress | None:
        """Return what is told the place that is reached, of those that were asked for."""
        progress = self._progress
        return None if progress is None else lambda at: progress(min(max(at, first), last))

    def _follow(
        self, way: Array, progress: PathProgress | None = None
    ) -> tuple[GroupMotion, NDArray[np.int32], NDArray[np.bool_], Certificates]:
        known, drives = self._motion_at(way)
        return solve_newton(self.plan, known, drives, way, self._before(way), self._start, self._motion_at, progress)

    def _motion_at(self, at: Array) -> tuple[Motions, Drives]:
        every = self.path.evaluate(at)
        return self._known(at), {key: every[key] for key in self.plan.driven}


def _rows_of(motions: Sequence[GroupMotion], rows: Sequence[int], pick: NDArray[np.intp]) -> GroupMotion:
    """Return rows of several motions, one behind the other."""
    bodies = {
        body: BodyMotion(
            *(
                np.concatenate([getattr(motion.bodies[body], name) for motion in motions])[pick]
                for name in ("pose", "twist", "acceleration")
            )
        )
        for body in motions[0].bodies
    }
    joints = {
        joint: {
            freedom: np.concatenate(
                [
                    np.broadcast_to(motion.joints[joint][freedom], (count, 3))
                    for motion, count in zip(motions, rows, strict=True)
                ]
            )[pick]
            for freedom in freedoms
        }
        for joint, freedoms in motions[0].joints.items()
    }
    return GroupMotion(bodies, joints)


def _clear(motion: GroupMotion, rows: NDArray[np.bool_]) -> None:
    for body in motion.bodies.values():
        for part in (body.pose, body.twist, body.acceleration):
            if part is not None:
                part[rows] = np.nan
    for freedoms in motion.joints.values():
        for triple in freedoms.values():
            triple[rows] = np.nan


def _nowhere(at: Array, plan: NewtonPlan) -> BodyMotion:
    problem = plan.newton.problem
    return BodyMotion(
        *(np.full((len(at), size), np.nan) for size in (problem.places, problem.freedoms, problem.freedoms))
    )
