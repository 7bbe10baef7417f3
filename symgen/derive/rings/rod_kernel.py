"""A rod between two balls, one of them on a circle or a line: {R,S,S} and {P,S,S}, the idle spin by convention.

The first ball is carried by a revolute or a prismatic pair of body 1, the second one is at c on body 2; the rod keeps
their distance: where a circle or a line meets a sphere, one square root. Then the rod is turned from its reference, in
which its line has the direction e0 of body 2, by the smallest rotation that brings the line to both balls.

Source: docs/closed-forms.md (T2, T3, "Rods"); Celdran, Saura, Dopico 2022 leaves out the idle spin.
"""

from __future__ import annotations

from symgen.algebra import ONE, SINGULAR_TOLERANCE, SMALL_LENGTH, TWO, Expr, absolute, sqrt
from symgen.derive.blocks.planar import give_condition
from symgen.derive.blocks.quadratic import circle_meets_sphere, line_meets_sphere
from symgen.derive.blocks.rods import SpinningRod, smallest_rotation
from symgen.derive.blocks.spatial import (
    JointFreedom,
    Kind,
    Passage,
    SpatialMotion,
    acceleration_at,
    column,
    pass_acceleration,
)
from symgen.derive.derivation import Derivation
from symgen.derive.rings.plane_elements import moving_body, unit_input
from symgen.derive.vectors import Vector
from symgen.status import Status

SOURCE = "docs/closed-forms.md"


def bits(kind: Kind) -> tuple[tuple[str, str], ...]:
    """Return the sign of the square root."""
    turning = "the distance between both balls, the first one freed from the rod, growing with the angle"
    return (("sigma", turning if kind == "R" else "the larger slide"),)


def rate_of_rod(d: Derivation, e: Vector, moves: Vector, opening: Vector, name: str, stage: str, unit: str) -> Expr:
    """Name the rate (or acceleration) of the one freedom that keeps the rod's length."""
    grip = e.dot(moves)
    return d.scalar(name, e.dot(opening) / grip, f"{stage} of the freedom that carries the first ball", unit)


def guard_grip(d: Derivation, e: Vector, moves: Vector) -> None:
    """Refuse rates where the rod is normal to the path of its ball; give the condition number."""
    with d.part("geometry"):
        grip = d.scalar("grip", e.dot(moves), "part of the path along the rod")
        size = d.scalar("path_size", sqrt(moves.dot(moves)), "size of the path per unit of the freedom")
        text = "branches meet: no rates"
        d.guard(absolute(grip), ">", SINGULAR_TOLERANCE * size, Status.SINGULAR, text)
    with d.part("condition"):
        give_condition(d, size / absolute(grip))


def derive_kernel(kind: Kind) -> Derivation:
    """Derive the rod on world elements."""
    turns = kind == "R"
    title = f"rod between two balls, one {'turned' if turns else 'slid'}, elements in one frame"
    d = Derivation(f"loop_{kind.lower()}ss kernel", level="kernel", title=title, source=SOURCE)
    a = unit_input(d, "a", "axis of the revolute pair" if turns else "direction of the prismatic pair")
    p = d.input_vector("p", 3, meaning="point of the revolute axis", unit="m") if turns else None
    s0 = d.input_vector("s0", 3, meaning="first ball at zero coordinate of that pair", unit="m")
    c = d.input_vector("c", 3, meaning="second ball", unit="m")
    e0 = unit_input(d, "e0", "direction from the second ball to the first in the rod's reference")
    rho2 = d.input_scalar("rho2", meaning="squared length of the rod", unit="m^2", range="> 0")
    ref = p if p is not None else s0
    m1 = moving_body(d, "1", ref, f"body that carries that pair, at {'p' if turns else 's0'}")
    m2 = moving_body(d, "2", c, "body of the second ball, at c; it carries e0")
    (sigma,) = d.input_branch(bits(kind))
    d.guard(rho2, ">", SMALL_LENGTH * SMALL_LENGTH, Status.BAD_INPUT, "the rod has no length", when="used", port="rho2")
    if p is not None:
        turned = circle_meets_sphere(d, a, p, s0, c, rho2, sigma)
        y = turned.y
        d.output("cos_q", turned.cosine, meaning="cosine of the angle of the revolute pair", unit="")
        d.output("sin_q", turned.sine, meaning="sine of the angle of the revolute pair", unit="")
    else:
        slid = line_meets_sphere(d, a, s0, c, rho2, sigma)
        y = slid.y
        d.output("slide", slid.slide, meaning="slide of the prismatic pair", unit="m", frame="joint")
    d.output("y", y, meaning="first ball", unit="m")
    along = d.vector("line", y - c, "from the second ball to the first", "m")
    length = d.scalar("length", sqrt(along.dot(along)), "its length", "m")
    e = d.vector("e", along * (1 / length), "its direction")
    turn = smallest_rotation(d, e0, e)
    d.output("rod_turn", turn, meaning="quaternion that turns the rod from its reference", unit="1")
    _derive_rates(d, kind, (a, ref, y), (e, e0, length), (m1, m2))
    return d


def _derive_rates(
    d: Derivation,
    kind: Kind,
    first: tuple[Vector, Vector, Vector],
    line: tuple[Vector, Vector, Expr],
    bodies: tuple[SpatialMotion, SpatialMotion],
) -> None:
    (a, ref, y), (e, e0, length), (m1, m2) = first, line, bodies
    unit = "rad" if kind == "R" else "m"
    with d.part("geometry"):
        path = d.vector("path", column(kind, a, ref, y), "how the first ball moves with its freedom")
        near = d.scalar("facing", ONE + e.dot(e0), "1 + cosine of the angle that the rod is turned by")
    guard_grip(d, e, path)
    rod = SpinningRod(e, e0, m2, near)
    with d.part("velocity"):
        opening = d.vector("dv", m2.velocity_at(y) - m1.velocity_at(y), "opening at zero rate", "m/s")
        rate = rate_of_rod(d, e, path, opening, "rate", "rate", f"{unit}/s")
        d.output("rates", (rate,), meaning="rate of the first ball's freedom", unit=f"{unit}/s", frame="joint")
        gliding = d.vector("gliding", path * rate - opening, "velocity of the first ball, seen from body 2", "m/s")
        d.output(
            "v_s",
            d.vector("v_s", m2.velocity_at(y) + gliding, "velocity of the first ball", "m/s"),
            meaning="velocity of the first ball",
            unit="m/s",
        )
        w = d.vector("w", gliding * (1 / length), "derivative of the rod's direction, seen there", "1/s")
        omega_1 = m1.omega + a * rate if kind == "R" else m1.omega
        omega_1 = d.vector("omega_s1", omega_1, "angular velocity of the link that carries the first ball", "rad/s")
        d.output("omega_s1", omega_1, meaning="angular velocity of the link that carries the first ball", unit="rad/s")
        omega, against, spin = rod.velocity(d, w)
        d.output("omega_s2", omega, meaning="angular velocity of the rod", unit="rad/s")
    with d.part("acceleration"):
        passage = Passage("joint_a", ref, (JointFreedom(kind, a, rate, None),))
        bias = pass_acceleration(d, "bias", m1, passage, omega_1, accelerations=None)
        here = acceleration_at(d, "open1", bias, y, "the first ball at zero acceleration of its freedom")
        there = acceleration_at(d, "open2", m2, y, "body 2 at the first ball")
        carried = d.vector("carried", there + m2.omega.cross(gliding) * TWO, "contribution of body 2", "m/s^2")
        bent = d.vector("bent", carried - here - e * (length * w.dot(w)), "opening at zero acceleration", "m/s^2")
        grown = rate_of_rod(d, e, path, bent, "acc", "acceleration", f"{unit}/s^2")
        text = "acceleration of the first ball's freedom"
        d.output("accelerations", (grown,), meaning=text, unit=f"{unit}/s^2", frame="joint")
        a_s = d.vector("a_s", here + path * grown, "acceleration of the first ball", "m/s^2")
        d.output("a_s", a_s, meaning="acceleration of the first ball", unit="m/s^2")
        alpha_1 = bias.alpha + a * grown if kind == "R" else bias.alpha
        alpha_1 = d.vector("alpha_s1", alpha_1, "angular acceleration of that link", "rad/s^2")
        d.output("alpha_s1", alpha_1, meaning="angular acceleration of the link of the first ball", unit="rad/s^2")
        w2 = d.vector("w2", (a_s - carried) * (1 / length), "second derivative of the direction, seen there", "1/s^2")
        alpha = rod.acceleration(d, w, w2, against, spin)
        d.output("alpha_s2", alpha, meaning="angular acceleration of the rod", unit="rad/s^2")
    d.claim_zero("length", "velocities keep the rod's length", [e.dot(w)])
    d.claim_zero("spin", "the rod turns about an axis normal to the bisector", [against.dot(e + e0)])
