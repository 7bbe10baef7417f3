"""A mechanism as tables: bodies, the motions of its tree, the rows of its joints."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import BODY, ELEMENT, MOTION, MOTION_KINDS
from symgen.errors import MechanismError
from symgen.model.expressions import Expression
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint, JointForce, Spring
from symgen.poses import IDENTITY, Array, inverse, multiply
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.joint_rows import JointRows, RowElement
from symgen.simulate.tables.scale import scaled_law
from symgen.simulate.tables.spanning_tree import GROUND, Branch, span

Structure = Literal["tree", "dense"]
#: Rows of a schema (`symgen.engine_tables`), or numbers alone.
Table = NDArray[Any]
#: What a row of constraints gives at least, if motion in the plane opens it.
_OPENS = 1e-9
TURNS = {"angle", "angle1", "angle2", "yaw", "roll", "pitch"}


class MechanismTables:
    """Tables of bodies, motions of the tree and rows of joints; see `symgen.simulate.tables.problem.make_problem`."""

    def __init__(
        self, mechanism: Mechanism, manifest: DynamicsManifest, structure: Structure, rows: JointRows, unit: float
    ) -> None:
        self.mechanism, self.structure, self.rows = mechanism, structure, rows
        self.kinds = {kind.name: kind for kind in manifest.kinds}
        self.freedom_codes = {(each.pair, each.name): each.code for each in manifest.freedoms}
        self.tree = span(mechanism)
        self.order = tuple(branch.body for branch in self.tree.branches)
        self.index = {body: k for k, body in enumerate(self.order)}
        self.count = len(self.order)
        self.number = {body.id: k for k, body in enumerate(mechanism.bodies)}
        self.parents = [self._index(branch.parent) for branch in self.tree.branches]
        self.unit = unit
        self.laws: list[Expression] = []
        self.law_of_drive: dict[tuple[str, str], int] = {}
        for key, law in mechanism.drives.items():
            self.law_of_drive[key] = len(self.laws)
            self.laws.append(self._drive_law(key, law.value))

    def _drive_law(self, key: tuple[str, str], law: Expression) -> Expression:
        return law if key[1] in TURNS else scaled_law(law, 1.0 / self.unit)

    def _index(self, body: int) -> int:
        """Return the engine's number of a body of the mechanism, the ground's included."""
        return self.count if body == GROUND else self.index[body]

    def _index_of(self, name: str) -> int:
        return self._index(self.number.get(name, GROUND))

    def _frame(self, joint: Joint, side: int) -> Array:
        """Return a joint frame in the frame of the body's centre of mass, (7,)."""
        if joint.frames is None:
            raise MechanismError("has no geometry", file=self.mechanism.file, field=f"joints.{joint.id}")
        frame = joint.frames[side]
        return np.concatenate([np.array(frame.at) - self._com(joint.bodies[side]), np.array(frame.q)])

    def _com(self, name: str) -> Array:
        if name not in self.number:
            return np.zeros(3)
        return np.array(self.mechanism.bodies[self.number[name]].com or (0.0, 0.0, 0.0))

    def _bodies(self, sizes: dict[str, int], tables: dict[str, Table]) -> None:
        """Add the tables of bodies and of the motions that carry them."""
        records: list[tuple[int, int, int, int]] = []
        motions, unknowns = [0], [0]
        signs, pitches = [], []
        before, after = [], []
        unknown = balls = 0
        for branch in self.tree.branches:
            one, two = self._ends(branch)
            before.append(one)
            after.append(inverse(two))
            for motion in branch.motions:
                is_ball = motion.kind == "ball"
                law = self._law_of(branch, motion.freedom) if motion.driven else -1
                records.append(
                    (MOTION_KINDS.index(motion.kind), -1 if motion.driven else unknown, law, balls if is_ball else -1)
                )
                unknown += motion.unknowns
                balls += is_ball
                signs.append(float(motion.sign))
                pitches.append((branch.joint.pitch if branch.joint is not None else None) or 0.0)
            motions.append(len(records))
            unknowns.append(unknown)
        bodies = [self.mechanism.bodies[k] for k in self.order]
        tables["BODY"] = BODY.filled(
            self.count, parent=self.parents, first_motion=motions[:-1], end_motion=motions[1:],
            first_unknown=unknowns[:-1], end_unknown=unknowns[1:], mass=[body.mass or 0.0 for body in bodies],
            inertia=[body.inertia or (0.0,) * 6 for body in bodies], before=before, after=after,
        )  # fmt: skip
        kinds, first, laws, own = np.array(records, dtype=np.int32).reshape(-1, 4).T
        tables["MOTION"] = MOTION.filled(
            len(records), kind=kinds, unknown=first, law=laws, ball=own, sign=signs, pitch=pitches
        )
        tables["GRAVITY"] = np.array(self.mechanism.gravity, dtype=np.float64)
        most = max((len(branch.motions) for branch in self.tree.branches), default=0)
        sizes |= {"MOTIONS": len(records), "BALLS": balls, "MOST_MOTIONS": most}
        self._damped_unknowns(tables, unknown)

    def _ends(self, branch: Branch) -> tuple[Array, Array]:
        """Return the joint frames on carrier and body."""
        if branch.joint is None:
            return IDENTITY, IDENTITY
        one, two = self._frame(branch.joint, 0), self._frame(branch.joint, 1)
        return (two, one) if branch.reverse else (one, two)

    def _law_of(self, branch: Branch, freedom: str) -> int:
        if branch.joint is None:
            raise ValueError("a free body has no laws")
        return self.law_of_drive[(branch.joint.id, freedom)]

    def _damped_unknowns(self, tables: dict[str, Table], unknowns: int) -> None:
        """Damping of joint forces on freedoms of the tree, by unknown; dampers elsewhere couple bodies."""
        damping = np.zeros(unknowns if self.structure == "tree" else 6 * self.count)
        where: dict[tuple[str, str], int] = {}
        k = 0
        for branch in self.tree.branches:
            for motion in branch.motions:
                if motion.unknowns == 1 and branch.joint is not None:
                    where[(branch.joint.id, motion.freedom)] = k
                k += motion.unknowns
        self.coupled = 0
        for force in self.mechanism.forces:
            if isinstance(force, JointForce) and (force.joint, force.freedom) in where:
                damping[where[(force.joint, force.freedom)]] += force.damping / (
                    self.unit**2 if force.freedom in TURNS else 1.0
                )
            elif isinstance(force, (JointForce, Spring)) and force.damping:
                self.coupled += 1
        tables["UNKNOWN_DAMPING"] = damping

    def _elements(self, sizes: dict[str, int], tables: dict[str, Table]) -> int:
        """List the rows of all joints, those of cut joints first; return how many of them are of cut joints."""
        every = self.rows.joint_elements() + self._driven_elements()
        is_cut = (
            {joint.id for joint in self.tree.cut} if self.structure == "tree" else {j.id for j in self.mechanism.joints}
        )
        listed = sorted(every, key=lambda element: element.joint.id not in is_cut)
        cut = [element for element in listed if element.joint.id in is_cut]
        kept = self._rows_in_the_plane(listed)
        # the row of a driven H holds its slide, its law is an angle
        factors = [
            (each.joint.pitch or 1.0) / self.unit if each.joint.type == "H" and each.freedom else 1.0 for each in listed
        ]
        lengths = [self.kinds[each.kind].lengths for each in listed]
        units = [[self.unit if k in found else 1.0 for k in range(6)] for found in lengths]
        records = np.array([self._element(element) for element in listed], dtype=np.int32).reshape(-1, 5)
        codes, one, two, meet, laws = records.T
        tables["ELEMENT"] = ELEMENT.filled(
            len(listed), kind=codes, body_1=one, body_2=two, meet=meet, law=laws, rows=kept,
            frame_1=[self._frame(each.joint, 0) for each in listed],
            frame_2=[self._frame(each.joint, 1) for each in listed],
            pitch=[each.joint.pitch or 0.0 for each in listed], factor=factors, unit=units,
        )  # fmt: skip
        rows = sum(mask.bit_count() for mask in kept[: len(cut)])
        sizes |= {"ELEMENTS": len(listed), "CUT_ELEMENTS": len(cut), "ROWS": rows}
        return len(cut)

    def _rows_in_the_plane(self, elements: Sequence[RowElement]) -> list[int]:
        """Return for each element which of its rows count, as bits: of a planar mechanism in its tree those that motion
        in the plane can open; all others vanish there.
        """
        counts = [self.kinds[element.kind].rows for element in elements]
        if self.mechanism.space != "planar" or self.structure != "tree" or not elements:
            return [(1 << count) - 1 for count in counts]
        generator = random.Random(3)  # noqa: S311 - any poses in the plane tell
        moving = [6 * body + k for body in range(self.count) for k in (0, 1, 5)]
        largest = np.zeros(sum(counts))
        for _ in range(2):
            poses = np.array([body.pose.r + body.pose.q for body in self.mechanism.bodies])
            for pose in poses:
                x, y, half = (generator.uniform(-1.0, 1.0) for _ in range(3))
                pose[:2] += self.rows.size * np.array([x, y])
                pose[3:] = multiply(np.array([math.cos(half), 0.0, 0.0, math.sin(half)]), pose[3:])
            largest = np.maximum(largest, np.abs(self.rows.linearise(elements, poses).jacobian[:, moving]).max(axis=1))
        ends = np.cumsum([0, *counts])
        flags = largest > _OPENS
        return [sum(1 << k for k in range(count) if flags[ends[e] + k]) for e, count in enumerate(counts)]

    def _driven_elements(self) -> list[RowElement]:
        return [
            self.rows.freedom_element(joint, freedom, 0.0)
            for joint in self.mechanism.joints
            for freedom in joint.driven_freedoms or ()
        ]

    def _element(self, element: RowElement) -> tuple[int, int, int, int, int]:
        one, two = (self._index_of(body) for body in element.joint.bodies)
        law = -1
        if element.freedom:
            law = self.law_of_drive[(element.joint.id, element.freedom)]
        return self.kinds[element.kind].code, one, two, self._meet(one, two), law

    def _meet(self, one: int, two: int) -> int:
        """Return the nearest body that carries both."""
        parents = self.parents
        above = set()
        while one != self.count:
            above.add(one)
            one = parents[one]
        while two != self.count and two not in above:
            two = parents[two]
        return two


def as_spatial(pair: str) -> str:
    """Return the pair in space that a pair is, for the codes of freedoms."""
    return {"ER": "U", "FP": "PL"}.get(pair, pair)
