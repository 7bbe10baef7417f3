"""Motion along a spanning tree: poses by one-freedom motions, and the columns of its Jacobian.

A pose [x, y, z, q0, q1, q2, q3] is a frame. A joint is a chain of turns about and slides along the axes of the frame
reached so far (`symgen.derive.joints`); a ball is turned by a quaternion of its own. The column of a freedom is the
twist [v, omega] of unit rate, taken at a point that moves with it: at the centre of mass of every body behind it.

Source: docs/dynamics.md; the half angle of a turn is that of its quaternion (Euler and Rodrigues).
"""

from __future__ import annotations

from symgen.algebra import HALF, ONE, ZERO, Expr, cos, sin, sqrt
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel, pose_port, pose_result, quaternion_port, twist_port
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector

SOURCE = "docs/dynamics.md; Euler-Rodrigues parameters of a turn"
_AXES = ("x", "y", "z")


def compose() -> Derivation:
    """Derive the pose of a frame that is given in a body."""
    d = kernel("compose", "pose of a frame fixed in a body", SOURCE)
    place, turn = pose_port(d, "pose", "pose of the body", "p")
    at, held = pose_port(d, "frame", "frame in the body", "f", "body")
    origin = d.vector("o", place + d.triad("e", turn, "body").to_world(at), "origin of the frame", "m")
    pose_result(d, origin, d.quaternion("t", turn * held, "orientation of the frame"), "pose of the frame")
    return d


def turn(axis: str) -> Derivation:
    """Derive a frame turned about its own axis."""
    d = kernel(f"turn_{axis}", f"a frame turned about its {axis} axis", SOURCE)
    origin, held = _frame(d)
    angle = d.input_scalar("angle", meaning="angle of the turn", unit="rad")
    pose_result(d, origin, _turned(d, held, axis, angle), "frame after the turn")
    return d


def slide(axis: str) -> Derivation:
    """Derive a frame moved along its own axis."""
    d = kernel(f"slide_{axis}", f"a frame moved along its {axis} axis", SOURCE)
    origin, held = _frame(d)
    way = d.input_scalar("slide", meaning="length of the slide", unit="m")
    along = d.vector("a", held.axis(axis), f"{axis} axis", "1")
    pose_result(d, d.vector("o", origin + along * way, "origin after the slide", "m"), held, "frame after the slide")
    return d


def screw() -> Derivation:
    """Derive a frame screwed along its z axis."""
    d = kernel("screw_z", "a frame screwed about and along its z axis", SOURCE)
    origin, held = _frame(d)
    angle = d.input_scalar("angle", meaning="angle of the turn", unit="rad")
    pitch = d.input_scalar("pitch", meaning="slide of a turn by one radian", unit="m/rad")
    along = d.vector("a", held.axis("z"), "z axis", "1")
    moved = d.vector("o", origin + along * (pitch * angle), "origin after the slide", "m")
    pose_result(d, moved, _turned(d, held, "z", angle), "frame after the screw motion")
    return d


def ball() -> Derivation:
    """Derive a frame turned by a quaternion in its own axes."""
    d = kernel("ball", "a frame turned about its origin", SOURCE)
    origin, held = _frame(d)
    q = quaternion_port(d, "q", "turn, in the axes of the frame")
    pose_result(d, origin, d.quaternion("t", held * q, "orientation after the turn"), "frame after the turn")
    return d


def turn_column(axis: str) -> Derivation:
    """Derive the column of a turn: [a x (point - origin), a]."""
    d = kernel(f"turn_column_{axis}", f"column of a turn about the {axis} axis", SOURCE)
    _, held = _frame(d)
    along = d.vector("a", held.axis(axis), "axis of the turn", "1")
    _put_column(d, along.cross(_lever(d)), along)
    return d


def slide_column(axis: str) -> Derivation:
    """Derive the column of a slide: [a, 0]."""
    d = kernel(f"slide_column_{axis}", f"column of a slide along the {axis} axis", SOURCE)
    _, held = _frame(d)
    along = d.vector("a", held.axis(axis), "direction of the slide", "1")
    _put_column(d, along, Vector((ZERO, ZERO, ZERO)))
    return d


def screw_column() -> Derivation:
    """Derive the column of a screw: [p a + a x (point - origin), a]."""
    d = kernel("screw_column_z", "column of a screw along the z axis", SOURCE)
    _, held = _frame(d)
    along = d.vector("a", held.axis("z"), "axis of the screw", "1")
    lever = _lever(d)
    pitch = d.input_scalar("pitch", meaning="slide of a turn by one radian", unit="m/rad")
    _put_column(d, along * pitch + along.cross(lever), along)
    return d


def shift() -> Derivation:
    """Derive a twist or column at another point of the same body."""
    d = kernel("shift", "twist of another point of the same body", SOURCE)
    v, omega = twist_port(d, "column", "twist of a point", "c")
    lever = d.input_vector("lever", 3, meaning="from this point to the other", unit="m")
    moved = d.vector("moved", v + omega.cross(lever), "velocity of the other point", "m/s")
    d.output("out", (*moved, *omega), meaning="twist of the other point", unit="m/s, rad/s")
    return d


def column_rate() -> Derivation:
    """Derive how a column of a turn or slide changes: omega x axis, and the moment of the lever's change.

    A turn's column is [a x l, a] with l the lever from the axis to the point: its derivative is
    [(w x a) x l + a x l', w x a], w the angular velocity of the body that carries the axis.
    """
    d = kernel("turn_column_rate", "rate of the column of a turn", SOURCE)
    axis = d.input_vector("axis", 3, meaning="axis of the turn", unit="1")
    lever = d.input_vector("lever", 3, meaning="from the axis to the point", unit="m")
    omega = d.input_vector("omega", 3, meaning="angular velocity of what carries the axis", unit="rad/s")
    speed = d.input_vector("lever_rate", 3, meaning="velocity of the point minus that of the axis' origin", unit="m/s")
    turned = d.vector("ad", omega.cross(axis), "rate of the axis", "rad/s")
    moved = d.vector("vd", turned.cross(lever) + axis.cross(speed), "rate of the velocity", "m/s")
    d.output("rate", (*moved, *turned), meaning="rate of the column [a x lever, a]", unit="m/s, rad/s")
    return d


def spin() -> Derivation:
    """Derive an orientation turned by a small world vector: (1, dtheta/2) q, made unit.

    This is Cayley's map, smooth and cheap; the turn is 2 atan(|dtheta|/2), which is |dtheta| to third order: a Newton
    step asks for the first order only.
    """
    d = kernel("spin", "an orientation turned by a small world vector", "A. Cayley; docs/dynamics.md")
    q = quaternion_port(d, "q", "orientation")
    angle = d.input_vector("dtheta", 3, meaning="small turn, world axes", unit="rad")
    x, y, z = (HALF * part for part in angle)
    half = d.vector("half", Vector((x, y, z)), "half the turn", "rad")
    longer = d.quaternion("longer", Quaternion((ONE, *half)) * q, "turned, longer than one")
    length = d.scalar("length", sqrt(longer.norm2()), "its length", "1")
    size = d.scalar("i_length", ONE / length, "reciprocal of it", "1")
    turned = Quaternion(tuple(part * size for part in longer.components))  # type: ignore[arg-type]
    found = d.quaternion("t", turned, "orientation after the turn")
    d.output("out", found, meaning="orientation after the turn", unit="1")
    d.claim_zero("unit", "the result is a unit quaternion", [found.norm2() - ONE])
    return d


# -- pieces ----------------------------------------------------------------------------------------------------------


def _frame(d: Derivation) -> tuple[Vector, Quaternion]:
    return pose_port(d, "frame", "frame reached so far", "f")


def _lever(d: Derivation) -> Vector:
    point = d.input_vector("point", 3, meaning="point that moves along", unit="m")
    origin = Vector(tuple(d.promise(f"f_{axis}") for axis in _AXES))
    return d.vector("l", point - origin, "from the frame's origin to the point", "m")


def _turned(d: Derivation, held: Quaternion, axis: str, angle: Expr) -> Quaternion:
    half = d.scalar("half_angle", HALF * angle, "half the angle", "rad")
    c, s = d.scalar("ch", cos(half), "its cosine", "1"), d.scalar("sh", sin(half), "its sine", "1")
    x, y, z = (s if name == axis else ZERO for name in _AXES)
    turned = d.quaternion("t", held * Quaternion((c, x, y, z)), "orientation after the turn")
    own = FrameAxes(*(held.axis(name) for name in _AXES)).axis(axis)
    gaps = list(own - turned.axis(axis))
    d.claim_zero("axis", "the axis of the turn stays", gaps)
    return turned


def _put_column(d: Derivation, velocity: Vector, omega: Vector) -> None:
    values = (*velocity, *omega)
    Results(d).put("column", values, "twist [v, omega] of the point for unit rate", "m/s, rad/s")
