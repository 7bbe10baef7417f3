"""A mechanism as the dynamics engine takes it: bodies in the order of the tree, constraints, forces, laws.

Poses are those of the centres of mass, axes of the bodies; joint frames and points are moved there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from symgen.model.expressions import Expression, constant
from symgen.model.mechanism import Mechanism
from symgen.model.parts import AppliedForce, AppliedTorque, JointForce, Spring
from symgen.poses import Array
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.mechanism_tables import TURNS, MechanismTables, Structure, as_spatial, ints
from symgen.simulate.tables.scale import scale_tables, scaled_law, unit_of_length
from symgen.simulate.tables.spanning_tree import SpanningTree

_PUSH_WORLD, _PUSH_BODY, _TWIST_WORLD, _TWIST_BODY = range(4)


@dataclass(frozen=True)
class Problem:
    """Sizes and tables for the engine; bodies are numbered in the order of the tree.

    Parameters
    ----------
    structure : "tree" (unknowns are coordinates of the tree) or "dense" (poses of all bodies).
    order : place of each of the engine's bodies in the mechanism.
    tree : the spanning tree.
    sizes : macros.
    integers, numbers : constant tables.
    laws : laws of time: of driven freedoms, joint forces, forces and torques; the last is zero.
    pushes : (start, until) [s] of each force and torque.
    watched : (joint, freedom) of each angle whose turns are counted.
    unit : unit of length of tables and states [m], see `symgen.simulate.tables.scale`.
    """

    structure: Structure
    order: tuple[int, ...]
    tree: SpanningTree
    sizes: Mapping[str, int]
    integers: Mapping[str, NDArray[np.int32]] = field(repr=False)
    numbers: Mapping[str, Array] = field(repr=False)
    laws: tuple[Expression, ...] = field(repr=False)
    pushes: tuple[tuple[float, float], ...]
    watched: tuple[tuple[str, str], ...]
    unit: float = 1.0


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
        numbers: dict[str, Array] = {}
        integers: dict[str, NDArray[np.int32]] = {}
        sizes: dict[str, int] = {"TREE": int(self.structure == "tree"), "BODIES": self.count}
        self._masses(numbers)
        unknowns = 6 * self.count
        self._motions(sizes, integers, numbers)
        if self.structure == "tree":
            unknowns = sum(branch.unknowns for branch in self.tree.branches)
        cut = self._elements(sizes, integers, numbers)
        pushes = self._forces(sizes, integers, numbers)
        watched = self._watch(sizes, integers, numbers)
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
        scale_tables(numbers, [bool(record[3]) for record in integers["JOINT_FORCE"]], self.unit)
        return Problem(
            self.structure, self.order, self.tree, sizes, integers, numbers, tuple(self.laws), tuple(pushes), watched,
            self.unit,
        )  # fmt: skip

    # -- bodies ------------------------------------------------------------------------------------------------------

    # -- the tree ----------------------------------------------------------------------------------------------------

    # -- constraints -------------------------------------------------------------------------------------------------

    # -- forces ------------------------------------------------------------------------------------------------------

    def _forces(
        self, sizes: dict[str, int], integers: dict[str, NDArray[np.int32]], numbers: dict[str, Array]
    ) -> list[tuple[float, float]]:
        springs, spring_data = [], []
        joint_forces, joint_data, frames = [], [], []
        pushes, at, spans = [], [], []
        joints = {joint.id: joint for joint in self.mechanism.joints}
        for force in self.mechanism.forces:
            if isinstance(force, Spring):
                springs.append([self._index_of(body) for body, _ in force.between])
                ends = [self._point(body, point) for body, point in force.between]
                spring_data.append([*ends[0], *ends[1], force.stiffness, force.damping, force.length])
            elif isinstance(force, JointForce):
                joint = joints[force.joint]
                code = self.freedom_codes[(as_spatial(joint.type), force.freedom)]
                bodies = [self._index_of(body) for body in joint.bodies]
                turns = force.freedom in TURNS
                self.laws.append(scaled_law(force.value, self.unit ** -(2 if turns else 1)))
                joint_forces.append([code, *bodies, int(turns), len(self.laws) - 1])
                joint_data.append([force.stiffness, force.damping, force.rest])
                frames.append([self._frame(joint, 0), self._frame(joint, 1)])
            else:
                pushes.append(self._push(force))
                at.append(
                    np.array(force.at) - self._com(force.body) if isinstance(force, AppliedForce) else np.zeros(3)
                )
                spans.append((force.start, force.until))
        sizes |= {
            "SPRINGS": len(springs), "JOINT_FORCES": len(joint_forces), "PUSHES": len(pushes),
            "POINT_DAMPERS": self.coupled,
        }  # fmt: skip
        integers["SPRING"] = ints(springs).reshape(-1, 2)
        numbers["SPRING_DATA"] = np.array(spring_data, dtype=np.float64).reshape(-1, 9)
        integers["JOINT_FORCE"] = ints(joint_forces).reshape(-1, 5)
        numbers["JOINT_FORCE_DATA"] = np.array(joint_data, dtype=np.float64).reshape(-1, 3)
        both = np.array(frames, dtype=np.float64).reshape(-1, 2, 7)
        numbers["FORCE_FRAME_1"], numbers["FORCE_FRAME_2"] = both[:, 0], both[:, 1]
        integers["PUSH"] = ints(pushes).reshape(-1, 3)
        numbers["PUSH_AT"] = np.array(at, dtype=np.float64).reshape(-1, 3)
        return spans

    def _watch(
        self, sizes: dict[str, int], integers: dict[str, NDArray[np.int32]], numbers: dict[str, Array]
    ) -> tuple[tuple[str, str], ...]:
        """List the angles of all joints; those that are turns of the tree are known by its values."""
        motion_of: dict[tuple[str, str], int] = {}
        place = 0
        for branch in self.tree.branches:
            for motion in branch.motions:
                if branch.joint is not None and motion.freedom in TURNS:
                    motion_of[(branch.joint.id, motion.freedom)] = place
                place += 1
        found: list[tuple[str, str]] = []
        records, frames = [], []
        for joint in self.mechanism.joints:
            for freedom in joint.freedoms:
                code = self.freedom_codes.get((as_spatial(joint.type), freedom))
                if freedom not in TURNS or code is None or joint.frames is None:
                    continue
                found.append((joint.id, freedom))
                bodies = [self._index_of(body) for body in joint.bodies]
                records.append([code, *bodies, motion_of.get((joint.id, freedom), -1)])
                frames.append([self._frame(joint, 0), self._frame(joint, 1)])
        sizes["WATCHED"] = len(found)
        integers["WATCH"] = ints(records).reshape(-1, 4)
        both = np.array(frames, dtype=np.float64).reshape(-1, 2, 7)
        numbers["WATCH_FRAME_1"], numbers["WATCH_FRAME_2"] = both[:, 0], both[:, 1]
        return tuple(found)

    def _push(self, force: AppliedForce | AppliedTorque) -> tuple[int, int, int]:
        first = len(self.laws)
        factor = self.unit ** -(1 if isinstance(force, AppliedForce) else 2)
        self.laws += [scaled_law(part, factor) for part in force.value]
        kinds = (_PUSH_WORLD, _PUSH_BODY) if isinstance(force, AppliedForce) else (_TWIST_WORLD, _TWIST_BODY)
        return self._index_of(force.body), first, kinds[force.axes == "body"]

    def _point(self, body: str, point: str) -> Array:
        holder = (
            self.mechanism.ground_body if body == self.mechanism.ground else self.mechanism.bodies[self.number[body]]
        )
        return np.array(holder.points[point]) - self._com(body)
