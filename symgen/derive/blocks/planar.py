"""Rigid-body motion in the plane, and the 2 x 2 system that closes a dyad.

J is the quarter turn: J v = (-v_y, v_x); a body with angular velocity omega moves a point at `arm` from its reference
point by v + omega J arm, and accelerates it by a + alpha J arm - omega^2 arm.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import SINGULAR_TOLERANCE, Expr, absolute, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status


def rotated(cosine: Expr, sine: Expr, local: Vector) -> Vector:
    """Return a planar vector turned by the angle with this cosine and sine."""
    return Vector((cosine * local[0] - sine * local[1], sine * local[0] + cosine * local[1]))


def carried_velocity(v: Vector, omega: Expr, arm: Vector) -> Vector:
    """Return the velocity of the point at `arm` of a body that moves with v and omega."""
    return v + arm.turned() * omega


def carried_acceleration(a: Vector, alpha: Expr, omega2: Expr, arm: Vector) -> Vector:
    """Return the acceleration of the point at `arm`; omega2 is the squared angular velocity."""
    return a + arm.turned() * alpha - arm * omega2


def give_condition(d: Derivation, value: Expr) -> None:
    """Declare the condition number of the system of rates as a result."""
    meaning = "Frobenius condition number of the system of rates"
    d.output("condition", d.scalar("condition", value, meaning), meaning=meaning, unit="", frame="")


@dataclass(frozen=True)
class LinearPair:
    """The factorised system x1 c1 + x2 c2 = rhs."""

    c1: Vector
    c2: Vector
    inverse: Expr

    def solve(self, rhs: Vector) -> tuple[Expr, Expr]:
        """Return (x1, x2) by Cramer's rule."""
        return rhs.area(self.c2) * self.inverse, self.c1.area(rhs) * self.inverse


def linear_pair(
    d: Derivation,
    c1: Vector,
    c2: Vector,
    meaning: str,
    *,
    unit: str,
    parallel: Status = Status.SINGULAR,
    lengths: tuple[tuple[Expr, Expr], tuple[Expr, Expr]] | None = None,
) -> LinearPair:
    """Factorise the 2 x 2 system of the rates once for velocities and accelerations; `parallel`: what it says at zero.

    Its scaled determinant is the sine of the angle between the columns: at zero the branches meet and no rates exist.
    `lengths` are the squared length and the length of each column where both are known: of a link, of a direction. The
    lengths themselves serve routines that solve positions, too, and have them already; the squares serve the others.
    """
    with d.part("geometry"):
        det = d.scalar("det", c1.area(c2), f"determinant of {meaning}", unit)
        size1 = d.scalar("size_1", c1.dot(c1), "squared length of its first column")
        size2 = d.scalar("size_2", c2.dot(c2), "squared length of its second column")
        (l1, _), (l2, _) = lengths or ((size1, size1), (size2, size2))
        known = None if lengths is None else lengths[0][1] * lengths[1][1]
        meaning_of_size = "product of the columns' lengths, to compare the determinant with"
        size = d.scalar("size", sqrt(l1 * l2), meaning_of_size, combined=known)
        d.guard(absolute(det), ">", SINGULAR_TOLERANCE * size, parallel, "branches meet: no rates")
        inverse = d.scalar("i_det", 1 / det, "reciprocal of the determinant")
    with d.part("condition"):
        give_condition(d, (size1 + size2) / absolute(det))
    return LinearPair(c1, c2, inverse)
