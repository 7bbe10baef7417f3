"""Velocities and accelerations along the pairs of a planar group.

A body's motion is told by that of one of its points and its turning. Passing a revolute pair at its centre keeps the
point and changes the turning; passing a slide n adds its rate:

    v' = v + n q',    a' = a + n q'' + 2 omega q' J n

Source: kinematics of relative motion, textbook.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from symgen.algebra import TWO, ZERO, Expr, is_zero
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity
from symgen.derive.planar.group import PlanarGroup
from symgen.derive.planar.pairs import Pair, PassedPair, is_pin
from symgen.derive.planar_group import ACCELERATION_UNIT, TWIST_UNIT
from symgen.derive.vectors import Vector

#: Rate (or acceleration) of a pair's coordinate.
Rates = Callable[[Pair], Expr]


@dataclass(frozen=True)
class Twist:
    """Velocity of the body's point at a place, and its angular velocity."""

    at: Vector
    v: Vector
    omega: Expr

    def velocity_at(self, point: Vector) -> Vector:
        """Return the velocity of the body's point at a world position."""
        return self.v if point is self.at else carried_velocity(self.v, self.omega, point - self.at)


@dataclass(frozen=True)
class Growth:
    """Acceleration of the body's point at a place, and its angular acceleration and velocity."""

    at: Vector
    a: Vector
    alpha: Expr
    omega: Expr

    def acceleration_at(self, point: Vector) -> Vector:
        """Return the acceleration of the body's point at a world position."""
        if point is self.at:
            return self.a
        return carried_acceleration(self.a, self.alpha, self.omega * self.omega, point - self.at)


class PlanarMotions:
    """Motions of the bodies of a group, as far as they are named."""

    def __init__(self, group: PlanarGroup) -> None:
        self.group, self.d = group, group.d
        self.twists = {name: Twist(k.r, k.v, k.omega) for name, k in group.known.items()}
        self.growths = {name: Growth(k.r, k.a, k.alpha, k.omega) for name, k in group.known.items()}

    def driven_rate(self, pair: Pair) -> Expr:
        """Return the rate of a driven pair; zero for a free one."""
        return self.group.drives[pair][1] if pair.driven else ZERO

    def driven_acceleration(self, pair: Pair) -> Expr:
        """Return the acceleration of a driven pair; zero for a free one."""
        return self.group.drives[pair][2] if pair.driven else ZERO

    def rate(self, pair: Pair) -> Expr:
        """Return the rate of any pair: that of a free one is a step of the velocities."""
        return self.driven_rate(pair) if pair.driven else self.d.promise(f"qd_{pair.name}")

    # -- passing pairs -----------------------------------------------------------------------------------------------

    def passed(self, twist: Twist, way: Sequence[PassedPair], rates: Rates, name: str) -> Twist:
        """Return the twist after some pairs; steps of it are called `v_<pair>_<name>`."""
        for step in way:
            rate = rates(step.pair) if step.forward else -rates(step.pair)
            if step.pair.type == "R":
                centre = self.group.centre(step.pair)
                v = self._named(
                    f"v_{step.pair.joint}_{name}", twist.velocity_at(centre), f"velocity of {step.pair.joint}"
                )
                twist = Twist(centre, v, twist.omega + rate)
            elif not is_zero(rate):
                twist = Twist(twist.at, twist.v + self.group.direction(step.pair) * rate, twist.omega)
        return twist

    def grown(self, growth: Growth, way: Sequence[PassedPair], accelerations: Rates, name: str) -> Growth:
        """Return the acceleration after some pairs, whose rates are all known; steps are called `a_<pair>_<name>`."""
        for step in way:
            sign = 1 if step.forward else -1
            second = accelerations(step.pair) * sign
            if step.pair.type == "R":
                centre = self.group.centre(step.pair)
                text = f"acceleration of {step.pair.joint}, {name}"
                a = self._named(f"a_{step.pair.joint}_{name}", growth.acceleration_at(centre), text)
                if step.end in self.twists:
                    omega = self.twists[step.end].omega
                else:
                    value = growth.omega + self.rate(step.pair) * sign
                    text = f"angular velocity after {step.pair.joint}"
                    omega = self.d.scalar(f"omega_{step.end}_{name}", value, text, "rad/s")
                growth = Growth(centre, a, growth.alpha + second, omega)
            else:
                n, rate = self.group.direction(step.pair), self.rate(step.pair) * sign
                a = growth.a + n * second + n.turned() * (TWO * growth.omega * rate)
                a = self._named(f"a_{step.pair.joint}_slid_{name}", a, f"acceleration after {step.pair.joint}, {name}")
                growth = Growth(growth.at, a, growth.alpha, growth.omega)
        return growth

    def _named(self, name: str, value: Vector, meaning: str) -> Vector:
        return self.d.vector(name, value, meaning)

    # -- bodies ------------------------------------------------------------------------------------------------------

    def give_twist(self, body: str, twist: Twist) -> None:
        """Name and give a body's twist."""
        d, r = self.d, self.group.bodies[body].r
        omega = d.scalar(f"omega_{body}", twist.omega, f"angular velocity of {body}", "rad/s")
        v = d.vector(f"v_{body}", twist.velocity_at(r), f"velocity of the origin of {body}", "m/s")
        d.output(f"v_{body}", (*v, omega), meaning=f"twist of unknown body {body}", unit=TWIST_UNIT)
        self.twists[body] = Twist(r, v, omega)

    def give_growth(self, body: str, growth: Growth) -> None:
        """Name and give a body's acceleration; its twist is named."""
        d, r, omega = self.d, self.group.bodies[body].r, self.twists[body].omega
        alpha = d.scalar(f"alpha_{body}", growth.alpha, f"angular acceleration of {body}", "rad/s^2")
        exact = Growth(growth.at, growth.a, alpha, omega)
        a = d.vector(f"a_{body}", exact.acceleration_at(r), f"acceleration of the origin of {body}", "m/s^2")
        d.output(f"a_{body}", (*a, alpha), meaning=f"acceleration of unknown body {body}", unit=ACCELERATION_UNIT)
        self.growths[body] = Growth(r, a, alpha, omega)

    def follow_twists(self, start: Twist, way: Sequence[PassedPair], rates: Rates, name: str) -> None:
        """Give the twists of all unknown bodies along a way, and of what hangs on their links."""
        twist = start
        for step in way:
            twist = self.passed(twist, (step,), rates, name)
            if not is_pin(step.end) and step.end not in self.twists:
                self.give_twist(step.end, twist)
                twist = self.twists[step.end]

    def follow_growths(self, start: Growth, way: Sequence[PassedPair], accelerations: Rates, name: str) -> None:
        """Give the accelerations of all unknown bodies along a way."""
        growth = start
        for step in way:
            growth = self.grown(growth, (step,), accelerations, name)
            if not is_pin(step.end) and step.end not in self.growths:
                self.give_growth(step.end, growth)
                growth = self.growths[step.end]

    def spread_twists(self, base: str) -> None:
        """Give the twists of the other bodies of a link whose base has its."""
        links = self.group.links
        for body in links.members(base):
            if body not in self.twists and not is_pin(body):
                self.follow_twists(self.twists[base], links.path(base, body), self.driven_rate, f"to_{body}")

    def spread_growths(self, base: str) -> None:
        """Give the accelerations of the other bodies of a link."""
        links = self.group.links
        for body in links.members(base):
            if body not in self.growths and not is_pin(body):
                way = links.path(base, body)
                self.follow_growths(self.growths[base], way, self.driven_acceleration, f"to_{body}")

    # -- coordinates -------------------------------------------------------------------------------------------------

    def give_rates(self) -> None:
        """Name and give the rates of all free coordinates, from the twists of the bodies."""
        for slot in self.group.slots:
            first, second = (self.twists[body] for body in slot.bodies)
            values = {"angle": second.omega - first.omega}
            if "slide" in slot.free:
                point, n = self._contact(slot.name)
                values["slide"] = n.dot(second.velocity_at(point) - first.velocity_at(point))
            self.group.give("qd", slot, values, "/s", " rate")

    def give_accelerations(self) -> None:
        """Name and give the accelerations of all free coordinates; what Coriolis adds is across the slide."""
        for slot in self.group.slots:
            first, second = (self.growths[body] for body in slot.bodies)
            values = {"angle": second.alpha - first.alpha}
            if "slide" in slot.free:
                point, n = self._contact(slot.name)
                values["slide"] = n.dot(second.acceleration_at(point) - first.acceleration_at(point))
            self.group.give("qdd", slot, values, "/s^2", " acceleration")

    def _contact(self, joint: str) -> tuple[Vector, Vector]:
        """Return the pin of an L, or the origin of a slide's second body; and the direction of the slide."""
        mine = [pair for pair in self.group.pairs if pair.joint == joint]
        slide = next(pair for pair in mine if pair.type == "P")
        turns = [pair for pair in mine if pair.type == "R"]
        point = self.group.centre(turns[0]) if turns else self.group.bodies[slide.second].r
        return point, self.group.direction(slide)
