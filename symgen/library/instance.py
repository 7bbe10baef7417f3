"""A group instance: one structural group between bodies of known motion, read from a file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from symgen.errors import MechanismError
from symgen.library.adapt import BodyMotion
from symgen.library.frames import port_frame
from symgen.library.group_joints import GroupJoint
from symgen.library.instance_shape import SHAPES
from symgen.model.joint_frames import lacking_fields, side_frame
from symgen.model.load import read_tree
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import PAIR_TYPES
from symgen.model.parameters import Numbers, refuse
from symgen.model.read_bodies import read_quaternion
from symgen.model.shapes import Problems
from symgen.poses import Array

Space = Literal["spatial", "planar"]


@dataclass(frozen=True)
class GroupInstance:
    """A group with numbers, in the form `symgen.library.adapt.GroupAdapter.ports` takes.

    Parameters
    ----------
    space : ``"spatial"`` or ``"planar"``.
    bodies : ids of the unknown bodies.
    joints : all joints.
    known : known body -> motion.
    frames : joint -> joint frames on first and second body, as ports take them.
    drives : (joint, freedom) -> value, rate, acceleration (3,).
    pitches : H joint -> pitch [m/rad].
    start : unknown body -> pose as ports take it, for certified Newton to start from; all of them, or none.
    file : where it was read from.
    """

    space: Space
    bodies: tuple[str, ...]
    joints: tuple[GroupJoint, ...]
    known: Mapping[str, BodyMotion] = field(hash=False)
    frames: Mapping[str, tuple[Array, Array]] = field(hash=False)
    drives: Mapping[tuple[str, str], Array] = field(hash=False)
    pitches: Mapping[str, float] = field(default_factory=dict, hash=False)
    start: Mapping[str, Array] = field(default_factory=dict, hash=False)
    file: str | None = None


def load_instance(path: str | os.PathLike[str]) -> GroupInstance:
    """Return the instance of a TOML or JSON file.

    Raises
    ------
    MechanismError
        The file cannot be read or is wrong: file, field, what was found, what is allowed.
    """
    file = os.fspath(path)
    return instance_of(read_tree(file, "a group instance"), file)


def instance_of(tree: object, file: str | None = None) -> GroupInstance:
    """Return the instance of a tree as `tomllib` or `json` give it.

    Raises
    ------
    MechanismError
        With the dotted path of the field; problems that do not depend on each other are reported together.
    """
    problems = Problems()
    found = tree.get("space") if isinstance(tree, Mapping) else None
    space: Space = "planar" if found == "planar" else "spatial"
    _check_kind(tree, file)
    SHAPES[space].check(tree, "", problems)
    problems.raise_any(file)
    if not isinstance(tree, Mapping):  # the shape has refused anything else
        raise MechanismError("must be a table", file=file)
    try:
        return _InstanceReader(tree, space).read(file)
    except MechanismError as error:
        raise MechanismError(error.reason, file=file, field=error.field) from None


def _check_kind(tree: object, file: str | None) -> None:
    """Refuse another kind of file, and plane motions without ``space``, before their keys are looked at."""
    if not isinstance(tree, Mapping):
        return
    if str(tree.get("schema", "")).startswith("symgen/mechanism/"):
        raise MechanismError("this is a mechanism file; use symgen solve", file=file, field="schema")
    if "space" not in tree and _looks_planar(tree.get("known")):
        message = 'is missing, and the known bodies move in the plane; add "space": "planar"'
        raise MechanismError(message, file=file, field="space")


def _looks_planar(known: object) -> bool:
    motions = [each for each in known.values() if isinstance(each, Mapping)] if isinstance(known, Mapping) else []
    return any("phi" in each or (isinstance(each.get("r"), (list, tuple)) and len(each["r"]) == 2) for each in motions)


class _InstanceReader:
    """Reads the values of a tree whose shape is right."""

    def __init__(self, tree: Mapping[str, Any], space: Space) -> None:
        self.tree, self.space = tree, space
        self.numbers = Numbers({}, space)

    def read(self, file: str | None) -> GroupInstance:
        known = {name: self._motion(table, f"known.{name}") for name, table in self.tree["known"].items()}
        bodies = tuple(self.tree["bodies"])
        for index, body in enumerate(bodies):
            if body in known or body in bodies[:index]:
                raise refuse(f"bodies[{index}]", f"{show(body)} is listed twice")
        joints: list[GroupJoint] = []
        frames: dict[str, tuple[Array, Array]] = {}
        drives: dict[tuple[str, str], Array] = {}
        for name, table in self.tree["joints"].items():
            path = f"joints.{name}"
            driven = self._driven(table, path)
            joint = GroupJoint(name, table["type"], self._ends(table, path, known, bodies), tuple(driven))
            joints.append(joint)
            frames[name] = self._frames(table, joint, path)
            drives.update({(name, freedom): values for freedom, values in driven.items()})
        pitches = self._pitches(joints)
        return GroupInstance(
            self.space, bodies, tuple(joints), known, frames, drives, pitches, self._start(bodies), file
        )

    def _pitches(self, joints: list[GroupJoint]) -> dict[str, float]:
        found = {}
        for joint in joints:
            path, table = f"joints.{joint.name}", self.tree["joints"][joint.name]
            if joint.type != "H":
                if "pitch" in table:
                    raise refuse(f"{path}.pitch", f"only an H has a pitch, not {joint.type}")
                continue
            if "pitch" not in table:
                raise refuse(path, "lacks pitch [m/rad]")
            found[joint.name] = self.numbers.number(table["pitch"], f"{path}.pitch")
            if found[joint.name] == 0.0:
                raise refuse(f"{path}.pitch", "must not be zero: an H without pitch is an R")
        return found

    def _start(self, bodies: tuple[str, ...]) -> dict[str, Array]:
        given = self.tree.get("start", {})
        for name in given:
            if name not in bodies:
                hint = did_you_mean(name, bodies) or f"; unknown bodies are {list_names(bodies)}"
                raise refuse(f"start.{name}", f"no unknown body has this id{hint}")
        lacking = [body for body in bodies if body not in given]
        if given and lacking:
            raise refuse("start", f"lacks {list_names(lacking)}: give all unknown bodies or none")
        return {name: self._motion(table, f"start.{name}").pose for name, table in given.items()}

    def _motion(self, table: Mapping[str, Any], path: str) -> BodyMotion:
        if self.space == "planar":
            keys = (("r", "phi"), ("v", "omega"), ("a", "alpha"))
            return BodyMotion(*(self._planar(table, path, *pair) for pair in keys))
        q = read_quaternion(table["q"], f"{path}.q", self.numbers) if "q" in table else (1.0, 0.0, 0.0, 0.0)
        pose = np.concatenate([self._vector(table, "r", path), q])
        twist = np.concatenate([self._vector(table, key, path) for key in ("v", "omega")])
        acceleration = np.concatenate([self._vector(table, key, path) for key in ("a", "alpha")])
        return BodyMotion(pose, twist, acceleration)

    def _planar(self, table: Mapping[str, Any], path: str, place: str, turn: str) -> Array:
        xy = self.numbers.numbers(table.get(place, (0.0, 0.0)), f"{path}.{place}")
        return np.array([*xy, self.numbers.optional(table, turn, path, 0.0)])

    def _vector(self, table: Mapping[str, Any], key: str, path: str) -> Array:
        return np.array(self.numbers.numbers(table.get(key, (0.0, 0.0, 0.0)), f"{path}.{key}"))

    def _ends(
        self, table: Mapping[str, Any], path: str, known: Mapping[str, BodyMotion], bodies: tuple[str, ...]
    ) -> tuple[str, str]:
        pair = PAIR_TYPES[table["type"]]
        if self.space == "planar" and not pair.planar:
            raise refuse(f"{path}.type", f"{pair.code} has no meaning in the plane")
        first, second = table["bodies"]
        every = [*known, *bodies]
        for index, body in enumerate((first, second)):
            if body not in every:
                hint = did_you_mean(body, every) or f"; bodies are {list_names(every)}"
                raise refuse(f"{path}.bodies[{index}]", f"no body has the id {show(body)}{hint}")
        if first == second:
            raise refuse(f"{path}.bodies", f"joins {show(first)} with itself")
        if first in known and second in known:
            raise refuse(f"{path}.bodies", "joins two known bodies: it takes no part in the group, leave it out")
        return first, second

    def _driven(self, table: Mapping[str, Any], path: str) -> dict[str, Array]:
        """Return the driven freedoms in the order of the type's freedoms: value, rate, acceleration."""
        pair = PAIR_TYPES[table["type"]]
        given = table.get("driven", {})
        for freedom in given:
            if freedom not in pair.freedoms:
                hint = did_you_mean(freedom, pair.freedoms) or f"; freedoms are {', '.join(pair.freedoms) or 'none'}"
                raise refuse(f"{path}.driven", f"{pair.code} has no freedom {show(freedom)}{hint}")
        found = {}
        for freedom in (name for name in pair.freedoms if name in given):
            value = given[freedom]
            values = value if isinstance(value, (list, tuple)) else (value,)
            row = self.numbers.numbers(values, f"{path}.driven.{freedom}")
            found[freedom] = np.array([*row, *(0.0,) * (3 - len(row))])
        return found

    def _frames(self, table: Mapping[str, Any], joint: GroupJoint, path: str) -> tuple[Array, Array]:
        given = table["frames"]
        for body in given:
            if body not in joint.bodies:
                raise refuse(f"{path}.frames", f"{show(body)} is not a body of this joint: {list_names(joint.bodies)}")
        first, second = (
            self._frame(joint.type, given.get(body, {}), f"{path}.frames.{body}", side)
            for side, body in enumerate(joint.bodies)
        )
        return first, second

    def _frame(self, code: str, side: Mapping[str, Any], path: str, index: int) -> Array:
        if not PAIR_TYPES[code].has_geometry:
            raise refuse(path, f"{code} is known to the structural analysis only, its geometry is not defined")
        lacks = lacking_fields(code, side, self.space == "planar", index)
        if "angle" in side:
            lacks = tuple(key for key in lacks if key not in ("axis", "axis2"))
        if lacks:
            has_angle = self.space == "planar" and not {"axis", "axis2"}.isdisjoint(lacks)
            also = ' (or "angle")' if has_angle else ' (or "q")' if "axis" in lacks else ""
            raise refuse(path, f"lacks {' and '.join(lacks)}{also}")
        if "angle" in side:
            return self._planar_frame(side, path)
        return port_frame(code, side_frame(code, side, path, self.numbers), self.space)

    def _planar_frame(self, side: Mapping[str, Any], path: str) -> Array:
        others = [key for key in ("q", "axis", "axis2") if key in side]
        if others:
            raise refuse(f"{path}.{others[0]}", f"angle and {others[0]} describe the same thing; give one of them")
        at = self.numbers.vector(side.get("at", (0.0, 0.0)), f"{path}.at")
        if len(at) > 2 and at[2] != 0.0:
            raise refuse(f"{path}.at", f"must lie in the x-y plane of a planar group, found z = {at[2]:g}")
        return np.array([at[0], at[1], self.numbers.number(side["angle"], f"{path}.angle")])
