"""All structural groups of a mechanism along one path, in order; each asks those before it for their motion."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.frames import port_pose
from symgen.poses import Array
from symgen.solve.continuation import PathProgress
from symgen.solve.course import Anchor, ClosedCourse
from symgen.solve.newton import Certificates, NewtonPlan, NewtonStart
from symgen.solve.newton_course import NewtonCourse
from symgen.solve.path import Path
from symgen.solve.plan import GroupPlan, Plan
from symgen.status import Status

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class SolvedGroup:
    """Motion of a group's bodies and joints over n times, and the status of each time.

    Parameters
    ----------
    status : (n,) int32; that of an earlier group where that one failed.
    own : (n,) bool: the group itself failed here.
    branch : (n,) int32, -1 where it is not known.
    limit : (n,) bool: what is not determined by the position alone is the limit of the smooth motion.
    certificates : where certified Newton solved it.
    """

    motion: GroupMotion
    status: NDArray[np.int32]
    own: NDArray[np.bool_]
    branch: NDArray[np.int32]
    limit: NDArray[np.bool_]
    certificates: Certificates | None = None


class Walk:
    """A mechanism along a path.

    Parameters
    ----------
    plan : the mechanism.
    path : of its driven freedoms.
    size : length that makes angles comparable [m].
    known_to : relative spacing of the numbers that lengths are made of.
    """

    def __init__(self, plan: Plan, path: Path, size: float, known_to: float) -> None:
        self.plan, self.path, self._size, self._known_to = plan, path, size, known_to
        self.courses: list[ClosedCourse | NewtonCourse] = []
        self._owner: dict[str, int] = {}
        self._ground = BodyMotion(port_pose(plan.mechanism.ground_body.pose, plan.mechanism.space))

    def follow(
        self,
        anchors: Sequence[Sequence[Anchor]],
        starts: Mapping[int, NewtonStart],
        progress: Progress | None = None,
    ) -> None:
        """Find the branches of all groups along the path.

        Parameters
        ----------
        anchors : of each group, see `ClosedCourse.follow`.
        starts : index of a group that certified Newton solves -> its solution in the drawing.
        progress : called before each group, and while it is followed.
        """
        for number, group in enumerate(self.plan.groups):
            report = None if progress is None else _teller(progress, number, len(self.plan.groups), str(group))
            if report is not None:
                report(None)
            self.courses.append(self._course(number, group, anchors[number], starts, report))
            self._owner.update(dict.fromkeys(group.bodies, number))

    def _course(
        self,
        number: int,
        group: GroupPlan | NewtonPlan,
        anchors: Sequence[Anchor],
        starts: Mapping[int, NewtonStart],
        progress: PathProgress | None,
    ) -> ClosedCourse | NewtonCourse:
        def known(at: Array) -> Mapping[str, BodyMotion]:
            return self._known(group, at)

        if isinstance(group, NewtonPlan):
            before = partial(self._status_before, number)
            return NewtonCourse(group, self.path, known, before, starts[number], progress)
        course = ClosedCourse(group, self.path, known, self.plan.mechanism.space, self._size, self._known_to)
        course.follow(anchors, progress)
        return course

    def _known(self, group: GroupPlan | NewtonPlan, at: Array) -> dict[str, BodyMotion]:
        owners = dict.fromkeys(self._owner[body] for body in group.known if body in self._owner)
        return self._gather(group, {number: self.courses[number].bodies(at) for number in owners})

    def _gather(
        self, group: GroupPlan | NewtonPlan, bodies: Mapping[int, Mapping[str, BodyMotion]]
    ) -> dict[str, BodyMotion]:
        return {body: bodies[self._owner[body]][body] if body in self._owner else self._ground for body in group.known}

    def _status_before(self, number: int, at: Array) -> NDArray[np.int32]:
        """Return the status of the groups that one depends on, which is not solved itself yet."""
        solved: dict[int, SolvedGroup] = {}
        for k in sorted(self._all_before(number)):
            solved[k] = self._solve(k, at, solved)
        return status_before(self.plan, number, solved, len(at))

    def _all_before(self, number: int) -> set[int]:
        found: set[int] = set()
        todo = [each - 1 for each in self.plan.groups[number].group.depends_on]
        while todo:
            each = todo.pop()
            if each not in found:
                found.add(each)
                todo += [k - 1 for k in self.plan.groups[each].group.depends_on]
        return found

    def rows(self, at: Array) -> list[SolvedGroup]:
        """Return the motion of all groups at (n,) values of the parameter, in any order."""
        solved: dict[int, SolvedGroup] = {}
        for number in range(len(self.courses)):
            solved[number] = self._solve(number, at, solved)
        return list(solved.values())

    def ends(self, at: float) -> list[Anchor]:
        """Return the branch of each group at one place, or why it is not known there."""
        return [course.end(at) if isinstance(course, ClosedCourse) else Anchor(at, 0) for course in self.courses]

    def _solve(self, number: int, at: Array, solved: Mapping[int, SolvedGroup]) -> SolvedGroup:
        """Return the motion of a group whose predecessors are solved.

        Where an earlier group is SINGULAR its position is known, and its rates are if they are the limit of a smooth
        motion: this group then has as much. Behind any other failure it has nothing.
        """
        course, before = self.courses[number], status_before(self.plan, number, solved, len(at))
        if isinstance(course, NewtonCourse):
            motion, status, own, certificates = course.rows(at)
            still = np.zeros(len(at), dtype=np.int32)
            return SolvedGroup(motion, status, own, still, certificates.limit, certificates)
        known = self._gather(course.plan, {k: each.motion.bodies for k, each in solved.items()})
        found = course.rows(at, known)
        blocked = before != Status.OK
        # Rates that were not given make a stage say BAD_INPUT; the reason is the earlier group.
        failed = (found.status != Status.OK) & ~blocked
        position_lost = blocked & (before == Status.SINGULAR) & ~_has_position(found.motion)
        reason = np.where(position_lost, Status.NO_ASSEMBLY, before)
        status = np.where(blocked, reason, found.status).astype(np.int32)
        return SolvedGroup(found.motion, status, failed | position_lost, found.branch, found.limit)


def _teller(progress: Progress, number: int, groups: int, name: str) -> Callable[[float | None], None]:
    """Return what is told the place on the path that is reached, None before the first."""

    def report(at: float | None) -> None:
        progress(number, groups, name if at is None else f"{name}, t = {at:.4g} s")

    return report


def status_before(plan: Plan, number: int, solved: Mapping[int, SolvedGroup], rows: int) -> NDArray[np.int32]:
    """Return for each time the status of the groups that one depends on.

    Anything worse than SINGULAR comes first: behind it there is no position.
    """
    status = np.full(rows, Status.OK, dtype=np.int32)
    for each in plan.groups[number].group.depends_on:
        other = solved[each - 1].status
        take = (status == Status.OK) | ((status == Status.SINGULAR) & (other != Status.OK))
        status = np.where(take, other, status).astype(np.int32)
    return status


def _has_position(motion: GroupMotion) -> NDArray[np.bool_]:
    placed = [np.all(np.isfinite(each.pose), axis=-1) for each in motion.bodies.values()]
    found: NDArray[np.bool_] = np.all(placed, axis=0)
    return found
