"""Two cylindrical pairs and a universal one: {C,C,U}. Degree 8.

Seen from the link that carries both cylindrical axes a_1 and a_3, each turns one side of the universal pair and slides
it along its axis. With n = a_1 x a_3, no slide moves a point along n, so that the two angles theta = -q_2 and q_4 meet

    n . x(theta) = n . y(q_4),   u(q_4) . v(theta) = 0

for the centre seen from either side, x and y, and the axes u and v of the universal pair. Both are linear in cos q_4 and
sin q_4 with coefficients linear in cos theta and sin theta:

    alpha c + beta s = L,   M c + N s = K;   F = (L N - beta K)^2 + (alpha K - L M)^2 - (alpha N - beta M)^2 = 0

is a trigonometric polynomial of degree 4 in theta; forms of degree 1 are multiplied by named coefficients, nothing is
expanded. The slides follow from x - y. One step of Newton's method on both equations gives back what F has lost.

Source: docs/closed-forms.md, derived there.
"""  # noqa: E501

from __future__ import annotations

from symgen.algebra import FOLD_TOLERANCE, HALF, ONE, SINGULAR_TOLERANCE, TINY, TWO, ZERO, Expr
from symgen.derive.blocks.trigonometric import LinearForm, linear_form, name_polynomial, product
from symgen.derive.derivation import Derivation
from symgen.derive.eliminants.elements import (
    LastPair,
    Turn,
    axis_input,
    give_slide,
    give_turn,
    last_pair_inputs,
    lengths,
    point_input,
    turn_between,
    turned,
)
from symgen.derive.eliminants.six_letters import LetterAt, claim_arrival, derive_six_rates, motion_inputs
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md"
BRANCHES = 8


def input_branch(d: Derivation) -> Expr:
    """Declare the branch index."""
    text = "minus the angle of the first cylindrical pair among the real solutions, ascending from -pi"
    return d.input_rank(BRANCHES, text)


def derive_kernel() -> Derivation:
    """Derive the loop on held elements of its six letters."""
    title = "two cylindrical pairs and a universal pair on held letters"
    d = Derivation("loop_ccu kernel", level="kernel", title=title, source=SOURCE)
    a1 = axis_input(d, "a1", "axis of the first cylindrical pair, letters 1 (slide) and 2 (turn)")
    p2 = point_input(d, "p2", "point of that axis")
    a3 = axis_input(d, "a3", "held axis of the second cylindrical pair, letters 3 (slide) and 4 (turn)")
    p4 = point_input(d, "p4", "held point of that axis")
    last = last_pair_inputs(d)
    base = motion_inputs(d, "1", "body that carries axis 1, at p_t", last.wanted_centre)
    target = motion_inputs(d, "2", "body that carries the last axis, at p_t", last.wanted_centre)
    rank = input_branch(d)
    n = d.vector("n", a1.cross(a3), "common normal of the cylindrical axes")
    n2 = d.scalar("n2", n.dot(n), "squared sine of the angle between them")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    d.guard(n2, ">", least, Status.DEGENERATE, "the cylindrical axes are parallel: a slide along both is free")
    arm1 = d.vector("arm1", last.wanted_centre - p2, "wanted centre from the first axis", "m")
    arm3 = d.vector("arm3", last.centre - p4, "held centre from the second axis", "m")
    gap = d.vector("gap", p2 - p4, "from the second to the first point", "m")
    unit = d.scalar("unit", lengths([arm1, arm3, gap]), "a length to measure others in", "m")
    i_unit = d.scalar("i_unit", 1 / unit, "its reciprocal", "1/m")
    r, t, g = (
        d.vector(name, vector * i_unit, f"{what}, in that unit")
        for name, vector, what in (("r", arm1, "first arm"), ("t", arm3, "second arm"), ("g", gap, "gap"))
    )
    theta, q4 = _angles(d, (a1, a3, n), (r, t, g), last, rank)
    turn_2: Turn = (theta[0], -theta[1])
    x = d.vector("x", g + turned(a1, theta, r), "wanted centre from the second point, seen from the link between")
    y = d.vector("y", turned(a3, q4, t), "held centre from there, turned")
    open_ = d.vector("slid", (x - y) * (1 / n2), "what the slides close, over the squared sine")
    slide_1 = give_slide(d, 1, open_.cross(a3).dot(n) * unit)
    slide_3 = give_slide(d, 3, a1.cross(open_).dot(n) * unit)
    given_2, given_4 = give_turn(d, 2, turn_2), give_turn(d, 4, q4)
    w5 = d.vector("w5", turned(a1, given_2, turned(a3, given_4, last.near)), "axis of letter 5")
    before = d.vector("w6_before", turned(a1, given_2, turned(a3, given_4, last.far)), "axis of letter 6, at zero of 5")
    given_5 = give_turn(d, 5, turn_between(w5, before, last.wanted_far))
    given_6 = give_turn(d, 6, turn_between(last.wanted_far, w5, last.wanted_near))
    letters = [
        LetterAt("P", a1, p2, slide_1),
        LetterAt("R", a1, p2, given_2),
        LetterAt("P", a3, p4, slide_3),
        LetterAt("R", a3, p4, given_4),
        LetterAt("R", last.near, last.centre, given_5),
        LetterAt("R", last.far, last.centre, given_6),
    ]
    derive_six_rates(d, letters, base, target)
    claim_arrival(
        d, letters, (last.centre, last.near, last.far), (last.wanted_centre, last.wanted_near, last.wanted_far)
    )
    return d


def _angles(
    d: Derivation,
    normals: tuple[Vector, Vector, Vector],
    arms: tuple[Vector, Vector, Vector],
    last: LastPair,
    rank: Expr,
) -> tuple[Turn, Turn]:
    """Name the steps to theta and q_4."""
    (a1, a3, n), (r, t, g) = normals, arms
    alpha = d.scalar("alpha", n.dot(t), "factor of the cosine in the first equation")
    beta = d.scalar("beta", n.dot(a3.cross(t)), "factor of the sine in the first equation")
    level = linear_form(d, "l", (n.dot(g), n.dot(r), n.dot(a1.cross(r))), "L")
    u, v = last.near, last.wanted_far
    along_v = d.vector("v_along", a1 * a1.dot(v), "wanted axis, part along the first axis")
    off_v = d.vector("v_off", v - along_v, "wanted axis, rest")
    side_v = d.vector("v_side", a1.cross(v), "that part a quarter turn ahead")
    along_u = d.vector("u_along", a3 * a3.dot(u), "carried axis, part along the second axis")
    off_u = d.vector("u_off", u - along_u, "carried axis, rest")
    side_u = d.vector("u_side", a3.cross(u), "that part a quarter turn ahead")
    m, n_form, k = (
        linear_form(d, name, tuple(part.dot(w) for part in (along_v, off_v, side_v)), text)
        for name, w, text in (("m", off_u, "M"), ("nn", side_u, "N"), ("k", -along_u, "K"))
    )
    f, det = _polynomial(d, (alpha, beta), (level, m, n_form, k))
    cosine, sine = d.zero("theta", f, rank, "Angles at which F = 0.")
    below = d.scalar("below", det.at(cosine, sine), "alpha N - beta M at that angle")
    size2 = d.scalar("below_size", alpha * alpha + beta * beta, "squared size of the first equation")
    same = "two assemblies at one angle, or infinitely many"
    d.guard(below * below, ">", TINY * size2, Status.DEGENERATE, same)
    i_below = d.scalar("i_below", 1 / below, "its reciprocal")
    at_l, at_m, at_n, at_k = (
        d.scalar(f"{name}_at", form.at(cosine, sine), f"{name} at that angle")
        for name, form in (("l", level), ("m", m), ("nn", n_form), ("k", k))
    )
    c4 = d.scalar("c4", (at_l * at_n - beta * at_k) * i_below, "cosine of q_4, as good as F is")
    s4 = d.scalar("s4", (alpha * at_k - at_l * at_m) * i_below, "sine of q_4, as good as F is")
    return _corrected(d, (alpha, beta), (level, m, n_form, k), (cosine, sine), (c4, s4))


def _polynomial(
    d: Derivation, first: tuple[Expr, Expr], forms: tuple[LinearForm, LinearForm, LinearForm, LinearForm]
) -> tuple[tuple[Expr, ...], LinearForm]:
    """Name the coefficients of F; return them and alpha N - beta M."""
    (alpha, beta), (level, m, n, k) = first, forms

    def mixed(one: tuple[Expr, ...], two: tuple[Expr, ...], factor: Expr, *, sign: int) -> list[Expr]:
        padded = (*two, *(ZERO,) * (len(one) - len(two)))
        return [sign * (p - factor * q) for p, q in zip(one, padded, strict=True)]

    tops = []
    for name, form, factor, sign in (("top_c", n, beta, 1), ("top_s", m, alpha, -1)):
        text = "L N - beta K" if sign > 0 else "alpha K - L M"
        top = name_polynomial(
            d, name, mixed(product(level.coefficients, form), k.coefficients, factor, sign=sign), text
        )
        by_level = name_polynomial(d, f"{name}_l", product(top, level), f"({text}) L")
        by_k = product(top, k)
        square = name_polynomial(d, f"{name}_2", mixed(product(by_level, form), by_k, factor, sign=sign), "its square")
        tops.append(square)
    values = [alpha * p - beta * q for p, q in zip(n.coefficients, m.coefficients, strict=True)]
    det = linear_form(d, "det", values, "alpha N - beta M")
    det2 = (*product(det.coefficients, det), ZERO, ZERO, ZERO, ZERO)
    full = [p + q - w for p, q, w in zip(*tops, det2, strict=True)]
    return name_polynomial(d, "f", full, "F"), det


def _corrected(
    d: Derivation,
    first: tuple[Expr, Expr],
    forms: tuple[LinearForm, LinearForm, LinearForm, LinearForm],
    theta: Turn,
    q4: Turn,
) -> tuple[Turn, Turn]:
    """Name one step of Newton's method on both equations, held back at a fold."""
    (alpha, beta), (level, m, n, k), (c, s), (c4, s4) = first, forms, theta, q4

    def slope(form: LinearForm) -> Expr:
        return form.sine * c - form.cosine * s

    d1 = d.scalar("d1_theta", slope(level), "first equation, by theta")
    e1 = d.scalar("d1_q4", alpha * s4 - beta * c4, "first equation, by q_4")
    d2 = d.scalar("d2_theta", slope(k) - slope(m) * c4 - slope(n) * s4, "second equation, by theta")
    e2 = d.scalar("d2_q4", m.at(c, s) * s4 - n.at(c, s) * c4, "second equation, by q_4")
    f1 = d.scalar("lack_1", level.at(c, s) - alpha * c4 - beta * s4, "what the first equation lacks")
    f2 = d.scalar("lack_2", k.at(c, s) - m.at(c, s) * c4 - n.at(c, s) * s4, "what the second equation lacks")
    fold = d.scalar("fold", d1 * e2 - d2 * e1, "determinant of both; zero where two assemblies meet")
    fold2 = d.scalar("fold2", fold * fold, "its square")
    size = alpha * alpha + beta * beta + level.cosine * level.cosine + level.sine * level.sine
    size2 = d.scalar("fold_size2", size, "what its square does not exceed")
    d.flag(fold2, "<=", FOLD_TOLERANCE * size2, Status.SINGULAR, "two assemblies meet")
    factor = d.scalar("step", fold / (fold2 + SINGULAR_TOLERANCE * SINGULAR_TOLERANCE * size2), "held back at a fold")
    by_theta = d.scalar("step_theta", (e1 * f2 - e2 * f1) * factor, "how far theta still has to turn", "rad")
    by_q4 = d.scalar("step_q4", (d2 * f1 - d1 * f2) * factor, "how far q_4 still has to turn", "rad")

    def moved(name: str, turn: Turn, step: Expr) -> Turn:
        half = d.scalar(f"{name}_half", HALF * step, "tangent of half of the step")
        scale = d.scalar(f"{name}_scale", 1 / (ONE + half * half), "squared cosine of it")
        cos_t, sin_t = (ONE - half * half) * scale, TWO * half * scale
        cosine = d.scalar(f"{name}_c", turn[0] * cos_t - turn[1] * sin_t, f"cosine of {name}")
        sine = d.scalar(f"{name}_s", turn[1] * cos_t + turn[0] * sin_t, f"sine of {name}")
        size = d.scalar(f"{name}_size", HALF * (3 - cosine * cosine - sine * sine), "to unit length")
        return d.scalar(f"{name}_cos", cosine * size, f"cosine of {name}"), d.scalar(
            f"{name}_sin", sine * size, f"sine of {name}"
        )

    return moved("turn_theta", theta, by_theta), moved("turn_q4", q4, by_q4)
