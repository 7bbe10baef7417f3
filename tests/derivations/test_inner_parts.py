"""Inner parts of one's own derivation: what they claim is proved, their ranges hold, their guards give words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.derivations import (
    Derivation,
    DerivationError,
    Expr,
    Inner,
    ModuleDerivation,
    Status,
    formula,
    generate,
    sqrt,
)
from symgen.derivations.checking import checked
from symgen.derive import catalogue
from symgen.errors import SolveError
from symgen.proofs import prove


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})


Change = Callable[[Derivation, Expr, Expr], None]


def _claim(d: Derivation, a: Expr, root: Expr) -> None:
    d.claim_identity("root", "the root squared", [root * root - a], squares={"root": a})


def _root(change: Change = _claim) -> Inner:
    d = Derivation("part", level="kernel", title="a root", source="s")
    a = d.input_scalar("a", meaning="a", unit="m^2", range="< 100")
    d.guard(a, ">", a - a, Status.NO_ASSEMBLY, "nothing has a negative square")
    root = d.scalar("root", sqrt(a), "its root", "m")
    d.output("out", root, meaning="root", unit="m")
    change(d, a, root)
    return Inner("part", d)


def _module(change: Change = _claim, more: bool = False) -> ModuleDerivation:
    d = Derivation("roots", level="kernel", title="five roots", source="s")
    given = d.input_array("a", [f"a{k}" for k in range(5)], meaning="numbers", unit="m^2")
    found = d.call_each(_root(change), {}, [{"a": value} for value in given], "root", "roots")
    d.output("roots", [each.scalar("out") for each in found], meaning="roots", unit="m")
    if more:
        total = d.scalar("total", found[0].scalar("out") + found[1].scalar("out"), "of two", "m")
        d.output("sum", total, meaning="of two", unit="m")
    return formula(d, id="roots")


def _of_rates(d: Derivation, a: Expr, root: Expr) -> None:
    _claim(d, a, root)
    with d.part("velocity"):
        d.output("rate", d.scalar("rate", root * a, "rate", "m"), meaning="rate", unit="m")


def _two_results(d: Derivation, a: Expr, root: Expr) -> None:
    _claim(d, a, root)
    d.output("cube", d.scalar("cube", root * a, "another", "m^3"), meaning="another", unit="m^3")


@pytest.mark.parametrize(("change", "told"), [
    (lambda d, a, root: None, "nothing is claimed of it"),
    (lambda d, a, root: d.claim_zero("nothing", "of nothing", [a - a]), "says nothing"),
    (_two_results, "no claim involves the result 'cube'"),
    (_of_rates, "result 'rate' belongs to the part 'velocity'; an inner part gives all its results in"),
])  # fmt: skip
def test_a_part_that_claims_too_little_is_refused(change: Change, told: str) -> None:
    with pytest.raises(DerivationError, match=told):
        checked(_module(change), "here").arrange(None)  # type: ignore[arg-type]


def test_what_is_made_of_its_results_needs_a_claim_of_its_own() -> None:
    checked(_module(), "here").arrange(None)  # type: ignore[arg-type]
    with pytest.raises(DerivationError, match="no claim involves the result 'sum'"):
        checked(_module(more=True), "here").arrange(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("false", [
    lambda d, a, root: d.claim_identity("root", "the root squared", [root * root + a], squares={"root": a}),
    lambda d, a, root: d.claim_zero("root", "the root squared", [root * root + a]),
])  # fmt: skip
def test_a_false_claim_of_a_part_is_found_out(false: Change) -> None:
    with pytest.raises(DerivationError, match="part: claim 'root'"):
        prove(checked(_module(false), "here").kernel)


def test_its_claims_are_proved_once_under_its_name() -> None:
    assert [proof.name for proof in prove(_module().kernel)] == ["part_root"]


@pytest.mark.extension
@pytest.mark.parametrize("options", [{"backend": "numpy"}, {"backend": "c"}, {"backend": "c", "precision": "float"}])
def test_ranges_hold_and_guards_give_words(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(_module, tmp_path)
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path))
    kernel = symgen.library(**options)["roots"].kernel
    a = np.array([1.0, 2.25, 4.0, 6.25, 9.0])
    assert kernel.position(a).roots.tolist() == [1.0, 1.5, 2.0, 2.5, 3.0]  # exact in every precision
    for part in range(5):
        for value, status in ((100.0, Status.BAD_INPUT), (-1.0, Status.NO_ASSEMBLY)):
            found = kernel.position(np.where(np.arange(5) == part, value, a), check=False)
            assert found.status == status
            assert np.isnan(found.roots).all()
    with pytest.raises(SolveError, match="nothing has a negative square"):
        kernel.position(-a)
    manifest = json.loads((tmp_path / "roots" / "roots.json").read_text(encoding="utf-8"))
    assert [proof["name"] for proof in manifest["proofs"]] == ["part_root"]
