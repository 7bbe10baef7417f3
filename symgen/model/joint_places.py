"""Where the joints stand in the configuration of the file: centres and axes in the world, and whether they close."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from symgen.model.parts import Joint, Pose
from symgen.model.poses import compose, pose_of
from symgen.model.quaternions import (
    X_AXIS,
    Z_AXIS,
    Quaternion,
    Vector3,
    conjugate,
    cross,
    difference,
    dot,
    product,
    rotate,
)

#: Sides of a joint farther apart than this (relative to the size, or rad) are not assembled: files carry some digits.
CLOSED = 1e-6


@dataclass(frozen=True)
class JointPlace:
    """A joint in the world.

    Parameters
    ----------
    at, there : centre on the first and on the second body [m].
    axis, axis2 : first axis (z of the first body's joint frame) and second (x of the second body's), unit.
    along, across : x and y axis of the first body's joint frame.
    gap : distance of the two sides [m] in directions the joint does not allow.
    twist : angle between the two sides [rad] about directions the joint does not allow.
    """

    at: Vector3
    there: Vector3
    axis: Vector3
    axis2: Vector3
    along: Vector3
    across: Vector3
    gap: float
    twist: float


def place_joint(joint: Joint, poses: Mapping[str, Pose]) -> JointPlace | None:
    """Return the place of a joint in the reference configuration; None without joint frames (or pitch)."""
    if joint.frames is None or joint.lacking:
        return None
    sides = zip(joint.frames, joint.bodies, strict=True)
    here, there = (compose(poses[body], pose_of(frame)) for frame, body in sides)
    axis, along = rotate(here.q, Z_AXIS), rotate(here.q, X_AXIS)
    axis2 = rotate(there.q, X_AXIS)
    gap, twist = _mismatch(joint, difference(there.r, here.r), here.q, there.q)
    return JointPlace(here.r, there.r, axis, axis2, along, cross(axis, along), gap, twist)


def _mismatch(joint: Joint, apart: Vector3, q: Quaternion, q2: Quaternion) -> tuple[float, float]:
    axis, axis_there = rotate(q, Z_AXIS), rotate(q2, Z_AXIS)
    slide = dot(apart, axis)
    beside = math.hypot(*cross(apart, axis))
    tilt = math.atan2(math.hypot(*cross(axis, axis_there)), dot(axis, axis_there))
    rest = product(conjugate(q), q2)
    turned = 2.0 * math.atan2(math.hypot(*rest[1:]), abs(rest[0]))
    match joint.type:
        case "R":
            return math.hypot(*apart), tilt
        case "P":
            return beside, turned
        case "C":
            return beside, tilt
        case "H":
            angle = 2.0 * math.atan2(rest[3], rest[0])
            lead = math.remainder(slide - (joint.pitch or 0.0) * angle, 2.0 * math.pi * abs(joint.pitch or 1.0))
            return math.hypot(beside, lead), tilt
        case "U" | "ER":
            return math.hypot(*apart), abs(math.asin(max(-1.0, min(1.0, dot(axis, rotate(q2, X_AXIS))))))
        case "S":
            return math.hypot(*apart), 0.0
        case "PL":
            return abs(slide), tilt
        case "L":
            x = rotate(q, X_AXIS)
            return math.hypot(*cross(apart, x)), tilt
        case "W":
            return math.hypot(*apart), turned
        case _:
            return 0.0, 0.0


def size_of(places: Mapping[str, JointPlace]) -> float:
    """Return a length of the mechanism [m]: the root mean square distance of the centres from their middle, or 1."""
    centres = [place.at for place in places.values()]
    if not centres:
        return 1.0
    middle = tuple(sum(at[k] for at in centres) / len(centres) for k in range(3))
    spread = math.sqrt(sum((at[k] - middle[k]) ** 2 for at in centres for k in range(3)) / len(centres))
    return spread if spread > 1e-12 * max(1.0, *(abs(x) for x in middle)) else 1.0


def first_open(places: Mapping[str, JointPlace], size: float) -> str | None:
    """Return the joint whose sides do not meet in the reference configuration, or None if all do."""
    return next((name for name, at in places.items() if at.gap > CLOSED * size or at.twist > CLOSED), None)
