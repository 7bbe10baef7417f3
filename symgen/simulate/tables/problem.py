"""A mechanism as the dynamics engine takes it: bodies in the order of the tree, constraints, forces, laws.

Poses are those of the centres of mass, axes of the bodies; joint frames and points are moved there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import JOINT_FORCE, PUSH, PUSH_KINDS, SPRING, WATCH
from symgen.model.expressions import Expression, ExpressionError, constant
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce, Spring
from symgen.poses import Array
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.acting import laws_while_acting
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.mechanism_tables import TURNS, MechanismTables, Structure, Table, as_spatial
from symgen.simulate.tables.scale import scale_tables, scaled_law, unit_of_length
from symgen.simulate.tables.spanning_tree import SpanningTree

_WORLD_OR_BODY = {AppliedForce: ("push_world", "push_body"), AppliedTorque: ("twist_world", "twist_body")}


@dataclass(frozen=True)
class Problem:
    """Sizes and tables for the engine; bodies are numbered in the order of the tree.

    Parameters
    ----------
    structure : "tree" (unknowns are coordinates of the tree) or "dense" (poses of all bodies).
    order : index of each of the engine's bodies in the mechanism.
    tree : the spanning tree.
    sizes : macros.
    tables : rows of `symgen.engine_tables` and numbers alone, by the name of the table in C.
    laws : laws of time: of driven freedoms, joint forces, forces and torques; the last is zero.
    pushes : (start, until) [s] of each force and torque.
    watched : (joint, freedom) of each angle whose turns are counted.
    unit : unit of length of tables and states [m], see `symgen.simulate.tables.scale`.
    """

    structure: Structure
    order: tuple[int, ...]
    tree: SpanningTree
    sizes: Mapping[str, int]
    tables: Mapping[str, Table] = field(repr=False)
    laws: tuple[Expression, ...] = field(repr=False)
    pushes: tuple[tuple[float, float], ...]
    watched: tuple[tuple[str, str], ...]
    unit: float = 1.0

    def law_values(self, time: float) -> Array:
        """Return the value of each law at a time; NaN of a law that has none then."""
        found = np.full(len(self.laws), np.nan)
        for k, law in enumerate(self.laws):
            with suppress(ExpressionError):
                found[k] = law.evaluate({"t": time})
        return found

    def needed_laws(self, active: NDArray[np.int32] | None = None) -> NDArray[np.bool_]:
        """Tell of each law whether it must have a value: those of drives, and with `active` those of acting forces."""
        rates, drives = self.sizes["RATES"], self.sizes["SECONDS"] - self.sizes["RATES"]
        each = np.arange(len(self.laws))
        needed: NDArray[np.bool_] = (each < drives) | (each >= rates)
        if active is not None:
            needed[self.tables["JOINT_FORCE"]["law"]] = True
            for push, acts in zip(self.tables["PUSH"], active, strict=False):
                needed[push["law"] : push["law"] + 3] |= bool(acts)
        return needed


def make_problem(
    mechanism: Mechanism,
    manifest: DynamicsManifest,
    structure: Structure,
    freedoms: Callable[[], int],
    rows: JointRows,
    unit: float | None = None,
) -> Problem:
    """Return a mechanism as tables.

    Parameters
    ----------
    freedoms : finds the velocity freedoms at a regular position; not asked for an open tree, which has as many as
        unknowns.
    rows : the mechanism's joints as rows.
    unit : of length [m]; by default one of the mechanism's size, for which tolerances are made.
    """
    length = unit_of_length(mechanism) if unit is None else unit
    return _Tables(mechanism, manifest, structure, rows, length).problem(freedoms)


class _Tables(MechanismTables):
    def problem(self, freedoms: Callable[[], int]) -> Problem:
        tables: dict[str, Table] = {}
        sizes: dict[str, int] = {"TREE": int(self.structure == "tree"), "BODIES": self.count}
        unknowns = 6 * self.count
        self._bodies(sizes, tables)
        if self.structure == "tree":
            unknowns = sum(branch.unknowns for branch in self.tree.branches)
        cut = self._elements(sizes, tables)
        pushes = self._forces(sizes, tables)
        watched = self._watch(sizes, tables)
        self.laws.append(constant(0.0))
        sizes |= {"RATES": len(self.laws), "SECONDS": len(self.laws) + len(self.law_of_drive)}
        laws = [(key, self.mechanism.drives[key]) for key in self.law_of_drive]
        self.laws += [self._drive_law(key, law.rate) for key, law in laws]
        self.laws += [self._drive_law(key, law.acceleration) for key, law in laws]
        elimination = self.structure == "tree" and cut == 0 and sizes["POINT_DAMPERS"] == 0
        free = unknowns if elimination else freedoms()
        sizes |= {
            "UNKNOWNS": unknowns, "FREEDOMS": free, "RANK": unknowns - free, "ELIMINATION": int(elimination),
            "LAWS": len(self.laws),
        }  # fmt: skip
        scale_tables(tables, self.unit)
        return Problem(
            self.structure, self.order, self.tree, sizes, tables, tuple(self.laws), tuple(pushes), watched,
            self.unit,
        )  # fmt: skip

    def _forces(self, sizes: dict[str, int], tables: dict[str, Table]) -> list[tuple[float, float]]:
        springs: list[tuple[Any, ...]] = []
        joint_forces: list[tuple[Any, ...]] = []
        pushes: list[tuple[Any, ...]] = []
        spans: list[tuple[float, float]] = []
        joints = {joint.id: joint for joint in self.mechanism.joints}
        for force in self.mechanism.forces:
            if isinstance(force, Spring):
                bodies = [self._index_of(body) for body, _ in force.between]
                ends = [self._point(body, point) for body, point in force.between]
                springs.append((*bodies, *ends, force.stiffness, force.damping, force.length))
            elif isinstance(force, JointForce):
                joint = joints[force.joint]
                code = self.freedom_codes[(as_spatial(joint.type), force.freedom)]
                bodies = [self._index_of(body) for body in joint.bodies]
                turns = force.freedom in TURNS
                self.laws.append(scaled_law(force.value, self.unit ** -(2 if turns else 1)))
                joint_forces.append(
                    (code, *bodies, int(turns), len(self.laws) - 1, self._frame(joint, 0), self._frame(joint, 1),
                     force.stiffness, force.damping, force.rest)
                )  # fmt: skip
            else:
                pushes.append(self._push(force))
                spans.append((force.start, force.until))
        sizes |= {
            "SPRINGS": len(springs), "JOINT_FORCES": len(joint_forces), "PUSHES": len(pushes),
            "POINT_DAMPERS": self.coupled,
        }  # fmt: skip
        for schema, rows in ((SPRING, springs), (JOINT_FORCE, joint_forces), (PUSH, pushes)):
            tables[schema.name] = schema.of_rows(rows)
        return spans

    def _watch(self, sizes: dict[str, int], tables: dict[str, Table]) -> tuple[tuple[str, str], ...]:
        """List the angles of all joints; those that are turns of the tree are known by its values."""
        motion_of: dict[tuple[str, str], int] = {}
        index = 0
        for branch in self.tree.branches:
            for motion in branch.motions:
                if branch.joint is not None and motion.freedom in TURNS:
                    motion_of[(branch.joint.id, motion.freedom)] = index
                index += 1
        found: list[tuple[str, str]] = []
        rows: list[tuple[Any, ...]] = []
        for joint in self.mechanism.joints:
            for freedom in joint.freedoms:
                code = self.freedom_codes.get((as_spatial(joint.type), freedom))
                if freedom not in TURNS or code is None or joint.frames is None:
                    continue
                found.append((joint.id, freedom))
                bodies = [self._index_of(body) for body in joint.bodies]
                turn = motion_of.get((joint.id, freedom), -1)
                rows.append((code, *bodies, turn, self._frame(joint, 0), self._frame(joint, 1)))
        sizes["WATCHED"] = len(found)
        tables["WATCH"] = WATCH.of_rows(rows)
        return tuple(found)

    def _push(self, force: AppliedForce | AppliedTorque) -> tuple[int, int, int, Array]:
        first = len(self.laws)
        factor = self.unit ** -(1 if isinstance(force, AppliedForce) else 2)
        self.laws += [scaled_law(part, factor) for part in laws_while_acting(force)]
        kind = PUSH_KINDS.index(_WORLD_OR_BODY[type(force)][force.axes == "body"])
        at = np.array(force.at) - self._com(force.body) if isinstance(force, AppliedForce) else np.zeros(3)
        return self._index_of(force.body), first, kind, at

    def _point(self, body: str, point: str) -> Array:
        holder = (
            self.mechanism.ground_body if body == self.mechanism.ground else self.mechanism.bodies[self.number[body]]
        )
        return np.array(holder.points[point]) - self._com(body)
