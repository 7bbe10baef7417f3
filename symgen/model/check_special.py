"""Is declared special geometry true where the file gives the geometry?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from symgen.model.joint_places import JointPlace, first_open, place_joint, size_of
from symgen.model.nearest import show
from symgen.model.parameters import refuse
from symgen.model.parts import Joint, Pose
from symgen.model.quaternions import Vector3, cross, difference, dot
from symgen.model.shapes import below
from symgen.model.special import SUBGROUPS, SpecialGeometry, parallelogram_cranks

#: Angles [rad] and distances (relative to the size) up to which a declaration counts as true: files carry some digits.
TRUE = 1e-6

Row = Sequence[tuple[Joint, JointPlace]]


def joints_of(special: SpecialGeometry, joints: Iterable[Joint]) -> list[Joint]:
    """Return the pairs of a declaration; of a multiple joint those that stand for it."""
    names = set(special.joints)
    return [joint for joint in joints if joint.id in names or joint.multiple in names]


def check_special(special: SpecialGeometry, joints: Iterable[Joint], poses: Mapping[str, Pose]) -> None:
    """Refuse a declaration that the geometry of the reference configuration contradicts.

    Nothing is checked where joint frames are missing or do not meet.

    Raises
    ------
    MechanismError
        that names the joint and how far it is off.
    """
    row: list[tuple[Joint, JointPlace]] = []
    for joint in joints_of(special, joints):
        place = place_joint(joint, poses)
        if place is None:
            return
        row.append((joint, place))
    places = {joint.id: place for joint, place in row}
    size = size_of(places)
    if first_open(places, size) is None and special.kind in _CHECKS:
        _CHECKS[special.kind](special, row, size)


def _refuse(special: SpecialGeometry, joint: Joint, what: str) -> Exception:
    wants = SUBGROUPS[special.kind].condition if special.kind in SUBGROUPS else "equal and parallel cranks"
    return refuse(below("special", special.id), f"joint {show(joint.id)} {what}; {special.kind} means: {wants}")


def _angle(a: Vector3, b: Vector3) -> float:
    """Return the angle between two lines [rad]."""
    return math.atan2(math.hypot(*cross(a, b)), abs(dot(a, b)))


def _off_line(point: Vector3, at: Vector3, axis: Vector3) -> float:
    return math.hypot(*cross(difference(point, at), axis))


def _parallel(special: SpecialGeometry, row: Row, types: tuple[str, ...]) -> Vector3 | None:
    """Check that all joints of these types have one direction; return it."""
    normal: Vector3 | None = None
    for joint, place in row:
        if joint.type in types:
            normal = normal or place.axis
            if _angle(place.axis, normal) > TRUE:
                off = math.degrees(_angle(place.axis, normal))
                raise _refuse(special, joint, f"is {off:.4g} degrees off the axis of the others")
    return normal


def _planar(special: SpecialGeometry, row: Row, size: float) -> None:
    normal = _parallel(special, row, ("R", "PL", "FP"))
    slides = [(joint, place.axis) for joint, place in row if joint.type == "P"]
    if normal is None:
        crossed = (cross(slides[0][1], axis) for _, axis in slides)
        longest = max(crossed, key=lambda v: math.hypot(*v))
        length = math.hypot(*longest)
        if length <= TRUE:
            return
        normal = (longest[0] / length, longest[1] / length, longest[2] / length)
    for joint, axis in slides:
        off = math.asin(min(1.0, abs(dot(axis, normal))))
        if off > TRUE:
            raise _refuse(special, joint, f"slides {math.degrees(off):.4g} degrees out of the plane")


def _spherical(special: SpecialGeometry, row: Row, size: float) -> None:
    centre = _common_point(row)
    if centre is None:
        raise _refuse(special, row[1][0], "has an axis parallel to the others, so they do not meet in a point")
    for joint, place in row:
        on_line = joint.type == "R"
        off = _off_line(centre, place.at, place.axis) if on_line else math.hypot(*difference(centre, place.at))
        if off > TRUE * size:
            raise _refuse(special, joint, f"misses the common point of the others by {off:.4g} m")


def _common_point(row: Row) -> Vector3 | None:
    """Return the centre of a U or S, or the point of the first axis nearest to another that is not parallel to it."""
    for joint, place in row:
        if joint.type != "R":
            return place.at
    first = row[0][1]
    for _, place in row[1:]:
        normal = cross(first.axis, place.axis)
        square = dot(normal, normal)
        if square > TRUE**2:
            step = dot(cross(difference(place.at, first.at), place.axis), normal) / square
            x, y, z = (a + step * e for a, e in zip(first.at, first.axis, strict=True))
            return (x, y, z)
    return None


def _cylindrical(special: SpecialGeometry, row: Row, size: float) -> None:
    _parallel(special, row, ("R", "P", "H", "C"))
    lines = [(joint, place) for joint, place in row if joint.type != "P"]
    for joint, place in lines:
        off = _off_line(place.at, lines[0][1].at, lines[0][1].axis)
        if off > TRUE * size:
            raise _refuse(special, joint, f"lies {off:.4g} m beside the axis of the others")


def _schoenflies(special: SpecialGeometry, row: Row, size: float) -> None:
    _parallel(special, row, ("R", "H", "C", "PL"))


def _parallelogram(special: SpecialGeometry, row: Row, size: float) -> None:
    normal = _parallel(special, row, ("R",))
    cranks = parallelogram_cranks([joint.bodies for joint, _ in row], below("special", special.id))
    arms = [difference(row[last][1].at, row[first][1].at) for first, last in cranks]
    for (_, last), arm in zip(cranks, arms, strict=True):
        off = difference(arm, arms[0])
        apart = math.hypot(*off) if normal is None else math.hypot(*cross(off, normal))
        if apart > TRUE * size:
            raise _refuse(special, row[last][0], f"makes its crank differ from the first by {apart:.4g} m")


_CHECKS: dict[str, Callable[[SpecialGeometry, Row, float], None]] = {
    "planar": _planar,
    "spherical": _spherical,
    "cylindrical": _cylindrical,
    "schoenflies": _schoenflies,
    "parallelogram": _parallelogram,
}
