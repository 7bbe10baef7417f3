"""Loop constraints with 50 digits against matrix exponentials and numerical differentiation.

The oracle knows nothing of symgen's derivation: it multiplies 4 x 4 matrices of screw motions, differentiates the
product by central differences along a curve q(t), and reads twists off F' F^-1 and its derivatives.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import pytest
from mpmath import matrix, mpf

from symgen.derive.joints import PRIMITIVES
from symgen.derive.loops.module import derive_loops
from symgen.errors import InputError
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Routine
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES
from symgen.pipeline import lower_loops
from symgen.status import Status
from symgen.topology.joint_motions import JOINT_MOTIONS
from symgen.topology.loop_coordinates import LoopCoordinates, number_coordinates
from symgen.topology.reference_configuration import reference_configuration, reference_values
from symgen.topology.topological_graph import TopologicalGraph, build_topological_graph

DIGITS = 50

#: Three loops that share joints, every lower pair, a weld, joints in both directions, sides that do not fit: no loop
#: closes in the reference configuration.
SPATIAL: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "all pairs",
    "space": "spatial",
    "bodies": {
        "a": {"pose": {"r": [0.1, 0.2, 0], "q": ["cos(0.3)", "sin(0.3)", 0, 0]}},
        "b": {}, "c": {"pose": {"r": [0, 0.3, 0.1]}}, "d": {}, "e": {}, "f": {}, "g": {},
    },
    "joints": {
        "A": {"type": "R", "bodies": ["a", "ground"], "at": [0.1, 0.0, 0.2], "axis": [1, 2, 2]},
        "B": {"type": "U", "bodies": ["a", "b"], "at": [0.4, 0.1, 0.2], "axis": [0, 3, 4], "axis2": [1, 0, 0]},
        "C": {"type": "H", "bodies": ["c", "b"], "at": [0.5, 0.3, 0.1], "axis": [2, -1, 2], "pitch": 0.07},
        "D": {"type": "C", "bodies": ["c", "ground"],
              "frames": {"c": {"at": [0.1, 0.2, 0.3], "axis": [1, 0, 1]},
                         "ground": {"at": [0.3, 0.1, 0.0], "axis": [0, 1, 0]}}},
        "E": {"type": "S", "bodies": ["d", "c"], "at": [0.2, 0.6, 0.1]},
        "F": {"type": "PL", "bodies": ["ground", "e"], "at": [0.1, 0.7, 0.0], "axis": [1, 1, 3]},
        "G": {"type": "P", "bodies": ["e", "d"], "at": [0.0, 0.5, 0.2], "axis": [3, 0, 4]},
        "V": {"type": "W", "bodies": ["f", "d"], "at": [0.3, 0.5, 0.4]},
        "K": {"type": "ER", "bodies": ["f", "g"], "at": [0.3, 0.4, 0.4], "axis": [0, 0, 1], "axis2": [0.6, 0.8, 0]},
        "L": {"type": "R", "bodies": ["g", "b"],
              "frames": {"g": {"at": [0.1, 0.2, 0.1], "axis": [1, 0, 1]},
                         "b": {"at": [0.2, 0.1, 0.0], "axis": [0, 1, 1]}}},
    },
}  # fmt: skip

PLANAR: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "plane",
    "space": "planar",
    "bodies": {"a": {"pose": {"r": [0.1, 0.2], "angle": 0.3}}, "b": {}, "c": {}, "d": {}, "e": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0.1]},
        "B": {"type": "P", "bodies": ["b", "a"], "at": [0.3, 0.1], "axis": [3, 4]},
        "C": {"type": "R", "bodies": ["b", "c"], "at": [0.5, 0.2]},
        "D": {"type": "R", "bodies": ["c", "ground"],
              "frames": {"c": {"at": [0.1, 0.3]}, "ground": {"at": [0.6, 0.0]}}},
        "E": {"type": "FP", "bodies": ["ground", "d"], "frames": {"ground": {"at": [0.2, 0.1]}, "d": {"at": [0, 0.1]}}},
        "F": {"type": "W", "bodies": ["d", "e"],
              "frames": {"d": {"at": [0.2, 0.0], "q": ["cos(0.2)", 0, 0, "sin(0.2)"]}, "e": {"at": [0.1, 0.1]}}},
        "G": {"type": "P", "bodies": ["e", "c"],
              "frames": {"e": {"at": [0.2, 0.0], "axis": [1, 2]}, "c": {"at": [0.1, 0.2], "axis": [2, -1]}}},
    },
}  # fmt: skip

#: name -> mechanism, cotree, turned joints
CASES: dict[str, tuple[dict[str, Any], list[str] | None, list[str]]] = {
    "spatial": (SPATIAL, None, []),
    "spatial, cut at U S ER": (SPATIAL, ["B", "E", "K"], ["D", "L", "F", "E"]),
    "spatial, cut at PL R H": (SPATIAL, ["F", "L", "C"], ["B", "F"]),
    "spatial, cut at P W R": (SPATIAL, ["G", "V", "A"], ["A", "V", "C"]),
    "spatial, cut at C P W": (SPATIAL, ["D", "G", "V"], ["D", "G"]),
    "planar": (PLANAR, None, ["C"]),
    "planar, cut at P W": (PLANAR, ["B", "F"], ["A", "F"]),
    "planar, cut at FP R": (PLANAR, ["E", "C"], ["E"]),
    "planar, cut at P R": (PLANAR, ["G", "A"], ["G"]),
}

Case = tuple[TopologicalGraph, LoopCoordinates, dict[str, list[Any]], dict[str, Routine]]


@cache
def case(name: str) -> Case:
    """Return graph, coordinates, values of the geometry ports (unit to 50 digits) and routines by name."""
    tree, cotree, turned = CASES[name]
    mechanism = Mechanism.from_dict(tree)
    graph = build_topological_graph(mechanism, cotree=cotree, turned=turned)
    coordinates = number_coordinates(graph)
    values = reference_values(reference_configuration(mechanism, graph, coordinates), graph, coordinates)
    routines = {routine.name: routine for routine in lower_loops(derive_loops(graph, "some_loops", order=4))}
    with mpmath.workdps(DIGITS):
        exact = {port: [mpf(x) for x in numbers] for port, numbers in values.items()}
        size = 2 if graph.space == "planar" else 3
        exact["axes"] = _unit(exact.get("axes", []), size, 0, size)
        if graph.space == "spatial":
            for port in ("references", "gaps", "cuts"):
                exact[port] = _unit(exact[port], 7, 3, 7)
    return graph, coordinates, exact, routines


def _unit(values: list[Any], step: int, start: int, stop: int) -> list[Any]:
    out = list(values)
    for k in range(0, len(values), step):
        length = mpmath.sqrt(sum(x * x for x in values[k + start : k + stop]))
        out[k + start : k + stop] = [x / length for x in values[k + start : k + stop]]
    return out


# -- the oracle: 4 x 4 matrices ---------------------------------------------------------------------------------------


def hat(axis: list[Any]) -> Any:
    x, y, z = axis
    return matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def motion(axis: list[Any], point: list[Any], angle: Any, slide: Any) -> Any:
    """Turn by `angle` about the line along `axis` through `point` and slide along it."""
    w = hat(axis)
    turn = mpmath.eye(3) + mpmath.sin(angle) * w + (1 - mpmath.cos(angle)) * (w * w)
    place = matrix(point) - turn * matrix(point) + matrix(axis) * slide
    return homogeneous(turn, place)


def homogeneous(turn: Any, place: Any) -> Any:
    out = mpmath.eye(4)
    for i in range(3):
        for j in range(3):
            out[i, j] = turn[i, j]
        out[i, 3] = place[i]
    return out


def pose_matrix(pose: list[Any]) -> Any:
    if len(pose) == 3:
        x, y, phi = pose
        return motion([mpf(0), mpf(0), mpf(1)], [mpf(0)] * 3, phi, mpf(0)) + _shift(x, y)
    x, y, z, w, a, b, c = pose
    turn = matrix(
        [
            [w * w + a * a - b * b - c * c, 2 * (a * b - w * c), 2 * (a * c + w * b)],
            [2 * (a * b + w * c), w * w - a * a + b * b - c * c, 2 * (b * c - w * a)],
            [2 * (a * c - w * b), 2 * (b * c + w * a), w * w - a * a - b * b + c * c],
        ]
    )
    return homogeneous(turn, [x, y, z])


def _shift(x: Any, y: Any) -> Any:
    out = mpmath.zeros(4)
    out[0, 3], out[1, 3] = x, y
    return out


class Screws:
    """exp(s Y q) of every coordinate, from the values of the geometry ports."""

    def __init__(self, graph: TopologicalGraph, coordinates: LoopCoordinates, values: dict[str, list[Any]]) -> None:
        planar = graph.space == "planar"
        size = 2 if planar else 3
        self.data: dict[int, tuple[list[Any], list[Any], str, Any]] = {}
        directed = [c for c in coordinates.every if not (planar and c.motion.kind == "turn")]
        axes = {c.number: values["axes"][size * k : size * k + size] for k, c in enumerate(directed)}
        turning = [a.joint for a in graph.arcs if any(c.motion.kind != "slide" for c in coordinates.by_joint[a.joint])]
        points = {joint: values["centres"][size * k : size * k + size] for k, joint in enumerate(turning)}
        pitches = iter(values.get("pitches", []))
        for c in coordinates.every:
            axis = axes.get(c.number, [mpf(0), mpf(0), mpf(1)])
            point = points.get(c.joint, [mpf(0)] * size)
            pitch = next(pitches) if c.motion.kind == "screw" else mpf(0)
            pad = [mpf(0)] * (3 - len(axis)), [mpf(0)] * (3 - len(point))
            self.data[c.number] = [*axis, *pad[0]], [*point, *pad[1]], c.motion.kind, pitch

    def exp(self, number: int, q: Any) -> Any:
        axis, point, kind, pitch = self.data[number]
        if kind == "slide":
            return motion(axis, point, mpf(0), q)
        return motion(axis, point, q, pitch * q)


def chain(name: str, steps: Any, q: list[Any]) -> Any:
    graph, coordinates, values, _ = case(name)
    screws = Screws(graph, coordinates, values)
    out = mpmath.eye(4)
    for coordinate, sign in coordinates.passages(steps):
        out = out * screws.exp(coordinate.number, sign * q[coordinate.number - 1])
    return out


def loop_matrix(name: str, loop: int, q: list[Any]) -> Any:
    """f_l(q)."""
    graph, _, values, _ = case(name)
    cycle = graph.cycles[loop]
    width = 3 if graph.space == "planar" else 7
    gap = pose_matrix(values["gaps"][width * loop : width * loop + width])
    return chain(name, (*cycle.before, (cycle.joint, 1)), q) * gap * chain(name, cycle.after, q)


def curve(count: int, t: Any) -> list[Any]:
    """A fixed curve q(t) with derivatives of every order."""
    return [mpmath.sin(mpf(k + 1) / 3 + t * (k % 4 + 1)) * mpf(3) / 5 + t * t * t / (k + 2) for k in range(count)]


#: Seven-point central differences: coefficients of f(-3h) ... f(3h) for derivatives 1 to 4, denominators.
STENCILS = {
    1: ([-1, 9, -45, 0, 45, -9, 1], 60),
    2: ([2, -27, 270, -490, 270, -27, 2], 180),
    3: ([1, -8, 13, 0, -13, 8, -1], 8),
    4: ([-1, 12, -39, 56, -39, 12, -1], 6),
}
STEP = mpf(10) ** -8


def derivative(f: Callable[[Any], Any], order: int) -> Any:
    """Return f^(order)(0). Error: h^4 of truncation (1e-32 and a factor), 1e-50/h^4 of rounding (1e-18 for order 4)."""
    weights, denominator = STENCILS[order]
    values = [f((k - 3) * STEP) * w for k, w in enumerate(weights) if w]
    total = values[0]
    for value in values[1:]:
        total = total + value
    return total / (denominator * STEP**order)


def rates(count: int, order: int) -> list[Any]:
    return [derivative(lambda t, k=k: curve(count, t)[k], order) for k in range(count)]


def twist_of(m: Any, planar: bool) -> list[Any]:
    """Return the screw of a matrix of se(3): linear, angular."""
    if planar:
        return [m[0, 3], m[1, 3], m[1, 0]]
    return [m[0, 3], m[1, 3], m[2, 3], m[2, 1], m[0, 2], m[1, 0]]


def run(name: str, routine: str, order: int = 0) -> dict[str, list[Any]]:
    """Run a routine at t = 0 of the curve."""
    _, coordinates, values, routines = case(name)
    count = len(coordinates.every)
    inputs: dict[str, Any] = {**values, "q": curve(count, mpf(0))}
    for k in range(1, order + 1):
        inputs["q" + "d" * k] = rates(count, k)
    status, outputs = evaluate(routines[routine], inputs, digits=DIGITS)
    assert status is Status.OK
    return outputs


@pytest.fixture(autouse=True)
def _many_digits() -> Any:
    with mpmath.workdps(DIGITS):
        yield


every_case = pytest.mark.parametrize("name", CASES)


@every_case
def test_poses_are_products_of_matrix_exponentials(name: str) -> None:
    graph, coordinates, values, _ = case(name)
    found = run(name, "poses")
    q = curve(len(coordinates.every), mpf(0))
    width = 3 if graph.space == "planar" else 7
    for k, body in enumerate(graph.bodies[1:]):
        expected = chain(name, graph.path(body), q) * pose_matrix(values["references"][width * k : width * k + width])
        assert mpmath.mnorm(pose_matrix(found[f"body_{k + 1}"]) - expected) < mpf("1e-45")


@every_case
def test_closure_is_what_the_product_around_the_loop_leaves(name: str) -> None:
    """2 tan(angle/2) times the axis is the Cayley transform: its hat is 2 (R - I)(R + I)^-1."""
    graph, coordinates, _, _ = case(name)
    found = run(name, "closure")
    q = curve(len(coordinates.every), mpf(0))
    for loop in range(len(graph.cycles)):
        f = loop_matrix(name, loop, q)
        turn, one = f[:3, :3], mpmath.eye(3)
        cayley = 2 * (turn - one) * mpmath.inverse(turn + one)
        expected = [f[0, 3], f[1, 3], f[2, 3], cayley[2, 1], cayley[0, 2], cayley[1, 0]]
        expected = [*expected[:2], expected[5]] if graph.space == "planar" else expected
        closure = found[f"closure_{loop + 1}"]
        assert max(abs(a - b) for a, b in zip(closure, expected, strict=True)) < mpf("1e-44")


@every_case
def test_screws_and_brackets_are_the_derivatives_of_the_product(name: str) -> None:
    """J q^(n) + bias_n is the (n-1)-th derivative of the twist F' F^-1, up to the fourth order, closed or not."""
    graph, coordinates, _, _ = case(name)
    count, planar = len(coordinates.every), graph.space == "planar"
    jacobian = run(name, "jacobian")
    biases = {n: run(name, f"bias_{n}", n - 1) for n in (2, 3, 4)}
    for loop, cycle in enumerate(graph.cycles):
        columns = [c.number - 1 for c, _ in coordinates.passages(cycle.steps)]
        f = loop_matrix(name, loop, curve(count, mpf(0)))
        d = {k: derivative(lambda t, at=loop: loop_matrix(name, at, curve(count, t)), k) for k in (1, 2, 3, 4)}
        back = mpmath.inverse(f)
        v = d[1] * back
        # F' = V F, F'' = V' F + V F', F''' = V'' F + 2 V' F' + V F'', ...
        v1 = (d[2] - v * d[1]) * back
        v2 = (d[3] - 2 * v1 * d[1] - v * d[2]) * back
        v3 = (d[4] - 3 * v2 * d[1] - 3 * v1 * d[2] - v * d[3]) * back
        entries = jacobian[f"jacobian_{loop + 1}"]
        for n, expected in enumerate((v, v1, v2, v3), start=1):
            # differences: h^4 truncation and 1e-50/h^n rounding, with the factors of a curve of size 1
            bound = mpf("1e-14") if n == 4 else mpf("1e-22")
            q_n = rates(count, n)
            rest = biases[n][f"bias_{loop + 1}"] if n > 1 else [mpf(0)] * 6
            for row, value in enumerate(twist_of(expected, planar)):
                found = sum(entries[row * len(columns) + k] * q_n[c] for k, c in enumerate(columns)) + rest[row]
                assert abs(found - value) < bound, (n, row)


@every_case
def test_cut_joint_jacobians_are_derivatives_of_the_constraints(name: str) -> None:
    graph, coordinates, values, routines = case(name)
    if "cut" not in routines:
        return
    jacobian = run(name, "cut_jacobian")
    q = curve(len(coordinates.every), mpf(0))

    def constraints(at: list[Any]) -> dict[str, list[Any]]:
        return evaluate(routines["cut"], {**values, "q": at}, digits=DIGITS)[1]

    for loop, cycle in enumerate(graph.cycles, start=1):
        if f"cut_{loop}" not in constraints(q):
            continue
        columns = [c.number - 1 for c, _ in coordinates.passages(cycle.steps) if c.joint != cycle.joint]
        rows = len(constraints(q)[f"cut_{loop}"])
        entries = jacobian[f"cut_jacobian_{loop}"]
        assert len(entries) == rows * len(columns)
        for k, column in enumerate(columns):

            def moved(t: Any, column: int = column, loop: int = loop) -> Any:
                return matrix(constraints([x + (t if i == column else 0) for i, x in enumerate(q)])[f"cut_{loop}"])

            slope = derivative(moved, 1)
            found = matrix([entries[row * len(columns) + k] for row in range(rows)])
            assert mpmath.mnorm(found - slope) < mpf("1e-28")


@every_case
def test_cut_joint_constraints_hold_where_the_cut_joint_is_assembled(name: str) -> None:
    """Put the second side of the cut joint where its motions take it: then h = 0, whatever the coordinates.

    As many constraints as the joint takes freedoms.
    """
    graph, coordinates, values, routines = case(name)
    width = 3 if graph.space == "planar" else 7
    freedoms = 3 if graph.space == "planar" else 6
    q = curve(len(coordinates.every), mpf(0))
    for loop, cycle in enumerate(graph.cycles, start=1):
        arc = graph.arc(cycle.joint)
        if arc.type in ("F", "FP") and arc.freedoms == freedoms:
            continue
        sign = -1 if arc.turned else 1
        one, two = (arc.tail, arc.head)[::sign]
        at = 2 * (loop - 1) * width
        first = chain(name, graph.path(one), q) * pose_matrix(values["cuts"][at : at + width])
        step = mpmath.eye(4)
        for c in coordinates.by_joint[cycle.joint]:  # F_2 = F_1 M_1 M_2 ..., by the mechanism file
            axis = [mpf(c.motion.axis == name_) for name_ in "xyz"]
            if graph.space == "planar" and c.motion.kind == "slide":
                axis = [mpf(1), mpf(0), mpf(0)]  # the port's frame of a planar P
            value = sign * q[c.number - 1]
            pitch = values["pitches"][0] if c.motion.kind == "screw" else mpf(0)
            slide = c.motion.kind == "slide"
            step = step * motion(axis, [mpf(0)] * 3, mpf(0) if slide else value, value if slide else pitch * value)
        second = mpmath.inverse(chain(name, graph.path(two), q)) * first * step
        cuts = list(values["cuts"])
        cuts[at + width : at + 2 * width] = _pose_of(second, graph.space == "planar")
        status, outputs = evaluate(routines["cut"], {**values, "cuts": cuts, "q": q}, digits=DIGITS)
        assert status is Status.OK
        h = outputs[f"cut_{loop}"]
        assert len(h) == freedoms - arc.freedoms
        assert max(map(abs, h)) < mpf("1e-44")


def _pose_of(m: Any, planar: bool) -> list[Any]:
    if planar:
        return [m[0, 3], m[1, 3], mpmath.atan2(m[1, 0], m[0, 0])]
    w = mpmath.sqrt(1 + m[0, 0] + m[1, 1] + m[2, 2]) / 2
    parts = [(m[2, 1] - m[1, 2]) / (4 * w), (m[0, 2] - m[2, 0]) / (4 * w), (m[1, 0] - m[0, 1]) / (4 * w)]
    return [m[0, 3], m[1, 3], m[2, 3], w, *parts]


def test_motions_of_joints_are_those_of_the_groups() -> None:
    """The solvers of the structural groups have a table of their own; both follow the mechanism file."""
    kinds = {"turn": "R", "slide": "P"}
    for code, primitives in PRIMITIVES.items():
        motions = [(kinds[m.kind], m.axis, m.freedom) for m in JOINT_MOTIONS[code]]
        assert motions == [(p.kind, p.axis, p.freedom) for p in primitives]
    for code, motions in JOINT_MOTIONS.items():
        assert tuple(m.freedom for m in motions) == PAIR_TYPES[code].freedoms


def test_a_loop_half_a_turn_from_closing_is_degenerate() -> None:
    graph, coordinates, values, routines = case("planar")
    q = [mpf(0)] * len(coordinates.every)
    gap = values["gaps"][2]
    q[coordinates.by_joint["A"][0].number - 1] = mpmath.pi - gap
    signs = dict(graph.cycles[0].steps)
    q[0] = signs["A"] * q[0]
    assert evaluate(routines["closure"], {**values, "q": q}, digits=DIGITS)[0] is Status.DEGENERATE


def test_an_axis_that_is_not_unit_is_refused() -> None:
    _, coordinates, values, routines = case("spatial")
    axes = [2 * x for x in values["axes"]]
    q = curve(len(coordinates.every), mpf(0))
    for name in ("poses", "closure", "jacobian", "cut_jacobian"):
        assert evaluate(routines[name], {**values, "axes": axes, "q": q}, digits=DIGITS)[0] is Status.BAD_INPUT


def test_a_helix_without_a_pitch_is_refused() -> None:
    _, coordinates, values, routines = case("spatial, cut at PL R H")
    inputs = {**values, "pitches": [mpf(0)], "q": curve(len(coordinates.every), mpf(0))}
    assert evaluate(routines["cut"], inputs, digits=DIGITS)[0] is Status.BAD_INPUT


def test_pairs_without_frames_and_wild_orders_are_refused() -> None:
    tree = {
        "schema": "symgen/mechanism/1", "space": "planar", "bodies": {"a": {}, "b": {}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"]}, "B": {"type": "R", "bodies": ["ground", "b"]},
                   "cam": {"type": "EO", "bodies": ["a", "b"]}},
    }  # fmt: skip
    graph = build_topological_graph(Mechanism.from_dict(tree))
    assert graph.cotree == ("cam",)
    with pytest.raises(InputError, match=r"joints\.cam: loop constraints need joint frames"):
        derive_loops(graph, "some_loops")
    with pytest.raises(InputError, match="order: 9"):
        derive_loops(case("planar")[0], "some_loops", order=9)
