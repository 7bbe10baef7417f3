"""Rigid motions over arrays, and bodies that welds hold together.

A pose is ``[r, q]`` (..., 7): origin [m] and quaternion (scalar first, unit, active).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint, JointFrame, Pose
from symgen.poses import IDENTITY, Array, compose, inverse

if TYPE_CHECKING:
    from symgen.topology.loops.joint_motions import JointMotion
    from symgen.topology.structure import Structure

#: Welds that close a circle must agree to this [m and rad, relative to the size]: files carry some ten digits.
_AGREE = 1e-6


def moved(motion: JointMotion, value: float, pitch: float) -> Array:
    """Return the frame (7,) that one motion of a joint leads to from the one before.

    Parameters
    ----------
    value : coordinate [rad or m].
    pitch : of a screw [m/rad].
    """
    frame, k = IDENTITY.copy(), "xyz".index(motion.axis)
    if motion.kind != "turn":
        frame[k] = value if motion.kind == "slide" else pitch * value
    if motion.kind != "slide":
        frame[3], frame[4 + k] = np.cos(0.5 * value), np.sin(0.5 * value)
    return frame


def pose_array(pose: Pose) -> Array:
    """Return a pose of the model as an array (7,)."""
    return np.array([*pose.r, *pose.q])


def frame_array(frame: JointFrame) -> Array:
    """Return a joint frame of the model as an array (7,)."""
    return np.array([*frame.at, *frame.q])


@dataclass(frozen=True)
class RigidBodies:
    """Which body stands for each, and where it lies in that one's frame.

    Parameters
    ----------
    leader : body -> the first of the bodies welded to it (itself if there is none); the ground leads its own.
    place : body -> pose (7,) of its frame in the leader's.
    """

    leader: Mapping[str, str] = field(hash=False)
    place: Mapping[str, Array] = field(hash=False)

    def frame(self, joint: Joint, side: int) -> JointFrame:
        """Return the joint frame on one side (0 first, 1 second body) in the frame of that body's leader."""
        if joint.frames is None:  # `Mechanism.require_frames` comes first
            raise MechanismError("has no geometry", field=f"joints.{joint.id}")
        body, frame = joint.bodies[side], joint.frames[side]
        if self.leader[body] == body:
            return frame
        x, y, z, q0, q1, q2, q3 = map(float, compose(self.place[body], frame_array(frame)))
        return JointFrame((x, y, z), (q0, q1, q2, q3))

    def ends(self, joint: Joint) -> tuple[str, str]:
        """Return the leaders of a joint's bodies."""
        first, second = joint.bodies
        return self.leader[first], self.leader[second]


def join_welded(mechanism: Mechanism, structure: Structure) -> RigidBodies:
    """Place welded bodies in the frames of their leaders.

    Raises
    ------
    MechanismError
        Welds that close a circle do not agree with each other.
    """
    welds = [joint for joint in mechanism.joints if joint.type == "W"]
    leader: dict[str, str] = {}
    place: dict[str, Array] = {}
    placed_by: dict[str, Joint] = {}
    for members in structure.rigid:
        leader.update(dict.fromkeys(members, members[0]))
        place[members[0]] = IDENTITY
    waiting = welds
    while waiting:  # each round places at least one body: the members of a rigid body are connected by welds
        left = []
        for weld in waiting:
            if not _place_other(weld, place, placed_by):
                left.append(weld)
        waiting = left
    for weld in welds:
        _check_agrees(weld, place, placed_by, mechanism.file)
    return RigidBodies(leader, place)


def _step(weld: Joint) -> Array:
    """Return the pose of the second body in the frame of the first: the joint frames coincide."""
    if weld.frames is None:
        raise MechanismError("has no geometry", field=f"joints.{weld.id}")
    first, second = weld.frames
    return compose(frame_array(first), inverse(frame_array(second)))


def _place_other(weld: Joint, place: dict[str, Array], placed_by: dict[str, Joint]) -> bool:
    """Place the body of a weld whose other body is placed; tell whether one is."""
    first, second = weld.bodies
    if first in place:
        if second not in place:
            place[second], placed_by[second] = compose(place[first], _step(weld)), weld
        return True
    if second in place:
        place[first], placed_by[first] = compose(place[second], inverse(_step(weld))), weld
        return True
    return False


def _way(body: str, placed_by: Mapping[str, Joint]) -> list[str]:
    """Return the welds by which a body was placed, back to the first of its rigid body."""
    way = []
    while body in placed_by:
        weld = placed_by[body]
        way.append(weld.id)
        body = weld.bodies[0] if weld.bodies[1] == body else weld.bodies[1]
    return way


def _check_agrees(weld: Joint, place: Mapping[str, Array], placed_by: Mapping[str, Joint], file: str | None) -> None:
    first, second = weld.bodies
    gap = compose(inverse(compose(place[first], _step(weld))), place[second])
    size = 1.0 + float(np.max(np.abs(place[second][:3])))
    if float(np.linalg.norm(gap[:3])) > _AGREE * size or float(np.linalg.norm(gap[4:])) > _AGREE:
        ways = [_way(body, placed_by) for body in weld.bodies]
        circle = [weld.id, *(other for way, last in (ways, ways[::-1]) for other in way if other not in last)]
        raise MechanismError(
            f"the welds {', '.join(circle)} close a circle and place the bodies differently; remove one of them or "
            "correct its frames",
            file=file,
            field=f"joints.{weld.id}",
        )
