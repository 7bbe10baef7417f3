"""From the groups' arrays to the result: welded bodies, points, coordinates without jumps, one status a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from symgen.model.mechanism import Mechanism
from symgen.model.named import Named
from symgen.model.parts import Joint
from symgen.poses import Array
from symgen.solve.branches import reference_quaternion
from symgen.solve.coordinates import measure, measure_motion
from symgen.solve.course import ClosedCourse
from symgen.solve.nearby import Nearby
from symgen.solve.newton import Certificates, NewtonPlan
from symgen.solve.plan import GroupPlan, Plan
from symgen.solve.result import Event, GroupTrack, MotionResult
from symgen.solve.rigid import frame_array
from symgen.solve.tracks import BodyTrack, continuous_sign, resting, track_of
from symgen.solve.trajectory import JointTrack, point_tracks
from symgen.solve.turns import ANGLES, without_jumps
from symgen.solve.walk import SolvedGroup, Walk
from symgen.status import Status

Drives = Mapping[tuple[str, str], Array]

#: Events that are told also where no time asked for lies in their span.
_MET = (Status.SINGULAR, Status.NO_ASSEMBLY)
#: Ends of spans nearer to each other than this part of all times are one: both were found by halving.
_TOGETHER = 1e-6


def collect(
    plan: Plan,
    mechanism: Mechanism,
    near: Nearby,
    times: Array,
    walk: Walk,
    solved: Sequence[SolvedGroup],
    drives: Drives,
) -> MotionResult:
    """Gather what the groups gave into the result.

    Parameters
    ----------
    plan, walk, solved : of the mechanism near the origin.
    mechanism, near : the one that was asked for, and how its motion is brought back.
    """
    rows = len(times)
    local = _bodies(plan, solved, rows)
    every = {body: near.track(body, track) for body, track in local.items()}
    every[mechanism.ground] = local[mechanism.ground]
    status, failed = _first_failures(solved, rows)
    return MotionResult(
        mechanism=mechanism,
        times=times,
        status=status,
        failed=failed,
        bodies=Named("body", {body.id: every[body.id] for body in mechanism.bodies}),
        joints=Named("joint", _joints(plan, solved, local, drives)),
        points=Named("point", dict(point_tracks(mechanism, every))),
        groups=tuple(_group(group, each) for group, each in zip(plan.groups, solved, strict=True)),
        limit=_limits(solved, rows),
        events=tuple(_events(plan, walk, solved, times)),
    )


def _limits(solved: Sequence[SolvedGroup], rows: int) -> NDArray[np.bool_]:
    found = np.zeros(rows, dtype=np.bool_)
    for each in solved:
        found |= each.limit
    return found


def _events(plan: Plan, walk: Walk, solved: Sequence[SolvedGroup], times: Array) -> Iterator[Event]:
    """Yield what happened to branches from where the motion begins, or the first time, to the last.

    What a group cannot do while one that it depends on has failed is no event of its own.
    """
    low, high = min(float(np.min(times)), walk.path.begin), max(float(np.max(times)), walk.path.begin)
    slack = _TOGETHER * (high - low)
    failed: dict[int, list[Event]] = {}
    for group, course, found in zip(plan.groups, walk.courses, solved, strict=True):
        number = group.group.number
        above = [event for one in group.group.depends_on for event in failed[one]]
        failed[number] = list(above)
        every = _met(number, course) if isinstance(course, ClosedCourse) else _searched(number, found.certificates)
        reported: list[Event] = []
        for event in sorted(every, key=lambda each: each.first):
            asked = event.status in _MET or np.any((times >= event.first) & (times <= event.last))
            waits = any(one.first - slack <= event.first and event.last <= one.last + slack for one in above)
            if event.status is not Status.SINGULAR:
                _tell(failed[number], event, slack)
            if event.first <= high and event.last >= low and asked and not waits:
                first, last = (round(max(low, min(each, high)), 12) for each in (event.first, event.last))
                _tell(reported, replace(event, first=first, last=last), slack)
        yield from reported


def _tell(reported: list[Event], event: Event, slack: float) -> None:
    """Add an event, or make the span of one that says the same and ends where this one begins longer."""
    for k, other in enumerate(reported):
        if event.status is not Status.SINGULAR and other.text == event.text and event.first <= other.last + slack:
            reported[k] = replace(other, last=max(other.last, event.last))
            return
    reported.append(event)


def _met(number: int, course: ClosedCourse) -> Iterator[Event]:
    """Yield where branches of a group in closed form meet, and where one could not be followed."""
    for crossing in (each for each in course.crossings if each.meets):
        at = crossing.at
        before, after = crossing.before, crossing.after
        if crossing.times[-1] < crossing.times[0]:
            before, after = after, before
        text = f"branches meet; the smooth motion goes from branch {before} to branch {after}"
        yield Event(number, at, at, Status.SINGULAR, text)
    for at in course.meetings:
        yield Event(number, at, at, Status.SINGULAR, "branches meet where the motion should begin")
    for first, last in course.gaps:
        text = "out of reach; after it the motion starts again on the branch of the same signs"
        yield Event(number, first, last, Status.NO_ASSEMBLY, text)
    for first, last, ending in course.endings:
        advice = f"; choose one with --branch {number}=K@T, from the time T on"
        yield Event(number, first, last, ending.status, ending.why + advice)


def _searched(number: int, found: Certificates | None) -> Iterator[Event]:
    """Yield where solutions of a group without a closed form meet, and where it could not be followed."""
    if found is None:
        return
    for point in found.change_points:
        yield Event(number, point, point, Status.SINGULAR, "solutions meet; the smooth motion goes on")
    for first, last, ending in found.endings:
        advice = ""
        if ending.status is Status.AMBIGUOUS:
            advice = (
                "; `--assemblies --from T` lists the assemblies after it, `--from T --assembly K` continues from one "
                "of them"
            )
        yield Event(number, first, last, ending.status, ending.why + advice)


def _group(plan: GroupPlan | NewtonPlan, solved: SolvedGroup) -> GroupTrack:
    return GroupTrack(
        number=plan.group.number,
        level=plan.group.level,
        signature=plan.group.signature,
        bodies=plan.group.bodies,
        module=plan.module,
        branch=int(solved.branch[0]),
        branches=plan.branches,
        branch_rows=solved.branch,
        status=solved.status,
        certificates=solved.certificates,
        meanings={} if isinstance(plan, NewtonPlan) else plan.adapter.fit.entry.manifest.meanings,
    )


def _bodies(plan: Plan, solved: Sequence[SolvedGroup], rows: int) -> dict[str, BodyTrack]:
    """Return the motion of every body, the ground and welded ones included."""
    space = plan.mechanism.space
    tracks = {plan.mechanism.ground: resting(rows)}
    for group in solved:
        for body, motion in group.motion.bodies.items():
            tracks[body] = track_of(motion, space, reference_quaternion(plan, body))
    for body, leader in plan.rigid.leader.items():
        if body != leader:
            track = tracks[leader].attached(plan.rigid.place[body])
            q = continuous_sign(track.q, reference_quaternion(plan, body))
            tracks[body] = BodyTrack(track.r, q, track.v, track.omega, track.a, track.alpha)
    return tracks


def _joints(
    plan: Plan, solved: Sequence[SolvedGroup], tracks: Mapping[str, BodyTrack], drives: Drives
) -> dict[str, JointTrack]:
    triples: dict[str, Mapping[str, Array]] = {}
    for group in solved:
        triples.update(group.motion.joints)
    for joint in plan.loose:
        triples[joint.id] = _loose(plan, joint, tracks)
    rows = len(next(iter(tracks.values())).r)
    return {
        joint.id: _joint(joint, triples[joint.id], drives, rows) for joint in plan.mechanism.joints if joint.freedoms
    }


def _loose(plan: Plan, joint: Joint, tracks: Mapping[str, BodyTrack]) -> Mapping[str, Array]:
    first, second = plan.rigid.ends(joint)
    frames = [frame_array(plan.rigid.frame(joint, side)) for side in (0, 1)]
    if first == second:  # between bodies that are welded together: it cannot move
        still = measure(joint.type, frames[0], frames[1])
        return {freedom: np.array([float(value), 0.0, 0.0]) for freedom, value in still.items()}
    return measure_motion(joint.type, (tracks[first], tracks[second]), (frames[0], frames[1]))


def _joint(joint: Joint, found: Mapping[str, Array], drives: Drives, rows: int) -> JointTrack:
    columns: tuple[dict[str, Array], ...] = ({}, {}, {})
    for freedom in joint.freedoms:
        law = drives.get((joint.id, freedom))
        triple = np.broadcast_to(found[freedom] if law is None else law, (rows, 3))
        for order, column in enumerate(columns):
            column[freedom] = triple[:, order].copy()
        if law is None and freedom in ANGLES:
            columns[0][freedom] = without_jumps(columns[0][freedom])
    return JointTrack(*columns)


def _first_failures(solved: Sequence[SolvedGroup], rows: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    status = np.full(rows, Status.OK, dtype=np.int32)
    failed = np.zeros(rows, dtype=np.int32)
    for number, group in enumerate(solved, start=1):
        new = group.own & (failed == 0)
        failed[new] = number
        status[new] = group.status[new]
    return status, failed
