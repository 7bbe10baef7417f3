"""A sum that is squared gets a name, once, in front of its step; nothing else changes."""

from __future__ import annotations

from symgen.algebra import Expr, sqrt, symbol
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Let, Output, Port, Routine
from symgen.passes import run_passes
from symgen.passes.name_power_bases import name_power_bases

x, y, z = (symbol(name) for name in "xyz")


def _routine(*values: Expr) -> Routine:
    ports = tuple(Port(n, "in", "real", (), (n,), "", "", n) for n in "xyz")
    names = tuple(f"h_{k}" for k in range(len(values)))
    out = Port("out", "out", "real", (len(values),), names, "", "", "out")
    body = (Let("h", names, values, "height [m]"),)
    return Routine(
        "kernel_position",
        "",
        "kernel",
        None,
        "position",
        ports,
        body,
        (Output(out, tuple(symbol(n) for n in names)),),
        (),
        1,
    )


def _lets(routine: Routine) -> list[tuple[str, tuple[Expr, ...]]]:
    return [(s.name, s.values) for s in routine.body if isinstance(s, Let)]


def test_the_base_comes_first_under_a_name_that_says_whose_it_is() -> None:
    base = symbol("h_base")
    assert _lets(name_power_bases(_routine((x + y) ** 2 + z))) == [("h_base", (x + y,)), ("h", (base**2 + z,))]


def test_equal_bases_share_one_name_and_different_ones_do_not() -> None:
    found = _lets(name_power_bases(_routine((x + y) ** 2, z * (x + y) ** 3, (x - z) ** 2)))
    assert sorted(name for name, _ in found) == ["h", "h_base", "h_base1"]
    assert {values[0] for name, values in found if name != "h"} == {x + y, x - z}


def test_powers_of_symbols_and_first_powers_stay() -> None:
    routine = _routine(x**2 + y**3, 1 / (x + y), sqrt(x + y))
    assert name_power_bases(routine) == routine


def test_the_value_does_not_change() -> None:
    routine = _routine((x + y * z) ** 2 * z - (x - sqrt(y)) ** 4)
    given = {"x": "0.3", "y": "0.7", "z": "1.9"}
    (_, before), (_, after) = evaluate(routine, given), evaluate(run_passes(routine), given)
    assert abs(before["out"][0] - after["out"][0]) < 1e-45


def test_a_second_run_changes_nothing() -> None:
    once = name_power_bases(_routine((x + y) ** 2))
    assert name_power_bases(once) == once
