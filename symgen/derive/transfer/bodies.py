"""The rigid body: transfer matrix of one input, what a further input adds, geometric rows, inverse; spatial 13 x 13.

    z_O = U z_I1 + sum over k >= 2 of U_Ik z_Ik

The 1 travels along the first input only. All identities are claims, proved exactly.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, ZERO, Expr, determinant, solve_linear
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, diagonal, skew
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.newton_euler import (
    NewtonEulerBody,
    body_with_inputs,
    read_off,
    solve_for_output,
    state_names,
)
from symgen.derive.transfer.ports import (
    SOURCE,
    blocks,
    inertia_port,
    mass_port,
    omega_port,
    part,
    put_transfer,
    shifting,
    state,
    swap,
    swing,
    unit,
    zeros,
)
from symgen.derive.vectors import Vector


def closed(slope: Matrix, rest: Sequence[Expr]) -> Matrix:
    """Return the transfer matrix of a slope and a rest: one more row and column for the 1."""
    rows = tuple((*row, value) for row, value in zip(slope.rows, rest, strict=True))
    return Matrix((*rows, (*(ZERO,) * len(slope.rows[0]), ONE)))


def body_transfer() -> Derivation:
    """Derive U of a rigid body by solving the Newton-Euler equations for the state at its output."""
    d = kernel("body_transfer_spatial", "transfer matrix of a rigid body, z_O = U z_I", SOURCE)
    body, c, lever, swing_l = body_with_inputs(d)
    swing_c = d.vector("swing_c", swing_l - body.swing_d, "omega x (omega x c)", "m/s^2")
    slope, rest = read_off(solve_for_output(d, body, c, swing_c, [lever], swing_l), state_names("i1"))
    put_transfer(Results(d), closed(slope, rest), "transfer matrix from the input I to the output O")
    gap = closed(slope, rest) - closed_form(body, c, lever, (swing_l, swing_c))
    d.claim_identity("closed_form", "it is the closed form in blocks", gap.entries, squares={})
    d.claim_identity("determinant", "det U = 1", [determinant(slope.rows) - ONE], squares={})
    gap = slope.transposed @ (symplectic_form() @ slope) - symplectic_form()
    d.claim_identity("symplectic", "U^T [[0, P], [-P, 0]] U = [[0, P], [-P, 0]] without the 1", gap.entries, squares={})
    x, y = (part(slope, range(k, k + 6), range(6)) for k in (0, 6))
    gap = x.transposed @ (swap(6) @ y) + spatial_inertia(body.mass, body.inertia, c)
    d.claim_identity("inertia", "X^T P Y is minus the spatial inertia about I", gap.entries, squares={})
    gap = slope @ inverse_of(body.mass, body.inertia, c, lever) - unit(12)
    d.claim_identity("inverse", "the inverse has the closed form of its kernel", gap.entries, squares={})
    return d


def closed_form(body: NewtonEulerBody, c: Vector, lever: Vector, swings: tuple[Vector, Vector]) -> Matrix:
    """Return U in closed form, by blocks; `swings` are omega x (omega x l) and omega x (omega x c)."""
    mass, d, over = body.mass, body.d, zeros(3, 3)
    kinematic, central = swings
    turned = body.inertia + skew(d) @ skew(c) * mass
    slope = blocks(
        [
            [unit(3), skew(lever) * -1, over, over],
            [over, unit(3), over, over],
            [skew(d) * mass, turned * -1, unit(3), skew(lever) * -1],
            [diagonal(-mass), skew(c) * mass, over, unit(3)],
        ]
    )
    moment = d.cross(central) * mass - d.cross(body.force) - body.gyroscopic + body.moment
    force = body.force - central * mass
    return closed(slope, (*kinematic, ZERO, ZERO, ZERO, *moment, *force))


def spatial_inertia(mass: Expr, inertia: Matrix, c: Vector) -> Matrix:
    """Return the spatial inertia about a point at -c from the centre of mass, for [rdd, wd]."""
    arm = skew(c) * mass
    return blocks([[diagonal(mass), arm * -1], [arm, inertia - arm @ skew(c)]])


def inverse_of(mass: Expr, inertia: Matrix, c: Vector, lever: Vector) -> Matrix:
    """Return the inverse of U without the 1, in closed form."""
    d, over = lever - c, zeros(3, 3)
    return blocks(
        [
            [unit(3), skew(lever), over, over],
            [over, unit(3), over, over],
            [skew(c) * mass, inertia + skew(c) @ skew(d) * mass, unit(3), skew(lever)],
            [diagonal(mass), skew(d) * mass, over, unit(3)],
        ]
    )


def body_inverse() -> Derivation:
    """Derive the inverse of U without the 1: from the output back to the input."""
    d = kernel("body_inverse_spatial", "inverse of a body's transfer matrix without the 1", SOURCE)
    mass, inertia = mass_port(d), inertia_port(d)
    c = d.input_vector("c", 3, meaning="from the input I to the centre of mass", unit="m")
    lever = d.input_vector("l", 3, meaning="from the input I to the output O", unit="m")
    found = inverse_of(mass, inertia, c, lever)
    put_transfer(Results(d), found, "from the output O to the input I, without the 1")
    gap = found.transposed @ (symplectic_form() @ found) - symplectic_form()
    d.claim_identity("symplectic", "it is symplectic, as U is", gap.entries, squares={})
    return d


def input_transfer() -> Derivation:
    """Derive what a further input adds: the derivative of the solution of a body with two inputs for the second."""
    d = kernel("input_transfer_spatial", "transfer matrix of a further input, which adds to z_O", SOURCE)
    lever = d.input_vector("lever", 3, meaning="from this input to the output O", unit="m")
    body, c, first, swing_l = body_with_inputs(d)
    swing_c = swing_l - body.swing_d
    slope, _ = read_off(solve_for_output(d, body, c, swing_c, [first, lever], swing_l), state_names("i2"))
    rows = tuple((*row, ZERO) for row in slope.rows)
    put_transfer(Results(d), Matrix((*rows, (ZERO,) * 13)), "what this input adds to the state at the output O")
    moved = swap(6) @ (shifting(lever).transposed @ swap(6))
    gap = slope - blocks([[zeros(6, 12)], [zeros(6, 6), moved]])
    d.claim_identity(
        "power", "it moves the wrench as the input moves: V = P A^T P, the rest is 0", gap.entries, squares={}
    )
    return d


def symplectic_form() -> Matrix:
    """Return [[0, P], [-P, 0]]."""
    return blocks([[zeros(6, 6), swap(6)], [swap(6) * -1, zeros(6, 6)]])


def geometric() -> Derivation:
    """Derive the acceleration of an input from that of the output: a_I = A a_O + b."""
    d = kernel("geometric_spatial", "acceleration of an input, a_I = A a_O + b", SOURCE)
    lever = d.input_vector("lever", 3, meaning="from the input to the output O", unit="m")
    omega = omega_port(d)
    swung = swing(d, omega, lever, "lever")
    out, at = state("o"), state("i1")
    residuals = [*(out["rdd"] - at["rdd"] - at["wd"].cross(lever) - swung), *(out["wd"] - at["wd"])]
    found = solve_linear(residuals, state_names("i1")[:6])
    slope, rest = read_off(found, state_names("o")[:6])
    results = Results(d)
    results.put("a", slope.entries, "A of a_I = A a_O + b, a = [rdd wd]: 6 x 6, row by row", "1 or m")
    results.put("b", rest, "b of a_I = A a_O + b", "m/s^2, rad/s^2")
    gap = slope @ shifting(lever, -1) - unit(6)
    d.claim_identity("back", "A [[1, -l^], [0, 1]] = 1", gap.entries, squares={})
    return d
