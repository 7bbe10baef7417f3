"""Joint frames from centre and axes: z along the first axis, x along the second.

Rules where a file leaves something open (also in docs/mechanism-file.md):

- second axis not given: `quaternions.perpendicular`; for a P of a planar mechanism x = Z x axis, which lies
  in the plane, so that both sides agree however the axis points;
- only the second axis given: the first is Z made normal to it, or Y if the second is Z;
- second axis given: it is made normal to the first (R P C H L PL S F FP W). For U and ER both axes are axes of
  rotation, of different bodies, so they must be perpendicular within 1e-9.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import JointFrame, Pose
from symgen.model.quaternions import (
    ORIGIN,
    Y_AXIS,
    Z_AXIS,
    Quaternion,
    Vector3,
    conjugate,
    cross,
    difference,
    direction,
    dot,
    frame_quaternion,
    normal_part,
    perpendicular,
    positive,
    product,
    rotate,
)
from symgen.model.read_bodies import PLANE_TOLERANCE, read_quaternion

SHORTEST_AXIS = 1e-12
PARALLEL_TOLERANCE = 1e-6
PERPENDICULAR_TOLERANCE = 1e-9

_CROSSED = frozenset({"U", "ER"})
_AXIS_FREE = frozenset({"S", "F", "FP", "W"})
_PLACE_FREE = frozenset({"F", "FP", "W"})


def lacking_fields(code: str, table: Mapping[str, Any], planar: bool, side: int | None) -> tuple[str, ...]:
    """Return the fields a joint (`side` None) or one side of it (0 first, 1 second body) lacks for its frame."""
    lacks = [] if code in _PLACE_FREE or "at" in table else ["at"]
    axis_known = code in _AXIS_FREE or "q" in table or (planar and code == "R")
    if code in _CROSSED:
        wants = ("axis", "axis2") if side is None else ("axis",) if side == 0 else ("axis2",)
    elif code == "L":  # the second axis of the first body runs along its slot
        normal = () if planar else ("axis",)
        wants = (*normal, *(("axis2",) if side != 1 else ()))
    else:
        wants = ("axis",)
    return (*lacks, *(key for key in wants if not axis_known and key not in table))


def world_frames(
    code: str, table: Mapping[str, Any], path: str, numbers: Numbers, poses: Iterable[Pose]
) -> tuple[JointFrame, ...]:
    """Return the frame on each body of a joint given in world coordinates of the reference configuration."""
    at, q = _read_frame(code, table, path, numbers)
    frames = tuple(_in_body(at, q, pose) for pose in poses)
    for frame in frames:
        if not all(map(math.isfinite, frame.at)):
            raise refuse(f"{path}.at", "is too far from the body frame to be represented in a double")
    return frames


def side_frame(code: str, table: Mapping[str, Any], path: str, numbers: Numbers) -> JointFrame:
    """Return the frame of one side of a joint given in its body's frame."""
    at, q = _read_frame(code, table, path, numbers)
    return JointFrame(at, q)


def _in_body(at: Vector3, q: Quaternion, pose: Pose) -> JointFrame:
    back = conjugate(pose.q)
    return JointFrame(rotate(back, difference(at, pose.r)), positive(product(back, q)))


def _read_frame(code: str, table: Mapping[str, Any], path: str, numbers: Numbers) -> tuple[Vector3, Quaternion]:
    at = numbers.place(table["at"], f"{path}.at") if "at" in table else ORIGIN
    planar = numbers.space == "planar"
    if planar and at[2] != 0.0:
        raise refuse(f"{path}.at", f"must lie in the x-y plane of a planar mechanism, found z = {at[2]:g}")
    if "q" in table:
        if "axis" in table or "axis2" in table:
            raise refuse(f"{path}.q", "q and axis are alternatives; give only one of them")
        q = read_quaternion(table["q"], f"{path}.q", numbers)
        if planar:
            _check_planar_quaternion(code, q, f"{path}.q")
        return at, q
    axis = _read_axis(table, "axis", path, numbers)
    axis2 = _read_axis(table, "axis2", path, numbers)
    if planar:
        axis = _planar_axis(code, axis, f"{path}.axis")
        if axis2 is not None and code == "P":
            raise refuse(f"{path}.axis2", "remove it: in the plane the second axis of a P follows from the first")
    if code in _CROSSED:
        _check_crossed(axis, axis2, path)
    in_plane = planar and code == "P"
    if axis is None and in_plane:
        axis = (1.0, 0.0, 0.0)  # stands in while the file does not give one; see `lacking_fields`
    if axis is None:
        axis = Z_AXIS if axis2 is None else _normal_to_second(axis2)
    if axis2 is None:
        return at, frame_quaternion(axis, direction(cross(Z_AXIS, axis)) if in_plane else perpendicular(axis))
    normal = normal_part(axis2, axis)
    if math.hypot(*normal) < PARALLEL_TOLERANCE:
        raise refuse(f"{path}.axis2", "is parallel to axis; it must point in another direction")
    return at, frame_quaternion(axis, direction(normal))


def _normal_to_second(axis2: Vector3) -> Vector3:
    """Return the first axis where only the second is given: Z made normal to it, or Y if it is Z."""
    normal = normal_part(Z_AXIS, axis2)
    return direction(normal if math.hypot(*normal) >= PARALLEL_TOLERANCE else normal_part(Y_AXIS, axis2))


def _read_axis(table: Mapping[str, Any], key: str, path: str, numbers: Numbers) -> Vector3 | None:
    if key not in table:
        return None
    axis = numbers.vector(table[key], f"{path}.{key}")
    size = math.hypot(*axis)
    if not SHORTEST_AXIS <= size < math.inf:
        raise refuse(f"{path}.{key}", f"must be a direction, found a vector of length {size:g}")
    return direction(axis)


def _check_crossed(axis: Vector3 | None, axis2: Vector3 | None, path: str) -> None:
    """U and ER: `axis` belongs to the first body and is z, `axis2` to the second and is x, always normal to z."""
    if axis is None or axis2 is None:
        return
    cosine = dot(axis, axis2)
    if not abs(cosine) <= PERPENDICULAR_TOLERANCE:
        angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
        wants = "must be perpendicular to axis within 1e-9"
        raise refuse(f"{path}.axis2", f"{wants}, found an angle of {angle:.9g} degrees (cosine {cosine:.3g})")


def _planar_axis(code: str, axis: Vector3 | None, path: str) -> Vector3 | None:
    if code == "P":
        if axis is not None and abs(axis[2]) > PLANE_TOLERANCE:
            raise refuse(path, "the axis of a P must lie in the x-y plane of a planar mechanism")
        return None if axis is None else direction((axis[0], axis[1], 0.0))
    if axis is not None and (max(abs(axis[0]), abs(axis[1])) > PLANE_TOLERANCE or axis[2] < 0.0):
        turned = "; for the other direction exchange the two bodies" if axis[2] < -0.5 else ""
        why = "a planar angle counts from x to y"
        raise refuse(path, f"must be [0, 0, 1] (or omitted) in a planar mechanism, since {why}{turned}")
    return Z_AXIS


def _check_planar_quaternion(code: str, q: Quaternion, path: str) -> None:
    image, wants = (rotate(q, Y_AXIS), "y") if code == "P" else (rotate(q, Z_AXIS), "z")
    if max(abs(image[0]), abs(image[1])) > PLANE_TOLERANCE or image[2] < 0.0:
        raise refuse(path, f"in a planar mechanism {wants} of this joint frame must be z of the body")
