"""Class III triad with six revolute pairs: a platform on three links between moving centres, planar.

Centres a_1 to a_3 on known bodies, leg lengths l_1 to l_3 and the platform's points b_1 to b_3 are given. With R the
turn of the platform by phi, d_i = b_i - b_1 and w_i = R d_i - (a_i - a_1), the first leg P and the others P + w_i:

    |P|^2 = l_1^2,   w_i . P = -h_i,   h_i = (|w_i|^2 + l_1^2 - l_i^2) / 2,   i = 2, 3

Two linear equations give P = J (h_2 w_3 - h_3 w_2) / D with D = w_2 x w_3 (J: quarter turn); the first then reads

    F(phi) = h_2^2 |w_3|^2 + h_3^2 |w_2|^2 - 2 h_2 h_3 w_2 . w_3 - l_1^2 D^2 = 0

Because R keeps lengths, h_i, |w_i|^2, w_2 . w_3 and D are all linear in (1, cos phi, sin phi): F is a trigonometric
polynomial of degree 3 with at most six real zeros. No zero is foreign unless w_2 and w_3 vanish together, which takes
a platform that fits on the centres; the leg lengths are looked at. F is never expanded: forms of degree 1 are
multiplied by named coefficients. All lengths are measured in their sum.

Where D vanishes at another zero, two assemblies share one platform angle, and P does not follow from it: DEGENERATE.
One step of Newton's method on the leg lengths gives back the digits that the product of six lengths and D have lost;
its 3 x 3 matrix, which is that of the rates, tells folds: the lines of the legs meet in one point, or are parallel.

Source: docs/closed-forms.md, derived there; degree 6: Hunt 1983 (3-RPR platform), Gosselin, Sefrioui, Richard 1992.
"""

from __future__ import annotations

from symgen.algebra import FOLD_TOLERANCE, HALF, SINGULAR_TOLERANCE, SMALL_LENGTH, TINY, TWO, ZERO, Expr, absolute
from symgen.derive.blocks.planar import rotated
from symgen.derive.blocks.platform import Three, platform_system
from symgen.derive.blocks.trigonometric import LinearForm, linear_form, name_polynomial, product
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md; degree 6: Hunt 1983; Gosselin, Sefrioui, Richard 1992"
BRANCHES = 6


def input_branch(d: Derivation) -> Expr:
    """Declare the branch index."""
    return d.input_rank(BRANCHES, "the platform's angle phi among the real solutions, ascending from -pi")


def _squared(d: Derivation, name: str, arm: Vector, base: Vector, meaning: str) -> LinearForm:
    """Name |R arm - base|^2 as a form in the angle of R."""
    values = (arm.dot(arm) + base.dot(base), -(TWO * arm.dot(base)), -(TWO * arm.area(base)))
    return linear_form(d, name, values, meaning)


def _half_difference(
    d: Derivation, name: str, square: LinearForm, first2: Expr, own2: Expr, meaning: str
) -> LinearForm:
    """Name half of a squared distance plus the first leg's square less the own one's."""
    constant = d.scalar(f"{name}_0", HALF * (square.constant + first2 - own2), f"{meaning}: constant")
    cosine, sine = square.half_cosine, square.half_sine
    quarter_c = d.scalar(f"{name}_c2", HALF * cosine, f"{meaning}: half the coefficient of the cosine")
    quarter_s = d.scalar(f"{name}_s2", HALF * sine, f"{meaning}: half the coefficient of the sine")
    return LinearForm(constant, cosine, sine, quarter_c, quarter_s)


def _platform_angle(
    d: Derivation, bases: tuple[Vector, Vector], arms: tuple[Vector, Vector], lengths: tuple[Expr, Expr, Expr]
) -> tuple[Expr, Expr, Vector]:
    """Name the steps to the platform's angle and the first leg, all in lengths of order 1; return (cos, sin, P)."""
    (base2, base3), (arm2, arm3) = bases, arms
    squares = tuple(
        d.scalar(f"s{k}_2", length * length, f"squared length of leg {k}") for k, length in enumerate(lengths, start=1)
    )
    n2 = _squared(d, "n2", arm2, base2, "|w_2|^2")
    n3 = _squared(d, "n3", arm3, base3, "|w_3|^2")
    crossed = (
        -(base3.dot(arm2) + base2.dot(arm3)),
        -(arm2.area(base3) + arm3.area(base2)),
    )
    m = linear_form(d, "m", (arm2.dot(arm3) + base2.dot(base3), *crossed), "w_2 . w_3")
    turned = (-(arm2.area(base3) + base2.area(arm3)), arm2.dot(base3) - arm3.dot(base2))
    area = linear_form(d, "d", (arm2.area(arm3) + base2.area(base3), *turned), "D = w_2 x w_3")
    h2 = _half_difference(d, "h2", n2, squares[0], squares[1], "h_2")
    h3 = _half_difference(d, "h3", n3, squares[0], squares[2], "h_3")

    both = [
        [p - q for p, q in zip(product(one, normal), product(other, m), strict=True)]
        for one, normal, other in (
            (h2.coefficients, n3, h3.coefficients),
            (h3.coefficients, n2, h2.coefficients),
        )
    ]
    e2 = name_polynomial(d, "e2", both[0], "h_2 |w_3|^2 - h_3 w_2 . w_3")
    e3 = name_polynomial(d, "e3", both[1], "h_3 |w_2|^2 - h_2 w_2 . w_3")
    dd = name_polynomial(d, "dd", [squares[0] * v for v in product(area.coefficients, area)], "l_1^2 D^2")
    sums = [p + q for p, q in zip(product(e2, h2), product(e3, h3), strict=True)]
    full = [p - q for p, q in zip(sums, (*dd, ZERO, ZERO), strict=True)]
    f = name_polynomial(d, "f", full, "F")

    reach = ZERO
    for value in f[1:]:
        reach = reach + value * value
    reach2 = d.scalar("reach2", reach, "squared size of what depends on the angle")
    most2, most3, most_d = (
        d.scalar(f"most_{form}", value.bound(), f"what {text} does not exceed")
        for form, value, text in (("h2", h2, "h_2"), ("h3", h3, "h_3"), ("d", area, "D"))
    )
    terms = most2 * most2 * n3.bound() + most3 * most3 * n2.bound() + squares[0] * most_d * most_d
    scale = d.scalar("scale", terms, "what the terms of F do not exceed")
    flat = TINY * scale * scale
    d.guard(reach2, ">", flat, Status.DEGENERATE, "the legs do not determine the platform's angle")
    cosine, sine = d.zero("q", f, d.branch, "Angles of the platform at which F = 0.")
    w2 = d.vector("w2", rotated(cosine, sine, arm2) - base2, "second leg less the first")
    w3 = d.vector("w3", rotated(cosine, sine, arm3) - base3, "third leg less the first")
    denominator = d.scalar("big_d", w2.area(w3), "D at that angle")
    least = TINY * w2.dot(w2) * w3.dot(w3)
    same = "two assemblies at one platform angle, or infinitely many: legs two and three say the same of the first"
    d.guard(denominator * denominator, ">", least, Status.DEGENERATE, same)
    at2 = d.scalar("h2_there", h2.at(cosine, sine), "h_2 at that angle")
    at3 = d.scalar("h3_there", h3.at(cosine, sine), "h_3 at that angle")
    i_d = d.scalar("i_d", 1 / denominator, "reciprocal of D")
    first = d.vector("first", (w3 * at2 - w2 * at3).turned() * i_d, "first leg, as good as F and D are")
    arms2 = d.scalar("arms2", arm2.dot(arm2) + arm3.dot(arm3), "squared size of the platform")
    spans = (w2, w3, w2 + base2, w3 + base3)
    return _corrected(d, (cosine, sine, first), spans, (*squares, arms2), denominator)


def _corrected(
    d: Derivation,
    found: tuple[Expr, Expr, Vector],
    spans: tuple[Vector, Vector, Vector, Vector],
    squares: tuple[Expr, ...],
    denominator: Expr,
) -> tuple[Expr, Expr, Vector]:
    """Name one step of Newton's method on the three leg lengths; return (cos, sin, P).

    The polynomial multiplies six lengths, and P is a quotient by D: what they lose of the digits comes back here. At a
    fold, where the determinant vanishes, the step is held back: there is nothing to be gained.
    """
    cosine, sine, first = found
    w2, w3, arm2, arm3 = spans
    u2 = d.vector("second", first + w2, "second leg")
    u3 = d.vector("third", first + w3, "third leg")
    r2, r3 = d.vector("turned_2", arm2, "second arm, turned"), d.vector("turned_3", arm3, "third arm, turned")
    x12 = d.scalar("y12", first.area(w2), "first leg x second leg")
    x13 = d.scalar("y13", first.area(w3), "first leg x third leg")
    m2, m3 = d.scalar("k2", r2.area(u2), "second arm x leg"), d.scalar("k3", r3.area(u3), "third arm x leg")
    det = d.scalar("fold", m3 * x12 - m2 * x13, "determinant of the legs' lines; zero where two assemblies meet")
    size2 = d.scalar("fold_size2", squares[0] * squares[1] * squares[2] * squares[3], "what its square does not exceed")
    det2 = d.scalar("fold2", det * det, "its square")
    d.flag(det2, "<=", FOLD_TOLERANCE * size2, Status.SINGULAR, "the legs' lines meet: two assemblies meet")
    held = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE * size2
    factor = d.scalar("step", HALF * det / (det2 + held), "half the reciprocal of the determinant, held back at a fold")
    e1, e2, e3 = (
        d.scalar(f"lack_{k}", square - u.dot(u), f"squared length that leg {k} lacks")
        for k, (square, u) in enumerate(zip(squares[:3], (first, u2, u3), strict=True), 1)
    )
    lack = d.scalar("lack", absolute(e1) + absolute(e2) + absolute(e3), "what all legs lack")
    legs2 = d.scalar("legs2", squares[0] + squares[1] + squares[2], "squared lengths of all legs")
    foreign = "a zero of F that is no assembly: w_2 and w_3 vanish, or P does not follow from the angle"
    d.guard(lack * lack, "<=", FOLD_TOLERANCE * legs2 * legs2, Status.DEGENERATE, foreign)
    rest = d.vector("without_turn", u2 * m3 - u3 * m2, "legs two and three without the platform's turning")
    e23 = d.scalar("lack_23", m3 * e2 - m2 * e3, "what they lack")
    turn = e1 * (denominator + x13 - x12) - e2 * x13 + e3 * x12
    turn = d.scalar("turn", turn * factor, "how far the platform still has to turn", "rad")
    moved = (first.turned() * e23 - rest.turned() * e1) * factor
    better_c = d.scalar("cos_phi", cosine - turn * (sine + HALF * turn * cosine), "cosine of the platform's angle")
    better_s = d.scalar("sin_phi", sine + turn * (cosine - HALF * turn * sine), "sine of the platform's angle")
    return better_c, better_s, d.vector("leg_1", first + moved, "first leg")


def derive_kernel() -> Derivation:
    """Derive the triad on world points: centres, leg lengths, the platform's points, and the centres' motion."""
    title = "platform on three links between moving centres"
    d = Derivation("triad_rr_rr_rr kernel", level="kernel", title=title, source=SOURCE)
    words = ("first", "second", "third")
    centres = [d.input_vector(f"a{k}", 2, meaning=f"centre of the {w} leg", unit="m") for k, w in enumerate(words, 1)]
    d2, d3 = (
        d.input_vector(
            f"d{k}", 2, meaning=f"from the first to the {w} leg's joint on the platform", unit="m", frame="platform"
        )
        for k, w in enumerate(words[1:], 2)
    )
    lengths = tuple(
        d.input_scalar(f"l{k}", meaning=f"length of the {w} leg", unit="m", range="> 1e-50 (float: 1e-6)")
        for k, w in enumerate(words, 1)
    )
    v1, v2, v3 = (
        d.input_vector(f"v_a{k}", 2, meaning=f"velocity of the {w} leg's centre", unit="m/s")
        for k, w in enumerate(words, 1)
    )
    a1, a2, a3 = (
        d.input_vector(f"a_a{k}", 2, meaning=f"acceleration of the {w} leg's centre", unit="m/s^2")
        for k, w in enumerate(words, 1)
    )
    input_branch(d)
    for k, length in enumerate(lengths, 1):
        d.guard(length, ">", SMALL_LENGTH, Status.BAD_INPUT, "a leg has no length", when="used", port=f"l{k}")
    base2 = d.vector("base2", centres[1] - centres[0], "from the first to the second centre", "m")
    base3 = d.vector("base3", centres[2] - centres[0], "from the first to the third centre", "m")
    total = lengths[0] + lengths[1] + lengths[2] + d2.size() + d3.size() + base2.size() + base3.size()
    unit = d.scalar("unit", total, "sum of all lengths", "m")
    i_unit = d.scalar("i_unit", 1 / unit, "its reciprocal", "1/m")
    g2, g3, e2, e3 = (
        d.vector(name, vector * i_unit, f"{meaning}, in that unit")
        for name, vector, meaning in (
            ("g2", base2, "second base"),
            ("g3", base3, "third base"),
            ("arm_2", d2, "second arm"),
            ("arm_3", d3, "third arm"),
        )
    )
    s1, s2, s3 = (d.scalar(f"s{k}", v * i_unit, f"length of leg {k}, in that unit") for k, v in enumerate(lengths, 1))
    cosine, sine, first = _platform_angle(d, (g2, g3), (e2, e3), (s1, s2, s3))
    p = d.vector("p", centres[0] + first * unit, "joint of the first leg on the platform", "m")
    d.output("p", p, meaning="joint of the first leg on the platform", unit="m")
    d.output("cos_phi", cosine, meaning="cosine of the platform's angle", unit="")
    d.output("sin_phi", sine, meaning="sine of the platform's angle", unit="")

    with d.part("geometry"):
        r2 = d.vector("r2", rotated(cosine, sine, d2), "from the first to the second leg's joint on the platform", "m")
        r3 = d.vector("r3", rotated(cosine, sine, d3), "from the first to the third leg's joint on the platform", "m")
        u1 = d.vector("u1", p - centres[0], "first leg", "m")
        u2 = d.vector("u2", p + r2 - centres[1], "second leg", "m")
        u3 = d.vector("u3", p + r3 - centres[2], "third leg", "m")
    system = platform_system(d, (u1, u2, u3), (r2, r3))
    velocities: Three = (v1, v2, v3)
    with d.part("velocity"):
        right = [
            d.scalar(f"open{k}", v, f"what leg {k} asks for", "m^2/s")
            for k, v in enumerate(system.opened(velocities), 1)
        ]
        v, turn = system.solve(*right)
        v_p = d.vector("v_p", v, "velocity of p", "m/s")
        omega = d.scalar("omega", turn, "angular velocity of the platform", "rad/s")
        tips = system.tips(v_p, omega)
        turns = tuple(
            d.scalar(f"omega_{k}", value, f"angular velocity of leg {k}", "rad/s")
            for k, value in enumerate(system.leg_turns(tips, velocities), 1)
        )
        d.output("v_p", v_p, meaning="velocity of p", unit="m/s")
        d.output("omega", omega, meaning="angular velocity of the platform", unit="rad/s")
        d.output("omega_legs", turns, meaning="angular velocities of the legs", unit="rad/s")
    with d.part("acceleration"):
        omega2 = d.scalar("omega2", omega * omega, "squared angular velocity of the platform", "1/s^2")
        squares = tuple(
            d.scalar(f"n{k}_turn", w * w, f"squared angular velocity of leg {k}", "1/s^2")
            for k, w in enumerate(turns, 1)
        )
        accelerations: Three = (a1, a2, a3)
        asked = system.opened_twice(accelerations, omega2, squares)
        right = [
            d.scalar(f"open{k}_2", v, f"what leg {k} asks for, accelerations", "m^2/s^2")
            for k, v in enumerate(asked, 1)
        ]
        a, turn = system.solve(*right)
        a_p = d.vector("a_p", a, "acceleration of p", "m/s^2")
        alpha = d.scalar("alpha", turn, "angular acceleration of the platform", "rad/s^2")
        d.output("a_p", a_p, meaning="acceleration of p", unit="m/s^2")
        d.output("alpha", alpha, meaning="angular acceleration of the platform", unit="rad/s^2")
        leg_alphas = tuple(
            d.scalar(f"alpha_{k}", value, f"angular acceleration of leg {k}", "rad/s^2")
            for k, value in enumerate(system.leg_turns(system.tip_accelerations(a_p, alpha, omega2), accelerations), 1)
        )
        d.output("alpha_legs", leg_alphas, meaning="angular accelerations of the legs", unit="rad/s^2")
    _claim(d, system.legs, lengths, velocities, system.tips(v_p, omega))
    return d


def _claim(d: Derivation, legs: Three, lengths: tuple[Expr, ...], centres: Three, tips: Three) -> None:
    """Claim that the legs have and keep their lengths."""
    held = [u.dot(u) - length * length for u, length in zip(legs, lengths, strict=True)]
    d.claim_zero("lengths", "every leg has its length", held)
    kept = [(tip - centre).dot(u) for u, tip, centre in zip(legs, tips, centres, strict=True)]
    d.claim_zero("rigid_velocity", "velocities keep the length of every leg", kept)
