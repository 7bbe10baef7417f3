"""Rigid-body motion in space along a chain of one-freedom motions, and the 3 x 3 system that closes a loop.

A freedom turns about (R) or slides along (P) an axis fixed in the body before it. With the base body's motion given
at a reference point r,

    R at p:  omega' = omega + a q',   alpha' = alpha + a q'' + omega x a q'
    P:       v' = v + a q',           a' = a + a q'' + 2 omega x a q'

Source: textbook recursion (for example Featherstone 2008, section 3.5, in vectors); docs/closed-forms.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from symgen.algebra import SINGULAR_TOLERANCE, TWO, Expr, absolute, sqrt
from symgen.derive.blocks.planar import give_condition
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status

Kind = Literal["R", "P"]


@dataclass(frozen=True)
class SpatialMotion:
    """Motion of a body: reference point, its velocity and acceleration, angular velocity and acceleration."""

    r: Vector
    v: Vector
    omega: Vector
    a: Vector
    alpha: Vector

    def velocity_at(self, point: Vector) -> Vector:
        """Return the velocity of the body's point at a world position."""
        return self.v + self.omega.cross(point - self.r)


@dataclass(frozen=True)
class JointFreedom:
    """One freedom of a joint: kind, world axis, rate and acceleration (of a driven one: given)."""

    kind: Kind
    axis: Vector
    rate: Expr
    acceleration: Expr | None


@dataclass(frozen=True)
class Passage:
    """A joint as seen along a chain: a point of the body beyond it, and its freedoms in order."""

    name: str
    point: Vector
    freedoms: tuple[JointFreedom, ...]


def acceleration_at(d: Derivation, name: str, motion: SpatialMotion, point: Vector, meaning: str) -> Vector:
    """Name the acceleration of a body's point at a world position."""
    arm = d.vector(f"{name}_arm", point - motion.r, f"from the reference point to {meaning}", "m")
    spin = d.vector(f"{name}_spin", motion.omega.cross(arm), "its velocity about that point", "m/s")
    value = motion.a + motion.alpha.cross(arm) + motion.omega.cross(spin)
    return d.vector(name, value, f"acceleration of {meaning}", "m/s^2")


def pass_velocity(
    d: Derivation, name: str, base: SpatialMotion, passage: Passage, origin: Vector
) -> tuple[Vector, Vector]:
    """Name velocity (at `origin`) and angular velocity of the body beyond a joint, all rates given.

    Returns
    -------
    v, omega : steps `v_<name>` and `omega_<name>`.
    """
    omega, v = base.omega, base.velocity_at(passage.point)
    for freedom in passage.freedoms:
        if freedom.kind == "R":
            omega = omega + freedom.axis * freedom.rate
        else:
            v = v + freedom.axis * freedom.rate
    omega = d.vector(f"omega_{name}", omega, f"angular velocity of {name}", "rad/s")
    at_joint = d.vector(f"v_{name}_{passage.name}", v, f"velocity of {name} at joint {passage.name}", "m/s")
    value = at_joint + omega.cross(origin - passage.point)
    return d.vector(f"v_{name}", value, f"velocity of the origin of {name}", "m/s"), omega


def pass_acceleration(
    d: Derivation,
    name: str,
    base: SpatialMotion,
    passage: Passage,
    omega: Vector,
    *,
    accelerations: Sequence[Expr] | None,
) -> SpatialMotion:
    """Name the motion, at the joint's point, of the body beyond a joint.

    Parameters
    ----------
    name : prefix of the steps.
    omega : angular velocity of the body behind the joint, known by now.
    accelerations : of the free freedoms, or None for the bias (as if they were zero).

    Returns
    -------
    Motion
        `v` is not used and repeats the base's.
    """
    at_joint = acceleration_at(
        d, f"{name}_carried", base, passage.point, f"joint {passage.name} carried by the body before"
    )
    a, alpha, turning = at_joint, base.alpha, base.omega
    free = iter(accelerations or ())
    for k, freedom in enumerate(passage.freedoms):
        grown = freedom.acceleration if freedom.acceleration is not None else next(free, None)
        if freedom.kind == "P":
            moving = d.vector(f"{name}_slide{k}", freedom.axis * freedom.rate, "sliding velocity", "m/s")
            a = a + turning.cross(moving) * TWO
            a = a if grown is None else a + freedom.axis * grown
        else:
            turn = d.vector(f"{name}_turn{k}", freedom.axis * freedom.rate, "turning velocity", "rad/s")
            alpha = alpha + turning.cross(turn)
            alpha = alpha if grown is None else alpha + freedom.axis * grown
            turning = d.vector(f"{name}_omega{k}", turning + turn, "angular velocity after this freedom", "rad/s")
    alpha = d.vector(f"{name}_alpha", alpha, f"angular acceleration after joint {passage.name}", "rad/s^2")
    a = d.vector(f"{name}_a", a, f"acceleration after joint {passage.name}, at the joint", "m/s^2")
    return SpatialMotion(passage.point, base.v, omega, a, alpha)


@dataclass(frozen=True)
class LinearTriple:
    """The factorised system x1 g1 + x2 g2 + x3 g3 = rhs: rows of the inverse."""

    rows: tuple[Vector, Vector, Vector]

    def solve(self, rhs: Vector) -> tuple[Expr, Expr, Expr]:
        """Return (x1, x2, x3)."""
        first, second, third = self.rows
        return first.dot(rhs), second.dot(rhs), third.dot(rhs)


def column(freedom_kind: Kind, axis: Vector, point: Vector, end: Vector) -> Vector:
    """Return how the chain's end moves per unit rate of a freedom."""
    return axis.cross(end - point) if freedom_kind == "R" else axis


def linear_triple(d: Derivation, columns: Sequence[Vector], meaning: str) -> LinearTriple:
    """Factorise the 3 x 3 system of the rates once, by the cross products of its columns.

    Its determinant, scaled by the columns' lengths, is zero where branches meet.
    """
    with d.part("geometry"):
        g1, g2, g3 = columns
        c1 = d.vector("cross23", g2.cross(g3), "normal of the second and third column")
        c2 = d.vector("cross31", g3.cross(g1), "normal of the third and first column")
        c3 = d.vector("cross12", g1.cross(g2), "normal of the first and second column")
        det = d.scalar("det", g1.dot(c1), f"determinant of {meaning}")
        lengths = [d.scalar(f"length{k}", g.dot(g), f"squared length of column {k}") for k, g in enumerate(columns, 1)]
        size = d.scalar(
            "size", sqrt(lengths[0] * lengths[1] * lengths[2]), "product of the columns' lengths, to compare with"
        )
        d.guard(absolute(det), ">", SINGULAR_TOLERANCE * size, Status.SINGULAR, "branches meet: no rates")
        i_det = d.scalar("i_det", 1 / det, "reciprocal of the determinant")
        rows = tuple(d.vector(f"row{k}", c * i_det, f"row {k} of the inverse") for k, c in enumerate((c1, c2, c3), 1))
    with d.part("condition"):
        total = d.scalar("norm2", lengths[0] + lengths[1] + lengths[2], "squared Frobenius norm of the system")
        inverse = d.scalar("inverse2", c1.dot(c1) + c2.dot(c2) + c3.dot(c3), "the same of its adjugate")
        give_condition(d, sqrt(total * inverse) / absolute(det))
    return LinearTriple((rows[0], rows[1], rows[2]))
