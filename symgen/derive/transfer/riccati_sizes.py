"""Sizes that tell what is left from what is rounding: traces of inertias, squares of lengths of columns.

None of them enters a result; pivots of joints and of closing loops are compared with them.
"""

from __future__ import annotations

from symgen.algebra import Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.ports import Results, kernel
from symgen.derive.transfer.factorisation import dot
from symgen.derive.transfer.ports import RICCATI, array_port, put_scalar, symmetric_port

_SIZES, _INERTIAS = "kg, kg m^2", "[mass, inertia] that an inertia was made of"


def size_kernels() -> tuple[Derivation, ...]:
    """Derive the sizes."""
    return made(), moved(), seen(), row()


def made() -> Derivation:
    """Derive the sizes of an inertia: traces of its blocks."""
    d = kernel("riccati_size", "sizes of the terms of an inertia", RICCATI)
    ps = symmetric_port(d, "ps", 6, "P S, rows [q m], columns [rdd wd]", "kg, kg m, kg m^2")
    traces = [-ps.rows[k][k] - ps.rows[k + 1][k + 1] - ps.rows[k + 2][k + 2] for k in (0, 3)]
    Results(d).put("size", traces, f"traces of both blocks of -P S: {_INERTIAS}", _SIZES)
    return d


def moved() -> Derivation:
    """Derive the sizes of an inertia at the output of its body."""
    d = kernel("riccati_input_size", "sizes of the terms of an inertia at the output of its body", RICCATI)
    mass, inertia = d.input_array("size", ("mass", "inertia"), meaning=_INERTIAS, unit=_SIZES)
    lever = d.input_vector("lever", 3, meaning="from the input to the output", unit="m")
    Results(d).put("size_out", [mass, inertia + dot(tuple(lever), tuple(lever)) * mass], "there: the same", _SIZES)
    return d


def _squares(values: tuple[Expr, ...]) -> tuple[Expr, Expr]:
    return dot(values[:3], values[:3]), dot(values[3:], values[3:])


def seen() -> Derivation:
    """Derive the size of the terms in the pivot of a coordinate."""
    d = kernel("riccati_hinge_size", "size of the terms in the pivot of a coordinate", RICCATI)
    column = array_port(d, "column", 6, "column of H, [rdd wd]", "m or 1")
    mass, inertia = d.input_array("size", ("mass", "inertia"), meaning=_INERTIAS, unit=_SIZES)
    slide, turn = _squares(column)
    put_scalar(Results(d), "scale", slide * mass + turn * inertia, "size of the terms that cancel in a pivot", _SIZES)
    return d


def row() -> Derivation:
    """Derive what r^2/pivot of a loop's column in a hinge could be, by lengths."""
    d = kernel("loop_hinge_size", "bound of what a hinge adds to L of a row, from lengths", RICCATI)
    column = array_port(d, "column", 6, "column of H, [rdd wd]", "m or 1")
    g = array_port(d, "g", 6, "column of G, [m q]", "N m, N per multiplier")
    pivot = d.input_scalar("pivot", meaning="pivot of the coordinate", unit="kg, kg m or kg m^2")
    (slide, turn), (moment, force) = _squares(column), _squares(g)
    value = (slide * force + turn * moment) / pivot
    put_scalar(Results(d), "size", value, "size of the terms of L", "per multiplier")
    return d
