"""What every spatial group has: known bodies, joint frames, drives, poses and coordinates as ports.

Poses are [r, q], joint frames [at, q] in their body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import HALF, ONE, UNIT_TOLERANCE, ZERO, Expr, absolute, cos, sin, symbol
from symgen.derive.blocks.spatial import SpatialMotion
from symgen.derive.derivation import Derivation
from symgen.derive.joints import PairModel, Primitive
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import AXES, Vector, unit_vector
from symgen.ir.nodes import HalfTurn
from symgen.status import Status

POSE_UNIT, TWIST_UNIT, ACCELERATION_UNIT = "m, 1", "m/s, rad/s", "m/s^2, rad/s^2"


@dataclass(frozen=True)
class LocalFrame:
    """A joint frame in its body."""

    at: Vector
    q: Quaternion


@dataclass(frozen=True)
class SpatialBody:
    """A body with its pose as symbols; of an unknown one they are promises until it is placed."""

    name: str
    r: Vector
    q: Quaternion
    motion: SpatialMotion | None = None


def _vector_names(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{axis}" for axis in AXES)


def _quaternion_names(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_q{k}" for k in range(4))


def _vector(names: Sequence[str]) -> Vector:
    return Vector(tuple(symbol(n) for n in names))


def _quaternion(names: Sequence[str]) -> Quaternion:
    a, b, c, e = (symbol(n) for n in names)
    return Quaternion((a, b, c, e))


def known_body(d: Derivation, name: str, order: str) -> SpatialBody:
    """Declare the ports of a known body: pose `k1`, twist `v_k1`, acceleration `a_k1`."""
    r, q = _vector_names(name), _quaternion_names(name)
    d.input_array(name, (*r, *q), meaning=f"pose [r, q] of the {order} known body", unit=POSE_UNIT, range="q unit")
    v, omega = _vector_names(f"v_{name}"), _vector_names(f"omega_{name}")
    meaning = f"twist [v, omega] of the {order} known body"
    d.input_array(f"v_{name}", (*v, *omega), meaning=meaning, unit=TWIST_UNIT)
    a, alpha = _vector_names(f"a_{name}"), _vector_names(f"alpha_{name}")
    meaning = f"acceleration [a, alpha] of the {order} known body"
    d.input_array(f"a_{name}", (*a, *alpha), meaning=meaning, unit=ACCELERATION_UNIT)
    motion = SpatialMotion(_vector(r), _vector(v), _vector(omega), _vector(a), _vector(alpha))
    d.guard_unit(name, _quaternion(q).norm2(), f"orientation of {name}")
    return SpatialBody(name, _vector(r), _quaternion(q), motion)


def unknown_body(name: str) -> SpatialBody:
    """Return the symbols of an unknown body's pose, to be placed later."""
    return SpatialBody(name, _vector(_vector_names(f"r_{name}")), _quaternion([f"q_{name}_{k}" for k in range(4)]))


def joint_frame(d: Derivation, joint: str, body: str, *, oriented: bool = True) -> LocalFrame:
    """Declare the port of one side's joint frame; only its centre counts where `oriented` is False."""
    name = f"f_{joint}_{body}"
    at, q = _vector_names(name), _quaternion_names(name)
    d.input_array(
        name,
        (*at, *q),
        meaning=f"frame [at, q] of joint {joint} in body {body}" + ("" if oriented else "; only its centre counts"),
        unit=POSE_UNIT,
        frame=f"body {body}",
        range="q unit",
    )
    d.guard_unit(name, _quaternion(q).norm2(), f"frame of {joint} in {body}")
    return LocalFrame(_vector(at), _quaternion(q))


def drive_ports(d: Derivation, joint: str, pair: PairModel) -> dict[str, tuple[Expr, Expr, Expr]]:
    """Declare value, rate and acceleration of a joint's driven freedoms; return them by freedom."""
    if not pair.driven:
        return {}
    units = [
        ("rad" if p.kind == "R" else "m") for f in pair.driven for p in (*pair.before, *pair.after) if p.freedom == f
    ]
    groups = []
    for prefix, suffix, what in (("u", "", "value"), ("ud", "/s", "rate"), ("udd", "/s^2", "acceleration")):
        names = [f"{prefix}_{joint}_{f}" for f in pair.driven]
        meaning = f"{what} of the driven freedoms of {joint}: {', '.join(pair.driven)}"
        unit = ", ".join(u + suffix for u in units)
        groups.append(d.input_array(f"{prefix}_{joint}", names, meaning=meaning, unit=unit, frame="joint"))
    return {f: (groups[0][k], groups[1][k], groups[2][k]) for k, f in enumerate(pair.driven)}


@dataclass(frozen=True)
class WorldFrame:
    """A frame in the world: origin, orientation and its three axes."""

    at: Vector
    q: Quaternion
    axes: FrameAxes


def body_triad(d: Derivation, body: SpatialBody) -> FrameAxes:
    """Name the axes of a body."""
    return d.triad(f"{body.name}_e", body.q, f"{body.name}")


def frame_in_world(
    d: Derivation, name: str, r: Vector, q: Quaternion, axes: FrameAxes, frame: LocalFrame, what: str
) -> WorldFrame:
    """Name the joint frame of a body whose origin, orientation and axes are given."""
    at = d.vector(f"{name}_at", r + axes.to_world(frame.at), f"centre of {what}", "m")
    turned = d.quaternion(f"{name}_o", q * frame.q, f"orientation of {what}")
    return WorldFrame(at, turned, d.triad(f"{name}_", turned, what))


def half_turn(d: Derivation, name: str, angle: Expr, axis: str, what: str) -> Quaternion:
    """Name the quaternion of a turn about x, y or z."""
    turn = HalfTurn(name, what)
    c = d.scalar(f"{name}_ch", cos(HALF * angle), f"cosine of half of {what}", turn=turn)
    s = d.scalar(f"{name}_sh", sin(HALF * angle), f"sine of half of {what}", turn=turn)
    x, y, z = unit_vector(axis)
    return Quaternion((c, s * x, s * y, s * z))


def moved_frame(
    d: Derivation, name: str, frame: WorldFrame, motions: Sequence[tuple[Primitive, Expr]], what: str
) -> WorldFrame:
    """Name the frame reached from `frame` by one-freedom motions of given size."""
    reached = frame
    for primitive, value in motions:
        step = f"{name}_{primitive.freedom}"
        if primitive.kind == "P":
            shifted = reached.at + reached.axes.axis(primitive.axis) * value
            at = d.vector(f"{step}_at", shifted, f"origin of {what} after {primitive.freedom}", "m")
            reached = WorldFrame(at, reached.q, reached.axes)
        else:
            reached_by = f"{what} after {primitive.freedom}"
            turn = half_turn(d, step, value, primitive.axis, f"{primitive.freedom} of {what}")
            q = d.quaternion(f"{step}_o", reached.q * turn, f"orientation of {reached_by}")
            reached = WorldFrame(reached.at, q, d.triad(f"{step}_", q, reached_by))
    return reached


def local_in_frame(d: Derivation, name: str, frame: LocalFrame, point: Vector, what: str) -> Vector:
    """Name a point of a body in the axes and from the origin of one of its joint frames."""
    axes = d.triad(f"{name}_f", frame.q, "frame of that joint in its body")
    reach = d.vector(f"{name}_d", point - frame.at, f"{what}: in the axes of the body", "m")
    return d.vector(name, axes.to_local(reach), what, "m")


def orient_body(d: Derivation, body: SpatialBody, orientation: Quaternion) -> FrameAxes:
    """Name the orientation of an unknown body; return its axes."""
    q = d.quaternion(f"q_{body.name}", orientation, f"orientation of {body.name}")
    axes = body_triad(d, SpatialBody(body.name, body.r, q))
    with d.part("geometry"):
        size = d.scalar(f"norm2_{body.name}", q.norm2(), f"squared length, given orientation of {body.name}")
        text = f"the orientation of {body.name} is not of unit length"
        d.guard(absolute(size - ONE), "<=", UNIT_TOLERANCE, Status.BAD_INPUT, text, when="given")
    return axes


def name_origin(d: Derivation, body: SpatialBody, origin: Vector) -> None:
    """Name the origin of an unknown body whose orientation is known."""
    d.vector(f"r_{body.name}", origin, f"origin of {body.name}", "m")


def give_pose(d: Derivation, body: SpatialBody) -> None:
    """Declare the pose of a placed body as a result."""
    elements = (*body.r, *body.q.components)
    d.output(body.name, elements, meaning=f"pose [r, q] of unknown body {body.name}", unit=POSE_UNIT)


def locate_body(d: Derivation, body: SpatialBody, origin: Vector) -> None:
    """Name the origin of an unknown body whose orientation is known, and give its pose."""
    name_origin(d, body, origin)
    give_pose(d, body)


def place_body(d: Derivation, body: SpatialBody, frame: WorldFrame, local: LocalFrame) -> FrameAxes:
    """Name and give the pose of the body whose joint frame `local` coincides with `frame`; return its axes."""
    axes = orient_body(d, body, frame.q * local.q.conjugate)
    locate_body(d, body, frame.at - axes.to_world(local.at))
    return axes


def give_motion(d: Derivation, kind: str, name: str, linear: Vector, angular: Vector) -> None:
    """Declare twist (`kind` "v") or acceleration ("a") of an unknown body as a result."""
    what, unit = ("twist [v, omega]", TWIST_UNIT) if kind == "v" else ("acceleration [a, alpha]", ACCELERATION_UNIT)
    d.output(f"{kind}_{name}", (*linear, *angular), meaning=f"{what} of unknown body {name}", unit=unit)


def give_coordinates(
    d: Derivation, joint: str, freedoms: Sequence[Primitive], values: Sequence[Expr], order: int
) -> tuple[Expr, ...]:
    """Name and give a joint's free coordinates (order 0), rates (1) or accelerations (2)."""
    prefix, suffix, what = (("q", "", "coordinate"), ("qd", "/s", "rate"), ("qdd", "/s^2", "acceleration"))[order]
    steps, units = [], []
    for primitive, value in zip(freedoms, values, strict=True):
        unit = ("rad" if primitive.kind == "R" else "m") + suffix
        name = f"{prefix}_{joint}_{primitive.freedom}"
        steps.append(d.scalar(name, value, f"{what} {primitive.freedom} of {joint}", unit))
        units.append(unit)
    names = ", ".join(p.freedom for p in freedoms)
    d.output(
        f"{prefix}_{joint}", tuple(steps), meaning=f"{what} of {joint}: {names}", unit=", ".join(units), frame="joint"
    )
    return tuple(steps)


def zero() -> Vector:
    """Return the null vector."""
    return Vector((ZERO, ZERO, ZERO))
