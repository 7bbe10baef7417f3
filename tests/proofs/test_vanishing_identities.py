"""Identities are proved exactly: polynomials and fractions modulo squares, and what is not rational by expanding."""

from __future__ import annotations

import pytest

from symgen.algebra import ONE, TWO, Expr, cos, sin, sqrt, symbol, vanishes

X, Y, H, C = (symbol(name) for name in ("x", "y", "h", "c"))

TRUE: dict[str, tuple[Expr, dict[str, Expr]]] = {
    "binomial": ((X + Y) ** 2 - X * X - TWO * X * Y - Y * Y, {}),
    "fractions": (X / H + Y / (H * H) - (X * H + Y) / H**2, {}),
    "fraction of a sum": (X / (X + Y) + Y / (X + Y) - ONE, {}),
    "odd power of a root": (X**3 - X * Y, {"x": Y}),
    "square with a denominator": (X**4 - ONE / (Y * Y), {"x": ONE / Y}),
    "a later square serves an earlier one": (X * X * H * H - (ONE - Y * Y) * Y * Y, {"x": ONE - Y * Y, "h": Y * Y}),
    "a square within a square": (X * X - ONE + C, {"x": ONE - H * H, "h": C}),
    "a root": (sqrt(Y) * sqrt(Y) - Y, {}),
    "no symbols": (ONE + ONE - TWO, {}),
}
FALSE: dict[str, tuple[Expr, dict[str, Expr]]] = {
    "a fraction": (X / H, {}),
    "the wrong square": (X**4 - ONE / Y, {"x": ONE / Y}),
    "a sign": (X * X - Y, {"x": -Y}),
    "a circle without its condition": (X * X + Y * Y - ONE, {}),
    "a transcendental": (sin(X) + cos(X), {}),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_identities_are_proved(name: str) -> None:
    assert vanishes(*TRUE[name])


@pytest.mark.parametrize("name", FALSE)
def test_false_identities_are_not(name: str) -> None:
    assert not vanishes(*FALSE[name])
