"""Divide and conquer: assemblies of bodies with handles, joined two at a time.

An assembly is what its handles feel of it, a_k = sum over its handles of Phi_kl f_l + phi_k: f = [q m] are the force
and the moment on it at a handle, a = [rdd wd] the acceleration there, Phi the compound inverse inertia, Phi_lk its
transpose. Assembly A, with the handle i, and B, with the handle j at the same point, are joined by a hinge:

    a_j - a_i = H qdd + eta,  f_j = -f_i = T lam + active,  T^T H = 0,  H^T active = tau

With U = T^T (Phi_ii + Phi_jj) T and W = T U^-1 T^T the wrench of the hinge on B is

    f_j = W (g + eta + phi_i - phi_j) + (1 - W (Phi_ii + Phi_jj)) active,  g = sum Phi_ir f_r - sum Phi_js f_s

over the other handles, so that the handles r, s of the joined assembly have

    Phi_rs - Phi_ri W Phi_is  (both of A, and alike of B),   Phi_ri W Phi_js  (r of A, s of B)
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, diagonal, name_matrix, name_several, skew
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.factorisation import LdlFactors, dot, factorise, inverse
from symgen.derive.transfer.ports import (
    array_port,
    blocks,
    counted,
    inertia_port,
    load_ports,
    mass_port,
    matrix_port,
    omega_port,
    packed,
    swing,
    symmetric_port,
    triangle,
)
from symgen.derive.vectors import Vector

SOURCE = "divide-and-conquer algorithm of R. Featherstone 1999, assemblies with several handles, derived anew"
_PHI = "1/kg, 1/(kg m), 1/(kg m^2)"
_WRENCH, _ACCELERATION = "N, N m", "m/s^2, rad/s^2"


def handle_pair() -> Derivation:
    """Derive Phi_kl of a rigid body: what a wrench at one handle accelerates another by."""
    d = kernel("handle_pair", "Phi_kl of a body: acceleration at handle K by a wrench at handle L", SOURCE)
    mass, inertia, inverted = _body(d)
    at = d.input_vector("d_k", 3, meaning="from the centre of mass to the handle K", unit="m")
    by = d.input_vector("d_l", 3, meaning="from the centre of mass to the handle L", unit="m")
    light = d.scalar("i_mass", ONE / mass, "reciprocal of the mass", "1/kg")
    turn = name_matrix(d, "turn", inverted @ skew(by), "angular acceleration by a force at L", "1/(kg m)")
    side = diagonal(light) - skew(at) @ turn
    phi = blocks([[side, -1 * (skew(at) @ inverted)], [turn, inverted]])
    what = "Phi_kl, rows [rdd wd] at K, columns [q m] at L: 6 x 6, row by row"
    Results(d).put("phi", phi.entries, what, _PHI)
    wrench = array_port(d, "any_f", 6, "any wrench [q m] at L, for the proof", _WRENCH)
    moved = _promised(d, "phi", 6, 6).times(wrench)
    _claim_body(d, mass, inertia, (at, moved), Vector(wrench[:3]), Vector(wrench[3:]) + by.cross(Vector(wrench[:3])))
    return d


def handle_rest() -> Derivation:
    """Derive phi_k of a rigid body: the acceleration at a handle without wrenches at handles."""
    d = kernel("handle_rest", "phi_k of a body: acceleration at handle K without wrenches at handles", SOURCE)
    mass, inertia, inverted = _body(d)
    at = d.input_vector("d_k", 3, meaning="from the centre of mass to the handle K", unit="m")
    omega = omega_port(d)
    force, moment = load_ports(d)
    spin = d.vector("spin", inertia.apply(omega), "angular momentum", "N m s")
    turning = d.vector("turning", moment - omega.cross(spin), "moment minus gyroscopic torque", "N m")
    alpha = d.vector("alpha", inverted.apply(turning), "angular acceleration", "rad/s^2")
    light = d.scalar("i_mass", ONE / mass, "reciprocal of the mass", "1/kg")
    swung = swing(d, omega, at, "d")
    rest = (*(force * light + alpha.cross(at) + swung), *alpha)
    Results(d).put("rest", rest, "phi_k: [rdd wd] at K", _ACCELERATION)
    found = tuple(d.promise(element) for element in d.outputs["rest"].elements)
    still = [value - part for value, part in zip(found, (*swung, ZERO, ZERO, ZERO), strict=True)]
    _claim_body(d, mass, inertia, (at, still), force, turning)
    return d


def _body(d: Derivation) -> tuple[Expr, Matrix, Matrix]:
    """Declare a body; return mass, inertia and its inverse."""
    mass, inertia = mass_port(d), inertia_port(d)
    factors = factorise(d, inertia, "inertia", "kg m^2")
    what = "inverse of the inertia: lower triangle"
    return mass, inertia, inverse(d, factors, "ji", what, "1/(kg m^2)")


def _claim_body(
    d: Derivation, mass: Expr, inertia: Matrix, seen: tuple[Vector, Sequence[Expr]], force: Vector, moment: Vector
) -> None:
    """Claim Newton's and Euler's equation of the centre of mass; `seen` is a handle with its acceleration."""
    at, acceleration = seen
    alpha = Vector(tuple(acceleration[3:]))
    centre = Vector(tuple(acceleration[:3])) - alpha.cross(at)
    gaps = [*(centre * mass - force), *(inertia.apply(alpha) - moment)]
    d.claim_zero("newton_euler", "Newton's and Euler's equation hold at the centre of mass", gaps)


def _promised(d: Derivation, name: str, rows: int, columns: int) -> Matrix:
    values = tuple(d.promise(element) for element in d.outputs[name].elements)
    return Matrix(tuple(tuple(values[columns * k : columns * (k + 1)]) for k in range(rows)))


def join(held: int) -> Derivation:
    """Derive W of a hinge that holds `held` motions, and the wrench it exerts while other handles are free."""
    d = kernel(
        f"assembly_join_{held}", f"a hinge that constrains {counted(held, 'motion')} between two assemblies", SOURCE
    )
    phi = symmetric_port(d, "phi", 6, "Phi_ii + Phi_jj at the point of the hinge, rows [rdd wd], columns [q m]", _PHI)
    t = matrix_port(d, "t", (6, held), "T: wrenches [q m] that the hinge transmits, independent", "1 or m")
    gap = array_port(d, "gap", 6, "eta + phi_i - phi_j", _ACCELERATION)
    active = array_port(d, "active", 6, "active wrench [q m] of the hinge on B: H^T active = tau", _WRENCH)
    wrenches = t.transposed.rows
    moved = Matrix(
        tuple(
            name_several(
                d,
                f"moved_{k}",
                [f"moved_{k}{i}" for i in range(6)],
                phi.times(column),
                f"Phi times column {k} of T",
                "",
            )
            for k, column in enumerate(wrenches)
        )
    )
    compound = Matrix(tuple(tuple(dot(a, b) for b in wrenches) for a in moved.rows))
    factors = factorise(d, compound, "U = T^T Phi T", _PHI)
    lack = [a - b for a, b in zip(gap, phi.times(active), strict=True)]
    lack = list(name_several(d, "lack", [f"lack_{k}" for k in range(6)], lack, "gap - Phi active", _ACCELERATION))
    w, rest = _transmitted(d, factors, t, lack)
    results = Results(d)
    results.put("w", packed(w), "W = T U^-1 T^T, rows [q m], columns [rdd wd]: lower triangle, row by row", "kg, ...")
    exerted = [a + b for a, b in zip(rest, active, strict=True)]
    results.put("rest", exerted, "wrench [q m] of the hinge on B, other handles free", _WRENCH)
    d.output("pivots", factors.pivots, meaning="pivots of U, one for each constrained motion: must be > 0", unit=_PHI)
    scales = [dot([v * v for v in column], [phi.rows[k][k] for k in range(6)]) for column in wrenches]
    results.put("scales", scales, "size of the terms that cancel in each pivot (up to a factor 6)", _PHI)
    _claim_join(d, phi, wrenches, gap, active)
    return d


def _transmitted(d: Derivation, factors: LdlFactors, t: Matrix, lack: Sequence[Expr]) -> tuple[Matrix, list[Expr]]:
    """Return W and W lack from the factors of U."""
    forward = []
    for k, row in enumerate(factors.forward(t.transposed).rows):
        targets = [f"y_{k}{i}" for i in range(6)]
        forward.append(row if k == 0 else name_several(d, f"y_{k}", targets, row, f"row {k} of L^-1 T^T", ""))
    scaled = [
        name_several(d, f"z_{k}", [f"z_{k}{i}" for i in range(6)], row, f"row {k} of diag(p)^-1 L^-1 T^T", "")
        for k, row in enumerate(factors.scaled(Matrix(tuple(forward))).rows)
    ]
    sides, parts = Matrix(tuple(forward)).transposed.rows, Matrix(tuple(scaled)).transposed.rows
    entry = {(i, j): dot(sides[i], parts[j]) for i, j in triangle(6)}
    w = Matrix(tuple(tuple(entry[max(i, j), min(i, j)] for j in range(6)) for i in range(6)))
    amounts = [dot(row, lack) for row in forward]
    names = [f"amount_{k}" for k in range(len(amounts))]
    named = name_several(d, "amount", names, amounts, "L^-1 T^T (gap - Phi active)", "")
    return w, [dot(part, named) for part in parts]


def _claim_join(
    d: Derivation, phi: Matrix, wrenches: Sequence[Sequence[Expr]], gap: Sequence[Expr], active: Sequence[Expr]
) -> None:
    """Claim that the hinge holds what it holds, whatever other handles do, and adds no work along its freedoms."""
    more = array_port(d, "any_g", 6, "any g of other handles, for the proof", _ACCELERATION)
    values = tuple(d.promise(element) for element in d.outputs["w"].elements)
    entry = dict(zip(triangle(6), values, strict=True))
    w = Matrix(tuple(tuple(entry[max(i, j), min(i, j)] for j in range(6)) for i in range(6)))
    rest = tuple(d.promise(element) for element in d.outputs["rest"].elements)
    exerted = [a + b for a, b in zip(w.times(more), rest, strict=True)]
    open_ = [a - b - c for a, b, c in zip(phi.times(exerted), more, gap, strict=True)]
    d.claim_zero("held", "T^T (a_j - a_i - eta) = 0", [dot(column, open_) for column in wrenches])
    passive = [a - b for a, b in zip(exerted, active, strict=True)]
    again = w.times(phi.times(passive))
    d.claim_zero(
        "transmitted", "what is not active is in the range of T", [a - b for a, b in zip(again, passive, strict=True)]
    )


def carry() -> Derivation:
    """Derive Phi_rs of two handles beyond a hinge: Phi_rs - Phi_ri W Phi_is."""
    d = kernel("assembly_carry", "Phi of two handles of an assembly after a hinge joins it to another assembly", SOURCE)
    own = matrix_port(d, "phi", (6, 6), "Phi_rs before", _PHI)
    left = matrix_port(d, "left", (6, 6), "Phi_ri, i the handle at the hinge", _PHI)
    w = symmetric_port(d, "w", 6, "W of the hinge", "kg, ...")
    right = matrix_port(d, "right", (6, 6), "Phi_si", _PHI)
    rows = []
    for k, row in enumerate((w @ right.transposed).rows):
        rows.append(name_several(d, f"wr_{k}", [f"wr_{k}{i}" for i in range(6)], row, f"row {k} of W Phi_is", ""))
    found = own - left @ Matrix(tuple(rows))
    Results(d).put("phi_out", found.entries, "Phi_rs of the joined assembly: 6 x 6, row by row", _PHI)
    wrench = array_port(d, "any_f", 6, "any wrench [q m] at S, for the proof", _WRENCH)
    hinge = w.times(right.transposed.times(wrench))
    alone = [a - b for a, b in zip(own.times(wrench), left.times(hinge), strict=True)]
    joined = _promised(d, "phi_out", 6, 6).times(wrench)
    d.claim_zero(
        "joined",
        "a wrench at S moves R directly and through the reaction of the hinge",
        [a - b for a, b in zip(joined, alone, strict=True)],
    )
    return d


def shared() -> Derivation:
    """Derive the wrench of a hinge from what other handles do: f = rest + W g."""
    d = kernel("assembly_share", "wrench of a hinge between two assemblies, other handles loaded", SOURCE)
    rest = array_port(d, "rest", 6, "wrench [q m] of the hinge, other handles free", _WRENCH)
    w = symmetric_port(d, "w", 6, "W of the hinge", "kg, ...")
    more = array_port(d, "g", 6, "g: sum Phi_ir f_r of A minus sum Phi_js f_s of B", _ACCELERATION)
    found = [a + b for a, b in zip(rest, w.times(more), strict=True)]
    Results(d).put("f", found, "wrench [q m] of the hinge on B", _WRENCH)
    other = array_port(d, "any_g", 6, "g of any other loads, for the proof", _ACCELERATION)
    own = [a - b for a, b in zip(_promised(d, "f", 1, 6).rows[0], rest, strict=True)]
    d.claim_zero(
        "reciprocal",
        "the hinge's answer to some loads works on others as much as its answer to those does on these",
        [dot(other, own) - dot(more, w.times(other))],
    )
    return d


def moved() -> Derivation:
    """Derive the acceleration of a handle from the wrench at another: a + Phi f."""
    d = kernel("assembly_move", "acceleration of a handle including the wrench at another handle", SOURCE)
    before = array_port(d, "a", 6, "[rdd wd] without this wrench", _ACCELERATION)
    phi = matrix_port(d, "phi", (6, 6), "Phi of the two handles", _PHI)
    wrench = array_port(d, "f", 6, "wrench [q m]", _WRENCH)
    found = [a + b for a, b in zip(before, phi.times(wrench), strict=True)]
    Results(d).put("a_out", found, "[rdd wd] with this wrench", _ACCELERATION)
    other = array_port(d, "any_f", 6, "any wrench [q m] at the first handle, for the proof", _WRENCH)
    own = [a - b for a, b in zip(_promised(d, "a_out", 1, 6).rows[0], before, strict=True)]
    d.claim_zero(
        "reciprocal",
        "a wrench at the first handle works on this motion as the other does on what Phi transposed makes of the first",
        [dot(other, own) - dot(wrench, phi.transposed.times(other))],
    )
    return d


def assembly_kernels() -> tuple[Derivation, ...]:
    """Derive all kernels of assemblies."""
    return handle_pair(), handle_rest(), *(join(held) for held in range(1, 7)), carry(), shared(), moved()
