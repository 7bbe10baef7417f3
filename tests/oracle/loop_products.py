"""Loop constraints by products of matrix exponentials, with many digits: mechanisms, curves, what a routine gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
from mpmath import matrix, mpf

from symgen.derive.loops.module import derive_loops
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Routine
from symgen.model.mechanism import Mechanism
from symgen.pipeline import lower_loops
from symgen.status import Status
from symgen.topology.loops.coordinates import LoopCoordinates, number_coordinates
from symgen.topology.loops.reference_configuration import reference_configuration, reference_values
from symgen.topology.loops.topological_graph import TopologicalGraph, build_topological_graph

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


def pose_of(m: Any, planar: bool) -> list[Any]:
    if planar:
        return [m[0, 3], m[1, 3], mpmath.atan2(m[1, 0], m[0, 0])]
    w = mpmath.sqrt(1 + m[0, 0] + m[1, 1] + m[2, 2]) / 2
    parts = [(m[2, 1] - m[1, 2]) / (4 * w), (m[0, 2] - m[2, 0]) / (4 * w), (m[1, 0] - m[0, 1]) / (4 * w)]
    return [m[0, 3], m[1, 3], m[2, 3], w, *parts]
