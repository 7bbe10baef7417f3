"""Planar systems of pins only: q = S rdd + e with 2 x 2 matrices beyond every pin.

At a body's output [q; m] = [[A, B], [B^T, D]] [rdd; alpha] + [e_q; e_m], B a column, D a number.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, diagonal
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.newton_euler import read_off
from symgen.derive.transfer.planar_bodies import planar_inertia, planar_loads, planar_wrench
from symgen.derive.transfer.ports import (
    RICCATI,
    array_port,
    blocks,
    mass_port,
    packed,
    put_scalar,
    symmetric_port,
    triangle,
)
from symgen.derive.vectors import Vector

_TEXT = "[q; m] = [[A, B], [B^T, D]] [rdd; alpha] + [e_q; e_m]"


def _put(results: Results, a: Sequence[Expr], b: Vector, corner: Expr, e_q: Sequence[Expr], e_m: Expr) -> None:
    results.put("a_block", a, f"A of {_TEXT}: lower triangle, row by row", "kg")
    results.put("b_block", b.components, f"B of {_TEXT}", "kg m")
    put_scalar(results, "d_block", corner, f"D of {_TEXT}", "kg m^2")
    results.put("e_q", e_q, f"e_q of {_TEXT}", "N")
    put_scalar(results, "e_m", e_m, f"e_m of {_TEXT}; moments of pins with springs add here", "N m")


def body() -> Derivation:
    """Derive the blocks of a planar body alone by solving its equations for the wrench at its output."""
    d = kernel("pin_body", "a single planar body between pins", RICCATI)
    mass, inertia = mass_port(d), planar_inertia(d)
    arm = d.input_vector("d", 2, meaning="from the centre of mass to the output O", unit="m")
    found = planar_loads(d, mass, inertia, arm)
    slope, rest = read_off(*planar_wrench(found))
    held = Matrix((*slope.rows[1:], slope.rows[0]))  # rows [q m]
    side = Vector((held.rows[0][2], held.rows[1][2]))
    a = Matrix((held.rows[0][:2], held.rows[1][:2]))
    _put(Results(d), packed(a), side, held.rows[2][2], rest[1:], rest[0])
    column = Matrix(tuple((value,) for value in arm.turned() * mass))
    about = blocks([[diagonal(mass, 2), column * -1],
                    [column.transposed * -1, Matrix(((inertia + mass * arm.dot(arm),),))]])  # fmt: skip
    d.claim_identity("inertia", "P S is minus the inertia about O", (held + about).entries, squares={})
    return d


def one_input() -> Derivation:
    """Derive contribution of an input beyond a pin to the blocks of its body."""
    d = kernel("pin_input", "contribution of an input beyond a pin to the blocks of its body", RICCATI)
    s2 = symmetric_port(d, "s2", 2, "S of q = S rdd + e beyond the pin", "kg")
    e2 = Vector(array_port(d, "e2", 2, "e of q = S rdd + e beyond the pin", "N"))
    lever = d.input_vector("lever", 2, meaning="from this input to the output O", unit="m")
    omega = d.input_scalar("omega", meaning="angular velocity of the body", unit="rad/s")
    load = d.vector("load", e2 + s2.apply(lever) * (omega * omega), "force at the input when the output rests", "N")
    arm = -lever.turned()
    side = d.vector("side", s2.apply(arm), "S times the arm", "kg m")
    _put(Results(d), packed(s2), side, arm.dot(side), load.components, arm.dot(load))
    d.claim_identity("moment", "its moment about O is that of the force at the input",
                     [arm.dot(load) - (-lever).area(load)], squares={})  # fmt: skip
    row = Matrix(((ONE, ONE * 0, arm[0]), (ONE * 0, ONE, arm[1])))
    moved = row.transposed @ (s2 @ row)
    gaps = [side[0] - moved.rows[0][2], side[1] - moved.rows[1][2], arm.dot(side) - moved.rows[2][2]]
    d.claim_identity("congruent", "it is A^T S A of the input's point", gaps, squares={})
    return d


def close() -> Derivation:
    """Derive S, e beyond the pin at a body's output, and the angular acceleration from rdd."""
    d = kernel("pin_close", "the pin at the output of a planar body", RICCATI)
    a = symmetric_port(d, "a_block", 2, "A, summed over body and inputs", "kg")
    b = Vector(array_port(d, "b_block", 2, "B, summed over body and inputs", "kg m"))
    corner = d.input_scalar("d_block", meaning="D, summed over body and inputs: must be < 0", unit="kg m^2")
    e_q = Vector(array_port(d, "e_q", 2, "e_q, summed over body and inputs", "N"))
    e_m = d.input_scalar("e_m", meaning="e_m, summed, minus the moment that the pin at the output exerts", unit="N m")
    weight = d.scalar("i_pivot", ONE / corner, "1/D", "1/(kg m^2)")
    gain = d.vector("gain", b * -weight, "K of alpha = K rdd + k", "1/m")
    start = d.scalar("start", -e_m * weight, "k of alpha = K rdd + k", "rad/s^2")
    results = Results(d)
    s2 = [a.rows[i][j] + b[i] * gain[j] for i, j in triangle(2)]
    results.put("s2", s2, "S of q = S rdd + e beyond the pin: lower triangle, row by row", "kg")
    results.put("e2", (e_q + b * start).components, "e of q = S rdd + e beyond the pin", "N")
    results.put("k2", gain.components, "K of alpha = K rdd + k", "1/m")
    put_scalar(results, "k0", start, "k of alpha = K rdd + k", "rad/s^2")
    rdd = Vector(array_port(d, "rdd", 2, "any acceleration of the output, for the proof", "m/s^2"))
    alpha = gain.dot(rdd) + start
    d.claim_identity(
        "moment", "B^T rdd + D alpha + e_m = 0 for any rdd", [b.dot(rdd) + corner * alpha + e_m], squares={}
    )
    left = Matrix(((s2[0], s2[1]), (s2[1], s2[2])))
    gaps = left.apply(rdd) + e_q + b * start - a.apply(rdd) - b * alpha - e_q
    d.claim_identity("force", "S rdd + e = A rdd + B alpha + e_q", gaps.components, squares={})
    return d


def back() -> Derivation:
    """Derive the angular acceleration of a planar body from the acceleration of its output."""
    d = kernel("pin_back", "angular acceleration of a planar body from the acceleration of its output", RICCATI)
    k2 = Vector(array_port(d, "k2", 2, "K of alpha = K rdd + k", "1/m"))
    k0 = d.input_scalar("k0", meaning="k of alpha = K rdd + k", unit="rad/s^2")
    rdd = d.input_vector("rdd_o", 2, meaning="acceleration of the output O", unit="m/s^2")
    put_scalar(Results(d), "alpha", k2.dot(rdd) + k0, "angular acceleration", "rad/s^2")
    return d


def point_back() -> Derivation:
    """Derive the acceleration of an input from that of the output in the plane."""
    d = kernel("pin_input_back", "acceleration of an input from that of the output in the plane", RICCATI)
    rdd = d.input_vector("rdd_o", 2, meaning="acceleration of the output O", unit="m/s^2")
    alpha = d.input_scalar("alpha", meaning="angular acceleration", unit="rad/s^2")
    lever = d.input_vector("lever", 2, meaning="from the input to the output O", unit="m")
    omega = d.input_scalar("omega", meaning="angular velocity of the body", unit="rad/s")
    found = rdd - lever.turned() * alpha + lever * (omega * omega)
    Results(d).put("rdd_i", found.components, "acceleration of the input", "m/s^2")
    return d
