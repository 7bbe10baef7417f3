"""A vibrating rigid body: its transfer matrix, its dynamic stiffness, the stiffness due to a static force.

A body turned by a small theta carries its levers along while the forces at rest keep their directions: their moments
change by Gamma theta. Moments are those about displaced points less half of theta x (moment at rest), which makes Gamma
symmetric: Gamma = 1/2 (l f^T + f l^T) - (l f) 1 for a force f at the lever l.

Source: E. C. Pestel, F. A. Leckie 1963, chapter 5; Gamma: J. H. Argyris 1982 (semitangential moments).
"""

from __future__ import annotations

from symgen.algebra import HALF, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, diagonal, skew, symmetric
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.vibration_ports import (
    PLANAR,
    SOURCE,
    SPATIAL,
    claim_symplectic,
    of_map,
    put_matrix,
    square_port,
)
from symgen.derive.vectors import Vector

_SIX = ("xx", "yy", "zz", "xy", "xz", "yz")


def body_spatial() -> Derivation:
    """Derive the transfer matrix of a rigid body from its input I to its output O.

    x_O = x_I + theta x l; q_O = q_I + w^2 m (x_I + theta x c);
    m_O = m_I - c x q_I - d x q_O + w^2 J theta + Gamma theta.
    """
    d = kernel("vibration_body_spatial", "vibrating rigid body, 12 x 12", SOURCE)
    mass, inertia, c, out = _body_ports(d)
    square, stiffening = square_port(d), _six(d, "stiffening", "k", "N m/rad", "of all static forces about O")
    rest = d.vector("d", out - c, "from the centre of mass to the output", "m")

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        x, theta, m, q = Vector(z[:3]), Vector(z[3:6]), Vector(z[6:9]), Vector(z[9:])
        q_out = q + (x + theta.cross(c)) * (square * mass)
        turned = (inertia * square + stiffening).apply(theta)
        m_out = m - c.cross(q) - rest.cross(q_out) + turned
        return (*(x + theta.cross(out)), *theta, *m_out, *q_out)

    matrix = of_map(SPATIAL, carry)
    claim_symplectic(d, matrix)
    put_matrix(d, matrix, "transfer matrix, state [x theta m q]")
    return d


def body_planar() -> Derivation:
    """Derive the transfer matrix of a rigid body in the plane."""
    d = kernel("vibration_body_planar", "vibrating rigid body in the plane, 6 x 6", SOURCE)
    mass = d.input_scalar("mass", meaning="mass", unit="kg")
    inertia = d.input_scalar("inertia", meaning="inertia about the centre of mass", unit="kg m^2")
    c = d.input_vector("c", 2, meaning="from the input to the centre of mass", unit="m")
    out = d.input_vector("l", 2, meaning="from the input to the output", unit="m")
    square = square_port(d)
    stiffening = d.input_scalar("stiffening", meaning="of all static forces about O", unit="N m/rad")
    rest = d.vector("d", out - c, "from the centre of mass to the output", "m")

    def carry(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        x, theta, m, q = Vector(z[:2]), z[2], z[3], Vector(z[4:])
        q_out = q + (x + _turned(c) * theta) * (square * mass)
        m_out = m - _moment(c, q) - _moment(rest, q_out) + (square * inertia + stiffening) * theta
        return (*(x + _turned(out) * theta), theta, m_out, *q_out)

    matrix = of_map(PLANAR, carry)
    claim_symplectic(d, matrix)
    put_matrix(d, matrix, "transfer matrix, state [x y theta m qx qy]")
    return d


def body_stiffness() -> Derivation:
    """Derive the dynamic stiffness of a rigid body at its output: -w^2 times its inertia there.

    Force and moment that hold the output when it moves by [x theta]: the Riccati form [q m] = -K [x theta] of a body
    without inputs.
    """
    d = kernel("vibration_body_stiffness", "dynamic stiffness of a rigid body, 6 x 6", SOURCE)
    mass = d.input_scalar("mass", meaning="mass", unit="kg")
    inertia = _six(d, "inertia_world", "i", "kg m^2", "inertia about the centre of mass: xx yy zz xy xz yz")
    arm = d.input_vector("d", 3, meaning="from the centre of mass to the output", unit="m")
    square = square_port(d)

    def hold(z: tuple[Expr, ...]) -> tuple[Expr, ...]:
        x, theta = Vector(z[:3]), Vector(z[3:])
        push = (x - theta.cross(arm)) * (square * mass)
        return (*-push, *-((inertia * square).apply(theta) - arm.cross(push)))

    matrix = of_map(6, hold)
    gaps = (matrix - matrix.transposed).entries
    d.claim_identity("symmetric", "the dynamic stiffness is symmetric", gaps, squares={})
    lower = [matrix.rows[i][j] for i in range(6) for j in range(i + 1)]
    Results(d).put("out", lower, "lower triangle of the dynamic stiffness, rows [q m]", "SI")
    return d


def rest_force() -> Derivation:
    """Derive the stiffness due to a static force: Gamma of one lever."""
    d = kernel("vibration_rest_force", "stiffness due to a static force", "J. H. Argyris 1982, semitangential moments")
    lever = d.input_vector("lever", 3, meaning="from the point moments are about to that of the force", unit="m")
    force = d.input_vector("force", 3, meaning="static force on the body; keeps its direction", unit="N")
    product = lever.dot(force)
    outer = Matrix(tuple(tuple(HALF * (a * e + b * f) for b, e in zip(lever, force, strict=True))
                         for a, f in zip(lever, force, strict=True)))  # fmt: skip
    gamma = outer - diagonal(product)
    Results(d).put("out", _entries(gamma), "moment per unit rotation: xx yy zz xy xz yz", "N m/rad")
    turning = skew(force) @ skew(lever) - skew(lever.cross(force)) * -HALF  # (theta x l) x f - theta x (l x f) / 2
    statement = "Gamma theta = (theta x l) x f - theta x (l x f) / 2"
    d.claim_identity("moment", statement, (turning - gamma).entries, squares={})
    return d


def _body_ports(d: Derivation) -> tuple[Expr, Matrix, Vector, Vector]:
    mass = d.input_scalar("mass", meaning="mass", unit="kg")
    inertia = _six(d, "inertia_world", "i", "kg m^2", "inertia about the centre of mass: xx yy zz xy xz yz")
    c = d.input_vector("c", 3, meaning="from the input to the centre of mass", unit="m")
    out = d.input_vector("l", 3, meaning="from the input to the output", unit="m")
    return mass, inertia, c, out


def _six(d: Derivation, name: str, letter: str, unit: str, meaning: str) -> Matrix:
    return symmetric(d.input_array(name, [f"{letter}_{pair}" for pair in _SIX], meaning=meaning, unit=unit))


def _entries(matrix: Matrix) -> list[Expr]:
    return [matrix.rows[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


def _turned(vector: Vector) -> Vector:
    return Vector((ZERO - vector[1], vector[0]))


def _moment(lever: Vector, force: Vector) -> Expr:
    return lever[0] * force[1] - lever[1] * force[0]
