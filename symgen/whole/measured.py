"""Coordinates of a joint read off the motions of its two bodies: where no closed form gives them.

Formulas and source as in `symgen.library.newton.coordinates` and `symgen.library.joint_coordinates`. In gimbal lock
of a ball (its pitch is a right angle) roll counts as zero, and there are no rates: SINGULAR.
"""

from __future__ import annotations

from symgen.algebra import HALF, ONE, TWO, ZERO, Expr, atan2, chosen, cos, exactly, is_number, sin, sqrt
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector
from symgen.library.joint_coordinates import GIMBAL_LOCK
from symgen.whole.bodies import Moving, Values, carried
from symgen.whole.coordinates import Triple
from symgen.whole.steps import Steps

_BALLS = ("S", "F")


def measured(
    steps: Steps, name: str, code: str, bodies: tuple[Moving, Moving], frames: tuple[Values, Values], rates: bool
) -> dict[str, Triple]:
    """Name the coordinates of a joint.

    Parameters
    ----------
    name : beginning of the names of the steps.
    code : pair type; of an H the slide is given, its angle is the slide over the pitch.
    bodies, frames : of the first and the second body; in the plane as ports hold them (a P slides along x).
    rates : whether rates and accelerations are wanted.

    Returns
    -------
    dict of str to tuple of Expr
        Freedom -> value, and rate and acceleration.
    """
    if len(bodies[0].pose) == 3 and code == "R":
        return {"angle": _planar_angle(steps, name, bodies, frames, rates)}
    if len(bodies[0].pose) == 3:
        lifted = _lifted(steps, f"{name}_1", bodies[0]), _lifted(steps, f"{name}_2", bodies[1])
        poses = _lifted_pose(frames[0]), _lifted_pose(frames[1])
        found = _MeasuredJoint(steps, name, lifted, poses, rates).coordinates("PL")
        return found | {"slide": found["x"]} if code in ("P", "L") else found
    return _MeasuredJoint(steps, name, bodies, frames, rates).coordinates(code)


def _planar_angle(
    steps: Steps, name: str, bodies: tuple[Moving, Moving], frames: tuple[Values, Values], rates: bool
) -> Triple:
    """Name the angle of a revolute joint in the plane."""
    one, two = bodies
    angle = two.pose[2] + frames[1][2] - one.pose[2] - frames[0][2]
    rows = [(angle, "angle of the joint [rad]")]
    if rates:
        rows.append((two.twist[2] - one.twist[2], "its rate [rad/s]"))
        rows.append((two.acceleration[2] - one.acceleration[2], "its acceleration [rad/s^2]"))
    return tuple(steps.let(f"{name}_a{order}", value, comment) for order, (value, comment) in enumerate(rows))


class _MeasuredJoint:
    """One joint in space, in the axes of its first frame."""

    def __init__(
        self, steps: Steps, name: str, bodies: tuple[Moving, Moving], frames: tuple[Values, Values], rates: bool
    ) -> None:
        self._steps, self._name, self._rates = steps, name, rates
        self._first, self._second = bodies
        ends = [
            carried(steps, f"{name}_o{k}", body, frame[:3], "the joint's centre")
            for k, (body, frame) in enumerate(zip(bodies, frames, strict=True), start=1)
        ]
        self._gap = [Vector(tuple(after)) - Vector(tuple(before)) for before, after in zip(*ends, strict=True)]
        self._axes = self._triad("f1", bodies[0], frames[0])
        self._other = self._triad("f2", bodies[1], frames[1])

    def coordinates(self, code: str) -> dict[str, Triple]:
        """Return every freedom, and the slide along z."""
        found = self._slides()
        if code in _BALLS:
            found |= self._ball()
        elif code in ("U", "ER"):
            found |= self._cross()
        else:
            found["angle"] = self._about_z()
        return found

    # -- pieces ------------------------------------------------------------------------------------------------------

    def _let(self, end: str, value: Expr, comment: str) -> Expr:
        return self._steps.let(f"{self._name}_{end}", value, comment)

    def _vector(self, end: str, vector: Vector, comment: str) -> Vector:
        name = f"{self._name}_{end}"
        return Vector(self._steps.lets(name, [f"{name}_{axis}" for axis in "xyz"], tuple(vector), comment, {}))

    def _triad(self, end: str, body: Moving, frame: Values) -> FrameAxes:
        q0, q1, q2, q3 = body.pose[3:]
        p0, p1, p2, p3 = frame[3:]
        turn = Quaternion((q0, q1, q2, q3)) * Quaternion((p0, p1, p2, p3))
        name = f"{self._name}_{end}"
        comment = "orientation of a joint frame"
        r0, r1, r2, r3 = self._steps.lets(f"{name}_q", [f"{name}_q{k}" for k in range(4)], turn.components, comment, {})
        named = Quaternion((r0, r1, r2, r3))
        return FrameAxes(*(self._vector(f"{end}_{axis}", named.axis(axis), "axis of a joint frame") for axis in "xyz"))

    def _relative(self, row: int, column: int) -> Expr:
        """Return an entry of the rotation matrix from the second frame to the first."""
        value = self._axes.axis("xyz"[row]).dot(self._other.axis("xyz"[column]))
        return self._let(f"e{row}{column}", value, "entry of the relative rotation")

    def _slides(self) -> dict[str, Triple]:
        parts = [self._vector("p", self._axes.to_local(self._gap[0]), "position of the second frame in the first [m]")]
        if self._rates:
            d, v, a = self._gap
            w, g = Vector(self._first.twist[3:]), Vector(self._first.acceleration[3:])
            seen = self._vector("s", v - w.cross(d), "its velocity seen from the first body [m/s]")
            swept = self._vector("wd", w.cross(d), "velocity of that point on the first body [m/s]")
            growth = a - g.cross(d) - w.cross(swept) - w.cross(seen) * TWO
            parts.append(self._vector("pd", self._axes.to_local(seen), "the same in the first frame [m/s]"))
            growth = self._vector("sa", growth, "its acceleration seen from the first body [m/s^2]")
            parts.append(self._vector("pdd", self._axes.to_local(growth), "the same in the first frame [m/s^2]"))
        found = {axis: tuple(part[k] for part in parts) for k, axis in enumerate("xyz")}
        found["slide"] = found["z"]
        return found

    def _turning(self) -> tuple[Vector, Vector]:
        """Return relative angular velocity and its rate of change, in the first frame."""
        w1, w2 = Vector(self._first.twist[3:]), Vector(self._second.twist[3:])
        g1, g2 = Vector(self._first.acceleration[3:]), Vector(self._second.acceleration[3:])
        across = self._vector("w", w2 - w1, "relative angular velocity [rad/s]")
        growth = self._vector("g", g2 - g1 - w1.cross(across), "its rate of change in the first body [rad/s^2]")
        return (
            self._vector("wl", self._axes.to_local(across), "relative angular velocity in the first frame [rad/s]"),
            self._vector("gl", self._axes.to_local(growth), "its rate of change there [rad/s^2]"),
        )

    def _about_z(self) -> Triple:
        sine = self._relative(1, 0) - self._relative(0, 1)
        angle = self._let("a", _angle(sine, self._relative(0, 0) + self._relative(1, 1)), "angle of the joint [rad]")
        if not self._rates:
            return (angle,)
        w, g = self._turning()
        return angle, w[2], g[2]

    def _cross(self) -> dict[str, Triple]:
        c, s = self._relative(0, 0), self._relative(1, 0)
        one = self._let("a1", _angle(s, c), "first angle of the cross [rad]")
        two = self._let("a2", _angle(self._relative(2, 1), self._relative(2, 2)), "second angle of the cross [rad]")
        if not self._rates:
            return {"angle1": (one,), "angle2": (two,)}
        w, g = self._turning()
        rate2 = self._let("ad2", c * w[0] + s * w[1], "rate of the second angle [rad/s]")
        growth2 = self._let("add2", c * g[0] + s * g[1], "acceleration of the second angle [rad/s^2]")
        return {"angle1": (one, w[2], g[2]), "angle2": (two, rate2, growth2)}

    def _ball(self) -> dict[str, Triple]:
        r00, r10, r20 = (self._relative(k, 0) for k in range(3))
        cp = self._let("cp", sqrt(r00 * r00 + r10 * r10), "cosine of the pitch")
        lock = exactly(GIMBAL_LOCK)
        free = _angle(r10, r00), _angle(-r20, cp), _angle(self._relative(2, 1), self._relative(2, 2))
        locked = self._let("yl", _angle(-self._relative(0, 1), self._relative(1, 1)), "yaw in gimbal lock [rad]")
        yaw = self._let("yf", free[0], "yaw elsewhere [rad]")
        roll = self._let("rf", free[2], "roll elsewhere [rad]")
        yaw = self._let("yaw", chosen(cp, lock, locked, yaw), "yaw [rad]")
        pitch = self._let("pitch", free[1], "pitch [rad]")
        roll = self._let("roll", chosen(cp, lock, ZERO, roll), "roll [rad]")
        if not self._rates:
            return {"yaw": (yaw,), "pitch": (pitch,), "roll": (roll,)}
        self._steps.need(cp, lock, "gimbal lock of a ball: no rates of its angles")
        cy, sy = self._let("cy", r00 / cp, "cosine of the yaw"), self._let("sy", r10 / cp, "sine of the yaw")
        w, g = self._turning()
        along = self._let("wa", cy * w[0] + sy * w[1], "angular velocity along the yawed x axis [rad/s]")
        pitching = self._let("pr", cy * w[1] - sy * w[0], "rate of the pitch [rad/s]")
        rolling = self._let("rr", along / cp, "rate of the roll [rad/s]")
        yawing = self._let("yr", w[2] - r20 * rolling, "rate of the yaw [rad/s]")
        pitched = self._let("pa", cy * g[1] - sy * g[0] - yawing * along, "acceleration of the pitch [rad/s^2]")
        gained = cy * g[0] + sy * g[1] + yawing * pitching - r20 * pitching * rolling
        rolled = self._let("ra", gained / cp, "acceleration of the roll [rad/s^2]")
        yawed = self._let("ya", g[2] - r20 * rolled + cp * pitching * rolling, "acceleration of the yaw [rad/s^2]")
        return {"yaw": (yaw, yawing, yawed), "pitch": (pitch, pitching, pitched), "roll": (roll, rolling, rolled)}


def _angle(y: Expr, x: Expr) -> Expr:
    return atan2(y, x)


def _lifted_pose(pose: Values) -> Values:
    x, y, phi = pose
    c, s = (ONE, ZERO) if is_number(phi) and phi == ZERO else (cos(HALF * phi), sin(HALF * phi))
    return x, y, ZERO, c, ZERO, ZERO, s


def _lifted(steps: Steps, name: str, body: Moving) -> Moving:
    """Return a planar body as one in space."""
    pose = steps.lets(name, [f"{name}_{k}" for k in range(7)], _lifted_pose(body.pose), "pose in space", {})
    rates = [(v[0], v[1], ZERO, ZERO, ZERO, v[2]) for v in (body.twist, body.acceleration)]
    return Moving(pose, rates[0], rates[1])
