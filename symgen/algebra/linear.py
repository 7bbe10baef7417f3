"""Linear equations and determinants of expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import sympy

from symgen.algebra.expressions import ONE, ZERO, Expr, is_zero


def solve_linear(residuals: Sequence[Expr], unknowns: Sequence[str]) -> list[Expr]:
    """Solve linear equations, each residual = 0, for named symbols; values come expanded.

    Raises
    ------
    ValueError
        If the equations do not determine every unknown.
    """
    symbols = [sympy.Symbol(name, real=True) for name in unknowns]
    found = list(sympy.linsolve([cast(sympy.Expr, residual) for residual in residuals], symbols))
    if len(found) != 1 or any(value.has(*symbols) for value in found[0]):
        raise ValueError(f"these equations do not determine {', '.join(unknowns)}")
    return [cast(Expr, sympy.expand(value)) for value in found[0]]


def determinant(rows: Sequence[Sequence[Expr]]) -> Expr:
    """Return a determinant by expansion along the row with the fewest entries, for matrices with many zeros."""
    if not rows:
        return ONE
    k = min(range(len(rows)), key=lambda i: sum(not is_zero(value) for value in rows[i]))
    total = ZERO
    for j, value in enumerate(rows[k]):
        if not is_zero(value):
            minor = [[v for m, v in enumerate(row) if m != j] for i, row in enumerate(rows) if i != k]
            total = total + value * determinant(minor) * (-1) ** (j + k)
    return total
