"""What every planar group has: known bodies, joint frames, poses and coordinates as ports.

Poses are [x, y, phi], joint frames [x, y, angle] in their body; an R lies at its frame's origin, a P slides along its
frame's x axis.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.algebra import Expr, atan2, cos, sin
from symgen.derive.blocks.planar import carried_acceleration, carried_velocity, rotated
from symgen.derive.derivation import Derivation
from symgen.derive.vectors import Vector

POSE_UNIT, TWIST_UNIT, ACCELERATION_UNIT = "m, m, rad", "m/s, m/s, rad/s", "m/s^2, m/s^2, rad/s^2"


@dataclass(frozen=True)
class PlanarFrame:
    """A joint frame in its body: origin and direction of its x axis."""

    at: Vector
    angle: Expr


@dataclass(frozen=True)
class KnownBody:
    """A body whose motion is given; `c`, `s` are the cosine and sine of its angle, `n` is its squared `omega`."""

    name: str
    r: Vector
    phi: Expr
    c: Expr
    s: Expr
    v: Vector
    omega: Expr
    n: Expr
    a: Vector
    alpha: Expr

    def to_world(self, local: Vector) -> Vector:
        """Return the world components of a vector of this body."""
        return rotated(self.c, self.s, local)

    def point(self, local: Vector) -> Vector:
        """Return the world position of a point of this body."""
        return self.r + self.to_world(local)

    def velocity_at(self, point: Vector) -> Vector:
        """Return the velocity of the body's point at a world position."""
        return carried_velocity(self.v, self.omega, point - self.r)

    def acceleration_at(self, point: Vector) -> Vector:
        """Return the acceleration of the body's point at a world position."""
        return carried_acceleration(self.a, self.alpha, self.n, point - self.r)


def known_body(d: Derivation, name: str, order: str) -> KnownBody:
    """Declare the ports of a known body: pose `k1`, twist `v_k1`, acceleration `a_k1`."""
    x, y, phi = d.input_array(
        name, (f"{name}_x", f"{name}_y", f"phi_{name}"), meaning=f"pose of the {order} known body", unit=POSE_UNIT
    )
    vx, vy, omega = d.input_array(
        f"v_{name}",
        (f"v_{name}_x", f"v_{name}_y", f"omega_{name}"),
        meaning=f"twist of the {order} known body",
        unit=TWIST_UNIT,
    )
    ax, ay, alpha = d.input_array(
        f"a_{name}",
        (f"a_{name}_x", f"a_{name}_y", f"alpha_{name}"),
        meaning=f"acceleration of the {order} known body",
        unit=ACCELERATION_UNIT,
    )
    c = d.scalar(f"c_{name}", cos(phi), f"cosine of the {order} known body's angle")
    s = d.scalar(f"s_{name}", sin(phi), f"sine of the {order} known body's angle")
    with d.part("acceleration"):
        n = d.scalar(f"n_{name}", omega * omega, f"squared angular velocity of the {order} known body", "1/s^2")
    return KnownBody(name, Vector((x, y)), phi, c, s, Vector((vx, vy)), omega, n, Vector((ax, ay)), alpha)


def joint_frame(d: Derivation, joint: str, body: str) -> PlanarFrame:
    """Declare the port of one side's joint frame."""
    name = f"f_{joint}_{body}"
    x, y, angle = d.input_array(
        name,
        (f"{name}_x", f"{name}_y", f"{name}_angle"),
        meaning=f"frame of joint {joint} in body {body}",
        unit=POSE_UNIT,
        frame=f"body {body}",
    )
    return PlanarFrame(Vector((x, y)), angle)


def give_pose(d: Derivation, name: str, r: Vector, phi: Expr) -> None:
    """Declare an unknown body's pose as a result; `r` and `phi` are steps."""
    d.output(name, (*r, phi), meaning=f"pose of unknown body {name}", unit=POSE_UNIT)


def give_twist(d: Derivation, name: str, v: Vector, omega: Expr) -> None:
    """Declare an unknown body's twist as a result."""
    d.output(f"v_{name}", (*v, omega), meaning=f"twist of unknown body {name}", unit=TWIST_UNIT)


def give_acceleration(d: Derivation, name: str, a: Vector, alpha: Expr) -> None:
    """Declare an unknown body's acceleration as a result."""
    d.output(f"a_{name}", (*a, alpha), meaning=f"acceleration of unknown body {name}", unit=ACCELERATION_UNIT)


def give_coordinates(
    d: Derivation, joint: str, value: Expr, *, rate: bool = False, acceleration: bool = False, kind: str
) -> None:
    """Declare and name a joint's coordinate, rate or acceleration as a result.

    `kind` is "angle" or "slide"; angles are not wrapped.
    """
    base = "rad" if kind == "angle" else "m"
    prefix, unit, what = ("q", base, f"{kind}")
    if rate:
        prefix, unit, what = "qd", f"{base}/s", f"{kind} rate"
    if acceleration:
        prefix, unit, what = "qdd", f"{base}/s^2", f"{kind} acceleration"
    step = d.scalar(f"{prefix}_{joint}_{kind}", value, f"{what} of joint {joint}", unit)
    d.output(f"{prefix}_{joint}", (step,), meaning=f"{what} of joint {joint}", unit=unit, frame="joint")


def link_angle(d: Derivation, body: str, local: Vector, world: Vector) -> Expr:
    """Name the angle that turns the body's vector `local` into the direction of `world`."""
    c = d.scalar(f"dot_{body}", local.dot(world), f"cosine of the angle of {body}, scaled")
    s = d.scalar(f"area_{body}", local.area(world), f"sine of the angle of {body}, scaled")
    return d.scalar(f"phi_{body}", atan2(s, c), f"angle of {body}", "rad")


@dataclass(frozen=True)
class Placed:
    """An unknown body placed by one of its points: angle, its cosine and sine, arm from the point to the origin."""

    phi: Expr
    c: Expr
    s: Expr
    arm: Vector

    def to_world(self, local: Vector) -> Vector:
        """Return the world components of a vector of this body."""
        return rotated(self.c, self.s, local)


@dataclass(frozen=True)
class LinkTurn:
    """The turn of a link that is seen from both ends: its angle (a step), cosine and sine."""

    phi: Expr
    c: Expr
    s: Expr


def link_turn(d: Derivation, body: str, local: Vector, world: Vector, length2: Expr) -> LinkTurn:
    """Name the turn of the body's vector `local` to `world`, which closure has made as long as it: `length2` squared.

    So its cosine and sine are the two products over that square, and no angle has to be turned back.
    """
    phi = link_angle(d, body, local, world)
    inverse = d.scalar(f"i_length2_{body}", 1 / length2, f"reciprocal of the link's squared length, {body}", "1/m^2")
    return LinkTurn(phi, local.dot(world) * inverse, local.area(world) * inverse)


def place_body(
    d: Derivation, body: str, phi: Expr, point: Vector, local: Vector, turn: LinkTurn | None = None
) -> Placed:
    """Name and give the pose of a body whose angle and one point are known.

    `phi` must be the step `phi_<body>`; `local` are the point's coordinates in the body. Cosine and sine are those of
    `turn`, if they are known.
    """
    solved = (cos(phi), sin(phi)) if turn is None else (turn.c, turn.s)
    c = d.scalar(f"c_{body}", solved[0], f"cosine of the angle of {body}", recovered=cos(phi))
    s = d.scalar(f"s_{body}", solved[1], f"sine of the angle of {body}", recovered=sin(phi))
    arm = d.vector(f"arm_{body}", -rotated(c, s, local), f"from that point to the origin of {body}", "m")
    r = d.vector(f"r_{body}", point + arm, f"origin of {body}", "m")
    give_pose(d, body, r, phi)
    return Placed(phi, c, s, arm)


def move_body(d: Derivation, body: str, placed: Placed, v: Vector, omega: Expr) -> Expr:
    """Name and give the twist of a placed body from its point's velocity and its angular velocity."""
    rate = d.scalar(f"omega_{body}", omega, f"angular velocity of {body}", "rad/s")
    origin = d.vector(f"v_{body}", carried_velocity(v, rate, placed.arm), f"velocity of the origin of {body}", "m/s")
    give_twist(d, body, origin, rate)
    return rate


def accelerate_body(d: Derivation, body: str, placed: Placed, a: Vector, alpha: Expr, omega2: Expr) -> Expr:
    """Name and give the acceleration of a placed body from its point's acceleration."""
    rate = d.scalar(f"alpha_{body}", alpha, f"angular acceleration of {body}", "rad/s^2")
    value = carried_acceleration(a, rate, omega2, placed.arm)
    give_acceleration(d, body, d.vector(f"a_{body}", value, f"acceleration of the origin of {body}", "m/s^2"), rate)
    return rate


def slide_direction(d: Derivation, joint: str, angle: Expr) -> Vector:
    """Name the world direction of a prismatic pair from the angle of its frame in the world."""
    c = d.scalar(f"c_{joint}", cos(angle), f"cosine of the direction of {joint}")
    s = d.scalar(f"s_{joint}", sin(angle), f"sine of the direction of {joint}")
    return Vector((c, s))


def in_frame(d: Derivation, name: str, frame: PlanarFrame, point: Vector, meaning: str) -> Vector:
    """Name a point of a body in the axes and from the origin of one of its joint frames."""
    c = d.scalar(f"c_{name}", cos(frame.angle), f"cosine of the frame's angle, {name}")
    s = d.scalar(f"s_{name}", sin(frame.angle), f"sine of the frame's angle, {name}")
    return d.vector(name, rotated(c, -s, point - frame.at), meaning, "m")
