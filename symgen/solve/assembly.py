"""From the groups' arrays to the result: welded bodies, points, coordinates without jumps, one status a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from symgen.library.rotations import Array
from symgen.model.named import Named
from symgen.model.parts import Joint
from symgen.solve.branches import reference_quaternion
from symgen.solve.coordinates import measure, measure_motion
from symgen.solve.newton import NewtonPlan
from symgen.solve.plan import GroupPlan, Plan
from symgen.solve.result import GroupTrack, MotionResult
from symgen.solve.rigid import frame_array
from symgen.solve.tracks import BodyTrack, continuous_sign, resting, track_of
from symgen.solve.trajectory import JointTrack, point_tracks
from symgen.solve.turns import ANGLES, without_jumps
from symgen.solve.walk import SolvedGroup
from symgen.status import Status

Drives = Mapping[tuple[str, str], Array]


def collect(
    plan: Plan, times: Array, branches: Sequence[int], solved: Sequence[SolvedGroup], drives: Drives
) -> MotionResult:
    """Gather what the groups gave into the result."""
    rows = len(times)
    every = _bodies(plan, solved, rows)
    status, failed = _first_failures(solved, rows)
    mechanism = plan.mechanism
    return MotionResult(
        mechanism=mechanism,
        times=times,
        status=status,
        failed=failed,
        bodies=Named("body", {body.id: every[body.id] for body in mechanism.bodies}),
        joints=Named("joint", _joints(plan, solved, every, drives)),
        points=Named("point", dict(point_tracks(mechanism, every))),
        groups=tuple(
            _group(group, number, each) for group, number, each in zip(plan.groups, branches, solved, strict=True)
        ),
    )


def _group(plan: GroupPlan | NewtonPlan, branch: int, solved: SolvedGroup) -> GroupTrack:
    return GroupTrack(
        number=plan.group.number,
        level=plan.group.level,
        signature=plan.group.signature,
        bodies=plan.group.bodies,
        module=plan.module,
        branch=branch,
        branches=plan.branches,
        status=solved.status,
        certificates=solved.certificates,
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
