"""The legs of a planar platform, each with its equation: what a class III triad is made of.

A leg joins a known body to the platform by two pairs and takes away one freedom. With p the reference point of the
platform, o a fixed point, P = p - o and R the turn of the platform, a leg says w . P = -h, where

    rr  two revolute pairs, length l:    w = R d - (a - o),   2 h = |w|^2 + l_1^2 - l^2   (leg 1 is such a leg: P)
    pr  line fixed outside, normal n':   w = n',              h = n' . (R d - (c - o))
    rp  line on the platform, normal m': w = R m',            h = m' . d - w . (a - o)

d is the leg's point on the platform, from that of leg 1; a the centre of its outer revolute pair; c a point of the line
that d runs along; n' and m' are the directions n and m of the lines, turned by a quarter. w is a constant plus a turned
constant, so sums of products of two of them are linear in (1, cos, sin) of the platform's angle.

Source: docs/closed-forms.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from symgen.algebra import HALF, ONE, SMALL_LENGTH, TWO, ZERO, Expr
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity
from symgen.derive.blocks.platform import ForceLine
from symgen.derive.blocks.trigonometric import LinearForm, linear_form
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status

Kind = Literal["rr", "pr", "rp"]
WORDS = ("first", "second", "third")
NOWHERE = Vector((ZERO, ZERO))


@dataclass(frozen=True)
class Equation:
    """w . P = -h with w = constant + R turned; `square` is |w|^2."""

    constant: Vector
    turned: Vector
    square: LinearForm
    h: LinearForm

    def dot(self, other: Equation) -> tuple[Expr, Expr, Expr]:
        """Return the coefficients of w . w'."""
        c, t, c2, t2 = self.constant, self.turned, other.constant, other.turned
        return c.dot(c2) + t.dot(t2), c.dot(t2) + c2.dot(t), t2.area(c) + t.area(c2)

    def area(self, other: Equation) -> tuple[Expr, Expr, Expr]:
        """Return the coefficients of w x w'."""
        c, t, c2, t2 = self.constant, self.turned, other.constant, other.turned
        return c.area(c2) + t.area(t2), c.area(t2) - c2.area(t), c.dot(t2) - c2.dot(t)

    def at(self, cosine: Expr, sine: Expr) -> Vector:
        """Return w at the angle with this cosine and sine."""
        return self.constant + turn(cosine, sine, self.turned)


def turn(cosine: Expr, sine: Expr, local: Vector) -> Vector:
    """Return R times a vector of the platform."""
    return Vector((cosine * local[0] - sine * local[1], sine * local[0] + cosine * local[1]))


@dataclass(frozen=True)
class SolvedPlatform:
    """A solved platform: cosine and sine of its angle, and P; `tip` is a leg's point of the platform, from o."""

    cosine: Expr
    sine: Expr
    p: Vector

    def turned(self, local: Vector) -> Vector:
        """Return a vector of the platform in the world."""
        return turn(self.cosine, self.sine, local)


class TriadLeg(ABC):
    """A leg between world elements of its known body and a point of the platform; `k` counts from 1."""

    kind: Kind

    def __init__(self, d: Derivation, k: int) -> None:
        self.k, self.word = k, WORDS[k - 1]
        self.rate: Expr = ZERO
        self.arm = NOWHERE
        self.declare_place(d)

    # -- ports -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def declare_place(self, d: Derivation) -> None:
        """Declare where the leg starts."""

    def declare_arm(self, d: Derivation) -> None:
        """Declare the leg's point on the platform, unless it is the reference point."""
        if self.k > 1:
            text = f"from the first to the {self.word} leg's point on the platform"
            self.arm = d.input_vector(f"d{self.k}", 2, meaning=text, unit="m", frame="platform")

    def declare_length(self, d: Derivation) -> None:
        """Declare the leg's length, if it has one."""
        return

    @abstractmethod
    def guard(self, d: Derivation) -> None:
        """Refuse what is no leg."""

    @abstractmethod
    def declare_velocity(self, d: Derivation) -> None:
        """Declare the velocity of where it starts."""

    @abstractmethod
    def declare_acceleration(self, d: Derivation) -> None:
        """Declare the acceleration of that."""

    # -- position ----------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def anchor(self) -> Vector:
        """A fixed point of the leg: the origin o, if it is the first one."""

    @abstractmethod
    def extent(self, d: Derivation, origin: Vector) -> Expr:
        """Name the leg's distance from o; return what its lengths sum up to."""

    @abstractmethod
    def scale(self, d: Derivation, i_unit: Expr) -> None:
        """Name the leg's lengths in the unit of the problem."""

    @abstractmethod
    def equation(self, d: Derivation, first: TriadLeg) -> Equation:
        """Name the leg's equation, all in the unit of the problem."""

    @abstractmethod
    def line(self, d: Derivation, at: SolvedPlatform) -> ForceLine:
        """Name the leg's force line in the unit of the problem, a link's force as long as the link."""

    @abstractmethod
    def lack(self, at: SolvedPlatform) -> Expr:
        """Return what the solved platform misses on this leg's equation: f . dP + m dphi makes up for it."""

    @property
    def scale2(self) -> Expr:
        """The size of the terms that cancel in `lack`."""
        return ONE

    # -- rates -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def place(self, d: Derivation, p: Vector, at: SolvedPlatform) -> None:
        """Name the leg in the world, for the rates; the reference point p is given."""

    def slide(self) -> Expr:
        """Return the place of the leg's point on its line."""
        raise NotImplementedError

    def offset(self) -> Expr:
        """Return the height of the leg's point over its line; zero."""
        raise NotImplementedError

    @property
    @abstractmethod
    def world_line(self) -> ForceLine:
        """The leg's force line in the world, of unit length."""

    @abstractmethod
    def opened(self) -> Expr:
        """Return the right side for velocities."""

    @abstractmethod
    def give_rate(self, d: Derivation, v_p: Vector, omega: Expr) -> None:
        """Name the leg's own rate."""

    @abstractmethod
    def opened_twice(self, omega2: Expr, omega: Expr) -> Expr:
        """Return the right side for accelerations."""

    @abstractmethod
    def acceleration(self, a_p: Vector, alpha: Expr, omega2: Expr) -> Expr:
        """Return the acceleration of the leg's coordinate: angle of a link, slide of a line."""


class LinkLeg(TriadLeg):
    """A link of length l between two revolute pairs."""

    kind: Kind = "rr"

    def declare_place(self, d: Derivation) -> None:
        """Declare the centre."""
        self.a = d.input_vector(f"a{self.k}", 2, meaning=f"centre of the {self.word} leg", unit="m")

    def declare_length(self, d: Derivation) -> None:
        """Declare the length."""
        text = f"length of the {self.word} leg"
        self.length = d.input_scalar(f"l{self.k}", meaning=text, unit="m", range="> 1e-50 (float: 1e-6)")

    def guard(self, d: Derivation) -> None:
        """Refuse a leg without length."""
        text = "a leg has no length"
        d.guard(self.length, ">", SMALL_LENGTH, Status.BAD_INPUT, text, when="used", port=f"l{self.k}")

    def declare_velocity(self, d: Derivation) -> None:
        """Declare the velocity of the centre."""
        self.v = d.input_vector(f"v_a{self.k}", 2, meaning=f"velocity of the {self.word} leg's centre", unit="m/s")

    def declare_acceleration(self, d: Derivation) -> None:
        """Declare the acceleration of the centre."""
        text = f"acceleration of the {self.word} leg's centre"
        self.acc = d.input_vector(f"a_a{self.k}", 2, meaning=text, unit="m/s^2")

    @property
    def anchor(self) -> Vector:
        """Centre."""
        return self.a

    def extent(self, d: Derivation, origin: Vector) -> Expr:
        """Name the base."""
        self.base = NOWHERE
        if self.k > 1:
            text = f"from the first leg's fixed point to the {self.word} centre"
            self.base = d.vector(f"base{self.k}", self.a - origin, text, "m")
        return self.length + self.arm.size() + self.base.size()

    def scale(self, d: Derivation, i_unit: Expr) -> None:
        """Name length, base and arm."""
        self.s2 = d.scalar(f"s{self.k}", self.length * i_unit, f"length of leg {self.k}, in that unit")
        self.s2 = d.scalar(f"s{self.k}_2", self.s2 * self.s2, f"squared length of leg {self.k}")
        self.g, self.e = NOWHERE, NOWHERE
        if self.k > 1:
            self.g = d.vector(f"g{self.k}", self.base * i_unit, f"{self.word} base, in that unit")
            self.e = d.vector(f"arm_{self.k}", self.arm * i_unit, f"{self.word} arm, in that unit")

    def equation(self, d: Derivation, first: TriadLeg) -> Equation:
        """Subtract the first leg's square."""
        if not isinstance(first, LinkLeg):
            raise TypeError("the first leg of a triad with links is a link")
        g, e, name = self.g, self.e, f"ww{self.k}"
        values = (e.dot(e) + g.dot(g), -(TWO * e.dot(g)), -(TWO * e.area(g)))
        square = linear_form(d, name, values, f"|w_{self.k}|^2")
        text = f"h_{self.k}"
        constant = d.scalar(f"h{self.k}_0", HALF * (square.constant + first.s2 - self.s2), f"{text}: constant")
        half_c = d.scalar(f"h{self.k}_c2", HALF * square.half_cosine, f"{text}: half the coefficient of the cosine")
        half_s = d.scalar(f"h{self.k}_s2", HALF * square.half_sine, f"{text}: half the coefficient of the sine")
        h = LinearForm(constant, square.half_cosine, square.half_sine, half_c, half_s)
        return Equation(-g, e, square, h)

    def line(self, d: Derivation, at: SolvedPlatform) -> ForceLine:
        """Name the link."""
        lever = NOWHERE
        if self.k > 1:
            lever = d.vector(f"lever{self.k}", at.turned(self.e), f"{self.word} arm, turned")
        self.push = d.vector(f"push{self.k}", at.p + lever - self.g, f"{self.word} leg")
        return ForceLine(self.push, lever)

    def lack(self, at: SolvedPlatform) -> Expr:
        """Return half of what the squared length lacks."""
        return HALF * (self.s2 - self.push.dot(self.push))

    @property
    def scale2(self) -> Expr:
        """Squared length."""
        return self.s2

    def place(self, d: Derivation, p: Vector, at: SolvedPlatform) -> None:
        """Name arm, leg and its direction."""
        text = f"from the reference point to the {self.word} leg's joint on the platform"
        self.r = NOWHERE if self.k == 1 else d.vector(f"r{self.k}", at.turned(self.arm), text, "m")
        self.u = d.vector(f"u{self.k}", p + self.r - self.a, f"{self.word} leg", "m")
        self.i_l = d.scalar(f"i_l{self.k}", 1 / self.length, f"reciprocal of the length of leg {self.k}", "1/m")
        self.f = d.vector(f"f{self.k}", self.u * self.i_l, f"direction of leg {self.k}")

    @property
    def world_line(self) -> ForceLine:
        """The line of the link."""
        return ForceLine(self.f, self.r)

    def opened(self) -> Expr:
        """Return the centre's velocity along the link."""
        return self.f.dot(self.v)

    def give_rate(self, d: Derivation, v_p: Vector, omega: Expr) -> None:
        """Name the angular velocity of the link."""
        value = self.f.area(carried_velocity(v_p, omega, self.r) - self.v) * self.i_l
        self.rate = d.scalar(f"omega_{self.k}", value, f"angular velocity of leg {self.k}", "rad/s")

    def opened_twice(self, omega2: Expr, omega: Expr) -> Expr:
        """Return the right side for accelerations."""
        return self.f.dot(self.acc + self.r * omega2) - self.rate * self.rate * self.length

    def acceleration(self, a_p: Vector, alpha: Expr, omega2: Expr) -> Expr:
        """Return the angular acceleration of the link."""
        return self.f.area(carried_acceleration(a_p, alpha, omega2, self.r) - self.acc) * self.i_l
