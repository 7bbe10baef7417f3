"""Hinges as matrices: z_O = U z_I, which exists only together with the body outboard of the hinge.

The accelerations qdd of a hinge do not appear in its own force rows. They are eliminated by the force rows of the next
hinge, at the output of the outboard body (the far side):

    N (Y (X a_I + H qdd + eta) + V X w_I + y0) = tau_next,    N = H_next^T P X_next, as many rows as qdd.

Where N Y H is singular there is no such matrix, though nothing is wrong with the mechanism: of a ball next to a ball,
where the output is the centre of percussion of the input.

A ball (pin) in the paper's form is another matrix: its moment is known, so the moment of the inboard side is not used
in the row of wd and passes through. The two forms must not be mixed in one system.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import ONE, ZERO, Expr, absolute, determinant, take_apart
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_several
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.bodies import closed
from symgen.derive.transfer.newton_euler import body_with_inputs, read_off, solve_for_output, state_names
from symgen.derive.transfer.ports import (
    SOURCE,
    array_port,
    blocks,
    counted,
    matrix_port,
    part,
    put_scalar,
    put_transfer,
    shifting,
    unit,
    vector_port,
    zeros,
)

_Y_UNIT = "kg, kg m, kg m^2"


def sizes() -> Derivation:
    """Derive the size of the terms of Y of a body: by these a pivot N Y H tells a small number from a cancelled one."""
    d = kernel("body_transfer_sizes", "sizes of the terms of Y of a body", SOURCE)
    body, c, lever, swing_l = body_with_inputs(d)
    slope, _ = read_off(solve_for_output(d, body, c, swing_l, [lever], swing_l), state_names("i1"))
    y = part(slope, range(6, 12), range(6))
    found = [_size(value) for value in y.entries]
    Results(d).put("y_size", found, "sum of the absolute terms of Y, rows [m q], columns [rdd wd]: 6 x 6", _Y_UNIT)
    return d


def _size(value: Expr) -> Expr:
    """Return the sum of the absolute values of the terms of an expanded expression."""
    kind, parts = take_apart(value)
    if kind != "add":
        return absolute(value)
    total = ZERO
    for term in parts:
        total = total + absolute(term)
    return total


# -- any hinge -------------------------------------------------------------------------------------------------------


def hinge(freedoms: int) -> Derivation:
    """Derive the matrix of a hinge of f freedoms before a body whose next hinge has f freedoms too."""
    d = kernel(
        f"far_side_{freedoms}", f"matrix of a hinge with {counted(freedoms, 'freedom')}, by the far side", SOURCE
    )
    y = matrix_port(d, "y", (6, 6), "Y of the outboard body, rows [m q], columns [rdd wd]", _Y_UNIT)
    v = matrix_port(d, "v", (6, 6), "V of the outboard body, rows and columns [m q]", "1 or m")
    y0 = array_port(d, "y_rest", 6, "y0 of the outboard body, [m q]", "N m, N")
    s = vector_port(d, "s", "from the inboard port to the outboard port, r_B - r_A", "m")
    h = matrix_port(d, "h", (6, freedoms), "H of the hinge, rows [rdd wd]", "m or 1")
    eta = array_port(d, "eta", 6, "eta of the hinge, [rdd wd]", "m/s^2, rad/s^2")
    n = matrix_port(d, "n", (freedoms, 6), "N = H^T P X of the next hinge, columns [m q]", "m or 1")
    tau = array_port(d, "tau", freedoms, "tau of the next hinge", "N or N m")
    size = matrix_port(d, "y_size", (6, 6), "sizes of the terms of Y", _Y_UNIT)
    ny = _named(d, "ny", n @ y, "N Y", "kg, ...")
    p = _named(d, "p", ny @ h, "pivot matrix N Y H", "kg, ...")
    inverse, det = inverse_of(d, p)
    gain = _named(d, "gain", h @ inverse, "H (N Y H)^-1", "")
    x, over = shifting(s, -1), zeros(6, 6)
    nvx = _named(d, "nvx", n @ v @ x, "N V X", "")
    lack = [t - a - b for t, a, b in zip(tau, ny.times(eta), n.times(y0), strict=True)]
    lack = list(name_several(d, "lack", [f"lack_{k}" for k in range(freedoms)], lack, "tau - N (Y eta + y0)", ""))
    nyx = _named(d, "nyx", ny @ x, "N Y X", "")
    upper = blocks([[x - gain @ nyx, (gain @ nvx) * -1]])
    rest = [a + b for a, b in zip(eta, gain.times(lack), strict=True)]
    found = closed(Matrix((*upper.rows, *blocks([[over, x]]).rows)), (*rest, *(ZERO,) * 6))
    results = Results(d)
    put_transfer(results, found, "transfer matrix of the hinge, its own qdd eliminated")
    given = f"H (N Y H)^-1: 6 x {freedoms}; the wrench w_k of another input adds -gain N V_k X_k w_k to a_O"
    results.put("gain_out", gain.entries, given, "")
    put_scalar(results, "det", det, "determinant of the pivot matrix N Y H", "")
    bound = Matrix(tuple(tuple(absolute(v) for v in row) for row in n.rows)) @ size
    bound = bound @ Matrix(tuple(tuple(absolute(v) for v in row) for row in h.rows))
    put_scalar(results, "scale", _permanent(bound.rows), "size of the terms that cancel in the determinant", "")
    square = f"{freedoms} x {freedoms}, row by row"
    results.put("pivot", p.entries, f"pivot matrix N Y H: {square}", "")
    results.put("terms", bound.entries, f"sizes of the terms of the pivot matrix: {square}", "")
    _claim_far_side(d, (y, v, y0), (x, h, eta), (n, tau))
    return d


def _claim_far_side(
    d: Derivation,
    body: tuple[Matrix, Matrix, Sequence[Expr]],
    own: tuple[Matrix, Matrix, Sequence[Expr]],
    after: tuple[Matrix, Sequence[Expr]],
) -> None:
    """Claim that for any inboard state the next hinge's force rows hold, and a_O - X a_I - eta is along H."""
    (y, v, y0), (x, h, eta), (n, tau) = body, own, after
    names = [f"z_{k}" for k in range(12)]
    z = d.input_array("z_inboard", names, meaning="any state [rdd wd m q] inboard, for the proof", unit="SI")
    rows = _rows(d, 13)
    out = [sum_of([*(a * b for a, b in zip(row, z, strict=False)), row[12]]) for row in rows[:12]]
    wrench = [a + b + c for a, b, c in zip(y.times(out[:6]), v.times(out[6:]), y0, strict=True)]
    d.claim_zero("far", "N w = tau at the output of the outboard body", [a - t for a, t in zip(n.times(wrench), tau,
                 strict=True)])  # fmt: skip
    apart = [a - b - c for a, b, c in zip(out[:6], x.times(z[:6]), eta, strict=True)]
    gain = _promised(d, "gain_out", len(tau))
    p = n @ y @ h
    along = gain @ (n @ y)  # H P^-1 N Y: projects on the columns of H
    gaps = [a - b for a, b in zip(along.times(apart), apart, strict=True)]
    d.claim_zero("along", "a_O - X a_I - eta = H qdd", gaps)
    gaps = [a - b for a, b in zip((gain @ p).entries, h.entries, strict=True)]
    d.claim_zero("gain", "gain N Y H = H", gaps)


def _promised(d: Derivation, name: str, columns: int) -> Matrix:
    values = [d.promise(element) for element in d.outputs[name].elements]
    return Matrix(tuple(tuple(values[k : k + columns]) for k in range(0, len(values), columns)))


def _rows(d: Derivation, size: int) -> tuple[tuple[Expr, ...], ...]:
    return _promised(d, "u", size).rows


def sum_of(values: Sequence[Expr]) -> Expr:
    """Return a sum."""
    total = ZERO
    for value in values:
        total = total + value
    return total


def _named(d: Derivation, name: str, matrix: Matrix, meaning: str, unit_text: str) -> Matrix:
    """Name the entries of a matrix of any shape."""
    rows = []
    columns = range(len(matrix.rows[0]))
    targets = [f"{name}_{i}{j}" for i in range(len(matrix.rows)) for j in columns]
    flat = name_several(d, name, targets, matrix.entries, f"{meaning}, by rows", unit_text)
    for k in range(0, len(flat), len(columns)):
        rows.append(tuple(flat[k : k + len(columns)]))
    return Matrix(tuple(rows))


def inverse_of(d: Derivation, matrix: Matrix) -> tuple[Matrix, Expr]:
    """Name determinant and inverse of a matrix of up to three rows, by cofactors, and claim that it is the inverse."""
    size = len(matrix.rows)
    cofactors = _named(d, "cofactor", _cofactors(matrix), "cofactors of the pivot matrix, transposed", "")
    det = d.scalar("det_pivot", sum_of([matrix.rows[0][k] * cofactors.rows[k][0] for k in range(size)]), "determinant")
    reciprocal = d.scalar("i_det", ONE / det, "its reciprocal")
    found = _named(d, "inverse", cofactors * reciprocal, "inverse of the pivot matrix", "")
    kept = tuple(str(v) for v in matrix.entries)
    gaps = (found @ matrix - unit(size)).entries
    d.claim_identity("inverse", "the cofactors give the inverse", gaps, squares={}, keep=kept)
    return found, det


def _cofactors(matrix: Matrix) -> Matrix:
    size = len(matrix.rows)
    rows = []
    for i in range(size):
        row = []
        for j in range(size):
            minor = [[v for m, v in enumerate(r) if m != i] for k, r in enumerate(matrix.rows) if k != j]
            row.append(determinant(minor) * (-1) ** (i + j))
        rows.append(tuple(row))
    return Matrix(tuple(rows))


def _permanent(rows: Sequence[Sequence[Expr]]) -> Expr:
    if not rows:
        return ONE
    first, *others = rows
    return sum_of([v * _permanent([[x for m, x in enumerate(r) if m != k] for r in others])
                   for k, v in enumerate(first)])  # fmt: skip


# -- ball and pin in the paper's form --------------------------------------------------------------------------------


def ball() -> Derivation:
    """Derive the ball hinge in the paper's form: the moment is known, wd comes from the row of the far moment."""
    return _known_moment("far_side_ball", "ball hinge in the paper's form, by the far side", points=3, turns=3)


def pin() -> Derivation:
    """Derive the pin of a planar system in the paper's form."""
    return _known_moment(
        "far_side_pin", "pin of a planar system in the paper's form, by the far side", points=2, turns=1
    )


def _known_moment(name: str, title: str, *, points: int, turns: int) -> Derivation:
    """Derive a hinge whose moment is known, before any body: of its matrix the rows of the moment are wanted."""
    d, half = kernel(name, title, SOURCE), points + turns
    y = matrix_port(
        d, "y", (turns, half), "Y of the outboard body, rows of the moment, columns [rdd wd]", "kg m, kg m^2"
    )
    v = matrix_port(d, "v", (turns, half), "V of the outboard body, rows of the moment, columns [m q]", "1, m")
    rest = array_port(d, "y_rest", turns, "y0 of the outboard body, of the moment", "N m")
    near = array_port(d, "tau_near", turns, "moment that the hinge exerts on the body at its input", "N m")
    far = array_port(d, "tau_far", turns, "moment that the next hinge exerts on its outboard side", "N m")
    size = matrix_port(d, "y_size", (turns, turns), "sizes of the terms of Y, of moment and wd", "kg m^2")
    row, on_m, on_q = range(turns), range(turns), range(turns, half)
    moment = [a + b - c for a, b, c in zip(rest, part(v, row, on_m).times(near), far, strict=True)]
    known = name_several(d, "known", [f"known_{k}" for k in row], moment, "y0 + V tau_near - tau_far", "N m")
    inverse, det = inverse_of(d, part(y, row, range(points, half)))
    gain = _named(d, "gain", inverse * -1, "-U32^-1", "1/(kg m^2)")
    over = zeros(turns, turns)
    middle = blocks([[gain @ part(y, row, range(points)), over, over, gain @ part(v, row, on_q)]])
    upper = blocks([[unit(points), zeros(points, half + turns)]])
    lower = blocks([[zeros(half, half), unit(half)]])
    found = closed(
        Matrix((*upper.rows, *middle.rows, *lower.rows)), [*(ZERO,) * points, *gain.times(known), *(ZERO,) * half]
    )
    results = Results(d)
    if turns == 3:
        put_transfer(results, found, "transfer matrix of the hinge")
    else:
        text = "transfer matrix of the hinge: 7 x 7, row by row"
        results.put("u", found.entries, text, "z = [ax ay alpha m qx qy 1]: m/s^2, rad/s^2, N m, N")
    text = "-U32^-1: another input adds gain times the moment that it gives at the output to wd"
    results.put("gain_out", gain.entries, f"{text}: {turns} x {turns}, row by row", "1/(kg m^2)")
    put_scalar(results, "det", det, "determinant of U32", "(kg m^2)^n")
    terms = "size of the terms that cancel in the determinant"
    put_scalar(results, "scale", _permanent(size.rows), terms, "(kg m^2)^n")
    _claim_known_moment(d, y, v, (rest, near, far))
    return d


def _claim_known_moment(d: Derivation, y: Matrix, v: Matrix, moments: Sequence[Sequence[Expr]]) -> None:
    """Claim that for any rdd and q, with the known moments, the moment at the output is that of the next hinge."""
    rest, near, far = moments
    turns, half = len(near), len(y.rows[0])
    z = d.input_array("z_inboard", [f"z_{k}" for k in range(2 * half)], meaning="any state inboard, for the proof",
                      unit="SI")  # fmt: skip
    rows = _rows(d, 2 * half + 1)
    out = [sum_of([*(a * b for a, b in zip(row, z, strict=False)), row[2 * half]]) for row in rows[: 2 * half]]
    kept = [a - b for a, b in zip(out[half:], z[half:], strict=True)]
    d.claim_zero("through", "the wrench passes through", kept)
    wrench = (*near, *z[half + turns :])
    gap = [a + b + c - t for a, b, c, t in zip(y.times(out[:half]), v.times(wrench), rest, far, strict=True)]
    d.claim_zero("far", "the moment at the output of the body is tau_far", gap)
