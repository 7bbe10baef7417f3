"""One body moved by a fully driven pair: compose the given motion, in the plane and in space.

Slides come first and turns after them (F: x, y, z, then yaw, pitch, roll), so with d the sum of the slides along the
axes of the first frame and a' = a + alpha x d + omega x (omega x d) + 2 omega x d' + d'' the pair's frame moves, and
each turn adds a q' to the angular velocity and a q'' + omega x a q' to the angular acceleration.

Source: kinematics of relative motion, textbook; order of the freedoms from the mechanism file's joint frames.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from symgen.algebra import TWO, Expr, cos, sin
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity, rotated
from symgen.derive.blocks.spatial import SpatialMotion
from symgen.derive.derivation import Derivation
from symgen.derive.joints import PRIMITIVES, PairModel, pair_model
from symgen.derive.module import Arrangement, JointSlot, ModuleDerivation, overview
from symgen.derive.planar_group import (
    ACCELERATION_UNIT as PLANAR_ACCELERATION,
)
from symgen.derive.planar_group import (
    POSE_UNIT as PLANAR_POSE,
)
from symgen.derive.planar_group import (
    TWIST_UNIT as PLANAR_TWIST,
)
from symgen.derive.planar_group import (
    accelerate_body,
    move_body,
)
from symgen.derive.planar_group import joint_frame as planar_frame
from symgen.derive.planar_group import known_body as planar_known
from symgen.derive.planar_group import place_body as place_planar
from symgen.derive.spatial_group import (
    WorldFrame,
    body_triad,
    drive_ports,
    frame_in_world,
    give_motion,
    half_turn,
    joint_frame,
    known_body,
    place_body,
    unknown_body,
)
from symgen.derive.vectors import Vector

_SOURCE = "kinematics of relative motion"
NAMES = {
    "R": "revolute",
    "P": "prismatic",
    "H": "helical",
    "C": "cylindrical",
    "U": "universal",
    "S": "spherical",
    "PL": "planar",
    "F": "free",
    "FP": "free planar",
}
PLANAR_FREEDOMS = {"R": ("angle",), "P": ("slide",), "FP": ("x", "y", "angle")}

Drives = dict[str, tuple[Expr, Expr, Expr]]
#: Declares what a joint's motion is given by; returns it by the freedoms of the pair's chain.
DriveReader = Callable[[Derivation, str, PairModel], Drives]


@dataclass(frozen=True)
class _Driven:
    """The pair's second frame: where it is, and how it moves."""

    frame: WorldFrame
    v: Vector
    omega: Vector
    a: Vector
    alpha: Vector


def _drive_spatial(d: Derivation, frame: WorldFrame, base: SpatialMotion, pair: PairModel, drives: Drives) -> _Driven:
    """Name the motion of the second frame of a driven pair; `base` moves the first one, referred to its origin."""
    at, v, a = frame.at, base.v, base.a
    slides = [p for p in pair.before if p.kind == "P"]
    turns = [p for p in pair.before if p.kind == "R"]
    if slides:
        reach = [_sum(frame.axes.axis(p.axis) * drives[p.freedom][k] for p in slides) for k in range(3)]
        shift = d.vector("shift", reach[0], "displacement by the slides", "m")
        at = d.vector("shifted", frame.at + shift, "origin of the second frame", "m")
        with d.part("velocity"):
            gliding = d.vector("gliding", reach[1], "sliding velocity", "m/s")
            spin = d.vector(
                "spin", base.omega.cross(shift), "velocity of the displaced point about the first frame", "m/s"
            )
            v = d.vector("v_shifted", base.v + spin + gliding, "velocity of the second frame's origin", "m/s")
        with d.part("acceleration"):
            carried = base.a + base.alpha.cross(shift) + base.omega.cross(spin)
            a = d.vector(
                "a_shifted",
                carried + base.omega.cross(gliding) * TWO + reach[2],
                "acceleration of that origin",
                "m/s^2",
            )
    q, axes, omega, alpha = frame.q, frame.axes, base.omega, base.alpha
    for p in turns:
        name, axis = p.freedom, axes.axis(p.axis)
        turn = half_turn(d, f"{name}_turn", drives[name][0], p.axis, name)
        q = d.quaternion(f"{name}_o", q * turn, f"orientation after {name}")
        axes = d.triad(f"{name}_", q, f"frame after {name}")
        with d.part("velocity"):
            turning = d.vector(f"{name}_w", axis * drives[name][1], f"angular velocity of {name}", "rad/s")
            before, omega = (
                omega,
                d.vector(f"{name}_omega", omega + turning, f"angular velocity after {name}", "rad/s"),
            )
        with d.part("acceleration"):
            alpha = d.vector(
                f"{name}_alpha",
                alpha + axis * drives[name][2] + before.cross(turning),
                f"angular acceleration after {name}",
                "rad/s^2",
            )
    return _Driven(WorldFrame(at, q, axes), v, omega, a, alpha)


def _sum(parts: object) -> Vector:
    total: Vector | None = None
    for part in parts:  # type: ignore[attr-defined]
        total = part if total is None else total + part
    assert total is not None  # noqa: S101 - never empty
    return total


def derive_spatial_kernel(type_: str, pair: PairModel, id_: str, given: DriveReader) -> Derivation:
    """Derive the second joint frame of a driven pair from the first, both in the world."""
    title = f"second frame of a driven {NAMES[type_]} pair"
    d = Derivation(f"{id_} kernel", level="kernel", title=title, source=_SOURCE)
    e = known_body(d, "e", "frame taken as the")
    drives = given(d, "j", pair)
    assert e.motion is not None  # noqa: S101 - known bodies move
    driven = _drive_spatial(d, WorldFrame(e.r, e.q, body_triad(d, e)), e.motion, pair, drives)
    d.output(
        "g",
        _plain(d, "g", (*driven.frame.at, *driven.frame.q.components)),
        meaning="pose [r, q] of the second frame",
        unit="m, 1",
    )
    size = driven.frame.q.norm2() - e.q.norm2()
    d.claim_zero("unit", "the second frame's quaternion is as long as the first one's", [size])
    with d.part("velocity"):
        d.output(
            "v_g",
            _plain(d, "v_g", (*driven.v, *driven.omega)),
            meaning="twist [v, omega] of the second frame",
            unit="m/s, rad/s",
        )
    with d.part("acceleration"):
        values = _plain(d, "a_g", (*driven.a, *driven.alpha))
        d.output("a_g", values, meaning="acceleration [a, alpha] of the second frame", unit="m/s^2, rad/s^2")
    return d


def _plain(d: Derivation, name: str, values: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Name what is given unchanged (an input cannot be an output)."""
    return tuple(d.scalar(f"{name}{k}_out", v, f"element {k} of {name}") for k, v in enumerate(values))


def derive_spatial_group(type_: str, pair: PairModel, id_: str, given: DriveReader) -> Derivation:
    """Derive the group k1 -driven pair- b1 on poses and joint frames."""
    arrangement = type_.lower()
    title = f"body moved by a driven {NAMES[type_]} pair"
    d = Derivation(f"{id_} {arrangement}", level="group", title=title, source=_SOURCE, arrangement=arrangement)
    k1 = known_body(d, "k1", "first")
    outer, inner = joint_frame(d, "j1", "k1"), joint_frame(d, "j1", "b1")
    drives = given(d, "j1", pair)
    axes = body_triad(d, k1)
    frame = frame_in_world(d, "j1", k1.r, k1.q, axes, outer, "joint j1 on k1")
    motion = k1.motion
    assert motion is not None  # noqa: S101 - known bodies move
    arm = d.vector("arm", axes.to_world(outer.at), "from the origin of k1 to the joint", "m")
    with d.part("velocity"):
        spin = d.vector("spin_arm", motion.omega.cross(arm), "velocity of the joint about that origin", "m/s")
        v = d.vector("v_joint", motion.v + spin, "velocity of the joint on k1", "m/s")
    with d.part("acceleration"):
        a = d.vector(
            "a_joint",
            motion.a + motion.alpha.cross(arm) + motion.omega.cross(spin),
            "acceleration of the joint on k1",
            "m/s^2",
        )
    driven = _drive_spatial(d, frame, SpatialMotion(frame.at, v, motion.omega, a, motion.alpha), pair, drives)
    body = unknown_body("b1")
    body_axes = place_body(d, body, driven.frame, inner)
    back = d.vector("back", -body_axes.to_world(inner.at), "from the joint to the origin of b1", "m")
    with d.part("velocity"):
        omega = d.vector("omega_b1", driven.omega, "angular velocity of b1", "rad/s")
        swing = d.vector("swing", omega.cross(back), "velocity of the origin of b1 about the joint", "m/s")
        give_motion(d, "v", "b1", d.vector("v_b1", driven.v + swing, "velocity of the origin of b1", "m/s"), omega)
    with d.part("acceleration"):
        alpha = d.vector("alpha_b1", driven.alpha, "angular acceleration of b1", "rad/s^2")
        value = driven.a + alpha.cross(back) + omega.cross(swing)
        give_motion(d, "a", "b1", d.vector("a_b1", value, "acceleration of the origin of b1", "m/s^2"), alpha)
    return d


def _planar_drives(d: Derivation, joint: str, freedoms: tuple[str, ...]) -> Drives:
    groups = []
    for prefix, suffix, what in (("u", "", "value"), ("ud", "/s", "rate"), ("udd", "/s^2", "acceleration")):
        unit = ", ".join(("rad" if f == "angle" else "m") + suffix for f in freedoms)
        meaning = f"{what} of the driven freedoms of {joint}: {', '.join(freedoms)}"
        groups.append(
            d.input_array(
                f"{prefix}_{joint}",
                [f"{prefix}_{joint}_{f}" for f in freedoms],
                meaning=meaning,
                unit=unit,
                frame="joint",
            )
        )
    return {f: (groups[0][k], groups[1][k], groups[2][k]) for k, f in enumerate(freedoms)}


@dataclass(frozen=True)
class _DrivenPlanar:
    at: Vector
    angle: Expr
    v: Vector
    omega: Expr
    a: Vector
    alpha: Expr


def _drive_planar(d: Derivation, base: _DrivenPlanar, freedoms: tuple[str, ...], drives: Drives) -> _DrivenPlanar:
    at, angle, v, omega, a, alpha = base.at, base.angle, base.v, base.omega, base.a, base.alpha
    slides = [f for f in freedoms if f != "angle"]
    if slides:
        c, s = (
            d.scalar("c_frame", cos(angle), "cosine of the first frame's angle"),
            d.scalar("s_frame", sin(angle), "its sine"),
        )
        axis = {"slide": Vector((c, s)), "x": Vector((c, s)), "y": Vector((-s, c))}
        reach = [_sum(axis[f] * drives[f][k] for f in slides) for k in range(3)]
        shift = d.vector("shift", reach[0], "displacement by the slides", "m")
        at = d.vector("shifted", at + shift, "origin of the second frame", "m")
        with d.part("velocity"):
            gliding = d.vector("gliding", reach[1], "sliding velocity", "m/s")
            v = d.vector("v_shifted", carried_velocity(v, omega, shift) + gliding, "velocity of that origin", "m/s")
        with d.part("acceleration"):
            square = d.scalar("square", omega * omega, "squared angular velocity of the first frame", "1/s^2")
            grown = carried_acceleration(a, alpha, square, shift) + gliding.turned() * (TWO * omega) + reach[2]
            a = d.vector("a_shifted", grown, "acceleration of that origin", "m/s^2")
    if "angle" in freedoms:
        turn = drives["angle"]
        angle, omega, alpha = angle + turn[0], omega + turn[1], alpha + turn[2]
    return _DrivenPlanar(at, angle, v, omega, a, alpha)


def derive_planar_kernel(type_: str, id_: str) -> Derivation:
    """Derive the second joint frame of a driven planar pair from the first, both in the world."""
    title = f"second frame of a driven {NAMES[type_]} pair in the plane"
    d = Derivation(f"{id_} kernel", level="kernel", title=title, source=_SOURCE)
    names = ("x", "y")
    r = Vector(d.input_array("e", ("e_x", "e_y", "e_angle"), meaning="pose of the first frame", unit=PLANAR_POSE)[:2])
    v = d.input_array(
        "v_e", (*(f"v_e_{n}" for n in names), "omega_e"), meaning="twist of the first frame", unit=PLANAR_TWIST
    )
    a = d.input_array(
        "a_e",
        (*(f"a_e_{n}" for n in names), "alpha_e"),
        meaning="acceleration of the first frame",
        unit=PLANAR_ACCELERATION,
    )
    drives = _planar_drives(d, "j", PLANAR_FREEDOMS[type_])
    base = _DrivenPlanar(r, d.promise("e_angle"), Vector(v[:2]), v[2], Vector(a[:2]), a[2])
    driven = _drive_planar(d, base, PLANAR_FREEDOMS[type_], drives)
    d.output("g", _plain(d, "g", (*driven.at, driven.angle)), meaning="pose of the second frame", unit=PLANAR_POSE)
    with d.part("velocity"):
        d.output(
            "v_g", _plain(d, "v_g", (*driven.v, driven.omega)), meaning="twist of the second frame", unit=PLANAR_TWIST
        )
    with d.part("acceleration"):
        values = _plain(d, "a_g", (*driven.a, driven.alpha))
        d.output("a_g", values, meaning="acceleration of the second frame", unit=PLANAR_ACCELERATION)
    return d


def derive_planar_group(type_: str, id_: str) -> Derivation:
    """Derive the planar group k1 -driven pair- b1 on poses and joint frames."""
    arrangement = type_.lower()
    title = f"body moved by a driven {NAMES[type_]} pair in the plane"
    d = Derivation(f"{id_} {arrangement}", level="group", title=title, source=_SOURCE, arrangement=arrangement)
    k1 = planar_known(d, "k1", "first")
    outer, inner = planar_frame(d, "j1", "k1"), planar_frame(d, "j1", "b1")
    drives = _planar_drives(d, "j1", PLANAR_FREEDOMS[type_])
    arm = d.vector("arm", rotated(k1.c, k1.s, outer.at), "from the origin of k1 to the joint", "m")
    at = d.vector("at", k1.r + arm, "centre of the joint on k1", "m")
    angle = d.scalar("angle", k1.phi + outer.angle, "angle of the first frame", "rad")
    with d.part("velocity"):
        v = d.vector("v_joint", carried_velocity(k1.v, k1.omega, arm), "velocity of the joint on k1", "m/s")
    with d.part("acceleration"):
        w2 = d.scalar("w2", k1.omega * k1.omega, "squared angular velocity of k1", "1/s^2")
        a = d.vector(
            "a_joint", carried_acceleration(k1.a, k1.alpha, w2, arm), "acceleration of the joint on k1", "m/s^2"
        )
    driven = _drive_planar(d, _DrivenPlanar(at, angle, v, k1.omega, a, k1.alpha), PLANAR_FREEDOMS[type_], drives)
    phi = d.scalar("phi_b1", driven.angle - inner.angle, "angle of b1", "rad")
    body = place_planar(d, "b1", phi, driven.at, inner.at)
    with d.part("velocity"):
        omega = move_body(d, "b1", body, driven.v, driven.omega)
    with d.part("acceleration"):
        accelerate_body(d, "b1", body, driven.a, driven.alpha, omega * omega)
    return d


def derive_spatial(type_: str) -> ModuleDerivation:
    """Derive the spatial module of a fully driven pair."""
    freedoms = tuple(p.freedom for p in PRIMITIVES[type_])
    return spatial_module(type_, freedoms, pair_model(type_, freedoms), drive_ports, overview(__doc__))


def spatial_module(
    type_: str, freedoms: tuple[str, ...], pair: PairModel, given: DriveReader, summary: tuple[str, ...]
) -> ModuleDerivation:
    """Return the spatial module of a pair whose freedoms are all driven.

    Parameters
    ----------
    type_, freedoms : the pair and its freedoms, as the mechanism file names them.
    pair : the chain of one-freedom motions that it is.
    given : declares what is given and returns the motion of each freedom of the chain.
    summary : explanation for the files' head.
    """
    id_ = f"driven_{type_.lower()}_3d"
    slot = JointSlot("j1", type_, ("k1", "b1"), (), freedoms)
    group = derive_spatial_group(type_, pair, id_, given)
    arrangement = Arrangement(type_.lower(), "spatial", ("k1",), ("b1",), (slot,), group)
    kernel = derive_spatial_kernel(type_, pair, id_, given)
    return _module(id_, f"driven {NAMES[type_]} pair, spatial", "spatial", kernel, arrangement, summary)


def derive_planar(type_: str) -> ModuleDerivation:
    """Derive the planar module of a fully driven pair."""
    id_ = f"driven_{type_.lower()}_2d"
    slot = JointSlot("j1", type_, ("k1", "b1"), (), PLANAR_FREEDOMS[type_])
    arrangement = Arrangement(type_.lower(), "planar", ("k1",), ("b1",), (slot,), derive_planar_group(type_, id_))
    title, kernel = f"driven {NAMES[type_]} pair, planar", derive_planar_kernel(type_, id_)
    return _module(id_, title, "planar", kernel, arrangement, overview(__doc__))


def _module(
    id_: str, title: str, space: str, kernel: Derivation, arrangement: Arrangement, summary: tuple[str, ...]
) -> ModuleDerivation:
    return ModuleDerivation(
        id=id_,
        title=title,
        space="planar" if space == "planar" else "spatial",
        degree=1,
        source=_SOURCE,
        summary=summary,
        kernel=kernel,
        arrange=lambda _position: (arrangement,),
    )
