"""Three universal pairs: {U,U,U}, both outer ones on moving bodies. Degree 16.

The middle centre lies on spheres about the outer centres, so on a circle; its angle on it remains the unknown. From
either side the far axis of the link follows by one square root (`symgen.derive.eliminants.universal_leg`), and both
must be normal to each other: W_1 . W_3 = P + s_1 Q + s_3 R + s_1 s_3 S = 0. The product of this over both signs of both
roots,

    F = U^2 - 4 s_3^2 V^2,   U = P^2 + s_3^2 R^2 - s_1^2 Q^2 - s_1^2 s_3^2 S^2,   V = P R - s_1^2 Q S,

needs no root, is real everywhere and a trigonometric polynomial of degree 8: it is sampled, its real zeros are all
assemblies. At a zero the signs follow, s_3 from U + 2 s_3 V = 0 and s_1 from (P + s_3 R) + s_1 (Q + s_3 S) = 0.

Source: docs/closed-forms.md (norm elimination), derived there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from symgen.algebra import (
    HALF,
    ONE,
    REACH_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    ZERO,
    Expr,
    not_below_zero,
    sqrt,
)
from symgen.derive.assemblies import Closure, Coordinates, LoopKernel
from symgen.derive.derivation import Derivation
from symgen.derive.eliminants.elements import (
    LastPair,
    across,
    axis_input,
    give_turn,
    last_pair_inputs,
    lengths,
    point_input,
    second_axis,
    sign,
    turn_between,
)
from symgen.derive.eliminants.six_letters import LetterAt, claim_arrival, derive_six_rates, motion_inputs
from symgen.derive.eliminants.six_letters_closure import ClosureLetter, close_six
from symgen.derive.eliminants.universal_leg import UniversalLeg, carried, held_link, placed_link, universal_leg
from symgen.derive.items import Inner
from symgen.derive.sampling import sampled
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md (norm elimination)"
BRANCHES = 16
DEGREE = 8
Shape = tuple[Expr, Expr, Expr, Expr]
_PORTS = ("u1", "m1", "u3", "m3", "ex", "ey")


def input_branch(d: Derivation) -> Expr:
    """Declare the branch index."""
    return d.input_rank(BRANCHES, "the middle centre's angle on its circle among the real solutions, from -pi")


class ThreeUniversalsClosure:
    """The closing equation at one angle: lines to the middle centre, both legs, P, Q, R, S, U and V."""

    def __init__(
        self, d: Derivation, at: tuple[Expr, Expr], given: dict[str, Vector], shapes: tuple[Shape, Shape]
    ) -> None:
        around = d.vector("around", given["ex"] * at[0] + given["ey"] * at[1], "middle centre from the circle's centre")
        self.lines = tuple(d.vector(f"e{k}", given[f"m{k}"] + around, f"line {k} to the middle centre") for k in (1, 3))
        self.legs: tuple[UniversalLeg, UniversalLeg] = (
            universal_leg(d, "one", given["u1"], self.lines[0], shapes[0]),
            universal_leg(d, "three", given["u3"], self.lines[1], shapes[1]),
        )
        one, three = self.legs
        self.p = d.scalar("p", one.a.dot(three.a), "closing equation: part without roots")
        self.q = d.scalar("q", one.b.dot(three.a), "closing equation: factor of s_1")
        self.r = d.scalar("r", one.a.dot(three.b), "closing equation: factor of s_3")
        self.s = d.scalar("s", one.b.dot(three.b), "closing equation: factor of s_1 s_3")
        self.s1_2, self.s3_2 = one.square, three.square
        squares = self.p * self.p + self.s3_2 * self.r * self.r
        self.u = d.scalar("u", squares - self.s1_2 * (self.q * self.q + self.s3_2 * self.s * self.s), "U")
        self.v = d.scalar("v", self.p * self.r - self.s1_2 * self.q * self.s, "V")
        self.norm = d.scalar("norm", self.u * self.u - 4 * self.s3_2 * self.v * self.v, "product over all signs")


def derive_eliminant() -> Inner:
    """Derive F as a routine of the angle's cosine and sine."""
    d = Derivation(
        "loop_uuu eliminant", level="kernel", title="Product of the closing equation over all signs", source=SOURCE
    )
    at = (d.input_scalar("c", meaning="cosine", unit=""), d.input_scalar("s_at", meaning="sine", unit=""))
    given = {name: d.input_vector(name, 3, meaning="see the routine that samples", unit="") for name in _PORTS}
    names = ("along_v", "along_e", "beside", "kappa")
    shapes = [
        d.input_array(f"link{k}", [f"link{k}_{n}" for n in names], meaning="shape of the link", unit="") for k in (1, 3)
    ]
    closing = ThreeUniversalsClosure(d, at, given, (_shape(shapes[0]), _shape(shapes[1])))
    d.output("value", closing.norm, meaning="product over all signs", unit="")
    return Inner("loop_uuu_eliminant", d)


def _shape(values: tuple[Expr, ...]) -> Shape:
    a, b, c, e = values
    return a, b, c, e


@dataclass(frozen=True)
class ThreeUniversalsElements:
    """Held centres and axes of the first and the middle universal pair, and the last pair."""

    p1: Vector
    a1: Vector
    a2: Vector
    p3: Vector
    a3: Vector
    a4: Vector
    last: LastPair

    @property
    def letters(self) -> tuple[ClosureLetter, ...]:
        """The six letters."""
        last = self.last
        axes = (self.a1, self.a2, self.a3, self.a4, last.near, last.far)
        points = (self.p1, self.p1, self.p3, self.p3, last.centre, last.centre)
        return tuple(ClosureLetter("R", axis, point) for axis, point in zip(axes, points, strict=True))


class ThreeUniversals(LoopKernel[ThreeUniversalsElements]):
    """The loop: coordinates are its six turns."""

    id = "loop_uuu"
    degree, turns = DEGREE, 6

    def declare(self, d: Derivation) -> ThreeUniversalsElements:
        """Declare the held elements."""
        p1 = point_input(d, "p1", "centre of the first universal pair, letters 1 and 2")
        a1 = axis_input(d, "a1", "axis of letter 1")
        a2 = second_axis(d, "a2", a1, "held axis of letter 2")
        p3 = point_input(d, "p3", "held centre of the middle universal pair, letters 3 and 4")
        a3 = axis_input(d, "a3", "held axis of letter 3")
        a4 = second_axis(d, "a4", a3, "held axis of letter 4")
        return ThreeUniversalsElements(p1, a1, a2, p3, a3, a4, last_pair_inputs(d))

    def unit(self, d: Derivation, e: ThreeUniversalsElements) -> Expr:
        """Name the sum of both links and the distance of the outer centres."""
        links = e.p3 - e.p1, e.p3 - e.last.centre, e.last.wanted_centre - e.p1
        return d.scalar("unit", lengths(links) + SMALL_LENGTH, "length used as the unit below", "m")

    def candidate(self, d: Derivation, e: ThreeUniversalsElements) -> Coordinates:
        """Name the middle centre from a zero of F, then both links."""
        a1, last = e.a1, e.last
        i_unit = d.scalar("i_unit", 1 / self.unit(d, e), "its reciprocal", "1/m")
        l1, l3, gap = (
            d.vector(name, vector * i_unit, f"{what}, in that unit")
            for name, vector, what in (
                ("l1", e.p3 - e.p1, "held line of the first link"),
                ("l3", e.p3 - last.centre, "held line of the second link"),
                ("gap", last.wanted_centre - e.p1, "from the first to the last centre"),
            )
        )
        one, three = (
            held_link(d, "link1", e.a2, l1, e.a3, "the first link"),
            held_link(d, "link3", last.near, l3, e.a4, "the second link"),
        )
        m1, m3, ex, ey = _circle(d, l1, l3, gap)
        given = {"u1": a1, "m1": m1, "u3": last.wanted_far, "m3": m3, "ex": ex, "ey": ey}
        inputs = {**given, "link1": one.shape, "link3": three.shape}
        text = "Values of the product of the closing equation over all signs, around the circle."
        coefficients = sampled(d, "f", derive_eliminant(), DEGREE, inputs, text)  # type: ignore[arg-type]
        zero = d.zero("phi", coefficients, ZERO, "Angles of the middle centre at which it vanishes.")
        closing = ThreeUniversalsClosure(d, zero, given, (one.shape, three.shape))
        s1, s3 = _roots(d, closing)
        basis1 = placed_link(d, "first", closing.legs[0], one, closing.lines[0], s1)
        basis3 = placed_link(d, "second", closing.legs[1], three, closing.lines[1], s3)
        w3 = d.vector("w3", carried(basis1, one.far), "axis of letter 3")
        w4 = d.vector("w4", carried(basis3, three.far), "axis of letter 4")
        return Coordinates(
            (
                turn_between(a1, e.a2, basis1[0]),
                turn_between(basis1[0], a1, carried(basis1, one.local(a1))),
                turn_between(w3, carried(basis1, one.local(e.a4)), w4),
                turn_between(w4, w3, carried(basis3, three.local(e.a3))),
                turn_between(basis3[0], carried(basis3, three.local(last.far)), last.wanted_far),
                turn_between(last.wanted_far, basis3[0], last.wanted_near),
            )
        )

    def closure(self, d: Derivation, e: ThreeUniversalsElements, at: Coordinates) -> Closure:
        """Name the closing equations; the middle centre's angle on its circle ranks assemblies."""
        per = d.scalar("i_unit", 1 / self.unit(d, e), "its reciprocal", "1/m")
        found, middle = close_six(d, e.letters, at, e.last, per, 0)
        gap = d.vector("gap", (e.last.wanted_centre - e.p1) * per, "from the first to the last centre, in that unit")
        distance = d.scalar("distance", sqrt(gap.dot(gap) + TINY * TINY), "its length")
        direction = d.vector("direction", gap * (1 / distance), "direction from the first to the last centre")
        one, two = across(d, "plane", direction)
        return replace(found, place=(one.dot(middle), two.dot(middle)))


def derive_kernel() -> Derivation:
    """Derive the loop on held elements of its six letters."""
    d = Derivation("loop_uuu kernel", level="kernel", title="three universal pairs on held letters", source=SOURCE)
    loop = ThreeUniversals()
    e = loop.declare(d)
    last = e.last
    base = motion_inputs(d, "1", "body that carries axis 1, at p_t", last.wanted_centre)
    target = motion_inputs(d, "2", "body that carries the last axis, at p_t", last.wanted_centre)
    found = loop.assemblies(d, input_branch(d))
    turns = [give_turn(d, k, turn) for k, turn in enumerate(found.turns, 1)]
    letters = [LetterAt(x.kind, x.axis, x.point, turn) for x, turn in zip(e.letters, turns, strict=True)]
    derive_six_rates(d, letters, base, target)
    claim_arrival(
        d, letters, (last.centre, last.near, last.far), (last.wanted_centre, last.wanted_near, last.wanted_far)
    )
    return d


def _circle(d: Derivation, l1: Vector, l3: Vector, gap: Vector) -> tuple[Vector, Vector, Vector, Vector]:
    """Name the circle in which the spheres about both outer centres meet: its centre from both, its radii."""
    gap2 = d.scalar("gap2", gap.dot(gap), "squared distance of the outer centres")
    first2 = d.scalar("first2", l1.dot(l1), "squared length of the first link")
    second2 = d.scalar("second2", l3.dot(l3), "squared length of the second link")
    d.guard(gap2, ">", TINY, Status.DEGENERATE, "the outer centres coincide: no circle, or a whole sphere")
    part = d.scalar("part", HALF * (first2 - second2 + gap2) / gap2, "where the plane of the circle divides them")
    radius2 = d.scalar("radius2", first2 - part * part * gap2, "squared radius; negative: the spheres do not meet")
    noise = REACH_TOLERANCE * (first2 + part * part * gap2)
    d.guard(radius2, ">=", noise, Status.NO_ASSEMBLY, "the spheres about the outer centres do not meet")
    radius = d.scalar("radius", sqrt(radius2), "radius of the circle")
    distance = d.scalar("distance", sqrt(gap2), "distance of the outer centres")
    direction = d.vector("direction", gap * (1 / distance), "direction from the first to the last centre")
    one, two = across(d, "plane", direction)
    return (
        d.vector("m1", gap * part, "centre of the circle from the first centre"),
        d.vector("m3", gap * (part - ONE), "centre of the circle from the last centre"),
        d.vector("ex", one * radius, "radius at angle zero"),
        d.vector("ey", two * radius, "radius turned by a quarter turn"),
    )


def _roots(d: Derivation, closing: ThreeUniversalsClosure) -> tuple[Expr, Expr]:
    """Name both square roots with the signs that close the loop; a zero that is no assembly will not close."""
    c = closing
    size3 = d.scalar("size_s3", sqrt(not_below_zero(c.s3_2)), "second square root, its size")
    size1 = d.scalar("size_s1", sqrt(not_below_zero(c.s1_2)), "first square root, its size")
    s3 = d.scalar("s3", -sign(d, "sign3", c.u * c.v, "U V") * size3, "second square root")
    without = d.scalar("without", c.p + s3 * c.r, "closing equation without s_1")
    factor = d.scalar("factor", c.q + s3 * c.s, "closing equation: factor of s_1, s_3 chosen")
    s1 = d.scalar("s1", -sign(d, "sign1", without * factor, "both parts") * size1, "first square root")
    return s1, s3
