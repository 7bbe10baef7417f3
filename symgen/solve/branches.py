"""Which branch of each group: the one the reference configuration lies on, or the one the user names.

From there on `symgen.solve.continuation` follows it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from symgen.errors import InputError, SolveError
from symgen.library.adapt import BodyMotion
from symgen.library.frames import port_pose
from symgen.library.newton.assemblies import MOST_FOUND
from symgen.library.stages import run_stages
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.poses import Array, compose, inverse, rotate
from symgen.solve.coordinates import frame_pose, measure
from symgen.solve.lengths import zero_lengths
from symgen.solve.newton import NewtonPlan, NewtonStart, choose_advice, reference_start
from symgen.solve.plan import GroupPlan, Plan
from symgen.solve.rigid import frame_array, pose_array
from symgen.solve.tracks import spatial_pose
from symgen.status import Status

#: The nearest branch must be nearer than the next by this factor.
CLEAR = 2.0
#: Branches nearer to each other than this part of the mechanism's size count as meeting. Where two solutions of a
#: quadratic are a part d apart, its discriminant is of order d^2: 1e-7 leaves 1e-14, the rounding of the discriminant.
MEETING = 1e-7

#: Group number or signature -> branch, or times -> branch from each of them on; -inf: from the first time asked for.
Choice = Mapping[int | str, int | Mapping[float, int]]


@dataclass(frozen=True)
class Candidate:
    """A branch of a group in the reference configuration.

    Parameters
    ----------
    branch : its index.
    status : OK or SINGULAR.
    distance : from the given poses: the largest over the group's bodies of the root mean square displacement [m] of
        six points on the axes of the body, at the mechanism's size from its middle.
    """

    branch: int
    status: Status
    distance: float


def choose_branches(
    plan: Plan, chosen: Mapping[int, int] | None = None, starts: dict[int, NewtonStart] | None = None
) -> tuple[int, ...]:
    """Return the branch of each group.

    Parameters
    ----------
    chosen : index of a group -> branch, see `split_choice`. Of a group that certified Newton solves: the place among
        the solutions found in the reference configuration.
    starts : is given the reference configuration of each group that certified Newton solves, by index.

    Raises
    ------
    SolveError
        A group has no real solution in the reference configuration (NO_ASSEMBLY), two branches are about equally
        near (AMBIGUOUS) or meet there (SINGULAR), and `chosen` does not say which.
    """
    chosen = chosen or {}
    by_newton = any(isinstance(group, NewtonPlan) for group in plan.groups)
    if not by_newton and all(number in chosen or group.branches == 1 for number, group in enumerate(plan.groups)):
        return tuple(chosen.get(number, 0) for number in range(len(plan.groups)))
    return _Reference(plan).walk(chosen, {} if starts is None else starts)


def split_choice(plan: Plan, choice: Choice) -> tuple[dict[int, int], dict[int, dict[float, int]]]:
    """Return the user's choice by index of the group: the branch to begin with, and times -> branch from there on.

    A signature stands for all its groups; a number wins.

    Raises
    ------
    InputError
        `choice` names no group, a branch that the type does not have, or a time that is none.
    """
    signatures = sorted({group.group.signature for group in plan.groups})
    by_signature: dict[int, dict[float, int]] = {}
    by_number: dict[int, dict[float, int]] = {}
    if not isinstance(choice, Mapping):
        raise InputError(f"branch {show(str(choice))}: give a group and its branch, such as {{2: 1}}")
    for key, given in choice.items():
        text = str(key).strip()
        if text.isdecimal():
            if not 1 <= int(text) <= len(plan.groups):
                raise InputError(f"branch {text}={given}: there is no group {text}; groups are 1 to {len(plan.groups)}")
            targets, table = [int(text) - 1], by_number
        else:
            targets = [n for n, group in enumerate(plan.groups) if group.group.signature == text]
            table = by_signature
        if not targets:
            hint = did_you_mean(text, signatures) or f"; signatures are {list_names(signatures)}"
            raise InputError(f"branch {text}={given}: no group has the number or signature {show(text)}{hint}")
        for target in targets:
            table[target] = _over_time(plan.groups[target], given)
    chosen = {**by_signature, **by_number}
    plain = {target: times[-np.inf] for target, times in chosen.items() if -np.inf in times}
    timed = {target: {t: branch for t, branch in times.items() if t > -np.inf} for target, times in chosen.items()}
    return plain, {target: times for target, times in timed.items() if times}


def read_choice(plan: Plan, choice: Choice) -> dict[int, int]:
    """Return the user's choice where no time goes on: index of the group -> branch."""
    plain, timed = split_choice(plan, choice)
    if timed:
        number = min(timed) + 1
        raise InputError(f"branch of group {number}: only one time is solved here; give a branch without a time")
    return plain


def _over_time(group: GroupPlan | NewtonPlan, given: int | Mapping[float, int]) -> dict[float, int]:
    if not isinstance(given, Mapping):
        return {-np.inf: _checked(group, given)}
    if isinstance(group, NewtonPlan):
        raise InputError(
            f"branch of {group}: certified Newton solves it, and its solutions have no numbers that stay valid over "
            "time; name a branch without a time, which applies to the reference configuration"
        )
    found = {}
    for time, branch in given.items():
        if isinstance(time, bool) or not isinstance(time, (int, float, np.number)) or not time < np.inf:
            raise InputError(f"branch of {group}: {show(str(time))} is not a time [s]; write {{{group.group.number}: "
                             "{0.25: 1}}}, branch 1 from 0.25 s on")  # fmt: skip
        found[float(time)] = _checked(group, branch)
    return found


def _checked(group: GroupPlan | NewtonPlan, branch: int) -> int:
    count = MOST_FOUND if isinstance(group, NewtonPlan) else group.branches
    if isinstance(branch, bool) or not isinstance(branch, (int, np.integer)) or not 0 <= branch < count:
        allowed = "only branch 0" if count == 1 else f"branches 0 to {count - 1}"
        raise InputError(f"branch {branch!r} of {group}: it has {allowed}")
    return int(branch)


def given_poses(plan: Plan) -> dict[str, Array]:
    """Return the poses (7,) of all bodies in the mechanism file."""
    return {body: pose_array(plan.mechanism.body(body).pose) for body in plan.mechanism.body_ids}


def drawn_drives(plan: Plan) -> dict[tuple[str, str], float]:
    """Return the driven coordinates that the given poses have [rad or m]."""
    reference = _Reference(plan)
    return {key: float(reference.driven(*key)[0]) for group in plan.groups for key in group.driven}


def mechanism_size(plan: Plan) -> float:
    """Return the length [m] that makes angles comparable, see `_Reference`."""
    return _Reference(plan).size


class _Reference:
    """Assembles the reference configuration group by group."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        mechanism = plan.mechanism
        self.space = mechanism.space
        self.given = given_poses(plan)
        self.found: dict[str, Array] = {mechanism.ground: port_pose(mechanism.ground_body.pose, self.space)}
        self.centres = self._centres()
        self.size = self._size()

    def walk(self, chosen: Mapping[int, int], starts: dict[int, NewtonStart]) -> tuple[int, ...]:
        branches = []
        for number, group in enumerate(self.plan.groups):
            if isinstance(group, NewtonPlan):
                branch, starts[number] = self._start(group, chosen.get(number))
                branches.append(branch)
                self.found.update(starts[number].poses)
                continue
            candidates, poses = self._assemble(group)
            if number in chosen:
                best = self._named(group, candidates, chosen[number])
            else:
                best = self._nearest(group, candidates)
            branches.append(best.branch)
            for body in group.bodies:
                self.found[body] = poses[body][best.branch]
        return tuple(branches)

    def _assemble(self, group: GroupPlan) -> tuple[list[Candidate], dict[str, Array]]:
        known = {body: BodyMotion(self.found[body]) for body in group.known}
        drives = {key: self.driven(*key) for key in group.driven}
        ports = group.adapter.ports(known, group.frames, drives, group.pitches)
        found = run_stages(group.solved, ports, np.arange(group.solved.branches))
        motion = group.adapter.motion(ports, found.values)
        every = np.broadcast_to(found.status, (group.solved.branches,))
        poses = {
            body: np.broadcast_to(row, (group.solved.branches, row.shape[-1]))
            for body, row in ((body, motion.bodies[body].pose) for body in group.bodies)
        }
        candidates = [
            Candidate(branch, Status(int(status)), max(self._distance(body, poses[body][branch]) for body in poses))
            for branch, status in enumerate(every)
            if status in (Status.OK, Status.SINGULAR)
        ]
        if not candidates:
            reason = common_status(every)
            own = group.adapter.fit.entry.manifest.meanings.get(reason.name, "")
            said = f"{self._where()}{group} has no solution in the reference configuration" if own else ""
            raise SolveError(said or self._no_assembly(group, reason), reason, meaning=own)
        return sorted(candidates, key=lambda each: (each.distance, each.branch)), poses

    def _start(self, group: NewtonPlan, choice: int | None) -> tuple[int, NewtonStart]:
        known = {body: self.found[body] for body in group.known}
        drives = {key: self.driven(*key) for key in group.driven}
        poses = {body: port_pose(self.plan.mechanism.body(body).pose, self.space) for body in group.bodies}
        return reference_start(group, known, drives, poses, choice)

    def driven(self, joint_id: str, freedom: str) -> Array:
        """Return the coordinate that the given poses have, at rest: (3,)."""
        joint = self.plan.mechanism.joint(joint_id)
        ends = [
            frame_pose(self.given[body], frame_array(self.plan.rigid.frame(joint, side)))
            for side, body in enumerate(self.plan.rigid.ends(joint))
        ]
        if joint.pitch is not None:  # by the slide, which counts full turns
            return np.array([float(compose(inverse(ends[0]), ends[1])[2]) / joint.pitch, 0.0, 0.0])
        return np.array([float(measure(joint.type, *ends)[freedom]), 0.0, 0.0])

    def _nearest(self, group: GroupPlan, candidates: list[Candidate]) -> Candidate:
        best = candidates[0]
        if group.ranked and best.status is Status.SINGULAR:
            raise SolveError(
                f"{self._where()}{group}: branches meet in the reference configuration, so it does not determine "
                "which branch continues; draw another position",
                Status.SINGULAR,
                f"or give --branch {group.group.number}={best.branch} for this one and "
                f"--branch {group.group.number}=K@T from a later time T on",
            )
        if len(candidates) == 1:
            return best
        second = candidates[1]
        if second.distance >= CLEAR * max(best.distance, MEETING * self.size):
            return best
        meet = Status.SINGULAR in (best.status, second.status) and second.distance < MEETING * self.size
        raise SolveError(
            self._ambiguous(group, candidates),
            Status.SINGULAR if meet else Status.AMBIGUOUS,
            choose_advice(group.group.number),
        )

    def _named(self, group: GroupPlan, candidates: list[Candidate], branch: int) -> Candidate:
        for candidate in candidates:
            if candidate.branch == branch:
                return candidate
        real = ", ".join(str(number) for number in sorted(each.branch for each in candidates))
        raise SolveError(
            f"{self._where()}{group}: branch {branch} has no real solution in the reference configuration; "
            f"those that have: {real}",
            Status.BRANCH_LOST,
        )

    def _distance(self, body: str, pose: Array) -> float:
        """Return the root mean square displacement [m] of the points -c, +c on each axis around the body's middle.

        With middle m, the displacement of m + c e is (m' - m) + c (R' - R) e; the mixed terms of +c and -c cancel.
        """
        before, after = self.given[body], spatial_pose(pose, self.space)
        middle = self.centres[body]
        shift = compose(after, middle)[:3] - compose(before, middle)[:3]
        turn = [rotate(after[3:], axis) - rotate(before[3:], axis) for axis in np.eye(3)]
        return float(np.sqrt(shift @ shift + self.size**2 * sum(float(each @ each) for each in turn) / 3.0))

    def _centres(self) -> dict[str, Array]:
        """Return for each leading body the mean of its joint centres, as a pose (7,) in its frame."""
        points: dict[str, list[Array]] = {body: [] for body in self.given}
        for joint in self.plan.mechanism.joints:
            for side, body in enumerate(self.plan.rigid.ends(joint)):
                points[body].append(frame_array(self.plan.rigid.frame(joint, side))[:3])
        middle = {body: np.mean(each, axis=0) if each else np.zeros(3) for body, each in points.items()}
        return {body: np.array([*place, 1.0, 0.0, 0.0, 0.0]) for body, place in middle.items()}

    def _size(self) -> float:
        """Return the length [m] that makes angles comparable: the largest distance of a joint centre from the middle.

        Measured per body, in its own frame, so that it does not depend on the poses given; 1 if there is none.
        """
        spread = 0.0
        for joint in self.plan.mechanism.joints:
            for side, body in enumerate(self.plan.rigid.ends(joint)):
                frame = self.plan.rigid.frame(joint, side)
                spread = max(spread, float(np.linalg.norm(frame_array(frame)[:3] - self.centres[body][:3])))
        return spread or 1.0

    def _where(self) -> str:
        return f"{self.plan.mechanism.file}: " if self.plan.mechanism.file else ""

    def _ambiguous(self, group: GroupPlan, candidates: list[Candidate]) -> str:
        rows = "".join(
            f"\n  - branch {each.branch}: {each.distance:.3g} m away, {each.status.name}" for each in candidates
        )
        return f"{self._where()}{group}: the reference configuration does not distinguish its branches{rows}"

    def _no_assembly(self, group: GroupPlan, reason: Status) -> str:
        short = zero_lengths(self.plan, group) if reason in (Status.BAD_INPUT, Status.DEGENERATE) else []
        if short:
            return f"{self._where()}{group}: {'; '.join(short)}"
        if reason is Status.DEGENERATE:
            return (
                f"{self._where()}{group} has no solution or infinitely many solutions in the reference configuration. "
                "Look for a joint centre on the axis of another joint, coinciding centres, or parallel axes, which "
                "leave a body free to turn there; move the drives or change the joint frames a little"
            )
        bare = [body for body in group.bodies if not self.plan.mechanism.body(body).pose_given]
        byside = any("frames" in self._source(joint.name) for joint in group.joints)
        hint = "check the joint frames of its bodies (their lengths) and the poses of its known bodies there"
        if bare and byside:
            bodies = ", ".join(bare)
            hint = (
                f"give `pose` of {bodies} and of the bodies before them, near a configuration that closes, or correct "
                "lengths: links may be too short or too long to meet"
            )
        return f"{self._where()}{group} has no real solution in the reference configuration; {hint}"

    def _source(self, joint: str) -> Mapping[str, object]:
        table = self.plan.mechanism.source.get("joints", {})
        found: Mapping[str, object] = table.get(joint, {}) if isinstance(table, Mapping) else {}
        return found


def common_status(statuses: NDArray[np.int32]) -> Status:
    """Return why a group has no branch: the first thing that is not just out of reach."""
    for status in map(int, statuses):
        if status in (Status.BAD_INPUT, Status.DEGENERATE, Status.NOT_CONVERGED):
            return Status(status)
    return Status.NO_ASSEMBLY


def reference_quaternion(plan: Plan, body: str) -> Array:
    """Return the orientation (4,) that the file gives a body in the reference configuration."""
    return pose_array(plan.mechanism.body(body).pose)[3:]
