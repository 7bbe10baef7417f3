"""What a derivation says of squares is checked before it is used, and what is tiny is not taken for zero."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symgen.algebra import ONE, TWO, ZERO, Expr, absolute, atan2, cos, ratio, sin, sqrt
from symgen.derive.derivation import Derivation
from symgen.errors import DerivationError
from symgen.proofs import prove


def derivation() -> tuple[Derivation, Expr, Expr]:
    d = Derivation("test", level="kernel", title="t", source="s")
    x = d.input_scalar("x", meaning="x", unit="m")
    return d, x, d.input_scalar("y", meaning="y", unit="m")


@pytest.mark.parametrize(
    ("step", "square"),
    [
        (lambda x, y: x + ONE, lambda x, y: ZERO),
        (lambda x, y: x + ONE, lambda x, y: y * y * y),
        (lambda x, y: sqrt(x * x + y * y), lambda x, y: x * x + y * y + ONE),
        (lambda x, y: sqrt(x * x + y * y), lambda x, y: x * x),
        (lambda x, y: sin(x), lambda x, y: ONE + cos(x) * cos(x)),
        (lambda x, y: x * ratio(1, 10**30), lambda x, y: ZERO),
    ],
)
def test_a_false_square_is_refused_by_its_name(
    step: Callable[[Expr, Expr], Expr], square: Callable[[Expr, Expr], Expr]
) -> None:
    d, x, y = derivation()
    z = d.scalar("z", step(x, y), "z")
    d.claim_identity("wrong", "whatever", [z * z - square(x, y)], squares={"z": square(x, y)})
    with pytest.raises(DerivationError, match=r"claim 'wrong', squares: the square of 'z' is not .* at x = "):
        prove(d)


def test_a_false_square_among_true_ones_is_found() -> None:
    d, x, _ = derivation()
    s, c = d.scalar("s", sin(x), "s"), d.scalar("c", cos(x), "c")
    d.claim_identity("first", "Pythagoras", [s * s + c * c - ONE], squares={"s": ONE - c * c})
    d.claim_identity("second", "not him", [s * s + c * c - TWO], squares={"s": ONE - c * c, "c": ZERO})
    with pytest.raises(DerivationError, match="claim 'second', squares: the square of 'c' is not 0"):
        prove(d)


def test_the_square_of_an_input_is_known_only_of_unit_length() -> None:
    d, x, y = derivation()
    d.claim_identity("input", "x^2 is y", [x * x - y], squares={"x": y})
    with pytest.raises(DerivationError, match=r"'x' is the input 'x', which takes any value; .*range=\"unit\""):
        prove(d)
    d, _, _ = derivation()
    a, b = d.input_vector("u", 2, meaning="direction", unit="1", range="unit")
    d.claim_identity("unit", "of unit length", [a * a + b * b - ONE], squares={"u_y": ONE - a * a})
    assert prove(d)[0].method == "symbolic"
    d.claim_identity("false", "as long as its x", [b * b], squares={"u_y": ZERO})
    with pytest.raises(DerivationError, match="the square of 'u_y' is not 0"):
        prove(d)


def test_a_square_of_zero_that_is_true_is_taken() -> None:
    d, x, _ = derivation()
    s, c = d.scalar("s", sin(x), "s"), d.scalar("c", cos(x), "c")
    z = d.scalar("z", s * s + c * c - ONE, "nothing")
    d.claim_identity("nothing", "z is nothing", [z * z + z * z * z], squares={"z": ZERO})
    assert len(prove(d)) == 1


@pytest.mark.parametrize(
    "tiny",
    [
        lambda x, y: x * ratio(1, 10**60),
        lambda x, y: sin(x * ratio(1, 10**60)),
        lambda x, y: absolute(x + y) * ratio(1, 10**40) / (TWO + y),
        lambda x, y: (x + y) * ratio(1, 10**60),
    ],
)
def test_what_is_tiny_is_not_zero(tiny: Callable[[Expr, Expr], Expr]) -> None:
    d, x, y = derivation()
    z = d.scalar("z", tiny(x, y), "z")
    d.claim_zero("zero", "z is nothing", [z])
    with pytest.raises(DerivationError, match=r"claim 'zero' fails: residual .* of terms of the size"):
        prove(d)


@pytest.mark.parametrize(
    "nothing",
    [
        lambda x, y: sqrt((x + y) ** 2) - absolute(x + y),
        lambda x, y: sin(x + y) - sin(x) * cos(y) - cos(x) * sin(y),
        lambda x, y: atan2(sin(x), cos(x)) - x,
        lambda x, y: ((x + y) ** 3 - (x**3 + y**3) - (x + y) * x * y * 3) * ratio(1, 10**60),
        lambda x, y: ONE / (ONE / (x + TWO)) - x - TWO,
    ],
)
def test_what_cancels_is_zero_however_large_its_terms(nothing: Callable[[Expr, Expr], Expr]) -> None:
    d, x, y = derivation()
    z = d.scalar("z", nothing(x, y), "z")
    d.claim_zero("zero", "z is nothing", [z])
    assert len(prove(d)) == 1


def test_a_claim_without_residuals_is_refused() -> None:
    d, _, _ = derivation()
    with pytest.raises(DerivationError, match="claim 'empty' has no residuals, so it says nothing"):
        d.claim_zero("empty", "all is right", [])
    with pytest.raises(DerivationError, match="claim 'empty' has no residuals"):
        d.claim_identity("empty", "all is right", [])
