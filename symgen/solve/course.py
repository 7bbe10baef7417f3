"""A structural group in closed form along a path: which branch at which time, and its motion at any time.

What is found is a function of the parameter, not a table: a group behind it asks for its motion wherever it looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from symgen.library.adapt import BodyMotion, GroupMotion
from symgen.library.closure import driven_value, open_joints
from symgen.library.smooth import MotionSamples, evaluate
from symgen.library.stages import run_stages
from symgen.poses import Array, multiply
from symgen.solve.branch_steps import Branches
from symgen.solve.continuation import NEXT_TO_POINT, TOO_FAR, Crossing, Ending, Journey, PathProgress, travel
from symgen.solve.displaced import ASIDE, PLACES, displaced_frames
from symgen.solve.meetings import ASIDE as ASIDE_OF_FRAMES
from symgen.solve.meetings import Meeting, examine
from symgen.solve.path import Drives, Path
from symgen.solve.plan import GroupPlan
from symgen.solve.tracks import continuous_sign, frame_points
from symgen.solve.turns import ANGLES, without_jumps
from symgen.status import Status

Motions = Mapping[str, BodyMotion]
Frames = Mapping[str, tuple[Array, Array]]

#: Places that were asked for last: several groups behind this one look at the same ones.
_REMEMBERED = 4
#: Rows with a condition above this are looked at twice: roundings of accelerations grow with its square or third power.
_ILL = 1e4
#: How far a known body is displaced then, in parts of the size; what part of the difference that makes four roundings
#: are; what part of accelerations they may be.
_FAR = 1e-10
_ROUNDED, _ROUGH = 1e-5, 1e-3
#: Where zeros of a polynomial are double their roundings are large, and joints stay open by them. Accelerations are
#: wrong by this share of what is open, in parts of the size, times the third power of the condition (0.003 to 0.17
#: was seen, of 1e-6 to 0.6); rows with a condition above the second are looked at.
_OPEN_SHARE, _ILL_RANKED = 0.1, 1e3
#: Conditions grow where lengths are small numbers and angles are not: of mechanisms smaller than a metre they count in
#: units of the least one about, at these parts of the time scale away, over what it is of one of a metre (4 to 14).
_ABOUT = np.array([-1.0, -0.5, -0.25, 0.25, 0.5, 1.0])
_LEAST_CONDITION = 5.0
#: Who moves by this part of the size is nearer to such a place than a body was displaced.
_TURNED = 1e-2
#: Estimated errors of accelerations amid the samples of a crossing up to this part are given: they were seen to be 40
#: times as large near a drawing, where samples have no room, so that they stay in the order of the part above.
_ROUGH_AMID = 1e-4
#: Places amid the samples of a crossing at which joints are looked at.
_CLOSING = 9
_BEGINS_SINGULAR = (
    "the laws begin where branches meet, and the drawing is elsewhere, so it does not determine which branch goes on"
)
_BEGINS_LOST = "the laws begin where not all branches are found, so the branch that goes on has no number"


@dataclass(frozen=True)
class Anchor:
    """A branch that is known at one value of the parameter, or why it is not."""

    at: float
    branch: int
    lost: Ending | None = None


@dataclass(frozen=True)
class CourseRows:
    """A group's motion at n values of the parameter.

    Parameters
    ----------
    status : (n,) int32, the group's own.
    branch : (n,) int32, -1 where it is not known.
    limit : (n,) bool: rates, and where the position is not determined either that too, are the limit of the smooth
        motion from both sides.
    """

    motion: GroupMotion
    status: NDArray[np.int32]
    branch: NDArray[np.int32]
    limit: NDArray[np.bool_]


class ClosedCourse:
    """A group in closed form along a path.

    Parameters
    ----------
    plan : the group.
    path : of the driven freedoms.
    known : (n,) values of the parameter -> motions of the known bodies there.
    space, size : of the mechanism.
    known_to : relative spacing of the numbers that its lengths are made of.
    """

    def __init__(
        self,
        plan: GroupPlan,
        path: Path,
        known: Callable[[Array], Motions],
        space: str,
        size: float,
        known_to: float,
    ) -> None:
        self.plan, self.path, self._known, self._space, self._size = plan, path, known, space, size
        self._known_to = known_to
        self._starts: Array = np.array([-np.inf])
        self._labels: NDArray[np.int32] = np.zeros(1, dtype=np.int32)
        self.crossings: list[Crossing] = []
        self.endings: list[tuple[float, float, Ending]] = []
        self.gaps: list[tuple[float, float]] = []
        self.meetings: list[float] = []
        self._patches: dict[int, _Patch] = {}
        self._seen: dict[bytes, Motions] = {}
        self._is_double = plan.branches > 1 and np.dtype(plan.solved.real) == np.float64

    def follow(self, anchors: Sequence[Anchor], progress: PathProgress | None = None) -> None:
        """Find the branch all along the path.

        Parameters
        ----------
        anchors : in ascending order; each holds from its place up to the next one, the first one also below.
        progress : called with the place that is reached, now and then.
        """
        if self.plan.branches == 1:
            return
        nodes = self.path.nodes
        first = anchors[0]
        back = self._travel(first, nodes[nodes < first.at][::-1], -np.inf, progress, cut=self.path.cut[0])
        # Travelled downwards, a label holds from its place on downwards, so up to the place where the last one began.
        labels = list(reversed(back.labels))
        starts = [-np.inf, *(float(np.nextafter(each, np.inf)) for each in reversed(back.starts[1:]))]
        if back.ending is not None:
            self.endings.append((-np.inf, float(np.nextafter(back.ending.at, np.inf)), back.ending))
        if back.meets:
            self.meetings.append(first.at)
        self.crossings += back.crossings
        self.gaps += [(end, begin) for begin, end in back.gaps]
        for anchor, until in zip(anchors, [*(each.at for each in anchors[1:]), np.inf], strict=True):
            cut = self.path.cut[1] and nodes[-1] < until
            journey = self._travel(anchor, nodes[(nodes > anchor.at) & (nodes <= until)], np.inf, progress, cut=cut)
            starts += [anchor.at, *journey.starts[1:]]
            labels += journey.labels
            self.crossings += journey.crossings
            self.gaps += journey.gaps
            if journey.meets and anchor.at not in self.meetings:
                self.meetings.append(anchor.at)
            if journey.ending is not None:
                self.endings.append((journey.ending.at, until, journey.ending))
        self._starts, self._labels = np.array(starts), np.array(labels, dtype=np.int32)

    def _travel(
        self, anchor: Anchor, nodes: Array, towards: float, progress: PathProgress | None, *, cut: bool
    ) -> Journey:
        """Follow the branch to the last of the nodes, up or down; `cut`: what is asked for lies further."""
        if anchor.lost is not None:
            return Journey([anchor.at], [anchor.branch], ending=replace(anchor.lost, at=anchor.at))
        found = travel(
            self._look,
            np.concatenate([[anchor.at], nodes]),
            anchor.branch,
            ranked=self.plan.ranked,
            size=self._size,
            scale=self.path.scale,
            precision=float(np.finfo(self.plan.solved.real).eps),
            left_open=None if self.plan.driven else self._left_open,
            examined=self._examined if self._is_double and not self.plan.ranked else None,
            known_to=self._known_to,
            progress=progress,
        )
        if cut and found.ending is None:
            last = float(nodes[-1] if len(nodes) else anchor.at)
            found.ending = Ending(float(np.nextafter(last, towards)), Status.AMBIGUOUS, TOO_FAR)
        return found

    def _examined(self, label: int, at: float, width: float) -> Meeting | None:
        scale = self.path.scale(at)
        return examine(self._look, self._displaced, label, at, width, scale, self._size, self._known_to)

    def end(self, at: float) -> Anchor:
        """Return the branch at one place, or why it is not known there: branches may meet just there."""
        place = np.array([at])
        label = int(self.label(place)[0])
        lost = next((ending for low, high, ending in self.endings if low <= at < high), None)
        if lost is None and self.plan.branches > 1:
            _, status, _ = self._solve(place, np.array([label], dtype=np.int32))
            within = [each for each in self.crossings if each.start < at < each.end]
            if any(each.bridged for each in within):
                lost = Ending(at, Status.AMBIGUOUS, _BEGINS_LOST)
            elif within or status[0] in (Status.SINGULAR, Status.DEGENERATE):
                lost = Ending(at, Status.AMBIGUOUS, _BEGINS_SINGULAR)
        return Anchor(at, max(label, 0), lost)

    # -- numbers -------------------------------------------------------------------------------------------------------

    def label(self, at: Array) -> NDArray[np.int32]:
        """Return the branch at each place, -1 where it is not known."""
        found = self._labels[np.searchsorted(self._starts, at, side="right") - 1].copy()
        for low, high, _ in self.endings:
            found[(at >= low) & (at < high)] = -1
        return found

    def rows(self, at: Array, known: Motions | None = None) -> CourseRows:
        """Return the group's motion at (n,) values of the parameter.

        Parameters
        ----------
        known : motions of the known bodies there, if the caller has them.
        """
        label = self.label(at)
        motion, status, condition = self._solve(at, np.maximum(label, 0), known, condition=self._is_double)
        motion = _full(motion, len(at))
        limit = np.zeros(len(at), dtype=np.bool_)
        rough = np.zeros(len(at), dtype=np.bool_)
        for number, crossing in enumerate(self.crossings):
            within = (at > crossing.start) & (at < crossing.end) & (label >= 0)
            if not np.any(within):
                continue
            if number not in self._patches:
                self._patches[number] = self._patch(crossing)
            self._patches[number].put(motion, within, at[within])
            limit |= within
            beside = np.abs(at - crossing.at) > NEXT_TO_POINT * self.path.scale(crossing.at)
            beside |= not crossing.meets
            if crossing.bridged:  # what the solver says of the row is of another branch, or that there is none
                status[within] = np.where(beside, Status.OK, Status.SINGULAR)[within]
            elif self.plan.ranked:  # whether such a point is bridged may hang on the grid, what is said of it may not
                status[within & ~beside] = Status.SINGULAR
            if self._is_double and crossing.rough > _ROUGH_AMID:
                rough |= within
        if condition is not None:
            self._hide_roundings(at, label, motion, status, (condition > _ILL) & ~limit)
            if self.plan.ranked:
                self._hide_open(at, motion, status, condition, (condition > _ILL_RANKED) & ~limit & (label >= 0))
        # Where the branch itself is not regular within rounding of the point, the limit is all there is.
        limit &= status != Status.OK
        limit &= ~rough
        self._say_rough(motion, status, np.flatnonzero(rough))
        status = np.where(limit, Status.SINGULAR, status).astype(np.int32)
        for low, high, ending in self.endings:
            lost = (at >= low) & (at < high)
            # Where it is not known whether the branch goes on, "out of reach" would be more than is known.
            is_known = self.plan.ranked and ending.status != Status.AMBIGUOUS
            status[lost] = self._lost_status(at[lost], ending) if is_known else ending.status
        _blank(motion, label < 0)
        return CourseRows(motion, status, label, limit)

    def bodies(self, at: Array) -> Motions:
        """Return the motion of the group's bodies at (n,) values of the parameter."""
        key = at.tobytes()
        if key not in self._seen:
            while len(self._seen) >= _REMEMBERED:
                del self._seen[next(iter(self._seen))]
            self._seen[key] = self.rows(at).motion.bodies
        return self._seen[key]

    def _lost_status(self, at: Array, ending: Ending) -> NDArray[np.int32]:
        """Say NO_ASSEMBLY, or what is worse, where no branch is there; elsewhere what the branch ended with."""
        every = self._look(at).status
        found = np.full(len(at), ending.status, dtype=np.int32)
        for row, each in enumerate(every.T):
            if not np.any(np.isin(each, (Status.OK, Status.SINGULAR))):
                worse = [int(code) for code in each if code not in (Status.NO_ASSEMBLY, Status.BRANCH_LOST)]
                found[row] = worse[0] if worse else Status.NO_ASSEMBLY
        return found

    def _hide_roundings(
        self,
        at: Array,
        label: NDArray[np.int32],
        motion: GroupMotion,
        status: NDArray[np.int32],
        ill: NDArray[np.bool_],
    ) -> None:
        """Say SINGULAR, and take the rates out, where roundings of a known body's place make too much of accelerations.

        Where points coincide a link may have any direction. Beside such a place solving once more with a body displaced
        tells how large roundings have become.
        """
        rows = np.flatnonzero(ill & (status == Status.OK) & (label >= 0))
        if not rows.size:
            return
        known = dict(self._known(at[rows]))
        place = self.plan.known[-1]
        body = known[place]
        numbers = body.pose.shape[-1]
        units = np.where(np.arange(numbers) < PLACES[numbers], self._size, 1.0)
        shift = _FAR * units * np.array(ASIDE[numbers])
        beside, found, _ = self._solve(at[rows], label[rows], {**known, place: replace(body, pose=body.pose + shift)})
        off, scale, turned = np.zeros(len(rows)), np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
        for name in self.plan.bodies:
            here = BodyMotion(*(None if each is None else each[rows] for each in _orders(motion.bodies[name])))  # type: ignore[arg-type]
            there, rate, second = frame_points(here, self._space, self._size)
            aside, _, other = frame_points(beside.bodies[name], self._space, self._size)
            turned |= np.abs(there - aside).max(axis=(-2, -1)) > _TURNED * self._size
            off = np.maximum(off, np.abs(second - other).max(axis=(-2, -1)))
            scale = np.maximum(
                scale, np.abs(second).max(axis=(-2, -1)) + np.abs(rate).max(axis=(-2, -1)) ** 2 / self._size
            )
        for name in self.plan.known:
            _, rate, second = frame_points(known[name], self._space, self._size)
            own = np.abs(second).max(axis=(-2, -1)) + np.abs(rate).max(axis=(-2, -1)) ** 2 / self._size
            scale = np.maximum(scale, own)
        self._say_rough(motion, status, rows[~(_ROUNDED * off <= _ROUGH * scale) | (found != Status.OK) | turned])

    def _hide_open(
        self, at: Array, motion: GroupMotion, status: NDArray[np.int32], condition: Array, ill: NDArray[np.bool_]
    ) -> None:
        """Say SINGULAR, and take the rates out, where joints are as open as zeros that are almost double leave them.

        Roundings of a polynomial's zeros are none of a known body's place: what that does to a row does not tell them.
        """
        rows = np.flatnonzero(ill & (status == Status.OK))
        if not rows.size:
            return
        poses = {body: part.pose[rows] for body, part in motion.bodies.items()}
        poses |= {body: part.pose for body, part in self._known(at[rows]).items() if body not in poses}
        error = _OPEN_SHARE * self._open(at[rows], poses) / self._size * condition[rows] ** 3
        rough = ~(error <= _ROUGH_AMID)
        if self._size < 1.0 and np.any(rough):
            rough[rough] = ~(error[rough] * self._small_lengths(at[rows[rough]]) ** 3 <= _ROUGH_AMID)
        self._say_rough(motion, status, rows[rough])

    def _small_lengths(self, at: Array) -> Array:
        """Return the share of a condition that is left without what small lengths make of it."""
        every = np.arange(self.plan.branches, dtype=np.int32)[:, None]
        least = np.full(len(at), np.inf)
        scales = np.array([self.path.scale(float(each)) for each in at])
        for part in _ABOUT:
            _, status, condition = self._solve(at + part * scales, every, condition=True)
            if condition is not None:
                there = np.where((status == Status.OK) & np.isfinite(condition), condition, np.inf)
                least = np.minimum(least, there.min(axis=0))
        return np.where(np.isfinite(least), np.minimum(1.0, _LEAST_CONDITION / least), 1.0)

    @staticmethod
    def _say_rough(motion: GroupMotion, status: NDArray[np.int32], rough: NDArray[np.intp]) -> None:
        """Say SINGULAR of rows, and take their rates out."""
        status[rough] = Status.SINGULAR
        for part in motion.bodies.values():
            for array in (part.twist, part.acceleration):
                if array is not None:
                    array[rough] = np.nan
        for freedoms in motion.joints.values():
            for triple in freedoms.values():
                triple[rough, 1:] = np.nan

    def _solve(
        self,
        at: Array,
        branch: NDArray[np.int32],
        known: Motions | None = None,
        *,
        condition: bool = False,
        frames: Frames | None = None,
    ) -> tuple[GroupMotion, NDArray[np.int32], Array | None]:
        """Solve one branch (n,), or several (branches, 1), at (n,) places; with the condition of the rates if asked."""
        bodies = self._known(at) if known is None else known
        ports = self.plan.adapter.ports(bodies, frames or self.plan.frames, self._drives(at), self.plan.pitches)
        inputs = {name: np.broadcast_to(value, (len(at), *value.shape[-1:])) for name, value in ports.items()}
        found = run_stages(self.plan.solved, inputs, branch, condition=condition)
        shape = np.broadcast_shapes(branch.shape, at.shape)
        status = np.array(np.broadcast_to(found.status, shape), dtype=np.int32)
        return self.plan.adapter.motion(ports, found.values), status, found.condition

    def _drives(self, at: Array) -> Drives:
        every = self.path.evaluate(at)
        return {key: every[key] for key in self.plan.driven}

    def _displaced(self, at: Array) -> list[Branches]:
        """Return all branches with joint frames displaced in some ways, there and back."""
        return [
            self._look(at, displaced_frames(self.plan.frames, way, side * ASIDE_OF_FRAMES, self._size))
            for way in (0, 1)
            for side in (1.0, -1.0)
        ]

    def _look(self, at: Array, frames: Frames | None = None) -> Branches:
        """Return all branches."""
        every = np.arange(self.plan.branches, dtype=np.int32)[:, None]
        motion, status, _ = self._solve(at, every, frames=frames)
        points = [frame_points(motion.bodies[body], self._space, self._size) for body in self.plan.bodies]
        place, rate, second = (
            np.stack([each[order] for each in points], axis=-3).astype(np.float64) for order in range(3)
        )
        return Branches(status, place, rate, second)

    def _left_open(self, crossing: Crossing) -> float:
        """Return by how much the joints stay open at most amid the samples of a crossing [m]; axes count as lengths."""
        at = np.linspace(crossing.start, crossing.end, _CLOSING + 2)[1:-1]
        motion = _full(self._solve(at, np.full(len(at), crossing.before, dtype=np.int32))[0], len(at))
        self._patch(crossing).put(motion, np.ones(len(at), dtype=np.bool_), at)
        poses = {body: part.pose for body, part in {**self._known(at), **motion.bodies}.items()}
        # NaN, where an earlier group has no motion, is the largest: it is no joint that closes.
        return float(np.max(self._open(at, poses)))

    def _open(self, at: Array, poses: Mapping[str, Array]) -> Array:
        """Return by how much the joints of each row are open at most [m]; axes and angles count as lengths."""
        count = len(at)
        spread = {body: np.broadcast_to(pose, (count, pose.shape[-1])) for body, pose in poses.items()}
        drives = self._drives(at)
        found = np.empty(count)
        for row in range(count):
            here = {body: pose[row] for body, pose in spread.items()}
            gaps = [
                max(apart, turned * self._size) if apart == apart else apart
                for apart, turned in open_joints(self._space, self.plan.joints, here, self.plan.frames)
            ]
            for joint in self.plan.joints:
                ends = tuple(zip((here[body] for body in joint.bodies), self.plan.frames[joint.name], strict=True))
                for freedom in joint.driven:
                    value = driven_value(self._space, joint.type, freedom, *ends)
                    if value is not None:
                        off = value - float(drives[joint.name, freedom][row, 0])
                        gaps.append(
                            abs(off)
                            if freedom == "slide"
                            else self._size * abs(np.remainder(off + np.pi, 2 * np.pi) - np.pi)
                        )
            found[row] = np.max(gaps)
        return found

    def _patch(self, crossing: Crossing) -> _Patch:
        motion, _, _ = self._solve(crossing.times, crossing.labels)
        return _Patch(crossing.times, _full(motion, len(crossing.times)), self._space)


# -- the smooth motion through a crossing ------------------------------------------------------------------------------


class _Patch:
    """A group's motion between samples on both sides of a crossing, as one polynomial."""

    def __init__(self, times: Array, motion: GroupMotion, space: str) -> None:
        order = np.argsort(times)
        self._times, self._space = times[order], space
        self._bodies = {body: self._body_samples(each, order) for body, each in motion.bodies.items()}
        self._joints = {
            (joint, freedom): self._joint_samples(freedom, triple[order])
            for joint, freedoms in motion.joints.items()
            for freedom, triple in freedoms.items()
        }

    def put(self, motion: GroupMotion, rows: NDArray[np.bool_], at: Array) -> None:
        """Write the motion at the places `at` into the rows."""
        for body, samples in self._bodies.items():
            pose, twist, acceleration = self._body_motion(evaluate(samples, at))
            there = motion.bodies[body]
            for target, values in ((there.pose, pose), (there.twist, twist), (there.acceleration, acceleration)):
                if target is not None:
                    target[rows] = values
        for (joint, freedom), samples in self._joints.items():
            found = evaluate(samples, at)
            triple = np.stack([found.value[:, 0], found.rate[:, 0], found.second[:, 0]], axis=-1)
            if freedom in ANGLES:
                triple[:, 0] -= 2.0 * np.pi * np.round(triple[:, 0] / (2.0 * np.pi))
            motion.joints[joint][freedom][rows] = triple

    def _body_samples(self, motion: BodyMotion, order: NDArray[np.intp]) -> MotionSamples:
        pose, twist, acceleration = (
            np.asarray(each)[order] for each in (motion.pose, motion.twist, motion.acceleration)
        )
        if self._space == "planar":
            turned = np.stack([pose[:, 0], pose[:, 1], without_jumps(pose[:, 2])], axis=-1)
            return MotionSamples(self._times, turned, twist, acceleration)
        q = continuous_sign(pose[:, 3:], pose[0, 3:])
        rate = 0.5 * multiply(_pure(twist[:, 3:]), q)
        second = 0.5 * multiply(_pure(acceleration[:, 3:]), q) + 0.5 * multiply(_pure(twist[:, 3:]), rate)
        return MotionSamples(
            self._times,
            np.concatenate([pose[:, :3], q], axis=-1),
            np.concatenate([twist[:, :3], rate], axis=-1),
            np.concatenate([acceleration[:, :3], second], axis=-1),
        )

    def _body_motion(self, found: MotionSamples) -> tuple[Array, Array, Array]:
        if self._space == "planar":
            return found.value, found.rate, found.second
        q = found.value[:, 3:]
        back = q * np.array([1.0, -1.0, -1.0, -1.0]) / np.sum(q * q, axis=-1, keepdims=True)
        # With the quaternion's length constant to rounding, q' q^-1 is the pure omega/2, and (q' q^-1)' has alpha/2.
        omega = 2.0 * multiply(found.rate[:, 3:], back)[:, 1:]
        alpha = 2.0 * multiply(found.second[:, 3:], back)[:, 1:]
        unit = q / np.linalg.norm(q, axis=-1, keepdims=True)
        return (
            np.concatenate([found.value[:, :3], unit], axis=-1),
            np.concatenate([found.rate[:, :3], omega], axis=-1),
            np.concatenate([found.second[:, :3], alpha], axis=-1),
        )

    def _joint_samples(self, freedom: str, triple: Array) -> MotionSamples:
        value = without_jumps(triple[:, 0]) if freedom in ANGLES else triple[:, 0]
        return MotionSamples(self._times, value[:, None], triple[:, 1, None], triple[:, 2, None])


def _pure(vector: Array) -> Array:
    return np.concatenate([np.zeros((*vector.shape[:-1], 1)), vector], axis=-1)


def _full(motion: GroupMotion, rows: int) -> GroupMotion:
    """Return the motion with a row for each place, in arrays of its own."""

    def spread(array: Array) -> Array:
        return np.array(np.broadcast_to(array, (rows, np.shape(array)[-1])))

    bodies = {
        body: BodyMotion(
            *(None if each is None else spread(each) for each in (part.pose, part.twist, part.acceleration))  # type: ignore[arg-type]
        )
        for body, part in motion.bodies.items()
    }
    joints = {
        joint: {freedom: spread(triple) for freedom, triple in freedoms.items()}
        for joint, freedoms in motion.joints.items()
    }
    return GroupMotion(bodies, joints)


def _orders(part: BodyMotion) -> tuple[Array | None, ...]:
    return part.pose, part.twist, part.acceleration


def _blank(motion: GroupMotion, rows: NDArray[np.bool_]) -> None:
    """Take numbers out of rows where the branch is not known."""
    if not np.any(rows):
        return
    for part in motion.bodies.values():
        for array in (part.pose, part.twist, part.acceleration):
            if array is not None:
                array[rows] = np.nan
    for freedoms in motion.joints.values():
        for triple in freedoms.values():
            triple[rows] = np.nan
