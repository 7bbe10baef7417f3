"""The scalar constraints that pairs are made of: value, Jacobian with respect to both twists, and bias.

With o, x, y, z origins and axes of the joint frames on the first (1) and second (2) body, d = o_2 - o_1:

    point   e_k . d = 0         e_k an axis of the world
    place   a_1 . d = u         a_1 an axis of the first frame, u = 0 or a driven slide
    turn    a_1 . b_2 = 0       of axes of the two frames, one of which may be turned by a driven angle
    helix   p (y . x_2) = 0     y = y_1 cos(slide/p) - x_1 sin(slide/p): the angle follows the slide

A row f satisfies f' = J_1 t_1 + J_2 t_2 + rate and f'' = J_1 t_1' + J_2 t_2' + bias for every configuration, closed or
not: `rate` and the terms with u', u'' in `bias` come from driven freedoms. A turn also vanishes with an axis reversed:
`facing` lists what must be positive besides.

Source: A. Mueller, Mechanical Sciences 6 (2015), 137-146, Eq. (6); E. J. Haug, Computer Aided Kinematics and Dynamics
of Mechanical Systems (1989), chapter 9 (dot-product constraints); the helix is our own.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import ONE, TWO, ZERO, Expr, cos, sin
from symgen.derive.constraints.sides import Side
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector

SOURCE = "A. Mueller 2015, Eq. (6); E. J. Haug 1989, chapter 9"


@dataclass(frozen=True)
class ConstraintRow:
    """One scalar constraint; `bias` is None where no rates were given."""

    value: Expr
    one: tuple[Expr, ...]
    two: tuple[Expr, ...]
    unit: str
    rate: Expr = ZERO
    bias: Expr | None = None


@dataclass(frozen=True)
class Drive:
    """A driven freedom: value, rate and acceleration (rates None where no bias is derived)."""

    u: Expr
    ud: Expr | None = None
    udd: Expr | None = None


class RowBuilder:
    """Makes rows of one pair between two sides.

    Parameters
    ----------
    first, second : the sides; both with rates, or none.
    """

    def __init__(self, d: Derivation, first: Side, second: Side) -> None:
        self.d, self.first, self.second = d, first, second
        self.planar = len(first.lever) == 2
        self.apart = d.vector("apart", second.origin - first.origin, "from the first joint origin to the second", "m")
        self.rates = first.rate is not None
        self._swept: Vector | None = None

    # -- pieces ------------------------------------------------------------------------------------------------------

    def moment(self, lever: Vector, along: Vector) -> tuple[Expr, ...]:
        """Return lever x along: the coefficients of the angular velocity."""
        return (lever.area(along),) if self.planar else lever.cross(along).components

    @property
    def lever_of_second(self) -> Vector:
        """From the first body's origin to the joint's origin on the second body."""
        if self._swept is None:
            self._swept = self.d.vector(
                "across",
                self.second.origin - self.first.place,
                "from the first body's origin to the second's joint",
                "m",
            )
        return self._swept

    def apart_rate(self) -> Vector:
        """Return d'."""
        one, two = self.first.velocity, self.second.velocity
        if one is None or two is None:
            raise ValueError("no rates")
        return two + self.second.first("s") - one - self.first.first("s")

    def apart_bias(self) -> Vector:
        """Return d'' without accelerations."""
        return self.second.second("s") - self.first.second("s")

    # -- rows --------------------------------------------------------------------------------------------------------

    def point(self, k: int) -> ConstraintRow:
        """Coincide along an axis of the world."""
        size = len(self.apart)
        e = Vector(tuple(ONE if index == k else ZERO for index in range(size)))
        one = (*(-e), *(-m for m in self.moment(self.first.lever, e)))
        two = (*e, *self.moment(self.second.lever, e))
        return ConstraintRow(self.apart[k], one, two, "m", bias=self.apart_bias()[k] if self.rates else None)

    def place(self, axis: str, drive: Drive | None = None) -> ConstraintRow:
        """Coincide along an axis of the first frame, up to a driven slide."""
        a = self.first.axis(axis)
        one = (*(-a), *(-m for m in self.moment(self.lever_of_second, a)))
        two = (*a, *self.moment(self.second.lever, a))
        value, rate = a.dot(self.apart), ZERO
        bias = None
        if drive is not None:
            value = value - drive.u
        if self.rates:
            bias = self._slide_bias(axis)
            if drive is not None and drive.ud is not None and drive.udd is not None:
                rate, bias = -drive.ud, bias - drive.udd
        return ConstraintRow(value, one, two, "m", rate, bias)

    def _slide_bias(self, axis: str) -> Expr:
        a = self.first
        return (
            a.second(axis).dot(self.apart)
            + TWO * a.first(axis).dot(self.apart_rate())
            + a.axis(axis).dot(self.apart_bias())
        )

    def turn(self, a: str, b: str) -> ConstraintRow:
        """Hold an axis of the first frame normal to one of the second."""
        one, two = self._turn_columns(self.first.axis(a), self.second.axis(b))
        bias = self._turn_bias(a, b) if self.rates else None
        return ConstraintRow(self.first.axis(a).dot(self.second.axis(b)), one, two, "1", bias=bias)

    def _turn_columns(self, a: Vector, b: Vector) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        nothing = tuple(ZERO for _ in self.apart)
        across = self.moment(a, b)
        return (*nothing, *across), (*nothing, *(-m for m in across))

    def _turn_rate(self, a: str, b: str) -> Expr:
        return self.first.first(a).dot(self.second.axis(b)) + self.first.axis(a).dot(self.second.first(b))

    def _turn_bias(self, a: str, b: str) -> Expr:
        one, two = self.first, self.second
        cross = one.first(a).dot(two.first(b))
        return one.second(a).dot(two.axis(b)) + TWO * cross + one.axis(a).dot(two.second(b))

    def turned_about_z(self, drive: Drive) -> tuple[ConstraintRow, Expr]:
        """Hold the second x at the driven angle about the first z; the row, and what must be positive."""
        c, s = self._cosine_sine(drive)
        x1, y1, x2 = self.first.axis("x"), self.first.axis("y"), self.second.axis("x")
        across = self.d.vector("across_u", y1 * c - x1 * s, "first y axis turned by the driven angle", "1")
        along = self.d.vector("along_u", x1 * c + y1 * s, "first x axis turned by the driven angle", "1")
        one, two = self._turn_columns(across, x2)
        facing = along.dot(x2)
        rate, bias = ZERO, None
        if self.rates and drive.ud is not None and drive.udd is not None:
            slope = self._turn_rate("x", "x") * c + self._turn_rate("y", "x") * s
            growth = self._turn_bias("y", "x") * c - self._turn_bias("x", "x") * s
            rate = -drive.ud * facing
            bias = growth - TWO * drive.ud * slope - drive.udd * facing - drive.ud * drive.ud * across.dot(x2)
        return ConstraintRow(across.dot(x2), one, two, "1", rate, bias), facing

    def turned_about_x(self, drive: Drive) -> tuple[ConstraintRow, Expr]:
        """Hold the first z at the driven angle about the second x; the row, and what must be positive."""
        c, s = self._cosine_sine(drive)
        z1, y2, z2 = self.first.axis("z"), self.second.axis("y"), self.second.axis("z")
        across = self.d.vector("across_u", y2 * c - z2 * s, "second y axis turned back by the driven angle", "1")
        along = self.d.vector("along_u", z2 * c + y2 * s, "second z axis turned back by the driven angle", "1")
        one, two = self._turn_columns(z1, across)
        facing = z1.dot(along)
        rate, bias = ZERO, None
        if self.rates and drive.ud is not None and drive.udd is not None:
            slope = self._turn_rate("z", "z") * c + self._turn_rate("z", "y") * s
            growth = self._turn_bias("z", "y") * c - self._turn_bias("z", "z") * s
            rate = -drive.ud * facing
            bias = growth - TWO * drive.ud * slope - drive.udd * facing - drive.ud * drive.ud * z1.dot(across)
        return ConstraintRow(z1.dot(across), one, two, "1", rate, bias), facing

    def pitched(self, drive: Drive) -> ConstraintRow:
        """Hold the second x at the driven pitch below the first z: z_1 . x_2 + sin u = 0."""
        c, s = self._cosine_sine(drive)
        one, two = self._turn_columns(self.first.axis("z"), self.second.axis("x"))
        rate, bias = ZERO, None
        if self.rates and drive.ud is not None and drive.udd is not None:
            rate = drive.ud * c
            bias = self._turn_bias("z", "x") + drive.udd * c - drive.ud * drive.ud * s
        return ConstraintRow(self.first.axis("z").dot(self.second.axis("x")) + s, one, two, "1", rate, bias)

    def helix(self, pitch: Expr) -> tuple[ConstraintRow, Expr]:
        """Let the angle follow the slide: p (y . x_2) with y turned by slide/p; the row, and what must be positive."""
        d, first, second = self.d, self.first, self.second
        z1, x2 = first.axis("z"), second.axis("x")
        lead = d.scalar("lead", z1.dot(self.apart) / pitch, "the angle that belongs to the slide", "rad")
        c, s = d.scalar("clead", cos(lead), "its cosine", "1"), d.scalar("slead", sin(lead), "its sine", "1")
        x1, y1 = first.axis("x"), first.axis("y")
        across = d.vector("across_u", y1 * c - x1 * s, "first y axis turned by the lead", "1")
        along = d.vector("along_u", x1 * c + y1 * s, "first x axis turned by the lead", "1")
        facing = d.scalar("follow", along.dot(x2), "cosine of the error of the angle", "1")
        turn_one, turn_two = self._turn_columns(across, x2)
        slide = self.place("z")
        one = tuple(pitch * t - facing * p for t, p in zip(turn_one, slide.one, strict=True))
        two = tuple(pitch * t - facing * p for t, p in zip(turn_two, slide.two, strict=True))
        value = pitch * across.dot(x2)
        bias = None
        if self.rates:
            slope = self._turn_rate("x", "x") * c + self._turn_rate("y", "x") * s
            growth = self._turn_bias("y", "x") * c - self._turn_bias("x", "x") * s
            speed = first.first("z").dot(self.apart) + z1.dot(self.apart_rate())
            run = d.scalar("lead_rate", speed / pitch, "rate of the lead", "rad/s")
            bias = pitch * (growth - TWO * run * slope) - self._slide_bias("z") * facing - run * run * value
        return ConstraintRow(value, one, two, "m", bias=bias), facing

    def _cosine_sine(self, drive: Drive) -> tuple[Expr, Expr]:
        return (
            self.d.scalar("cu", cos(drive.u), "cosine of the driven angle", "1"),
            self.d.scalar("su", sin(drive.u), "sine of the driven angle", "1"),
        )
