"""The rates of a planar platform that three legs hold: a 3 x 3 system in v_x, v_y and omega.

Each leg keeps one force from doing work on the platform: along a link with two revolute pairs, across a slide through
the centre of the leg's revolute pair; a leg of two slides keeps a couple. With f_i that unit force, C_i a point of its
line, r_i = C_i - p and m_i = r_i x f_i the platform's reference point p and its angle move by

    f_i . v + m_i omega = g_i                    (a couple: f_i = 0, m_i = 1)
    f_i . a + m_i alpha = g_i'

where g_i is what the leg does of its own. det = m_1 (f_2 x f_3) - m_2 (f_1 x f_3) + m_3 (f_1 x f_2) vanishes where the
three lines meet in one point, or are parallel.

Source: virtual work; singularity: Merlet, Parallel Robots, 2006, chapter 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, SINGULAR_TOLERANCE, SMALL_LENGTH, ZERO, Expr, absolute, is_number, is_zero, sqrt
from symgen.derive.blocks.planar import give_condition
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status

Three = tuple[Vector, Vector, Vector]
NO_FORCE = Vector((ZERO, ZERO))


@dataclass(frozen=True)
class ForceLine:
    """What a leg keeps from doing work: a unit force and the arm from the reference point to its line, or a couple."""

    force: Vector
    arm: Vector

    @property
    def is_couple(self) -> bool:
        """Whether there is no force."""
        return all(is_zero(x) for x in self.force)

    @property
    def moment(self) -> Expr:
        """Moment about the reference point."""
        return ONE if self.is_couple else self.arm.area(self.force)


@dataclass(frozen=True)
class PlatformSystem:
    """The factorised system of the platform's rates."""

    forces: Three
    moments: tuple[Expr, Expr, Expr]
    areas: tuple[Expr, Expr, Expr]
    inverse: Expr

    def solve(self, d: Derivation, name: str, g1: Expr, g2: Expr, g3: Expr) -> tuple[Vector, Expr]:
        """Return what the reference point and the angle do, given named right sides; steps are called `<name>_1` ..."""
        return solution(d, name, (self.forces, self.moments, self.areas), (g1, g2, g3), self.inverse)


def determinant(moments: Sequence[Expr], areas: Sequence[Expr]) -> Expr:
    """Return the determinant; `areas` are f_1 x f_2, f_1 x f_3, f_2 x f_3."""
    (m1, m2, m3), (x12, x13, x23) = moments, areas
    return m1 * x23 - m2 * x13 + m3 * x12


def areas_of(forces: Three) -> tuple[Expr, Expr, Expr]:
    """Return f_1 x f_2, f_1 x f_3 and f_2 x f_3."""
    f1, f2, f3 = forces
    return f1.area(f2), f1.area(f3), f2.area(f3)


def solution(
    d: Derivation,
    name: str,
    system: tuple[Three, Sequence[Expr], Sequence[Expr]],
    right: tuple[Expr, Expr, Expr],
    inverse: Expr,
) -> tuple[Vector, Expr]:
    """Return (v, omega) by Cramer's rule; `inverse` is the reciprocal of the determinant."""
    (f1, f2, f3), (m1, m2, m3), (x12, x13, x23) = system
    g1, g2, g3 = right
    turn = (g1 * x23 - g2 * x13 + g3 * x12) * inverse
    b1, b2, b3 = (
        value if is_number(value) else d.scalar(f"{name}_{k}", value, f"right sides without the turning, force {k}")
        for k, value in enumerate((m3 * g2 - m2 * g3, m1 * g3 - m3 * g1, m2 * g1 - m1 * g2), 1)
    )
    moved = f1 * b1 + f2 * b2 + f3 * b3
    return moved.turned() * inverse, turn


def platform_system(d: Derivation, lines: Sequence[ForceLine]) -> PlatformSystem:
    """Factorise the system once for velocities and accelerations; forces and arms are named."""
    f1, f2, f3 = (line.force for line in lines)
    forces: Three = (f1, f2, f3)
    with d.part("geometry"):
        m1, m2, m3 = (
            line.moment
            if is_number(line.moment)
            else d.scalar(f"moment{k}", line.moment, f"moment of the force of leg {k}", "m")
            for k, line in enumerate(lines, 1)
        )
        names = (("12", "first force x second"), ("13", "first force x third"), ("23", "second force x third"))
        x12, x13, x23 = (
            value if is_number(value) else d.scalar(f"x{name}", value, text)
            for value, (name, text) in zip(areas_of(forces), names, strict=True)
        )
        det = d.scalar("det", determinant((m1, m2, m3), (x12, x13, x23)), "determinant of the system of rates", "m")
        arms = ZERO
        for line in lines:
            arms = arms + line.arm.dot(line.arm)
        couples = [line for line in lines if line.is_couple]
        arm2 = ONE if couples else d.scalar("arm2", arms, "squared size of the platform", "m^2")
        size = ONE if couples else d.scalar("size", sqrt(arm2), "value that the determinant is compared with", "m")
        if not couples:
            d.guard(size, ">", SMALL_LENGTH, Status.BAD_INPUT, "the legs have zero size")
        d.guard(absolute(det), ">", SINGULAR_TOLERANCE * size, Status.SINGULAR, "the legs' lines meet: no rates")
        inverse = d.scalar("i_det", 1 / det, "reciprocal of the determinant", "1/m")
    with d.part("condition"):
        unit = ONE if couples else arm2
        own2 = d.scalar("own2", _squares(forces) + (m1 * m1 + m2 * m2 + m3 * m3) / unit, "squared size of the system")
        rests = ((f1 * m3 - f3 * m1, "13"), (f1 * m2 - f2 * m1, "12"), (f2 * m3 - f3 * m2, "23"))
        named = [d.vector(f"rest{k}", rest, "two forces without the platform's turning", "m") for rest, k in rests]
        moved = d.scalar("moved2", _squares(named), "part of the moving in the adjoint", "m^2")
        areas2 = x12 * x12 + x13 * x13 + x23 * x23
        adjoint2 = d.scalar("adjoint2", areas2 * unit + moved, "squared size of the adjoint", "m^2")
        give_condition(d, sqrt(own2 * adjoint2) / absolute(det))
    return PlatformSystem(forces, (m1, m2, m3), (x12, x13, x23), inverse)


def _squares(vectors: Sequence[Vector]) -> Expr:
    total = ZERO
    for vector in vectors:
        total = total + vector.dot(vector)
    return total
