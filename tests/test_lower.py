"""Slices of a derivation: what is needed and nothing else; recovered steps; flags that become guards."""

from __future__ import annotations

import pytest

from symgen.algebra import FOLD_TOLERANCE, ZERO, number, sqrt, symbol
from symgen.derive.derivation import Derivation
from symgen.errors import DerivationError, InputError
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Flag, Guard, Let, Routine
from symgen.ir.verify import verify
from symgen.lower import lower, statuses
from symgen.status import Status


def _derivation() -> Derivation:
    """Return a slider at distance l from the origin on the line y = h: x = sqrt(l^2 - h^2), and its rate."""
    d = Derivation("toy kernel", level="kernel", title="toy", source="nobody")
    length = d.input_scalar("length", meaning="length", unit="m", range="> 0")
    height = d.input_scalar("height", meaning="height of the line", unit="m")
    speed = d.input_scalar("speed", meaning="rate of the height", unit="m/s")
    d.input_scalar("unused", meaning="never used", unit="m")
    d.scalar("idle", height * height * height, "a step nobody asks for", "m^3")
    x2 = d.scalar("x2", length * length - height * height, "squared result", "m^2")
    d.guard(x2, ">=", ZERO, Status.NO_ASSEMBLY, "out of reach")
    d.flag(x2, "<", FOLD_TOLERANCE * length * length, Status.SINGULAR, "branches meet")
    given = symbol("place")
    x = d.scalar("x", sqrt(x2), "result before its name", "m", recovered=given)
    place = d.scalar("place", x * number(1), "place of the slider", "m")
    d.output("place", place, meaning="place", unit="m")
    with d.part("geometry"):
        d.guard(x, ">", ZERO, Status.SINGULAR, "no rate")
        slope = d.scalar("slope", height / x, "how the place follows the height", "1")
    with d.part("velocity"):
        rate = d.scalar("rate", -(slope * speed), "rate of the slider", "m/s")
        d.output("rate", rate, meaning="rate", unit="m/s")
    with d.part("acceleration"):
        growth = d.scalar("growth", -(slope * rate), "something of the second order", "m/s^2")
        d.output("growth", growth, meaning="growth", unit="m/s^2")
    return d


def _steps(routine: Routine) -> list[str]:
    return [s.name for s in routine.body if isinstance(s, Let)]


def test_only_what_the_outputs_need_is_kept() -> None:
    routine = lower(_derivation(), "position")
    assert "idle" not in _steps(routine)
    assert "slope" not in _steps(routine)
    assert [p.name for p in routine.inputs] == ["length", "height"]
    assert [o.port.name for o in routine.outputs] == ["place"]


def test_steps_and_ports_keep_their_order() -> None:
    assert _steps(lower(_derivation(), "all")) == ["x2", "x", "place", "slope", "rate", "growth"]
    assert [p.name for p in lower(_derivation(), "all").inputs] == ["length", "height", "speed"]


def test_rates_take_the_position_as_given_and_recover_steps_from_it() -> None:
    routine = lower(_derivation(), "velocity")
    assert [p.name for p in routine.inputs] == ["height", "speed", "place"]
    assert [p.direction for p in routine.inputs] == ["in"] * 3
    assert _steps(routine) == ["x", "slope", "rate"]
    recovered = next(s for s in routine.body if isinstance(s, Let) and s.name == "x")
    assert recovered.values == (symbol("place"),)


def test_a_flag_of_the_position_becomes_a_guard_where_rates_follow() -> None:
    (flag,) = [s for s in lower(_derivation(), "position").body if isinstance(s, Flag)]
    assert (flag.relation, flag.status) == ("<", Status.SINGULAR)
    routine = lower(_derivation(), "all")
    assert not [s for s in routine.body if isinstance(s, Flag)]
    guard = next(s for s in routine.body if isinstance(s, Guard) and s.comment == "branches meet")
    assert (guard.left, guard.relation, guard.right, guard.status) == (flag.left, ">=", flag.right, Status.SINGULAR)


def _checks(routine: Routine) -> set[str]:
    """Return the comments of all checks, those asked only where another fails too."""
    found = set()
    for statement in routine.body:
        if isinstance(statement, (Guard, Flag)):
            found.add(statement.comment)
        if isinstance(statement, Guard):
            found |= {rather.comment for rather in statement.rather}
    return found


def test_checks_stay_with_their_part() -> None:
    assert _checks(lower(_derivation(), "position")) == {"out of reach", "branches meet"}
    assert _checks(lower(_derivation(), "velocity")) == {"no rate"}
    assert _checks(lower(_derivation(), "all")) == {"out of reach", "branches meet", "no rate"}


@pytest.mark.parametrize(("length", "height", "status"), [(1, 2, "NO_ASSEMBLY"), (1, 1, "SINGULAR"), (2, 1, "OK")])
def test_position_and_all_give_the_same_status(length: int, height: int, status: str) -> None:
    given = {"length": length, "height": height, "speed": 1}
    for stage in ("position", "all"):
        assert evaluate(lower(_derivation(), stage), given)[0] is Status[status]  # type: ignore[arg-type]


@pytest.mark.parametrize("stage", ["position", "velocity", "acceleration", "all"])
def test_every_slice_is_sound(stage: str) -> None:
    verify(lower(_derivation(), stage))  # type: ignore[arg-type]


def test_statuses_are_those_of_the_checks_and_of_bad_input() -> None:
    assert statuses(lower(_derivation(), "position")) == (
        Status.OK,
        Status.NO_ASSEMBLY,
        Status.SINGULAR,
        Status.BAD_INPUT,
    )
    assert statuses(lower(_derivation(), "velocity")) == (Status.OK, Status.SINGULAR, Status.BAD_INPUT)


def test_a_stage_without_results_is_refused() -> None:
    with pytest.raises(DerivationError, match="condition"):
        lower(_derivation(), "condition")


def test_a_step_with_an_unknown_name_is_told_the_ports() -> None:
    d = Derivation("toy kernel", level="kernel", title="toy", source="nobody")
    d.input_scalar("r_a", meaning="length", unit="m")
    with pytest.raises(DerivationError, match=r"step 'h2' uses 'r_c', .*ports are r_a"):
        d.scalar("h2", symbol("r_c") * 2, "squared height")


@pytest.mark.parametrize("name", ["lambda", "sin", "double", "theta_1'", "x dot", "Height", "class", "symgen_x", "i0f"])
def test_a_name_that_some_language_has_taken_is_refused(name: str) -> None:
    d = Derivation("toy kernel", level="kernel", title="toy", source="nobody")
    if name == "i0f":  # free in every language: the counterexample
        d.scalar(name, number(1), "fine")
        return
    with pytest.raises(InputError):
        d.scalar(name, number(1), "not allowed")


@pytest.mark.parametrize("name", ["status", "row", "rows"])
def test_a_name_of_the_text_around_a_routine_is_refused(name: str) -> None:
    d = Derivation("toy kernel", level="kernel", title="toy", source="nobody")
    with pytest.raises(DerivationError, match="taken"):
        d.scalar(name, number(1), "not allowed")


def test_a_name_is_given_once() -> None:
    d = _derivation()
    with pytest.raises(DerivationError, match="twice"):
        d.scalar("slope", number(1), "again")
    with pytest.raises(DerivationError, match="twice"):
        d.input_scalar("length", meaning="again", unit="m")
