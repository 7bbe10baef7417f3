"""What is wrong with a call of a part is said in words of the derivation, not in Python's."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from symgen.derivations import Derivation, DerivationError, Inner, Vector, number, sqrt
from symgen.derive.calls import CallResults

Slip = Callable[[Derivation, Inner, Vector, list[dict[str, Vector]]], Any]


def _leg() -> Inner:
    d = Derivation("leg", level="kernel", title="a leg", source="s")
    base, top = (d.input_vector(name, 3, meaning=name, unit="m") for name in ("base", "top"))
    line = d.vector("line", top - base, "from base to top", "m")
    length = d.scalar("length", sqrt(line.dot(line)), "length", "m")
    d.output("size", length, meaning="length", unit="m")
    d.output("along", d.vector("u", line / length, "direction", "1"), meaning="direction", unit="1")
    return Inner("leg", d)


def _called(slip: Slip) -> list[CallResults]:
    d = Derivation("legs", level="kernel", title="legs", source="s")
    base = d.input_vector("base", 3, meaning="base", unit="m")
    each = [{"top": d.input_vector(f"top{k}", 3, meaning="top", unit="m")} for k in range(4)]
    found = slip(d, _leg(), base, each)
    assert isinstance(found, list)
    return found


def test_calls_give_results_by_name() -> None:
    found = _called(lambda d, leg, base, each: d.call_each(leg, {"base": base}, each, "leg", "legs"))
    assert [str(one.scalar("size")) for one in found] == [f"leg{k}_length" for k in (1, 2, 3, 4)]
    assert [str(x) for x in found[1].vector("along")] == ["leg2_u_x", "leg2_u_y", "leg2_u_z"]
    assert found[0].numbers("along") == found[0].vector("along").components


@pytest.mark.parametrize(
    ("slip", "message"),
    [
        (
            lambda d, leg, base, each: d.call_each(leg, {"bose": base}, each, "leg", "legs"),
            "calls of leg: there is no argument 'bose'; did you mean \"base\"?; arguments are base, top",
        ),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base, "top": base}, each, "leg", "legs"),
            "calls of leg: part 1 has 'top', which all parts share; leave one of them out",
        ),
        (lambda d, leg, base, each: d.call_each(leg, {"base": base}, [], "leg", "legs"), "found none"),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base}, each[0], "leg", "legs"),
            "the parts are a list of arguments, one for each part; found the arguments of one part",
        ),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base}, [e["top"] for e in each], "leg", "legs"),
            "arguments of part 1 are names and values, {name: value, ...}; found a Vector",
        ),
        (
            lambda d, leg, base, each: d.call_each(leg, base, each, "leg", "legs"),
            "what they share is names and values, {name: value, ...}; found a Vector",
        ),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base[0]}, each, "leg", "legs"),
            "'base' takes 3 numbers; found 1 number",
        ),
        (lambda d, leg, base, each: d.call_each(leg, {}, each, "leg", "legs"), "call of leg, part 1 lacks 'base'"),
        (lambda d, leg, base, each: d.call(leg, {}, "leg", "legs"), "call of leg lacks 'base', 'top'"),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base}, [*each, {"tip": base}], "leg", "legs"),
            "call of leg, part 5: there is no argument 'tip'; did you mean \"top\"?; arguments are base, top",
        ),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base}, [each[0], {"top": base[0]}], "leg", "legs"),
            "call of leg, part 2: 'top' takes 3 numbers; found 1 number",
        ),
        (lambda d, leg, base, each: d.call(leg, {"base": None}, "leg", "legs"), "call of leg lacks 'top'"),
        *(
            (
                lambda d, leg, base, each, wrong=wrong: d.call(leg, {"base": wrong, "top": base}, "leg", "legs"),
                f"call of leg: 'base' takes 3 numbers; found {found}",
            )
            for wrong, found in (
                (None, "None"),
                ("abc", "'abc'"),
                (0, "0; number(2) and exactly(0.1) make one of a number"),
                ({"x": 1}, "a dict"),
                ([1, 2, 3], "1 in a list; number(2) and"),
            )
        ),
        (
            lambda d, leg, base, each: d.call(leg, {"base": [base[0] / 0] * 3, "top": base}, "leg", "legs"),
            "call of leg: 'base' divides by zero, whatever the inputs are",
        ),
        (
            lambda d, leg, base, each: d.call(leg, {"base": base, "top": base}, "", "legs"),
            "call of leg: its results are named <prefix>_<result>, so a prefix is a name, such as 'leg'; found ''",
        ),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base}, each, None, "legs"),
            "calls of leg: its results are named <prefix>_<result>, so a prefix is a name, such as 'leg'; found None",
        ),
        (lambda d, leg, base, each: d.call(leg, base, "leg", "legs"), "its arguments are names and values"),
        (
            lambda d, leg, base, each: d.call_each(_leg, {"base": base}, each, "leg", "legs"),
            "legs: an Inner can be called, a part with a derivation; found a function; are the brackets",
        ),
        (lambda d, leg, base, each: d.call("leg", {"base": base}, "leg", "legs"), "found 'leg'; write Inner"),
        (
            lambda d, leg, base, each: d.call(leg.derivation, {"base": base}, "leg", "legs"),
            "found a Derivation; write Inner(name, derivation)",
        ),
        (lambda d, leg, base, each: d.call(leg, {1: base}, "leg", "legs"), "there is no argument 1"),
        (
            lambda d, leg, base, each: d.call_each(leg, {"base": base}, (e for e in each), "leg", "legs"),
            "found a generator",
        ),
    ],
)
def test_a_slip_in_a_call_is_told(slip: Slip, message: str) -> None:
    with pytest.raises(DerivationError, match=re.escape(message)):
        _called(slip)


@pytest.mark.parametrize(
    ("take", "message"),
    [
        (
            lambda one: one.scalar("sizes"),
            "there is no result 'sizes'; did you mean \"size\"?; results are size, along",
        ),
        (lambda one: one.scalar("along"), "'along' has 3 numbers, so it is no scalar; use vector('along')"),
        (lambda one: one["size"], "call of leg, part 1: results are not taken by brackets; use scalar('size')"),
        (lambda one: one["along"], "results are not taken by brackets; use vector('along')"),
        (lambda one: one["sizes"], "there is no result 'sizes'; did you mean \"size\"?; results are size, along"),
        (lambda one: one.vector("size"), "'size' has 1 number, so it is no vector; use scalar('size')"),
    ],
)
def test_a_slip_with_a_result_is_told(take: Callable[[CallResults], Any], message: str) -> None:
    found = _called(lambda d, leg, base, each: d.call_each(leg, {"base": base}, each, "leg", "legs"))
    with pytest.raises(DerivationError, match=re.escape(message)):
        take(found[0])


def test_a_part_has_no_result_called_status() -> None:
    part = _leg()
    part.derivation.output("status", part.derivation.scalar("unity", number(1), "one"), meaning="one", unit="")
    d = Derivation("legs", level="kernel", title="legs", source="s")
    base, top = (d.input_vector(name, 3, meaning=name, unit="m") for name in ("base", "top"))
    with pytest.raises(DerivationError, match="its result cannot be called 'status'"):
        d.call(part, {"base": base, "top": top}, "leg", "legs")


def test_a_vector_is_not_divided_by_a_vector() -> None:
    d = Derivation("quotient", level="kernel", title="t", source="s")
    u = d.input_vector("u", 3, meaning="u", unit="m")
    with pytest.raises(DerivationError, match="its size is what is wanted"):
        u / u  # type: ignore[operator]
