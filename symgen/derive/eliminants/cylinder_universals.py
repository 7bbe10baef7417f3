"""One cylindrical and two universal pairs: {C,U,U}. Degree 16.

In the order C, U, U the cylindrical pair carries the first universal pair about and along its axis. Its angle remains
the unknown. The length of the link between both universal centres determines the slide: the line of the link is e = m +
s a with s^2 = |link|^2 - |m|^2 and m normal to the axis a: one square root. From the last centre the far axis of the
link follows by another one, as in `symgen.derive.eliminants.universal_leg`, with s in it; it must be normal to the axis
u carried by the cylindrical pair:

    X + t Y = 0,   t^2 = D - kappa^2,   X, Y and D of the form x + s y

The product over both signs of t is G = X^2 - t^2 Y^2, that over both signs of s its norm. Divided by the norm of D it is
a trigonometric polynomial of degree 8: it is sampled, its real zeros are all assemblies. At a zero the signs follow, s
from G = 0, then t from X + t Y = 0.

Where the slide has no real root, far from the angle q_0 at which the link reaches best, the polynomial may be larger by
many orders of magnitude than where the zeros are. So it is sampled in psi,

    tan((q - q_0)/2) = k tan(psi/2),   W = cos^2(psi/2) + k^2 sin^2(psi/2),

with k such that the link reaches on half of the circle: times W^8 it is a polynomial of the same degree in psi.

Source: docs/closed-forms.md (norm elimination), derived there.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass, replace

from symgen.algebra import (
    HALF,
    ONE,
    REACH_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    TWO,
    ZERO,
    Expr,
    not_below_zero,
    ratio,
    sqrt,
)
from symgen.derive.assemblies import Closure, Coordinates, LoopKernel
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
    second_axis,
    sign,
    turn_between,
    turned,
)
from symgen.derive.eliminants.six_letters import LetterAt, claim_arrival, derive_six_rates, motion_inputs
from symgen.derive.eliminants.six_letters_closure import ClosureLetter, close_six
from symgen.derive.eliminants.surds import SurdVector
from symgen.derive.eliminants.universal_leg import UniversalLink, carried, held_link, placed_link, universal_leg
from symgen.derive.items import Inner
from symgen.derive.sampling import sampled
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md (norm elimination)"
BRANCHES = 16
DEGREE = 8
#: How far beyond the reach of the link zeros are still looked at, as a cosine.
EDGE = ratio(1, 64)
#: Least k^2: a link that reaches nearly nowhere.
NARROWEST = ratio(1, 10**12)
Shape = tuple[Expr, Expr, Expr, Expr]
_PORTS = ("axis", "arm", "base", "carried_axis", "last_axis")


def input_branch(d: Derivation) -> Expr:
    """Declare the branch index."""
    return d.input_rank(
        BRANCHES,
        "the angle of the cylindrical pair among the real solutions, ascending from where the link reaches least",
    )


class CylinderUniversalsClosure:
    """The closing equation at one angle.

    `given`: axis of the cylindrical pair; held arm from its point to the first universal centre; that point from the
    last centre; `carried_axis`, held; `last_axis` of the last pair. All lengths in one unit.
    """

    def __init__(
        self, d: Derivation, psi: tuple[Expr, Expr], given: dict[str, Vector], shape: Shape, rho2: Expr, k: Expr
    ) -> None:
        along_v, along_e, beside, kappa = shape
        at = self._spread(d, psi, k)
        axis, u = given["axis"], given["last_axis"]
        reach = given["base"] + turned(axis, at, given["arm"])
        self.reach = d.vector("reach", reach, "first universal centre from the last one, at zero slide")
        self.height = d.scalar("height", axis.dot(self.reach), "its part along the axis")
        m = self.m = d.vector("m", self.reach - axis * self.height, "its part across the axis")
        self.near = d.vector("near_at", turned(axis, at, given["carried_axis"]), "axis carried by the cylindrical pair")
        self.s2 = s2 = d.scalar("s2", rho2 - m.dot(m), "squared square root of the slide; negative: out of reach")
        e = SurdVector(m, axis, s2)
        h = e.dot(u).named(d, "h", "part of e along the last axis")
        size2 = (h * h).times(-ONE).plus(TINY + rho2).named(d, "big_d", "D: squared part of e across the last axis")
        self.size2 = size2
        across = SurdVector(m - u * h.x, axis - u * h.y, s2)
        side = SurdVector(u.cross(m), u.cross(axis), s2)
        along = (size2 * e.dot(self.near)).times(along_e) + across.dot(self.near).times(along_v * kappa)
        aside = side.dot(self.near).named(d, "aside", "part of u x e along the carried axis")
        self.without = (along - (h * aside).times(beside * kappa)).named(d, "without", "closing equation without t")
        level = self.near.dot(u)
        bent = (h * e.dot(self.near)).plus(-(rho2 * level)).times(beside)
        self.factor = (aside.times(along_v) + bent).named(d, "factor", "closing equation: factor of t")
        self.t2 = size2.plus(-(kappa * kappa)).named(d, "t2", "squared square root of the universal pair")
        squares = self.without * self.without, self.factor * self.factor
        self.g = (squares[0] - self.t2 * squares[1].named(d, "factor2", "its square")).named(
            d, "g", "G, both signs of t"
        )
        self.norm = d.scalar("norm", self.weight * self.g.norm() / size2.norm(), "product over all signs, times W^8")

    def _spread(self, d: Derivation, psi: tuple[Expr, Expr], k: Expr) -> tuple[Expr, Expr]:
        """Name W, W^8, and cosine and sine of q - q_0."""
        k2 = d.scalar("k2", k * k, "k^2")
        w = d.scalar("w", HALF * ((ONE + k2) + (ONE - k2) * psi[0]), "W")
        power = d.scalar("w_2", w * w, "W^2")
        power = d.scalar("w_4", power * power, "W^4")
        self.weight = d.scalar("w_8", power * power, "W^8")
        cosine = d.scalar("cos_off", HALF * ((ONE - k2) + (ONE + k2) * psi[0]) / w, "cosine of q - q_0")
        self.off = cosine, d.scalar("sin_off", k * psi[1] / w, "sine of q - q_0")
        return self.off


def derive_eliminant() -> Inner:
    """Derive the product over all signs as a routine of the angle's cosine and sine."""
    title = "Product of the closing equation over all signs"
    d = Derivation("loop_cuu eliminant", level="kernel", title=title, source=SOURCE)
    at = (d.input_scalar("c", meaning="cosine", unit=""), d.input_scalar("s_at", meaning="sine", unit=""))
    given = {name: d.input_vector(name, 3, meaning="see the routine that samples", unit="") for name in _PORTS}
    names = ("along_v", "along_e", "beside", "kappa")
    a, b, c, kappa = d.input_array("link", [f"link_{n}" for n in names], meaning="shape of the link", unit="")
    rho2 = d.input_scalar("rho2", meaning="squared length of the link", unit="")
    narrow = d.input_scalar("k", meaning="how far angles are spread", unit="")
    closing = CylinderUniversalsClosure(d, at, given, (a, b, c, kappa), rho2, narrow)
    d.output("value", closing.norm, meaning="product over all signs", unit="")
    return Inner("loop_cuu_eliminant", d)


@dataclass(frozen=True)
class CylinderUniversalsElements:
    """Held axes and points of the cylindrical and the first universal pair, and the last pair."""

    a1: Vector
    p2: Vector
    p3: Vector
    a3: Vector
    a4: Vector
    last: LastPair

    @property
    def letters(self) -> tuple[ClosureLetter, ...]:
        """The six letters."""
        last = self.last
        axes = (self.a1, self.a3, self.a4, last.near, last.far)
        points = (self.p2, self.p3, self.p3, last.centre, last.centre)
        turns = (ClosureLetter("R", axis, point) for axis, point in zip(axes, points, strict=True))
        return (ClosureLetter("P", self.a1, self.p2), *turns)


class CylinderUniversals(LoopKernel[CylinderUniversalsElements]):
    """The loop: coordinates are the turns 2 to 6 and the slide."""

    id = "loop_cuu"
    degree, turns, lengths = DEGREE, 5, 1

    def declare(self, d: Derivation) -> CylinderUniversalsElements:
        """Declare the held elements."""
        a1 = axis_input(d, "a1", "axis of the cylindrical pair, letters 1 (slide) and 2 (turn)")
        p2 = point_input(d, "p2", "point of that axis")
        p3 = point_input(d, "p3", "held centre of the first universal pair, letters 3 and 4")
        a3 = axis_input(d, "a3", "held axis of letter 3")
        a4 = second_axis(d, "a4", a3, "held axis of letter 4")
        return CylinderUniversalsElements(a1, p2, p3, a3, a4, last_pair_inputs(d))

    def unit(self, d: Derivation, e: CylinderUniversalsElements) -> Expr:
        """Name the sum of link, arm and gap."""
        row = e.p3 - e.last.centre, e.p3 - e.p2, e.p2 - e.last.wanted_centre
        return d.scalar("unit", lengths(row) + SMALL_LENGTH, "length used as the unit below", "m")

    def _scaled(self, d: Derivation, e: CylinderUniversalsElements) -> tuple[Expr, Vector, Vector]:
        """Name the reciprocal unit, and arm and gap in that unit."""
        i_unit = d.scalar("i_unit", 1 / self.unit(d, e), "its reciprocal", "1/m")
        arm = d.vector("arm_1", (e.p3 - e.p2) * i_unit, "from the axis to the first universal centre, held")
        return (
            i_unit,
            arm,
            d.vector("gap_1", (e.p2 - e.last.wanted_centre) * i_unit, "from the last centre to the axis"),
        )

    def candidate(self, d: Derivation, e: CylinderUniversalsElements) -> Coordinates:
        """Name the angle of the cylindrical pair from a zero of F, then slide and link."""
        a1, last = e.a1, e.last
        i_unit, arm_1, gap_1 = self._scaled(d, e)
        line = d.vector("l5", (e.p3 - last.centre) * i_unit, "held line of the link")
        link = held_link(d, "link5", last.near, line, e.a4, "the link")
        rho2 = d.scalar("rho2", line.dot(line), "squared length of the link")
        best = _best_angle(d, a1, arm_1, gap_1)
        narrow, edge = _narrowing(d, best, rho2)
        arm_0 = d.vector("arm_0", turned(a1, best.turn, arm_1), "arm at q_0")
        a3_0 = d.vector("a3_0", turned(a1, best.turn, e.a3), "axis of letter 3 at q_0")
        given = {"axis": a1, "arm": arm_0, "base": gap_1, "carried_axis": a3_0, "last_axis": last.wanted_far}
        inputs = {**given, "link": link.shape, "rho2": rho2, "k": narrow}
        text = "Values of the product of the closing equation over all signs, around the cylindrical pair."
        coefficients = sampled(d, "f", derive_eliminant(), DEGREE, inputs, text)  # type: ignore[arg-type]
        zero = d.zero("q", coefficients, ZERO, "Angles at which it vanishes.", least=edge)
        closing = CylinderUniversalsClosure(d, zero, given, link.shape, rho2, narrow)
        s, t = _roots(d, closing)
        (off_c, off_s), (best_c, best_s) = closing.off, best.turn
        turn_2 = (best_c * off_c - best_s * off_s, best_s * off_c + best_c * off_s)
        turns = (turn_2, *_other_turns(d, closing, link, last, (a1, e.a3, e.a4), turn_2, s, t))
        return Coordinates(turns, (s - closing.height,))

    def closure(self, d: Derivation, e: CylinderUniversalsElements, at: Coordinates) -> Closure:
        """Name the closing equations; the angle of the cylindrical pair from q_0 on ranks assemblies."""
        per, arm_1, gap_1 = self._scaled(d, e)
        found, _ = close_six(d, e.letters, at, e.last, per, 0)
        (c, s), (best_c, best_s) = found.place, _best_angle(d, e.a1, arm_1, gap_1).turn
        return replace(found, place=(c * best_c + s * best_s, s * best_c - c * best_s))


def derive_kernel() -> Derivation:
    """Derive the loop on held elements of its six letters."""
    title = "cylindrical pair and two universal pairs on held letters"
    d = Derivation("loop_cuu kernel", level="kernel", title=title, source=SOURCE)
    loop = CylinderUniversals()
    e = loop.declare(d)
    last = e.last
    base = motion_inputs(d, "1", "body that carries axis 1, at p_t", last.wanted_centre)
    target = motion_inputs(d, "2", "body that carries the last axis, at p_t", last.wanted_centre)
    found = loop.assemblies(d, input_branch(d))
    slide = give_slide(d, 1, found.lengths[0] * loop.unit(d, e))
    coordinates: tuple[Turn | Expr, ...] = (slide, *(give_turn(d, k, turn) for k, turn in enumerate(found.turns, 2)))
    letters = [LetterAt(x.kind, x.axis, x.point, q) for x, q in zip(e.letters, coordinates, strict=True)]
    derive_six_rates(d, letters, base, target)
    claim_arrival(
        d, letters, (last.centre, last.near, last.far), (last.wanted_centre, last.wanted_near, last.wanted_far)
    )
    return d


@dataclass(frozen=True)
class BestAngle:
    """Cosine and sine of the angle q_0 at which the link reaches best; lengths of arm and gap across the axis."""

    turn: tuple[Expr, Expr]
    both: Expr
    sum2: Expr


def _best_angle(d: Derivation, axis: Vector, arm: Vector, gap: Vector) -> BestAngle:
    """Name q_0; any angle will do where arm or gap lies along the axis."""
    r = d.vector("arm_across", arm - axis * axis.dot(arm), "arm across the axis")
    b = d.vector("gap_across", gap - axis * axis.dot(gap), "gap across the axis")
    x = d.scalar("best_x", TINY - b.dot(r), "cosine of q_0, times both lengths, kept away from zero")
    y = d.scalar("best_y", axis.dot(b.cross(r)), "sine of q_0, times both lengths")
    both = d.scalar("best_size", sqrt(x * x + y * y) + TINY * TINY, "both lengths")
    sum2 = d.scalar("across2", r.dot(r) + b.dot(b), "sum of their squares")
    cosine = d.scalar("cos_best", x / both, "cosine of q_0")
    return BestAngle((cosine, d.scalar("sin_best", y / both, "sine of q_0")), both, sum2)


def _narrowing(d: Derivation, best: BestAngle, rho2: Expr) -> tuple[Expr, Expr]:
    """Name k, and the cosine of psi up to which the link reaches."""
    both, sum2 = best.both, best.sum2
    most = d.scalar("reach_most", rho2 - sum2 + TWO * both, "squared root of the slide at q_0")
    noise = REACH_TOLERANCE * (rho2 + sum2)
    d.guard(most, ">=", -noise, Status.NO_ASSEMBLY, "the link does not reach the axis of the cylindrical pair")
    least = d.scalar("reach_least", sum2 + TWO * both - rho2, "minus the same, opposite to q_0")
    larger = not_below_zero(least - most) + not_below_zero(most) + TINY
    share = d.scalar("share", (not_below_zero(most) + TINY) / larger, "k^2, if the link does not reach everywhere")
    k = d.scalar("narrow", sqrt(NARROWEST + not_below_zero(share - NARROWEST)), "k")
    over = not_below_zero((most - least) / (4 * both))
    return k, d.scalar("edge", -EDGE - over, "cosine of psi up to which the link reaches, and a little more")


def _other_turns(
    d: Derivation,
    closing: CylinderUniversalsClosure,
    link: UniversalLink,
    last: LastPair,
    axes: tuple[Vector, Vector, Vector],
    turn_2: tuple[Expr, Expr],
    s: Expr,
    t: Expr,
) -> list[tuple[Expr, Expr]]:
    """Place the link and give the turns of both universal pairs."""
    a1, a3, a4 = axes
    e = d.vector("e", closing.m + a1 * s, "line of the link")
    leg = universal_leg(d, "leg", last.wanted_far, e, link.shape)
    basis = placed_link(d, "placed", leg, link, e, t)
    w3 = closing.near
    w4 = d.vector("w4", carried(basis, link.far), "axis of letter 4")
    before = d.vector("w4_before", turned(a1, turn_2, a4), "that axis, at zero of letter 3")
    return [
        turn_between(w3, before, w4),
        turn_between(w4, w3, carried(basis, link.local(a3))),
        turn_between(basis[0], carried(basis, link.local(last.far)), last.wanted_far),
        turn_between(last.wanted_far, basis[0], last.wanted_near),
    ]


def _roots(d: Derivation, closing: CylinderUniversalsClosure) -> tuple[Expr, Expr]:
    """Name both square roots with the signs that close the loop; a zero that is no assembly will not close."""
    g = closing.g
    size_s = d.scalar("root_s", sqrt(not_below_zero(closing.s2)), "square root of the slide, its size")
    s = d.scalar("s", -sign(d, "sign_s", g.x * g.y, "both parts of G") * size_s, "square root of the slide")
    t2 = d.scalar("t2_there", closing.t2.with_root(s), "squared square root of the universal pair")
    size_t = d.scalar("root_t", sqrt(not_below_zero(t2)), "square root of the universal pair, its size")
    without = d.scalar("without_there", closing.without.with_root(s), "closing equation without t")
    factor = d.scalar("factor_there", closing.factor.with_root(s), "closing equation: factor of t")
    return s, d.scalar("t", -sign(d, "sign_t", without * factor, "both parts") * size_t, "square root")
