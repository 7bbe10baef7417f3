"""A mechanism as a chain of transfer matrices, for the classical product."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from symgen.library.element_routines import call
from symgen.poses import Array
from symgen.simulate.tables.spanning_tree import GROUND
from symgen.transfer.elements import SWAP, inertia_entries, shifting
from symgen.vibrations.chain_shape import check_chain
from symgen.vibrations.columns import stiffness_at_port
from symgen.vibrations.direct import AnyPart, BeamPart, ChainPart, Release, VibratingChain, constant_part, way_matrix
from symgen.vibrations.elements import hinge_rest, rest_stiffness
from symgen.vibrations.nodes import ElementNode
from symgen.vibrations.riccati import Recursion, VibratingHinge
from symgen.vibrations.roots import beam_square
from symgen.vibrations.system import CutJoint

_Flexible = list[tuple[Array, Array]]
#: Directions in which hinges and beams give way less than by this part of the most do not.
_GIVES = 1e-9
#: What a load at rest leaves of a hinge's stiffness, of turns and slides rounding only.
_HELD = 1e-12


def make_chain(recursion: Recursion) -> VibratingChain:
    """Return the chain of a mechanism at rest.

    Parameters
    ----------
    recursion : of `symgen.vibrations.analysis.linearise`.

    Raises
    ------
    MechanismError
        The mechanism is no chain, or has what the classical product cannot pass; names it.
    """
    return _ChainMaker(recursion).made()


@dataclass
class _Branch:
    """Parts of a way between two points (3,); `flexible`: points and columns of its hinges and beams."""

    parts: list[AnyPart]
    start: Array
    end: Array
    flexible: _Flexible


class _ChainMaker:
    def __init__(self, recursion: Recursion) -> None:
        self.recursion, self.system, self.shape = recursion, recursion.system, check_chain(recursion)
        self.loaded = False

    def made(self) -> VibratingChain:
        roots = self.shape.roots
        if self.shape.held is not None:
            return self._between_grounds(self.shape.held)
        if self.shape.free:
            return self._free(roots[0])
        way = self._branch(roots[0], None)
        return self._chain(way, "tip", "ground")

    def _between_grounds(self, held: CutJoint) -> VibratingChain:
        """Return the chain that a cut joint closes: from the ground of its one side to that of its other."""
        chain = self._cut(held)
        if held.outboard != GROUND:
            ahead = self._branch_of(held.outboard, held)
            chain = _Branch(chain.parts + ahead.parts, chain.start, ahead.end, chain.flexible + ahead.flexible)
        if held.inboard != GROUND:
            behind = self._branch_of(held.inboard, held)
            parts = [*_backwards(behind.parts), *chain.parts]
            chain = _Branch(parts, behind.end, chain.end, behind.flexible + chain.flexible)
        return self._chain(chain, "ground", "ground")

    def _free(self, root: int) -> VibratingChain:
        """Return a chain that nothing holds, from one tip through the root to the other."""
        branches = [self._branch(child, None) for child in self.system.elements[root].children]
        starts: list[Array | None] = [*(branch.end for branch in branches), None, None]
        parts = self._element(root, starts[0], [], starts[1], through=True)
        if branches:
            parts = branches[0].parts + parts
        if len(branches) > 1:
            parts += _backwards(branches[1].parts)
        return self._chain(_Branch(parts, np.zeros(3), np.zeros(3), []), "tip", "tip")

    # -- parts -------------------------------------------------------------------------------------------------------

    def _branch_of(self, body: int, cut: CutJoint) -> _Branch:
        place = self.system.place[body]
        point = cut.port if body == cut.inboard else cut.end
        while self.system.elements[place].parent != GROUND:
            place = self.system.place[self.system.elements[place].parent]
        return self._branch(place, point)

    def _branch(self, root: int, point: Array | None) -> _Branch:
        """Return the way from a tip through the joint of an element; `point` where a cut joint holds the tip."""
        elements = self.system.elements
        members = [root]
        while elements[members[-1]].children:
            members.append(elements[members[-1]].children[0])
        found = _Branch([], np.zeros(3), elements[root].end, [])
        for k in reversed(members):
            start = elements[elements[k].children[0]].end if elements[k].children else point
            found.parts += self._element(k, start, found.flexible)
            self._hinges(k, found)
        return found

    def _element(
        self, k: int, start: Array | None, flexible: _Flexible, stop: Array | None = None, through: bool = False
    ) -> list[AnyPart]:
        """Return a body from where it is entered to its port, or `through` it to where it is left."""
        element, layout = self.system.elements[k], self.recursion.layouts[k]
        behind: list[AnyPart] = []
        if element.beam is None:
            node = layout.nodes[0]
            begin = element.port if start is None else start
            at = (element.mass, inertia_entries(element.inertia), element.centre - begin, element.port - begin)
            still, moving = (_flat(call("vibration_body_spatial", *at, s, np.zeros(6))[0]) for s in (0.0, 1.0))
            behind = [ChainPart(still, moving - still).ahead(self._held(node.stiffness))]
            last = element.port
        else:
            behind, last = self._beam(k, start, flexible, through)
        if through:
            return [*behind, constant_part(way_matrix(stop - last))] if stop is not None else behind
        if element.beam is not None:
            behind.append(constant_part(way_matrix(element.port - last, layout.stiffness)))
        return behind

    def _beam(self, k: int, start: Array | None, flexible: _Flexible, through: bool) -> tuple[list[AnyPart], Array]:
        """Return a beam from its end that is entered to its output, or `through` it to its other end."""
        layout = self.recursion.layouts[k]
        arms = sorted(
            layout.arms,
            key=lambda arm: 0.0 if start is None else float(np.linalg.norm(layout.nodes[arm[0][0]].point - start)),
        )
        first = layout.nodes[arms[0][0][0]]
        parts: list[AnyPart] = []
        if start is not None:
            parts.append(constant_part(way_matrix(first.point - start)))
        for index, piece in arms[0]:
            self._along(parts, layout.nodes[index], BeamPart(piece))
            end = layout.nodes[index].point + piece.length * piece.axes[:, 0]
            turn = np.kron(np.eye(2), piece.axes)
            flexible += [(end, turn[:, bend]) for bend in piece.bends]
        node = layout.nodes[layout.out]
        if through and len(arms) > 1:
            for index, piece in reversed(arms[1]):
                self._along(parts, node, BeamPart(piece, backwards=True))
                node = layout.nodes[index]
        parts.append(constant_part(self._held(node.stiffness)))
        return parts, node.point

    def _along(self, parts: list[AnyPart], node: ElementNode, part: BeamPart) -> None:
        """Put a node and the piece behind it to the others; pieces with nothing between them are one."""
        last = parts[-1] if parts else None
        self.loaded |= part.piece.loaded
        if (
            isinstance(last, BeamPart) and last.backwards == part.backwards and not node.stiffness.any()
            and not (last.piece.loaded or part.piece.loaded)
        ):  # fmt: skip
            piece = replace(last.piece, length=last.piece.length + part.piece.length)
            parts[-1] = replace(last, piece=piece)
        else:
            parts += [constant_part(self._held(node.stiffness)), part]

    def _hinges(self, k: int, found: _Branch) -> None:
        """Put the hinges of an element's joint behind it."""
        element, point = self.system.elements[k], self.system.elements[k].port
        for step, hinge in zip(element.steps, self.recursion.hinges[k], strict=True):
            self._put(found.parts, way_matrix(step.point - point, hinge.stiffness))
            self._hinge(found, hinge, step.point)
            point = step.point
        self.loaded |= bool(np.abs(self.recursion.ways[k][1]).max() > 0.0)
        self._put(found.parts, way_matrix(element.end - point, self.recursion.ways[k][1]))

    def _cut(self, cut: CutJoint) -> _Branch:
        """Return the joint that closes a chain to the ground, from its port to its end."""
        wrench, point = self.recursion.rest.cuts[0], cut.port
        # What the force at rest stiffens along the joint is in its parts here: nodes of the inboard body have it, too.
        counted = -stiffness_at_port(cut, wrench)
        found = _Branch([constant_part(way_matrix(np.zeros(3), counted))], cut.port, cut.end, [])
        for step in cut.steps:
            here = shifting(cut.end - step.point).T @ wrench
            column, rest = hinge_rest(step.along, step.about, here[3:], here[:3])
            lever = point - step.point
            stiffness = rest_stiffness(lever, wrench[:3])
            self._put(found.parts, way_matrix(-lever, stiffness))
            self._hinge(found, VibratingHinge(shifting(lever), stiffness, column, rest, step.stiffness), step.point)
            point = step.point
        self._put(found.parts, way_matrix(cut.end - point, rest_stiffness(point - cut.end, wrench[:3])))
        return found

    def _hinge(self, found: _Branch, hinge: VibratingHinge, point: Array) -> None:
        """Put a hinge under its load at rest behind the others: (k - g H) dq = g a - H w.

        It adds H dq to the displacements a = [x theta] and g dq to the wrench w = [q m]. One that nothing holds has no
        matrix: then the right-hand side is zero, and dq is one unknown more.
        """
        self.loaded |= bool(hinge.rest.any()) or bool(hinge.stiffness.any()) or hinge.spring < 0.0
        found.flexible.append((point, hinge.column))
        adds = np.concatenate([hinge.column, hinge.rest[SWAP]])
        moves = np.concatenate([hinge.rest, -hinge.column[SWAP]])
        held = hinge.spring - float(hinge.rest @ hinge.column)
        if abs(held) > _HELD * float(np.linalg.norm(hinge.rest) * np.linalg.norm(hinge.column)):
            self._put(found.parts, np.eye(12) + np.outer(adds, moves) / held)
        else:
            found.parts.append(Release(adds, moves))

    def _held(self, stiffness: Array) -> Array:
        """Return the matrix of a place that forces at rest and springs to the ground hold, (6, 6) on [x theta]."""
        self.loaded |= bool(np.linalg.eigvalsh(stiffness)[0] < 0.0)
        return way_matrix(np.zeros(3), stiffness)

    def _put(self, parts: list[AnyPart], matrix: Array) -> None:
        last = parts[-1]
        if isinstance(last, ChainPart):
            parts[-1] = last.ahead(matrix)
        else:
            parts.append(constant_part(matrix))

    # -- both ends ---------------------------------------------------------------------------------------------------

    def _chain(self, way: _Branch, start: str, end: str) -> VibratingChain:
        """Return the chain with what is known at its ends: "tip" or "ground"."""
        planar = self.system.mechanism.space == "planar"
        index = np.array([0, 1, 5, 8, 9, 10] if planar else range(12))
        half = len(index) // 2
        size, force = self._units()
        if start == "tip":
            rows = np.eye(12)[index]
            begin, row = rows[:half].T, rows[half:] if end == "tip" else rows[:half]
        else:
            begin, row = _held_ends(way, size)
        mass = sum(element.mass for element in self.system.elements)
        return VibratingChain(
            tuple(way.parts), begin, row, index, size, force, mass, self._freedoms(), self.loaded,
            beam_square(self.system),
        )  # fmt: skip

    def _freedoms(self) -> float:
        count = self.recursion.freedoms
        return float("inf") if count is None else float(count)

    def _units(self) -> tuple[float, float]:
        """Return a length [m] and a force [N] that are usual in the chain."""
        elements = self.system.elements
        places = np.array([[e.port, e.end, e.centre] for e in elements]).reshape(-1, 3)
        lengths = [e.beam.length for e in elements if e.beam is not None]
        lengths += [float(np.sqrt(np.trace(e.inertia) / e.mass)) for e in elements if e.mass > 0.0]
        size = max(float(np.ptp(places, axis=0).max()), 1e-9, *lengths)
        steps = [step for element in elements for step in element.steps]
        steps += [step for cut in self.system.cuts for step in cut.steps]
        forces = [abs(s.stiffness) * (1.0 / size if s.about.any() else size) for s in steps if s.stiffness]
        forces += [max(e.beam.bending) * size / e.beam.length**3 for e in elements if e.beam is not None]
        if not forces:  # pendula: their weight
            forces = [float(np.linalg.norm(wrench[:3])) for wrench in self.recursion.rest.ends]
        return size, float(np.median(forces)) or 1.0


def _held_ends(way: _Branch, size: float) -> tuple[Array, Array]:
    """Return wrenches (12, r) at a grounded beginning and displacements (r, 12) at a grounded end that count.

    Those are the ones that some hinge or beam gives way to; others are redundant, and do no work.
    """
    weights = np.array([1.0] * 3 + [size] * 3)
    columns = np.array([shifting(point - way.end) @ column for point, column in way.flexible]).T * weights[:, None]
    vectors, values, _ = np.linalg.svd(columns, full_matrices=False)
    basis = weights[:, None] * vectors[:, values > _GIVES * values.max()]
    begin, row = np.zeros((12, basis.shape[1])), np.zeros((basis.shape[1], 12))
    begin[6:] = (shifting(way.end - way.start).T @ basis)[SWAP]
    row[:, :6] = basis.T
    return begin, row


def _backwards(parts: list[AnyPart]) -> list[AnyPart]:
    return [part.turned() for part in reversed(parts)]


def _flat(values: Array) -> Array:
    found: Array = values.reshape(*values.shape[:-1], 12, 12)
    return found
