"""Rows and columns of open loops on their way, one multiplier at a time, and loops of any number as they close.

A row is C a + L lam + l = 0, C = (P g)^T for each column g of G. Where loops close, W = L^+ of their rows is known, and

    lam = hold a - W L_o lam_open - W l          hold = -W C

takes them out: of S, of the columns that stay open, of their rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import TWO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.factorisation import dot
from symgen.derive.transfer.ports import (
    RICCATI,
    array_port,
    counted,
    matrix_port,
    packed,
    swapped,
    symmetric_port,
    triangle,
    unpacked,
)

_WRENCH, _ACCELERATION, _ROW = "N m, N per multiplier", "m/s^2, rad/s^2", "m/s^2 or rad/s^2"


def loop_kernels() -> tuple[Derivation, ...]:
    """Derive what loops of any number of multipliers need."""
    return (
        row_swept(),
        *(row_hinge(freedoms) for freedoms in (1, 2, 3)),
        recall(),
        hold(),
        stiffen(),
        column_close(),
        row_close(),
        load_close(),
        multiplier(),
    )


def _column(d: Derivation, name: str = "g", what: str = "column of G: wrench of a multiplier, [m q]") -> list[Expr]:
    return list(array_port(d, name, 6, what, _WRENCH))


def _put(d: Derivation, name: str, value: Expr, meaning: str, unit: str) -> None:
    d.output(name, d.scalar(f"{name}_value", value, meaning, unit), meaning=meaning, unit=unit, frame="")


def row_swept() -> Derivation:
    """Derive l of a row at a port whose acceleration relative to its carrier is c."""
    d = kernel("loop_row_swept", "l of a row at a port whose acceleration relative to its carrier is c", RICCATI)
    rest = d.input_scalar("l", meaning="l of the row", unit=_ROW)
    g = _column(d)
    c = array_port(d, "c", 6, "acceleration beyond the carrier's (minus eta of the joint), [rdd wd]", _ACCELERATION)
    found = rest + dot(swapped(g), c)
    _put(d, "l_out", found, "l of the row at the carrier", _ROW)
    a = array_port(d, "a", 6, "any acceleration of the carrier, for the proof", _ACCELERATION)
    gap = dot(swapped(g), [x + y for x, y in zip(a, c, strict=True)]) + rest - dot(swapped(g), a) - found
    d.claim_identity("same", "C (a + c) + l = C a + l'", [gap], squares={})
    return d


def row_hinge(freedoms: int) -> Derivation:
    """Derive what a hinge does to a row: L_ij - r_i . Kl_j, and l_i - r_i . K0 alike."""
    d = kernel(
        f"loop_row_hinge_{freedoms}", f"entry of a row beyond a hinge with {counted(freedoms, 'freedom')}", RICCATI
    )
    entry = d.input_scalar("entry", meaning="L_ij or l_i of the row", unit="per multiplier, or that of the row")
    r = array_port(d, "r", freedoms, "r of the row's column", "N or N m per multiplier")
    k = array_port(d, "k", freedoms, "Kl_j of the other column, or K0", "1/s^2 per multiplier, or of coordinates")
    found = entry - dot(r, k)
    _put(d, "entry_out", found, "L_ij or l_i beyond the hinge", "per multiplier, or that of the row")
    _claim_row(d, freedoms, (entry, k, found))
    return d


def _claim_row(d: Derivation, freedoms: int, row: tuple[Expr, Sequence[Expr], Expr]) -> None:
    """Claim that with r = H^T P g it is the row at a_I = a_O - H k."""
    entry, k, found = row
    h = matrix_port(d, "h", (6, freedoms), "any H, for the proof", "m or 1")
    pg = array_port(d, "pg", 6, "P g of any column, for the proof", _WRENCH)
    inner = dot(pg, [-x for x in h.times(k)]) + entry
    work = h.transposed.times(pg)
    gap = inner - found - sum((dot([d.promise(f"r_{i}") - w], [k[i]]) for i, w in enumerate(work)), start=entry * 0)
    d.claim_identity("row", "L_ij + (P g_i)^T (-H k) where r_i = H^T P g_i", [gap], squares={})


def recall() -> Derivation:
    """Derive what is to vanish beside C a with Baumgarte stabilisation of open loops: l'' + 2 r l' + r^2 l = 0."""
    d = kernel("loop_recall", "l of a row with Baumgarte stabilisation", "J. Baumgarte 1972")
    bias = d.input_scalar("bias", meaning="second derivative of the row's residual at a = 0", unit=_ROW)
    rate = d.input_scalar("opening", meaning="rate of the row's residual", unit="m/s or rad/s")
    residual = d.input_scalar("residual", meaning="residual of the row", unit="m or rad")
    back = d.input_scalar("recall", meaning="rate of the Baumgarte stabilisation; 0: none", unit="1/s")
    found = bias + back * (TWO * rate + back * residual)
    _put(d, "l", found, "l of the row", _ROW)
    start = d.input_scalar("start", meaning="a residual that fades, for the proof", unit="m or rad")
    slope = d.input_scalar("slope", meaning="its rate plus r times it, for the proof", unit="m/s or rad/s")
    fading = slope - back * start  # of (start + slope t) exp(-r t): value `start`, this rate, this second derivative
    second = -back * slope - back * fading
    gap = second + (found - bias) - back * (TWO * (rate - fading) + back * (residual - start))
    d.claim_identity("fades", "(s + u t) exp(-r t) obeys it: both roots are -r", [gap], squares={})
    return d


def hold() -> Derivation:
    """Derive what a column adds to hold = -W C of a row."""
    d = kernel("loop_hold", "multiplier of a closing row from the acceleration: share of one column", RICCATI)
    before = array_port(d, "hold", 6, "hold so far, by [rdd wd]", "multiplier per m/s^2")
    w = d.input_scalar("w", meaning="entry of W = L^+", unit="multiplier per m/s^2")
    g = _column(d)
    found = [a - w * b for a, b in zip(before, swapped(g), strict=True)]
    Results(d).put("hold_out", found, "hold with that column, by [rdd wd]", "multiplier per m/s^2")
    a = array_port(d, "a", 6, "any acceleration, for the proof", _ACCELERATION)
    entry = d.input_scalar("entry", meaning="L where w L = 1, for the proof", unit="per multiplier")
    gap = dot(swapped(g), a) + entry * (dot(found, a) - dot(before, a)) + (w * entry - 1) * dot(swapped(g), a)
    d.claim_identity("closed", "C a + L lam = 0 of one row, w L = 1", [gap], squares={})
    return d


def stiffen() -> Derivation:
    """Derive what a closing row adds to S: (P g) hold^T, a part of a symmetric sum."""
    d = kernel("loop_stiffen", "S with the wrench of a multiplier lam = hold a: P S + (P g) hold^T", RICCATI)
    ps = symmetric_port(d, "ps", 6, "P S, rows [q m], columns [rdd wd]", "kg, kg m, kg m^2")
    g = _column(d)
    held = array_port(d, "hold", 6, "hold of the multiplier, by [rdd wd]", "multiplier per m/s^2")
    pull = swapped(g)
    left = unpacked([ps.rows[i][j] + pull[i] * held[j] for i, j in triangle(6)], 6)
    what = "P S with it: lower triangle, row by row; symmetric once all rows of a closing are in"
    Results(d).put("ps_out", packed(left), what, "kg, kg m, kg m^2")
    a = array_port(d, "a", 6, "any acceleration, for the proof", _ACCELERATION)
    w = d.input_scalar("w", meaning="W of one row, for the proof", unit="multiplier per m/s^2")
    own = unpacked([ps.rows[i][j] - w * pull[i] * pull[j] for i, j in triangle(6)], 6)
    load = [x + y * dot([-w * p for p in pull], a) for x, y in zip(ps.times(a), pull, strict=True)]
    gaps = [x - y for x, y in zip(load, own.times(a), strict=True)]
    d.claim_identity("same", "S a + g lam = S' a with hold = -w C", gaps, squares={})
    return d


def column_close() -> Derivation:
    """Derive a column that stays open beside a row that closes."""
    d = kernel("loop_column_close", "column that stays open when another multiplier closes", RICCATI)
    g = _column(d)
    closed = _column(d, "g_closed", "column of the multiplier that closes, [m q]")
    lean = d.input_scalar("lean", meaning="lam = ... - lean lam_open, lean = W L_o", unit="1")
    found = [a - lean * b for a, b in zip(g, closed, strict=True)]
    Results(d).put("g_out", found, "column with the loop closed, [m q]", _WRENCH)
    other = d.input_scalar("lam_open", meaning="any open multiplier, for the proof", unit="multiplier")
    gaps = [a * other + b * (-lean * other) - c * other for a, b, c in zip(g, closed, found, strict=True)]
    d.claim_identity("same", "g lam_open + g_closed lam = g' lam_open", gaps, squares={})
    return d


def row_close() -> Derivation:
    """Derive what an open multiplier or row loses by a row that closes: value - lean times the other."""
    d = kernel("loop_row_close", "L_oq, l_o of an open row when another row closes, or its multiplier", RICCATI)
    value = d.input_scalar("value", meaning="L_oq, l_o, or lam so far", unit="that of the row, or multiplier")
    lean = d.input_scalar("lean", meaning="lean = W L_o of the closing row and the open one", unit="1")
    other = d.input_scalar("closing", meaning="L_qi, l_i of the row that closes, or lam_open", unit="as value")
    found = value - lean * other
    _put(d, "value_out", found, "the same with the loop closed", "as value")
    w = d.input_scalar("inverse", meaning="W of one row, for the proof", unit="multiplier per m/s^2")
    link = d.input_scalar("link", meaning="L_o of that row, for the proof", unit="per multiplier")
    gap = value + link * (-w * other) - found - (lean - w * link) * other
    d.claim_identity("same", "l_o + L_o lam with lam = -w l_i, lean = w L_o", [gap], squares={})
    return d


def load_close() -> Derivation:
    """Derive what a closing row adds to e: the wrench of -W l, with W symmetric, is hold^T l."""
    d = kernel("loop_load_close", "e with the l of a row that closes", RICCATI)
    e = array_port(d, "e", 6, "e of w = S a + e, [m q]", "N m, N")
    held = array_port(d, "hold", 6, "hold of the row, by [rdd wd]", "multiplier per m/s^2")
    rest = d.input_scalar("l", meaning="l of the row", unit=_ROW)
    found = [a + rest * b for a, b in zip(e, swapped(held), strict=True)]
    Results(d).put("e_out", found, "e with it, [m q]", "N m, N")
    g = _column(d, "g", "column of one row, for the proof")
    w = d.input_scalar("w", meaning="W of it, for the proof", unit="multiplier per m/s^2")
    wrench = [a + b * (-w * rest) for a, b in zip(e, g, strict=True)]
    own = [-w * value for value in swapped(g)]  # hold
    gaps = [a - b - rest * (x - y) for a, b, x, y in zip(wrench, found, swapped(own), swapped(held), strict=True)]
    d.claim_identity("same", "e + g lam with lam = -w l, hold = -w C", gaps, squares={})
    return d


def multiplier() -> Derivation:
    """Derive a multiplier from the acceleration of the body where it closes: hold a - W l."""
    d = kernel("loop_multiplier", "multiplier of a closing row, without the share of open rows", RICCATI)
    held = array_port(d, "hold", 6, "hold of the row, by [rdd wd]", "multiplier per m/s^2")
    a = array_port(d, "a", 6, "acceleration of the body, [rdd wd]", _ACCELERATION)
    offset = d.input_scalar("offset", meaning="W l of the row", unit="multiplier")
    found = dot(held, a) - offset
    _put(d, "lam", found, "hold a - W l", "multiplier")
    entry = d.input_scalar("entry", meaning="L of one row, for the proof", unit="per multiplier")
    rest = d.input_scalar("l", meaning="l of it, for the proof", unit=_ROW)
    c_a = -entry * dot(held, a)  # C a, as hold = -C/L
    gap = c_a + entry * found + rest - (rest - entry * offset)
    d.claim_identity("closed", "C a + L lam + l = 0 with hold = -C/L, offset = l/L", [gap], squares={})
    return d
