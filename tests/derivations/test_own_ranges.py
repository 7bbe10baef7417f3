"""What the header of one's own derivation promises holds: of ranges, and of what SINGULAR leaves."""

from __future__ import annotations

import math
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.derivations import (
    ONE,
    TWO,
    ZERO,
    Derivation,
    DerivationError,
    Expr,
    ModuleDerivation,
    Status,
    cos,
    element,
    exactly,
    formula,
    generate,
    give_transfer_matrix,
    sin,
    sqrt,
)
from symgen.derivations.checking import checked
from symgen.derivations.meanings import meanings_of
from symgen.derivations.ranges import guarded
from symgen.derive import catalogue
from symgen.errors import SolveError
from symgen.library.description import describe_type
from symgen.lower import lower
from symgen.proofs import prove
from symgen.status import MEANING

needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


@pytest.fixture(autouse=True)
def nothing_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})


def ranged() -> ModuleDerivation:
    d = Derivation("ranged", level="kernel", title="t", source="s")
    a = d.input_scalar("a", meaning="a", unit="m", range="> 0")
    b = d.input_scalar("b", meaning="b", unit="1", range="-1.5 .. 2")
    c = d.input_scalar("c", meaning="c", unit="m", range="<= 3")
    u = d.input_vector("u", 2, meaning="direction", unit="1", range="unit")
    q = d.input_array("q", ("q0", "q1", "q2", "q3"), meaning="turn", unit="1", range="q unit")
    y = d.scalar("y", a + b + c + u.components[0] + q[0], "y")
    d.output("y", y, meaning="y", unit="m")
    with d.part("velocity"):
        w = d.scalar("w", a * y, "w")
        d.output("w", w, meaning="w", unit="m")
    d.claim_zero("product", "by parts", [(w - y) - (a - ONE) * y])
    d.claim_zero("sum", "the sum", [(y - a) ** 2 - (b + c + u.components[0] + q[0]) ** 2])
    return formula(d, id="ranged")


GOOD: dict[str, Any] = {"a": 0.3, "b": 1.0, "c": 2.0, "u": [0.6, 0.8], "q": [0.5, 0.5, 0.5, 0.5]}
BAD: list[dict[str, Any]] = [
    {"a": -0.3}, {"a": 0.0}, {"b": -1.6}, {"b": 2.1}, {"c": 3.1}, {"u": [0.6, 0.9]}, {"q": [0.5, 0.5, 0.5, 0.6]},
]  # fmt: skip


@pytest.mark.parametrize("real", ["double", pytest.param("float", marks=needs_compiler), "numpy"])
def test_inputs_out_of_range_are_bad_input(real: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if real == "double" and shutil.which("cc") is None:
        pytest.skip("no C compiler")
    generate(ranged, tmp_path)
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path))
    options = {"backend": "numpy"} if real == "numpy" else {"backend": "c", "precision": real}
    kernel = symgen.library(**options)["ranged"].kernel
    for good in (GOOD, GOOD | {"b": 2.0, "c": 3.0}, GOOD | {"b": -1.5, "a": 1e-3}):
        assert np.all(kernel.position(**good).status == Status.OK)
        assert np.all(kernel.all(**good).status == Status.OK)
    for change in BAD:
        assert np.all(kernel.position(check=False, **GOOD | change).status == Status.BAD_INPUT), change
        assert np.all(kernel.all(check=False, **GOOD | change).status == Status.BAD_INPUT), change
    assert np.all(kernel.velocity(a=-0.3, y=1.0, check=False).status == Status.BAD_INPUT)


def test_ranges_are_guarded_once_and_the_own_derivation_stays() -> None:
    module = ranged()
    before = len(module.kernel.items)
    once = guarded(module.kernel)
    assert len(guarded(once).items) == len(once.items) == before + 6
    assert len(module.kernel.items) == before


def test_points_lie_within_the_ranges() -> None:
    d = Derivation("far", level="kernel", title="t", source="s")
    x = d.input_scalar("x", meaning="x", unit="m", range="20 .. 30")
    z = d.input_scalar("z", meaning="z", unit="m", range=">= 5")
    y = d.scalar("y", sqrt(x - 20) * sqrt(z - 5), "y")
    d.output("y", y, meaning="y", unit="m")
    d.claim_zero("root", "squared", [y * y - (x - 20) * (z - 5)])
    assert len(prove(guarded(d))) == 1


def doubtful(kind: str) -> ModuleDerivation:
    d = Derivation("doubtful", level="kernel", title="t", source="s")
    x = d.input_scalar("x", meaning="x", unit="m")
    square = d.scalar("square", x * x, "square")
    ask: Any = getattr(d, kind)
    ask(square, ">" if kind == "guard" else "<=", exactly(0.01), Status.SINGULAR, "x is nothing")
    y = d.scalar("y", x + ONE, "y")
    d.output("y", y, meaning="y", unit="m")
    with d.part("velocity"):
        w = d.scalar("w", y * y, "w")
        d.output("w", w, meaning="w", unit="m")
    d.claim_identity("product", "a product", [(y - ONE) * (y + ONE) - square - x * TWO])
    d.claim_identity("square", "a square", [w - square - x * TWO - ONE])
    return formula(d, id="doubtful")


@pytest.mark.parametrize(("kind", "written"), [("guard", False), ("flag", True)])
@pytest.mark.parametrize("backend", [pytest.param("c", marks=needs_compiler), "numpy"])
def test_the_header_says_what_singular_leaves(
    kind: str, written: bool, backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = generate(lambda: doubtful(kind), tmp_path)
    header = (folder / "doubtful.h").read_text(encoding="utf-8")
    assert ("branches meet here: outputs are written" in header) is written
    assert ("Position functions write them" in header) is written
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path))
    found = symgen.library(backend=backend)["doubtful"].kernel.position(x=0.05, check=False)
    assert found.status == Status.SINGULAR
    assert math.isfinite(float(np.ravel(found.y)[0])) is written


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("guard", "x is nothing: nothing is written"),
        ("flag", "x is nothing: the position is returned, rates are not determined"),
    ],
)
def test_a_status_means_what_its_guard_says(
    kind: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(lambda: doubtful(kind), tmp_path)
    monkeypatch.setenv("SYMGEN_LIBRARY", str(tmp_path))
    solved = symgen.library(backend="numpy")["doubtful"]
    with pytest.raises(SolveError, match=re.escape(f"SINGULAR ({said})")) as caught:
        solved.kernel.position(x=0.05)
    kind_of, parts = caught.value.__reduce__()  # how it passes between processes
    assert str(kind_of(*parts)) == str(caught.value)
    told = describe_type(solved.entry)["statuses"]
    assert told["SINGULAR"] == said
    assert told["BAD_INPUT"].startswith("NaN")  # no guard says it
    with pytest.raises(SolveError, match=r"BAD_INPUT \(NaN"):
        solved.kernel.position(x=math.nan)


def test_words_of_a_guard_stand_beside_what_is_found_without_one() -> None:
    d = Derivation("mixed", level="kernel", title="t", source="s")
    x = d.input_scalar("x", meaning="x", unit="m", range="> 0")
    d.guard(x, "<", TWO, Status.BAD_INPUT, "x is too long")
    d.guard(x, "<", ONE, Status.NO_ASSEMBLY, "x is long")
    c, s = d.zero("turn", [x - TWO, x, ONE], ZERO, "a turn")
    d.output("y", d.scalar("y", c + s, "y"), meaning="y", unit="1")
    found = meanings_of([guarded(d)], [lower(guarded(d), "position")])
    assert set(found) == {"BAD_INPUT", "NO_ASSEMBLY"}  # a range is no guard of theirs
    assert found["NO_ASSEMBLY"] == f"x is long; or {MEANING[Status.NO_ASSEMBLY]}"
    assert found["BAD_INPUT"] == f"x is too long; or {MEANING[Status.BAD_INPUT]}"


def test_singular_is_not_both() -> None:
    module = doubtful("flag")
    x = module.kernel.outputs["y"]
    module.kernel.guard(module.kernel.promise(x.elements[0]), ">", ONE, Status.SINGULAR, "again")
    with pytest.raises(DerivationError, match=r"Status\.SINGULAR stands in a guard and in a flag"):
        checked(module, "mine")


def line(pairs: tuple[tuple[str, str], ...], states: str, rows: list[list[Expr]], d: Derivation) -> ModuleDerivation:
    give_transfer_matrix(d, [(name, "1") for name in states], rows, pairs=pairs)
    return element(d, id="line")


@pytest.mark.parametrize(
    ("pairs", "told"),
    [
        ((("p", "q"),), "found x, f 0 times"),
        ((("p", "q"), ("p", "x")), "found p, f 0 and 2 times"),
        ((("p", "p"), ("x", "f")), "found p, q 0 and 2 times"),
    ],
)
def test_pairs_cover_the_state_once(pairs: tuple[tuple[str, str], ...], told: str) -> None:
    """Else det U = 1 would be told of a matrix whose determinant is 5."""
    d = Derivation("line", level="kernel", title="t", source="s")
    r = d.input_scalar("r", meaning="r", unit="m")
    rows = [[ONE if i == j else 0 * r for j in range(4)] for i in range(4)]
    rows[2][2] = 5 * ONE
    with pytest.raises(DerivationError, match=f"pairs must name every quantity of the state once; {told}"):
        line(pairs, "pqxf", rows, d)


def test_a_matrix_that_loses_nothing_by_a_false_square_is_refused() -> None:
    d = Derivation("line", level="kernel", title="t", source="s")
    r = d.input_scalar("r", meaning="r", unit="m")
    c, s = d.scalar("c", cos(r) + ONE, "c"), d.scalar("s", sin(r), "s")
    give_transfer_matrix(
        d, (("p", "1"), ("q", "1")), [[c, -s], [s, c]], pairs=(("p", "q"),), squares={"s": ONE - c * c}
    )
    with pytest.raises(DerivationError, match="the square of 's' is not"):
        prove(d)
