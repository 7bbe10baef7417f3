"""Poses and motions as expressions: frames composed, bodies welded on, points of bodies, in space and in the plane.

Spatial: pose [x, y, z, q0, q1, q2, q3], twist [v, omega], acceleration [a, alpha]; planar: [x, y, phi],
[vx, vy, omega], [ax, ay, alpha]; of the origin of the body's frame, in world axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, TWO, ZERO, Expr, cos, sin
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector
from symgen.whole.steps import Steps

Values = tuple[Expr, ...]


@dataclass(frozen=True)
class Moving:
    """Motion of a body's frame."""

    pose: Values
    twist: Values
    acceleration: Values


def at_rest(pose: Values) -> Moving:
    """Return a body that does not move."""
    zeros = (ZERO,) * (6 if len(pose) == 7 else 3)
    return Moving(pose, zeros, zeros)


def _quaternion(components: Sequence[Expr]) -> Quaternion:
    q0, q1, q2, q3 = components
    return Quaternion((q0, q1, q2, q3))


def turned_frame(steps: Steps, name: str, frame: Values, turn: Sequence[Expr]) -> Values:
    """Return a joint frame [at, q] turned by a quaternion that is given in it."""
    turned = _quaternion(frame[3:]) * _quaternion(turn)
    names = [f"{name}_q{k}" for k in range(4)]
    return (*frame[:3], *steps.lets(name, names, turned.components, "joint frame with its axes exchanged", {}))


def _axes(steps: Steps, name: str, pose: Values) -> tuple[Values, Values, Values]:
    """Name the rows of the rotation matrix of a pose."""
    if len(pose) == 3:
        c = steps.let(f"{name}_c", cos(pose[2]), "cosine of the body's angle")
        s = steps.let(f"{name}_s", sin(pose[2]), "sine of the body's angle")
        return (c, -s, ZERO), (s, c, ZERO), (ZERO, ZERO, ONE)
    w, x, y, z = pose[3:]
    products = {"xx": x * x, "yy": y * y, "zz": z * z, "xy": x * y, "xz": x * z, "yz": y * z}
    products |= {"wx": w * x, "wy": w * y, "wz": w * z}
    comment = "products of components of the body's quaternion"
    named = steps.lets(name, [f"{name}_{k}" for k in products], tuple(products.values()), comment, {})
    p = dict(zip(products, named, strict=True))
    return (
        (ONE - TWO * (p["yy"] + p["zz"]), TWO * (p["xy"] - p["wz"]), TWO * (p["xz"] + p["wy"])),
        (TWO * (p["xy"] + p["wz"]), ONE - TWO * (p["xx"] + p["zz"]), TWO * (p["yz"] - p["wx"])),
        (TWO * (p["xz"] - p["wy"]), TWO * (p["yz"] + p["wx"]), ONE - TWO * (p["xx"] + p["yy"])),
    )


def _lever(steps: Steps, name: str, pose: Values, local: Sequence[Expr], what: str) -> Vector:
    """Name the world components of a vector that is fixed in a body."""
    count = 2 if len(pose) == 3 else 3
    rows = _axes(steps, name, pose)[:count]
    values = [sum((row[k] * local[k] for k in range(count)), ZERO) for row in rows]
    return Vector(steps.lets(f"{name}_arm", [f"{name}_arm_{axis}" for axis in "xyz"[:count]], values, what, {}))


def carried(steps: Steps, name: str, body: Moving, local: Sequence[Expr], what: str) -> tuple[Values, Values, Values]:
    """Name place, velocity and acceleration of a point of a body.

    Parameters
    ----------
    local : its coordinates in the body [m].
    """
    planar = len(body.pose) == 3
    count = 2 if planar else 3
    arm = _lever(steps, name, body.pose, local, f"from the origin to {what} [m]")
    v, a = Vector(body.twist[:count]), Vector(body.acceleration[:count])
    if planar:
        omega, alpha = body.twist[2], body.acceleration[2]
        turning, growing = arm.turned() * omega, arm.turned() * alpha
        inward = -(arm * steps.let(f"{name}_n", omega * omega, "squared angular velocity"))
    else:
        spin, growth = Vector(body.twist[3:]), Vector(body.acceleration[3:])
        turning, growing = spin.cross(arm), growth.cross(arm)
        turning = _named(steps, f"{name}_w", turning, f"velocity of {what} about the origin [m/s]")
        inward = spin.cross(turning)
    r = _named(steps, f"{name}_r", Vector(body.pose[:count]) + arm, f"position of {what} [m]")
    v = _named(steps, f"{name}_v", v + turning, f"velocity of {what} [m/s]")
    a = _named(steps, f"{name}_a", a + growing + inward, f"acceleration of {what} [m/s^2]")
    return tuple(r), tuple(v), tuple(a)


def _named(steps: Steps, name: str, vector: Vector, comment: str) -> Vector:
    values = tuple(vector)
    return Vector(steps.lets(name, [f"{name}_{axis}" for axis in "xyz"[: len(values)]], values, comment, {}))


def welded(steps: Steps, name: str, body: Moving, place: Values) -> Moving:
    """Name the motion of a frame that is fixed in a body at `place`, a pose in it."""
    count = 2 if len(body.pose) == 3 else 3
    r, v, a = carried(steps, name, body, place[:count], "the origin of the welded body")
    if count == 2:
        phi = steps.let(f"{name}_phi", body.pose[2] + place[2], "angle of the welded body [rad]")
        return Moving((*r, phi), (*v, body.twist[2]), (*a, body.acceleration[2]))
    q = _quaternion(body.pose[3:]) * _quaternion(place[3:])
    names = [f"{name}_q{k}" for k in range(4)]
    turned = steps.lets(f"{name}_q", names, q.components, "orientation of the welded body", {})
    return Moving((*r, *turned), (*v, *body.twist[3:]), (*a, *body.acceleration[3:]))
