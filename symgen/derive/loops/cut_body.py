"""Cut-body constraints of every fundamental cycle: closure, its Jacobian, and higher derivatives by Lie brackets.

    f_l(q) = exp(s_1 Y_1 q_1) ... exp(Y_c q_c) gap exp(s_k Y_k q_k) ... = I

around the cycle l from its body nearest to the root, with s_i = sigma_l(i). The gap is the identity where the
reference configuration closes. With S_i the instantaneous screws along this product (signs included),
d/dt f_l f_l^-1 = sum S_i dq_i/dt for every q, closed or not, and dS_i/dt = sum_{j < i} [S_j, S_i] dq_j/dt.

Source: A. Mueller, Mechanical Sciences 6 (2015), 137-146, Eq. (7) to (9); "Higher derivatives of the kinematic
mapping and some applications", Mechanism and Machine Theory 76 (2014), 70-85.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

from symgen.algebra import TWO, UNIT_TOLERANCE, Expr, absolute, number
from symgen.derive.derivation import Derivation
from symgen.derive.loops.frames import Frame, root_frame
from symgen.derive.loops.inputs import LoopInputs
from symgen.derive.loops.screws import Screw, bracket, is_null, no_screw
from symgen.derive.vectors import AXES, Vector
from symgen.status import Status
from symgen.topology.loops.coordinates import Coordinate, Passage, number_coordinates
from symgen.topology.loops.topological_graph import TopologicalGraph

SOURCE = "A. Mueller, Mechanical Sciences 6 (2015), 137-146, and Mechanism and Machine Theory 76 (2014), 70-85"
_BRACKETS = "Lie brackets of instantaneous joint screws, Mueller 2014"


@dataclass(frozen=True)
class CycleTrace:
    """A walk around one cycle: screws in the order in which they are passed, and the frame f_l at the end."""

    passed: tuple[tuple[Coordinate, Screw], ...]
    end: Frame


def cycle_passages(inputs: LoopInputs, loop: int) -> tuple[tuple[Passage, ...], tuple[Passage, ...]]:
    """Return the coordinates of a loop (from 1) before and after its gap, with their signs."""
    cycle = inputs.graph.cycles[loop - 1]
    passages = inputs.coordinates.passages
    return passages((*cycle.before, (cycle.joint, 1))), passages(cycle.after)


def loop_columns(graph: TopologicalGraph) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return for each loop the coordinates of the Jacobian's columns, by number: cut-body, then cut-joint."""
    coordinates = number_coordinates(graph)
    every = [[c for c, _ in coordinates.passages(cycle.steps)] for cycle in graph.cycles]
    return tuple(
        (tuple(c.number for c in own), tuple(c.number for c in own if c.joint != cycle.joint))
        for cycle, own in zip(graph.cycles, every, strict=True)
    )


def trace_cycle(inputs: LoopInputs, loop: int) -> CycleTrace:
    """Walk around a loop (from 1)."""
    frame = root_frame(inputs)
    found: list[tuple[Coordinate, Screw]] = []
    before, after = cycle_passages(inputs, loop)
    joint = inputs.graph.cycles[loop - 1].joint
    for coordinate, sign in before:
        screw, frame = frame.passed(inputs, coordinate, sign, f"l{loop}_{coordinate.number}")
        found.append((coordinate, screw))
    frame = frame.moved(inputs.gap(loop), f"gap_l{loop}", f"from the tail's to the head's side of {joint}")
    for coordinate, sign in after:
        screw, frame = frame.passed(inputs, coordinate, sign, f"l{loop}_{coordinate.number}")
        found.append((coordinate, screw))
    return CycleTrace(tuple(found), frame)


def derive_closure(graph: TopologicalGraph, title: str) -> Derivation:
    """Derive what is left of f_l: its place, and its rotation as 2 tan(angle/2) times the axis.

    This rotation vector (Cayley, Rodrigues) vanishes for the identity only, does not tell a quaternion from its
    negative, agrees with the angle to second order, and a Newton step on it is sin(angle): it closes from any
    rotation below a half-turn, where it is not defined.
    """
    d = Derivation("closure", level="loops", title=title, source=SOURCE)
    inputs = LoopInputs(d, graph)
    for loop, cycle in enumerate(graph.cycles, start=1):
        end = trace_cycle(inputs, loop).end
        sine, cosine = end.half_turn()
        scale = d.scalar(f"half_l{loop}", cosine, f"loop of {cycle.joint}: cosine of half the angle left", "1")
        d.guard(
            absolute(scale), ">", UNIT_TOLERANCE, Status.DEGENERATE,
            f"the loop of {cycle.joint} is half a turn from closing",
        )  # fmt: skip
        turn = sine * (TWO / scale)
        left = [d.scalar(f"w_l{loop}_{k}", part, "rotation left", "1") for k, part in enumerate(turn)]
        place = d.vector(f"u_l{loop}", end.place, "place left", "m")
        unit = "m, m, rad" if inputs.planar else "m, m, m, rad, rad, rad"
        meaning = f"cut-body closure of the loop of {cycle.joint}: place and 2 tan(angle/2) axis of f_l; zero if closed"
        inputs.output(f"closure_{loop}", (*place, *left), meaning=meaning, unit=unit)
    return d


def derive_jacobian(graph: TopologicalGraph, title: str) -> Derivation:
    """Derive the instantaneous screws of every loop: the columns of J in J dq/dt = 0."""
    d = Derivation("jacobian", level="loops", title=title, source=SOURCE)
    inputs = LoopInputs(d, graph)
    for loop, cycle in enumerate(graph.cycles, start=1):
        trace = trace_cycle(inputs, loop)
        columns = [screw.rows for _, screw in trace.passed]
        if not columns:
            continue
        values = [column[row] for row in range(len(columns[0])) for column in columns]
        names = ", ".join(c.name for c, _ in trace.passed)
        size = f"{len(columns[0])} x {len(columns)} matrix by rows"
        meaning = f"{size}, loop of {cycle.joint}: screws of {names}; rows: velocity at the origin, turn"
        inputs.output(f"jacobian_{loop}", values, meaning=meaning, unit="m or 1 per unit coordinate")
    return d


def derive_bias(graph: TopologicalGraph, title: str, order: int) -> Derivation:
    """Derive what of the `order`-th derivative of the closure does not hold its coordinates' `order`-th derivatives.

    The closure of order n is J q^(n) + bias = 0; bias = sum over i and 1 <= k < n of binomial(n-1, k) S_i^(k)
    q_i^(n-k).
    """
    d = Derivation(f"bias_{order}", level="loops", title=title, source=SOURCE)
    inputs = LoopInputs(d, graph, order - 1)
    for loop, cycle in enumerate(graph.cycles, start=1):
        trace = trace_cycle(inputs, loop)
        values = _bias(inputs, loop, trace, order)
        meaning = f"bias of the loop of {cycle.joint}: its derivative of order {order} is J q^({order}) + bias = 0"
        unit = f"m/s^{order}, rad/s^{order}"
        inputs.output(f"bias_{loop}", values, meaning=meaning, unit=unit)
    return d


def _bias(inputs: LoopInputs, loop: int, trace: CycleTrace, order: int) -> tuple[Expr, ...]:
    """Return the bias of one loop: the twist and its derivatives grow along the cycle."""
    twist = [no_screw(inputs.planar) for _ in range(order)]  # twist[m]: m-th derivative, before the coordinate
    for place, (coordinate, screw) in enumerate(trace.passed, start=1):
        last = place == len(trace.passed)
        tag = f"l{loop}_{coordinate.number}"
        rates = [screw]
        for k in range(order - 1):
            change = no_screw(inputs.planar)
            for m in range(k + 1):
                change = change + bracket(twist[m], rates[k - m]) * number(comb(k, m))
            rates.append(
                _named(inputs, change, f"t{k + 1}_{tag}", f"{coordinate.name}: derivative {k + 1} of its screw")
            )
        for m in range(order):
            least = 1 if m == order - 1 else 0  # the highest derivative leaves out S_i q^(order)
            share = no_screw(inputs.planar)
            for r in range(least, m + 1):
                share = share + rates[r] * (inputs.value(coordinate, m + 1 - r) * number(comb(m, r)))
            twist[m] = twist[m] + share
            if m == order - 1 or not last:
                what = f"{coordinate.name}: derivative {m} of the twist after it" if m else "twist after it"
                twist[m] = _named(inputs, twist[m], f"v{m}_{tag}", what)
    return twist[order - 1].rows


def _named(inputs: LoopInputs, screw: Screw, name: str, meaning: str) -> Screw:
    """Name the parts of a screw that are not plainly zero."""
    d = inputs.derivation
    linear, angular = screw.linear, screw.angular
    if not is_null(linear):
        linear = d.vector(f"{name}_lin", linear, f"{meaning}, linear", source=_BRACKETS)
    if not is_null(angular):
        parts = AXES if len(angular) == 3 else ("turn",)
        angular = Vector(
            tuple(
                d.scalar(f"{name}_ang_{part}", value, f"{meaning}, angular", source=_BRACKETS)
                for part, value in zip(parts, angular, strict=True)
            )
        )
    return Screw(linear, angular)
