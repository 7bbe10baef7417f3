"""R.R.R dyad: two links between two moving centres, planar.

Centres A (on the first known body) and B (on the second) and the lengths l_a = AC, l_b = BC are given; the inner
centre C is sought. With d = |AB|, the foot of C on AB and its height over AB follow from

    foot   = (C - A) . (B - A) = (d^2 + (l_a + l_b)(l_a - l_b)) / 2
    area^2 = ((B - A) x (C - A))^2 = ((l_a + l_b)^2 - d^2)(d^2 - (l_a - l_b)^2) / 4
    C      = A + (foot (B - A) + sigma |area| J (B - A)) / d^2  J: quarter turn; sigma = +1: C lies left of A->B

The area is Heron's: one factor vanishes when the links are stretched, the other when they are folded back, and both
stay accurate for links of very unequal lengths, which l_a^2 d^2 - foot^2 does not.

Velocities and accelerations of C seen from both links give one 2 x 2 system for the links' angular velocities and
the same one for their angular accelerations. Its determinant u x w is the same area: known before C is, so its
reciprocal does not wait for C.

Source: elementary (two circles); docs/closed-forms.md.
"""

from __future__ import annotations

from symgen.algebra import (
    FOLD_TOLERANCE,
    HALF,
    LARGE_RATE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    SMALL_LENGTH,
    TINY,
    Expr,
    absolute,
    not_below_zero,
    ratio,
    sqrt,
)
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity, linear_pair
from symgen.derive.derivation import Derivation
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation, overview
from symgen.derive.planar_group import (
    accelerate_body,
    give_coordinates,
    joint_frame,
    known_body,
    link_turn,
    move_body,
    place_body,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine
from symgen.status import Status

_SOURCE = "elementary geometry: intersection of two circles"
_BITS = (("sigma", "the inner joint left of the line from the first outer joint to the second"),)


def _two_circles(
    d: Derivation, a: Vector, b: Vector, l_a: Expr, l_b: Expr, sigma: Expr
) -> tuple[Vector, Vector, Expr, Expr]:
    """Name the steps from the centres to C; return (B - A, C - A, area (B - A) x (C - A), l_a l_b)."""
    d.guard(l_a, ">", SMALL_LENGTH, Status.BAD_INPUT, "the first link has no length", when="used", port="l_a")
    d.guard(l_b, ">", SMALL_LENGTH, Status.BAD_INPUT, "the second link has no length", when="used", port="l_b")
    ab = d.vector("ab", b - a, "line of centres, from A to B", "m")
    d2 = d.scalar("d2", ab.dot(ab), "squared distance of the centres", "m^2")
    total = d.scalar("total", l_a + l_b, "both lengths", "m")
    rest = d.scalar("rest", l_a - l_b, "difference of the lengths", "m")
    total2 = d.scalar("total2", total * total, "its square: d^2 when the links are stretched", "m^2")
    out = d.scalar("to_stretched", total2 - d2, "distance from the stretched position; negative: out of reach", "m^2")
    back = d.scalar("to_folded", d2 - rest * rest, "distance from the folded position; negative: out of reach", "m^2")
    area2 = d.scalar("area2", ratio(1, 4) * out * back, "squared (B - A) x (C - A) (Heron)", "m^4")
    size = d.scalar("size", l_a * l_b, "product of the lengths: (B - A) x (C - A) of links at right angles", "m^2")
    # to_stretched + to_folded = 4 l_a l_b: a rounding of (l_a + l_b)^2 in either does at most this to their product.
    noise = d.scalar("noise", REACH_TOLERANCE * total2 * size, "rounding of area2 near a fold", "m^4")
    d.guard(d2, ">", TINY * total2, Status.DEGENERATE, "the centres coincide", when="cold")
    d.guard(area2, ">=", -noise, Status.NO_ASSEMBLY, "the links do not reach each other")
    in_line = FOLD_TOLERANCE * size * size + noise
    d.flag(area2, "<=", in_line, Status.SINGULAR, "links in line: both branches meet")
    # Never false: d^2 > (l_a - l_b)^2 or (l_a + l_b)^2 d^2 >= 4 area2 says more, by more than rounding. It says of the
    # divisor itself what the check of area2 says in a roundabout way (docs/export-embedded.md, proof of ranges).
    d.guard(d2, ">", FOLD_TOLERANCE * size, Status.DEGENERATE, "the centres coincide", when="combined")
    foot = d.scalar("foot", HALF * (d2 + total * rest), "(C - A) . (B - A): foot of C on AB, times d", "m^2")
    area = d.scalar(
        "area", sigma * sqrt(not_below_zero(area2)), "(B - A) x (C - A)", "m^2", combined=sigma * sqrt(area2)
    )
    i_d2 = d.scalar("i_d2", 1 / d2, "reciprocal of d squared", "1/m^2")
    f = d.scalar("f", foot * i_d2, "foot of C on AB, as a fraction of AB")
    h = d.scalar("h", area * i_d2, "height of C over AB, as a fraction of AB")
    u = Vector((f * ab[0] - h * ab[1], f * ab[1] + h * ab[0]))
    return ab, u, area, size


def derive_kernel() -> Derivation:
    """Derive the dyad on world points: centres, lengths and their motion."""
    d = Derivation("dyad_rrr kernel", level="kernel", title="R.R.R dyad between moving centres A and B", source=_SOURCE)
    a = d.input_vector("a", 2, meaning="centre A of the first outer joint", unit="m")
    b = d.input_vector("b", 2, meaning="centre B of the second outer joint", unit="m")
    l_a = d.input_scalar(
        "l_a", meaning="length of the first link, from A to C", unit="m", range="> 1e-50 (float: 1e-6)"
    )
    l_b = d.input_scalar(
        "l_b", meaning="length of the second link, from B to C", unit="m", range="> 1e-50 (float: 1e-6)"
    )
    v_a = d.input_vector("v_a", 2, meaning="velocity of A", unit="m/s")
    v_b = d.input_vector("v_b", 2, meaning="velocity of B", unit="m/s")
    a_a = d.input_vector("a_a", 2, meaning="acceleration of A", unit="m/s^2")
    a_b = d.input_vector("a_b", 2, meaning="acceleration of B", unit="m/s^2")
    (sigma,) = d.input_branch(_BITS)
    ab, to_c, area, size = _two_circles(d, a, b, l_a, l_b, sigma)
    given = Vector(tuple(d.promise(f"p_{axis}") for axis in "xy"))
    u = d.vector("u", to_c, "first link, from A to C", "m", recovered=given - a)
    p = d.vector("p", a + u, "inner centre C", "m")
    d.output("p", p, meaning="inner centre C", unit="m")
    with d.part("geometry"):
        w = d.vector("w", u - ab, "second link, from B to C", "m", recovered=p - b)
        det = d.scalar("det", area, "area u x w = (B - A) x (C - A)", "m^2", recovered=u.area(w))
        d.guard(absolute(det), ">", SINGULAR_TOLERANCE * size, Status.SINGULAR, "links in line: no rates", when="given")
        i_det = d.scalar("i_det", 1 / det, "reciprocal of the area", "1/m^2")
    with d.part("velocity"):
        dv = d.vector("dv", v_b - v_a, "velocity of B relative to A", "m/s")
        with d.part("acceleration"):
            da = d.vector("da", a_b - a_a, "acceleration of B relative to A", "m/s^2")
            rates = absolute(dv[0]) + absolute(dv[1]) + absolute(da[0]) + absolute(da[1])
            d.guard(rates, "<=", LARGE_RATE, Status.BAD_INPUT, "NaN, infinite or beyond range", when="combined")
        omega_1 = d.scalar("omega_1", i_det * dv.dot(w), "angular velocity of the first link", "rad/s")
        omega_2 = d.scalar("omega_2", i_det * dv.dot(u), "angular velocity of the second link", "rad/s")
        v_p = d.vector("v_p", carried_velocity(v_a, omega_1, u), "velocity of C", "m/s")
        d.output("v_p", v_p, meaning="velocity of C", unit="m/s")
        d.output("omega_1", omega_1, meaning="angular velocity of the first link", unit="rad/s")
        d.output("omega_2", omega_2, meaning="angular velocity of the second link", unit="rad/s")
    with d.part("acceleration"):
        n1 = d.scalar("n1", omega_1 * omega_1, "squared angular velocity of the first link", "1/s^2")
        n2 = d.scalar("n2", omega_2 * omega_2, "squared angular velocity of the second link", "1/s^2")
        c1 = d.vector("c1", u * n1, "centripetal part of C about A, reversed", "m/s^2")
        dc = d.vector("dc", c1 - w * n2, "that part minus the same about B", "m/s^2")
        e = d.vector("e", da + dc, "acceleration gap that the angular accelerations must close", "m/s^2")
        alpha_1 = d.scalar("alpha_1", i_det * e.dot(w), "angular acceleration of the first link", "rad/s^2")
        alpha_2 = d.scalar("alpha_2", i_det * e.dot(u), "angular acceleration of the second link", "rad/s^2")
        rest = d.vector("rest", a_a - c1, "acceleration of C without the angular term", "m/s^2")
        a_p = d.vector("a_p", rest + u.turned() * alpha_1, "acceleration of C", "m/s^2")
        d.output("a_p", a_p, meaning="acceleration of C", unit="m/s^2")
        d.output("alpha_1", alpha_1, meaning="angular acceleration of the first link", unit="rad/s^2")
        d.output("alpha_2", alpha_2, meaning="angular acceleration of the second link", unit="rad/s^2")
    d.witness("all", ())
    to_a, to_b = p - a, p - b
    lengths = [to_a.dot(to_a) - l_a * l_a, to_b.dot(to_b) - l_b * l_b]
    d.claim_identity("lengths", "C has the given distances from A and B", lengths, squares={"area": d.promise("area2")})
    rigid = [(v_p - v_a).dot(u), (v_p - v_b).dot(w)]
    d.claim_zero("rigid_velocity", "velocities keep both lengths: (v_C - v_A) . u = (v_C - v_B) . w = 0", rigid)
    grown = [(a_p - a_a).dot(u) + n1 * u.dot(u), (a_p - a_b).dot(w) + n2 * w.dot(w)]
    d.claim_zero("rigid_acceleration", "accelerations keep both lengths", grown)
    second = v_p - carried_velocity(v_b, omega_2, w)
    d.claim_zero(
        "other_link", "C moves alike on both links", [*second, *(a_p - carried_acceleration(a_b, alpha_2, n2, w))]
    )
    return d


def derive_group(kernel: Routine) -> Derivation:
    """Derive the group k1 -R- b1 -R- b2 -R- k2 on poses and joint frames."""
    d = Derivation(
        "dyad_rrr rrr", level="group", title="R.R.R group between two moving bodies", source=_SOURCE, arrangement="rrr"
    )
    k1, k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
    f1k, f1b = joint_frame(d, "j1", "k1"), joint_frame(d, "j1", "b1")
    f2a, f2b = joint_frame(d, "j2", "b1"), joint_frame(d, "j2", "b2")
    f3k, f3b = joint_frame(d, "j3", "k2"), joint_frame(d, "j3", "b2")
    d.input_branch(_BITS)
    a = d.vector("a", k1.point(f1k.at), "centre of joint j1", "m")
    b = d.vector("b", k2.point(f3k.at), "centre of joint j3", "m")
    link1 = d.vector("link1", f2a.at - f1b.at, "from j1 to j2 on b1", "m")
    link2 = d.vector("link2", f2b.at - f3b.at, "from j3 to j2 on b2", "m")
    l_a2 = d.scalar("l_a2", link1.dot(link1), "squared length of the link b1", "m^2")
    l_b2 = d.scalar("l_b2", link2.dot(link2), "squared length of the link b2", "m^2")
    l_a = d.scalar("l_a", sqrt(l_a2), "length of the link b1", "m")
    l_b = d.scalar("l_b", sqrt(l_b2), "length of the link b2", "m")
    found = d.call(kernel, {"a": a, "b": b, "l_a": l_a, "l_b": l_b, "branch": d.branch}, "dyad", "Inner centre C.")
    p = found.vector("p")
    along1 = d.vector("along_b1", p - a, "line from j1 to j2", "m")
    along2 = d.vector("along_b2", p - b, "line from j3 to j2", "m")
    turn1, turn2 = link_turn(d, "b1", link1, along1, l_a2), link_turn(d, "b2", link2, along2, l_b2)
    phi1, phi2 = turn1.phi, turn2.phi
    b1 = place_body(d, "b1", phi1, a, f1b.at, turn1)
    b2 = place_body(d, "b2", phi2, b, f3b.at, turn2)
    give_coordinates(d, "j1", phi1 + f1b.angle - k1.phi - f1k.angle, kind="angle")
    give_coordinates(d, "j2", phi2 + f2b.angle - phi1 - f2a.angle, kind="angle")
    give_coordinates(d, "j3", phi2 + f3b.angle - k2.phi - f3k.angle, kind="angle")
    with d.part("geometry"):
        u = d.vector("u", along1, "from j1 to j2", "m", recovered=b1.to_world(link1))
        w = d.vector("w", along2, "from j3 to j2", "m", recovered=b2.to_world(link2))
        ju = d.vector("ju", u.turned(), "velocity of C per unit angular velocity of b1", "m")
        jw = d.vector("jw", -w.turned(), "velocity of C per unit angular velocity of b2, reversed", "m")
    lengths = (l_a2, l_a), (l_b2, l_b)
    system = linear_pair(d, ju, jw, "the system of angular velocities", unit="m^2", lengths=lengths)
    with d.part("velocity"):
        v_a = d.vector("v_a", k1.velocity_at(a), "velocity of j1", "m/s")
        v_b = d.vector("v_b", k2.velocity_at(b), "velocity of j3", "m/s")
        x1, x2 = system.solve(d.vector("dv", v_b - v_a, "velocity of j3 relative to j1", "m/s"))
        omega1, omega2 = move_body(d, "b1", b1, v_a, x1), move_body(d, "b2", b2, v_b, x2)
        give_coordinates(d, "j1", omega1 - k1.omega, rate=True, kind="angle")
        give_coordinates(d, "j2", omega2 - omega1, rate=True, kind="angle")
        give_coordinates(d, "j3", omega2 - k2.omega, rate=True, kind="angle")
    with d.part("acceleration"):
        a_a = d.vector("a_a", k1.acceleration_at(a), "acceleration of j1", "m/s^2")
        a_b = d.vector("a_b", k2.acceleration_at(b), "acceleration of j3", "m/s^2")
        n1 = d.scalar("n1", omega1 * omega1, "squared angular velocity of b1", "1/s^2")
        n2 = d.scalar("n2", omega2 * omega2, "squared angular velocity of b2", "1/s^2")
        e = d.vector(
            "e", a_b - a_a + u * n1 - w * n2, "acceleration gap that the angular accelerations must close", "m/s^2"
        )
        x1, x2 = system.solve(e)
        alpha1 = accelerate_body(d, "b1", b1, a_a, x1, n1)
        alpha2 = accelerate_body(d, "b2", b2, a_b, x2, n2)
        give_coordinates(d, "j1", alpha1 - k1.alpha, acceleration=True, kind="angle")
        give_coordinates(d, "j2", alpha2 - alpha1, acceleration=True, kind="angle")
        give_coordinates(d, "j3", alpha2 - k2.alpha, acceleration=True, kind="angle")
    return d


def derive() -> ModuleDerivation:
    """Derive the module."""
    kernel = derive_kernel()
    joints = (
        JointSlot("j1", "R", ("k1", "b1"), ("angle",)),
        JointSlot("j2", "R", ("b1", "b2"), ("angle",)),
        JointSlot("j3", "R", ("k2", "b2"), ("angle",)),
    )
    return ModuleDerivation(
        id="dyad_rrr",
        title="R.R.R dyad",
        space="planar",
        degree=2,
        source=_SOURCE,
        summary=overview(__doc__),
        kernel=kernel,
        arrange=lambda position: (
            Arrangement("rrr", "planar", ("k1", "k2"), ("b1", "b2"), joints, derive_group(position)),
        ),
    )
