"""The states of all ports as matrices of the unknowns, from the tips to the roots, and the rows of the equation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.poses import Array
from symgen.transfer.overall.elements import DirectElements, DirectHinge
from symgen.transfer.overall.elimination import (
    PortState,
    far_sides,
    known_moment,
    rest_of_far_side,
    rotations,
    without_moment,
)
from symgen.transfer.overall.equation import BodyInput, DeducedBody, OverallEquation, RowBlock, RowKind


@dataclass(frozen=True)
class OverallRows:
    """Rows of the overall equation that are to vanish.

    Parameters
    ----------
    block : which they are.
    z : (rows, unknowns + 1) coefficients, last that of the 1.
    size : sizes of the terms that they were formed from.
    """

    block: RowBlock
    z: Array
    size: Array


class States:
    """The way from the tips to the roots.

    Parameters
    ----------
    mass : of the size of the bodies', for unknowns that are forces.

    Attributes
    ----------
    tips : states at the tips, by number.
    inputs : states at (body, input), behind the hinge.
    outputs : states at the outputs of bodies.
    rows : of the overall equation.
    scale : (unknowns,) units of the unknowns.
    """

    def __init__(self, equation: OverallEquation, elements: DirectElements, mass: float) -> None:
        self._equation, self._elements, self._mass = equation, elements, mass
        self._width, self._columns = equation.width, equation.unknowns
        self._opaque = equation.variant == "opaque"
        self.scale = np.ones(self._columns)
        self.tips: dict[int, Array] = {}
        self.inputs: dict[tuple[int, int], PortState] = {}
        self.outputs: dict[int, PortState] = {}
        self.rows: list[OverallRows] = []
        self._far = far_sides(elements, equation)
        first = self._begin()
        for step in equation.bodies:
            self._step(step)
        self._end(first)
        self._supplement()

    # -- tips and roots ----------------------------------------------------------------------------------------------

    def _begin(self) -> int:
        """Set the states of the tips; return the first unknown of the roots."""
        first, d = 0, self._width
        for tip in self._equation.tips:
            z = np.zeros((2 * d, self._columns + 1))
            if tip.kind == "ground":
                self._beside_ground(z, self._elements.hinges[tip.joint], first, -1.0)
            else:
                z[: tip.unknowns, first : first + tip.unknowns] = np.eye(tip.unknowns)
                self.scale[first + d : first + tip.unknowns] = self._mass
            self.tips[tip.number], first = z, first + tip.unknowns
        return first

    def _beside_ground(self, z: Array, hinge: DirectHinge, first: int, sign: float) -> None:
        """Write the states at the inboard side of a hinge to the ground; sign -1: the wrench is the ground's."""
        d, (columns, rest), (basis, given) = self._width, hinge.held, hinge.wrenches
        free = columns.shape[1]
        z[:d, first : first + free], z[:d, -1] = columns, rest
        z[d:, first + free : first + d], z[d:, -1] = sign * basis, sign * given
        self.scale[first + free : first + d] = self._mass

    def _end(self, first: int) -> None:
        """Bind the states at the roots: main equations, or the rows of the hinges there."""
        d = self._width
        for step in self._equation.roots:
            k, output = step.body.body, step.body.output
            hinge, port = self._elements.hinges[output.joint] if output is not None else None, self.outputs[k]
            if self._opaque:
                if hinge is not None and step.output_freedoms < d:
                    rows = hinge.locked @ hinge.x
                    z = rows @ port.z[:d]
                    z[:, -1] += hinge.locked @ hinge.eta
                    self._add(self._block("root", k), z, np.abs(rows) @ port.size[:d])
                continue
            z = np.zeros((2 * d, self._columns + 1))
            if hinge is None:
                z[:d, first : first + d] = np.eye(d)
            else:
                self._beside_ground(z, hinge, first, 1.0)
            self._add(self._block("main", k), port.z - z, port.size + np.abs(z))
            first += d

    # -- from the inputs of a body to its output ---------------------------------------------------------------------

    def _step(self, step: DeducedBody) -> None:
        d, k = self._width, step.body.body
        body = self._elements.bodies[k]
        ports = [self._enter(entry, tender=body.terms is not None and n > 0) for n, entry in enumerate(step.entries)]
        u, rest = body.transfer[:-1, :-1], body.transfer[:-1, -1]
        gained, gained_size = np.zeros_like(ports[0].z), np.zeros_like(ports[0].z)
        gained[:, -1], gained_size[:, -1] = rest, body.rest_terms
        for number, (matrix, port) in enumerate(zip(body.others, ports[1:], strict=True)):
            gained, gained_size = gained + matrix @ port.z, gained_size + body.other_terms(number) @ port.size
        if step.eliminates:
            ports[0] = self._eliminate(step, ports, gained_size)
        self.inputs |= {(k, entry.input): port for entry, port in zip(step.entries, ports, strict=True)}
        main_size = np.abs(u) @ ports[0].size
        if body.terms is not None:  # what was rounded before goes on as it is, what a beam rounds is larger
            main_size += body.main_terms @ np.abs(ports[0].z)
        self.outputs[k] = PortState(u @ ports[0].z + gained, main_size + gained_size)
        for number, entry in enumerate(step.entries[1:]):
            self._geometric(step, entry, number)
        rows = step.output_freedoms - (step.entries[0].freedoms if step.eliminates else 0)
        if self._opaque and rows:
            self._leftover(step, rows == step.output_freedoms < d)

    def _eliminate(self, step: DeducedBody, ports: list[PortState], gained: Array) -> PortState:
        """Return the state behind the main hinge; `gained` are sizes of what others and loads add at the output."""
        d, entry = self._width, step.entries[0]
        body, passed = self._elements.bodies[step.body.body], ports[0].size.copy()
        u = body.transfer[:-1, :-1]
        states = [port.z for port in ports[1:]]
        if not self._opaque:
            turns, moments = rotations(d)
            hinges = [self._elements.hinges[each.joint] if each.joint else None for each in step.entries]
            states = [
                port.z if hinge is None else without_moment(hinge, port)
                for hinge, port in zip(hinges[1:], ports[1:], strict=True)
            ]
            known = passed.copy()
            known[turns] = known[moments] = 0.0
            known[moments, -1] = np.abs(known_moment(self._elements.hinges[entry.joint], inboard=False))
            passed[turns] = 0.0
        else:
            known = passed
        others = np.zeros_like(gained[d:])
        for matrix, z in zip(body.others, states, strict=True):
            others += matrix[d:] @ z
        terms = body.main_terms[d:] @ known + gained[d:]
        found = self._far[step.body.body].behind(self._before(entry), passed, terms, others)
        if body.terms is not None and not np.any(u[:d, d:]):
            # Of a beam at whose near end both joints are the pivot is the rest of larger terms, which only it shows.
            found = self._far[step.body.body].less_sure(found, ports[0].z, body.sizes)
        return found

    def _before(self, entry: BodyInput) -> Array:
        """Return the state on the other side of the hinge of an input."""
        return self.tips[entry.tip] if entry.tip else self.outputs[entry.source].z

    def _enter(self, entry: BodyInput, *, tender: bool) -> PortState:
        """Return the state behind the hinge of an input, its relative accelerations left out.

        What was rounded before goes on as it is: only the terms of the next step count. Not so where the body is
        `tender`: the free frame of a beam answers to a wrench far more than any rigid body does.
        """
        z, d = self._before(entry), self._width
        size = np.abs(z)
        if tender and not entry.tip:
            size[d:] = self.outputs[entry.source].size[d:]
        if not entry.joint:
            return PortState(z, size)
        hinge = self._elements.hinges[entry.joint]
        if entry.tip and entry.freedoms and self._opaque:
            self._force_rows(entry.joint, self._equation.tips[entry.tip - 1].body, z[d:], size[d:])
        passed = np.vstack([hinge.x @ z[:d], hinge.xw @ z[d:]])
        passed[:d, -1] += hinge.eta
        return PortState(passed, np.vstack([np.abs(hinge.x) @ size[:d], np.abs(hinge.xw) @ size[d:]]))

    # -- rows --------------------------------------------------------------------------------------------------------

    def _add(self, block: RowBlock, z: Array, size: Array) -> None:
        self.rows.append(OverallRows(block, z, size))

    def _block(self, kind: RowKind, body: int, place: int = 0, joint: str | None = None) -> RowBlock:
        return next(
            block
            for block in self._equation.blocks
            if block.kind == kind
            and (block.body, block.input) == (body, place)
            and (joint is None or block.joint == joint)
        )

    def _force_rows(self, joint: str, body: int, wrench: Array, size: Array) -> None:
        hinge = self._elements.hinges[joint]
        rows = hinge.power @ wrench
        rows[:, -1] -= hinge.tau
        self._add(self._block("leftover", body, joint=joint), rows, np.abs(hinge.power) @ size)

    def _geometric(self, step: DeducedBody, entry: BodyInput, number: int) -> None:
        """Accelerations of an input from the output and from its hinge agree in what the hinge holds."""
        d, k = self._width, step.body.body
        out, port, (slope, shift) = (
            self.outputs[k],
            self.inputs[k, entry.input],
            self._elements.bodies[k].geometric[number],
        )
        hinge = self._elements.hinges[entry.joint] if entry.joint else None
        locked = hinge.locked if hinge is not None else np.eye(d)
        if not len(locked):
            return
        rows = locked @ (slope @ out.z[:d] - port.z[:d])
        rows[:, -1] += locked @ shift
        slopes = self._elements.bodies[k].slopes
        size = np.abs(locked) @ ((slopes[number] if slopes else np.abs(slope)) @ out.size[:d] + port.size[:d])
        if gains := self._elements.bodies[k].gains:
            for other, gain in zip(step.entries, gains[number], strict=True):
                wrench = self.inputs[k, other.input]
                rows += locked @ gain @ wrench.z[d:]
                size += np.abs(locked @ gain) @ wrench.size[d:]
        if hinge is not None and not self._opaque:
            moments = rotations(d)[1]
            known = port.z[moments].copy()
            known[:, -1] -= known_moment(hinge, inboard=False)
            rows, size = np.vstack([rows, known]), np.vstack([size, port.size[moments]])
        self._add(self._block("geometric", k, entry.input), rows, size)

    def _leftover(self, step: DeducedBody, all_of_hinge: bool) -> None:
        """Add the force rows at the output that no elimination has used."""
        d, k, output = self._width, step.body.body, step.body.output
        out = self.outputs[k]
        if output is not None and all_of_hinge:
            self._force_rows(output.joint, k, out.z[d:], out.size[d:])
            return
        rows, given = rest_of_far_side(self._elements, step)
        found = rows @ out.z[d:]
        found[:, -1] -= given
        block = self._block("leftover", k, joint=output.joint if output is not None else "")
        self._add(block, found, np.abs(rows) @ out.size[d:])

    def _supplement(self) -> None:
        """Both sides of a cut: equal accelerations, opposite wrenches."""
        d = self._width
        sign = np.concatenate([-np.ones(d), np.ones(d)])[:, None]
        for tip in self._equation.tips:
            if tip.kind == "cut body":
                one, two = self.tips[tip.number], self.tips[tip.partner]
                block = self._block("supplement", tip.body, joint=tip.joint)
                self._add(block, one + sign * two, np.abs(one) + np.abs(two))
