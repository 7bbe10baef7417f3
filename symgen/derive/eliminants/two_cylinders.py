"""Two cylindrical pairs and a universal one: {C,C,U}. Degree 8.

Seen from the link that carries both cylindrical axes a_1 and a_3, each turns one side of the universal pair and slides
it along its axis. With n = a_1 x a_3, no slide moves a point along n, so that the two angles theta = -q_2 and q_4 meet

    n . x(theta) = n . y(q_4),   u(q_4) . v(theta) = 0

for the centre seen from either side, x and y, and the axes u and v of the universal pair. Both are linear in cos q_4 and
sin q_4 with coefficients linear in cos theta and sin theta:

    alpha c + beta s = L,   M c + N s = K;   F = (L N - beta K)^2 + (alpha K - L M)^2 - (alpha N - beta M)^2 = 0

is a trigonometric polynomial of degree 4 in theta; forms of degree 1 are multiplied by named coefficients, nothing is
expanded. The slides follow from x - y; all six equations of the loop close what F leaves open.

Source: docs/closed-forms.md, derived there.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass, replace

from symgen.algebra import SINGULAR_TOLERANCE, SMALL_LENGTH, TINY, ZERO, Expr
from symgen.derive.assemblies import Closure, Coordinates, LoopKernel
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
from symgen.derive.eliminants.six_letters_closure import ClosureLetter, close_six
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md"
BRANCHES = 8


def input_branch(d: Derivation) -> Expr:
    """Declare the branch index."""
    text = "minus the angle of the first cylindrical pair among the real solutions, ascending from -pi"
    return d.input_rank(BRANCHES, text)


@dataclass(frozen=True)
class TwoCylindersElements:
    """Held axes and points of both cylindrical pairs, and the last pair."""

    a1: Vector
    p2: Vector
    a3: Vector
    p4: Vector
    last: LastPair

    @property
    def letters(self) -> tuple[ClosureLetter, ...]:
        """The six letters."""
        last = self.last
        row = (("P", self.a1, self.p2), ("R", self.a1, self.p2), ("P", self.a3, self.p4), ("R", self.a3, self.p4))
        ends = (("R", last.near, last.centre), ("R", last.far, last.centre))
        return tuple(ClosureLetter(kind, axis, point) for kind, axis, point in (*row, *ends))  # type: ignore[arg-type]


class TwoCylinders(LoopKernel[TwoCylindersElements]):
    """The loop: coordinates are the turns 2, 4, 5, 6 and the slides 1, 3."""

    id = "loop_ccu"
    degree, turns, lengths = 4, 4, 2

    def declare(self, d: Derivation) -> TwoCylindersElements:
        """Declare the held elements."""
        a1 = axis_input(d, "a1", "axis of the first cylindrical pair, letters 1 (slide) and 2 (turn)")
        p2 = point_input(d, "p2", "point of that axis")
        a3 = axis_input(d, "a3", "held axis of the second cylindrical pair, letters 3 (slide) and 4 (turn)")
        p4 = point_input(d, "p4", "held point of that axis")
        return TwoCylindersElements(a1, p2, a3, p4, last_pair_inputs(d))

    def unit(self, d: Derivation, e: TwoCylindersElements) -> Expr:
        """Name the sum of both arms and the gap."""
        arms = e.last.wanted_centre - e.p2, e.last.centre - e.p4, e.p2 - e.p4
        return d.scalar("unit", lengths(arms) + SMALL_LENGTH, "length used as the unit below", "m")

    def candidate(self, d: Derivation, e: TwoCylindersElements) -> Coordinates:
        """Name both angles from a zero of F, then slides and the universal pair."""
        a1, a3, last = e.a1, e.a3, e.last
        n = d.vector("n", a1.cross(a3), "common normal of the cylindrical axes")
        n2 = d.scalar("n2", n.dot(n), "squared sine of the angle between them")
        least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
        text = "the cylindrical axes are parallel: a slide along both is free"
        d.guard(n2, ">", least, Status.DEGENERATE, text)
        i_unit = d.scalar("i_unit", 1 / self.unit(d, e), "its reciprocal", "1/m")
        r, t, g = (
            d.vector(name, vector * i_unit, f"{what}, in that unit")
            for name, vector, what in (
                ("r", last.wanted_centre - e.p2, "required centre from the first axis"),
                ("t", last.centre - e.p4, "held centre from the second axis"),
                ("g", e.p2 - e.p4, "from the second to the first point"),
            )
        )
        theta, q4 = _angles(d, (a1, a3, n), (r, t, g), last)
        turn_2: Turn = (theta[0], -theta[1])
        x = d.vector("x", g + turned(a1, theta, r), "required centre from the second point, seen from the link between")
        y = d.vector("y", turned(a3, q4, t), "held centre from there, turned")
        open_ = d.vector("slid", (x - y) * (1 / n2), "what the slides close, over the squared sine")
        slides = (open_.cross(a3).dot(n), a1.cross(open_).dot(n))
        w5 = d.vector("w5", turned(a1, turn_2, turned(a3, q4, last.near)), "axis of letter 5")
        before = d.vector("w6_before", turned(a1, turn_2, turned(a3, q4, last.far)), "axis of letter 6, at zero of 5")
        turn_5 = turn_between(w5, before, last.wanted_far)
        return Coordinates((turn_2, q4, turn_5, turn_between(last.wanted_far, w5, last.wanted_near)), slides)

    def closure(self, d: Derivation, e: TwoCylindersElements, at: Coordinates) -> Closure:
        """Name the closing equations; theta = -q_2 ranks assemblies."""
        per = d.scalar("i_unit", 1 / self.unit(d, e), "its reciprocal", "1/m")
        found, _ = close_six(d, e.letters, at, e.last, per, 0)
        return replace(found, place=(found.place[0], -found.place[1]))


def derive_kernel() -> Derivation:
    """Derive the loop on held elements of its six letters."""
    title = "two cylindrical pairs and a universal pair on held letters"
    d = Derivation("loop_ccu kernel", level="kernel", title=title, source=SOURCE)
    loop = TwoCylinders()
    e = loop.declare(d)
    last = e.last
    base = motion_inputs(d, "1", "body that carries axis 1, at p_t", last.wanted_centre)
    target = motion_inputs(d, "2", "body that carries the last axis, at p_t", last.wanted_centre)
    found = loop.assemblies(d, input_branch(d))
    unit = loop.unit(d, e)
    slides = [give_slide(d, k, length * unit) for k, length in zip((1, 3), found.lengths, strict=True)]
    turns = [give_turn(d, k, turn) for k, turn in zip((2, 4, 5, 6), found.turns, strict=True)]
    coordinates: tuple[Turn | Expr, ...] = (slides[0], turns[0], slides[1], *turns[1:])
    letters = [LetterAt(x.kind, x.axis, x.point, q) for x, q in zip(e.letters, coordinates, strict=True)]
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
) -> tuple[Turn, Turn]:
    """Name the steps to theta and q_4."""
    (a1, a3, n), (r, t, g) = normals, arms
    alpha = d.scalar("alpha", n.dot(t), "factor of the cosine in the first equation")
    beta = d.scalar("beta", n.dot(a3.cross(t)), "factor of the sine in the first equation")
    level = linear_form(d, "l", (n.dot(g), n.dot(r), n.dot(a1.cross(r))), "L")
    u, v = last.near, last.wanted_far
    along_v = d.vector("v_along", a1 * a1.dot(v), "required axis, part along the first axis")
    off_v = d.vector("v_off", v - along_v, "required axis, rest")
    side_v = d.vector("v_side", a1.cross(v), "that part, turned by a quarter turn")
    along_u = d.vector("u_along", a3 * a3.dot(u), "carried axis, part along the second axis")
    off_u = d.vector("u_off", u - along_u, "carried axis, rest")
    side_u = d.vector("u_side", a3.cross(u), "that part, turned by a quarter turn")
    m, n_form, k = (
        linear_form(d, name, tuple(part.dot(w) for part in (along_v, off_v, side_v)), text)
        for name, w, text in (("m", off_u, "M"), ("nn", side_u, "N"), ("k", -along_u, "K"))
    )
    f, det = _polynomial(d, (alpha, beta), (level, m, n_form, k))
    cosine, sine = d.zero("theta", f, ZERO, "Angles at which F = 0.")
    below = d.scalar("below", det.at(cosine, sine), "alpha N - beta M at that angle")
    size2 = d.scalar("below_size", alpha * alpha + beta * beta, "squared size of the first equation")
    same = "two assemblies at one angle, or infinitely many"
    d.guard(below * below, ">", TINY * size2, Status.DEGENERATE, same)
    i_below = d.scalar("i_below", 1 / below, "its reciprocal")
    at_l, at_m, at_n, at_k = (
        d.scalar(f"{name}_at", form.at(cosine, sine), f"{name} at that angle")
        for name, form in (("l", level), ("m", m), ("nn", n_form), ("k", k))
    )
    c4 = d.scalar("c4", (at_l * at_n - beta * at_k) * i_below, "cosine of q_4, as accurate as F")
    s4 = d.scalar("s4", (alpha * at_k - at_l * at_m) * i_below, "sine of q_4, as accurate as F")
    return (cosine, sine), (c4, s4)


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
