"""Legs of a planar platform with a slide: a line fixed outside, or a line on the platform.

Source: see `symgen.derive.planar.triad_legs`.
"""

from __future__ import annotations

from symgen.algebra import ONE, TWO, ZERO, Expr, absolute
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity
from symgen.derive.blocks.platform import ForceLine
from symgen.derive.blocks.trigonometric import LinearForm, linear_form
from symgen.derive.derivation import Derivation
from symgen.derive.planar.triad_legs import NOWHERE, Equation, Kind, LinkLeg, SolvedPlatform, TriadLeg
from symgen.derive.vectors import Vector

CONSTANT_ONE = LinearForm(ONE, ZERO, ZERO, ZERO, ZERO)
VANISHING = LinearForm(ZERO, ZERO, ZERO, ZERO, ZERO)


class OuterLineLeg(TriadLeg):
    """A line fixed outside, along which a point of the platform runs."""

    kind: Kind = "pr"

    def declare_place(self, d: Derivation) -> None:
        """Declare the line."""
        k, word = self.k, self.word
        self.c = d.input_vector(f"c{k}", 2, meaning=f"point of the {word} leg's line, moving with its body", unit="m")
        self.n = d.input_vector(f"n{k}", 2, meaning=f"direction of the {word} leg's line", unit="1", range="unit")

    def guard(self, d: Derivation) -> None:
        """Refuse a direction that is not of unit length."""
        d.guard_unit(f"n{self.k}", self.n.dot(self.n), f"the direction n{self.k}")

    def declare_velocity(self, d: Derivation) -> None:
        """Declare the velocity of the line."""
        k, word = self.k, self.word
        self.v = d.input_vector(f"v_c{k}", 2, meaning=f"velocity of the {word} line's point", unit="m/s")
        self.w = d.input_scalar(f"omega_c{k}", meaning=f"angular velocity of the {word} line", unit="rad/s")

    def declare_acceleration(self, d: Derivation) -> None:
        """Declare the acceleration of the line."""
        k, word = self.k, self.word
        self.acc = d.input_vector(f"a_c{k}", 2, meaning=f"acceleration of the {word} line's point", unit="m/s^2")
        self.b = d.input_scalar(f"alpha_c{k}", meaning=f"angular acceleration of the {word} line", unit="rad/s^2")

    @property
    def anchor(self) -> Vector:
        """Point of the line."""
        return self.c

    def extent(self, d: Derivation, origin: Vector) -> Expr:
        """Name the height of the line over o."""
        self.height = ZERO
        if self.k > 1:
            text = f"height of the {self.word} line over the first leg's fixed point"
            self.height = d.scalar(f"base{self.k}", self.n.area(self.c - origin), text, "m")
        return absolute(self.height) + self.arm.size()

    def scale(self, d: Derivation, i_unit: Expr) -> None:
        """Name height and arm."""
        self.g, self.e = ZERO, NOWHERE
        if self.k > 1:
            self.g = d.scalar(f"g{self.k}", self.height * i_unit, f"{self.word} height, in that unit")
            self.e = d.vector(f"arm_{self.k}", self.arm * i_unit, f"{self.word} arm, in that unit")

    def equation(self, d: Derivation, first: TriadLeg) -> Equation:
        """The point's height over the line vanishes."""
        normal = self.n.turned()
        if self.k == 1:
            return Equation(normal, NOWHERE, CONSTANT_ONE, VANISHING)
        h = linear_form(d, f"h{self.k}", (-self.g, normal.dot(self.e), self.e.area(normal)), f"h_{self.k}")
        return Equation(normal, NOWHERE, CONSTANT_ONE, h)

    def line(self, d: Derivation, at: SolvedPlatform) -> ForceLine:
        """Name the arm of the line across the slide."""
        self.lever = NOWHERE
        if self.k > 1:
            self.lever = d.vector(f"lever{self.k}", at.turned(self.e), f"{self.word} arm, turned")
        return ForceLine(self.n.turned(), self.lever)

    def lack(self, at: SolvedPlatform) -> Expr:
        """Return the height of the point over the line, reversed."""
        return self.g - self.n.area(at.p + self.lever)

    def place(self, d: Derivation, p: Vector, at: SolvedPlatform) -> None:
        """Name arm and reach."""
        text = f"from the reference point to the {self.word} leg's point on the platform"
        self.r = NOWHERE if self.k == 1 else d.vector(f"r{self.k}", at.turned(self.arm), text, "m")
        self.reach = d.vector(f"reach{self.k}", p + self.r - self.c, f"from the line's point to it, leg {self.k}", "m")

    def slide(self) -> Expr:
        """Return the place of the point on the line."""
        return self.n.dot(self.reach)

    def offset(self) -> Expr:
        """Return the height of the point over the line."""
        return self.n.area(self.reach)

    @property
    def world_line(self) -> ForceLine:
        """The line across the slide."""
        return ForceLine(self.n.turned(), self.r)

    def opened(self) -> Expr:
        """Return the velocity of the line across itself."""
        return self.n.turned().dot(carried_velocity(self.v, self.w, self.reach))

    def give_rate(self, d: Derivation, v_p: Vector, omega: Expr) -> None:
        """Name the slide rate."""
        tip = carried_velocity(v_p, omega, self.r) - carried_velocity(self.v, self.w, self.reach)
        self.rate = d.scalar(f"rate_{self.k}", self.n.dot(tip), f"slide rate of leg {self.k}", "m/s")

    def opened_twice(self, omega2: Expr, omega: Expr) -> Expr:
        """Return the right side for accelerations, with the Coriolis part."""
        carried = carried_acceleration(self.acc, self.b, self.w * self.w, self.reach) + self.r * omega2
        return self.n.turned().dot(carried) + TWO * self.w * self.rate

    def acceleration(self, a_p: Vector, alpha: Expr, omega2: Expr) -> Expr:
        """Return the slide acceleration."""
        tip = carried_acceleration(a_p, alpha, omega2, self.r)
        return self.n.dot(tip - carried_acceleration(self.acc, self.b, self.w * self.w, self.reach))


class InnerLineLeg(TriadLeg):
    """A line on the platform, along which a fixed point runs."""

    kind: Kind = "rp"

    def declare_place(self, d: Derivation) -> None:
        """Declare the fixed point and the line's direction."""
        k, word = self.k, self.word
        self.a = d.input_vector(f"a{k}", 2, meaning=f"point that runs along the {word} leg's line", unit="m")
        text = f"direction of the {word} leg's line"
        self.m = d.input_vector(f"m{k}", 2, meaning=text, unit="1", frame="platform", range="unit")

    def guard(self, d: Derivation) -> None:
        """Refuse a direction that is not of unit length."""
        d.guard_unit(f"m{self.k}", self.m.dot(self.m), f"the direction m{self.k}")

    def declare_velocity(self, d: Derivation) -> None:
        """Declare the velocity of the point."""
        self.v = d.input_vector(f"v_a{self.k}", 2, meaning=f"velocity of the {self.word} leg's point", unit="m/s")

    def declare_acceleration(self, d: Derivation) -> None:
        """Declare the acceleration of the point."""
        text = f"acceleration of the {self.word} leg's point"
        self.acc = d.input_vector(f"a_a{self.k}", 2, meaning=text, unit="m/s^2")

    @property
    def anchor(self) -> Vector:
        """The point."""
        return self.a

    def extent(self, d: Derivation, origin: Vector) -> Expr:
        """Name the base and the height of the line over the reference point."""
        self.base, self.height = NOWHERE, ZERO
        if self.k > 1:
            text = f"from the first leg's fixed point to the {self.word} one"
            self.base = d.vector(f"base{self.k}", self.a - origin, text, "m")
            text = f"height of the {self.word} line over the reference point"
            self.height = d.scalar(f"height{self.k}", self.m.area(self.arm), text, "m")
        return self.base.size() + absolute(self.height)

    def scale(self, d: Derivation, i_unit: Expr) -> None:
        """Name base and height."""
        self.g, self.e = NOWHERE, ZERO
        if self.k > 1:
            self.g = d.vector(f"g{self.k}", self.base * i_unit, f"{self.word} base, in that unit")
            self.e = d.scalar(f"arm_{self.k}", self.height * i_unit, f"{self.word} height, in that unit")

    def equation(self, d: Derivation, first: TriadLeg) -> Equation:
        """The height of the point over the line vanishes."""
        normal = self.m.turned()
        if self.k == 1:
            return Equation(NOWHERE, normal, CONSTANT_ONE, VANISHING)
        values = (self.e, -normal.dot(self.g), -normal.area(self.g))
        return Equation(NOWHERE, normal, CONSTANT_ONE, linear_form(d, f"h{self.k}", values, f"h_{self.k}"))

    def line(self, d: Derivation, at: SolvedPlatform) -> ForceLine:
        """Name the line across the slide through the point."""
        self.push = d.vector(f"push{self.k}", at.turned(self.m).turned(), f"normal of the {self.word} line, turned")
        self.lever = d.vector(f"lever{self.k}", self.g - at.p, "from the reference point to the fixed one")
        return ForceLine(self.push, self.lever)

    def lack(self, at: SolvedPlatform) -> Expr:
        """Return the height of the point over the line."""
        return self.push.dot(self.lever) - self.e

    def place(self, d: Derivation, p: Vector, at: SolvedPlatform) -> None:
        """Name the slide's direction and the arm to the point."""
        self.n = d.vector(f"n{self.k}", at.turned(self.m), f"direction of leg {self.k}'s line in the world")
        self.r = d.vector(f"r{self.k}", self.a - p, f"from the reference point to the {self.word} leg's point", "m")

    def slide(self) -> Expr:
        """Return the place of the point on the line, from the line's own point."""
        if self.k == 1:
            return self.n.dot(self.r)
        return self.n.dot(self.r) - self.m.dot(self.arm)

    def offset(self) -> Expr:
        """Return the height of the point over the line."""
        return self.n.area(self.r) - self.m.area(self.arm)

    @property
    def world_line(self) -> ForceLine:
        """The line across the slide."""
        return ForceLine(self.n.turned(), self.r)

    def opened(self) -> Expr:
        """Return the velocity of the point across the line."""
        return self.n.turned().dot(self.v)

    def give_rate(self, d: Derivation, v_p: Vector, omega: Expr) -> None:
        """Name the slide rate of the point on the platform."""
        value = self.n.dot(self.v - carried_velocity(v_p, omega, self.r))
        self.rate = d.scalar(f"rate_{self.k}", value, f"slide rate of leg {self.k}", "m/s")

    def opened_twice(self, omega2: Expr, omega: Expr) -> Expr:
        """Return the right side for accelerations, with the Coriolis part."""
        return self.n.turned().dot(self.acc + self.r * omega2) - TWO * omega * self.rate

    def acceleration(self, a_p: Vector, alpha: Expr, omega2: Expr) -> Expr:
        """Return the slide acceleration."""
        return self.n.dot(self.acc - carried_acceleration(a_p, alpha, omega2, self.r))


LEG_TYPES: dict[Kind, type[TriadLeg]] = {"rr": LinkLeg, "pr": OuterLineLeg, "rp": InnerLineLeg}
