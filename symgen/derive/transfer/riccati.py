"""The Riccati recursion: w = S a + e + G lam at every port, from the tips to the root.

    body    w_O of the body alone, plus what every input adds: V S A and V (e + S b)
    hinge   qdd = Ka a_O + K0 (+ Kl lam), D = H^T P S H, and what is left after its own forces are met: S', e' (, G')
    loop    columns G of multipliers; C = (P G)^T; a loop that closes takes its columns out again

P S is symmetric, negative definite at the outputs of bodies (minus the articulated inertia): only its lower triangle is
computed, so that rounding cannot make it lose its symmetry.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ZERO, Expr, is_symbol
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, columns, name_matrix, name_several, skew
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.bodies import spatial_inertia
from symgen.derive.transfer.factorisation import LdlFactors, dot, factorise, inverse
from symgen.derive.transfer.newton_euler import body_loads, read_off, solve_for_wrench
from symgen.derive.transfer.ports import (
    RICCATI,
    array_port,
    articulated_ports,
    counted,
    inertia_port,
    mass_port,
    matrix_port,
    omega_port,
    part,
    put_articulated,
    shifting,
    swapped,
    swing,
    symmetric_port,
    triangle,
    unpacked,
)
from symgen.derive.vectors import Vector

_HINGE = "kg, kg m or kg m^2"
#: What the rows named y and z are.
_ROWS = {"y": "L^-1 times the right side", "z": "diag(p)^-1 L^-1 times the right side"}


def body_of(d: Derivation) -> tuple[Matrix, tuple[Expr, ...]]:
    """Declare a body by the arm d to its output; return P S, rows [q m], and e = [m q] of it alone, solved for."""
    mass, inertia = mass_port(d), inertia_port(d)
    arm = d.input_vector("d", 3, meaning="from the centre of mass to the output O", unit="m")
    body = body_loads(d, mass, inertia, arm)
    slope, rest = read_off(*solve_for_wrench(d, body))
    held = Matrix(swapped(slope.rows))  # type: ignore[arg-type]
    gaps = (held + spatial_inertia(mass, inertia, -arm)).entries
    d.claim_identity("inertia", "P S is minus the spatial inertia about O", gaps, squares={})
    return held, rest


def body() -> Derivation:
    """Derive S and e of a body alone by solving the Newton-Euler equations for the wrench at its output."""
    d = kernel("riccati_body", "a single body: w = S a + e at its output O", RICCATI)
    held, rest = body_of(d)
    put_articulated(Results(d), held, rest, "at the output O")
    return d


def carried(d: Derivation, ps: Matrix, lever: Vector) -> Matrix:
    """Name the parts of A^T (P S) A, A = [[1, lever^], [0, 1]], which is P (V S A); prove that they are."""
    three, six = range(3), range(3, 6)
    corner, side, lower = part(ps, three, three), part(ps, three, six), part(ps, six, six)
    arm = skew(lever)
    moved = name_matrix(d, "side", side + corner @ arm, "[q, wd] block, moved", "kg m")
    end = lower + side.transposed @ arm - arm @ moved
    rows = [(*corner.rows[k], *moved.rows[k]) for k in three]
    rows += [(*moved.transposed.rows[k], *end.rows[k]) for k in three]
    full = shifting(lever).transposed @ (ps @ shifting(lever))
    found = Matrix(tuple(rows))
    gaps = [found.rows[i][j] - full.rows[i][j] for i, j in triangle(6)]
    d.claim_identity("congruent", "P V S A = A^T (P S) A", gaps, squares={})
    return found


def _carried_load(e: Sequence[Expr], held: Sequence[Expr], lever: Vector) -> tuple[Expr, ...]:
    """Return V e, [m q], of a load [m q] given as `held` = [q m]."""
    force, moment = Vector(tuple(held[:3])), Vector(tuple(held[3:]))
    return (*(moment - lever.cross(force)), *force)


def one_input() -> Derivation:
    """Derive what an input adds to S and e of a body at its output."""
    d = kernel("riccati_input", "contribution of an input to S and e at the output of its body", RICCATI)
    ps, e = articulated_ports(d)
    lever = d.input_vector("lever", 3, meaning="from this input to the output O", unit="m")
    omega = omega_port(d)
    swung = swing(d, omega, lever, "lever")
    found = carried(d, ps, lever)
    bias = (*(-swung), ZERO, ZERO, ZERO)
    held = [a + b for a, b in zip(swapped(e), ps.times(bias), strict=True)]
    load = name_several(d, "load", [f"load_{k}" for k in range(6)], held, "e + S b at the input, [q m]", "N, N m")
    rest = _carried_load(e, load, lever)
    put_articulated(Results(d), found, rest, "contributed at the output O")
    return d


def shift() -> Derivation:
    """Derive S and e carried through the X of a hinge that translates."""
    d = kernel("riccati_shift", "S and e through the X of a hinge: S1 = X S X^-1, e1 = X e", RICCATI)
    ps, e = articulated_ports(d)
    s = d.input_vector("s", 3, meaning="from the inboard port to the outboard port, r_B - r_A", unit="m")
    put_articulated(Results(d), carried(d, ps, s), _carried_load(e, swapped(e), s), "at the outboard port, qdd held")
    return d


# -- hinge -----------------------------------------------------------------------------------------------------------


def hinge(freedoms: int) -> Derivation:
    """Derive what a hinge of f freedoms leaves of S and e, and its accelerations from those of its outboard side."""
    d = kernel(f"riccati_hinge_{freedoms}", f"S and e through a hinge with {counted(freedoms, 'freedom')}", RICCATI)
    ps, e = articulated_ports(d)
    h = matrix_port(d, "h", (6, freedoms), "H of the hinge, rows [rdd wd]", "m or 1")
    eta = array_port(d, "eta", 6, "eta of the hinge, [rdd wd]", "m/s^2, rad/s^2")
    tau = array_port(d, "tau", freedoms, "hinge force on the outboard side, one for each coordinate", "N or N m")
    freedom_columns = h.transposed.rows
    across = Matrix(tuple(_named_column(d, k, ps.times(column)) for k, column in enumerate(freedom_columns)))
    minus = Matrix(tuple(tuple(-dot(a, b) for b in freedom_columns) for a in across.rows))
    factors = factorise(d, minus, "-D = -H^T P S H: inertia that the coordinates see", _HINGE)
    held = [a - b for a, b in zip(swapped(e), ps.times(eta), strict=True)]
    load = name_several(d, "load", [f"load_{k}" for k in range(6)], held, "P (e - S eta)", "N, N m")
    lack = [dot(column, load) - t for column, t in zip(freedom_columns, tau, strict=True)]
    names = [f"lack_{k}" for k in range(freedoms)]
    lack_steps = name_several(d, "lack", names, lack, "H^T P (e - S eta) - tau", "N or N m")
    _hinge_results(d, factors, (ps, across, load, lack_steps), (h, eta, tau))
    return d


def _named_column(d: Derivation, k: int, values: Sequence[Expr]) -> tuple[Expr, ...]:
    return name_several(
        d, f"across_{k}", [f"across_{k}{i}" for i in range(6)], values, f"P S times column {k} of H", "kg, kg m"
    )


def _hinge_results(
    d: Derivation,
    factors: LdlFactors,
    found: tuple[Matrix, Matrix, Sequence[Expr], Sequence[Expr]],
    given: tuple[Matrix, Sequence[Expr], Sequence[Expr]],
) -> None:
    """Declare the results of a hinge; `found` is P S, H^T P S, the load and what it lacks."""
    (ps, across, load, lack), (h, eta, tau), freedoms = found, given, len(factors.pivots)
    forward = _named_rows(d, "y", factors.forward(across))
    lacking = [row[0] for row in _named_rows(d, "y_lack", factors.forward(columns(Vector(tuple(lack))))).rows]
    scaled = _named_rows(d, "z", factors.scaled(forward))
    sides, parts = forward.transposed.rows, scaled.transposed.rows
    left = [ps.rows[i][j] + dot(sides[i], parts[j]) for i, j in triangle(6)]
    rest = [value + dot(side, lacking) for value, side in zip(load, parts, strict=True)]
    ka = factors.back(scaled, -1)
    k0 = factors.back(factors.scaled(Matrix(tuple((value,) for value in lacking))), -1)
    results = Results(d)
    put_articulated(results, unpacked(left, 6), swapped(rest), "beyond the hinge, with its forces")
    size = f"{freedoms} x 6, row by row"
    results.put("ka", ka.entries, f"Ka of qdd = Ka a_O + K0: {size}", "1/m or 1")
    results.put("k0", k0.entries, "K0 of qdd = Ka a_O + K0", "m/s^2 or rad/s^2")
    di = inverse(d, factors, "di_step", "D^-1, D = H^T P S H: lower triangle, row by row", "1/kg, ...", -1)
    d.output("di", [di.rows[i][j] for i, j in triangle(freedoms)],
             meaning="D^-1, D = H^T P S H: lower triangle, row by row", unit="inverse of the inertia")  # fmt: skip
    d.output("pivots", factors.pivots, meaning="pivots of -D, one for each coordinate: must be > 0", unit=_HINGE)
    scales = [-dot([v * v for v in column], [ps.rows[k][k] for k in range(6)]) for column in h.transposed.rows]
    results.put("scales", scales, "size of the terms that cancel in each pivot (up to a factor 6)", _HINGE)
    _claim_hinge(d, ps, h, eta, tau)


def _named_rows(d: Derivation, name: str, matrix: Matrix) -> Matrix:
    rows = []
    for k, row in enumerate(matrix.rows):
        if all(is_symbol(value) for value in row):  # the first row is that of the right side
            rows.append(tuple(row))
            continue
        targets = [f"{name}_{k}{i}" for i in range(len(row))]
        rows.append(name_several(d, f"{name}_{k}", targets, row, f"row {k} of {_ROWS[name[0]]}", ""))
    return Matrix(tuple(rows))


def _claim_hinge(d: Derivation, ps: Matrix, h: Matrix, eta: Sequence[Expr], tau: Sequence[Expr]) -> None:
    """Claim that for any a_O the wrench meets the hinge's forces, and is the inboard port's at its acceleration."""
    freedoms = len(tau)
    outer = array_port(d, "a_outboard", 6, "any acceleration of the outboard port, for the proof", "m/s^2, rad/s^2")

    def result(name: str) -> tuple[Expr, ...]:
        return tuple(d.promise(element) for element in d.outputs[name].elements)

    ka, k0 = result("ka"), result("k0")
    qdd = [dot(ka[6 * k : 6 * k + 6], outer) + k0[k] for k in range(freedoms)]
    inner = [a - b - c for a, b, c in zip(outer, h.times(qdd), eta, strict=True)]
    e = tuple(d.promise(f"e_{k}") for k in range(6))
    wrench = [a + b for a, b in zip(ps.times(inner), swapped(e), strict=True)]
    after = [a + b for a, b in zip(unpacked(result("ps_out"), 6).times(outer), swapped(result("e_out")), strict=True)]
    gaps = [a - b for a, b in zip(wrench, after, strict=True)]
    d.claim_zero("same", "S' a_O + e' = S a_I + e with a_I = a_O - H qdd - eta", gaps)
    forces = [dot(column, after) - t for column, t in zip(h.transposed.rows, tau, strict=True)]
    d.claim_zero("forces", "H^T P w_O = tau for any a_O", forces)


# -- loops -----------------------------------------------------------------------------------------------------------


def column_shift() -> Derivation:
    """Derive a multiplier's column G carried over a lever: from an input to the output, or through the X of a hinge."""
    d = kernel("loop_column_shift", "column of a multiplier over a lever: V g", RICCATI)
    g = array_port(d, "g", 6, "column of G: wrench of a multiplier, [m q]", "N m, N per multiplier")
    lever = d.input_vector("lever", 3, meaning="from where it is to where it goes", unit="m")
    moved = _carried_load(g, swapped(g), lever)
    Results(d).put("g_out", moved, "the same wrench at the end of the lever, [m q]", "N m, N per multiplier")
    gaps = [a - b for a, b in zip(moved, shifting(lever, -1).times(g), strict=True)]
    d.claim_identity("shifted", "it is [[1, -lever^], [0, 1]] g", gaps, squares={})
    return d


def column_hinge(freedoms: int) -> Derivation:
    """Derive a multiplier's column beyond a hinge: g' = g - S H D^-1 H^T P g."""
    d = kernel(
        f"loop_column_hinge_{freedoms}",
        f"column of a multiplier through a hinge with {counted(freedoms, 'freedom')}",
        RICCATI,
    )
    g = array_port(d, "g", 6, "column of G at the hinge, [m q]", "N m, N per multiplier")
    h = matrix_port(d, "h", (6, freedoms), "H of the hinge, rows [rdd wd]", "m or 1")
    ka = matrix_port(d, "ka", (freedoms, 6), "Ka of the hinge", "1/m or 1")
    di = symmetric_port(d, "di", freedoms, "D^-1 of the hinge", "inverse of the inertia")
    held = swapped(g)
    work = [dot(column, held) for column in h.transposed.rows]
    names = [f"work_{k}" for k in range(freedoms)]
    work_steps = name_several(d, "work", names, work, "H^T P g", "N or N m per multiplier")
    left = [value - drop for value, drop in zip(held, ka.transposed.times(work_steps), strict=True)]
    results = Results(d)
    results.put("g_out", swapped(left), "column beyond the hinge, [m q]", "N m, N per multiplier")
    results.put("r", work_steps, "r = H^T P g = (C H)^T: L' = L - r^T Kl, l' = l - C eta - r^T K0", "N or N m")
    results.put("kl", di.times(work_steps), "Kl = D^-1 r of qdd = Ka a_O + K0 + Kl lam", "per multiplier")
    _claim_column(d, g, h, left)
    return d


def _claim_column(d: Derivation, g: Sequence[Expr], h: Matrix, left: Sequence[Expr]) -> None:
    """Claim that where Ka H = 1, as it is of every hinge, the column does no work in the hinge."""
    ka = [[d.promise(f"ka_{i}{j}") for j in range(6)] for i in range(len(h.rows[0]))]
    gain = Matrix(tuple(tuple(row) for row in ka)) @ h
    work = [dot(column, swapped(g)) for column in h.transposed.rows]
    rest = [dot(column, left) for column in h.transposed.rows]
    expected = [w - v for w, v in zip(work, gain.transposed.times(work), strict=True)]
    gaps = [a - b for a, b in zip(rest, expected, strict=True)]
    d.claim_identity("workless", "H^T P g' = (1 - (Ka H)^T) H^T P g, zero as Ka H = 1", gaps, squares={})


def loop_close(count: int) -> Derivation:
    """Derive S and e where a loop of `count` multipliers closes: (C a_O + L lam + l = 0) is solved for lam."""
    d = kernel(f"loop_close_{count}", f"closing of a loop with {counted(count, 'multiplier')}", RICCATI)
    ps, e = articulated_ports(d)
    g = matrix_port(d, "g", (6, count), "columns of G at the body's output, rows [m q]", "N m, N per multiplier")
    matrix = symmetric_port(d, "ll", count, "L of the loop, positive definite", "per multiplier")
    rest = array_port(d, "l0", count, "l of the loop", "m/s^2 or rad/s^2")
    factors = factorise(d, matrix, "L", "per multiplier")
    rows = Matrix(swapped(g.rows)).transposed  # type: ignore[arg-type]
    forward = _named_rows(d, "y", factors.forward(rows))
    last = [row[0] for row in _named_rows(d, "y_rest", factors.forward(Matrix(tuple((v,) for v in rest)))).rows]
    scaled = _named_rows(d, "z", factors.scaled(forward))
    sides, parts = forward.transposed.rows, scaled.transposed.rows
    left = [ps.rows[i][j] - dot(sides[i], parts[j]) for i, j in triangle(6)]
    load = [value - dot(side, last) for value, side in zip(swapped(e), parts, strict=True)]
    results = Results(d)
    put_articulated(results, unpacked(left, 6), swapped(load), "with the loop closed")
    gain = factors.back(scaled, -1)
    start = factors.back(factors.scaled(Matrix(tuple((v,) for v in last))), -1)
    results.put("gain", gain.entries, f"lam = gain a_O + start: {count} x 6, row by row", "multiplier per m/s^2")
    results.put("start", start.entries, "multipliers at a_O = 0", "multiplier")
    results.put("pivots", factors.pivots, "pivots of L: must be > 0", "per multiplier")
    _claim_closing(d, (ps, e, g), matrix, rest)
    return d


def _claim_closing(
    d: Derivation, before: tuple[Matrix, Sequence[Expr], Matrix], matrix: Matrix, rest: Sequence[Expr]
) -> None:
    """Claim that for any a_O the loop closes and the wrench is S a + e + G lam."""
    ps, e, g = before
    outer = array_port(d, "a_outboard", 6, "any acceleration of the output, for the proof", "m/s^2, rad/s^2")

    def result(name: str) -> tuple[Expr, ...]:
        return tuple(d.promise(element) for element in d.outputs[name].elements)

    gain, start = result("gain"), result("start")
    lam = [dot(gain[6 * k : 6 * k + 6], outer) + start[k] for k in range(len(rest))]
    held = Matrix(swapped(g.rows))  # type: ignore[arg-type]
    closure = zip(held.transposed.times(outer), matrix.times(lam), rest, strict=True)
    d.claim_zero("closed", "C a_O + L lam + l = 0 for any a_O", [a + b + c for a, b, c in closure])
    parts = zip(ps.times(outer), swapped(e), held.times(lam), strict=True)
    after = zip(unpacked(result("ps_out"), 6).times(outer), swapped(result("e_out")), strict=True)
    gaps = [a + b + c - p - q for (a, b, c), (p, q) in zip(parts, after, strict=True)]
    d.claim_zero("same", "S' a_O + e' = S a_O + e + G lam", gaps)
