"""Turned vectors, and the three equations that put one plane on another.

A planar joint holds two planes together: their normals agree, and a point of the one lies in the other. To first
order, with n the required normal, N the one reached, x a point of the plane reached and c one of the required plane,

    n x (sum of a_k q_k') = N - n (across n),    n . (sum of a_k x (x - p_k) q_k') = n . (c - x)

The first has two components across n, the second goes along n, so that both are one equation between vectors; lengths
are measured in a unit, which makes its columns numbers of order 1.

Source: textbook rotation formula (Rodrigues); docs/closed-forms.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import Expr
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector


@dataclass(frozen=True)
class Spun:
    """A vector turned about a unit axis: axial + cos across + sin side, all named."""

    axial: Vector
    across: Vector
    side: Vector

    def at(self, cosine: Expr, sine: Expr) -> Vector:
        """Return the vector turned by the angle with this cosine and sine."""
        return self.axial + self.across * cosine + self.side * sine


def spun(d: Derivation, name: str, axis: Vector, vector: Vector, what: str, unit: str = "") -> Spun:
    """Name the parts of a vector along, across and a quarter turn ahead about a unit axis."""
    axial = d.vector(f"{name}_axial", axis * axis.dot(vector), f"{what}: part along the axis", unit)
    across = d.vector(f"{name}_across", vector - axial, f"{what}: part across the axis", unit)
    side = d.vector(f"{name}_side", axis.cross(vector), f"{what}: that part, turned by a quarter turn", unit)
    return Spun(axial, across, side)


def plane_column(n: Vector, axis: Vector, arm: Vector, per_length: Expr) -> Vector:
    """Return how a turn opens the plane: across n by turning its normal, along n by lifting it, in the unit."""
    return n.cross(axis) + n * (n.dot(axis.cross(arm)) * per_length)


def determinant(columns: Sequence[Vector]) -> Expr:
    """Return the determinant of three columns."""
    first, second, third = columns
    return first.dot(second.cross(third))
