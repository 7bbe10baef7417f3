"""Dyads with two revolute pairs and one prismatic pair, planar: R.R.P and R.P.R.

One problem serves both. A link of length l turns about A; its end C lies on a line that is parallel to the slide n at
the offset e from the slide's point c. With m = c + e J n - A and its height k = m . J n over A:

    t = sigma sqrt(l^2 - k^2)        C - A = k J n + t n,        s = t - m . n

For R.P.R the prismatic pair lies between the unknown bodies: seen from the first of them, the centre of the last
joint moves along the slide at the known distance |AB| from A. Same kernel, re-rooted.

Source: elementary (circle and line); docs/closed-forms.md.
"""

from __future__ import annotations

from symgen.algebra import (
    FOLD_TOLERANCE,
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
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity, linear_pair
from symgen.derive.derivation import Derivation
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation, overview
from symgen.derive.planar_group import (
    accelerate_body,
    give_coordinates,
    in_frame,
    joint_frame,
    known_body,
    link_angle,
    link_turn,
    move_body,
    place_body,
    slide_direction,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine
from symgen.status import Status

_SOURCE = "elementary geometry: intersection of a circle and a line"
_BITS = (("sigma", "the inner end ahead of the outer centre along the slide"),)


def derive_kernel() -> Derivation:
    """Derive the dyad on world elements: centre, length, slide line and their motion."""
    d = Derivation(
        "dyad_rrp kernel", level="kernel", title="link about A whose end C slides along a line", source=_SOURCE
    )
    a = d.input_vector("a", 2, meaning="centre A of the link", unit="m")
    l_a = d.input_scalar("l_a", meaning="length of the link, from A to C", unit="m", range="> 1e-50 (float: 1e-6)")
    c = d.input_vector("c", 2, meaning="point of the slide, moving with its body", unit="m")
    n = d.input_vector("n", 2, meaning="direction of the slide", unit="1", range="unit")
    e = d.input_scalar("e", meaning="offset of C from the slide, along the slide turned by +90 degrees", unit="m")
    v_a = d.input_vector("v_a", 2, meaning="velocity of A", unit="m/s")
    v_c = d.input_vector("v_c", 2, meaning="velocity of the slide's point", unit="m/s")
    omega_2 = d.input_scalar("omega_2", meaning="angular velocity of the slide", unit="rad/s", frame="world")
    a_a = d.input_vector("a_a", 2, meaning="acceleration of A", unit="m/s^2")
    a_c = d.input_vector("a_c", 2, meaning="acceleration of the slide's point", unit="m/s^2")
    alpha_2 = d.input_scalar("alpha_2", meaning="angular acceleration of the slide", unit="rad/s^2", frame="world")
    (sigma,) = d.input_branch(_BITS)
    d.guard(l_a, ">", SMALL_LENGTH, Status.BAD_INPUT, "the link has no length", when="used", port="l_a")
    d.guard_unit("n", n.dot(n), "the direction n")
    ac = d.vector("ac", c - a, "from A to the slide's point", "m")
    m = d.vector("m", ac + n.turned() * e, "from A to where C lies at zero slide", "m")
    k = d.scalar("k", n.area(m), "height of the line over A", "m")
    la2 = d.scalar("la2", l_a * l_a, "squared length of the link", "m^2")
    h2 = d.scalar("h2", la2 - k * k, "squared half chord; negative: out of reach", "m^2")
    # The height is a sum of these parts; at a fold it equals the length, so this outweighs the other roundings.
    parts = ac.size() + absolute(e)
    noise = d.scalar("noise", REACH_TOLERANCE * absolute(k) * parts, "rounding of h2 near a fold", "m^2")
    d.guard(h2, ">=", -noise, Status.NO_ASSEMBLY, "the link does not reach the line")
    d.flag(
        h2, "<", FOLD_TOLERANCE * la2 + noise, Status.SINGULAR, "link at a right angle to the slide: both branches meet"
    )
    along = n * d.promise("t") + n.turned() * k
    given = Vector((d.promise("p_x"), d.promise("p_y"))) - a
    t = d.scalar(
        "t", sigma * sqrt(not_below_zero(h2)), "half chord with the branch's sign", "m", recovered=given.dot(n)
    )
    s = d.scalar("s", t - m.dot(n), "slide", "m")
    along = n * t + n.turned() * k
    u = d.vector("u", along, "link, from A to C", "m", recovered=given)
    p = d.vector("p", a + u, "end C of the link", "m")
    d.output("p", p, meaning="end C of the link", unit="m")
    d.output("s", s, meaning="slide", unit="m", frame="slide")
    with d.part("geometry"):
        d.guard(
            absolute(t), ">", SINGULAR_TOLERANCE * l_a, Status.SINGULAR, "link at a right angle to the slide: no rates"
        )
        i_t = d.scalar("i_t", 1 / t, "reciprocal of the half chord", "1/m")
        arm = d.vector("arm", p - c, "from the slide's point to C", "m")
    with d.part("velocity"):
        dv = d.vector(
            "dv", carried_velocity(v_c, omega_2, arm) - v_a, "velocity of C carried by the slide, relative to A", "m/s"
        )
        omega_1 = d.scalar("omega_1", i_t * n.area(dv), "angular velocity of the link", "rad/s")
        s_rate = d.scalar("s_rate", -(i_t * dv.dot(u)), "slide rate", "m/s")
        v_p = d.vector("v_p", carried_velocity(v_a, omega_1, u), "velocity of C", "m/s")
        d.output("v_p", v_p, meaning="velocity of C", unit="m/s")
        d.output("omega_1", omega_1, meaning="angular velocity of the link", unit="rad/s")
        d.output("s_rate", s_rate, meaning="slide rate", unit="m/s", frame="slide")
    with d.part("acceleration"):
        w1 = d.scalar("w1", omega_1 * omega_1, "squared angular velocity of the link", "1/s^2")
        w2 = d.scalar("w2", omega_2 * omega_2, "squared angular velocity of the slide", "1/s^2")
        coriolis = d.scalar("coriolis", TWO * omega_2 * s_rate, "Coriolis acceleration along the turned slide", "m/s^2")
        carried = carried_acceleration(a_c, alpha_2, w2, arm) + n.turned() * coriolis
        de = d.vector("de", carried - a_a + u * w1, "acceleration gap that the accelerations must close", "m/s^2")
        alpha_1 = d.scalar("alpha_1", i_t * n.area(de), "angular acceleration of the link", "rad/s^2")
        s_acc = d.scalar("s_acc", -(i_t * de.dot(u)), "slide acceleration", "m/s^2")
        a_p = d.vector("a_p", carried_acceleration(a_a, alpha_1, w1, u), "acceleration of C", "m/s^2")
        d.output("a_p", a_p, meaning="acceleration of C", unit="m/s^2")
        d.output("alpha_1", alpha_1, meaning="angular acceleration of the link", unit="rad/s^2")
        d.output("s_acc", s_acc, meaning="slide acceleration", unit="m/s^2", frame="slide")
    link, offset = p - a, p - c
    closed = [link.dot(link) - l_a * l_a, offset.dot(n.turned()) - e, offset.dot(n) - s]
    unit = {"n_y": ONE - n[0] * n[0]}
    text = "C has the given distance from A, offset from the slide and place along it"
    d.claim_identity("closure", text, closed, squares={"t": d.promise("h2"), **unit})
    other = v_p - carried_velocity(v_c, omega_2, arm) - n * s_rate
    grown = a_p - carried - n * s_acc
    d.claim_zero("other_link", "C moves alike on the link and on the slide", [*other, *grown])
    return d


def derive_rrp(kernel: Routine) -> Derivation:
    """Derive the group k1 -R- b1 -R- b2 -P- k2 on poses and joint frames."""
    d = Derivation(
        "dyad_rrp rrp", level="group", title="R.R.P group between two moving bodies", source=_SOURCE, arrangement="rrp"
    )
    k1, k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
    f1k, f1b = joint_frame(d, "j1", "k1"), joint_frame(d, "j1", "b1")
    f2a, f2b = joint_frame(d, "j2", "b1"), joint_frame(d, "j2", "b2")
    f3k, f3b = joint_frame(d, "j3", "k2"), joint_frame(d, "j3", "b2")
    d.input_branch(_BITS)
    a = d.vector("a", k1.point(f1k.at), "centre of joint j1", "m")
    c = d.vector("c", k2.point(f3k.at), "origin of the slide j3 on k2", "m")
    n = slide_direction(d, "j3", k2.phi + f3k.angle)
    link = d.vector("link", f2a.at - f1b.at, "from j1 to j2 on b1", "m")
    l_a2 = d.scalar("l_a2", link.dot(link), "its squared length", "m^2")
    l_a = d.scalar("l_a", sqrt(l_a2), "its length", "m")
    end = in_frame(d, "end", f3b, f2b.at, "j2 in the slide's frame on b2")
    given: dict[str, Vector | Expr] = {"a": a, "l_a": l_a, "c": c, "n": n, "e": end[1], "branch": d.branch}
    found = d.call(kernel, given, "dyad", "Inner centre C = j2, and the slide.")
    p, s = found.vector("p"), found.scalar("s")
    along = d.vector("along_b1", p - a, "line from j1 to j2", "m")
    turn1 = link_turn(d, "b1", link, along, l_a2)
    phi1 = turn1.phi
    phi2 = d.scalar("phi_b2", k2.phi + f3k.angle - f3b.angle, "angle of b2: the slide does not turn", "rad")
    b1 = place_body(d, "b1", phi1, a, f1b.at, turn1)
    b2 = place_body(d, "b2", phi2, p, f2b.at)
    give_coordinates(d, "j1", phi1 + f1b.angle - k1.phi - f1k.angle, kind="angle")
    give_coordinates(d, "j2", phi2 + f2b.angle - phi1 - f2a.angle, kind="angle")
    give_coordinates(d, "j3", s - end[0], kind="slide")
    with d.part("geometry"):
        u = d.vector("u", along, "from j1 to j2", "m", recovered=b1.to_world(link))
        point = d.vector("point", p, "centre of j2", "m", recovered=a + u)
        ju = d.vector("ju", u.turned(), "velocity of C per unit angular velocity of b1", "m")
    lengths = (l_a2, l_a), (ONE, ONE)
    system = linear_pair(d, ju, -n, "the system of angular velocity and slide rate", unit="m", lengths=lengths)
    with d.part("velocity"):
        v_a = d.vector("v_a", k1.velocity_at(a), "velocity of j1", "m/s")
        v_p = d.vector("v_p", k2.velocity_at(point), "velocity of C if the slide stood still", "m/s")
        x1, x2 = system.solve(d.vector("dv", v_p - v_a, "velocity gap that the rates must close", "m/s"))
        rate = d.scalar("rate", x2, "slide rate", "m/s")
        omega1 = move_body(d, "b1", b1, v_a, x1)
        omega2 = move_body(d, "b2", b2, v_p + n * rate, k2.omega)
        give_coordinates(d, "j1", omega1 - k1.omega, rate=True, kind="angle")
        give_coordinates(d, "j2", omega2 - omega1, rate=True, kind="angle")
        give_coordinates(d, "j3", rate, rate=True, kind="slide")
        slide_rate = d.promise("qd_j3_slide")
    with d.part("acceleration"):
        a_a = d.vector("a_a", k1.acceleration_at(a), "acceleration of j1", "m/s^2")
        coriolis = d.scalar(
            "coriolis", TWO * k2.omega * slide_rate, "Coriolis acceleration along the turned slide", "m/s^2"
        )
        bias = d.vector(
            "bias",
            k2.acceleration_at(point) + n.turned() * coriolis,
            "acceleration of C if the slide rate stayed",
            "m/s^2",
        )
        w1 = d.scalar("w1", omega1 * omega1, "squared angular velocity of b1", "1/s^2")
        w2 = d.scalar("w2", k2.omega * k2.omega, "squared angular velocity of b2", "1/s^2")
        x1, x2 = system.solve(
            d.vector("de", bias - a_a + u * w1, "acceleration gap that the accelerations must close", "m/s^2")
        )
        growth = d.scalar("growth", x2, "slide acceleration", "m/s^2")
        alpha1 = accelerate_body(d, "b1", b1, a_a, x1, w1)
        alpha2 = accelerate_body(d, "b2", b2, bias + n * growth, k2.alpha, w2)
        give_coordinates(d, "j1", alpha1 - k1.alpha, acceleration=True, kind="angle")
        give_coordinates(d, "j2", alpha2 - alpha1, acceleration=True, kind="angle")
        give_coordinates(d, "j3", growth, acceleration=True, kind="slide")
    return d


def derive_rpr(kernel: Routine) -> Derivation:
    """Derive the group k1 -R- b1 -P- b2 -R- k2: the kernel re-rooted onto b1."""
    d = Derivation(
        "dyad_rrp rpr", level="group", title="R.P.R group between two moving bodies", source=_SOURCE, arrangement="rpr"
    )
    k1, k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
    f1k, f1b = joint_frame(d, "j1", "k1"), joint_frame(d, "j1", "b1")
    f2a, f2b = joint_frame(d, "j2", "b1"), joint_frame(d, "j2", "b2")
    f3k, f3b = joint_frame(d, "j3", "k2"), joint_frame(d, "j3", "b2")
    d.input_branch(_BITS)
    a = d.vector("a", k1.point(f1k.at), "centre of joint j1", "m")
    b = d.vector("b", k2.point(f3k.at), "centre of joint j3", "m")
    ab = d.vector("ab", b - a, "from j1 to j3", "m")
    d2 = d.scalar("d2", ab.dot(ab), "its squared length", "m^2")
    near = in_frame(d, "near", f2a, f1b.at, "j1 in the slide's frame on b1")
    far = in_frame(d, "far", f2b, f3b.at, "j3 in the slide's frame on b2, at zero slide")
    extent = d.scalar("extent", near.dot(near) + far.dot(far), "squared size of the links", "m^2")
    d.guard(d2, ">", TINY * extent, Status.DEGENERATE, "the outer centres coincide")
    d_ab = d.scalar("d_ab", sqrt(d2), "distance of the outer centres", "m")
    slide_x = Vector((ONE, ZERO))
    origin = Vector((ZERO, ZERO))
    given: dict[str, Vector | Expr] = {
        "a": near,
        "l_a": d_ab,
        "c": origin,
        "n": slide_x,
        "e": far[1],
        "branch": d.branch,
    }
    found = d.call(kernel, given, "dyad", "Centre of j3 and the slide, seen from the slide's frame on b1.")
    p, s = found.vector("p"), found.scalar("s")
    seen = d.vector("seen", p - near, "from j1 to j3 in the slide's frame", "m")
    theta = link_angle(d, "slide", seen, ab)
    phi1 = d.scalar("phi_b1", theta - f2a.angle, "angle of b1", "rad")
    phi2 = d.scalar("phi_b2", theta - f2b.angle, "angle of b2: the slide does not turn", "rad")
    b1 = place_body(d, "b1", phi1, a, f1b.at)
    b2 = place_body(d, "b2", phi2, b, f3b.at)
    give_coordinates(d, "j1", phi1 + f1b.angle - k1.phi - f1k.angle, kind="angle")
    give_coordinates(d, "j2", s - far[0], kind="slide")
    give_coordinates(d, "j3", phi2 + f3b.angle - k2.phi - f3k.angle, kind="angle")
    with d.part("geometry"):
        n = slide_direction(d, "j2", phi1 + f2a.angle)
        ju = d.vector("ju", ab.turned(), "velocity of j3 per unit angular velocity of both links", "m")
    system = linear_pair(d, ju, n, "the system of angular velocity and slide rate", unit="m")
    with d.part("velocity"):
        v_a = d.vector("v_a", k1.velocity_at(a), "velocity of j1", "m/s")
        v_b = d.vector("v_b", k2.velocity_at(b), "velocity of j3", "m/s")
        x1, x2 = system.solve(d.vector("dv", v_b - v_a, "velocity gap that the rates must close", "m/s"))
        omega1 = move_body(d, "b1", b1, v_a, x1)
        omega2 = move_body(d, "b2", b2, v_b, omega1)
        give_coordinates(d, "j1", omega1 - k1.omega, rate=True, kind="angle")
        give_coordinates(d, "j2", x2, rate=True, kind="slide")
        give_coordinates(d, "j3", omega2 - k2.omega, rate=True, kind="angle")
    with d.part("acceleration"):
        a_a = d.vector("a_a", k1.acceleration_at(a), "acceleration of j1", "m/s^2")
        a_b = d.vector("a_b", k2.acceleration_at(b), "acceleration of j3", "m/s^2")
        w1 = d.scalar("w1", omega1 * omega1, "squared angular velocity of both links", "1/s^2")
        coriolis = d.scalar(
            "coriolis", TWO * omega1 * d.promise("qd_j2_slide"), "Coriolis acceleration along the turned slide", "m/s^2"
        )
        rest = a_b - a_a + ab * w1 - n.turned() * coriolis
        x1, x2 = system.solve(d.vector("de", rest, "acceleration gap that the accelerations must close", "m/s^2"))
        alpha1 = accelerate_body(d, "b1", b1, a_a, x1, w1)
        alpha2 = accelerate_body(d, "b2", b2, a_b, alpha1, w1)
        give_coordinates(d, "j1", alpha1 - k1.alpha, acceleration=True, kind="angle")
        give_coordinates(d, "j2", x2, acceleration=True, kind="slide")
        give_coordinates(d, "j3", alpha2 - k2.alpha, acceleration=True, kind="angle")
    return d


def derive() -> ModuleDerivation:
    """Derive the module."""
    kernel = derive_kernel()
    rrp = (
        JointSlot("j1", "R", ("k1", "b1"), ("angle",)),
        JointSlot("j2", "R", ("b1", "b2"), ("angle",)),
        JointSlot("j3", "P", ("k2", "b2"), ("slide",)),
    )
    rpr = (
        JointSlot("j1", "R", ("k1", "b1"), ("angle",)),
        JointSlot("j2", "P", ("b1", "b2"), ("slide",)),
        JointSlot("j3", "R", ("k2", "b2"), ("angle",)),
    )
    known, bodies = ("k1", "k2"), ("b1", "b2")
    return ModuleDerivation(
        id="dyad_rrp",
        title="R.R.P and R.P.R dyads",
        space="planar",
        degree=2,
        source=_SOURCE,
        summary=overview(__doc__),
        kernel=kernel,
        arrange=lambda position: (
            Arrangement("rrp", "planar", known, bodies, rrp, derive_rrp(position)),
            Arrangement("rpr", "planar", known, bodies, rpr, derive_rpr(position)),
        ),
    )
