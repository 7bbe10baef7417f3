"""Trigonometric polynomials with named coefficients, multiplied without being expanded.

A polynomial of degree n in an angle q is the list of its coefficients: constant, cos q, sin q, cos 2q, sin 2q, ...
The product with a form of degree 1 follows from the addition theorems; every coefficient of it becomes a step, so
what a factor is made of is never seen again.

Source: addition theorems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import HALF, TWO, ZERO, Expr, absolute, is_number, is_zero
from symgen.derive.derivation import Derivation


@dataclass(frozen=True)
class LinearForm:
    """f0 + fc cos q + fs sin q, named, with half of the last two coefficients, also named."""

    constant: Expr
    cosine: Expr
    sine: Expr
    half_cosine: Expr
    half_sine: Expr

    @property
    def coefficients(self) -> tuple[Expr, ...]:
        """Constant and coefficients of cosine and sine."""
        return self.constant, self.cosine, self.sine

    def at(self, cosine: Expr, sine: Expr) -> Expr:
        """Return the value at the angle with this cosine and sine."""
        return self.constant + self.cosine * cosine + self.sine * sine

    def bound(self) -> Expr:
        """Return what no value exceeds: the sum of the absolute coefficients."""
        return absolute(self.constant) + absolute(self.cosine) + absolute(self.sine)


def linear_form(d: Derivation, name: str, coefficients: Sequence[Expr], meaning: str) -> LinearForm:
    """Name the coefficients of constant, cosine and sine of a form of degree 1; those that are zero need no name."""
    constant = _named(d, f"{name}_0", coefficients[0], f"{meaning}: constant")
    cosine = _named(d, f"{name}_c", coefficients[1], f"{meaning}: coefficient of the cosine")
    sine = _named(d, f"{name}_s", coefficients[2], f"{meaning}: coefficient of the sine")
    half_cosine = _named(d, f"{name}_c2", HALF * cosine, f"{meaning}: half the coefficient of the cosine")
    half_sine = _named(d, f"{name}_s2", HALF * sine, f"{meaning}: half the coefficient of the sine")
    return LinearForm(constant, cosine, sine, half_cosine, half_sine)


def _named(d: Derivation, name: str, value: Expr, meaning: str) -> Expr:
    return value if is_number(value) else d.scalar(name, value, meaning)


def product(left: Sequence[Expr], right: LinearForm) -> tuple[Expr, ...]:
    """Return the coefficients of a polynomial times a form of degree 1; those of `left` must be named."""
    degree = len(left) // 2

    def cosine(k: int) -> Expr:
        if k == 0:
            return TWO * left[0]  # cos 0 stands for both halves of the constant
        return left[2 * k - 1] if k <= degree else ZERO

    def sine(k: int) -> Expr:
        return left[2 * k] if 0 < k <= degree else ZERO

    found = [left[0] * right.constant + cosine(1) * right.half_cosine + sine(1) * right.half_sine]
    for k in range(1, degree + 2):
        sums = (cosine(k - 1) + cosine(k + 1), sine(k + 1) - sine(k - 1))
        turned = (sine(k - 1) + sine(k + 1), cosine(k - 1) - cosine(k + 1))
        for own, (with_cosine, with_sine) in ((cosine(k), sums), (sine(k), turned)):
            found.append(own * right.constant + with_cosine * right.half_cosine + with_sine * right.half_sine)
    return tuple(found)


def name_polynomial(d: Derivation, name: str, coefficients: Sequence[Expr], meaning: str) -> tuple[Expr, ...]:
    """Name the coefficients `<name>_0`, `<name>_c1`, `<name>_s1`, ... up to the last that is not the number zero."""
    kept = trimmed(coefficients)
    labels = ["0", *(f"{letter}{k}" for k in range(1, len(kept) // 2 + 1) for letter in "cs")]
    words = ["constant", *(f"{word} of {k}" for k in range(1, len(labels)) for word in ("cosine", "sine"))]
    return tuple(
        _named(
            d, f"{name}_{label}", value, f"{meaning}: {word} times the angle" if label != "0" else f"{meaning}: {word}"
        )
        for label, word, value in zip(labels, words, kept, strict=False)
    )


def trimmed(coefficients: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the coefficients without those of the highest degrees, as far as they are the number zero."""
    kept = tuple(coefficients)
    while len(kept) > 1 and is_zero(kept[-1]) and is_zero(kept[-2]):
        kept = kept[:-2]
    return kept


def difference(left: Sequence[Expr], right: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return the coefficients of one polynomial less another, of any degrees."""
    size = max(len(left), len(right))
    padded = [(*row, *(ZERO,) * (size - len(row))) for row in (left, right)]
    return tuple(p - q for p, q in zip(*padded, strict=True))
