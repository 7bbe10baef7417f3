"""Class III triads: a platform on three legs between moving bodies, planar; legs with two revolute pairs (RR), with a
line fixed outside (PR) or with a line on the platform (RP), in all ten combinations.

With R the turn of the platform by phi and P the position of its reference point, every leg gives w_i . P = -h_i with
w_i and h_i linear in (1, cos phi, sin phi), except a first leg of two revolute pairs, which gives |P|^2 = l_1^2. With
D_ij = w_i x w_j the second and the third leg give P = J (h_2 w_3 - h_3 w_2) / D_23 (J: quarter turn), and the first

    leg 1 RR            F(phi) = h_2^2 |w_3|^2 + h_3^2 |w_2|^2 - 2 h_2 h_3 w_2 . w_3 - l_1^2 D_23^2 = 0
    no leg RR, h_1 = 0  F(phi) = h_3 D_12 - h_2 D_13 = 0,     P = -J w_1 (h_2 D_12 + h_3 D_13)/(D_12^2 + D_13^2)

R keeps lengths, so |w_i|^2, w_i . w_j and D_ij are linear in (1, cos phi, sin phi) too, and constant where both lines
are on one side: F is a trigonometric polynomial of degree 3 (one line or none, or one of each kind beside RR), 2 or 1,
with at most twice as many real zeros. There are no spurious zeros unless all w_i vanish or are parallel; the legs
are checked. F is never expanded: forms of degree 1 are multiplied by named coefficients. All lengths are measured in
their sum.

The three legs themselves restore the digits lost in the products, by Newton's method; its 3 x 3 matrix, which is that
of the rates, shows folds: the three lines (along a link, across a slide through its revolute pair) meet in one point,
or are parallel. Where the D vanish at a zero, P does not follow from the angle, because two assemblies share it: such a
triad is solved displaced (`symgen.derive.assemblies`). With two assemblies only (a sign) one step is taken, held back
at folds.

Source: docs/closed-forms.md, derived there; degree 6 of RR RR RR: Hunt 1983; Gosselin, Sefrioui, Richard 1992.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import (
    FOLD_TOLERANCE,
    HALF,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    ZERO,
    Expr,
    absolute,
    is_number,
    not_below_zero,
    sqrt,
)
from symgen.derive.assemblies import Closure, Coordinates, LoopKernel
from symgen.derive.blocks.platform import areas_of, determinant, platform_system, solution
from symgen.derive.blocks.trigonometric import (
    LinearForm,
    difference,
    linear_form,
    name_polynomial,
    product,
)
from symgen.derive.derivation import Derivation
from symgen.derive.planar.triad_legs import Equation, Kind, LinkLeg, SolvedPlatform, TriadLeg
from symgen.derive.planar.triad_lines import LEG_TYPES
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md; degree 6 of RR RR RR: Hunt 1983; Gosselin, Sefrioui, Richard 1992"
_BITS = (("sigma", "the platform's angle where the equation of the third leg grows with it"),)
_DEGREES = {
    **dict.fromkeys(("rr rr rr", "rr rr pr", "rr rr rp", "rr pr rp"), 6),
    **dict.fromkeys(("rr pr pr", "rr rp rp", "pr pr rp", "pr rp rp"), 4),
    **dict.fromkeys(("pr pr pr", "rp rp rp"), 2),
}

Kinds = tuple[Kind, Kind, Kind]


def degree_of(kinds: Kinds) -> int:
    """Return the number of assemblies over the complex numbers; kinds in the order rr, pr, rp."""
    return _DEGREES[" ".join(kinds)]


def input_branch(d: Derivation, kinds: Kinds) -> Expr:
    """Declare the branch index; return it, or the sign it stands for where there are two branches only."""
    degree = degree_of(kinds)
    if degree == 2:
        (sigma,) = d.input_branch(_BITS)
        return sigma
    return d.input_rank(degree, "the platform's angle phi among the real solutions, ascending from -pi")


def _with_link(
    d: Derivation, legs: Sequence[TriadLeg], second: Equation, third: Equation
) -> tuple[tuple[Expr, ...], Expr, LinearForm]:
    """Name F for a first leg of two revolute pairs; return its coefficients, an upper bound of its terms, and D."""
    first = legs[0]
    if not isinstance(first, LinkLeg):
        raise TypeError("the first leg is a link")
    m = linear_form(d, "m", second.dot(third), "w_2 . w_3")
    area = linear_form(d, "d", second.area(third), "D = w_2 x w_3")
    if is_number(area.cosine):  # both lines on one side
        text = "the lines of two legs are parallel: two assemblies at each angle"
        d.guard(absolute(area.constant), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, text)
    (h2, n2), (h3, n3) = (second.h, second.square), (third.h, third.square)
    e2 = name_polynomial(d, "e2", _less(h2, n3, h3, m), "h_2 |w_3|^2 - h_3 w_2 . w_3")
    e3 = name_polynomial(d, "e3", _less(h3, n2, h2, m), "h_3 |w_2|^2 - h_2 w_2 . w_3")
    dd = name_polynomial(d, "dd", [first.s2 * v for v in product(area.coefficients, area)], "l_1^2 D^2")
    sums = difference(product(e2, h2), [-v for v in product(e3, h3)])
    f = name_polynomial(d, "f", difference(sums, dd), "F")
    most2, most3, most_d = (
        d.scalar(f"most_{form}", value.bound(), f"upper bound of {text}")
        for form, value, text in (("h2", h2, "h_2"), ("h3", h3, "h_3"), ("d", area, "D"))
    )
    terms = most2 * most2 * n3.bound() + most3 * most3 * n2.bound() + first.s2 * most_d * most_d
    return f, terms, area


def _less(a: LinearForm, b: LinearForm, c: LinearForm, e: LinearForm) -> tuple[Expr, ...]:
    """Return the coefficients of a b - c e."""
    return difference(product(a.coefficients, b), product(c.coefficients, e))


def _without_link(
    d: Derivation, first: Equation, second: Equation, third: Equation
) -> tuple[tuple[Expr, ...], Expr, tuple[LinearForm, LinearForm]]:
    """Name F for three lines; return its coefficients, an upper bound of its terms, and D_12, D_13."""
    d12 = linear_form(d, "d12", first.area(second), "D_12 = w_1 x w_2")
    d13 = linear_form(d, "d13", first.area(third), "D_13 = w_1 x w_3")
    f = name_polynomial(d, "f", _less(third.h, d12, second.h, d13), "F")
    return f, third.h.bound() * d12.bound() + second.h.bound() * d13.bound(), (d12, d13)


def _angle(d: Derivation, f: tuple[Expr, ...], terms: Expr, branch: Expr) -> tuple[Expr, Expr]:
    """Name cosine and sine of the platform's angle."""
    reach = ZERO
    for value in f[1:]:
        reach = reach + value * value
    reach2 = d.scalar("reach2", reach, "squared size of what depends on the angle")
    scale = d.scalar("scale", terms, "upper bound of the terms of F")
    flat = TINY * scale * scale
    d.guard(reach2, ">", flat, Status.DEGENERATE, "the legs do not determine the platform's angle")
    if len(f) > 3:
        return d.zero("q", f, ZERO, "Angles of the platform at which F = 0.")
    constant, c, s = f
    margin = d.scalar("margin", reach2 - constant * constant, "squared amplitude left over; negative: out of reach")
    noise = d.scalar("noise", REACH_TOLERANCE * absolute(constant) * scale, "rounding of the margin near a fold")
    d.guard(margin, ">=", -noise, Status.NO_ASSEMBLY, "the platform does not reach the third line at any angle")
    d.flag(margin, "<", FOLD_TOLERANCE * reach2 + noise, Status.SINGULAR, "both branches meet")
    root = d.scalar("root", branch * sqrt(not_below_zero(margin)), "root of the margin with the branch's sign")
    i_reach2 = d.scalar("i_reach2", 1 / reach2, "reciprocal of the squared amplitude")
    cosine = d.scalar("cos_q", (s * root - c * constant) * i_reach2, "cosine of the angle at which F = 0")
    return cosine, d.scalar("sin_q", -(s * constant + c * root) * i_reach2, "sine of that angle")


def _platform_angle(d: Derivation, legs: Sequence[TriadLeg], branch: Expr) -> SolvedPlatform:
    """Name the steps to the platform's angle and P, all in lengths of order 1."""
    return _corrected(d, legs, _found(d, legs, branch))


def _found(d: Derivation, legs: Sequence[TriadLeg], branch: Expr) -> SolvedPlatform:
    """Name the platform's angle from a zero of F, and P from the angle."""
    first, second, third = legs
    if isinstance(first, LinkLeg):
        eq2, eq3 = second.equation(d, first), third.equation(d, first)
        f, terms, _ = _with_link(d, legs, eq2, eq3)
        cosine, sine = _angle(d, f, terms, branch)
        w2, w3 = (d.vector(f"w{k}", eq.at(cosine, sine), f"w_{k} at that angle") for k, eq in ((2, eq2), (3, eq3)))
        big_d = d.scalar("big_d", w2.area(w3), "D at that angle")
        least = TINY * w2.dot(w2) * w3.dot(w3)
        same = "two assemblies at one platform angle, or infinitely many: legs two and three give the same condition"
        d.guard(big_d * big_d, ">", least, Status.DEGENERATE, same)
        at2, at3 = (d.scalar(f"h{k}_there", e.h.at(cosine, sine), f"h_{k} there") for k, e in ((2, eq2), (3, eq3)))
        i_d = d.scalar("i_d", 1 / big_d, "reciprocal of D")
        p = d.vector("first", (w3 * at2 - w2 * at3).turned() * i_d, "P, as accurate as F and D")
        return SolvedPlatform(cosine, sine, p)
    eq1, eq2, eq3 = (leg.equation(d, first) for leg in legs)
    f, terms, (d12, d13) = _without_link(d, eq1, eq2, eq3)
    cosine, sine = _angle(d, f, terms, branch)
    w1 = d.vector("w1", eq1.at(cosine, sine), "w_1 at that angle")
    a2 = d.scalar("d12_there", d12.at(cosine, sine), "D_12 there")
    a3 = d.scalar("d13_there", d13.at(cosine, sine), "D_13 there")
    both = d.scalar("both", a2 * a2 + a3 * a3, "squared sines between the first line and the others")
    d.guard(both, ">", TINY, Status.DEGENERATE, "all lines are parallel at that angle: infinitely many places, or none")
    along = d.scalar("along", -(a2 * eq2.h.at(cosine, sine) + a3 * eq3.h.at(cosine, sine)) / both, "P along line one")
    return SolvedPlatform(cosine, sine, d.vector("first", w1.turned() * along, "P, as accurate as F"))


def _corrected(d: Derivation, legs: Sequence[TriadLeg], found: SolvedPlatform) -> SolvedPlatform:
    """Name one step of Newton's method on the three legs.

    At a fold, where the determinant vanishes, the step is held back: there is nothing to be gained.
    """
    cosine, sine = found.cosine, found.sine
    lines = [leg.line(d, found) for leg in legs]
    (f1, f2, f3), (r1, r2, r3) = (line.force for line in lines), (line.arm for line in lines)
    moments = [
        value if is_number(value) else d.scalar(f"k{k}", value, f"moment of leg {k}'s force")
        for k, value in enumerate((r.area(f) for r, f in ((r1, f1), (r2, f2), (r3, f3))), 1)
    ]
    areas = tuple(
        value if is_number(value) else d.scalar(f"y{name}", value, f"forces of legs {name[0]} and {name[1]}, crossed")
        for name, value in zip(("12", "13", "23"), areas_of((f1, f2, f3)), strict=True)
    )
    det = d.scalar("fold", determinant(moments, areas), "determinant of the legs' lines; zero where assemblies meet")
    arms2 = d.scalar("arms2", r1.dot(r1) + r2.dot(r2) + r3.dot(r3), "squared size of the platform")
    s1, s2, s3 = (leg.scale2 for leg in legs)
    size2 = d.scalar("fold_size2", s1 * s2 * s3 * arms2, "upper bound of its square")
    det2 = d.scalar("fold2", det * det, "its square")
    d.flag(det2, "<=", FOLD_TOLERANCE * size2, Status.SINGULAR, "the legs' lines meet: two assemblies meet")
    held = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE * size2
    factor = d.scalar("step", det / (det2 + held), "reciprocal of the determinant, held back at a fold")
    e1, e2, e3 = (d.scalar(f"lack_{k}", leg.lack(found), f"closure error of leg {k}") for k, leg in enumerate(legs, 1))
    lack = d.scalar("lack", absolute(e1) + absolute(e2) + absolute(e3), "closure error of all legs")
    legs2 = s1 + s2 + s3
    legs2 = legs2 if is_number(legs2) else d.scalar("legs2", legs2, "value that it is compared with")
    foreign = "a zero of F that is no assembly, or P does not follow from the angle"
    d.guard(lack * lack, "<=", FOLD_TOLERANCE * legs2 * legs2, Status.DEGENERATE, foreign)
    moved, turned = solution(d, "mend", ((f1, f2, f3), moments, areas), (e1, e2, e3), factor)
    turn = d.scalar("turn", turned, "how far the platform still has to turn", "rad")
    better_c = d.scalar("cos_phi", cosine - turn * (sine + HALF * turn * cosine), "cosine of the platform's angle")
    better_s = d.scalar("sin_phi", sine + turn * (cosine - HALF * turn * sine), "sine of the platform's angle")
    return SolvedPlatform(better_c, better_s, d.vector("place", found.p + moved, "P, corrected"))


def _declared(d: Derivation, kinds: Kinds) -> list[TriadLeg]:
    """Declare the legs."""
    legs = [LEG_TYPES[kind](d, k) for k, kind in enumerate(kinds, 1)]
    for leg in legs:
        leg.declare_arm(d)
    for leg in legs:
        leg.declare_length(d)
    return legs


def _unit(d: Derivation, legs: Sequence[TriadLeg]) -> Expr:
    """Name the sum of all lengths."""
    total = ZERO
    for leg in legs:
        total = total + leg.extent(d, legs[0].anchor)
    return d.scalar("unit", total, "sum of all lengths", "m")


def _measure(d: Derivation, legs: Sequence[TriadLeg], unit: Expr) -> None:
    """Name the legs' lengths in that unit."""
    i_unit = d.scalar("i_unit", 1 / unit, "its reciprocal", "1/m")
    for leg in legs:
        leg.scale(d, i_unit)


class TriadKernel(LoopKernel[list[TriadLeg]]):
    """A platform with ranked branches: coordinates are its angle, and P in the unit of the problem."""

    turns, lengths = 1, 2

    def __init__(self, kinds: Kinds) -> None:
        self.kinds, self.degree, self.id = kinds, degree_of(kinds) // 2, f"triad_{'_'.join(kinds)}"

    def declare(self, d: Derivation) -> list[TriadLeg]:
        """Declare the legs."""
        return _declared(d, self.kinds)

    def unit(self, d: Derivation, e: list[TriadLeg]) -> Expr:
        """Name the sum of all lengths."""
        return _unit(d, e)

    def candidate(self, d: Derivation, e: list[TriadLeg]) -> Coordinates:
        """Name angle and place from a zero of F."""
        _measure(d, e, self.unit(d, e))
        found = _found(d, e, ZERO)
        return Coordinates(((found.cosine, found.sine),), (found.p[0], found.p[1]))

    def closure(self, d: Derivation, e: list[TriadLeg], at: Coordinates) -> Closure:
        """Name what the legs lack: links half a squared length, lines a height."""
        _measure(d, e, self.unit(d, e))
        ((cosine, sine),) = at.turns
        solved = SolvedPlatform(cosine, sine, Vector(at.lengths))
        lacks, rows, open2 = [], [], ZERO
        for leg in e:
            line = leg.line(d, solved)
            lack = d.scalar(f"lack_{leg.k}", leg.lack(solved), f"closure error of leg {leg.k}")
            lacks.append(lack)
            rows.append((line.arm.area(line.force), line.force[0], line.force[1]))
            open2 = open2 + lack * lack
        far2 = d.scalar("far2", ONE + solved.p.dot(solved.p), "squared size of what is placed")
        return Closure(tuple(lacks), tuple(rows), open2 / (far2 * far2), (cosine, sine))


def derive_kernel(kinds: Kinds) -> Derivation:
    """Derive the triad on world elements of its legs, and their motion."""
    title = f"platform on three legs between moving bodies: {', '.join(kind.upper() for kind in kinds)}"
    d = Derivation(f"triad_{'_'.join(kinds)} kernel", level="kernel", title=title, source=SOURCE)
    legs = _declared(d, kinds)
    for leg in legs:
        leg.declare_velocity(d)
    for leg in legs:
        leg.declare_acceleration(d)
    branch = input_branch(d, kinds)
    for leg in legs:
        leg.guard(d)
    unit = _unit(d, legs)
    d.guard(unit, ">", SMALL_LENGTH, Status.BAD_INPUT, "the legs have zero size")
    if degree_of(kinds) == 2:
        _measure(d, legs, unit)
        solved = _platform_angle(d, legs, branch)
    else:
        found = TriadKernel(kinds).assemblies(d, branch)
        turn, place = found.turns[0], Vector(found.lengths)
        cosine = d.scalar("cos_phi", turn[0], "cosine of the platform's angle")
        sine = d.scalar("sin_phi", turn[1], "sine of the platform's angle")
        solved = SolvedPlatform(cosine, sine, place)
    p = d.vector("p", legs[0].anchor + solved.p * unit, "reference point: the first leg's point on the platform", "m")
    d.output("p", p, meaning="reference point: the first leg's point on the platform", unit="m")
    d.output("cos_phi", solved.cosine, meaning="cosine of the platform's angle", unit="")
    d.output("sin_phi", solved.sine, meaning="sine of the platform's angle", unit="")
    _give_slides(d, legs, p, SolvedPlatform(solved.cosine, solved.sine, p))
    _add_rates(d, legs)
    return d


def _give_slides(d: Derivation, legs: Sequence[TriadLeg], p: Vector, at: SolvedPlatform) -> None:
    """Name the legs in the world, and give the places on the lines."""
    with d.part("geometry"):
        for leg in legs:
            leg.place(d, p, at)
    slides = tuple(
        d.scalar(f"slide_{leg.k}", leg.slide(), f"slide of leg {leg.k}", "m") for leg in legs if leg.kind != "rr"
    )
    if slides:
        d.output("slides", slides, meaning="places of the points on the lines, from the lines' own points", unit="m")


def _add_rates(d: Derivation, legs: Sequence[TriadLeg]) -> None:
    """Derive velocities and accelerations of the kernel."""
    system = platform_system(d, [leg.world_line for leg in legs])
    with d.part("velocity"):
        g1, g2, g3 = (
            d.scalar(f"open{leg.k}", leg.opened(), f"what leg {leg.k} requires of the rates", "m/s") for leg in legs
        )
        v, turn = system.solve(d, "bent", g1, g2, g3)
        v_p = d.vector("v_p", v, "velocity of p", "m/s")
        omega = d.scalar("omega", turn, "angular velocity of the platform", "rad/s")
        for leg in legs:
            leg.give_rate(d, v_p, omega)
        d.output("v_p", v_p, meaning="velocity of p", unit="m/s")
        d.output("omega", omega, meaning="angular velocity of the platform", unit="rad/s")
        for kind, name, meaning, unit in _RATES:
            rates = tuple(leg.rate for leg in legs if (leg.kind == "rr") is (kind == "rr"))
            if rates:
                d.output(name[0], rates, meaning=meaning, unit=unit)
    with d.part("acceleration"):
        omega2 = d.scalar("omega2", omega * omega, "squared angular velocity of the platform", "1/s^2")
        g1, g2, g3 = (
            d.scalar(
                f"open{leg.k}_2", leg.opened_twice(omega2, omega), f"what leg {leg.k} requires of the accelerations"
            )
            for leg in legs
        )
        a, turn = system.solve(d, "bent_2", g1, g2, g3)
        a_p = d.vector("a_p", a, "acceleration of p", "m/s^2")
        alpha = d.scalar("alpha", turn, "angular acceleration of the platform", "rad/s^2")
        d.output("a_p", a_p, meaning="acceleration of p", unit="m/s^2")
        d.output("alpha", alpha, meaning="angular acceleration of the platform", unit="rad/s^2")
        found = {leg.k: leg.acceleration(a_p, alpha, omega2) for leg in legs}
        named = {k: d.scalar(f"growth_{k}", v, f"acceleration of the coordinate of leg {k}") for k, v in found.items()}
        for kind, name, meaning, unit in _RATES:
            values = tuple(named[leg.k] for leg in legs if (leg.kind == "rr") is (kind == "rr"))
            if values:
                d.output(name[1], values, meaning=meaning.replace("velocities", "accelerations"), unit=f"{unit}^2")
    _claim(d, legs, v_p, omega)


_RATES = (
    ("rr", ("omega_legs", "alpha_legs"), "angular velocities of the links", "rad/s"),
    ("line", ("slide_rates", "slide_accs"), "sliding velocities along the lines", "m/s"),
)


def _claim(d: Derivation, legs: Sequence[TriadLeg], v_p: Vector, omega: Expr) -> None:
    """Claim that links have and keep their lengths, and that points stay on their lines."""
    held, kept = [], []
    for leg in legs:
        if isinstance(leg, LinkLeg):
            held.append(leg.u.dot(leg.u) - leg.length * leg.length)
        line = leg.world_line
        kept.append(line.force.dot(v_p) + line.moment * omega - leg.opened())
    slid = [leg for leg in legs if not isinstance(leg, LinkLeg)]
    held += [leg.offset() for leg in slid]
    d.claim_zero("legs", "links have their lengths, points lie on their lines", held)
    d.claim_zero("rigid_velocity", "velocities keep every leg", kept)
