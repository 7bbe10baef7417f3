"""Words of three letters that carry a point to a point: E1 E2 E3 s = t, the regional problem, on held elements.

Letters turn about (R) or slide along (P) axes given in a configuration where all coordinates are zero. Where a
universal or a cylindrical pair is among them the elimination splits into square roots or one circle and cylinder;
otherwise one trigonometric polynomial of degree 2 decides.

**Three turns** (RRR): E1 leaves x = E2 E3 s on a circle about axis 1 (foot f1, radius r1), E3 leaves E2^-1 x on one
about axis 3 (foot f3, radius r3). With m = R2 a3 and w = E2 f3 - f1, two circles in space meet at z = x - f1 if
a1.z = 0, m.z = m.w, z.w = k' + r1^2 with k' = (|w|^2 - r1^2 - r3^2)/2, and |z| = r1. The forms

    g = a1.m,  b = a1.w,  h = m.w,  k'     are linear in (1, cos q2, sin q2), and so is P = h b - k' g,

for its terms of degree 2 cancel; z.z = r1^2 reads

    F(q2) = r3^2 h^2 + r1^2 b^2 + k'^2 - P^2 - r1^2 r3^2 (1 - g^2) = 0

The middle angle stays apart where two neighbouring axes meet or are parallel, which would merge zeros in q1 or q3.

**RRP**: z = w + slide m; F(q2) = b^2 - 2 g P with k' = (|w|^2 - r1^2)/2. **RPR**: z = w + slide a2 with w on the
circle of q3; F(q3) = b^2 - 2 k1 b (a2.w) + k1^2 (|w|^2 - r1^2), k1 = a1.a2.

Source: docs/closed-forms.md, derived there; groups of Celdran, Saura, Dopico 2022.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import (
    FOLD_TOLERANCE,
    HALF,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    TWO,
    ZERO,
    Expr,
    absolute,
    not_below_zero,
    sqrt,
)
from symgen.derive.blocks.meeting_axes import concurrent_axis
from symgen.derive.blocks.quadratic import Slid, TurnedPoint, circle_meets_sphere, line_meets_sphere
from symgen.derive.derivation import Derivation
from symgen.derive.rings.elements import HeldElements, Solved
from symgen.derive.rings.trigonometric_forms import name_form, product_form, sum_of_products, weighted
from symgen.derive.rings.turns import Circle, circle_of, turned_about, unit_pair
from symgen.derive.vectors import Vector
from symgen.status import Status


def _lever(d: Derivation, circle: Circle, k: str, squares: Expr) -> None:
    """Refuse a circle without radius; `squares` are those of all lengths, whose rounding a radius may be."""
    least = TINY * squares + SMALL_LENGTH * SMALL_LENGTH
    d.guard(circle.r2, ">", least, Status.DEGENERATE, f"the point lies on axis {k}: any angle fits, or none")


def _scaled_zero(
    d: Derivation, letter: str, coefficients: Sequence[Expr], rank: Expr, scale: Expr, what: str
) -> tuple[Expr, Expr]:
    """Take a zero of a polynomial of degree 2, guarded against vanishing altogether, flagged where two meet."""
    names = ("f0", "fc", "fs", "fcc", "fss")
    words = ("constant", "cosine", "sine", "cosine of twice the angle", "sine of twice the angle")
    # A product of lengths would leave the range of numbers sooner than the lengths do.
    per = d.scalar("per_scale", ONE / scale, "reciprocal of the size of its coefficients")
    f0, fc, fs, fcc, fss = (
        d.scalar(n, v * per, f"polynomial of {what}: {w}") for n, v, w in zip(names, coefficients, words, strict=True)
    )
    reach2 = d.scalar("reach2", fc * fc + fs * fs + fcc * fcc + fss * fss, "squared size of what depends on the angle")
    d.guard(reach2, ">", TINY, Status.DEGENERATE, f"{what} does not change what has to be closed")
    cosine, sine = d.zero(f"q{letter}", (f0, fc, fs, fcc, fss), rank, f"Zeros of the polynomial of {what}.")
    slope = fs * cosine - fc * sine + TWO * (fss * (cosine * cosine - sine * sine) - TWO * fcc * cosine * sine)
    slope = d.scalar("slope", slope, "derivative of the polynomial there; zero where two zeros meet")
    d.flag(slope * slope, "<=", FOLD_TOLERANCE * reach2, Status.SINGULAR, "two zeros meet")
    return cosine, sine


@dataclass(frozen=True)
class _Turning:
    """A vector that turns about an axis: Rot(a, q) v, with a . v and a x v named."""

    a: Vector
    v: Vector
    along: Expr
    side: Vector

    def seen_from(self, n: Vector, n_along: Expr) -> tuple[Expr, Expr, Expr]:
        """Return n . Rot(a, q) v as coefficients of 1, cos q, sin q; `n_along` is n . a."""
        fixed = n_along * self.along
        return fixed, n.dot(self.v) - fixed, n.dot(self.side)

    def at(self, cosine: Expr, sine: Expr) -> Vector:
        """Return the vector turned by the angle with this cosine and sine."""
        return self.v * cosine + self.side * sine + self.a * (self.along * (ONE - cosine))


def _turning(d: Derivation, name: str, a: Vector, v: Vector, what: str) -> _Turning:
    along = d.scalar(f"{name}_along", a.dot(v), f"part of {what} along axis 2")
    return _Turning(a, v, along, d.vector(f"{name}_side", a.cross(v), f"{what}, crossed by axis 2"))


def three_turns(d: Derivation, e: HeldElements, rank: Expr) -> tuple[Solved, ...]:
    """Solve R R R for the middle angle."""
    (a1, a2, a3), p2 = e.axes, e.point(2)
    c1, c3 = circle_of(d, "1", a1, e.point(1), e.t, "t"), circle_of(d, "3", a3, e.point(3), e.s, "s")
    o1 = d.vector("o_1", c1.foot - p2, "from axis point 2 to the foot on axis 1", "m")
    o3 = d.vector("o_3", c3.foot - p2, "from axis point 2 to the foot on axis 3", "m")
    axis, foot = _turning(d, "a3", a2, a3, "axis 3"), _turning(d, "o3", a2, o3, "o_3")
    k12 = d.scalar("k_12", a1.dot(a2), "cosine of the angle between axes 1 and 2")
    k10 = d.scalar("k_10", o1.dot(a2), "part of o_1 along axis 2", "m")
    g = name_form(d, "g", axis.seen_from(a1, k12), "cosine between the normals of both circles")
    b0, bc, bs = foot.seen_from(a1, k12)
    b = name_form(d, "b", (b0 - a1.dot(o1), bc, bs), "height of foot 3 over the plane of circle 1", "m")
    h0, hc, hs = axis.seen_from(o1, k10)
    h = name_form(d, "h", (a3.dot(o3) - h0, -hc, -hs), "height of foot 1 under the plane of circle 3", "m")
    k0, kc, ks = foot.seen_from(o1, k10)
    radii = d.scalar("radii", c1.r2 + c3.r2, "sum of the squared radii", "m^2")
    feet = d.scalar("feet", o1.dot(o1) + o3.dot(o3), "squared distances of the feet from axis point 2", "m^2")
    text = "half of the squared distance of the feet minus both squared radii"
    k = name_form(d, "k", (HALF * (feet - radii) - k0, -kc, -ks), text, "m^2")
    p = name_form(d, "p", product_form(h, b, k, g), "h b - k g, of degree 1", "m^2")
    # Lengths are measured in their sum of squares, so that nothing overflows sooner than it must.
    size = d.scalar("squares", feet + radii, "squares of all lengths", "m^2")
    _lever(d, c1, "1", size)
    _lever(d, c3, "3", size)
    r13 = d.scalar("r2_13", c1.r2 * c3.r2, "product of the squared radii", "m^4")
    text = "times the other squared radius"
    terms = (
        weighted(d, "wh", c3.r2, h, f"height of foot 1 {text}", "m^3"),
        weighted(d, "wb", c1.r2, b, f"height of foot 3 {text}", "m^3"),
        (k, k),
        weighted(d, "wg", r13, g, "cosine between the normals times both squared radii", "m^4"),
    )
    f = sum_of_products(d, terms, less=p)
    cosine, sine = _scaled_zero(d, "2", (f[0] - r13, *f[1:]), rank, size * size, "the middle angle")
    m = d.vector("m", axis.at(cosine, sine), "axis 3, turned")
    w = d.vector("w", foot.at(cosine, sine) - o1, "from the foot on axis 1 to that on axis 3, turned", "m")
    high = d.scalar("high", h.at(cosine, sine), "h there", "m")
    reach = d.scalar("reach", k.at(cosine, sine) + c1.r2, "k' + r1^2 there", "m^2")
    det = d.scalar("det_z", a1.dot(m.cross(w)), "determinant of the planes that meet in x", "m")
    least = SINGULAR_TOLERANCE * (w.size() + sqrt(radii))
    text = "both circles in one plane: two assemblies share the middle angle"
    d.guard(absolute(det), ">", least, Status.DEGENERATE, text)
    z = d.vector("z", (w * high - m * reach).cross(a1) * (1 / det), "from the foot on axis 1 to x", "m")
    first = unit_pair(d, "q1", z.dot(c1.arm), a1.dot(z.cross(c1.arm)), "the first angle", "m^2")
    back = d.vector("back", z - w, "from the foot on axis 3 to x", "m")
    radius = _turning(d, "arm3", a2, c3.arm, "radius of circle 3")
    arm = d.vector("arm_m", radius.at(cosine, sine), "radius of circle 3, turned", "m")
    third = unit_pair(d, "q3", arm.dot(back), m.dot(arm.cross(back)), "the third angle", "m^2")
    return (first, (cosine, sine), third)


def two_turns_and_slide(d: Derivation, e: HeldElements, rank: Expr) -> tuple[Solved, ...]:
    """Solve R R P for the second angle."""
    (a1, a2, a3), p2 = e.axes, e.point(2)
    c1 = circle_of(d, "1", a1, e.point(1), e.t, "t")
    o1 = d.vector("o_1", c1.foot - p2, "from axis point 2 to the foot on axis 1", "m")
    o3 = d.vector("o_3", e.s - p2, "from axis point 2 to s", "m")
    axis, foot = _turning(d, "a3", a2, a3, "axis 3"), _turning(d, "o3", a2, o3, "o_3")
    k12 = d.scalar("k_12", a1.dot(a2), "cosine of the angle between axes 1 and 2")
    k10 = d.scalar("k_10", o1.dot(a2), "part of o_1 along axis 2", "m")
    g = name_form(d, "g", axis.seen_from(a1, k12), "sine of the slide against the plane of circle 1")
    b0, bc, bs = foot.seen_from(a1, k12)
    b = name_form(d, "b", (b0 - a1.dot(o1), bc, bs), "height of s over that plane", "m")
    h0, hc, hs = axis.seen_from(o1, k10)
    h = name_form(d, "h", (a3.dot(o3) - h0, -hc, -hs), "part of s along the slide", "m")
    k0, kc, ks = foot.seen_from(o1, k10)
    feet = d.scalar("feet", o1.dot(o1) + o3.dot(o3), "squared distances from axis point 2", "m^2")
    k = name_form(d, "k", (HALF * (feet - c1.r2) - k0, -kc, -ks), "half of |w|^2 - r1^2", "m^2")
    p = name_form(d, "p", product_form(h, b, k, g), "h b - k g, of degree 1", "m^2")
    size = d.scalar("squares", feet + c1.r2, "squares of all lengths", "m^2")
    _lever(d, c1, "1", size)
    f = [x - TWO * y for x, y in zip(b.times(b), g.times(p), strict=True)]
    cosine, sine = _scaled_zero(d, "2", f, rank, size, "the second angle")
    m = d.vector("m", axis.at(cosine, sine), "direction of the slide, turned")
    w = d.vector("w", foot.at(cosine, sine) - o1, "from the foot on axis 1 to s, turned", "m")
    rise = d.scalar("rise", g.at(cosine, sine), "sine of the slide against the plane of circle 1")
    text = "the slide runs in the plane of the circle: two assemblies share the second angle"
    d.guard(absolute(rise), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    slide = d.scalar("slid", -b.at(cosine, sine) / rise, "slide", "m")
    z = d.vector("z", w + m * slide, "from the foot on axis 1 to x", "m")
    first = unit_pair(d, "q1", z.dot(c1.arm), a1.dot(z.cross(c1.arm)), "the first angle", "m^2")
    return (first, (cosine, sine), (slide,))


def slide_between_turns(d: Derivation, e: HeldElements, rank: Expr) -> tuple[Solved, ...]:
    """Solve R P R for the last angle."""
    a1, a2, a3 = e.axes
    c1, c3 = circle_of(d, "1", a1, e.point(1), e.t, "t"), circle_of(d, "3", a3, e.point(3), e.s, "s")
    o = d.vector("o", c3.foot - c1.foot, "from the foot on axis 1 to that on axis 3", "m")
    rise = d.scalar("rise", a1.dot(a2), "sine of the slide against the plane of circle 1")
    text = "the slide runs across axis 1: two assemblies share the last angle"
    d.guard(absolute(rise), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    b = name_form(d, "b", (a1.dot(o), a1.dot(c3.arm), a1.dot(c3.side)), "height over the plane of circle 1", "m")
    h = name_form(d, "h", (a2.dot(o), a2.dot(c3.arm), a2.dot(c3.side)), "part along the slide", "m")
    feet = d.scalar("feet", o.dot(o) + c3.r2, "squared distance of the feet and squared radius", "m^2")
    k = name_form(d, "k", (feet - c1.r2, TWO * o.dot(c3.arm), TWO * o.dot(c3.side)), "|w|^2 - r1^2", "m^2")
    twice, square = d.scalar("rise_2", TWO * rise, "twice that sine"), rise * rise
    both = zip(b.times(b), b.times(h), (*k.coefficients, ZERO, ZERO), strict=True)
    f = [x - twice * y + square * v for x, y, v in both]
    size = d.scalar("squares", feet + c1.r2, "squares of all lengths", "m^2")
    _lever(d, c1, "1", size)
    _lever(d, c3, "3", size)
    cosine, sine = _scaled_zero(d, "3", f, rank, size, "the last angle")
    slide = d.scalar("slid", -b.at(cosine, sine) / rise, "slide", "m")
    z = d.vector("z", o + c3.arm * cosine + c3.side * sine + a2 * slide, "from the foot on axis 1 to x", "m")
    first = unit_pair(d, "q1", z.dot(c1.arm), a1.dot(z.cross(c1.arm)), "the first angle", "m^2")
    return (first, (slide,), (cosine, sine))


def two_slides_and_turn(d: Derivation, e: HeldElements, sigma: Expr) -> tuple[Solved, ...]:
    """Solve P P R: the turned point must reach the plane of both slides."""
    a1, a2, a3 = e.axes
    c3 = circle_of(d, "3", a3, e.point(3), e.s, "s")
    n = d.vector("n", a1.cross(a2), "normal of both slides")
    n2 = d.scalar("n2", n.dot(n), "squared sine between the slides")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    d.guard(n2, ">", least, Status.DEGENERATE, "the slides are parallel")
    o = d.vector("o", c3.foot - e.t, "from t to the foot on axis 3", "m")
    coef_c = d.scalar("coef_c", n.dot(c3.arm), "coefficient of the cosine", "m")
    coef_s = d.scalar("coef_s", n.dot(c3.side), "coefficient of the sine", "m")
    coef_1 = d.scalar("coef_1", n.dot(o), "constant of A cos + B sin + C = 0", "m")
    h2 = d.scalar("h2", coef_c * coef_c + coef_s * coef_s, "squared amplitude", "m^2")
    floor = TINY * (c3.q.dot(c3.q)) + SMALL_LENGTH * SMALL_LENGTH
    d.guard(h2, ">", floor, Status.DEGENERATE, "the angle does not change the height over the plane of the slides")
    margin = d.scalar("margin", h2 - coef_1 * coef_1, "squared amplitude left over; negative: out of reach", "m^2")
    noise = d.scalar(
        "noise", absolute(coef_1) * (o.size() + c3.q.size()), "size of the terms that cancel in the margin", "m^2"
    )
    d.guard(margin, ">=", -(REACH_TOLERANCE * noise), Status.NO_ASSEMBLY, "the circle does not reach the plane")
    scale = FOLD_TOLERANCE * h2 + REACH_TOLERANCE * noise
    d.flag(margin, "<", scale, Status.SINGULAR, "the circle touches the plane: branches meet")
    root = d.scalar("root", sigma * sqrt(not_below_zero(margin)), "root of the margin, with the branch's sign", "m")
    i_h2 = d.scalar("i_h2", 1 / h2, "reciprocal of the squared amplitude", "1/m^2")
    cosine = d.scalar("cos_3", (coef_s * root - coef_c * coef_1) * i_h2, "cosine of the third angle")
    sine = d.scalar("sin_3", -(coef_s * coef_1 + coef_c * root) * i_h2, "sine of the third angle")
    gap = d.vector("gap", -(o + c3.arm * cosine + c3.side * sine), "what the slides have to close", "m")
    slide_1 = d.scalar("slide_1", gap.cross(a2).dot(n) / n2, "first slide", "m")
    slide_2 = d.scalar("slide_2", a1.cross(gap).dot(n) / n2, "second slide", "m")
    return (slide_1,), (slide_2,), (cosine, sine)


def turn_between_slides(d: Derivation, e: HeldElements, sigma: Expr) -> tuple[Solved, ...]:
    """Solve P R P: points of both lines at the same height along axis 2 and at the same distance from it."""
    (a1, a2, a3), p2 = e.axes, e.point(2)
    k1, k3 = d.scalar("k_1", a1.dot(a2), "rise of slide 1"), d.scalar("k_3", a3.dot(a2), "rise of slide 3")
    far = d.vector("far", e.t - p2, "t from axis point 2", "m")
    near = d.vector("near", e.s - p2, "s from axis point 2", "m")
    gap = d.scalar("gap", a2.dot(far) - a2.dot(near), "what both slides have to rise", "m")
    rise2 = d.scalar("rise2", k1 * k1 + k3 * k3, "squared rise of both")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    d.guard(rise2, ">", least, Status.DEGENERATE, "both slides run across axis 2: none closes the height, or many do")
    rest = d.scalar("rest", gap / rise2, "least slides that close the height, per rise", "m")
    x = d.vector("x_far", far - a1 * (k1 * rest), "t, moved back by the least slide", "m")
    y = d.vector("y_near", near + a3 * (k3 * rest), "s, moved by the least slide", "m")
    # Moved on by u k3 and u k1, at equal height, both must be equally far from the axis point: quadratic in u.
    quad = d.scalar("quad", (k3 - k1) * (k3 + k1), "coefficient of u^2")
    half = d.scalar("lin", k3 * a1.dot(x) - k1 * a3.dot(y), "half of the coefficient of -u", "m")
    rest_1 = d.scalar("coef_1", x.dot(x) - y.dot(y), "constant", "m^2")
    text = "both slides rise alike: one assembly is infinitely far away"
    d.guard(absolute(quad), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    margin = d.scalar("margin", half * half - quad * rest_1, "discriminant; negative: out of reach", "m^2")
    noise = d.scalar(
        "noise", half * half + absolute(quad) * (x.dot(x) + y.dot(y)), "size of the terms that cancel in it", "m^2"
    )
    d.guard(margin, ">=", -(REACH_TOLERANCE * noise), Status.NO_ASSEMBLY, "the lines never come equally near the axis")
    d.flag(margin, "<", (FOLD_TOLERANCE + REACH_TOLERANCE) * noise, Status.SINGULAR, "branches meet")
    root = d.scalar("root", sigma * sqrt(not_below_zero(margin)), "root of it, with the branch's sign", "m")
    u = d.scalar("u", (half + root) / quad, "how far both are moved on", "m")
    slide_1 = d.scalar("slide_1", k1 * rest + k3 * u, "first slide", "m")
    slide_3 = d.scalar("slide_3", k3 * rest - k1 * u, "third slide", "m")
    to = d.vector("to", far - a1 * slide_1, "t, the first slide taken back", "m")
    of = d.vector("of", near + a3 * slide_3, "s, slid", "m")
    across = d.vector("of_across", of - a2 * a2.dot(of), "part of that across axis 2", "m")
    floor = TINY * (x.dot(x) + y.dot(y)) + SMALL_LENGTH * SMALL_LENGTH
    d.guard(across.dot(across), ">", floor, Status.DEGENERATE, "the point lies on axis 2: any angle fits, or none")
    return (slide_1,), unit_pair(d, "2", across.dot(to), a2.dot(across.cross(to)), "the angle", "m^2"), (slide_3,)


def three_slides(d: Derivation, e: HeldElements) -> tuple[Solved, ...]:
    """Solve P P P: a linear system."""
    a1, a2, a3 = e.axes
    gap = d.vector("gap", e.t - e.s, "what the slides have to close", "m")
    n = d.vector("n", a2.cross(a3), "normal of the second and third slide")
    det = d.scalar("det_s", a1.dot(n), "determinant of the slides")
    text = "the three slides lie in one plane: none closes, or infinitely many"
    d.guard(absolute(det), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    i_det = d.scalar("i_det_s", 1 / det, "its reciprocal")
    values = (gap.dot(n), gap.dot(a3.cross(a1)), gap.dot(a1.cross(a2)))
    return tuple((d.scalar(f"slide_{k}", v * i_det, f"slide {k}", "m"),) for k, v in enumerate(values, 1))


def _named_turn(d: Derivation, met: TurnedPoint) -> Solved:
    cosine = d.scalar("cos_3", met.cosine, "cosine of the angle of letter 3")
    return cosine, d.scalar("sin_3", met.sine, "sine of the angle of letter 3")


def _named_slide(d: Derivation, slid: Slid) -> Expr:
    return d.scalar("slide_3", slid.slide, "slide of letter 3", "m")


def with_universal(d: Derivation, e: HeldElements, signs: tuple[Expr, ...], *, turns: bool) -> tuple[Solved, ...]:
    """Solve U R or U P: circle or line meets sphere, then two turns about axes that both pass through point 1."""
    (a1, a2, a3), c = e.axes, e.point(1)
    target = d.vector("target", e.t - c, "from the universal centre to t", "m")
    rho2 = d.scalar("rho2", target.dot(target), "squared distance of t from the universal centre", "m^2")
    along = d.scalar("kappa", a1.dot(target), "part of that along the first axis", "m")
    side = d.vector("target_side", a1.cross(target), "part across it, turned by a quarter turn", "m")
    across = d.scalar("across2", side.dot(side), "squared part across it", "m^2")
    least = TINY * rho2 + SMALL_LENGTH * SMALL_LENGTH
    d.guard(across, ">", least, Status.DEGENERATE, "t lies on the first axis: any first angle fits, or none")
    third: Solved
    if turns:
        met = circle_meets_sphere(d, a3, e.point(3), e.s, c, rho2, signs[0])
        y, spread, third = met.y, met.spread, _named_turn(d, met)
    else:
        slid = line_meets_sphere(d, a3, e.s, c, rho2, signs[0])
        y, spread, third = slid.y, slid.spread, (_named_slide(d, slid),)
    arm = d.vector("e", y - c, "from the universal centre to the moved point", "m")
    c12 = d.scalar("c_12", a1.dot(a2), "cosine of the angle between both axes; 0 in a universal pair")
    v = concurrent_axis(d, a2, arm, rho2, along, c12, signs[1], spread)
    second = unit_pair(d, "2", v.dot(a1) - c12 * c12, a2.dot(v.cross(a1)), "the second angle", "1")
    moved = d.vector("e_2", turned_about(a2, *second, arm), "the same after the second turn", "m")
    x = moved.dot(target) - along * along
    first = unit_pair(d, "1", x, a1.dot(moved.cross(target)), "the first angle", "m^2")
    return first, second, third
