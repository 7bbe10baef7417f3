"""Directional derivatives of routines: those of their values with 50 digits, by central differences."""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest

import symgen
from symgen.algebra import (
    HALF,
    ONE,
    ZERO,
    Expr,
    absolute,
    atan2,
    chosen,
    cos,
    elementary,
    not_below_zero,
    number,
    power,
    sign_of_branch,
    sin,
    sqrt,
    symbol,
)  # fmt: skip
from symgen.derive.catalogue import derive_module
from symgen.errors import IRError
from symgen.export.instances import random_instance
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Call, Flag, Guard, Kernel, Let, Output, Port, Routine, Samples, Solve, System, Zeros
from symgen.ir.verify import verify
from symgen.passes import WHOLE_PASSES, run_passes
from symgen.passes.tangent import tangent, why_no_tangent
from symgen.pipeline.modules import lower_module
from symgen.status import Status

DIGITS = 50
STEP = mpmath.mpf(10) ** -15


def _port(name: str, direction: Any, *elements: str, kind: Any = "real") -> Port:
    shape = (len(elements),) if elements else ()
    return Port(name, direction, kind, shape, elements or (name,), "", "", name)


def _routine(body: list[Any], results: dict[str, Expr], *inputs: Port, stage: Any = "all") -> Routine:
    outputs = tuple(Output(_port(name, "out"), (value,)) for name, value in results.items())
    return verify(Routine("made", "made", "kernel", None, stage, inputs, tuple(body), outputs, (), 2))


def _check(routine: Routine, at: dict[str, Any], rng: np.random.Generator, digits: int = 25) -> None:
    """Compare derivatives along a direction at random with differences of the results."""
    ports = [port for port in routine.inputs if port.kind == "real"]
    mpmath.mp.dps = DIGITS

    def numbers(values: Any) -> list[Any]:
        return [mpmath.mpf(float(x)) for x in np.atleast_1d(values)]

    # quaternions are of unit length, and stay so along directions across them
    along = {port.name: numbers(rng.uniform(-1.0, 1.0, len(port.elements))) for port in ports}
    here = {port.name: numbers(at[port.name]) for port in ports}
    for name in [port.name for port in ports if len(port.elements) == 7]:
        q, d = here[name][3:], along[name][3:]
        here[name][3:] = [x / mpmath.sqrt(mpmath.fdot(q, q)) for x in q]
        off = mpmath.fdot(here[name][3:], d)
        along[name][3:] = [y - off * x for x, y in zip(here[name][3:], d, strict=True)]

    def given(values: dict[str, list[Any]], begin: str = "") -> dict[str, Any]:
        return {f"{begin}{p.name}": values[p.name] if p.shape else values[p.name][0] for p in ports}

    rest = {name: value for name, value in at.items() if name not in here}

    def values(h: Any) -> list[Any]:
        moved = {name: [x + h * d for x, d in zip(here[name], along[name], strict=True)] for name in here}
        status, found = evaluate(routine, {**given(moved), **rest}, digits=DIGITS)
        assert status is Status.OK
        return [x for output in routine.outputs for x in found[output.port.name]]

    expected = [(b - a) / (2 * STEP) for a, b in zip(values(-STEP), values(STEP), strict=True)]
    changed = run_passes(tangent(routine), WHOLE_PASSES)
    taken = {port.name for port in changed.inputs}
    every = {**given(here), **given(along, "d_"), **rest}
    status, found = evaluate(changed, {name: x for name, x in every.items() if name in taken}, digits=DIGITS)
    assert status is Status.OK
    changes = [x for output in changed.outputs if output.port.kind == "real" for x in found[output.port.name]]
    for wanted, change in zip(expected, changes, strict=True):
        assert abs(wanted - change) <= mpmath.mpf(10) ** -digits * (1 + abs(wanted))


def test_every_operation_has_its_derivative() -> None:
    x, y = symbol("x"), symbol("y")
    branch, sigma, h = symbol("branch"), symbol("sigma"), symbol("h")
    body = [
        Let("sigma", ("sigma",), (sign_of_branch(branch, 0),), "sign"),
        Let("h", ("h",), (sigma * HALF * sqrt(not_below_zero(x * x + y)),), "root"),
        Let("c", ("c",), (cos(h),), "cosine"),
        Let("s", ("s",), (sin(h),), "sine"),
        Let("e", ("e",), (elementary("exp", symbol("y")),), "exponential"),
        Let("l", ("l",), (elementary("log", symbol("e")),), "logarithm"),
        Let("p", ("p",), (symbol("c") * x / (y * (x + y)) + y * sqrt(x + number(3)) / (1 + 1 / x),), "parts within"),
    ]
    results = {
        "angle": atan2(symbol("s") + x, symbol("c") * y), "size": absolute(h - x), "one": chosen(x, y, x * h, y),
        "other": chosen(y, x, x * h, y * symbol("p")), "cube": (x + h) ** 3, "same": symbol("l") - y,
        "part": symbol("p"), "fixed": ONE, "third": 1 / (x * x * y),
    }  # fmt: skip
    routine = _routine(body, results, _port("x", "in"), _port("y", "in"), _port("branch", "in", kind="int"))
    rng = np.random.default_rng(1)
    made = tangent(routine)
    text = {let.name: let for let in made.body if isinstance(let, Let)}
    assert {"d_h", "d_c", "d_p"} <= text.keys()  # names are kept
    for branch_number in (0, 1):
        # the reference knows neither exp nor log: they are compared by themselves
        kept = [let for let in body if let.name not in ("e", "l")]
        simple = _routine(kept, {k: v for k, v in results.items() if k != "same"}, *routine.inputs)
        _check(simple, {"x": 0.7, "y": 0.4, "branch": branch_number}, rng)


def test_powers_and_functions_of_one_number_are_those_of_the_textbook() -> None:
    from symgen.algebra.time_derivatives import time_derivative
    from symgen.printers.c99 import C99Printer

    x = symbol("x")
    printer = C99Printer({}, {}, "double")
    for name, slope in (
        ("exp", "exp(x)"),
        ("log", "1.0/x"),
        ("atan", "1.0/(1.0 + x*x)"),
        ("sin", "cos(x)"),
        ("cos", "-sin(x)"),
    ):
        assert printer.print_expression(time_derivative(elementary(name, x), lambda _: ONE)) == slope
    third = time_derivative(power(x, number(3)), lambda _: ONE)
    assert printer.print_expression(third) == "3.0*pow(x, 2.0)"


def test_zeros_samples_systems_and_calls_have_theirs() -> None:
    a, b, c, s = map(symbol, "abcs")
    value = _routine([], {"value": a + b * c + (a * b - ONE) * s}, _port("c", "in"), _port("s", "in"),
                     _port("a", "in"), _port("b", "in"), stage="inner")  # fmt: skip
    inner = _routine([Let("q", ("q",), (a / b,), "a quotient")], {"product": symbol("q") * a}, _port("a", "in"),
                     _port("b", "in"), stage="inner")  # fmt: skip
    names = ("c0", "c1", "s1")
    body = [
        Samples("f", value, ((a,), (b,)), names, 5, "a polynomial in the angle"),
        Zeros("z", ("cz", "sz"), tuple(map(symbol, names)), ZERO, "its zero"),
        Call("called", inner, ((a + b,), (b,)), (("g",),), "another function"),
        System("m", ((a, b * b), (ONE, symbol("g"))), "two equations"),
        Solve("v", "m", ("v1", "v2"), (symbol("cz"), a * b), "their solution"),
    ]
    results = {name: symbol(name) for name in ("cz", "sz", "g", "v1", "v2")}
    routine = _routine(body, results, _port("a", "in"), _port("b", "in"))
    rng = np.random.default_rng(2)
    for at in ({"a": 0.3, "b": 1.7}, {"a": -0.4, "b": 2.5}):
        _check(routine, at, rng)


def test_where_branches_meet_there_is_no_derivative() -> None:
    x = symbol("x")
    body = [Flag(x, "<=", ZERO, Status.SINGULAR, "they meet"), Let("t", ("t",), (sqrt(not_below_zero(x)),), "root")]
    routine = _routine(body, {"t_result": symbol("t")}, _port("x", "in"), stage="position")
    made = tangent(routine)
    assert [type(each) for each in made.body[:1]] == [Guard]
    assert evaluate(routine, {"x": 0})[0] is Status.SINGULAR
    assert evaluate(made, {"x": 0, "d_x": 1})[0] is Status.SINGULAR


def test_what_iterates_is_refused_in_words() -> None:
    kernel = Kernel("k", "newton", None, (), (), (), (("found", ("q",)),), (), (), False, "iterated")
    routine = _routine([kernel], {"q_result": symbol("q")}, _port("x", "in"))
    assert why_no_tangent(routine) == "a group without a closed form is iterated"
    with pytest.raises(IRError, match="iterated"):
        tangent(routine)


@cache
def _group(module: str) -> Routine:
    routines = lower_module(derive_module(module)).routines
    return next(r for r in routines if r.level == "group" and r.stage == "all")


@pytest.mark.parametrize(
    ("module", "digits"),
    [
        ("dyad_rrr", 25),
        *(
            pytest.param(name, digits, marks=pytest.mark.slow)
            for name, digits in (
                *((name, 25) for name in ("dyad_rrp", "slot_rl", "driven_u_3d", "loop_rus", "loop_pcs", "loop_rcs")),
                *((name, 20) for name in ("triad_rr_rr_rr", "triad_pr_pr_pr", "loop_ccu", "ring_r_u_angle1_s_r")),
            )
        ),
    ],
)
def test_solved_types_have_theirs(module: str, digits: int) -> None:
    routine = _group(module)
    entry = next(e for e in symgen.library().catalogue.entries if e.manifest.id == module
                 and e.arrangement.id == routine.arrangement)  # fmt: skip
    rng = np.random.default_rng(3)
    at: dict[str, Any] = dict(random_instance(entry.arrangement, entry.manifest.space, rng))
    if routine.has_branch:
        at["branch"] = 0
    _check(routine, {p.name: at[p.name] for p in routine.inputs}, rng, digits)
