"""Names in a claim: what is unknown is an error whatever the limit, and a claim takes little more than it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from symgen.check.claims import Claim, claims_of
from symgen.check.names import check_names
from symgen.check.run import STEPS, check
from symgen.errors import MechanismError


def _claim(**fields: Any) -> Claim:
    return claims_of({"schema": "symgen/claims/1", "claim": [{"id": "one", **fields}]}, "a.toml").claims[0]


@pytest.mark.parametrize(
    ("fields", "field", "said"),
    [
        ({"equals": "1", "printed": "x"}, "printed", 'the letter "x" is not known'),
        ({"equals": "1", "latex": r"\hat{x}"}, "latex", r'the letter "\hat{x}" is not known'),
        ({"equals": "sinn(1)", "printed": "1"}, "equals", 'the function "sinn" is not known'),
        ({"equals": "1", "printed": "9**(1/2)", "given": ["y > 0"]}, "given", '"y" is not known'),
        ({"equals": "1", "printed": "a", "symbols": {"a": "b", "b": "1"}}, "symbols.a", '"b" is not known'),
        (
            {"object": "central_velocity", "printed": "1", "symbols": {"h": "2"}},
            "symbols.h",
            'equals = "central_velocity(...)"',
        ),
    ],
)
def test_a_name_without_a_meaning_is_told_with_its_field(fields: dict[str, Any], field: str, said: str) -> None:
    with pytest.raises(MechanismError) as caught:
        check_names(_claim(**fields))
    assert caught.value.field == f"claim one.{field}"
    assert said in caught.value.reason


def test_names_with_a_meaning_pass() -> None:
    check_names(
        _claim(equals="x", printed="y", letters={"x": []}, symbols={"z": "x", "y": "z + nothing(z)*0"} | {"y": "z"})
    )
    check_names(_claim(object="central_velocity", printed="(x_next - x_before)/(2*s)", symbols={"s": "h"}))
    check_names(_claim(object="central_velocity", printed="x*h", symbols={"h": "2"}))  # used: a letter of the source
    check_names(_claim(equals="1", printed="pi", symbols={"unused": "nobody"}))
    check_names(_claim(equals="1", latex=r"f(x) \cdot x", letters={"x": []}, functions={"f": "spanning_trees_6"}))


def test_a_symbol_of_all_claims_need_not_be_used() -> None:
    tree = {"schema": "symgen/claims/1", "symbols": {"h": "2"}}
    row = {"id": "one", "object": "central_velocity", "printed": "x_next"}
    check_names(claims_of({**tree, "claim": [row]}, "a.toml").claims[0])


@pytest.mark.slow
def test_an_unknown_object_is_an_error_under_a_small_limit() -> None:
    one = _claim(object="riccati_hing_2", printed="((((10**99)**99)**99)**99)**99")
    two = _claim(equals="1", printed="1", functions={"f": "central_velocty"})
    with pytest.raises(MechanismError, match="no derived object") as caught:
        check([one, two], limit=1.0, jobs=1)
    for said in ("2 faults", "claim one.object", "functions.f", 'did you mean "central_velocity"'):
        assert said in caught.value.reason


@pytest.mark.slow
def test_hostile_claims_take_little_more_than_their_limit_and_progress_moves() -> None:
    letters, terms = {"x": [12]}, " + ".join(f"x[{k}]" for k in range(12))
    trees = [
        {"id": f"huge_{k}", "equals": "1", "letters": letters, "printed": f"det([[({terms})**100, {k}], [1, 2]])"}
        for k in (1, 2)
    ]
    trees.append({"id": "tower", "equals": "1", "printed": "((((10**99)**99)**99)**99)**99"})
    claims = claims_of({"schema": "symgen/claims/1", "claim": trees}, "a.toml").claims
    steps: list[float] = []
    started = time.monotonic()
    results = check(claims, limit=5.0, jobs=1, suggestions=False, progress=lambda: steps.append(time.monotonic()))
    assert time.monotonic() - started < 3 * 5.0 + 20.0  # and what it takes to start processes
    assert results[-1].finding.verdict == "undecided"
    assert len(steps) == STEPS * len(claims)
