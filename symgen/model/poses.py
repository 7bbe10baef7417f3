"""Poses one after the other, and the joint frames that bodies carry into the world."""

from __future__ import annotations

from symgen.model.parts import JointFrame, Pose
from symgen.model.quaternions import conjugate, positive, product, rotate


def compose(first: Pose, second: Pose) -> Pose:
    """Return the pose of a frame that has the pose `second` in the frame of pose `first`."""
    x, y, z = rotate(first.q, second.r)
    return Pose((first.r[0] + x, first.r[1] + y, first.r[2] + z), positive(product(first.q, second.q)))


def inverse(pose: Pose) -> Pose:
    """Return the pose of the outer frame in the frame of `pose`."""
    back = conjugate(pose.q)
    x, y, z = rotate(back, pose.r)
    return Pose((0.0 - x, 0.0 - y, 0.0 - z), back)


def pose_of(frame: JointFrame) -> Pose:
    """Return the pose of a joint frame in the frame of its body."""
    return Pose(frame.at, frame.q)
