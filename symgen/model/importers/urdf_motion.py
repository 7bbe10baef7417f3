"""What a URDF joint says besides its geometry: range, damping, mimic. Nothing of it is needed, so nothing is refused.

Source of the meaning: ROS, "URDF XML specification" (wiki.ros.org/urdf/XML/joint): `limit` has `lower`, `upper` (0 if
left out), effort and velocity; `dynamics` has viscous damping and dry friction, 0 if left out; a joint with
``<mimic joint multiplier offset>`` has the coordinate multiplier * (coordinate of the other) + offset.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.errors import MechanismError
from symgen.model.importers.urdf_numbers import NumberReader
from symgen.model.importers.xml_tree import XmlElement


@dataclass(frozen=True, slots=True)
class Mimic:
    """Coordinate = multiplier * (coordinate of the joint) + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True)
class JointExtras:
    """What a joint says besides its geometry.

    Parameters
    ----------
    limits : least and greatest coordinate; None where there are none.
    damping : viscous, [N s/m or N m s/rad].
    mimic : what its coordinate follows, or None.
    left_out : what is not kept, phrases that hold for several joints alike.
    """

    limits: tuple[float, float] | None = None
    damping: float = 0.0
    mimic: Mimic | None = None
    left_out: tuple[str, ...] = ()


def read_extras(joint: XmlElement, kind: str, name: str, numbers: NumberReader) -> JointExtras:
    """Return what a joint of a URDF type says besides its geometry; what cannot be kept is said in `left_out`."""
    reader = _Extras(kind, name, numbers)
    for tag, read in (("limit", reader.limit), ("dynamics", reader.dynamics), ("mimic", reader.mimic)):
        found = joint.all(tag)
        if not found:
            continue
        if len(found) > 1:
            reader.leave(f"<{tag}> is given twice: the first counts")
        try:
            read(found[0])
        except MechanismError as error:
            reader.leave(f"<{tag}> cannot be read and is not kept: {error.reason}")
    if joint.all("safety_controller"):
        reader.leave("safety limits are not kept")
    return JointExtras(reader.limits, reader.damping, reader.follows, tuple(reader.left_out))


class _Extras:
    def __init__(self, kind: str, name: str, numbers: NumberReader) -> None:
        self.kind, self.name, self.numbers = kind, name, numbers
        self.limits: tuple[float, float] | None = None
        self.damping = 0.0
        self.follows: Mimic | None = None
        self.left_out: list[str] = []

    def leave(self, what: str) -> None:
        self.left_out.append(what)

    def limit(self, element: XmlElement) -> None:
        if self.kind in ("revolute", "prismatic"):
            self._range(element)
        if {"effort", "velocity"} & element.attributes.keys() and self.kind != "fixed":
            self.leave("limits of effort and velocity are not kept")

    def _range(self, element: XmlElement) -> None:
        words = {key: element.attributes.get(key, "0").strip() for key in ("lower", "upper")}
        if not {"lower", "upper"} & element.attributes.keys():
            self.leave("limits without lower and upper are not kept")
            return
        infinite = {key: word.lower().lstrip("+-") in ("inf", "infinity") for key, word in words.items()}
        if any(infinite.values()):
            self.leave("limits at infinity are not kept")
            return
        lower, upper = (self.numbers.number(element, key, self.name, 0.0) for key in ("lower", "upper"))
        if lower < upper:
            self.limits = (lower, upper)
        else:
            self.leave("limits whose lower is not below upper are not kept")

    def dynamics(self, element: XmlElement) -> None:
        damping = self.numbers.number(element, "damping", self.name, 0.0)
        if self.numbers.number(element, "friction", self.name, 0.0):
            self.leave("dry friction is not kept: symgen does not use it yet")
        if damping and self.kind in ("planar", "floating"):
            self.leave("damping of a joint of several freedoms is not kept")
        elif self.kind != "fixed":
            self.damping = damping

    def mimic(self, element: XmlElement) -> None:
        joint = element.attributes.get("joint", "")
        multiplier = self.numbers.number(element, "multiplier", self.name, 1.0)
        offset = self.numbers.number(element, "offset", self.name, 0.0)
        if self.kind in ("revolute", "continuous", "prismatic"):
            self.follows = Mimic(joint, multiplier, offset)
        else:
            self.leave("mimic of a joint without exactly one freedom is not kept")
