"""Links and joints of a URDF robot, each checked on its own.

Source of the meaning: ROS, "URDF XML specification" (wiki.ros.org/urdf/XML):
`rpy` turns about the fixed axes x, y, z in this order; a joint's origin is the
child's frame in the parent's; the axis is given in the joint's (child's) frame,
(1, 0, 0) by default.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from symgen.errors import MechanismError
from symgen.model.importers.xml_tree import Element
from symgen.model.nearest import did_you_mean, show
from symgen.model.quaternions import (
    IDENTITY,
    ORIGIN,
    X_AXIS,
    Quaternion,
    Vector3,
    conjugate,
    direction,
    product,
    rotate,
)

JOINT_TYPES: dict[str, str] = {
    "revolute": "R",
    "continuous": "R",
    "prismatic": "P",
    "fixed": "W",
    "floating": "F",
    "planar": "PL",
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")


@dataclass(frozen=True, slots=True)
class Place:
    """Origin `r` [m] and orientation `q` of a frame in another."""

    r: Vector3 = ORIGIN
    q: Quaternion = IDENTITY

    def then(self, inner: Place) -> Place:
        """Return the frame that is at `inner` within this one."""
        x, y, z = rotate(self.q, inner.r)
        return Place((self.r[0] + x, self.r[1] + y, self.r[2] + z), product(self.q, inner.q))


@dataclass(frozen=True, slots=True)
class Inertial:
    """Mass [kg], centre of mass [m] and inertia Ixx Iyy Izz Ixy Ixz Iyz about it [kg m^2], in the link's axes."""

    mass: float | None
    com: Vector3
    inertia: tuple[float, ...] | None


@dataclass(frozen=True, slots=True)
class UrdfLink:
    """A link and where it is written."""

    name: str
    line: int
    inertial: Inertial | None


@dataclass(frozen=True, slots=True)
class UrdfJoint:
    """A joint: pair type, links, the child's frame in the parent's, axis in the child's frame."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    place: Place
    axis: Vector3
    left_out: tuple[str, ...]


class PartReader:
    """Reads elements of one file; errors name file and line."""

    def __init__(self, file: str | None) -> None:
        self.file = file

    def refuse(self, element: Element | int, message: str) -> MechanismError:
        """Return the error of one element (or line)."""
        line = element if isinstance(element, int) else element.line
        return MechanismError(message, file=self.file, field=f"line {line}")

    def link(self, element: Element) -> UrdfLink:
        """Read a link."""
        name = self.name(element)
        inertial = self._one(element, "inertial", name)
        return UrdfLink(name, element.line, None if inertial is None else self._inertial(inertial, name))

    def joint(self, element: Element) -> UrdfJoint:
        """Read a joint."""
        name = self.name(element)
        kind = element.attributes.get("type", "")
        if kind not in JOINT_TYPES:
            near = did_you_mean(kind, JOINT_TYPES) or f"; allowed are {', '.join(JOINT_TYPES)}"
            raise self.refuse(element, f"joint {show(name)}: no joint type {show(kind)}{near}")
        ends = []
        for tag in ("parent", "child"):
            end = self._one(element, tag, name)
            if end is None or "link" not in end.attributes:
                raise self.refuse(element, f'joint {show(name)}: <{tag} link="..."/> is missing')
            ends.append(end.attributes["link"])
        axis = self._one(element, "axis", name)
        direct = X_AXIS if axis is None else self._vector(axis, "xyz", X_AXIS, name)
        size = math.hypot(*direct)
        if not 1e-12 <= size < math.inf:
            raise self.refuse(axis or element, f"joint {show(name)}: the axis has length {size:g}; give a direction")
        left_out = tuple(tag for tag in ("limit", "mimic", "dynamics", "safety_controller") if element.all(tag))
        return UrdfJoint(
            name=name,
            line=element.line,
            type=JOINT_TYPES[kind],
            parent=ends[0],
            child=ends[1],
            place=self._place(element, name),
            axis=direction(direct),
            left_out=left_out if kind in ("revolute", "prismatic") else tuple(t for t in left_out if t != "limit"),
        )

    def name(self, element: Element) -> str:
        """Return the name an element must have."""
        name = element.attributes.get("name", "")
        if not name:
            raise self.refuse(element, f"this <{element.tag}> has no name")
        return name

    def _one(self, element: Element, tag: str, name: str) -> Element | None:
        found = element.all(tag)
        if len(found) > 1:
            raise self.refuse(found[1], f"{element.tag} {show(name)}: <{tag}> is given twice")
        return found[0] if found else None

    def _place(self, element: Element, name: str) -> Place:
        origin = self._one(element, "origin", name)
        if origin is None:
            return Place()
        return Place(self._vector(origin, "xyz", ORIGIN, name), _turned(self._vector(origin, "rpy", ORIGIN, name)))

    def _inertial(self, element: Element, name: str) -> Inertial:
        place = self._place(element, name)
        mass = self._one(element, "mass", name)
        table = self._one(element, "inertia", name)
        inertia = None
        if table is not None:
            ixx, iyy, izz = (self._number(table, key, name) for key in ("ixx", "iyy", "izz"))
            ixy, ixz, iyz = (self._number(table, key, name, 0.0) for key in ("ixy", "ixz", "iyz"))
            inertia = _in_link_axes(place.q, (ixx, iyy, izz, ixy, ixz, iyz))
        return Inertial(None if mass is None else self._number(mass, "value", name), place.r, inertia)

    def _number(self, element: Element, key: str, name: str, default: float | None = None) -> float:
        text = element.attributes.get(key)
        if text is None:
            if default is not None:
                return default
            raise self.refuse(element, f"{show(name)}: <{element.tag}> lacks {key}")
        return self._float(element, key, text.strip(), name)

    def _float(self, element: Element, key: str, text: str, name: str) -> float:
        value = float(text) if len(text) < 400 and _NUMBER.fullmatch(text) else math.inf
        if not math.isfinite(value):
            raise self.refuse(element, f"{show(name)}: <{element.tag}> {key}: {show(text)} is no finite number")
        return value

    def _vector(self, element: Element, key: str, default: Vector3, name: str) -> Vector3:
        text = element.attributes.get(key)
        if text is None:
            return default
        words = text.split()
        if len(words) != 3:
            raise self.refuse(element, f"{show(name)}: <{element.tag}> {key} must have 3 numbers, found {show(text)}")
        x, y, z = (self._float(element, key, word, name) for word in words)
        return (x, y, z)


def _turned(rpy: Vector3) -> Quaternion:
    """Return the rotation about the fixed axes x, then y, then z."""
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(angle / 2), math.cos(angle / 2)) for angle in rpy)
    return product((cy, 0.0, 0.0, sy), product((cp, 0.0, sp, 0.0), (cr, sr, 0.0, 0.0)))


def _in_link_axes(q: Quaternion, entries: tuple[float, ...]) -> tuple[float, ...]:
    """Return R I R^T for the inertia I in axes that `q` takes to the link's."""
    xx, yy, zz, xy, xz, yz = entries
    if q == IDENTITY:
        return entries
    back = conjugate(q)
    rows: list[Vector3] = []
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        x, y, z = rotate(back, axis)
        rows.append(rotate(q, (xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z)))
    return (rows[0][0], rows[1][1], rows[2][2], rows[0][1], rows[0][2], rows[1][2])
