"""Linear forms in (1, cos q, sin q) and their products of degree 2, coefficient by coefficient.

Source: addition theorems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import HALF, TWO, Expr
from symgen.derive.derivation import Derivation


@dataclass(frozen=True)
class Form:
    """f0 + fc cos q + fs sin q with named coefficients."""

    constant: Expr
    cosine: Expr
    sine: Expr

    @property
    def coefficients(self) -> tuple[Expr, Expr, Expr]:
        """Constant and coefficients of cosine and sine."""
        return self.constant, self.cosine, self.sine

    def at(self, cosine: Expr, sine: Expr) -> Expr:
        """Return the value at the angle with this cosine and sine."""
        return self.constant + self.cosine * cosine + self.sine * sine

    def times(self, other: Form) -> tuple[Expr, ...]:
        """Return the coefficients of the product with another form."""
        a0, ac, as_ = self.coefficients
        b0, bc, bs = other.coefficients
        return (
            a0 * b0 + HALF * (ac * bc + as_ * bs),
            a0 * bc + ac * b0,
            a0 * bs + as_ * b0,
            HALF * (ac * bc - as_ * bs),
            HALF * (ac * bs + as_ * bc),
        )


def name_form(d: Derivation, name: str, coefficients: Sequence[Expr], meaning: str, unit: str = "") -> Form:
    """Name the coefficients of a form: `<name>_0`, `<name>_c`, `<name>_s`."""
    labels = ("0", "c", "s")
    words = ("constant", "coefficient of the cosine", "coefficient of the sine")
    rows = zip(labels, words, coefficients, strict=True)
    f0, fc, fs = (d.scalar(f"{name}_{label}", value, f"{meaning}: {word}", unit) for label, word, value in rows)
    return Form(f0, fc, fs)


def product_form(a: Form, b: Form, c: Form, e: Form) -> tuple[Expr, Expr, Expr]:
    """Return the coefficients of a b - c e where the terms of degree 2 cancel.

    Its parts with cos^2 and sin^2 are alike then, so that either is what they add to the constant.
    """
    return (
        a.constant * b.constant - c.constant * e.constant + (a.cosine * b.cosine - c.cosine * e.cosine),
        a.constant * b.cosine + a.cosine * b.constant - (c.constant * e.cosine + c.cosine * e.constant),
        a.constant * b.sine + a.sine * b.constant - (c.constant * e.sine + c.sine * e.constant),
    )


def weighted(d: Derivation, name: str, weight: Expr, form: Form, meaning: str, unit: str = "") -> tuple[Form, Form]:
    """Name weight times form; return it and the form, a term of `sum_of_products`."""
    coefficients = [weight * coefficient for coefficient in form.coefficients]
    return name_form(d, name, coefficients, meaning, unit), form


def sum_of_products(
    d: Derivation, terms: Sequence[tuple[Form, Form]], less: Form
) -> tuple[Expr, Expr, Expr, Expr, Expr]:
    """Return a sum of products of proportional forms less a square: coefficients of 1, cos q, sin q, cos 2q, sin 2q."""

    def total(first: int, second: int) -> Expr:
        products = [a.coefficients[first] * b.coefficients[second] for a, b in terms]
        sum_ = products[0]
        for product in products[1:]:
            sum_ = sum_ + product
        return sum_ - less.coefficients[first] * less.coefficients[second]

    cc = d.scalar("sum_cc", total(1, 1), "sum of the products of the coefficients of the cosine")
    ss = d.scalar("sum_ss", total(2, 2), "sum of the products of the coefficients of the sine")
    constant = total(0, 0) + HALF * (cc + ss)
    return constant, TWO * total(0, 1), TWO * total(0, 2), HALF * (cc - ss), total(1, 2)
