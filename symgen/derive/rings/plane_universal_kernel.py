"""A universal pair and a revolute one that put one plane on another: the ring R, U, PL by two square roots.

From body 1 the ring turns about the axes a1 and a2, which meet at o, then about a3 through p3 (held at zero angles in
the world), and carries a plane with normal n0 through c0, which has to come to lie on the plane with normal n through
c of body 2. The universal pair leaves the distance of its centre from the plane alone; so the revolute pair alone
settles it: with m3 = R3 n0 the normal beyond the universal pair,

    m3 . (p3 - o) = n . (c - o) - n0 . (c0 - p3)

which reads A cos + B sin + C = 0 in the last angle. Then the middle angle brings m3 to the angle that the first axis
has with the required normal, a1 . R2 m3 = a1 . n, once more such an equation, and the first angle turns it there.

Source: docs/closed-forms.md, derived there (T1 twice).
"""

from __future__ import annotations

from symgen.algebra import (
    FOLD_TOLERANCE,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    Expr,
    absolute,
    not_below_zero,
    sqrt,
)
from symgen.derive.blocks.plane import Spun, spun
from symgen.derive.derivation import Derivation
from symgen.derive.rings.plane_elements import PlaneRing, Turn, angle_between, derive_rates, give_turns, plane_ring
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md; groups of Celdran, Saura, Dopico 2022"

#: Signs of the square roots.
BITS = (
    ("sigma_1", "n . (p3 - o), n the carried normal, growing with the angle of the revolute pair"),
    ("sigma_2", "the carried normal's part along the first axis growing with the second angle of the universal pair"),
)


def turn_to(
    d: Derivation, name: str, turned: Spun, along: Vector, wanted: Expr, sigma: Expr, noise: Expr, text: str
) -> tuple[Turn, Expr]:
    """Turn a vector until its part along a fixed one is as wanted (T1 of docs/closed-forms.md).

    `noise` times EPSILON bounds the rounding of that part. Returns the turn and the amplitude of the part.
    """
    a = d.scalar(f"{name}_a", turned.across.dot(along), f"{text}: coefficient of the cosine")
    b = d.scalar(f"{name}_b", turned.side.dot(along), f"{text}: coefficient of the sine")
    c = d.scalar(f"{name}_c", turned.axial.dot(along) - wanted, f"{text}: constant of A cos + B sin + C = 0")
    h2 = d.scalar(f"{name}_h2", a * a + b * b, f"{text}: squared amplitude")
    least = TINY * noise * noise
    d.guard(h2, ">", least, Status.DEGENERATE, f"{text}: the angle does not change it")
    margin = d.scalar(f"{name}_margin", h2 - c * c, f"{text}: squared amplitude left over; negative: out of reach")
    rounding = REACH_TOLERANCE * absolute(c) * noise
    d.guard(margin, ">=", -rounding, Status.NO_ASSEMBLY, f"{text}: out of reach")
    d.flag(margin, "<", FOLD_TOLERANCE * h2 + rounding, Status.SINGULAR, f"{text}: branches meet")
    root = d.scalar(f"{name}_root", sigma * sqrt(not_below_zero(margin)), f"{text}: root, with the branch's sign")
    i_h2 = d.scalar(f"{name}_i_h2", 1 / h2, f"{text}: reciprocal of the squared amplitude")
    cosine = d.scalar(f"{name}_cos", (b * root - a * c) * i_h2, f"{text}: cosine of the angle")
    sine = d.scalar(f"{name}_sin", -(b * c + a * root) * i_h2, f"{text}: sine of the angle")
    d.claim_identity(
        f"{name}_angle",
        "cosine and sine solve A cos + B sin + C = 0 and cos^2 + sin^2 = 1",
        [a * cosine + b * sine + c, cosine * cosine + sine * sine - ONE],
        squares={f"{name}_root": margin},
        keep=[f"{name}_a", f"{name}_b", f"{name}_c"],
    )
    return Turn(cosine, sine), h2


def solve_turns(d: Derivation, ring: PlaneRing, signs: tuple[Expr, ...]) -> tuple[tuple[Turn, Turn, Turn], Expr]:
    """Name the steps from held elements to cosines and sines of the three angles; return them, and the unit."""
    (a1, a2, a3), (o, p3) = ring.axes, (ring.points[0], ring.points[2])
    e = d.vector("e", p3 - o, "from the universal centre to the revolute axis", "m")
    g = d.vector("reach", ring.c - o, "from the universal centre to the required plane", "m")
    h = d.vector("carried", ring.c0 - p3, "from the revolute axis to c0", "m")
    unit = d.scalar("unit", e.size() + g.size() + h.size(), "sum of all distances", "m")
    d.guard(unit, ">", SMALL_LENGTH, Status.DEGENERATE, "all points coincide")
    i_unit = d.scalar("i_unit", 1 / unit, "its reciprocal", "1/m")
    e1 = d.vector("e1", e * i_unit, "from the universal centre to the revolute axis, in that unit")
    away = d.scalar("away", (ring.n.dot(g) - ring.n0.dot(h)) * i_unit, "part of it along the normal, in that unit")
    carried = spun(d, "n0", a3, ring.n0, "carried normal")
    text = "distance of the universal centre from the carried plane"
    turn_3, amplitude2 = turn_to(d, "lift", carried, e1, away, signs[0], ONE, text)
    m3 = d.vector("m3", carried.at(turn_3.cosine, turn_3.sine), "carried normal beyond the universal pair")
    spread = d.scalar("spread", ONE + 1 / amplitude2, "rounding of it, in EPSILON; the root adds to it near a fold")
    tilted = spun(d, "m3", a2, m3, "that normal about the second axis")
    wanted = d.scalar("wanted", a1.dot(ring.n), "part of the required normal along the first axis")
    turn_2, tilt2 = turn_to(d, "tilt", tilted, a1, wanted, signs[1], spread, "tilt of the carried normal")
    near = FOLD_TOLERANCE
    d.flag(tilt2, "<", near, Status.SINGULAR, "the carried normal is close to the second axis: angle ill-defined")
    least = SINGULAR_TOLERANCE * SINGULAR_TOLERANCE
    d.guard(tilt2, ">", least, Status.DEGENERATE, "the carried normal lies along the second axis")
    m2 = d.vector("m2", tilted.at(turn_2.cosine, turn_2.sine), "carried normal beyond the first axis")
    turn_1 = angle_between(d, "", "1", a1, (m2, ring.n), "first")
    named = []
    for k, turn in ((2, turn_2), (3, turn_3)):
        word = {2: "second angle of the universal pair", 3: "angle of the revolute pair"}[k]
        cosine = d.scalar(f"cos_{k}", turn.cosine, f"cosine of the {word}")
        named.append(Turn(cosine, d.scalar(f"sin_{k}", turn.sine, f"sine of the {word}")))
    return (turn_1, named[0], named[1]), unit


def derive_kernel() -> Derivation:
    """Derive the ring on world elements: both axes through o, the revolute axis, the planes, and how both ends move."""
    title = "universal and revolute pair that put one plane on another, elements in one frame"
    d = Derivation("loop_rue kernel", level="kernel", title=title, source=SOURCE)
    ring = plane_ring(d, concurrent=True)
    signs = d.input_branch(BITS, lost_by_stage=True)
    turns, unit = solve_turns(d, ring, signs)
    give_turns(d, turns)
    derive_rates(d, ring, turns, unit)
    return d
