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
    """Return the coefficients of a b - c e where the terms of degree 2 cancel."""
    ac_bs = a.cosine * b.cosine + a.sine * b.sine - (c.cosine * e.cosine + c.sine * e.sine)
    return (
        a.constant * b.constant - c.constant * e.constant + HALF * ac_bs,
        a.constant * b.cosine + a.cosine * b.constant - (c.constant * e.cosine + c.cosine * e.constant),
        a.constant * b.sine + a.sine * b.constant - (c.constant * e.sine + c.sine * e.constant),
    )


def sum_of_squares(d: Derivation, terms: Sequence[tuple[Expr | None, Form]]) -> tuple[Expr, ...]:
    """Return the coefficients of a sum of weighted squares of forms: 1, cos q, sin q, cos 2q, sin 2q."""

    def total(first: int, second: int) -> Expr:
        sum_: Expr | None = None
        for weight, form in terms:
            product = form.coefficients[first] * form.coefficients[second]
            part = product if weight is None else product * weight
            sum_ = part if sum_ is None else sum_ + part
        assert sum_ is not None  # noqa: S101 - there are terms
        return sum_

    cc = d.scalar("sum_cc", total(1, 1), "weighted squares of the coefficients of the cosine")
    ss = d.scalar("sum_ss", total(2, 2), "weighted squares of the coefficients of the sine")
    constant = total(0, 0) + HALF * (cc + ss)
    return constant, TWO * total(0, 1), TWO * total(0, 2), HALF * (cc - ss), total(1, 2)
