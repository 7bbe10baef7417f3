"""Loop constraints with 50 digits against matrix exponentials and numerical differentiation.

The oracle knows nothing of symgen's derivation: it multiplies 4 x 4 matrices of screw motions, differentiates the
product by central differences along a curve q(t), and reads twists off F' F^-1 and its derivatives.
"""

from __future__ import annotations

from typing import Any

import mpmath
import pytest
from mpmath import matrix, mpf
from oracle.loop_products import (
    CASES,
    DIGITS,
    case,
    chain,
    curve,
    derivative,
    loop_matrix,
    motion,
    pose_matrix,
    pose_of,
    rates,
    run,
    twist_of,
)

from symgen.derive.joints import PRIMITIVES
from symgen.derive.loops.module import derive_loops
from symgen.errors import InputError
from symgen.ir.evaluate import evaluate
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES
from symgen.status import Status
from symgen.topology.loops.joint_motions import JOINT_MOTIONS
from symgen.topology.loops.topological_graph import build_topological_graph


@pytest.fixture(autouse=True)
def _many_digits() -> Any:
    with mpmath.workdps(DIGITS):
        yield


every_case = pytest.mark.parametrize("name", CASES)


@pytest.mark.slow
@every_case
def test_poses_are_products_of_matrix_exponentials(name: str) -> None:
    graph, coordinates, values, _ = case(name)
    found = run(name, "poses")
    q = curve(len(coordinates.every), mpf(0))
    width = 3 if graph.space == "planar" else 7
    for k, body in enumerate(graph.bodies[1:]):
        expected = chain(name, graph.path(body), q) * pose_matrix(values["references"][width * k : width * k + width])
        assert mpmath.mnorm(pose_matrix(found[f"body_{k + 1}"]) - expected) < mpf("1e-45")


@pytest.mark.slow
@pytest.mark.sampled(1)
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


@pytest.mark.sampled(1)
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


@pytest.mark.slow
@pytest.mark.sampled(1)
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


@pytest.mark.sampled(1)
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
        cuts[at + width : at + 2 * width] = pose_of(second, graph.space == "planar")
        status, outputs = evaluate(routines["cut"], {**values, "cuts": cuts, "q": q}, digits=DIGITS)
        assert status is Status.OK
        h = outputs[f"cut_{loop}"]
        assert len(h) == freedoms - arc.freedoms
        assert max(map(abs, h)) < mpf("1e-44")


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


@pytest.mark.slow
def test_an_axis_that_is_not_unit_is_refused() -> None:
    _, coordinates, values, routines = case("spatial")
    axes = [2 * x for x in values["axes"]]
    q = curve(len(coordinates.every), mpf(0))
    for name in ("poses", "closure", "jacobian", "cut_jacobian"):
        assert evaluate(routines[name], {**values, "axes": axes, "q": q}, digits=DIGITS)[0] is Status.BAD_INPUT


@pytest.mark.slow
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
