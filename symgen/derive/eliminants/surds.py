"""Numbers and vectors x + s y with one square root s that has no sign yet: s^2 is known.

Products stay of this form, and the norm x^2 - s^2 y^2, the product over both signs, has no root. So an equation with a
root that may be imaginary is eliminated in real arithmetic.

Source: docs/closed-forms.md (norm elimination).
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class Surd:
    """The number x + s y, s^2 = square."""

    x: Expr
    y: Expr
    square: Expr

    def __add__(self, other: Surd) -> Surd:
        return Surd(self.x + other.x, self.y + other.y, self.square)

    def __sub__(self, other: Surd) -> Surd:
        return Surd(self.x - other.x, self.y - other.y, self.square)

    def __mul__(self, other: Surd) -> Surd:
        x = self.x * other.x + self.square * (self.y * other.y)
        return Surd(x, self.x * other.y + self.y * other.x, self.square)

    def times(self, factor: Expr) -> Surd:
        """Return the product with a number without root."""
        return Surd(self.x * factor, self.y * factor, self.square)

    def plus(self, term: Expr) -> Surd:
        """Return the sum with a number without root."""
        return Surd(self.x + term, self.y, self.square)

    def norm(self) -> Expr:
        """Return the product over both signs of the root."""
        return self.x * self.x - self.square * (self.y * self.y)

    def with_root(self, s: Expr) -> Expr:
        """Return the value for a chosen root."""
        return self.x + s * self.y

    def named(self, d: Derivation, name: str, meaning: str) -> Surd:
        """Name both parts."""
        x = d.scalar(f"{name}_x", self.x, meaning)
        return Surd(x, d.scalar(f"{name}_y", self.y, f"{meaning}: factor of the root"), self.square)


@dataclass(frozen=True)
class SurdVector:
    """The vector x + s y, s^2 = square."""

    x: Vector
    y: Vector
    square: Expr

    def dot(self, other: Vector) -> Surd:
        """Return the scalar product with a vector without root."""
        return Surd(self.x.dot(other), self.y.dot(other), self.square)
