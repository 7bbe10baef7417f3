"""What is asked of a platform on six legs is computed without detours, and is what plain geometry says."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath
import pytest

import symgen
from symgen.algebra import HALF, cos, sin, symbol, turned_vectors
from symgen.algebra.time_derivatives import along_axes, halved
from symgen.algebra.turns import own_turn_of
from symgen.emit.finite_results import finite_results
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Let, Mark, Routine
from symgen.pipeline.whole import lower_whole
from symgen.status import Status
from symgen.whole.module import WholeModule, whole_module

EXAMPLES = Path(__file__).parents[2] / "examples"
HEIGHT = mpmath.mpf("0.6")
LEGS = [f"slider_{k}.slide" for k in range(1, 7)]


@functools.cache
def _module(results: tuple[str, ...]) -> WholeModule:
    mechanism = symgen.load(EXAMPLES / "stewart_inverse" / "mechanism.toml")
    return whole_module(mechanism, symgen.library(), module_id="legs", drives="inputs", results=list(results))


@functools.cache
def _step() -> Routine:
    module = _module(tuple(LEGS))
    (routine,) = lower_whole(replace(module, fixed=module.branch, in_one=True), ("all",))
    return routine


def _lengths(pose: Sequence[Any]) -> list[Any]:
    """Slides of the six legs by rotation matrices, in mpmath: Rz Ry Rx of the platform's joints."""
    joints = symgen.load(EXAMPLES / "stewart_inverse" / "mechanism.toml").joints
    (cz, sz), (cy, sy), (cx, sx) = ((mpmath.cos(angle), mpmath.sin(angle)) for angle in pose[3:])
    turn = mpmath.matrix([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    turn *= mpmath.matrix([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    turn *= mpmath.matrix([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    at = {joint.id: joint for joint in joints}
    slides = []
    for k in range(1, 7):
        base = [mpmath.mpf(float(x)) for x in _place(at[f"ball_{k}"], "1")]
        top = [mpmath.mpf(float(x)) for x in _place(at[f"cardan_{k}"], "14")]
        across = [b - t for b, t in zip(base, [*top[:2], top[2] + HEIGHT], strict=True)]
        drawn = mpmath.sqrt(sum(part**2 for part in across))
        there = turn * mpmath.matrix(top)
        slides.append(mpmath.sqrt(sum((pose[n] + there[n] - base[n]) ** 2 for n in range(3))) - drawn)
    return slides


def _place(joint: Any, body: str) -> Sequence[float]:
    return list(joint.frames[joint.bodies.index(body)].at)


@pytest.mark.slow
def test_lengths_rates_and_accelerations_are_those_of_plain_geometry() -> None:
    module, routine = _module(tuple(LEGS)), _step()
    u = [0.03, -0.02, 0.61, 0.2, -0.15, 0.1]
    ud = [0.4, -0.3, 0.2, 1.1, -0.7, 0.9]
    udd = [1.0, 2.0, -3.0, 0.5, 4.0, -6.0]
    assert [port.name for port in routine.inputs] == ["inputs"]
    assert module.branch is not None
    status, found = evaluate(routine, {"inputs": [x for triple in zip(u, ud, udd, strict=True) for x in triple]})
    assert status is Status.OK
    with mpmath.workdps(40):
        u_, ud_, udd_ = ([mpmath.mpf(x) for x in row] for row in (u, ud, udd))

        def at(time: Any) -> list[Any]:
            rows = zip(u_, ud_, udd_, strict=True)
            return _lengths([x + v * time + a * time * time / 2 for x, v, a in rows])

        for k in range(6):
            values = mpmath.taylor(lambda t, k=k: at(t)[k], 0, 2)
            wanted = [values[0], values[1], 2 * values[2]]
            for name, value in zip(("q", "qd", "qdd"), wanted, strict=True):
                assert abs(found[name][k] - value) < 1e-12, (name, k)  # the file's numbers are doubles


@pytest.mark.slow
def test_no_quaternion_is_made_where_no_pose_is_asked_for() -> None:
    lets = [let for let in _step().body if isinstance(let, Let)]
    assert not [let.name for let in lets if len(let.targets) == 4]
    turns = [let.values[0] for let in lets if let.values[0] in (cos(symbol("u_5")), sin(symbol("u_5")))]
    assert len(turns) == 2  # of the whole angle, each once
    (posed,) = lower_whole(_module(("14",)), ("position",))
    assert [let.name for let in posed.body if isinstance(let, Let) and len(let.targets) == 4]


@pytest.mark.slow
def test_every_group_is_asked_whether_its_results_are_finite_before_the_next_one_begins() -> None:
    routine = _step()
    asked, left = finite_results(routine)
    groups = [s.group for number, s in enumerate(routine.body) if number in asked and isinstance(s, Mark)]
    assert groups == [3, 4, 5, 6, 7]
    assert sorted(map(str, [*(v for values in asked.values() for v in values), *left])) == sorted(
        map(str, routine.finite)
    )
    assert finite_results(replace(routine, stage="follow")) == ({}, routine.finite)


@pytest.mark.slow
def test_branches_stay_with_the_caller_where_one_may_be_out_of_reach_while_another_is_not() -> None:
    mechanism = symgen.load(EXAMPLES / "stewart_inverse" / "mechanism.toml")
    module = whole_module(mechanism, symgen.library(), module_id="legs", checks="all", drives="inputs", results=LEGS)
    (routine,) = lower_whole(replace(module, fixed=module.branch), ("position",))
    assert routine.has_branch == routine.lost_by_stage
    assert not _step().has_branch


def test_a_quaternion_tells_the_turn_that_it_comes_from() -> None:
    half = HALF * symbol("u")
    c, s, p = symbol("c"), symbol("s"), [symbol(f"p_{k}") for k in range(4)]
    values = {
        "c": cos(half), "s": sin(half),
        "o_0": p[0] * c - p[2] * s, "o_1": p[1] * c - p[3] * s, "o_2": p[2] * c + p[0] * s, "o_3": p[3] * c + p[1] * s,
    }  # fmt: skip
    named = [symbol(f"o_{k}") for k in range(4)]

    def value_of(value: Any) -> Any:
        return values.get(str(value), value)

    turn = own_turn_of(named, value_of)
    assert turn is not None
    assert (turn.before, turn.axis, turn.angle, turn.half_cosine) == (tuple(p), 1, symbol("u"), "c")
    first = own_turn_of([c, symbol("s") * 0, symbol("s") * 0, s], value_of)  # about z, from no turn at all
    assert first is not None
    assert (first.axis, [float(part) for part in first.before]) == (2, [1.0, 0.0, 0.0, 0.0])
    values["o_1"] = p[1] * c + p[3] * s  # no product of quaternions any more
    assert own_turn_of(named, value_of) is None


@pytest.mark.parametrize("factor", [2, 4])
def test_halves_and_parts_along_axes(factor: int) -> None:
    x, y = symbol("x"), symbol("y")
    assert halved(factor * x * y + 2 * x) == factor // 2 * x * y + x
    assert halved(factor * x + y) is None
    axes = [[symbol(f"{e}_{k}") for k in range(3)] for e in ("e", "f")]
    values = [factor * axes[0][k] - axes[1][k] + x for k in range(3)]
    found = along_axes(values, axes)
    assert found is not None
    assert found[0] == tuple(factor * axes[0][k] - axes[1][k] for k in range(3))
    assert found[1:] == ((x, x, x), 2)
    assert along_axes([values[0], values[1], values[2] + axes[0][2]], axes) is None
    assert along_axes([values[0] * axes[0][1], *values[1:]], axes) is None


def test_turns_of_links_are_asked_of_their_group_where_dimensions_are_parameters() -> None:
    # three dyads: two lengths and an area each; no root takes an angle back that a dyad has given
    mechanism = symgen.load(EXAMPLES / "jansen_leg" / "mechanism.toml")
    options = {"module_id": "leg", "geometry": "parameters", "drives": "inputs", "results": ("points",)}
    (routine,) = lower_whole(whole_module(mechanism, symgen.library(), **options), ("all",))
    values = [value for let in routine.body if isinstance(let, Let) for value in let.values]
    assert sum(str(value).count("sqrt(") for value in values) == 9


def test_a_vector_and_its_turned_self_are_found_in_their_products() -> None:
    a, b, u, v = (symbol(name) for name in "abuv")
    both = {frozenset((a, b)), frozenset((u, v))}
    assert {frozenset(each) for each in turned_vectors(a * v - b * u, a * u + b * v)} == both
    assert {frozenset(each) for each in turned_vectors(b * u - a * v, a * u + b * v)} == both  # turned back
    for y, x in [
        (a * v + b * u, a * u + b * v),
        (a * v - b * u, a * u - b * v),
        (a * v - b * u, a * u + b * u),
        (a * v - b * v, a * u + b * v),
        (a * v - b * u, a * v + b * u),
        (2 * a * v - b * u, a * u + b * v),
        (a * v, a * u),
        (a * a - b * b, a * b + b * a),
    ]:
        assert turned_vectors(y, x) == (), (y, x)
