"""Cut-joint constraints h_l of every cotree joint, by its type, and their Jacobian.

Only the tree's joints appear. With o, x, y, z the origins and axes of the joint frames on the first (1) and second
(2) body, each constraint is one of

    place     a_1 . (o_2 - o_1) = 0     wrench: a force along a_1 through o_2
    turn      a_1 . b_2 = 0             wrench: a moment b_2 x a_1
    helix     pitch sin(angle - slide/pitch) = 0, from x_1 . x_2 = cos(angle), y_1 . x_2 = sin(angle)

and its derivative is the power of that wrench on the twist of the second body relative to the first, for every
configuration, closed or not. The column of a tree coordinate is that power on its instantaneous screw.

A turn a_1 . b_2 = 0 also holds with an axis reversed; that assembly is a half-turn away and no motion near a closed
configuration leads there.

Source: A. Mueller, Mechanical Sciences 6 (2015), 137-146, Eq. (6); joint types of Celdran, Saura, Dopico 2022, Table 3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symgen.algebra import ONE, Expr, cos, number, sin
from symgen.derive.derivation import Derivation
from symgen.derive.loops.cut_body import SOURCE, cycle_passages
from symgen.derive.loops.frames import Frame
from symgen.derive.loops.inputs import LoopInputs
from symgen.derive.loops.screws import Screw
from symgen.derive.loops.tree import TreeFrames, grow_tree
from symgen.derive.vectors import Vector
from symgen.errors import DerivationError
from symgen.topology.loops.topological_graph import FundamentalCycle, TopologicalGraph


@dataclass(frozen=True)
class Constraint:
    """One scalar constraint: its value, and the wrench (force, moment about the world's origin) of its derivative."""

    value: Expr
    force: Vector
    moment: Vector
    unit: str

    def power(self, screw: Screw) -> Expr:
        """Return the power on a screw."""
        return self.force.dot(screw.linear) + self.moment.dot(screw.angular)


_PLACE3, _PARALLEL, _ALIGNED = ("x", "y", "z"), ("xz", "yz"), ("xz", "yz", "xy")

#: Space -> type -> axes a_1 of places and pairs a_1 b_2 of turns. An H adds its helix to those of a C.
CUT_CONSTRAINTS: dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "spatial": {
        "R": (_PLACE3, _PARALLEL),
        "P": (("x", "y"), _ALIGNED),
        "H": (("x", "y"), _PARALLEL),
        "C": (("x", "y"), _PARALLEL),
        "U": (_PLACE3, ("zx",)),
        "ER": (_PLACE3, ("zx",)),
        "S": (_PLACE3, ()),
        "L": (("y", "z"), _PARALLEL),
        "PL": (("z",), _PARALLEL),
        "FP": (("z",), _PARALLEL),
        "F": ((), ()),
        "W": (_PLACE3, _ALIGNED),
    },
    # in the plane a joint frame's x lies along the slide of a P
    "planar": {
        "R": (("x", "y"), ()),
        "P": (("y",), ("xy",)),
        "L": (("y",), ()),
        "FP": ((), ()),
        "W": (("x", "y"), ("xy",)),
    },
}


def derive_cut_constraints(graph: TopologicalGraph, title: str) -> Derivation:
    """Derive h_l of every loop."""
    return _derive(graph, title, "cut", _put_values)


def derive_cut_jacobian(graph: TopologicalGraph, title: str) -> Derivation:
    """Derive the Jacobian of h_l for the loop's tree coordinates."""
    return _derive(graph, title, "cut_jacobian", _put_jacobian)


Put = Callable[[LoopInputs, TreeFrames, int, list[Constraint]], None]


def _derive(graph: TopologicalGraph, title: str, name: str, put: Put) -> Derivation:
    d = Derivation(name, level="loops", title=title, source=SOURCE)
    inputs = LoopInputs(d, graph)
    tree = grow_tree(inputs)
    for loop, cycle in enumerate(graph.cycles, start=1):
        if any(_constraints_of(graph, cycle)):
            put(inputs, tree, loop, _constraints(inputs, tree, loop, cycle))
    return d


def _constraints_of(graph: TopologicalGraph, cycle: FundamentalCycle) -> tuple[tuple[str, ...], tuple[str, ...]]:
    table = CUT_CONSTRAINTS[graph.space]
    kind = graph.arc(cycle.joint).type
    if kind not in table:
        raise DerivationError(f"no cut-joint constraints for a {kind} ({cycle.joint})")
    return table[kind]


def _put_values(inputs: LoopInputs, tree: TreeFrames, loop: int, constraints: list[Constraint]) -> None:
    joint = inputs.graph.cycles[loop - 1].joint
    values = [
        inputs.derivation.scalar(f"h_l{loop}_{k}", c.value, f"constraint {k} of {joint}", c.unit)
        for k, c in enumerate(constraints, start=1)
    ]
    unit = ", ".join(c.unit for c in constraints)
    meaning = f"cut-joint constraints of {joint} ({inputs.graph.arc(joint).type}), zero if closed"
    inputs.output(f"cut_{loop}", values, meaning=meaning, unit=unit)


def _put_jacobian(inputs: LoopInputs, tree: TreeFrames, loop: int, constraints: list[Constraint]) -> None:
    cycle = inputs.graph.cycles[loop - 1]
    to_second = dict(inputs.graph.path(_second(inputs, cycle)))
    before, after = cycle_passages(inputs, loop)
    columns = [c for c, _ in (*before, *after) if c.joint != cycle.joint]
    if not columns:
        return
    values = []
    for k, constraint in enumerate(constraints, start=1):
        for c in columns:
            power = constraint.power(tree.screws[c.number]) * number(1 if c.joint in to_second else -1)
            meaning = f"constraint {k} of {cycle.joint}: its derivative with respect to {c.name}"
            values.append(inputs.derivation.scalar(f"j_l{loop}_{k}_{c.number}", power, meaning))
    size = f"{len(constraints)} x {len(columns)} matrix by rows"
    meaning = (
        f"{size}: derivatives of the cut-joint constraints of {cycle.joint} for {', '.join(c.name for c in columns)}"
    )
    inputs.output(f"cut_jacobian_{loop}", values, meaning=meaning, unit="m or 1 per unit coordinate")


def _second(inputs: LoopInputs, cycle: FundamentalCycle) -> str:
    """Return the second body of the cut joint in the file."""
    arc = inputs.graph.arc(cycle.joint)
    return arc.tail if arc.turned else arc.head


def _constraints(inputs: LoopInputs, tree: TreeFrames, loop: int, cycle: FundamentalCycle) -> list[Constraint]:
    d, graph = inputs.derivation, inputs.graph
    arc = graph.arc(cycle.joint)
    first_body, second_body = (arc.tail, arc.head)[:: -1 if arc.turned else 1]
    sides: list[Frame] = []
    for side, body in enumerate((first_body, second_body)):
        text = f"joint frame of {cycle.joint} on {body}"
        sides.append(tree.frames[body].moved(inputs.cut(loop, side), f"l{loop}_side{side + 1}", text))
    first, second = sides
    apart = d.vector(f"apart_l{loop}", second.place - first.place, f"{cycle.joint}: from first to second centre", "m")
    places, turns = _constraints_of(graph, cycle)
    found = [_place(first.axis(a), second.place, apart) for a in places]
    found += [_turn(first.axis(pair[0]), second.axis(pair[1])) for pair in turns]
    if arc.type == "H":
        inputs.guard_pitch(cycle.joint)
        found.append(_helix(d, f"l{loop}", first, second, apart, inputs.pitch(cycle.joint)))
    return found


def _place(axis: Vector, at: Vector, apart: Vector) -> Constraint:
    moment = at.cross(axis) if len(axis) == 3 else Vector((at.area(axis),))
    return Constraint(axis.dot(apart), axis, moment, "m")


def _turn(a: Vector, b: Vector) -> Constraint:
    moment = b.cross(a) if len(a) == 3 else Vector((b.area(a),))
    return Constraint(a.dot(b), a * 0, moment, "1")


def _helix(d: Derivation, tag: str, first: Frame, second: Frame, apart: Vector, pitch: Expr) -> Constraint:
    """Return pitch sin(angle - slide/pitch): no turns have to be counted."""
    cosine, sine = _turn(first.axis("x"), second.axis("x")), _turn(first.axis("y"), second.axis("x"))
    slide = _place(first.axis("z"), second.place, apart)
    lead = d.scalar(f"lead_{tag}", slide.value / pitch, "the angle that belongs to the slide", "rad")
    c, s = d.scalar(f"clead_{tag}", cos(lead), "its cosine", "1"), d.scalar(f"slead_{tag}", sin(lead), "its sine", "1")
    value = (sine.value * c - cosine.value * s) * pitch
    along = (cosine.value * c + sine.value * s) * -ONE
    moment = (sine.moment * c - cosine.moment * s) * pitch + slide.moment * along
    return Constraint(value, slide.force * along, moment, "m")
