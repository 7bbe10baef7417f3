"""The rates of a planar platform on three legs of constant length: a 3 x 3 system in v_x, v_y and omega.

The platform's point b_i is the tip of leg i, u_i the leg from its known centre a_i to the tip, and r_i the arm from the
first tip to tip i. A leg keeps its length:

    (v + omega J r_i) . u_i = v_ai . u_i                                        velocity v of the first tip
    (a + alpha J r_i) . u_i = (a_ai + omega^2 r_i) . u_i - omega_i^2 |u_i|^2    acceleration a of the first tip

With r_1 = 0 and m_i = r_i x u_i Cramer's rule is short: det = m_3 (u_1 x u_2) - m_2 (u_1 x u_3). It vanishes where the
lines of the three legs meet in one point, or are parallel.

Source: kinematics of relative motion; singularity: Merlet, Parallel Robots, 2006, chapter 6.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import SINGULAR_TOLERANCE, Expr, absolute, sqrt
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity, give_condition
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status

Three = tuple[Vector, Vector, Vector]


@dataclass(frozen=True)
class PlatformSystem:
    """The factorised system of the platform's rates.

    `legs` are u_1 to u_3, `arms` r_2 and r_3, `squares` the squared lengths of the legs.
    """

    legs: Three
    arms: tuple[Vector, Vector]
    squares: tuple[Expr, Expr, Expr]
    areas: tuple[Expr, Expr, Expr]
    arm_areas: tuple[Expr, Expr]
    rest: Vector
    inverse: Expr

    def solve(self, g1: Expr, g2: Expr, g3: Expr) -> tuple[Vector, Expr]:
        """Return what the first tip and the angle do, given named right sides."""
        (u1, _, _), (x12, x13, x23), (m2, m3) = self.legs, self.areas, self.arm_areas
        turn = (g1 * x23 - g2 * x13 + g3 * x12) * self.inverse
        g23 = m3 * g2 - m2 * g3
        moved = u1.turned() * g23 - self.rest.turned() * g1
        return moved * self.inverse, turn

    def opened(self, motion: Three) -> tuple[Expr, Expr, Expr]:
        """Return the right sides for the velocities of the legs' centres."""
        one, two, three = (v.dot(u) for v, u in zip(motion, self.legs, strict=True))
        return one, two, three

    def opened_twice(self, motion: Three, omega2: Expr, turns2: tuple[Expr, ...]) -> tuple[Expr, Expr, Expr]:
        """Return the right sides for the accelerations of the centres; squared angular velocities are given."""
        (first, second, third), (r2, r3) = motion, self.arms
        one, two, three = self.opened((first, second + r2 * omega2, third + r3 * omega2))
        s1, s2, s3 = (n * square for n, square in zip(turns2, self.squares, strict=True))
        return one - s1, two - s2, three - s3

    def tips(self, first: Vector, turn: Expr) -> Three:
        """Return the velocities of all tips from that of the first and the angular velocity."""
        r2, r3 = self.arms
        return first, carried_velocity(first, turn, r2), carried_velocity(first, turn, r3)

    def tip_accelerations(self, first: Vector, turn: Expr, omega2: Expr) -> Three:
        """Return the accelerations of all tips from that of the first and the platform's angular motion."""
        r2, r3 = self.arms
        return first, carried_acceleration(first, turn, omega2, r2), carried_acceleration(first, turn, omega2, r3)

    def leg_turns(self, tips: Three, centres: Three) -> tuple[Expr, ...]:
        """Return angular velocities (accelerations) of the legs from velocities (accelerations) of their ends."""
        ends = zip(self.legs, tips, centres, self.squares, strict=True)
        return tuple(u.area(tip - centre) / square for u, tip, centre, square in ends)


def platform_system(d: Derivation, legs: Three, arms: tuple[Vector, Vector]) -> PlatformSystem:
    """Factorise the system once for velocities and accelerations; legs and arms are named."""
    (u1, u2, u3), (r2, r3) = legs, arms
    with d.part("geometry"):
        x12 = d.scalar("x12", u1.area(u2), "first leg x second leg", "m^2")
        x13 = d.scalar("x13", u1.area(u3), "first leg x third leg", "m^2")
        x23 = d.scalar("x23", u2.area(u3), "second leg x third leg", "m^2")
        m2 = d.scalar("m2", r2.area(u2), "second arm x second leg", "m^2")
        m3 = d.scalar("m3", r3.area(u3), "third arm x third leg", "m^2")
        rest = d.vector("rest", u2 * m3 - u3 * m2, "legs two and three without the platform's turning", "m^3")
        det = d.scalar("det", m3 * x12 - m2 * x13, "determinant of the system of rates", "m^4")
        first, second, third = (
            d.scalar(f"u{k}_2", u.dot(u), f"squared length of leg {k}", "m^2") for k, u in enumerate(legs, start=1)
        )
        arm2 = d.scalar("arm2", r2.dot(r2) + r3.dot(r3), "squared size of the platform", "m^2")
        size = d.scalar("size", sqrt(first * second * third * arm2), "what the determinant is compared with", "m^4")
        d.guard(absolute(det), ">", SINGULAR_TOLERANCE * size, Status.SINGULAR, "the legs' lines meet: no rates")
        inverse = d.scalar("i_det", 1 / det, "reciprocal of the determinant", "1/m^4")
    with d.part("condition"):
        turning = d.scalar("turning", m2 * m2 + m3 * m3, "part of the turning in the system", "m^4")
        own2 = d.scalar("own2", first + second + third + turning / arm2, "its squared size, turning in arms", "m^2")
        areas2 = x12 * x12 + x13 * x13 + x23 * x23
        adjoint2 = d.scalar(
            "adjoint2", areas2 * arm2 + rest.dot(rest) + first * turning, "squared size of the adjoint", "m^6"
        )
        give_condition(d, sqrt(own2 * adjoint2) / absolute(det))
    return PlatformSystem(legs, arms, (first, second, third), (x12, x13, x23), (m2, m3), rest, inverse)
