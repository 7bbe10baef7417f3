"""Three universal pairs: {U,U,U}, both outer ones on moving bodies. Degree 16.

The middle centre lies on spheres about the outer centres, so on a circle; its angle is kept. From either side the far
axis of the link follows by one square root (`symgen.derive.eliminants.universal_leg`), and both must be normal to each
other: W_1 . W_3 = P + s_1 Q + s_3 R + s_1 s_3 S = 0. The product of this over both signs of both roots,

    F = U^2 - 4 s_3^2 V^2,   U = P^2 + s_3^2 R^2 - s_1^2 Q^2 - s_1^2 s_3^2 S^2,   V = P R - s_1^2 Q S,

needs no root, is real everywhere and a trigonometric polynomial of degree 8: it is sampled, its real zeros are all
assemblies. At a zero the signs follow, s_3 from U + 2 s_3 V = 0 and s_1 from (P + s_3 R) + s_1 (Q + s_3 S) = 0.

Source: docs/closed-forms.md (norm elimination), derived there.
"""

from __future__ import annotations

from symgen.algebra import (
    FOLD_TOLERANCE,
    HALF,
    ONE,
    REACH_TOLERANCE,
    TINY,
    TWO,
    Expr,
    absolute,
    not_below_zero,
    sqrt,
)
from symgen.derive.derivation import Derivation
from symgen.derive.eliminants.elements import (
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
from symgen.derive.eliminants.polishing import polished_zero
from symgen.derive.eliminants.six_letters import LetterAt, claim_arrival, derive_six_rates, motion_inputs
from symgen.derive.eliminants.universal_leg import Leg, carried, held_link, placed_link, universal_leg
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


class Closing:
    """The closing equation at one angle: lines to the middle centre, both legs, P, Q, R, S, U and V."""

    def __init__(
        self, d: Derivation, at: tuple[Expr, Expr], given: dict[str, Vector], shapes: tuple[Shape, Shape]
    ) -> None:
        around = d.vector("around", given["ex"] * at[0] + given["ey"] * at[1], "middle centre from the circle's centre")
        self.lines = tuple(d.vector(f"e{k}", given[f"m{k}"] + around, f"line {k} to the middle centre") for k in (1, 3))
        self.legs: tuple[Leg, Leg] = (
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
    closing = Closing(d, at, given, (_shape(shapes[0]), _shape(shapes[1])))
    d.output("value", closing.norm, meaning="product over all signs", unit="")
    return Inner("kernel_eliminant", d)


def _shape(values: tuple[Expr, ...]) -> Shape:
    a, b, c, e = values
    return a, b, c, e


def derive_kernel() -> Derivation:
    """Derive the loop on held elements of its six letters."""
    d = Derivation("loop_uuu kernel", level="kernel", title="three universal pairs on held letters", source=SOURCE)
    p1 = point_input(d, "p1", "centre of the first universal pair, letters 1 and 2")
    a1 = axis_input(d, "a1", "axis of letter 1")
    a2 = second_axis(d, "a2", a1, "held axis of letter 2")
    p3 = point_input(d, "p3", "held centre of the middle universal pair, letters 3 and 4")
    a3 = axis_input(d, "a3", "held axis of letter 3")
    a4 = second_axis(d, "a4", a3, "held axis of letter 4")
    last = last_pair_inputs(d)
    base = motion_inputs(d, "1", "body that carries axis 1, at p_t", last.wanted_centre)
    target = motion_inputs(d, "2", "body that carries the last axis, at p_t", last.wanted_centre)
    rank = input_branch(d)
    held1 = d.vector("held1", p3 - p1, "held line of the first link", "m")
    held3 = d.vector("held3", p3 - last.centre, "held line of the second link", "m")
    apart = d.vector("apart", last.wanted_centre - p1, "from the first to the last centre", "m")
    unit = d.scalar("unit", lengths([held1, held3, apart]), "a length to measure others in", "m")
    i_unit = d.scalar("i_unit", 1 / unit, "its reciprocal", "1/m")
    l1, l3, gap = (
        d.vector(name, vector * i_unit, f"{what}, in that unit")
        for name, vector, what in (
            ("l1", held1, "first line"),
            ("l3", held3, "second line"),
            ("gap", apart, "distance"),
        )
    )
    one, three = (
        held_link(d, "link1", a2, l1, a3, "the first link"),
        held_link(d, "link3", last.near, l3, a4, "the second link"),
    )
    m1, m3, ex, ey = _circle(d, l1, l3, gap)
    given = {"u1": a1, "m1": m1, "u3": last.wanted_far, "m3": m3, "ex": ex, "ey": ey}
    shapes = (one.shape, three.shape)
    eliminant = derive_eliminant()
    inputs = {**given, "link1": one.shape, "link3": three.shape}
    text = "Values of the product of the closing equation over all signs, around the circle."
    coefficients = sampled(d, "f", eliminant, DEGREE, inputs, text)  # type: ignore[arg-type]
    cosine, sine = d.zero("phi", coefficients, rank, "Angles of the middle centre at which it vanishes.")
    zero = polished_zero(d, "phi", eliminant, inputs, cosine, sine)  # type: ignore[arg-type]
    closing = Closing(d, (zero.cosine, zero.sine), given, shapes)
    zero.flag_double(d, coefficients, closing.u * closing.u)
    s1, s3 = _roots(d, closing, zero.slope)
    legs, lines = closing.legs, closing.lines
    basis1 = placed_link(d, "first", legs[0], one, lines[0], s1)
    basis3 = placed_link(d, "second", legs[1], three, lines[1], s3)
    w3 = d.vector("w3", carried(basis1, one.far), "axis of letter 3")
    w4 = d.vector("w4", carried(basis3, three.far), "axis of letter 4")
    turns = [
        turn_between(a1, a2, basis1[0]),
        turn_between(basis1[0], a1, carried(basis1, one.local(a1))),
        turn_between(w3, carried(basis1, one.local(a4)), w4),
        turn_between(w4, w3, carried(basis3, three.local(a3))),
        turn_between(basis3[0], carried(basis3, three.local(last.far)), last.wanted_far),
        turn_between(last.wanted_far, basis3[0], last.wanted_near),
    ]
    given_turns = [give_turn(d, k, turn) for k, turn in enumerate(turns, 1)]
    held = ((a1, p1), (a2, p1), (a3, p3), (a4, p3), (last.near, last.centre), (last.far, last.centre))
    letters = [LetterAt("R", a, p, turn) for (a, p), turn in zip(held, given_turns, strict=True)]
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
        d.vector("ey", two * radius, "radius a quarter turn ahead"),
    )


def _roots(d: Derivation, closing: Closing, slope: Expr) -> tuple[Expr, Expr]:
    """Name both square roots with the signs that close the loop."""
    c = closing
    size3 = d.scalar("size_s3", sqrt(not_below_zero(c.s3_2)), "second square root, its size")
    size1 = d.scalar("size_s1", sqrt(not_below_zero(c.s1_2)), "first square root, its size")
    s3 = d.scalar("s3", -sign(d, "sign3", c.u * c.v, "U V") * size3, "second square root")
    without = d.scalar("without", c.p + s3 * c.r, "closing equation without s_1")
    factor = d.scalar("factor", c.q + s3 * c.s, "closing equation: factor of s_1, s_3 chosen")
    s1 = d.scalar("s1", -sign(d, "sign1", without * factor, "both parts") * size1, "first square root")
    rest = d.scalar("rest", without + s1 * factor, "what is left of the closing equation")
    terms = d.scalar(
        "terms", absolute(c.p) + absolute(s1 * c.q) + absolute(s3 * c.r) + absolute(s1 * s3 * c.s), "terms"
    )
    foreign = "a zero that is no assembly: the square roots are not real there"
    d.guard(rest * rest, "<=", FOLD_TOLERANCE * terms * terms, Status.DEGENERATE, foreign)
    others = d.scalar("others", (TWO * without) * (c.u - TWO * s3 * c.v), "product of the other three signs")
    fold = FOLD_TOLERANCE * others * others * terms * terms
    d.flag(slope * slope, "<=", fold, Status.SINGULAR, "a double zero: two assemblies meet")
    return s1, s3
