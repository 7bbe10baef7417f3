"""Three turns that put one plane on another: the ring of three revolute axes and a planar joint, R R R + PL.

From body 1 the ring turns about the axes a1, a2, a3 (held at zero angles in the world, through p1, p2, p3) and then
carries a plane with normal n0 through c0, which has to come to lie on the plane with normal n through c of body 2:

    R1 R2 R3 n0 = n,    n . (E1 E2 E3 c0 - c) = 0

Both ends are eliminated by what they leave alone. With m = R1' n, w1 = R2 a3 and w2 = (p2 - p1) + R2 (p3 - p2), all of
which depend on the middle angle only,

    a1 . m = a1 . n = k0,    w1 . m = a3 . n0 = k1,    w2 . m = n . (c - p1) - n0 . (c0 - p3) = k2,    |m| = 1

Three linear equations for a unit vector: with G the Gram matrix of (a1, w1, w2) and adj G its adjugate,
k' adj G k = det G. The entries of G and the root D = a1 . (w1 x w2) of det G are forms of degree 1 in the middle angle,
al = a1 . w1, be = a1 . w2, ga = w1 . w2, nu = |w2|^2, and the condition is sorted into three products of such forms:

    F = (k0^2 + k1^2) nu - 2 k0 k2 be - 2 k1 k2 ga + k2^2 - M^2 - al N - D^2 = 0
    M = k0 ga - k1 be,    N = k2^2 al - 2 k2 M' + 2 k0 k1 nu,    M' = k0 ga + k1 be

a trigonometric polynomial of degree 2: up to four assemblies. Then m follows from the three linear equations, the outer
angles from m; the closing equations of the ring restore the digits lost in the products, and detect folds.
Branches are ranked by the middle angle. Where D vanishes at a zero of F, two assemblies share one middle angle, and m
does not follow from it: such a ring is solved displaced (`symgen.derive.assemblies`).

Source: docs/closed-forms.md, derived there.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import (
    SINGULAR_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    TWO,
    ZERO,
    Expr,
)
from symgen.derive.assemblies import Closure, Coordinates, LoopKernel
from symgen.derive.blocks.plane import Spun, spun
from symgen.derive.blocks.trigonometric import LinearForm, linear_form, name_polynomial, product
from symgen.derive.derivation import Derivation
from symgen.derive.eliminants.elements import across
from symgen.derive.rings.plane_elements import (
    WORDS,
    PlaneRing,
    Turn,
    Turns,
    angle_between,
    derive_rates,
    give_turns,
    place_ring,
    plane_ring,
)
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022"
BRANCHES = 4


def input_branch(d: Derivation) -> Expr:
    """Declare the branch index."""
    return d.input_rank(BRANCHES, "the middle one of the three angles among the real solutions, ascending from -pi")


def _spun_form(
    d: Derivation, name: str, parts: Sequence[tuple[Spun, Vector, int]], constant: Expr, meaning: str
) -> LinearForm:
    """Name constant + the sum of factor times (turned vector) . (fixed vector) as a form in the turn's angle."""
    values = [constant, ZERO, ZERO]
    for turned, fixed, factor in parts:
        for k, part in enumerate((turned.axial, turned.across, turned.side)):
            values[k] = values[k] + part.dot(fixed) * factor
    return linear_form(d, name, values, meaning)


def _scaled(left: Expr, one: LinearForm, right: Expr, other: LinearForm) -> list[Expr]:
    return [left * x + right * y for x, y in zip(one.coefficients, other.coefficients, strict=True)]


class PlaneLoop(LoopKernel[PlaneRing]):
    """The ring: coordinates are its three turns."""

    id = "ring_rrre"
    degree, turns = BRANCHES // 2, 3

    def declare(self, d: Derivation) -> PlaneRing:
        """Declare the held elements."""
        return plane_ring(d)

    def unit(self, d: Derivation, e: PlaneRing) -> Expr:
        """Name the sum of all distances."""
        total = ZERO
        for span in _spans(e):
            total = total + span.size()
        return d.scalar("unit", total, "sum of all distances", "m")

    def candidate(self, d: Derivation, e: PlaneRing) -> Coordinates:
        """Name the middle angle from a zero of F, then m and the outer angles."""
        return Coordinates(tuple((turn.cosine, turn.sine) for turn in _near_turns(d, e, self.unit(d, e))))

    def closure(self, d: Derivation, e: PlaneRing, at: Coordinates) -> Closure:
        """Name what the carried plane lacks: along both directions across the required normal, and in height."""
        i_unit = d.scalar("i_unit", 1 / self.unit(d, e), "its reciprocal", "1/m")
        n = e.n
        turns = tuple(Turn(cosine, sine) for cosine, sine in at.turns)
        placed = place_ring(d, "near_", e, (turns[0], turns[1], turns[2]), i_unit)
        reach = d.vector(
            "reach", (e.c - e.points[0]) * i_unit, "from the first axis to the required plane, in that unit"
        )
        rest = d.vector("rest", n - placed.normal, "error of the carried normal")
        lift = d.scalar("lift", n.dot(reach - placed.arms[0]), "how far the carried point is below the required plane")
        one, two = across(d, "n_across", n)
        rows: list[list[Expr]] = [[], [], []]
        for k, axis, arm in zip("123", placed.axes, placed.arms, strict=True):
            moved = d.vector(f"normal_{k}", axis.cross(placed.normal), f"how turn {k} moves the carried normal")
            rows[0].append(one.dot(moved))
            rows[1].append(two.dot(moved))
            rows[2].append(n.dot(axis.cross(arm)))
        lacks = (one.dot(rest), two.dot(rest), lift)
        return Closure(lacks, tuple(map(tuple, rows)), rest.dot(rest) + lift * lift, at.turns[1])


def _spans(ring: PlaneRing) -> tuple[Vector, Vector, Vector, Vector]:
    (p1, p2, p3) = ring.points
    return p2 - p1, p3 - p2, ring.c - p1, ring.c0 - p3


def _near_turns(d: Derivation, ring: PlaneRing, unit: Expr) -> Turns:
    """Name the steps from held elements to cosines and sines of the three angles."""
    a1, a2, a3 = ring.axes
    d.guard(unit, ">", SMALL_LENGTH, Status.DEGENERATE, "all points coincide")
    i_unit = d.scalar("i_unit", 1 / unit, "its reciprocal", "1/m")
    names = ("link_1", "link_2", "reach", "carried")
    texts = (
        "first to the middle axis",
        "middle to the last axis",
        "first axis to the required plane",
        "last axis to c0",
    )
    d12, d23, g, h = (
        d.vector(name, span * i_unit, f"from the {text}, in that unit")
        for name, span, text in zip(names, _spans(ring), texts, strict=True)
    )
    n, n0 = ring.n, ring.n0
    first, last = spun(d, "n", a1, n, "required normal about the first axis"), spun(d, "n0", a3, n0, "carried normal")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    sines = [d.scalar(f"{k}_sine2", s.across.dot(s.across), "squared sine") for k, s in (("n", first), ("n0", last))]
    for sine2, word in zip(sines, ("first", "last"), strict=True):
        d.guard(sine2, ">", least, Status.DEGENERATE, f"the {word} axis is normal to the plane: its turn is idle")
    k0 = d.scalar("k0", a1.dot(n), "part of m along the first axis")
    k1 = d.scalar("k1", a3.dot(n0), "part of m along the last axis")
    k2 = d.scalar("k2", n.dot(g) - n0.dot(h), "part of m along the way from the first to the last axis, times it")
    axis_3 = spun(d, "w1", a2, a3, "last axis about the middle one")
    link_2 = spun(d, "w2", a2, d23, "second link about the middle axis")
    cosine, sine = _middle_angle(d, (a1, a2, a3), (d12, d23), (axis_3, link_2), (k0, k1, k2))
    w1 = d.vector("w1", axis_3.at(cosine, sine), "last axis, turned about the middle one")
    w2 = d.vector("w2", d12 + link_2.at(cosine, sine), "from the first to the last axis, turned")
    m = _normal_before(d, (a1, w1, w2), (k0, k1, k2))
    turn_2 = Turn(cosine, sine)
    turn_1 = angle_between(d, "near_", "1", a1, (m, ring.n), "first")
    back = spun(d, "m", a2, m, "m about the middle axis")
    behind = d.vector("m_back", back.at(cosine, -sine), "required normal, after the middle turn")
    turn_3 = angle_between(d, "near_", "3", a3, (n0, behind), "last")
    return turn_1, turn_2, turn_3


def _middle_angle(
    d: Derivation,
    axes: tuple[Vector, Vector, Vector],
    links: tuple[Vector, Vector],
    turned: tuple[Spun, Spun],
    k: tuple[Expr, Expr, Expr],
) -> tuple[Expr, Expr]:
    """Name the polynomial F and take one of its zeros."""
    (a1, _, a3), (d12, d23), (axis_3, link_2), (k0, k1, k2) = axes, links, turned, k
    al = _spun_form(d, "al", [(axis_3, a1, 1)], ZERO, "a1 . w1")
    be = _spun_form(d, "be", [(link_2, a1, 1)], a1.dot(d12), "a1 . w2")
    ga = _spun_form(d, "ga", [(axis_3, d12, 1)], a3.dot(d23), "w1 . w2")
    nu = _spun_form(d, "nu", [(link_2, d12, 2)], d12.dot(d12) + d23.dot(d23), "|w2|^2")
    moment = spun(d, "t", axes[1], d.vector("moment", a3.cross(d23), "moment of the last axis"), "moment")
    lever = d.vector("lever", d12.cross(a1), "moment of the first axis")
    de = _spun_form(d, "de", [(axis_3, lever, 1), (moment, a1, 1)], ZERO, "D = a1 . (w1 x w2)")
    mm = linear_form(d, "mm", _scaled(k0, ga, -k1, be), "M")
    sums = _scaled(k0, ga, k1, be)
    square = d.scalar("k2_2", k2 * k2, "squared part along w2")
    doubles = [
        d.scalar(name, TWO * x * y, f"twice {text}")
        for name, x, y, text in (("k01", k0, k1, "k0 k1"), ("k02", k0, k2, "k0 k2"), ("k12", k1, k2, "k1 k2"))
    ]
    combined = [
        square * x - TWO * k2 * y + doubles[0] * z
        for x, y, z in zip(al.coefficients, sums, nu.coefficients, strict=True)
    ]
    nn = linear_form(d, "nn", combined, "N")
    ends = d.scalar("k_ends", k0 * k0 + k1 * k1, "squared parts along both outer axes")
    plain = [
        ends * x - doubles[1] * y - doubles[2] * z
        for x, y, z in zip(nu.coefficients, be.coefficients, ga.coefficients, strict=True)
    ]
    plain[0] = plain[0] + square
    full = [
        x - y - z - w
        for x, y, z, w in zip(
            (*plain, ZERO, ZERO),
            product(mm.coefficients, mm),
            product(al.coefficients, nn),
            product(de.coefficients, de),
            strict=True,
        )
    ]
    f = name_polynomial(d, "f", full, "F")
    reach = f[1] * f[1] + f[2] * f[2] + f[3] * f[3] + f[4] * f[4]
    reach2 = d.scalar("reach2", reach, "squared size of what depends on the angle")
    most_m = d.scalar("most_m", mm.bound(), "upper bound of M")
    most_d = d.scalar("most_d", de.bound(), "upper bound of D")
    bounds = most_m * most_m + al.bound() * nn.bound() + most_d * most_d + ends * nu.bound()
    scale = d.scalar("scale", bounds + square, "upper bound of the terms of F, up to a factor")
    text = "the middle angle is not determined: infinitely many assemblies, or none"
    d.guard(reach2, ">", TINY * scale * scale, Status.DEGENERATE, text)
    return d.zero("middle", f, ZERO, "Middle angles at which F = 0.")


def _normal_before(d: Derivation, rows: tuple[Vector, Vector, Vector], k: tuple[Expr, Expr, Expr]) -> Vector:
    """Name m, the required normal as seen before the first turn, by its parts along three vectors."""
    a1, w1, w2 = rows
    across = d.vector("w12", w1.cross(w2), "normal of both")
    root = d.scalar("root_gram", a1.dot(across), "D at that angle")
    least = TINY * w2.dot(w2)
    same = "two assemblies at one middle angle, or infinitely many"
    d.guard(root * root, ">", least, Status.DEGENERATE, same)
    i_root = d.scalar("i_root", 1 / root, "its reciprocal")
    value = (across * k[0] + w2.cross(a1) * k[1] + a1.cross(w1) * k[2]) * i_root
    return d.vector("m", value, "required normal, before the first turn; as accurate as F and D")


def derive_kernel() -> Derivation:
    """Derive the ring on world elements: three axes, the carried plane, the required plane, and how both ends move."""
    title = "three turns that put one plane on another, elements in one frame"
    d = Derivation("ring_rrre kernel", level="kernel", title=title, source=SOURCE)
    loop = PlaneLoop()
    ring = loop.declare(d)
    found = loop.assemblies(d, input_branch(d))
    first, second, third = (
        Turn(
            d.scalar(f"cos_{k}", c, f"cosine of the {word} angle"), d.scalar(f"sin_{k}", s, f"sine of the {word} angle")
        )
        for k, (c, s), word in zip("123", found.turns, WORDS, strict=True)
    )
    turns, unit = (first, second, third), loop.unit(d, ring)
    give_turns(d, turns)
    derive_rates(d, ring, turns, unit)
    return d
