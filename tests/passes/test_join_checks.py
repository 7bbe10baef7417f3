"""Neighbouring checks with one answer become one check, which gives the same answers."""

from __future__ import annotations

import mpmath
import pytest
from oracle.cases import solved_inputs
from oracle.modules import routines

from symgen.algebra import ONE, absolute, symbol
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Flag, Guard, Let, Output, Port, Routine, Statement
from symgen.passes.join_checks import join_checks
from symgen.status import Status

X, Y, Z = symbol("x"), symbol("y"), symbol("z")


def _guard(left: object, status: Status, comment: str) -> Guard:
    return Guard(left, "<=", ONE, status, comment)  # type: ignore[arg-type]


def _routine(*body: Statement, result: str = "x") -> Routine:
    ports = tuple(Port(n, "in", "real", (), (n,), "", "", n) for n in "xyz")
    out = Output(Port("out", "out", "real", (), ("out",), "", "", "out"), (symbol(result),))
    return Routine("toy", "toy", "kernel", None, "position", ports, body, (out,), (), 1)


def test_neighbours_with_one_status_are_joined_and_numbers_written_into_them() -> None:
    size = Let("size", ("size",), (X + Y,), "how large")
    first = _guard(symbol("size"), Status.BAD_INPUT, "x and y is not of unit length")
    second = _guard(Z, Status.BAD_INPUT, "z is not of unit length")
    (joined,) = join_checks(_routine(size, first, second)).body
    assert isinstance(joined, Guard)
    assert [check.left for check in joined.checks] == [X + Y, Z]
    assert joined.comment == "one of these is not of unit length"


def test_others_stay_apart() -> None:
    first, second = _guard(X, Status.BAD_INPUT, "x"), _guard(Y, Status.DEGENERATE, "y")
    flag = Flag(Z, ">", ONE, Status.SINGULAR, "z")
    third = _guard(Z, Status.DEGENERATE, "z")
    for body in ((first, second), (second, flag, third), (first,)):
        assert join_checks(_routine(*body)).body == body


def test_a_number_that_others_read_stays_a_step() -> None:
    size = Let("size", ("size",), (X + Y,), "how large")
    check = _guard(symbol("size"), Status.BAD_INPUT, "too large")
    assert join_checks(_routine(size, check, result="size")).body == (size, check)


def test_a_sum_is_not_raised_to_a_power_inside_a_check() -> None:
    size = Let("size", ("size",), (absolute(X) + absolute(Y),), "how large")
    check = _guard(symbol("size") * symbol("size"), Status.BAD_INPUT, "too large")
    assert join_checks(_routine(size, check)).body == (size, check)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_every_joined_check_is_asked(at: int) -> None:
    routine = join_checks(_routine(*(_guard(v, Status.BAD_INPUT, str(v)) for v in (X, Y, Z))))
    values = {n: mpmath.mpf(0) for n in "xyz"}
    assert evaluate(routine, values)[0] is Status.OK
    values["xyz"[at]] = mpmath.mpf(2)
    assert evaluate(routine, values)[0] is Status.BAD_INPUT


def test_statuses_of_a_module_stay() -> None:
    routine = routines("loop_rss")["r_s_s_position"]
    joined = join_checks(routine)
    assert any(isinstance(s, Guard) and len(s.also) > 2 for s in joined.body)
    for given in solved_inputs("loop_rss", "r_s_s", 1):
        ports = {port.name: given[port.name] for port in routine.inputs}
        wrong = {**ports, "k1": [*ports["k1"][:3], 2.0, 0.0, 0.0, 0.0]}
        assert evaluate(joined, ports)[0] is evaluate(routine, ports)[0]
        assert evaluate(joined, wrong)[0] is Status.BAD_INPUT
