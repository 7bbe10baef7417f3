"""A mechanism moved to where numbers are finest: joint centres near the origins of bodies' frames and of the world.

Rounding of a place is a part of its distance from the origin, and change points are told by roundings: a mechanism
64 m away with links of 0.3 m would have two hundred times those of one at the origin. So bodies are given frames near
their joint centres and the whole is shifted to the origin; motions are solved there and brought back.

Shifts are multiples of a power of two no less than the mechanism's size, at least twice it: then joint centres are
shifted without rounding, for centre and difference are multiples of one spacing and the difference is the smaller one.
What rounding the numbers of the file carry stays: `Nearby.known_to` says it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Body, Joint, JointFrame, MultipleJoint, Pose
from symgen.poses import Array, compose, rotate
from symgen.solve.rigid import frame_array, pose_array
from symgen.solve.tracks import BodyTrack

#: A coordinate is shifted if it is at least this many units.
_LEAST = 2.0


@dataclass(frozen=True)
class Nearby:
    """A mechanism near the origin of the world, and how to bring its motion back.

    Parameters
    ----------
    mechanism : with other body frames, and moved as a whole.
    shifts : body -> origin of its new frame in its own one [m], (3,).
    known_to : relative spacing of doubles at the farthest joint centre as the file gives it, in parts of the size: no
        length is known to less.
    """

    mechanism: Mechanism
    shifts: Mapping[str, Array] = field(hash=False)
    known_to: float

    @property
    def origin(self) -> Array:
        """Where the origin lies in the file's world [m], (3,)."""
        return self.shifts[self.mechanism.ground]

    def track(self, body: str, track: BodyTrack) -> BodyTrack:
        """Return the motion of a body's own frame in the file's world."""
        if not np.any(self.shifts[body]) and not np.any(self.origin):
            return track
        own = track.attached(np.array([*-self.shifts[body], 1.0, 0.0, 0.0, 0.0]))
        return replace(own, r=own.r + self.origin, q=track.q)

    def pose(self, body: str, pose: Array) -> Array:
        """Return the pose (7,) of a body's own frame in the file's world."""
        if not np.any(self.shifts[body]) and not np.any(self.origin):
            return pose
        own = compose(pose, np.array([*-self.shifts[body], 1.0, 0.0, 0.0, 0.0]))
        return np.concatenate([own[:3] + self.origin, pose[3:]])

    def restored(self, original: Mechanism, planned: Mechanism) -> Mechanism:
        """Return the file's mechanism with the trees of multiple joints that the plan has."""
        if planned is self.mechanism:
            return original
        return original.with_trees({j.id: j.pairs for j in planned.multiple_joints if j.tree is not None})


def bring_near(mechanism: Mechanism) -> Nearby:
    """Move a mechanism and its body frames to the origin; a copy, or the mechanism itself where it is there."""
    centres = _centres(mechanism)
    middles = {body: np.mean(places, axis=0) if places else np.zeros(3) for body, places in centres.items()}
    size = max(
        (float(np.linalg.norm(place - middles[body])) for body, places in centres.items() for place in places),
        default=0.0,
    )
    largest = max((float(np.abs(place).max()) for places in centres.values() for place in places), default=0.0)
    eps = float(np.finfo(np.float64).eps)
    size = size if size > 0.0 else 1.0
    unit = 2.0 ** np.ceil(np.log2(size))
    shifts = {
        body: np.where(np.abs(middle) >= _LEAST * unit, unit * np.round(middle / unit), 0.0)
        for body, middle in middles.items()
    }
    known_to = eps * max(1.0, largest / size)
    if not any(np.any(shift) for shift in shifts.values()):
        return Nearby(mechanism, shifts, known_to)
    origin = shifts[mechanism.ground]
    moved = replace(
        mechanism,
        ground_body=replace(mechanism.ground_body, points={}),
        bodies=tuple(_body(body, shifts[body.id], origin) for body in mechanism.bodies),
        joints=tuple(_joint(joint, shifts) for joint in mechanism.joints),
        multiple_joints=tuple(_multiple(joint, shifts) for joint in mechanism.multiple_joints),
    )
    return Nearby(moved, shifts, known_to)


def _centres(mechanism: Mechanism) -> dict[str, list[Array]]:
    """Return the joint centres of each body in its frame, without those of welds, which may lie anywhere."""
    found: dict[str, list[Array]] = {body: [] for body in mechanism.body_ids}
    for joint in mechanism.joints:
        if joint.frames is not None and joint.type != "W":
            for body, frame in zip(joint.bodies, joint.frames, strict=True):
                found[body].append(frame_array(frame)[:3])
    return found


def _body(body: Body, shift: Array, origin: Array) -> Body:
    pose = pose_array(body.pose)
    # Both shifts first: of a body drawn in the axes of the world their difference has no rounding.
    place = (rotate(pose[3:], shift) - origin) + pose[:3]
    return replace(body, pose=Pose(_vector(place), body.pose.q), points={})


def _frame(frame: JointFrame, shift: Array) -> JointFrame:
    return replace(frame, at=_vector(np.array(frame.at) - shift))


def _joint(joint: Joint, shifts: Mapping[str, Array]) -> Joint:
    if joint.frames is None:
        return joint
    one, two = (_frame(frame, shifts[body]) for body, frame in zip(joint.bodies, joint.frames, strict=True))
    return replace(joint, frames=(one, two))


def _multiple(joint: MultipleJoint, shifts: Mapping[str, Array]) -> MultipleJoint:
    if joint.frames is None:
        return joint
    frames = (_frame(frame, shifts[body]) for body, frame in zip(joint.bodies, joint.frames, strict=True))
    return replace(joint, frames=tuple(frames))


def _vector(place: Array) -> tuple[float, float, float]:
    x, y, z = map(float, place)
    return x, y, z
