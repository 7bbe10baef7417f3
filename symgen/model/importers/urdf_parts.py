"""Links and joints of a URDF robot, each checked on its own.

Source of the meaning: ROS, "URDF XML specification" (wiki.ros.org/urdf/XML):
`rpy` turns about the fixed axes x, y, z in this order; a joint's origin is the
child's frame in the parent's; the axis is given in the joint's (child's) frame,
(1, 0, 0) by default.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from symgen.model.importers.urdf_motion import JointExtras, read_extras
from symgen.model.importers.urdf_numbers import NumberReader
from symgen.model.importers.xml_tree import XmlElement
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


@dataclass(frozen=True, slots=True)
class UrdfOrigin:
    """Origin `r` [m] and orientation `q` of a frame in another."""

    r: Vector3 = ORIGIN
    q: Quaternion = IDENTITY

    def then(self, inner: UrdfOrigin) -> UrdfOrigin:
        """Return the frame that is at `inner` within this one."""
        x, y, z = rotate(self.q, inner.r)
        return UrdfOrigin((self.r[0] + x, self.r[1] + y, self.r[2] + z), product(self.q, inner.q))


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
    place: UrdfOrigin
    axis: Vector3
    extras: JointExtras


class PartReader(NumberReader):
    """Reads elements of one file; errors name file and line. What is harmless is taken and goes into `notes`.

    Attributes
    ----------
    notes : what was taken though it is not as it should be -> names of links and joints.
    """

    def __init__(self, file: str | None) -> None:
        super().__init__(file)
        self.notes: dict[str, list[str]] = {}

    def _note(self, what: str, name: str) -> None:
        names = self.notes.setdefault(what, [])
        if name not in names:
            names.append(name)

    def link(self, element: XmlElement) -> UrdfLink:
        """Read a link."""
        name = self.name(element)
        inertial = self._one(element, "inertial", name)
        return UrdfLink(name, element.line, None if inertial is None else self._inertial(inertial, name))

    def joint(self, element: XmlElement) -> UrdfJoint:
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
        extras = read_extras(element, kind, name, self)
        for what in extras.left_out:
            self._note(what, name)
        return UrdfJoint(
            name=name,
            line=element.line,
            type=JOINT_TYPES[kind],
            parent=ends[0],
            child=ends[1],
            place=self._place(element, name),
            axis=self._axis(element, kind, name),
            extras=extras,
        )

    def _axis(self, element: XmlElement, kind: str, name: str) -> Vector3:
        """Return the direction of a joint's axis; where the type has none it is not looked at, as by ROS."""
        axes = element.all("axis")
        if len(axes) > 1:
            self._note("<axis> is given twice: the first counts, as in ROS", name)
        axis = axes[0] if axes else None
        if kind in ("fixed", "floating"):
            if axis is not None and axis.attributes.get("xyz", "").split() and not any(self._entries(axis)):
                self._note("the axis 0 0 0 of a joint that needs none is ignored", name)
            return X_AXIS
        direct = X_AXIS if axis is None else self.vector(axis, "xyz", X_AXIS, name)
        size = math.hypot(*direct)
        if not 1e-12 <= size < math.inf:
            raise self.refuse(axis or element, f"joint {show(name)}: the axis has length {size:g}; give a direction")
        return direction(direct)

    def _entries(self, axis: XmlElement) -> list[bool]:
        """Return for each word of an axis that does not matter whether it is something else than zero."""
        return [word.strip("+-0.") != "" for word in axis.attributes["xyz"].split()]

    def name(self, element: XmlElement) -> str:
        """Return the name an element must have."""
        name = element.attributes.get("name", "")
        if not name:
            raise self.refuse(element, f"this <{element.tag}> has no name")
        return name

    def _one(self, element: XmlElement, tag: str, name: str) -> XmlElement | None:
        found = element.all(tag)
        for other in found[1:]:
            if not _alike(found[0], other):
                message = (
                    f"{element.tag} {show(name)}: <{tag}> is given twice with different contents; remove one of them"
                )
                raise self.refuse(other, message)
            self._note(f"<{tag}> is given twice with the same content", name)
        return found[0] if found else None

    def _place(self, element: XmlElement, name: str) -> UrdfOrigin:
        origin = self._one(element, "origin", name)
        if origin is None:
            return UrdfOrigin()
        return UrdfOrigin(self.vector(origin, "xyz", ORIGIN, name), _turned(self.vector(origin, "rpy", ORIGIN, name)))

    def _inertial(self, element: XmlElement, name: str) -> Inertial:
        place = self._place(element, name)
        mass = self._one(element, "mass", name)
        table = self._one(element, "inertia", name)
        inertia = None
        if table is not None:
            ixx, iyy, izz = (self.number(table, key, name) for key in ("ixx", "iyy", "izz"))
            ixy, ixz, iyz = (self.number(table, key, name, 0.0) for key in ("ixy", "ixz", "iyz"))
            inertia = _in_link_axes(place.q, (ixx, iyy, izz, ixy, ixz, iyz))
        return Inertial(None if mass is None else self.number(mass, "value", name), place.r, inertia)


def _alike(one: XmlElement, other: XmlElement) -> bool:
    return (
        one.attributes == other.attributes
        and len(one.children) == len(other.children)
        and all(a.tag == b.tag and _alike(a, b) for a, b in zip(one.children, other.children, strict=True))
    )


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
