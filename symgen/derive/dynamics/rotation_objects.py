"""Rotation by quaternions: R(q), the rate matrices E and G4, angular velocities, and the derivative S_p of R(q) r.

R(q) r is the vector part of q r q*, which is homogeneous of degree two in q; where |q| = 1 it is the rotation. All
other objects follow from the product rule: the rates of q* q and of q r q*.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import HALF, ONE, TWO, ZERO, Expr, number
from symgen.derive.derivation import Derivation
from symgen.derive.derived_object import DerivedObject, ObjectDerivation
from symgen.derive.dynamics.differentiate import jacobian
from symgen.derive.dynamics.matrices import Matrix, columns, diagonal, skew
from symgen.derive.quaternions import FrameAxes, Quaternion
from symgen.derive.vectors import Vector, unit_vector

AXES = ("x", "y", "z")


# -- vocabulary ------------------------------------------------------------------------------------------------------


def four(d: Derivation, name: str, meaning: str, unit: str = "1", *, of_unit: bool = False) -> Quaternion:
    """Declare four numbers."""
    elements = [f"{name}_{k}" for k in range(4)]
    q0, q1, q2, q3 = d.input_array(name, elements, meaning=meaning, unit=unit, range="unit" if of_unit else "finite")
    return Quaternion((q0, q1, q2, q3))


def orientation(d: Derivation, name: str = "q", meaning: str = "orientation of the body") -> Quaternion:
    """Declare a unit quaternion."""
    return four(d, name, meaning, of_unit=True)


def pure(vector: Vector) -> Quaternion:
    """Return the quaternion [0, vector]."""
    x, y, z = vector
    return Quaternion((ZERO, x, y, z))


def vector_part(q: Quaternion) -> Vector:
    """Return the last three components."""
    return Vector(q.components[1:])


def basis(k: int) -> Quaternion:
    """Return the k-th unit quaternion of the four."""
    a, b, c, e = (number(int(i == k)) for i in range(4))
    return Quaternion((a, b, c, e))


def rotated(q: Quaternion, vector: Vector) -> Vector:
    """Return the vector part of q r q*: R(q) r times |q|^2."""
    return vector_part(q * pure(vector) * q.conjugate)


def axes_of(q: Quaternion) -> Matrix:
    """Return the rotation matrix of a unit quaternion."""
    return columns(*(q.axis(axis) for axis in AXES))


def world_rates(q: Quaternion) -> Matrix:
    """Return E with E dq = Vec(dq q*): [-v, q0 1 + v^]."""
    return columns(*(vector_part(basis(k) * q.conjugate) for k in range(4)))


def body_rates(q: Quaternion) -> Matrix:
    """Return G4 with G4 dq = Vec(q* dq): [-v, q0 1 - v^]."""
    return columns(*(vector_part(q.conjugate * basis(k)) for k in range(4)))


def point_slope(q: Quaternion, r: Vector) -> Matrix:
    """Return S_p(q, r), the derivative of q r q*: dq r q* + q r dq*."""
    found = []
    for k in range(4):
        dq = basis(k)
        found.append(vector_part(dq * pure(r) * q.conjugate) + vector_part(q * pure(r) * dq.conjugate))
    return columns(*found)


def plus(p: Quaternion, q: Quaternion, factor: Expr | int = 1) -> Quaternion:
    """Return p + factor q."""
    a, b, c, e = (x + factor * y for x, y in zip(p.components, q.components, strict=True))
    return Quaternion((a, b, c, e))


def scaled(q: Quaternion, factor: Expr | int) -> Quaternion:
    """Return q times a number."""
    a, b, c, e = (x * factor for x in q.components)
    return Quaternion((a, b, c, e))


def unit_squares(*quaternions: Quaternion) -> dict[str, Expr]:
    """Return the squares of scalar parts of quaternions that are of unit length."""
    found = {}
    for q in quaternions:
        q0, *vector = q.components
        rest = ONE
        for part in vector:
            rest = rest - part * part
        found[str(q0)] = rest
    return found


def gaps(one: Matrix | Vector | Sequence[Expr], two: Matrix | Vector | Sequence[Expr]) -> list[Expr]:
    """Return the differences of all entries."""
    first, second = (v.entries if isinstance(v, Matrix) else tuple(v) for v in (one, two))
    return [a - b for a, b in zip(first, second, strict=True)]


# -- objects ---------------------------------------------------------------------------------------------------------


def rotation_matrix() -> DerivedObject:
    """Derive R(q)."""
    d = ObjectDerivation("rotation_matrix_quaternion", "rotation matrix of a unit quaternion", "Eq. (2)", "R")
    q = orientation(d)
    found = axes_of(q)
    sandwich = columns(*(rotated(q, unit_vector(axis)) for axis in AXES))
    d.claim_identity("sandwich", "R(q) r is q r q*", gaps(found, sandwich), squares=unit_squares(q))
    square = found.transposed @ found
    d.claim_identity("orthogonal", "R^T R = 1", gaps(square, diagonal(ONE)), squares=unit_squares(q))
    factors = world_rates(q) @ body_rates(q).transposed
    d.claim_identity("factors", "R = E G4^T", gaps(found, factors), squares=unit_squares(q))
    return d.give(found, "1")


def rate_matrix(frame: str) -> DerivedObject:
    """Derive E or G4."""
    world = frame == "world"
    letter = "E" if world else "G4"
    d = ObjectDerivation("E_q" if world else "G4", f"maps the rate of q to half the angular velocity, {frame} axes",
                         "Eq. (3)-(6)", letter)  # fmt: skip
    q = orientation(d)
    found = (world_rates if world else body_rates)(q)
    v = vector_part(q)
    turning = diagonal(q.components[0]) + skew(v) * (1 if world else -1)
    printed = Matrix(tuple((-v[i], *turning.rows[i]) for i in range(3)))
    sign = "+" if world else "-"
    d.claim_identity("form", f"{letter} = [-v, q0 1 {sign} v^]", gaps(found, printed), squares={})
    d.claim_identity("null", f"{letter} q = 0", list(found.times(q.components)), squares={})
    square = found @ found.transposed
    d.claim_identity("rows", f"{letter} {letter}^T = 1", gaps(square, diagonal(ONE)), squares=unit_squares(q))
    return d.give(found, "1")


def angular_velocity(frame: str) -> DerivedObject:
    """Derive omega = 2 E qdot, or 2 G4 qdot in body axes."""
    world = frame == "world"
    d = ObjectDerivation(f"angular_velocity_{frame}", f"angular velocity, {frame} axes",
                         "Eq. (4)" if world else "Eq. (5)", "omega" if world else "wbar")  # fmt: skip
    q, rate = orientation(d), four(d, "qdot", "rate of q, normal to it", "1/s")
    product = rate * q.conjugate if world else q.conjugate * rate
    omega = d.vector("omega", vector_part(product) * TWO, "angular velocity", "rad/s")
    drift = d.scalar("drift", _dot(q, rate), "q . qdot, zero where |q| stays 1", "1/s")
    size2 = d.scalar("size2", q.norm2(), "|q|^2", "1")
    residuals: list[Expr] = []
    for axis in AXES:
        image = rotated(q, unit_vector(axis))
        moved = Vector(point_slope(q, unit_vector(axis)).times(rate.components))
        spun = omega.cross(image) if world else rotated(q, omega.cross(unit_vector(axis)))
        residuals += gaps(moved * size2, spun + image * (TWO * drift))
    d.claim_identity("rate", "|q|^2 d(R e)/dt = w x R e + 2 (q . qdot) R e", residuals, squares={})
    return d.give(omega, "rad/s")


def point_jacobian() -> DerivedObject:
    """Derive S_p(q, r) = d(R(q) r)/dq."""
    d = ObjectDerivation("S_p", "derivative of R(q) r with respect to q", "Eq. (10)-(15)", "S_p")
    q, r = orientation(d), d.input_vector("r", 3, meaning="vector fixed in the body", unit="m", frame="body")
    found = point_slope(q, r)
    for k in range(4):
        ahead, behind = (rotated(plus(q, basis(k), sign), r) for sign in (1, -1))
        column = [row[k] for row in found]
        claim = f"column {k} is the derivative: R(q) r is of degree two, so its central difference is exact"
        d.claim_identity(f"slope_{k}", claim, gaps((ahead - behind) * HALF, column), squares={})
    d.claim_identity(
        "homogeneous", "S_p(q, r) q = 2 R(q) r", gaps(found.times(q.components), rotated(q, r) * TWO), squares={}
    )
    effort = found @ world_rates(q).transposed * HALF
    d.claim_identity("effort", "S_p(q, r) E^T/2 = -(R r)^", gaps(effort, skew(rotated(q, r)) * -1), squares={})
    return d.give(found, "m")


def vector_rows() -> DerivedObject:
    """Derive S_v: the rows of a vector fixed in the body for [r, q]."""
    d = ObjectDerivation("S_v", "derivative of a vector fixed in the body with respect to the body's coordinates",
                         "Eq. (43)-(49)", "S_v")  # fmt: skip
    q, v = orientation(d), d.input_vector("v", 3, meaning="vector fixed in the body", unit="1", frame="body")
    slope = point_slope(q, v)
    image = d.vector("image", rotated(q, v), "the vector in the world", "1")
    exact = jacobian(d, image.components, [f"q_{k}" for k in range(4)])
    d.claim_identity("slope", "S_v = [0, S_p]: the origin does not matter", gaps(slope, exact), squares={})
    return d.give(Matrix(tuple((ZERO, ZERO, ZERO, *row) for row in slope)), "1")


def point_rows() -> DerivedObject:
    """Derive S_s: the rows of a point fixed in the body for [r, q]."""
    d = ObjectDerivation("S_s", "derivative of a point fixed in the body with respect to the body's coordinates",
                         "Eq. (43)-(49)", "S_s")  # fmt: skip
    x = d.input_vector("x", 3, meaning="origin of the body", unit="m")
    q, r = orientation(d), d.input_vector("r", 3, meaning="point fixed in the body", unit="m", frame="body")
    point = [d.scalar(f"point_{a}", p + s, "the point", "m") for a, p, s in zip(AXES, x, rotated(q, r), strict=True)]
    found = jacobian(d, point, [f"x_{a}" for a in AXES] + [f"q_{k}" for k in range(4)])
    wants = [(*(number(int(i == j)) for j in range(3)), *row) for i, row in enumerate(point_slope(q, r))]
    d.claim_identity("blocks", "S_s = [1, S_p]", gaps(found, Matrix(tuple(wants))), squares={})
    return d.give(found, "1 or m")


def linearised_rotation() -> DerivedObject:
    """Derive R(q) r linearised at q_at."""
    d = ObjectDerivation("rotation_linearised", "R(q) r linearised about an orientation", "Eq. (11), (18)", "R r")
    at = orientation(d, "q_at", "orientation about which is linearised")
    q = four(d, "q", "unknown orientation")
    r = d.input_vector("r", 3, meaning="vector fixed in the body", unit="m", frame="body")
    change = plus(q, at, -1)
    found = Vector(axes_of(at).times(r)) + Vector(point_slope(at, r).times(change.components))
    whole = rotated(at, r) + Vector(point_slope(at, r).times(change.components)) + rotated(change, r)
    claim = "the neglected part of R(q) r is of second order: R(q - q_at) r"
    d.claim_identity("remainder", claim, gaps(rotated(q, r), whole), squares={})
    return d.give(found, "m")


def auxiliary_quaternion(order: int) -> DerivedObject:
    """Derive the first derivative of R_4^T q, or of R_4^T qdot, with R_4 = blkdiag(1, R)."""
    name = ("auxiliary_quaternion_rate", "auxiliary_quaternion_acceleration")[order - 1]
    what = ("R_4^T q", "R_4^T qdot")[order - 1]
    d = ObjectDerivation(name, f"derivative of {what}, R_4 = blkdiag(1, R)", f"Eq. ({36 + order})", "qbar")
    q, rate = orientation(d), four(d, "qdot", "rate of q", "1/s")
    turned = q if order == 1 else rate
    steps = _bar(q, turned)
    moved = [d.scalar(f"bar_{k}", value, f"component of {what}") for k, value in enumerate(steps)]
    names = [f"q_{k}" for k in range(4)]
    speeds = list(rate.components)
    if order == 2:
        second = four(d, "qddot", "second derivative of q", "1/s^2")
        names += [f"qdot_{k}" for k in range(4)]
        speeds += second.components
    found = jacobian(d, moved, names).times(tuple(speeds))
    if order == 2:
        ahead, behind = (_bar(plus(q, rate, sign), rate) for sign in (1, -1))
        moved_frame = [HALF * (a - b) for a, b in zip(ahead, behind, strict=True)]
        whole = [a + b for a, b in zip(moved_frame, _bar(q, second), strict=True)]
        d.claim_identity("product", "R_4^T qdd, and the rate of R_4^T times qdot", gaps(found, whole), squares={})
    else:
        d.claim_identity("plain", "R_4^T q = q, so that its rate is qdot", gaps(found, rate.components), squares={})
        half = body_rates(q)
        same = world_rates(q) @ _blocks(axes_of(q)).transposed
        d.claim_identity("rates", "E R_4^T = G4", gaps(same, half), squares=unit_squares(q))
    return d.give(found, "1/s" if order == 1 else "1/s^2")


def _bar(q: Quaternion, other: Quaternion) -> list[Expr]:
    """Return R_4^T times another quaternion."""
    axes = FrameAxes(*(q.axis(axis) for axis in AXES))
    return [other.components[0], *axes.to_local(vector_part(other))]


def _blocks(rotation: Matrix) -> Matrix:
    return Matrix(((ONE, ZERO, ZERO, ZERO), *((ZERO, *row) for row in rotation)))


def _dot(p: Quaternion, q: Quaternion) -> Expr:
    total = ZERO
    for a, b in zip(p.components, q.components, strict=True):
        total = total + a * b
    return total


def norm_row() -> DerivedObject:
    """Derive the linearised condition that a quaternion is of unit length."""
    d = ObjectDerivation("quaternion_norm_linearised", "|q_next|^2 - 1 linearised about q", "Eq. (90)", "f_n")
    q, after = four(d, "q", "iterate"), four(d, "q_next", "next iterate")
    found = -ONE - q.norm2() + TWO * _dot(q, after)
    change = plus(after, q, -1)
    claim = "the neglected part of |q_next|^2 - 1 is of second order: |q_next - q|^2"
    d.claim_identity("remainder", claim, [after.norm2() - ONE - found - change.norm2()], squares={})
    return d.give(found, "1")


def norm_parts(name: str) -> DerivedObject:
    """Derive the row, or the right side, of the linearised norm: row q_next = right side."""
    row = name == "quaternion_norm_row"
    d = ObjectDerivation(name, "row of the linearised norm" if row else "right side of the linearised norm",
                         "Eq. (91)", "H_n" if row else "b_n")  # fmt: skip
    q = four(d, "q", "iterate")
    at_itself = TWO * _dot(q, q) - (ONE + q.norm2())
    d.claim_identity("fixed", "a unit quaternion satisfies it: row q - right = |q|^2 - 1",
                     [at_itself - (q.norm2() - ONE)], squares={})  # fmt: skip
    return d.give(scaled(q, TWO) if row else ONE + q.norm2(), "1")
