"""A ring of three turns and a planar joint: its elements, where they are when turned, and its rates.

Turns about three held axes carry a plane on to the required one. The rates are what lets both ends move their planes
alike: angular velocities that differ along the normal only, and velocities across it only: three equations. They
hold for accelerations with the bias that the chain has at constant rates, seen from the required plane, which also
moves.

Source: docs/closed-forms.md; textbook recursion (for example Featherstone 2008, section 3.5, in vectors).
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import TINY, TWO, Expr, sqrt
from symgen.derive.blocks.plane import plane_column, spun
from symgen.derive.blocks.spatial import (
    JointFreedom,
    Passage,
    SpatialMotion,
    acceleration_at,
    linear_triple,
    pass_acceleration,
)
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector
from symgen.status import Status

WORDS = ("first", "middle", "last")


@dataclass(frozen=True)
class PlaneRing:
    """Held elements: three axes with points, the carried plane (normal n0, point c0), the required plane (n, c)."""

    axes: tuple[Vector, Vector, Vector]
    points: tuple[Vector, Vector, Vector]
    n0: Vector
    c0: Vector
    n: Vector
    c: Vector


def plane_ring(d: Derivation, *, concurrent: bool = False) -> PlaneRing:
    """Declare the held elements as inputs; `concurrent` axes 1 and 2 meet at `o`."""
    axes: list[Vector] = []
    points: list[Vector] = []
    if concurrent:
        points = [d.input_vector("o", 3, meaning="where the first and the middle axis meet", unit="m")] * 2
    for k, word in enumerate(WORDS, 1):
        axes.append(unit_input(d, f"a{k}", f"{word} axis"))
        if len(points) < k:
            points.append(d.input_vector(f"p{k}", 3, meaning=f"point of the {word} axis", unit="m"))
    n0 = unit_input(d, "n0", "normal of the carried plane, held")
    c0 = d.input_vector("c0", 3, meaning="point of the carried plane, held", unit="m")
    n = unit_input(d, "n", "normal of the required plane")
    c = d.input_vector("c", 3, meaning="point of the required plane", unit="m")
    return PlaneRing((axes[0], axes[1], axes[2]), (points[0], points[1], points[2]), n0, c0, n, c)


def unit_input(d: Derivation, name: str, meaning: str) -> Vector:
    """Declare a unit vector as an input."""
    vector = d.input_vector(name, 3, meaning=meaning, unit="1", range="unit")
    d.guard_unit(name, vector.dot(vector), name)
    return vector


@dataclass(frozen=True)
class Turn:
    """Cosine and sine of one angle."""

    cosine: Expr
    sine: Expr


Turns = tuple[Turn, Turn, Turn]


@dataclass(frozen=True)
class PlacedRing:
    """The ring at its angles: axes; where the carried point is, seen from a point of each axis; the normal reached."""

    axes: tuple[Vector, Vector, Vector]
    arms: tuple[Vector, Vector, Vector]
    normal: Vector


def place_ring(d: Derivation, prefix: str, ring: PlaneRing, turns: Turns, scale: Expr | None) -> PlacedRing:
    """Name axes and arms of the turned ring, from its last axis to its first.

    `scale` multiplies all lengths; None for metres.
    """
    unit = "m" if scale is None else ""
    normal, base = ring.n0, ring.c0
    arms: dict[int, Vector] = {}
    axes = dict(enumerate(ring.axes))
    for k in (2, 1, 0):
        word, turn, here = WORDS[k], turns[k], ring.points[k]
        span = base - here if scale is None else (base - here) * scale
        what = f"from the {word} axis to what follows"
        reach = d.vector(f"{prefix}link{k + 1}", span, what, unit)
        if k < 2:
            text = f"from the {word} axis to the carried point"
            reach = d.vector(f"{prefix}whole{k + 1}", reach + arms[k + 1], text, unit)
        before = {
            f"arm{k + 1}": (reach, "carried point from this axis", unit),
            f"n{k + 1}": (normal, "carried normal", ""),
        }
        for later in range(k + 1, 3):
            before[f"axis{later + 1}_{k + 1}"] = (axes[later], f"{WORDS[later]} axis", "")
            before[f"arm{later + 1}_{k + 1}"] = (arms[later], f"carried point from the {WORDS[later]} axis", unit)
        named = {}
        for name, (vector, text, size) in before.items():
            parts = spun(d, f"{prefix}{name}", ring.axes[k], vector, text, size)
            value = parts.at(turn.cosine, turn.sine)
            named[name] = d.vector(f"{prefix}{name}", value, f"{text}, turned about the {word} axis", size)
        arms[k], normal, base = named[f"arm{k + 1}"], named[f"n{k + 1}"], here
        for later in range(k + 1, 3):
            axes[later], arms[later] = named[f"axis{later + 1}_{k + 1}"], named[f"arm{later + 1}_{k + 1}"]
    return PlacedRing((axes[0], axes[1], axes[2]), (arms[0], arms[1], arms[2]), normal)


def angle_between(d: Derivation, prefix: str, k: str, axis: Vector, ends: tuple[Vector, Vector], word: str) -> Turn:
    """Name cosine and sine of the turn about a unit axis from one vector to another."""
    start, end = ends
    c = d.scalar(f"turn_c{k}", start.dot(end) - axis.dot(start) * axis.dot(end), f"{word} angle: cosine, times lengths")
    s = d.scalar(f"turn_s{k}", axis.dot(start.cross(end)), f"{word} angle: sine, times lengths")
    size2 = d.scalar(f"turn_2{k}", c * c + s * s, f"{word} angle: squared lengths")
    d.guard(size2, ">", TINY, Status.DEGENERATE, f"the {word} angle is not determined")
    size = d.scalar(f"turn_size{k}", sqrt(size2), f"{word} angle: lengths")
    i_size = d.scalar(f"turn_i{k}", 1 / size, f"{word} angle: reciprocal of the lengths")
    cosine = d.scalar(f"{prefix}cos_{k}", c * i_size, f"{word} angle: cosine")
    sine = d.scalar(f"{prefix}sin_{k}", s * i_size, f"{word} angle: sine")
    return Turn(cosine, sine)


def give_turns(d: Derivation, turns: Turns) -> None:
    """Declare cosines and sines of the angles as results."""
    for k, turn, word in zip("123", turns, WORDS, strict=True):
        d.output(f"cos_{k}", turn.cosine, meaning=f"cosine of the {word} angle", unit="")
        d.output(f"sin_{k}", turn.sine, meaning=f"sine of the {word} angle", unit="")


def derive_rates(d: Derivation, ring: PlaneRing, turns: Turns, unit: Expr) -> None:
    """Derive rates and accelerations of the three angles, the carried plane's motion and the condition number.

    Body 1 carries the first axis, body 2 the required plane; `unit` is the length in which distances are measured.
    """
    m1 = moving_body(d, "1", ring.points[0], "body that carries the first axis, at its point")
    m2 = moving_body(d, "2", ring.c, "body that carries the required plane, at c")
    n = ring.n
    with d.part("geometry"):
        placed = place_ring(d, "", ring, turns, None)
        per_length = d.scalar("per_length", 1 / unit, "reciprocal of the unit", "1/m")
        s = d.vector("s", ring.points[0] + placed.arms[0], "the carried point", "m")
        columns = [
            d.vector(f"g{k}", plane_column(n, axis, arm, per_length), f"how the {word} turn opens the plane")
            for k, axis, arm, word in zip("123", placed.axes, placed.arms, WORDS, strict=True)
        ]
    system = linear_triple(d, columns, "the system of rates at the plane")

    def opening(turning: Vector, lifting: Vector) -> Vector:
        return n.cross(turning) + n * (n.dot(lifting) * per_length)

    with d.part("velocity"):
        v_2 = d.vector("v_there", m2.velocity_at(s), "velocity of body 2 at the carried point", "m/s")
        v_1 = d.vector("v_here", m1.velocity_at(s), "velocity of body 1 at the carried point", "m/s")
        asked = d.vector("dv", opening(m2.omega - m1.omega, v_2 - v_1), "how the plane would open at zero rates", "1/s")
        rates = tuple(
            d.scalar(f"rate_{k}", x, f"rate of the {word} turn", "rad/s")
            for k, x, word in zip("123", system.solve(asked), WORDS, strict=True)
        )
        d.output("rates", rates, meaning="rates of the three turns", unit="rad/s", frame="joint")
        v, omega = v_1, m1.omega
        omegas = []
        for k, axis, arm, rate in zip("123", placed.axes, placed.arms, rates, strict=True):
            omega = d.vector(f"omega_b{k}", omega + axis * rate, f"angular velocity after turn {k}", "rad/s")
            omegas.append(omega)
            v = v + axis.cross(arm) * rate
        v_s = d.vector("v_s", v, "velocity of the carried point", "m/s")
        d.output("v_s", v_s, meaning="velocity of the carried point", unit="m/s")
        omega_s1 = d.vector("omega_s1", omega, "angular velocity of the carried plane", "rad/s")
        d.output("omega_s1", omega_s1, meaning="angular velocity of the carried plane", unit="rad/s")
    with d.part("acceleration"):
        bias: SpatialMotion = m1
        for k, axis, arm, rate, turned in zip("123", placed.axes, placed.arms, rates, omegas, strict=True):
            passage = Passage(f"turn{k}", s - arm, (JointFreedom("R", axis, rate, None),))
            bias = pass_acceleration(d, f"bias{k}", bias, passage, turned, accelerations=None)
        a_1 = acceleration_at(d, "a_here", bias, s, "the carried point at zero joint accelerations")
        a_2 = acceleration_at(d, "a_there", m2, s, "body 2 at the carried point")
        gliding = d.vector("gliding", v_s - v_2, "velocity of the carried point in the plane", "m/s")
        spin = d.scalar("spin", n.dot(omega_s1 - m2.omega), "rate at which the planes turn on each other", "rad/s")
        turning = d.vector("turning", m2.alpha + m2.omega.cross(n) * spin - bias.alpha, "turning left over", "rad/s^2")
        lifting = d.vector("lifting", a_2 + m2.omega.cross(gliding) * TWO - a_1, "acceleration left over", "m/s^2")
        asked = d.vector("da", opening(turning, lifting), "how the plane would open", "1/s^2")
        grown = tuple(
            d.scalar(f"acc_{k}", x, f"acceleration of the {word} turn", "rad/s^2")
            for k, x, word in zip("123", system.solve(asked), WORDS, strict=True)
        )
        text = "accelerations of the three turns"
        d.output("accelerations", grown, meaning=text, unit="rad/s^2", frame="joint")
        a, alpha = a_1, bias.alpha
        for axis, arm, x in zip(placed.axes, placed.arms, grown, strict=True):
            a, alpha = a + axis.cross(arm) * x, alpha + axis * x
        a_s = d.vector("a_s", a, "acceleration of the carried point", "m/s^2")
        d.output("a_s", a_s, meaning="acceleration of the carried point", unit="m/s^2")
        alpha = d.vector("alpha_s1", alpha, "angular acceleration of the carried plane", "rad/s^2")
        d.output("alpha_s1", alpha, meaning="angular acceleration of the carried plane", unit="rad/s^2")
    _claim(d, placed, ring, s, (omega_s1 - m2.omega, gliding))


def _claim(d: Derivation, placed: PlacedRing, ring: PlaneRing, s: Vector, relative: tuple[Vector, Vector]) -> None:
    """Claim that the planes agree, and stay together."""
    n, (turning, gliding) = ring.n, relative
    d.claim_zero("plane", "the carried plane lies on the required one", [*(placed.normal - n), n.dot(s - ring.c)])
    d.claim_zero("rates", "velocities keep it there", [*n.cross(turning), n.dot(gliding)])


def moving_body(d: Derivation, k: str, ref: Vector, what: str) -> SpatialMotion:
    """Declare the motion of a body at a point of it."""
    v = d.input_vector(f"v_{k}", 3, meaning=f"velocity of the {what}", unit="m/s")
    omega = d.input_vector(f"omega_{k}", 3, meaning=f"angular velocity of the {what}", unit="rad/s")
    a = d.input_vector(f"a_{k}", 3, meaning=f"acceleration of the {what}", unit="m/s^2")
    alpha = d.input_vector(f"alpha_{k}", 3, meaning=f"angular acceleration of the {what}", unit="rad/s^2")
    return SpatialMotion(ref, v, omega, a, alpha)
