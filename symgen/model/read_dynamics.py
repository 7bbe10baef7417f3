"""Initial state and forces of the file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from symgen.errors import MechanismError
from symgen.model.expressions import Expression, constant
from symgen.model.named_freedoms import check_freedom, find_joint
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.parameters import Numbers, refuse
from symgen.model.parts import (
    AppliedForce,
    AppliedTorque,
    Body,
    ForceElement,
    Initial,
    InitialBody,
    InitialJoint,
    Joint,
    JointForce,
    Spring,
)
from symgen.model.quaternions import ORIGIN
from symgen.model.shapes import Problems, below


class DynamicsReader:
    """Reads ``[initial]`` and ``[forces]``; bodies include the ground.

    `choosable` are names of joints and pairs of more than two bodies, of which the file does not fix the pairs.
    """

    def __init__(
        self,
        bodies: Mapping[str, Body],
        ground: str,
        joints: Mapping[str, Joint],
        numbers: Numbers,
        choosable: Mapping[str, str],
    ) -> None:
        self.bodies, self.ground, self.joints, self.numbers = bodies, ground, joints, numbers
        self.choosable = choosable

    def read_initial(self, table: Mapping[str, Any], problems: Problems) -> Initial:
        """Return the initial state."""
        joints: list[InitialJoint] = []
        bodies: list[InitialBody] = []
        for name, entry in table.get("joints", {}).items():
            try:
                joints.append(self._initial_joint(name, entry))
            except MechanismError as error:
                problems.keep(error)
        for name, entry in table.get("bodies", {}).items():
            try:
                bodies.append(self._initial_body(name, entry))
            except MechanismError as error:
                problems.keep(error)
        return Initial(tuple(joints), tuple(bodies))

    def read_forces(self, table: Mapping[str, Any], problems: Problems) -> tuple[ForceElement, ...]:
        """Return the forces in file order."""
        readers: dict[str, Callable[[str, Mapping[str, Any], str], ForceElement]] = {
            "spring": self._spring,
            "force": self._force,
            "torque": self._torque,
            "joint": self._joint_force,
        }
        forces: list[ForceElement] = []
        for name, entry in table.items():
            try:
                forces.append(readers[entry["kind"]](name, entry, below("forces", name)))
            except MechanismError as error:
                problems.keep(error)
        return tuple(forces)

    def _joint(self, name: str, path: str) -> Joint:
        return find_joint(name, path, self.joints, self.choosable)

    def _body(self, name: str, path: str, *, moving: bool = True) -> Body:
        if name not in self.bodies:
            known = did_you_mean(name, self.bodies) or f"; bodies are {list_names(self.bodies)}"
            raise refuse(path, f"no body has the id {show(name)}{known}")
        if moving and name == self.ground:
            raise refuse(path, f"{show(name)} is the ground and does not move")
        return self.bodies[name]

    def _initial_joint(self, name: str, entry: Mapping[str, Any]) -> InitialJoint:
        path = f"initial.joints.{name[:60]}"
        joint = self._joint(name, path)
        rate = entry.get("rate", {})
        if not isinstance(rate, Mapping):
            if len(joint.freedoms) != 1:
                example = joint.freedoms[0] if joint.freedoms else "angle"
                raise refuse(f"{path}.rate", f"name the freedom: rate = {{ {example} = ... }}")
            rate = {joint.freedoms[0]: rate}
        coordinates = {freedom: value for freedom, value in entry.items() if freedom != "rate"}
        for freedom in (*coordinates, *rate):
            check_freedom(joint, freedom, f"{path}.{freedom}")
        return InitialJoint(
            name,
            {freedom: self.numbers.number(value, f"{path}.{freedom}") for freedom, value in coordinates.items()},
            {freedom: self.numbers.number(value, f"{path}.rate.{freedom}") for freedom, value in rate.items()},
        )

    def _initial_body(self, name: str, entry: Mapping[str, Any]) -> InitialBody:
        path = f"initial.bodies.{name[:60]}"
        self._body(name, path)
        v = self.numbers.vector(entry["v"], f"{path}.v") if "v" in entry else None
        omega = self.numbers.turning(entry["omega"], f"{path}.omega") if "omega" in entry else None
        return InitialBody(name, v, omega)

    def _point(self, text: str, path: str) -> tuple[str, str]:
        name, _, point = text.partition(".")
        body = self._body(name, path, moving=False)
        if point not in body.points:
            known = did_you_mean(point, body.points) or f"; its points are {list_names(body.points)}"
            raise refuse(path, f"body {show(name)} has no point {show(point)}{known}")
        return name, point

    def _interval(self, entry: Mapping[str, Any], path: str) -> tuple[float, float]:
        start = self.numbers.optional(entry, "from", path, -math.inf)
        until = self.numbers.optional(entry, "until", path, math.inf)
        if until < start:
            raise refuse(f"{path}.until", f"must not be before from ({start:g} s), found {until:g} s")
        return start, until

    def _laws(self, value: Any, path: str) -> tuple[Expression, Expression, Expression]:
        """Three laws of t: two entries of a planar vector mean zero z, one number of a planar torque is z."""
        if not isinstance(value, (list, tuple)):
            if self.numbers.space == "spatial":
                raise refuse(path, "must be a list of 3 laws; only planar mechanisms may give the z component alone")
            return constant(0.0), constant(0.0), self.numbers.law(value, path)
        self.numbers.check_entries(value, path)
        x, y, *z = (self.numbers.law(law, f"{path}[{index}]") for index, law in enumerate(value))
        return x, y, z[0] if z else constant(0.0)

    def _spring(self, name: str, entry: Mapping[str, Any], path: str) -> Spring:
        first, second = (self._point(text, f"{path}.between[{i}]") for i, text in enumerate(entry["between"]))
        if first == second:
            raise refuse(f"{path}.between", "both ends are the same point")
        stiffness, damping, length = (
            self.numbers.optional(entry, key, path, 0.0) for key in ("stiffness", "damping", "length")
        )
        if length < 0.0:
            raise refuse(f"{path}.length", f"must not be negative, found {length:g}")
        return Spring(name, (first, second), stiffness, damping, length)

    def _force(self, name: str, entry: Mapping[str, Any], path: str) -> AppliedForce:
        self._body(entry["body"], f"{path}.body")
        at = self.numbers.place(entry["at"], f"{path}.at") if "at" in entry else ORIGIN
        value = self._laws(entry["value"], f"{path}.value")
        return AppliedForce(name, entry["body"], at, value, entry.get("axes", "world"), *self._interval(entry, path))

    def _torque(self, name: str, entry: Mapping[str, Any], path: str) -> AppliedTorque:
        self._body(entry["body"], f"{path}.body")
        value = self._laws(entry["value"], f"{path}.value")
        return AppliedTorque(name, entry["body"], value, entry.get("axes", "world"), *self._interval(entry, path))

    def _joint_force(self, name: str, entry: Mapping[str, Any], path: str) -> JointForce:
        joint = self._joint(entry["joint"], f"{path}.joint")
        if "freedom" not in entry and len(joint.freedoms) != 1:
            has = ", ".join(joint.freedoms) or "none with a name"
            raise refuse(path, f'"freedom" is missing; joint {show(joint.id)} ({joint.type}) has {has}')
        freedom = entry.get("freedom", joint.freedoms[0] if joint.freedoms else "")
        check_freedom(joint, freedom, f"{path}.freedom")
        stiffness, damping, rest = (
            self.numbers.optional(entry, key, path, 0.0) for key in ("stiffness", "damping", "rest")
        )
        value = self.numbers.law(entry.get("value", 0.0), f"{path}.value")
        return JointForce(name, joint.id, freedom, stiffness, damping, rest, value)
