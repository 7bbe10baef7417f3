"""A derivation refuses what could not be emitted or proved, and says what is wrong."""

from __future__ import annotations

import pytest

from symgen.algebra import TWO, ZERO, sqrt, symbol
from symgen.derive.derivation import Derivation
from symgen.errors import DerivationError, InputError
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.proofs import prove
from symgen.status import Status


def circle() -> Derivation:
    """y = sigma sqrt(r^2 - x^2): the smallest derivation with a branch, a guard and a fold."""
    d = Derivation("circle", level="kernel", title="height of a circle", source="Pythagoras")
    x = d.input_scalar("x", meaning="abscissa", unit="m")
    r = d.input_scalar("r", meaning="radius", unit="m", range="> 0")
    (sigma,) = d.input_branch((("sigma", "the upper half"),))
    y2 = d.scalar("y2", r * r - x * x, "squared height", "m^2")
    d.guard(y2, ">=", ZERO, Status.NO_ASSEMBLY, "outside the circle")
    y = d.scalar("y_up", sigma * sqrt(y2), "height", "m")
    d.output("y", y, meaning="height", unit="m")
    return d


def test_a_step_that_uses_an_unknown_name_is_refused_with_the_ports() -> None:
    d = circle()
    with pytest.raises(DerivationError, match=r"step 'z' uses 'w'.*ports are x, r, branch"):
        d.scalar("z", symbol("w") + 1, "")


def test_a_name_is_given_once() -> None:
    with pytest.raises(DerivationError, match="'y2' is used twice"):
        circle().scalar("y2", ZERO, "")


@pytest.mark.parametrize("name", ["rows", "status", "batch"])
def test_names_of_the_surrounding_code_are_taken(name: str) -> None:
    with pytest.raises(DerivationError, match="taken"):
        circle().scalar(name, ZERO, "")


@pytest.mark.parametrize("name", ["y0", "gamma", "double", "lambda", "a b", "x;system"])
def test_names_that_c_or_python_would_misread_are_refused(name: str) -> None:
    with pytest.raises(InputError):
        circle().scalar(name, ZERO, "")


def test_a_result_must_be_a_step() -> None:
    d = circle()
    with pytest.raises(DerivationError, match="not a step"):
        d.output("twice", TWO * symbol("y_up"), meaning="", unit="m")


def test_a_true_identity_is_proved_symbolically() -> None:
    d = circle()
    x, r, y = symbol("x"), symbol("r"), symbol("y_up")
    d.claim_identity("circle", "x^2 + y^2 = r^2", [x * x + y * y - r * r], squares={"y_up": symbol("y2")})
    (proof,) = prove(d)
    assert (proof.method, proof.bound) == ("symbolic", "0")


def test_a_false_identity_stops_the_generator() -> None:
    d = circle()
    x, r, y = symbol("x"), symbol("r"), symbol("y_up")
    d.claim_identity("circle", "x^2 + y^2 = 2 r^2", [x * x + y * y - TWO * r * r], squares={"y_up": symbol("y2")})
    with pytest.raises(DerivationError, match="does not hold"):
        prove(d)


def test_a_true_claim_holds_with_50_digits_and_a_false_one_stops_the_generator() -> None:
    d = circle()
    x, r, y = symbol("x"), symbol("r"), symbol("y_up")
    d.claim_zero("circle", "x^2 + y^2 = r^2", [x * x + y * y - r * r])
    (proof,) = prove(d)
    assert "50-digit" in proof.method
    wrong = circle()
    wrong.claim_zero("circle", "x + y = r", [x + y - r])
    with pytest.raises(DerivationError, match="fails: residual"):
        prove(wrong)


def test_a_slice_takes_only_the_ports_it_needs() -> None:
    d = circle()
    d.input_scalar("unused", meaning="", unit="")
    routine = run_passes(lower(d, "position"))
    assert [p.name for p in routine.ports] == ["x", "r", "branch", "y"]
