"""Systems of ball hinges only: such a hinge passes on a force and no moment, q = S rdd + e with 3 x 3 matrices.

At a body's output [q; m] = [[A, B], [B^T, D]] [rdd; wd] + [e_q; e_m]; what is given of m (no moment, or the hinge's
force) gives wd = K rdd + k, and what is left is S = A + B K, e = e_q + B k, of which one triangle is computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_matrix, name_several, skew
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.factorisation import dot, factorise
from symgen.derive.transfer.ports import (
    RICCATI,
    array_port,
    matrix_port,
    omega_port,
    packed,
    part,
    shifting,
    swing,
    symmetric_port,
    triangle,
    vector_port,
    zeros,
)
from symgen.derive.transfer.riccati import body_of
from symgen.derive.vectors import Vector

_THREE, _SIX = range(3), range(3, 6)
_UNITS = {"a": "kg", "b": "kg m", "d": "kg m^2"}


def _put(results: Results, a: Matrix, b: Matrix, corner: Matrix, loads: tuple[Sequence[Expr], Sequence[Expr]]) -> None:
    text = "[q; m] = [[A, B], [B^T, D]] [rdd; wd] + [e_q; e_m]"
    results.put("a_block", packed(a), f"A of {text}: lower triangle, row by row", _UNITS["a"])
    results.put("b_block", b.entries, f"B of {text}: 3 x 3, row by row", _UNITS["b"])
    results.put("d_block", packed(corner), f"D of {text}: lower triangle, row by row", _UNITS["d"])
    results.put("e_q", loads[0], f"e_q of {text}", "N")
    results.put("e_m", loads[1], f"e_m of {text}; moments of hinges with springs add here", "N m")


def body() -> Derivation:
    """Derive the blocks of a body alone."""
    d = kernel("ball_body", "a single body between ball hinges", RICCATI)
    held, rest = body_of(d)
    a, b, corner = part(held, _THREE, _THREE), part(held, _THREE, _SIX), part(held, _SIX, _SIX)
    _put(Results(d), a, b, corner, (rest[3:], rest[:3]))
    return d


def one_input() -> Derivation:
    """Derive contribution of an input beyond a ball hinge to the blocks of its body."""
    d = kernel("ball_input", "contribution of an input beyond a ball hinge to the blocks of its body", RICCATI)
    s3 = symmetric_port(d, "s3", 3, "S of q = S rdd + e beyond the hinge", "kg")
    e3 = Vector(array_port(d, "e3", 3, "e of q = S rdd + e beyond the hinge", "N"))
    lever = vector_port(d, "lever", "from this input to the output O", "m")
    swung = swing(d, omega_port(d), lever, "lever")
    load = d.vector("load", e3 - s3.apply(swung), "force at the input when the output rests", "N")
    arm = skew(lever)
    side = name_matrix(d, "side", s3 @ arm, "S times lever^", "kg m")
    corner = arm @ side * -1
    moment = -lever.cross(load)
    _put(Results(d), s3, side, corner, (load.components, moment.components))
    full = Matrix(tuple((*row, ZERO, ZERO, ZERO) for row in s3.rows) + zeros(3, 6).rows)
    moved = shifting(lever).transposed @ (full @ shifting(lever))
    gaps = [corner.rows[i][j] - moved.rows[3 + i][3 + j] for i, j in triangle(3)]
    gaps += [a - b for a, b in zip(side.entries, part(moved, _THREE, _SIX).entries, strict=True)]
    d.claim_identity("congruent", "it is A^T (P S) A of a port with a force only", gaps, squares={})
    held = shifting(lever).transposed.times((*(e3 - s3.apply(swung)), ZERO, ZERO, ZERO))
    gaps = [a - b for a, b in zip((*load, *moment), held, strict=True)]
    d.claim_identity("load", "the load is P V (e + S b)", gaps, squares={})
    return d


def close() -> Derivation:
    """Derive S, e beyond the ball hinge at a body's output, and the angular acceleration from rdd."""
    d = kernel("ball_close", "the ball hinge at the output of a body", RICCATI)
    a = symmetric_port(d, "a_block", 3, "A, summed over body and inputs", "kg")
    b = matrix_port(d, "b_block", (3, 3), "B, summed over body and inputs", "kg m")
    corner = symmetric_port(d, "d_block", 3, "D, summed over body and inputs", "kg m^2")
    e_q = array_port(d, "e_q", 3, "e_q, summed over body and inputs", "N")
    e_m = array_port(d, "e_m", 3, "e_m, summed, minus the moment tau that the hinge at the output exerts", "N m")
    factors = factorise(d, corner * -1, "-D: inertia that the hinge sees", "kg m^2")
    names = [f"y_{i}{j}" for i in range(3) for j in range(4)]
    right = Matrix(tuple((*b.transposed.rows[k], e_m[k]) for k in range(3)))
    flat = name_several(d, "y", names, factors.forward(right).entries, "L^-1 [B^T, e_m], by rows", "")
    forward = Matrix(tuple(tuple(flat[4 * k : 4 * k + 4]) for k in range(3)))
    names = [f"z_{i}{j}" for i in range(3) for j in range(4)]
    flat = name_several(d, "z", names, factors.scaled(forward).entries, "diag(p)^-1 L^-1 [B^T, e_m], by rows", "")
    scaled = Matrix(tuple(tuple(flat[4 * k : 4 * k + 4]) for k in range(3)))
    sides, parts = forward.transposed.rows, scaled.transposed.rows
    both = factors.back(scaled)
    results = Results(d)
    s3 = [a.rows[i][j] + dot(sides[i], parts[j]) for i, j in triangle(3)]
    e3 = [value + dot(sides[k], parts[3]) for k, value in enumerate(e_q)]
    results.put("s3", s3, "S of q = S rdd + e beyond the hinge: lower triangle, row by row", "kg")
    results.put("e3", e3, "e of q = S rdd + e beyond the hinge", "N")
    results.put("k3", [row[j] for row in both.rows for j in range(3)], "K of wd = K rdd + k: 3 x 3, row by row", "1/m")
    results.put("k0", [row[3] for row in both.rows], "k of wd = K rdd + k", "rad/s^2")
    results.put("pivots", factors.pivots, "pivots of -D: must be > 0", "kg m^2")
    results.put(
        "scales", [-corner.rows[k][k] for k in range(3)], "size of the terms that cancel in each pivot", "kg m^2"
    )
    _claim_close(d, (a, b, corner), e_q, e_m)
    return d


def _claim_close(d: Derivation, given: tuple[Matrix, Matrix, Matrix], e_q: Sequence[Expr], e_m: Sequence[Expr]) -> None:
    a, b, corner = given
    rdd = array_port(d, "rdd", 3, "any acceleration of the output, for the proof", "m/s^2")

    def result(name: str) -> list[Expr]:
        return [d.promise(element) for element in d.outputs[name].elements]

    k3, s3 = result("k3"), result("s3")
    gain = Matrix(tuple(tuple(k3[3 * i : 3 * i + 3]) for i in range(3)))
    wd = [p + q for p, q in zip(gain.times(rdd), result("k0"), strict=True)]
    moment = zip(b.transposed.times(rdd), corner.times(wd), e_m, strict=True)
    d.claim_zero("moment", "B^T rdd + D wd + e_m = 0 for any rdd", [p + q + r for p, q, r in moment])
    at = dict(zip(triangle(3), s3, strict=True))
    left = Matrix(tuple(tuple(at[max(i, j), min(i, j)] for j in range(3)) for i in range(3)))
    forces = zip(a.times(rdd), b.times(wd), e_q, left.times(rdd), result("e3"), strict=True)
    d.claim_zero("force", "S rdd + e = A rdd + B wd + e_q", [p + q + r - s - t for p, q, r, s, t in forces])


def back() -> Derivation:
    """Derive the angular acceleration of a body from the acceleration of its output."""
    d = kernel("ball_back", "angular acceleration of a body from the acceleration of its output", RICCATI)
    k3 = matrix_port(d, "k3", (3, 3), "K of wd = K rdd + k", "1/m")
    k0 = array_port(d, "k0", 3, "k of wd = K rdd + k", "rad/s^2")
    rdd = vector_port(d, "rdd_o", "acceleration of the output O", "m/s^2")
    found = [a + b for a, b in zip(k3.times(rdd), k0, strict=True)]
    Results(d).put("wd", found, "angular acceleration", "rad/s^2")
    return d


def point_back() -> Derivation:
    """Derive the acceleration of an input from that of the output."""
    d = kernel("ball_input_back", "acceleration of an input from that of the output", RICCATI)
    rdd = vector_port(d, "rdd_o", "acceleration of the output O", "m/s^2")
    wd = vector_port(d, "wd", "angular acceleration", "rad/s^2")
    lever = vector_port(d, "lever", "from the input to the output O", "m")
    found = rdd + lever.cross(wd) - swing(d, omega_port(d), lever, "lever")
    Results(d).put("rdd_i", found.components, "acceleration of the input", "m/s^2")
    return d
