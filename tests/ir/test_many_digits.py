"""The reference runs a routine with as many digits as it is asked for, guards and flags included."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath
import pytest
from mpmath import mpf

from symgen.algebra import Expr, absolute, atan2, cos, not_below_zero, ratio, sign_of_branch, sin, sqrt, symbol
from symgen.ir.evaluate import evaluate, value_of
from symgen.ir.nodes import Call, Flag, Guard, Let, Output, Port, Routine
from symgen.status import Status

x, y, branch = symbol("x"), symbol("y"), symbol("branch")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (x + y, mpf(2) + mpf(3)),
        (x * y - 1, mpf(5)),
        (x / y, mpf(2) / 3),
        (ratio(1, 3) * x, mpf(2) / 3),
        (x**3, mpf(8)),
        (sqrt(x), mpmath.sqrt(2)),
        (sin(x) * cos(y), mpmath.sin(2) * mpmath.cos(3)),
        (atan2(y, x), mpmath.atan2(3, 2)),
        (absolute(x - y), mpf(1)),
        (not_below_zero(x - y), mpf(0)),
        (not_below_zero(y - x), mpf(1)),
        (sign_of_branch(branch, 0), mpf(1)),
        (sign_of_branch(branch, 1), mpf(-1)),
    ],
    ids=str,
)
def test_an_expression_has_its_value(value: Expr, expected: Any) -> None:
    with mpmath.workdps(50):
        found = value_of(value, {"x": mpf(2), "y": mpf(3), "branch": mpf(2)})
    assert abs(found - expected) < mpf("1e-14")


def _port(name: str, direction: str) -> Port:
    return Port(name, direction, "real", (), (name,), "", "", name)  # type: ignore[arg-type]


def _routine(*body: Any) -> Routine:
    out = Port("out", "out", "real", (), ("root",), "", "", "out")
    lets = (Let("root", ("root",), (sqrt(x),), ""),)
    result = (Output(out, (symbol("root"),)),)
    return Routine(
        "kernel_position", "", "kernel", None, "position", (_port("x", "in"),), (*body, *lets), result, (), 1
    )


def test_digits_are_those_asked_for() -> None:
    for digits in (30, 50, 80):
        status, results = evaluate(_routine(), {"x": 2}, digits=digits)
        assert status is Status.OK
        with mpmath.workdps(digits + 10):
            gap = abs(results["out"][0] - mpmath.sqrt(2))
            assert gap < mpf(10) ** (1 - digits)
            assert gap > mpf(10) ** (-digits - 3)


def test_a_guard_that_does_not_hold_ends_without_results() -> None:
    routine = _routine(Guard(x, ">", symbol("TINY"), Status.DEGENERATE, ""))
    assert evaluate(routine, {"x": 0}) == (Status.DEGENERATE, {})
    assert evaluate(routine, {"x": "nan"}) == (Status.DEGENERATE, {})
    assert evaluate(routine, {"x": 4}) == (Status.OK, {"out": [2]})


def test_a_flag_that_holds_gives_the_status_with_results() -> None:
    routine = _routine(Flag(x, "<", symbol("TINY"), Status.SINGULAR, ""))
    assert evaluate(routine, {"x": 0}) == (Status.SINGULAR, {"out": [0]})
    assert evaluate(routine, {"x": 4}) == (Status.OK, {"out": [2]})


@pytest.mark.parametrize("keep", [True, False])
def test_a_call_passes_failures_on_and_singular_if_asked_to(keep: bool) -> None:
    inner = _routine(
        Guard(x, ">=", symbol("x") * 0, Status.NO_ASSEMBLY, ""), Flag(x, "<", symbol("TINY"), Status.SINGULAR, "")
    )
    call = Call("k", inner, ((x,),), (("k_root",),), "", keep)
    outer = replace(_routine(), body=(call, Let("root", ("root",), (symbol("k_root") * 2,), "")))
    assert evaluate(outer, {"x": 4}) == (Status.OK, {"out": [4]})
    assert evaluate(outer, {"x": -1}) == (Status.NO_ASSEMBLY, {})
    assert evaluate(outer, {"x": 0}) == (Status.SINGULAR, {"out": [0]} if keep else {})
