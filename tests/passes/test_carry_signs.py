"""Signs of roots go to where they are added or cancelled; what a routine gives stays what it was."""

from __future__ import annotations

import math
from dataclasses import replace

import mpmath
import pytest
import sympy

from symgen.algebra import HALF, ONE, Expr, atan2, sqrt, symbol
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Guard, Let, Output, Port, Routine, Samples, Statement
from symgen.ir.verify import verify
from symgen.passes.carry_signs import carry_signs
from symgen.status import Status

X, Y = symbol("x"), symbol("y")


def _let(name: str, value: Expr) -> Let:
    return Let(name, (name,), (value,), f"{name} [m]")


def _routine(*body: Statement, results: tuple[str, ...]) -> Routine:
    ports = tuple(Port(n, "in", "real", (), (n,), "", "", n) for n in "xy")
    outs = tuple(Output(Port(f"out_{n}", "out", "real", (), (f"out_{n}",), "", "", n), (symbol(n),)) for n in results)
    return verify(Routine("toy", "toy", "mechanism", None, "position", ports, body, outs, (), 1))


LEG = _routine(
    _let("half", -sqrt(X)),
    Guard(symbol("half"), "<", ONE, Status.DEGENERATE, "too long"),
    _let("slide", HALF + symbol("half")),
    _let("inverse", 1 / symbol("half")),
    _let("rate", Y * symbol("inverse")),
    _let("back", -symbol("slide")),
    _let("rate_back", -symbol("rate")),
    _let("growth", (Y - symbol("rate") * symbol("rate")) * symbol("inverse")),
    results=("back", "rate_back", "growth", "half"),
)


def test_what_a_routine_gives_stays_the_same() -> None:
    carried = verify(carry_signs(LEG))
    for x, y in (("0.25", "3"), ("2", "-7.5")):
        given = {"x": mpmath.mpf(x), "y": mpmath.mpf(y)}
        before, after = evaluate(LEG, given), evaluate(carried, given)
        assert after == before
        assert before[0] is Status.OK
        with mpmath.workdps(50):
            assert abs(before[1]["out_rate_back"][0] - given["y"] / mpmath.sqrt(given["x"])) < 1e-40


def test_no_step_of_the_result_but_one_sum_has_a_sign_of_its_own() -> None:
    values = {let.name: str(let.values[0]) for let in carry_signs(LEG).body if isinstance(let, Let)}
    assert values == {
        "half_opposite": "sqrt(x)",
        "inverse_opposite": "1/half_opposite",
        "rate_opposite": "inverse_opposite*y",
        "back": "half_opposite - 1/2",
        "growth_opposite": "inverse_opposite*(-rate_opposite**2 + y)",
    }
    (told,) = [let.comment for let in carry_signs(LEG).body if isinstance(let, Let) and let.name == "half_opposite"]
    assert told == "half, with its sign changed [m]"


def test_other_negative_steps_keep_their_names_and_loops_their_routine() -> None:
    plain = _routine(_let("across", -X * Y), _let("total", symbol("across") + X), results=("total",))
    assert carry_signs(plain) == plain
    looped = replace(LEG, body=(*LEG.body, Samples("s", plain, (), ("c0",), 1, "samples")))
    assert carry_signs(looped) is looped


def test_a_name_that_is_taken_stays_with_its_step() -> None:
    before = _routine(
        _let("r_opposite", X + 1),
        _let("r", -sqrt(X)),
        _let("both", symbol("r") * symbol("r_opposite")),
        results=("both", "r"),
    )
    assert verify(carry_signs(before)) == before


def _in_floats(routine: Routine, given: dict[str, float]) -> list[float]:
    """Return the results as a machine calculates them, whose zero has a sign: 50 digits have none."""
    known = dict(given)
    for let in routine.body:
        assert isinstance(let, Let)
        for target, value in zip(let.targets, let.values, strict=True):
            known[target] = sympy.lambdify(list(known), value, "math")(*known.values())
    return [sympy.lambdify(list(known), value, "math")(*known.values()) for o in routine.outputs for value in o.values]


@pytest.mark.parametrize("between", [False, True])
def test_the_sign_of_a_zero_reaches_its_angle_as_it_was(between: bool) -> None:
    # at x = 1/4 the sum is 0, and -(1/2 - sqrt(x)) = -0 lies below the axis: turned round it would lie above
    middle = [_let("across", 2 * symbol("back"))] if between else []
    y = symbol("across" if between else "back")
    before = _routine(
        _let("half", -sqrt(X)),
        _let("slide", HALF + symbol("half")),
        _let("back", -symbol("slide")),
        *middle,
        _let("phi", atan2(y, Y)),
        results=("phi", "back"),
    )
    after = verify(carry_signs(before))
    given = {"x": 0.25, "y": -1.0}
    (phi, back), found = _in_floats(before, given), _in_floats(after, given)
    assert phi == -math.pi
    assert found[0] == phi
    assert math.copysign(1.0, found[1]) == math.copysign(1.0, back)
    assert "half" not in {let.name for let in after.body if isinstance(let, Let)}  # the root lost its sign all the same
