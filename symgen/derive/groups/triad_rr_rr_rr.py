"""Class III triad with revolute pairs only: the group k1, k2, k3 -R- legs b2, b3, b4 -R- platform b1.

Source: see `symgen.derive.groups.triad_kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import Expr, atan2, sqrt
from symgen.derive.blocks.planar import rotated
from symgen.derive.blocks.platform import Three, platform_system
from symgen.derive.derivation import Derivation
from symgen.derive.groups import triad_kernel
from symgen.derive.groups.triad_kernel import SOURCE, derive_kernel, input_branch
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation, overview
from symgen.derive.planar_group import (
    KnownBody,
    Placed,
    PlanarFrame,
    accelerate_body,
    give_coordinates,
    joint_frame,
    known_body,
    link_angle,
    move_body,
    place_body,
)
from symgen.derive.vectors import Vector
from symgen.ir.nodes import Routine

ID = "triad_rr_rr_rr"
PLATFORM = "b1"


@dataclass(frozen=True)
class Leg:
    """One leg: its known body and its own, its joints and their frames, its centre in the world, itself as a vector."""

    known: KnownBody
    body: str
    outer: str
    inner: str
    frame_known: PlanarFrame
    frame_outer: PlanarFrame
    frame_inner: PlanarFrame
    frame_platform: PlanarFrame
    centre: Vector
    link: Vector
    length: Expr


def _declare_legs(d: Derivation) -> tuple[Leg, Leg, Leg]:
    """Declare known bodies and joint frames, name centres and lengths."""
    words = ("first", "second", "third")
    known = [known_body(d, f"k{k}", word) for k, word in enumerate(words, 1)]
    outer = [(joint_frame(d, f"j{k}", f"k{k}"), joint_frame(d, f"j{k}", f"b{k + 1}")) for k in (1, 2, 3)]
    inner = [(joint_frame(d, f"j{k + 3}", f"b{k + 1}"), joint_frame(d, f"j{k + 3}", PLATFORM)) for k in (1, 2, 3)]
    legs = []
    for k, (base, (on_known, start), (end, on_platform)) in enumerate(zip(known, outer, inner, strict=True), 1):
        centre = d.vector(f"a{k}", base.point(on_known.at), f"centre of joint j{k}", "m")
        link = d.vector(f"link{k}", end.at - start.at, f"from j{k} to j{k + 3} on b{k + 1}", "m")
        length = d.scalar(f"l{k}", sqrt(link.dot(link)), f"length of the leg b{k + 1}", "m")
        body, names = f"b{k + 1}", (f"j{k}", f"j{k + 3}")
        legs.append(Leg(base, body, *names, on_known, start, end, on_platform, centre, link, length))
    return legs[0], legs[1], legs[2]


def _solve(
    d: Derivation, kernel: Routine, legs: tuple[Leg, Leg, Leg], arms: tuple[Vector, Vector]
) -> tuple[Vector, Expr, Expr]:
    """Call the kernel; return the first tip, cosine and sine of the platform's angle."""
    given: dict[str, Vector | Expr] = {f"a{k}": leg.centre for k, leg in enumerate(legs, 1)}
    given |= {f"l{k}": leg.length for k, leg in enumerate(legs, 1)}
    given |= {"d2": arms[0], "d3": arms[1], "branch": d.branch}
    found = d.call(kernel, given, "triad", "The platform.")
    return found.vector("p"), found.scalar("cos_phi"), found.scalar("sin_phi")


def _place(d: Derivation, legs: tuple[Leg, Leg, Leg], tips: Three, phi: Expr) -> list[Placed]:
    """Place the legs on their tips and give all joint coordinates."""
    placed = []
    for k, (leg, tip) in enumerate(zip(legs, tips, strict=True), 1):
        along = d.vector(f"along_{leg.body}", tip - leg.centre, f"line from j{k} to j{k + 3}", "m")
        angle = link_angle(d, leg.body, leg.link, along)
        placed.append(place_body(d, leg.body, angle, leg.centre, leg.frame_outer.at))
        turned = angle + leg.frame_outer.angle - leg.known.phi - leg.frame_known.angle
        give_coordinates(d, leg.outer, turned, kind="angle")
    for leg, at in zip(legs, placed, strict=True):
        turned = phi + leg.frame_platform.angle - at.phi - leg.frame_inner.angle
        give_coordinates(d, leg.inner, turned, kind="angle")
    return placed


def derive_group(kernel: Routine) -> Derivation:
    """Derive the group on poses and joint frames."""
    title = "platform on three links with revolute pairs, between three moving bodies"
    d = Derivation(f"{ID} group", level="group", title=title, source=SOURCE, arrangement="rr_rr_rr")
    legs = _declare_legs(d)
    points = [leg.frame_platform.at for leg in legs]
    arm2, arm3 = (d.vector(f"d{k}", points[k - 1] - points[0], f"from j4 to j{k + 3} on b1", "m") for k in (2, 3))
    input_branch(d)
    p, cosine, sine = _solve(d, kernel, legs, (arm2, arm3))
    phi = d.scalar(f"phi_{PLATFORM}", atan2(sine, cosine), "angle of the platform", "rad")
    tips: Three = (p, p + rotated(cosine, sine, arm2), p + rotated(cosine, sine, arm3))
    platform = place_body(d, PLATFORM, phi, p, points[0])
    placed = _place(d, legs, tips, phi)
    with d.part("geometry"):
        u1, u2, u3 = (
            d.vector(f"u{k}", at.to_world(leg.link), f"from j{k} to j{k + 3}", "m")
            for k, (leg, at) in enumerate(zip(legs, placed, strict=True), 1)
        )
        r2, r3 = (
            d.vector(f"r{k}", platform.to_world(arm), f"from j4 to j{k + 3}", "m") for k, arm in ((2, arm2), (3, arm3))
        )
    system = platform_system(d, (u1, u2, u3), (r2, r3))
    with d.part("velocity"):
        v1, v2, v3 = (
            d.vector(f"v_a{k}", leg.known.velocity_at(leg.centre), f"velocity of j{k}", "m/s")
            for k, leg in enumerate(legs, 1)
        )
        motion: Three = (v1, v2, v3)
        g1, g2, g3 = (
            d.scalar(f"open{k}", v, f"what leg {k} asks for", "m^2/s") for k, v in enumerate(system.opened(motion), 1)
        )
        v, turn = system.solve(g1, g2, g3)
        v_p = d.vector("v_p", v, "velocity of j4", "m/s")
        omega = move_body(d, PLATFORM, platform, v_p, turn)
        turns = system.leg_turns(system.tips(v_p, omega), motion)
        omegas = [
            move_body(d, leg.body, at, centre, value)
            for leg, at, centre, value in zip(legs, placed, motion, turns, strict=True)
        ]
        for leg, rate in zip(legs, omegas, strict=True):
            give_coordinates(d, leg.outer, rate - leg.known.omega, rate=True, kind="angle")
            give_coordinates(d, leg.inner, omega - rate, rate=True, kind="angle")
    with d.part("acceleration"):
        omega2 = d.scalar("omega2", omega * omega, "squared angular velocity of the platform", "1/s^2")
        n1, n2, n3 = (
            d.scalar(f"n{k}", w * w, f"squared angular velocity of leg {k}", "1/s^2") for k, w in enumerate(omegas, 1)
        )
        a1, a2, a3 = (
            d.vector(f"a_a{k}", leg.known.acceleration_at(leg.centre), f"acceleration of j{k}", "m/s^2")
            for k, leg in enumerate(legs, 1)
        )
        centres: Three = (a1, a2, a3)
        asked = system.opened_twice(centres, omega2, (n1, n2, n3))
        g1, g2, g3 = (
            d.scalar(f"open{k}_2", v, f"what leg {k} asks for, accelerations", "m^2/s^2")
            for k, v in enumerate(asked, 1)
        )
        a, turn = system.solve(g1, g2, g3)
        a_p = d.vector("a_p", a, "acceleration of j4", "m/s^2")
        alpha = accelerate_body(d, PLATFORM, platform, a_p, turn, omega2)
        turns = system.leg_turns(system.tip_accelerations(a_p, alpha, omega2), centres)
        for leg, at, centre, value, square in zip(legs, placed, centres, turns, (n1, n2, n3), strict=True):
            rate = accelerate_body(d, leg.body, at, centre, value, square)
            give_coordinates(d, leg.outer, rate - leg.known.alpha, acceleration=True, kind="angle")
            give_coordinates(d, leg.inner, alpha - rate, acceleration=True, kind="angle")
    return d


def derive() -> ModuleDerivation:
    """Derive the module."""
    outer = [JointSlot(f"j{k}", "R", (f"k{k}", f"b{k + 1}"), ("angle",)) for k in (1, 2, 3)]
    inner = [JointSlot(f"j{k + 3}", "R", (f"b{k + 1}", PLATFORM), ("angle",)) for k in (1, 2, 3)]
    known, bodies = ("k1", "k2", "k3"), (PLATFORM, "b2", "b3", "b4")
    return ModuleDerivation(
        id=ID,
        title="class III triad, six revolute pairs",
        space="planar",
        degree=6,
        source=SOURCE,
        summary=overview(triad_kernel.__doc__),
        kernel=derive_kernel(),
        arrange=lambda position: (
            Arrangement("rr_rr_rr", "planar", known, bodies, (*outer, *inner), derive_group(position)),
        ),
    )
