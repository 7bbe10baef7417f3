"""Motion that the all-ball and all-pin engines need besides the recursion: body data in world axes, rates, points.

Levers end where the motion is known, as in docs/transfer-matrices.md: seen from the body's own joint O (towards the
ground) a point I has the lever l = r_O - r_I, the centre of mass the lever d = r_O - r_C. With W = omega x ( ):

    r_I = r_O - l ,   v_I = v_O - omega x l ,   a_I = a_O + l x alpha - W W l

Planar: the same in two components, with p(l) = (l_y, -l_x): v_I = v_O + omega p(l), a_I = a_O + p(l) alpha + omega^2 l.

Source: any text on rigid bodies; rate of a quaternion: Euler-Rodrigues parameters, omega in world axes.
"""

from __future__ import annotations

from symgen.algebra import HALF, ZERO, Expr, cos, sin
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import INERTIA_PLACES, Matrix, name_matrix
from symgen.derive.dynamics.ports import Results, inertia_port, kernel, quaternion_port, rotation
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector

SOURCE = "any text on rigid bodies, in world axes"


def special_ball_motion() -> tuple[Derivation, ...]:
    """Derive the kernels of bodies on ball joints."""
    return turned_body(), turned_lever(), quaternion_rate(), reached_motion()


def special_pin_motion() -> tuple[Derivation, ...]:
    """Derive the kernels of planar bodies on pins."""
    return direction(), turned_lever_planar(), reached_motion_planar()


def turned_body() -> Derivation:
    """Derive inertia and lever of a body in world axes."""
    d = kernel("turned_body", "inertia and lever of a body in world axes", SOURCE)
    q = quaternion_port(d, "q", "orientation of the body")
    inertia = inertia_port(d)
    lever = d.input_vector("lever", 3, meaning="from the centre of mass to its own joint", unit="m", frame="body")
    axes = rotation(d, q)
    frame = Matrix(tuple(zip(axes.x, axes.y, axes.z, strict=True)))
    right = name_matrix(d, "right", inertia @ frame.transposed, "inertia times R^T", "kg m^2")
    full = frame @ right
    values = [full.rows[i][j] for i, j in INERTIA_PLACES]
    results = Results(d)
    results.put("inertia_world", values, "inertia in world axes: xx yy zz xy xz yz", "kg m^2")
    results.put("d", list(axes.to_world(lever)), "lever in world axes", "m")
    return d


def turned_lever() -> Derivation:
    """Derive the lever of a point of a body in world axes."""
    d = kernel("turned_lever", "lever of a point of a body in world axes", SOURCE)
    q = quaternion_port(d, "q", "orientation of the body")
    point, reference = _two_points(d, 3)
    apart = d.vector("apart", reference - point, "lever, body axes", "m")
    Results(d).put("lever", list(rotation(d, q).to_world(apart)), "lever in world axes", "m")
    return d


def quaternion_rate() -> Derivation:
    """Derive the rate of a quaternion: half of (0, omega) times q."""
    d = kernel("quaternion_rate", "rate of an orientation", "Euler-Rodrigues parameters, omega in world axes")
    q = quaternion_port(d, "q", "orientation of the body")
    omega = d.input_vector("omega", 3, meaning="angular velocity", unit="rad/s")
    half = d.vector("half", omega * HALF, "half the angular velocity", "rad/s")
    product = Quaternion((ZERO, half[0], half[1], half[2])) * q
    rate = d.quaternion("turning", product, "rate of the quaternion")
    d.output("rate", rate, meaning="rate of the quaternion", unit="1/s")
    d.claim_zero("unit", "the length of the quaternion stays", [_dot(q.components, rate.components)])
    return d


def reached_motion() -> Derivation:
    """Derive place, velocity and acceleration of a point of a body from those of another."""
    d = kernel("reached_motion", "motion of a point of a body", SOURCE)
    place, velocity = _known_motion(d, 3)
    acceleration, alpha, omega, lever = _known_acceleration(d, 3), _alpha(d), _omega(d), _lever(d, 3)
    arm = d.vector("arm", omega.cross(lever), "omega x lever", "m/s")
    results = Results(d)
    results.put("place_there", list(place - lever), "place of the point", "m")
    results.put("velocity_there", list(velocity - arm), "velocity of the point", "m/s")
    results.put("reached", list(_reached(acceleration, alpha, omega, lever, arm)), _POINT, "m/s^2")
    return d


def direction() -> Derivation:
    """Derive cosine and sine of a body's angle."""
    d = kernel("direction", "direction of a planar body", SOURCE)
    angle = d.input_scalar("angle", meaning="angle of the body", unit="rad")
    Results(d).put("direction", [cos(angle), sin(angle)], "cosine and sine of the angle", "1")
    return d


def turned_lever_planar() -> Derivation:
    """Derive the lever of a point of a planar body in world axes."""
    d = kernel("turned_lever_planar", "lever of a point of a planar body in world axes", SOURCE)
    c, s = d.input_array("direction", ("c", "s"), meaning="cosine and sine of the body's angle", unit="1", range="unit")
    point, reference = _two_points(d, 2)
    apart = d.vector("apart", reference - point, "lever, body axes", "m")
    turned = [c * apart[0] - s * apart[1], s * apart[0] + c * apart[1]]
    Results(d).put("lever", turned, "lever in world axes", "m")
    return d


def reached_motion_planar() -> Derivation:
    """Derive place, velocity and acceleration of a point of a planar body from those of another."""
    d = kernel("reached_motion_planar", "motion of a point of a planar body", SOURCE)
    place, velocity = _known_motion(d, 2)
    acceleration = _known_acceleration(d, 2)
    alpha, omega, lever = _planar_rates(d)
    results = Results(d)
    results.put("place_there", list(place - lever), "place of the point", "m")
    results.put("velocity_there", list(velocity - lever.turned() * omega), "velocity of the point", "m/s")
    results.put("reached", list(_reached_planar(d, acceleration, alpha, omega, lever)), _POINT, "m/s^2")
    return d


_POINT = "acceleration of the point"


def _reached(acceleration: Vector, alpha: Vector, omega: Vector, lever: Vector, arm: Vector) -> Vector:
    return acceleration + lever.cross(alpha) - omega.cross(arm)


def _reached_planar(d: Derivation, acceleration: Vector, alpha: Expr, omega: Expr, lever: Vector) -> Vector:
    square = d.scalar("square", omega * omega, "square of the angular velocity", "rad^2/s^2")
    return acceleration - lever.turned() * alpha + lever * square


def _two_points(d: Derivation, size: int) -> tuple[Vector, Vector]:
    point = d.input_vector("point", size, meaning="the point, from the centre of mass", unit="m", frame="body")
    reference = d.input_vector("reference", size, meaning="where its lever ends", unit="m", frame="body")
    return point, reference


def _known_motion(d: Derivation, size: int) -> tuple[Vector, Vector]:
    place = d.input_vector("place", size, meaning="place where the lever ends", unit="m")
    return place, d.input_vector("velocity", size, meaning="velocity there", unit="m/s")


def _known_acceleration(d: Derivation, size: int) -> Vector:
    return d.input_vector("acceleration", size, meaning="acceleration where the lever ends", unit="m/s^2")


def _alpha(d: Derivation) -> Vector:
    return d.input_vector("alpha", 3, meaning="angular acceleration", unit="rad/s^2")


def _omega(d: Derivation) -> Vector:
    return d.input_vector("omega", 3, meaning="angular velocity", unit="rad/s")


def _planar_rates(d: Derivation) -> tuple[Expr, Expr, Vector]:
    alpha = d.input_scalar("alpha", meaning="angular acceleration", unit="rad/s^2")
    return alpha, d.input_scalar("omega", meaning="angular velocity", unit="rad/s"), _lever(d, 2)


def _lever(d: Derivation, size: int) -> Vector:
    return d.input_vector("lever", size, meaning="from the point to where the motion is known", unit="m")


def _dot(one: tuple[Expr, ...], two: tuple[Expr, ...]) -> Expr:
    total = ZERO
    for a, b in zip(one, two, strict=True):
        total = total + a * b
    return total
