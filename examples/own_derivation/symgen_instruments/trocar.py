"""Instrument through a trocar: a body of which one point is led, and whose straight shaft slides through a pin.

The pin p lies ahead of the led point a along the shaft, or behind it; the shaft passes a at the offset e. With the
shaft's direction n and n turned by a quarter turn, J n:

    p - a = t n + e J n        t = sigma sqrt(|p - a|^2 - e^2)        n = (t (p - a) - e J (p - a))/|p - a|^2

It is the planar group L.FP** 2D: a pin in a slot, and a pair FP of which x and y are driven.

Source: elementary geometry: the tangent from a point to a circle.
"""

from symgen.derivations import (
    FOLD_TOLERANCE,
    ONE,
    REACH_TOLERANCE,
    SINGULAR_TOLERANCE,
    SMALL_LENGTH,
    TWO,
    Arrangement,
    Derivation,
    Expr,
    JointSlot,
    ModuleDerivation,
    Routine,
    Status,
    Vector,
    absolute,
    atan2,
    not_below_zero,
    overview,
    planar,
    sqrt,
)

SOURCE = "elementary geometry: the tangent from a point to a circle"
BITS = (("sigma", "the pin ahead of the led point along the shaft"),)


def derive_kernel() -> Derivation:
    """Derive direction and slide from led point, pin and offset."""
    d = Derivation("trocar kernel", level="kernel", title="shaft through a pin, past a led point", source=SOURCE)
    a = d.input_vector("a", 2, meaning="led point", unit="m")
    p = d.input_vector("p", 2, meaning="pin", unit="m")
    e = d.input_scalar("e", meaning="offset of the pin from the led point, along the shaft turned by +90 degrees",
                       unit="m", frame="shaft")  # fmt: skip
    v_a = d.input_vector("v_a", 2, meaning="velocity of the led point", unit="m/s")
    v_p = d.input_vector("v_p", 2, meaning="velocity of the pin", unit="m/s")
    a_a = d.input_vector("a_a", 2, meaning="acceleration of the led point", unit="m/s^2")
    a_p = d.input_vector("a_p", 2, meaning="acceleration of the pin", unit="m/s^2")
    (sigma,) = d.input_branch(BITS)

    ap = d.vector("ap", p - a, "from the led point to the pin", "m")
    size = d.scalar("size", ap.size(), "about its length", "m")
    d.guard(size, ">", SMALL_LENGTH, Status.DEGENERATE, "the pin lies on the led point")
    d2 = d.scalar("d2", ap.dot(ap), "squared distance of the pin", "m^2")
    h2 = d.scalar("h2", d2 - e * e, "squared slide; negative: the shaft does not reach the pin", "m^2")
    d.guard(h2, ">=", -(REACH_TOLERANCE * d2), Status.NO_ASSEMBLY, "the pin is nearer than the offset")
    d.flag(h2, "<", FOLD_TOLERANCE * d2, Status.SINGULAR, "the pin is beside the led point: both branches meet")
    t = d.scalar("t", sigma * sqrt(not_below_zero(h2)), "slide of the pin from the led point", "m")
    i_d2 = d.scalar("i_d2", ONE / d2, "reciprocal of the squared distance", "1/m^2")
    n = d.vector("n", (ap * t - ap.turned() * e) * i_d2, "direction of the shaft", "1")
    d.output("n", n, meaning="direction of the shaft", unit="1")
    d.output("t", t, meaning="slide of the pin from the led point", unit="m", frame="shaft")
    with d.part("geometry"):
        d.guard(
            absolute(t), ">", SINGULAR_TOLERANCE * size, Status.SINGULAR, "the pin is beside the led point: no rates"
        )
        i_t = d.scalar("i_t", ONE / t, "reciprocal of the slide", "1/m")
    with d.part("velocity"):
        dv = d.vector("dv", v_p - v_a, "velocity of the pin relative to the led point", "m/s")
        omega = d.scalar("omega", i_t * n.area(dv), "angular velocity of the shaft", "rad/s")
        t_rate = d.scalar("t_rate", dv.dot(n) + omega * e, "slide rate", "m/s")
        d.output("omega", omega, meaning="angular velocity of the shaft", unit="rad/s")
        d.output("t_rate", t_rate, meaning="slide rate", unit="m/s", frame="shaft")
    with d.part("acceleration"):
        da = a_p - a_a + ap * (omega * omega) - n.turned() * (TWO * omega * t_rate)
        de = d.vector("de", da, "what the accelerations must close", "m/s^2")
        alpha = d.scalar("alpha", i_t * n.area(de), "angular acceleration of the shaft", "rad/s^2")
        t_acc = d.scalar("t_acc", de.dot(n) + alpha * e, "slide acceleration", "m/s^2")
        d.output("alpha", alpha, meaning="angular acceleration of the shaft", unit="rad/s^2")
        d.output("t_acc", t_acc, meaning="slide acceleration", unit="m/s^2", frame="shaft")

    squares = {"t": d.promise("h2")}
    gap = ap - n * t - n.turned() * e
    d.claim_identity("closure", "the pin lies on the shaft", [*gap], squares=squares)
    d.claim_identity("unit", "the direction is of unit length", [n.dot(n) - ONE], squares=squares)
    carried = dv - n * t_rate - ap.turned() * omega
    d.claim_zero("rates", "the pin slides along the shaft, which turns", [*carried])
    return d


def derive_group(kernel: Routine) -> Derivation:
    """Derive the group k1 -L- b1 -FP**- k2 on poses and joint frames."""
    title = "instrument through a trocar between two moving bodies"
    d = Derivation("trocar l_fp", level="group", title=title, source=SOURCE, arrangement="l_fp")
    k1, k2 = planar.known_body(d, "k1", "first"), planar.known_body(d, "k2", "second")
    slot, pin = planar.joint_frame(d, "j1", "b1"), planar.joint_frame(d, "j1", "k1")
    stage, led = planar.joint_frame(d, "j2", "k2"), planar.joint_frame(d, "j2", "b1")
    u, ud, udd = (
        Vector(d.input_array(f"{name}_j2", (f"{name}_j2_x", f"{name}_j2_y"), meaning=f"{what} of the driven x, y of j2",
                             unit=unit, frame="joint"))
        for name, what, unit in (("u", "values", "m"), ("ud", "rates", "m/s"), ("udd", "accelerations", "m/s^2"))
    )  # fmt: skip
    d.input_branch(BITS)

    along = planar.slide_direction(d, "j2", k2.phi + stage.angle)

    def to_world(v: Vector) -> Vector:
        return along * v[0] + along.turned() * v[1]

    a = d.vector("a", k2.point(stage.at) + to_world(u), "led point", "m")
    p = d.vector("p", k1.point(pin.at), "pin", "m")
    near = planar.in_frame(d, "near", slot, led.at, "led point in the frame of the slot on b1")
    given = {"a": a, "p": p, "e": -near[1], "branch": d.branch}
    found = d.call(kernel, given, "shaft", "Direction of the shaft and slide of the pin.")
    n, t = found.vector("n"), found.scalar("t")
    phi = d.scalar("phi_b1", atan2(n[1], n[0]) - slot.angle, "angle of b1", "rad")
    b1 = planar.place_body(d, "b1", phi, a, led.at)

    def coordinates(slide: Expr, turn: Expr, lead: Expr, order: int) -> None:
        prefix, suffix = ("q", "qd", "qdd")[order], ("", "/s", "/s^2")[order]
        what = ("coordinate", "rate", "acceleration")[order]
        first = d.scalar(f"{prefix}_j1_slide", slide, f"slide {what} of j1", f"m{suffix}")
        second = d.scalar(f"{prefix}_j1_angle", turn, f"angle {what} of j1", f"rad{suffix}")
        third = d.scalar(f"{prefix}_j2_angle", lead, f"angle {what} of j2", f"rad{suffix}")
        unit = f"m{suffix}, rad{suffix}"
        d.output(f"{prefix}_j1", (first, second), meaning=f"{what}s of j1: slide, angle", unit=unit, frame="joint")
        d.output(f"{prefix}_j2", (third,), meaning=f"{what} of j2: angle", unit=f"rad{suffix}", frame="joint")

    slide = d.promise("q_j1_slide")
    coordinates(t + near[0], k1.phi + pin.angle - phi - slot.angle, phi + led.angle - k2.phi - stage.angle, 0)
    with d.part("geometry"):
        axis = planar.slide_direction(d, "shaft_axis", phi + slot.angle)
        reach = d.scalar("reach", slide - near[0], "slide of the pin from the led point", "m")
        ap = d.vector("ap", p - a, "from the led point to the pin", "m")
        least = SINGULAR_TOLERANCE * ap.size()
        d.guard(absolute(reach), ">", least, Status.SINGULAR, "the pin is beside the led point: no rates")
        i_reach = d.scalar("i_reach", ONE / reach, "its reciprocal", "1/m")
    with d.part("velocity"):
        v_a = d.vector("v_a", k2.velocity_at(a) + to_world(ud), "velocity of the led point", "m/s")
        dv = d.vector("dv", k1.velocity_at(p) - v_a, "velocity of the pin relative to the led point", "m/s")
        omega = planar.move_body(d, "b1", b1, v_a, i_reach * axis.area(dv))
        rate = dv.dot(axis) - omega * near[1]
        coordinates(rate, k1.omega - omega, omega - k2.omega, 1)
    with d.part("acceleration"):
        swept = to_world(ud).turned() * (TWO * k2.omega)
        a_a = d.vector("a_a", k2.acceleration_at(a) + to_world(udd) + swept, "acceleration of the led point", "m/s^2")
        w2 = d.scalar("w2", omega * omega, "squared angular velocity of b1", "1/s^2")
        coriolis = axis.turned() * (TWO * omega * d.promise("qd_j1_slide"))
        de = d.vector("de", k1.acceleration_at(p) - a_a + ap * w2 - coriolis, "what accelerations must close", "m/s^2")
        alpha = planar.accelerate_body(d, "b1", b1, a_a, i_reach * axis.area(de), w2)
        coordinates(de.dot(axis) - alpha * near[1], k1.alpha - alpha, alpha - k2.alpha, 2)
    return d


def derive() -> ModuleDerivation:
    """Derive the module."""
    joints = (
        JointSlot("j1", "L", ("b1", "k1"), ("slide", "angle")),
        JointSlot("j2", "FP", ("k2", "b1"), ("angle",), driven=("x", "y")),
    )
    return ModuleDerivation(
        id="trocar",
        title="instrument through a trocar",
        space="planar",
        degree=2,
        source=SOURCE,
        summary=overview(__doc__),
        kernel=derive_kernel(),
        arrange=lambda position: (
            Arrangement("l_fp", "planar", ("k1", "k2"), ("b1",), joints, derive_group(position)),
        ),
    )
