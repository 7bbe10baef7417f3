"""A rod between two balls: its idle spin by convention, and what that makes of its motion.

Nothing holds a rod on two spherical pairs against spinning about the line of its balls. The convention is that of a
constant-velocity joint at one of them: seen from the body across that ball, the rod is turned from its reference (both
joint frames coincide) by the smallest rotation that brings its line where it has to be, about e0 x e, with e0 the
line's direction in the reference and e the present one. That depends on the pose alone, is smooth but where e = -e0,
and means angular velocities normal to the bisector e0 + e.

With w the derivative of e as the body sees it, and W the rod's angular velocity against the body,

    W = e x w - e ((e x w) . e0)/(1 + e . e0)

Source: half-angle rule of smallest rotations (Listing's law, Helmholtz 1867); docs/closed-forms.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import FOLD_TOLERANCE, HALF, ONE, TWO, Expr, sqrt
from symgen.derive.blocks.spatial import SpatialMotion
from symgen.derive.derivation import Derivation
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector
from symgen.status import Status


def smallest_rotation(d: Derivation, e0: Vector, e: Vector) -> Quaternion:
    """Name the quaternion of the smallest rotation from one unit vector to another."""
    near = d.scalar("near_1", ONE + e0.dot(e), "1 + cosine of the angle that the rod is turned by")
    text = "the rod points opposite to its reference: no unique smallest rotation"
    d.guard(near, ">", FOLD_TOLERANCE, Status.DEGENERATE, text)
    size = d.scalar("near_size", sqrt(TWO * near), "twice the cosine of half that angle")
    axis = d.vector("near_axis", e0.cross(e), "axis of that rotation, times its sine")
    x, y, z = axis * (1 / size)
    return d.quaternion("rod_turn", Quaternion((HALF * size, x, y, z)), "how the rod is turned from its reference")


@dataclass(frozen=True)
class SpinningRod:
    """A rod's direction e, its reference e0, and the motion of the body that carries the reference, at the ball."""

    e: Vector
    e0: Vector
    base: SpatialMotion
    near: Expr

    def velocity(self, d: Derivation, w: Vector) -> tuple[Vector, Vector, Expr]:
        """Name angular velocity, that against the body, and its part along the rod; `w`: e's derivative seen there."""
        moment = d.vector("rod_moment", self.e.cross(w), "turning of the rod across its line", "rad/s")
        spin = d.scalar("rod_spin", -(moment.dot(self.e0) / self.near), "spin about its line, by convention", "rad/s")
        against = d.vector("rod_turning", moment + self.e * spin, "turning of the rod against the body", "rad/s")
        omega = d.vector("omega_rod", self.base.omega + against, "angular velocity of the rod", "rad/s")
        return omega, against, spin

    def acceleration(self, d: Derivation, w: Vector, w2: Vector, against: Vector, spin: Expr) -> Vector:
        """Name the angular acceleration; `w`, `w2`: first and second derivative of e as the body sees it."""
        moment = d.vector("rod_moment2", self.e.cross(w2), "its growth across the line", "rad/s^2")
        grown = -((moment.dot(self.e0) + spin * w.dot(self.e0)) / self.near)
        grown = d.scalar("rod_spin2", grown, "growth of the spin", "rad/s^2")
        value = self.base.alpha + moment + self.e * grown + w * spin + self.base.omega.cross(against)
        return d.vector("alpha_rod", value, "angular acceleration of the rod", "rad/s^2")
