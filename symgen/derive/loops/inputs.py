"""The ports of loop derivations: coordinates and their derivatives, joint screws and frames of the reference.

Everything is numbered (coordinates, joints, bodies and loops from 1 in the order of the mechanism file); names of the
file appear in the documentation only.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import HALF, ONE, TINY, UNIT_TOLERANCE, Expr, absolute, cos, is_symbol, is_zero, number, sin
from symgen.derive.derivation import Derivation
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector
from symgen.status import Status
from symgen.topology.loops.coordinates import Coordinate, LoopCoordinates, number_coordinates
from symgen.topology.loops.topological_graph import TopologicalGraph


class LoopInputs:
    """Declares the ports of one derivation; routines keep those that they use.

    Parameters
    ----------
    order : highest derivative of the coordinates that has a port.
    """

    def __init__(self, derivation: Derivation, graph: TopologicalGraph, order: int = 0) -> None:
        self.derivation, self.graph = derivation, graph
        self.coordinates: LoopCoordinates = number_coordinates(graph)
        self.planar = graph.space == "planar"
        self.joint_number = {arc.joint: k for k, arc in enumerate(graph.arcs, start=1)}
        self.body_number = {body: k for k, body in enumerate(graph.bodies)}
        self.q = [self._coordinates(k) for k in range(order + 1)]
        self._geometry()
        self._half: dict[int, tuple[Expr, Expr]] = {}
        self._constants: dict[int, Expr] = {}
        self._results: dict[Expr, None] = {}

    # -- declarations ------------------------------------------------------------------------------------------------

    def _coordinates(self, order: int) -> tuple[Expr, ...]:
        name = "q" + "d" * order
        every = self.coordinates.every
        what = (
            ("joint coordinates", "rates")[order] if order < 2 else f"derivatives of order {order} of the coordinates"
        )
        meaning = f"{what}: {', '.join(c.name for c in every)}"
        per = "" if not order else "/s" if order == 1 else f"/s^{order}"
        units = list(dict.fromkeys(f"{c.motion.unit}{per}" for c in every))
        elements = [f"{name}_{c.number}" for c in every]
        if not elements:
            return ()
        return self.derivation.input_array(name, elements, meaning=meaning, unit=" or ".join(units), frame="")

    def _geometry(self) -> None:
        axes = "xy" if self.planar else "xyz"
        graph = self.graph
        directed = [c for c in self.coordinates.every if not (self.planar and c.motion.kind == "turn")]
        of = ", ".join(c.name for c in directed)
        self._axes = self._vectors("axes", "e", [c.number for c in directed], axes, f"unit directions of {of}", "1")
        turning = {c.joint for c in self.coordinates.every if c.motion.kind != "slide"}
        placed = [arc.joint for arc in graph.arcs if arc.joint in turning]
        numbers = [self.joint_number[joint] for joint in placed]
        self._centres = self._vectors("centres", "y", numbers, axes, f"centres of the joints {', '.join(placed)}", "m")
        screws = [c for c in self.coordinates.every if c.motion.kind == "screw"]
        self._pitches: dict[int, Expr] = {}
        if screws:
            names = [f"pitch_{self.joint_number[c.joint]}" for c in screws]
            meaning = f"pitches of {', '.join(c.joint for c in screws)}"
            values = self.derivation.input_array("pitches", names, meaning=meaning, unit="m/rad", frame="")
            self._pitches = {self.joint_number[c.joint]: v for c, v in zip(screws, values, strict=True)}
        for c in directed:
            axis = self._axes[c.number]
            self._unit("axes", f"norm2_e_{c.number}", axis.dot(axis), f"the axis of {c.name}")
        bodies = ", ".join(graph.bodies[1:])
        self._bodies = self._poses("references", "c", list(range(1, len(graph.bodies))), f"poses C_i,0 of {bodies}")
        loops = list(range(1, len(graph.cycles) + 1))
        cut = ", ".join(graph.cotree)
        self._gaps = self._poses(
            "gaps", "gap", loops, f"head frame to tail frame of the cut joints {cut}; identity where the loop closes"
        )
        self._cuts = self._poses(
            "cuts", "cut", [2 * k + side for k in loops for side in (0, 1)],
            f"joint frames on first and second body of the cut joints {cut}",
        )  # fmt: skip

    def _vectors(
        self, port: str, letter: str, numbers: Sequence[int], axes: str, meaning: str, unit: str
    ) -> dict[int, Vector]:
        if not numbers:
            return {}
        elements = [f"{letter}_{number}_{axis}" for number in numbers for axis in axes]
        text = f"{meaning}; reference configuration"
        values = self.derivation.input_array(port, elements, meaning=text, unit=unit)
        size = len(axes)
        return {n: Vector(values[size * k : size * (k + 1)]) for k, n in enumerate(numbers)}

    def _poses(self, port: str, letter: str, numbers: Sequence[int], meaning: str) -> dict[int, tuple[Expr, ...]]:
        if not numbers:
            return {}
        parts = ("x", "y", "phi") if self.planar else ("x", "y", "z", "0", "1", "2", "3")
        elements = [f"{letter}{number}_{part}" for number in numbers for part in parts]
        unit = "m, m, rad" if self.planar else "m, m, m, 1, 1, 1, 1"
        text = f"{meaning}; reference configuration"
        values = self.derivation.input_array(port, elements, meaning=text, unit=unit)
        found = {n: values[len(parts) * k : len(parts) * (k + 1)] for k, n in enumerate(numbers)}
        if not self.planar:
            for n, (_, _, _, q0, q1, q2, q3) in found.items():
                size = Quaternion((q0, q1, q2, q3)).norm2()
                self._unit(port, f"norm2_{letter}{n}", size, f"a quaternion of {port}")
        return found

    def _unit(self, port: str, name: str, squared: Expr, what: str) -> None:
        size = self.derivation.scalar(name, squared, f"{what}: squared length")
        self.derivation.guard(
            absolute(size - ONE), "<=", UNIT_TOLERANCE, Status.BAD_INPUT, f"{what} is not of unit length",
            when="used", port=port,
        )  # fmt: skip

    # -- results -------------------------------------------------------------------------------------------------------

    def output(self, name: str, values: Sequence[Expr], *, meaning: str, unit: str) -> None:
        """Declare an array result of steps and of the constants 0, 1 and -1."""
        steps = [self._step_of(value) for value in values]
        self.derivation.output(name, steps, meaning=meaning, unit=unit)
        self._results.update((step, None) for step in steps if step not in self._constants.values())
        self.derivation.witness("position", list(self._results))

    def _step_of(self, value: Expr) -> Expr:
        if is_symbol(value):
            return value
        for constant, name in ((0, "zero"), (1, "plus_one"), (-1, "minus_one")):
            if is_zero(value - constant):
                if constant not in self._constants:
                    step = self.derivation.scalar(name, number(constant), "constant entries of the results")
                    self._constants[constant] = step
                return self._constants[constant]
        return value

    # -- values --------------------------------------------------------------------------------------------------------

    def value(self, coordinate: Coordinate, order: int = 0) -> Expr:
        """Return a coordinate or its derivative of some order."""
        return self.q[order][coordinate.number - 1]

    def axis(self, coordinate: Coordinate) -> Vector:
        """Return the direction of a coordinate in the reference configuration."""
        return self._axes[coordinate.number]

    def centre(self, coordinate: Coordinate) -> Vector:
        """Return the centre of a coordinate's joint in the reference configuration."""
        return self._centres[self.joint_number[coordinate.joint]]

    def pitch(self, joint: str) -> Expr:
        """Return the pitch of an H joint."""
        return self._pitches[self.joint_number[joint]]

    def guard_pitch(self, joint: str) -> None:
        """Refuse a pitch of zero."""
        number = self.joint_number[joint]
        meaning = f"the pitch of {joint} is zero"
        size = self.derivation.scalar(f"pitch2_{number}", self.pitch(joint) ** 2, f"squared pitch of {joint}", "m^2")
        self.derivation.guard(size, ">", TINY, Status.BAD_INPUT, meaning)

    def body(self, body: str) -> tuple[Expr, ...]:
        """Return the pose of a body in the reference configuration."""
        return self._bodies[self.body_number[body]]

    def gap(self, loop: int) -> tuple[Expr, ...]:
        """Return the gap of a loop (from 1)."""
        return self._gaps[loop]

    def cut(self, loop: int, side: int) -> tuple[Expr, ...]:
        """Return the joint frame of the cut joint of a loop (from 1) on its first (0) or second (1) body."""
        return self._cuts[2 * loop + side]

    def half_angle(self, coordinate: Coordinate) -> tuple[Expr, Expr]:
        """Return cosine and sine of half the coordinate."""
        k = coordinate.number
        if k not in self._half:
            half = self.value(coordinate) * HALF
            self._half[k] = (
                self.derivation.scalar(f"hc_{k}", cos(half), f"{coordinate.name}: cosine of half the angle", "1"),
                self.derivation.scalar(f"hs_{k}", sin(half), f"{coordinate.name}: sine of half the angle", "1"),
            )
        return self._half[k]
