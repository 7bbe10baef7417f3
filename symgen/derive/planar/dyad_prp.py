"""Dyads with two prismatic pairs and one revolute pair, planar: P.R.P and R.P.P.

All angles are known, so the slides solve a linear system. Two points p1, p2 move along directions n1, n2 until they
meet:

    p1 + s1 n1 = p2 + s2 n2,    s1 = (p2 - p1) x n2 / (n1 x n2),    s2 = (p2 - p1) x n1 / (n1 x n2)

Parallel slides have no or infinitely many solutions. R.P.P is the same problem seen from its middle link.

Source: elementary (intersection of two lines); docs/closed-forms.md.
"""

from __future__ import annotations

from symgen.algebra import SINGULAR_TOLERANCE, TWO, Expr, absolute, cos, sin
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity, give_condition, rotated
from symgen.derive.derivation import Derivation
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation, overview
from symgen.derive.planar_group import (
    accelerate_body,
    give_coordinates,
    joint_frame,
    known_body,
    move_body,
    place_body,
    slide_direction,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine
from symgen.status import Status

_SOURCE = "elementary geometry: intersection of two lines"


def derive_kernel() -> Derivation:
    """Derive the meeting point of two moving lines."""
    d = Derivation("dyad_prp kernel", level="kernel", title="two points that slide until they meet", source=_SOURCE)
    p1 = d.input_vector("p1", 2, meaning="first point at zero slide", unit="m")
    n1 = d.input_vector("n1", 2, meaning="direction of the first slide", unit="1", range="unit")
    p2 = d.input_vector("p2", 2, meaning="second point at zero slide", unit="m")
    n2 = d.input_vector("n2", 2, meaning="direction of the second slide", unit="1", range="unit")
    linear: dict[str, Vector] = {}
    angular: dict[str, Expr] = {}
    for k, word in (("1", "first"), ("2", "second")):
        linear[f"v{k}"] = d.input_vector(
            f"v_p{k}", 2, meaning=f"velocity of the {word} point, carried by its body", unit="m/s"
        )
        angular[f"w{k}"] = d.input_scalar(
            f"omega_{k}", meaning=f"angular velocity of the {word} slide", unit="rad/s", frame="world"
        )
    for k, word in (("1", "first"), ("2", "second")):
        linear[f"a{k}"] = d.input_vector(
            f"a_p{k}", 2, meaning=f"acceleration of the {word} point, carried by its body", unit="m/s^2"
        )
        angular[f"b{k}"] = d.input_scalar(
            f"alpha_{k}", meaning=f"angular acceleration of the {word} slide", unit="rad/s^2", frame="world"
        )
    for k, n in (("1", n1), ("2", n2)):
        d.guard_unit(f"n{k}", n.dot(n), f"the direction n{k}")
    sine = d.scalar("sine", n1.area(n2), "sine of the angle between the slides")
    d.guard(absolute(sine), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, "the slides are parallel")
    i_sine = d.scalar("i_sine", 1 / sine, "its reciprocal")
    gap = d.vector("gap", p2 - p1, "from the first to the second point", "m")
    s1 = d.scalar("s1", i_sine * gap.area(n2), "first slide", "m")
    s2 = d.scalar("s2", i_sine * gap.area(n1), "second slide", "m")
    p = d.vector("p", p1 + n1 * s1, "meeting point", "m")
    d.output("s1", s1, meaning="first slide", unit="m", frame="slide")
    d.output("s2", s2, meaning="second slide", unit="m", frame="slide")
    d.output("p", p, meaning="meeting point", unit="m")
    with d.part("geometry"):
        d.guard(absolute(sine), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, "the slides are parallel")
        arm1 = d.vector("arm1", p - p1, "from the first point to the meeting point", "m")
        arm2 = d.vector("arm2", p - p2, "from the second point to the meeting point", "m")
    with d.part("velocity"):
        c1 = d.vector(
            "c1", carried_velocity(linear["v1"], angular["w1"], arm1), "velocity carried by the first body", "m/s"
        )
        c2 = d.vector(
            "c2", carried_velocity(linear["v2"], angular["w2"], arm2), "velocity carried by the second body", "m/s"
        )
        dv = d.vector("dv", c2 - c1, "velocity gap that the slide rates must close", "m/s")
        s1_rate = d.scalar("s1_rate", i_sine * dv.area(n2), "first slide rate", "m/s")
        s2_rate = d.scalar("s2_rate", i_sine * dv.area(n1), "second slide rate", "m/s")
        v_p = d.vector("v_p", c1 + n1 * s1_rate, "velocity of the meeting point", "m/s")
        d.output("s1_rate", s1_rate, meaning="first slide rate", unit="m/s", frame="slide")
        d.output("s2_rate", s2_rate, meaning="second slide rate", unit="m/s", frame="slide")
        d.output("v_p", v_p, meaning="velocity of the meeting point", unit="m/s")
    with d.part("acceleration"):
        parts = []
        for k, arm, n, rate in (("1", arm1, n1, s1_rate), ("2", arm2, n2, s2_rate)):
            omega = angular[f"w{k}"]
            carried = carried_acceleration(linear[f"a{k}"], angular[f"b{k}"], omega * omega, arm)
            bias = carried + n.turned() * (TWO * omega * rate)
            parts.append(
                d.vector(f"bias{k}", bias, f"acceleration of the meeting point if slide rate {k} stayed", "m/s^2")
            )
        de = d.vector("de", parts[1] - parts[0], "acceleration gap that the slide accelerations must close", "m/s^2")
        s1_acc = d.scalar("s1_acc", i_sine * de.area(n2), "first slide acceleration", "m/s^2")
        s2_acc = d.scalar("s2_acc", i_sine * de.area(n1), "second slide acceleration", "m/s^2")
        a_p = d.vector("a_p", parts[0] + n1 * s1_acc, "acceleration of the meeting point", "m/s^2")
        d.output("s1_acc", s1_acc, meaning="first slide acceleration", unit="m/s^2", frame="slide")
        d.output("s2_acc", s2_acc, meaning="second slide acceleration", unit="m/s^2", frame="slide")
        d.output("a_p", a_p, meaning="acceleration of the meeting point", unit="m/s^2")
    met = p2 + n2 * s2 - p
    d.claim_identity("meeting", "both points meet: p1 + s1 n1 = p2 + s2 n2", [*met], squares={})
    other = [*(v_p - c2 - n2 * s2_rate), *(a_p - parts[1] - n2 * s2_acc)]
    d.claim_zero("other_slide", "the meeting point moves alike on both slides", other)
    return d


def _system(d: Derivation, n1: Vector, n2: Vector) -> tuple[Vector, Vector]:
    """Name the parts of the system of slide rates; return the rows that give x1 and x2 of x1 n1 - x2 n2 = rhs."""
    with d.part("geometry"):
        sine = d.scalar("sine", n1.area(n2), "sine of the angle between the slides")
        d.guard(absolute(sine), ">", SINGULAR_TOLERANCE, Status.DEGENERATE, "the slides are parallel")
        i_sine = d.scalar("i_sine", 1 / sine, "its reciprocal")
        row1 = d.vector("row1", Vector((n2[1], -n2[0])) * i_sine, "row that gives the first slide rate")
        row2 = d.vector("row2", Vector((n1[1], -n1[0])) * i_sine, "row that gives the second slide rate")
    with d.part("condition"):
        give_condition(d, TWO / absolute(sine))
    return row1, row2


def derive_prp(kernel: Routine) -> Derivation:
    """Derive the group k1 -P- b1 -R- b2 -P- k2 on poses and joint frames."""
    d = Derivation(
        "dyad_prp prp", level="group", title="P.R.P group between two moving bodies", source=_SOURCE, arrangement="prp"
    )
    k1, k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
    f1k, f1b = joint_frame(d, "j1", "k1"), joint_frame(d, "j1", "b1")
    f2a, f2b = joint_frame(d, "j2", "b1"), joint_frame(d, "j2", "b2")
    f3k, f3b = joint_frame(d, "j3", "k2"), joint_frame(d, "j3", "b2")
    n1, n3 = slide_direction(d, "j1", k1.phi + f1k.angle), slide_direction(d, "j3", k2.phi + f3k.angle)
    phi1 = d.scalar("phi_b1", k1.phi + f1k.angle - f1b.angle, "angle of b1: the slide does not turn", "rad")
    phi2 = d.scalar("phi_b2", k2.phi + f3k.angle - f3b.angle, "angle of b2: the slide does not turn", "rad")
    reach1 = rotated(cos(phi1), sin(phi1), f2a.at - f1b.at)
    reach2 = rotated(cos(phi2), sin(phi2), f2b.at - f3b.at)
    p1 = d.vector(
        "p1",
        k1.point(f1k.at) + d.vector("reach1", reach1, "from the slide j1 to j2 on b1", "m"),
        "j2 on b1 at zero slide",
        "m",
    )
    p2 = d.vector(
        "p2",
        k2.point(f3k.at) + d.vector("reach2", reach2, "from the slide j3 to j2 on b2", "m"),
        "j2 on b2 at zero slide",
        "m",
    )
    found = d.call(kernel, {"p1": p1, "n1": n1, "p2": p2, "n2": n3}, "dyad", "Meeting point: the centre of j2.")
    p, s1, s3 = found.vector("p"), found.scalar("s1"), found.scalar("s2")
    b1 = place_body(d, "b1", phi1, p, f2a.at)
    b2 = place_body(d, "b2", phi2, p, f2b.at)
    give_coordinates(d, "j1", s1, kind="slide")
    give_coordinates(d, "j2", phi2 + f2b.angle - phi1 - f2a.angle, kind="angle")
    give_coordinates(d, "j3", s3, kind="slide")
    row1, row2 = _system(d, n1, n3)
    with d.part("geometry"):
        r1 = Vector((d.promise("r_b1_x"), d.promise("r_b1_y")))
        point = d.vector("point", r1 - b1.arm, "centre of j2", "m")
    with d.part("velocity"):
        v1 = d.vector("v1", k1.velocity_at(point), "velocity of j2 if j1 stood still", "m/s")
        v2 = d.vector("v2", k2.velocity_at(point), "velocity of j2 if j3 stood still", "m/s")
        dv = d.vector("dv", v2 - v1, "velocity gap that the slide rates must close", "m/s")
        give_coordinates(d, "j1", row1.dot(dv), rate=True, kind="slide")
        give_coordinates(d, "j3", row2.dot(dv), rate=True, kind="slide")
        rate1, rate3 = d.promise("qd_j1_slide"), d.promise("qd_j3_slide")
        v_p = d.vector("v_p", v1 + n1 * rate1, "velocity of j2", "m/s")
        omega1 = move_body(d, "b1", b1, v_p, k1.omega)
        omega2 = move_body(d, "b2", b2, v_p, k2.omega)
        give_coordinates(d, "j2", omega2 - omega1, rate=True, kind="angle")
    with d.part("acceleration"):
        bias = []
        for k, n, rate in ((k1, n1, rate1), (k2, n3, rate3)):
            value = k.acceleration_at(point) + n.turned() * (TWO * k.omega * rate)
            bias.append(
                d.vector(f"bias_{k.name}", value, f"acceleration of j2 if the slide rate on {k.name} stayed", "m/s^2")
            )
        de = d.vector("de", bias[1] - bias[0], "acceleration gap that the slide accelerations must close", "m/s^2")
        give_coordinates(d, "j1", row1.dot(de), acceleration=True, kind="slide")
        give_coordinates(d, "j3", row2.dot(de), acceleration=True, kind="slide")
        a_p = d.vector("a_p", bias[0] + n1 * d.promise("qdd_j1_slide"), "acceleration of j2", "m/s^2")
        alpha1 = accelerate_body(d, "b1", b1, a_p, k1.alpha, k1.omega * k1.omega)
        alpha2 = accelerate_body(d, "b2", b2, a_p, k2.alpha, k2.omega * k2.omega)
        give_coordinates(d, "j2", alpha2 - alpha1, acceleration=True, kind="angle")
    return d


def derive_rpp(kernel: Routine) -> Derivation:
    """Derive the group k1 -R- b1 -P- b2 -P- k2: the kernel seen from b2."""
    d = Derivation(
        "dyad_prp rpp", level="group", title="R.P.P group between two moving bodies", source=_SOURCE, arrangement="rpp"
    )
    k1, k2 = known_body(d, "k1", "first"), known_body(d, "k2", "second")
    f1k, f1b = joint_frame(d, "j1", "k1"), joint_frame(d, "j1", "b1")
    f2a, f2b = joint_frame(d, "j2", "b1"), joint_frame(d, "j2", "b2")
    f3k, f3b = joint_frame(d, "j3", "k2"), joint_frame(d, "j3", "b2")
    a = d.vector("a", k1.point(f1k.at), "centre of joint j1", "m")
    phi2 = d.scalar("phi_b2", k2.phi + f3k.angle - f3b.angle, "angle of b2: the slide does not turn", "rad")
    phi1 = d.scalar("phi_b1", phi2 + f2b.angle - f2a.angle, "angle of b1: the slide does not turn", "rad")
    n3 = slide_direction(d, "j3", k2.phi + f3k.angle)
    n2 = slide_direction(d, "j2", phi2 + f2b.angle)
    far = d.vector(
        "far", rotated(cos(phi2), sin(phi2), f2b.at - f3b.at), "from the slide j3 to the slide j2 on b2", "m"
    )
    near = d.vector("near", rotated(cos(phi1), sin(phi1), f1b.at - f2a.at), "from the slide j2 to j1 on b1", "m")
    p2 = d.vector("p2", k2.point(f3k.at) + far + near, "j1 at zero slides", "m")
    text = "Slides that bring j1 to its centre: a + s2 n2 = p2 + s3 n3."
    found = d.call(kernel, {"p1": a, "n1": n2, "p2": p2, "n2": n3}, "dyad", text)
    s2, s3 = found.scalar("s1"), found.scalar("s2")
    b1 = place_body(d, "b1", phi1, a, f1b.at)
    inner = d.vector("inner", k2.point(f3k.at) + n3 * s3, "origin of the slide j3 on b2", "m")
    b2 = place_body(d, "b2", phi2, inner, f3b.at)
    give_coordinates(d, "j1", phi1 + f1b.angle - k1.phi - f1k.angle, kind="angle")
    give_coordinates(d, "j2", s2, kind="slide")
    give_coordinates(d, "j3", s3, kind="slide")
    row1, row2 = _system(d, n2, n3)
    with d.part("geometry"):
        point = d.vector(
            "point", Vector((d.promise("r_b2_x"), d.promise("r_b2_y"))) - b2.arm, "origin of the slide j3 on b2", "m"
        )
    with d.part("velocity"):
        v_a = d.vector("v_a", k1.velocity_at(a), "velocity of j1", "m/s")
        v2 = d.vector("v2", k2.velocity_at(a), "velocity of j1 if the slides stood still", "m/s")
        dv = d.vector("dv", v2 - v_a, "velocity gap that the slide rates must close", "m/s")
        give_coordinates(d, "j2", row1.dot(dv), rate=True, kind="slide")
        give_coordinates(d, "j3", row2.dot(dv), rate=True, kind="slide")
        rate2, rate3 = d.promise("qd_j2_slide"), d.promise("qd_j3_slide")
        omega1 = move_body(d, "b1", b1, v_a, k2.omega)
        inner_v = d.vector("inner_v", k2.velocity_at(point) + n3 * rate3, "velocity of that origin", "m/s")
        move_body(d, "b2", b2, inner_v, k2.omega)
        give_coordinates(d, "j1", omega1 - k1.omega, rate=True, kind="angle")
    with d.part("acceleration"):
        a_a = d.vector("a_a", k1.acceleration_at(a), "acceleration of j1", "m/s^2")
        turn = d.scalar("turn", TWO * k2.omega, "twice the angular velocity, for Coriolis terms", "rad/s")
        carried = k2.acceleration_at(a) + n3.turned() * (turn * rate3) - n2.turned() * (turn * rate2)
        de = d.vector("de", carried - a_a, "acceleration gap that the slide accelerations must close", "m/s^2")
        give_coordinates(d, "j2", row1.dot(de), acceleration=True, kind="slide")
        give_coordinates(d, "j3", row2.dot(de), acceleration=True, kind="slide")
        square = d.scalar("square", k2.omega * k2.omega, "squared angular velocity of both links", "1/s^2")
        alpha1 = accelerate_body(d, "b1", b1, a_a, k2.alpha, square)
        inner_a = k2.acceleration_at(point) + n3.turned() * (turn * rate3) + n3 * d.promise("qdd_j3_slide")
        accelerate_body(
            d, "b2", b2, d.vector("inner_a", inner_a, "acceleration of that origin", "m/s^2"), k2.alpha, square
        )
        give_coordinates(d, "j1", alpha1 - k1.alpha, acceleration=True, kind="angle")
    return d


def derive() -> ModuleDerivation:
    """Derive the module."""
    kernel = derive_kernel()
    prp = (
        JointSlot("j1", "P", ("k1", "b1"), ("slide",)),
        JointSlot("j2", "R", ("b1", "b2"), ("angle",)),
        JointSlot("j3", "P", ("k2", "b2"), ("slide",)),
    )
    rpp = (
        JointSlot("j1", "R", ("k1", "b1"), ("angle",)),
        JointSlot("j2", "P", ("b1", "b2"), ("slide",)),
        JointSlot("j3", "P", ("k2", "b2"), ("slide",)),
    )
    known, bodies = ("k1", "k2"), ("b1", "b2")
    return ModuleDerivation(
        id="dyad_prp",
        title="P.R.P and R.P.P dyads",
        space="planar",
        degree=1,
        source=_SOURCE,
        summary=overview(__doc__),
        kernel=kernel,
        arrange=lambda position: (
            Arrangement("prp", "planar", known, bodies, prp, derive_prp(position)),
            Arrangement("rpp", "planar", known, bodies, rpp, derive_rpp(position)),
        ),
    )
