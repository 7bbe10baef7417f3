"""Newton's and Euler's equations of a body in quaternion coordinates: M_R, C_R, T_CR and what is made of them.

With wbar = 2 G4 qdot in body axes the world torque about the centre of mass is

    R (I wbar' + wbar x I wbar) = M_R qdd + C_R qdot - T_CR,      M_R = 2 R I G4,  C_R = 2 R [wbar^ I - (I wbar)^] G4

where C_R is the derivative of the gyroscopic torque T_CR = R (wbar x I wbar) for qdot, so that a linearisation about
qdot is exact Newton. wbar' = 2 G4 qdd, since G4(qdot) qdot = 0. A body has the coordinates [r, q] and the wrench
[force, torque], so its matrices are 6 x 7.
"""

from __future__ import annotations

from symgen.algebra import HALF, ONE, TWO, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.derived_object import DerivedObject, ObjectDerivation
from symgen.derive.dynamics.matrices import Matrix, skew
from symgen.derive.dynamics.ports import inertia_port
from symgen.derive.dynamics.rotation_objects import (
    axes_of,
    basis,
    body_rates,
    four,
    gaps,
    orientation,
    plus,
    point_slope,
    vector_part,
)
from symgen.derive.quaternions import Quaternion
from symgen.derive.vectors import Vector


def mass_rotation(q: Quaternion, inertia: Matrix) -> Matrix:
    """Return M_R = 2 R I G4."""
    return axes_of(q) @ (inertia @ body_rates(q)) * TWO


def body_rate(q: Quaternion, rate: Quaternion) -> Vector:
    """Return wbar = 2 G4 qdot."""
    return vector_part(q.conjugate * rate) * TWO


def gyration(q: Quaternion, rate: Quaternion, inertia: Matrix) -> Matrix:
    """Return C_R = 2 R [wbar^ I - (I wbar)^] G4."""
    wbar = body_rate(q, rate)
    return axes_of(q) @ ((skew(wbar) @ inertia - skew(inertia.apply(wbar))) @ body_rates(q)) * TWO


def gyroscopic_torque(q: Quaternion, rate: Quaternion, inertia: Matrix) -> Vector:
    """Return T_CR = R (wbar x I wbar)."""
    wbar = body_rate(q, rate)
    return axes_of(q).apply(wbar.cross(inertia.apply(wbar)))


def mass_matrix(mass: Expr, q: Quaternion, inertia: Matrix) -> Matrix:
    """Return blkdiag(m 1, M_R)."""
    upper = [tuple(mass if i == j else ZERO for j in range(7)) for i in range(3)]
    return Matrix((*upper, *((ZERO, ZERO, ZERO, *row) for row in mass_rotation(q, inertia))))


def rate_matrix(q: Quaternion, rate: Quaternion, inertia: Matrix) -> Matrix:
    """Return blkdiag(0, C_R)."""
    return Matrix(((ZERO,) * 7,) * 3 + tuple((ZERO, ZERO, ZERO, *row) for row in gyration(q, rate, inertia)))


def gyroscopic_wrench(q: Quaternion, rate: Quaternion, inertia: Matrix) -> Vector:
    """Return F_CR = [0, T_CR]."""
    return Vector((ZERO, ZERO, ZERO, *gyroscopic_torque(q, rate, inertia)))


def _arguments(d: Derivation, *, second: bool = False) -> tuple[Quaternion, Quaternion, Quaternion | None, Matrix]:
    q, rate = orientation(d), four(d, "qdot", "rate of q", "1/s")
    return q, rate, four(d, "qddot", "second derivative of q", "1/s^2") if second else None, inertia_port(d)


def _mass(d: Derivation) -> Expr:
    return d.input_scalar("mass", meaning="mass of the body", unit="kg")


def mass_of_rotation() -> DerivedObject:
    """Derive M_R."""
    d = ObjectDerivation("M_R", "inertia of the rotation in quaternion coordinates", "Eq. (32), (35)", "M_R")
    q, inertia = orientation(d), inertia_port(d)
    claim = "G4(q) q = 0 for any four numbers, so that of qdot too: wbar' = 2 G4 qdd"
    d.claim_identity("no_bias", claim, list(body_rates(q).times(q.components)), squares={})
    d.claim_identity("null", "M_R q = 0", list(mass_rotation(q, inertia).times(q.components)), squares={})
    return d.give(mass_rotation(q, inertia), "kg m^2")


def rate_of_rotation() -> DerivedObject:
    """Derive C_R."""
    d = ObjectDerivation("C_R", "derivative of the gyroscopic torque with respect to the rate of q", "Eq. (33)", "C_R")
    q, rate, _, inertia = _arguments(d)
    found = gyration(q, rate, inertia)
    for k in range(4):
        ahead, behind = (gyroscopic_torque(q, plus(rate, basis(k), sign), inertia) for sign in (1, -1))
        claim = f"column {k} is the derivative of T_CR, which is of degree two in qdot"
        residual = gaps((ahead - behind) * HALF, [row[k] for row in found])
        d.claim_zero(f"slope_{k}", claim, residual)
    twice = gyroscopic_torque(q, rate, inertia) * TWO
    d.claim_zero("twice", "C_R qdot = 2 T_CR", gaps(found.times(rate.components), twice))
    return d.give(found, "N m s")


def torque_of_rates() -> DerivedObject:
    """Derive T_CR."""
    d = ObjectDerivation("T_CR", "gyroscopic torque, world axes", "Eq. (34)", "T_CR")
    q, rate, _, inertia = _arguments(d)
    found = gyroscopic_torque(q, rate, inertia)
    world = axes_of(q).apply(body_rate(q, rate))
    power = world.dot(found)
    d.claim_zero("powerless", "the gyroscopic torque does no work", [power])
    return d.give(found, "N m")


def inertial_torque_body() -> DerivedObject:
    """Derive I wbar' = 2 I G4 qdd."""
    d = ObjectDerivation("inertial_torque_body", "inertia times angular acceleration, body axes", "Eq. (26)", "I wbar'")
    q, second, inertia = orientation(d), four(d, "qddot", "second derivative of q", "1/s^2"), inertia_port(d)
    along = Vector((inertia @ body_rates(q)).times(q.components))
    d.claim_identity("null", "what is along q does not turn: G4 q = 0", list(along), squares={})
    return d.give(Vector((inertia @ body_rates(q)).times(second.components)) * TWO, "N m")


def torque(axes: str) -> DerivedObject:
    """Derive the torque about the centre of mass, body axes (25) or world axes (27)."""
    world = axes == "world"
    d = ObjectDerivation(f"torque_{axes}", f"torque about the centre of mass, {axes} axes",
                         "Eq. (27), (32)" if world else "Eq. (25)", "T")  # fmt: skip
    q, rate, second, inertia = _arguments(d, second=True)
    assert second is not None  # noqa: S101 - narrows for mypy
    wbar = d.vector("wbar", body_rate(q, rate), "angular velocity, body axes", "rad/s")
    slope = d.vector("alpha", body_rate(q, second), "angular acceleration, body axes", "rad/s^2")
    local = inertia.apply(slope) + wbar.cross(inertia.apply(wbar))
    local = d.vector("local", local, "torque, body axes", "N m")
    _claim_momentum(d, q, rate, second, inertia)
    if not world:
        return d.give(local, "N m")
    found = axes_of(q).apply(local)
    whole = Vector(mass_rotation(q, inertia).times(second.components))
    whole = whole + Vector(gyration(q, rate, inertia).times(rate.components)) - gyroscopic_torque(q, rate, inertia)
    d.claim_zero("matrices", "T = M_R qdd + C_R qdot - T_CR", gaps(found, whole))
    return d.give(found, "N m")


def _claim_momentum(d: Derivation, q: Quaternion, rate: Quaternion, second: Quaternion, inertia: Matrix) -> None:
    """Claim that the torque is the derivative of R I wbar wherever |q| stays 1.

    Rates are made such first: qdot normal to q, and q . qdd = -|qdot|^2. The rate of R r is S_p(q, r) qdot.
    """
    speed = d.quaternion("speed", plus(rate, q, -_dot(q, rate)), "rate of q, its part along q taken away")
    bend = d.quaternion("bend", plus(second, q, -_dot(q, second) - speed.norm2()), "second derivative of q, made fit")
    wbar, slope = body_rate(q, speed), body_rate(q, bend)
    lump = inertia.apply(wbar)
    moved = Vector(point_slope(q, lump).times(speed.components)) + axes_of(q).apply(inertia.apply(slope))
    own = axes_of(q).apply(inertia.apply(slope) + wbar.cross(lump))
    d.claim_zero("momentum", "the torque is the rate of the angular momentum R I wbar", gaps(own, moved))


def _dot(p: Quaternion, q: Quaternion) -> Expr:
    return sum_of([a * b for a, b in zip(p.components, q.components, strict=True)])


def torque_linearised() -> DerivedObject:
    """Derive the torque linearised about a rate, as Newton's iteration takes it."""
    d = ObjectDerivation("torque_linearised", "torque, linearised in the rate of q", "Eq. (28)", "T")
    q, rate, second, inertia = _arguments(d, second=True)
    after = four(d, "qdot_next", "rate of the next iterate", "1/s")
    assert second is not None  # noqa: S101 - narrows for mypy
    mass, slope = mass_rotation(q, inertia), gyration(q, rate, inertia)
    bent = gyroscopic_torque(q, rate, inertia)
    found = Vector(mass.times(second.components)) + Vector(slope.times(after.components)) - bent
    change = plus(after, rate, -1)
    exact = Vector(mass.times(second.components)) + gyroscopic_torque(q, after, inertia)
    claim = "the neglected part is of second order: T_CR of the change"
    d.claim_zero("remainder", claim, gaps(exact - found, gyroscopic_torque(q, change, inertia)))
    return d.give(found, "N m")


def body_matrix(name: str) -> DerivedObject:
    """Derive M or C of a body, 6 x 7."""
    if name == "M":
        d = ObjectDerivation("M", "mass matrix of a body, 6 x 7", "Eq. (53)", "M")
        mass, q, inertia = _mass(d), orientation(d), inertia_port(d)
        found = mass_matrix(mass, q, inertia)
        d.claim_identity("null", "M has no part along q", list(found.times((ZERO, ZERO, ZERO, *q.components))),
                         squares={})  # fmt: skip
        return d.give(found, "kg, kg m^2")
    d = ObjectDerivation("C", "rate matrix of a body, 6 x 7", "Eq. (53)", "C")
    q, rate, _, inertia = _arguments(d)
    found = rate_matrix(q, rate, inertia)
    twice = gyroscopic_wrench(q, rate, inertia) * 2
    d.claim_zero("twice", "C xdot = 2 F_CR", gaps(found.times((ZERO, ZERO, ZERO, *rate.components)), twice))
    return d.give(found, "N s/m, N m s")


def wrench_of_rates() -> DerivedObject:
    """Derive F_CR."""
    d = ObjectDerivation("F_CR", "gyroscopic wrench of a body", "Eq. (34), (53)", "F_CR")
    q, rate, _, inertia = _arguments(d)
    found = gyroscopic_wrench(q, rate, inertia)
    power = axes_of(q).apply(body_rate(q, rate)).dot(Vector(found.components[3:]))
    d.claim_zero("powerless", "the gyroscopic wrench does no work", [power])
    return d.give(found, "N, N m")


def step_matrix(name: str) -> DerivedObject:
    """Derive A, B, D or E of the linearised equations A x+ = E + B x- + D x."""
    d = ObjectDerivation(name, f"{name} of the linearised equations A x+ = E + B x- + D x", "Eq. (54)-(58)", name)
    if name == "E":
        q, rate, _, inertia = _arguments(d)
        force = Vector(wrench(d))
        power = axes_of(q).apply(body_rate(q, rate)).dot(gyroscopic_torque(q, rate, inertia))
        d.claim_zero("powerless", "what it adds to the force does no work", [power])
        return d.give(force + gyroscopic_wrench(q, rate, inertia), "N, N m")
    mass = _mass(d)
    if name == "D":
        q, inertia = orientation(d), inertia_port(d)
        h = step(d)
        matrix = mass_matrix(mass, q, inertia)
        position = [sum_of([row[3 + k] * q.components[k] for k in range(4)]) for row in matrix]
        d.claim_identity("translation", "D x has no rotational part: G4 q = 0", position, squares={})
        return d.give(matrix * (TWO / (h * h)), "N/m, N m")
    q, rate, _, inertia = _arguments(d)
    h = step(d)
    sign = 1 if name == "A" else -1
    heavy, bent = mass_matrix(mass, q, inertia), rate_matrix(q, rate, inertia)
    found = heavy * (ONE / (h * h)) * sign + bent * (HALF / h)
    signs = [h * h * f - sign * m - h * HALF * c
             for f, m, c in zip(found.entries, heavy.entries, bent.entries, strict=True)]  # fmt: skip
    d.claim_zero("weights", f"h^2 {name} = {'' if name == 'A' else '-'}M + h C/2", signs)
    return d.give(found, "N/m, N m")


def wrench(d: Derivation) -> tuple[Expr, ...]:
    """Declare force and torque on a body."""
    names = [f"f_{a}" for a in "xyz"] + [f"t_{a}" for a in "xyz"]
    return d.input_array("force", names, meaning="force and torque about the centre of mass", unit="N, N m")


def step(d: Derivation) -> Expr:
    """Declare the step."""
    return d.input_scalar("h", meaning="step in time", unit="s", range="> 0")


def sum_of(values: list[Expr]) -> Expr:
    """Return a sum."""
    total = ZERO
    for value in values:
        total = total + value
    return total
