"""Linear systems with any kind of number: what `symgen.ir.nodes.System` and `Solve` mean.

Source: equilibration in the largest entries, Ruiz 2001 (RAL-TR-2001-034); LU with partial pivoting, any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Number = Any  # mpmath.mpf or float

#: Sweeps that bring rows and columns to the same size: each takes the root of what is left of the disproportion.
SWEEPS = 4


@dataclass(frozen=True)
class LuFactors:
    """LU factors of the scaled matrix (rows exchanged), the scales, and where each row came from."""

    lower_upper: list[list[Number]]
    rows: list[Number]
    columns: list[Number]
    order: list[int]


def factorise(matrix: Sequence[Sequence[Number]]) -> tuple[Number, LuFactors]:
    """Return the smallest pivot of the equilibrated matrix (0 where it cannot be factorised), and its factors."""
    n = len(matrix)
    a = [list(row) for row in matrix]
    rows, columns, order = [1 + 0 * a[0][0]] * n, [1 + 0 * a[0][0]] * n, list(range(n))
    for _ in range(SWEEPS):
        high = [max(abs(v) for v in row) for row in a]
        wide = [max(abs(a[i][j]) for i in range(n)) for j in range(n)]
        if not all(v > 0 for v in (*high, *wide)):
            return 0 * high[0], LuFactors(a, rows, columns, order)
        rows = [s / v**0.5 for s, v in zip(rows, high, strict=True)]
        columns = [s / v**0.5 for s, v in zip(columns, wide, strict=True)]
        a = [[matrix[i][j] * rows[i] * columns[j] for j in range(n)] for i in range(n)]
    least = None
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(a[i][k]))
        a[k], a[best], order[k], order[best] = a[best], a[k], order[best], order[k]
        pivot = abs(a[k][k])
        least = pivot if least is None or pivot < least else least
        if not pivot > 0:
            break
        for i in range(k + 1, n):
            a[i][k] = a[i][k] / a[k][k]
            for j in range(k + 1, n):
                a[i][j] = a[i][j] - a[i][k] * a[k][j]
    return least, LuFactors(a, rows, columns, order)


def substitute(factors: LuFactors, right: Sequence[Number]) -> list[Number]:
    """Return the solution for one right side."""
    a, n = factors.lower_upper, len(right)
    x = [right[row] * factors.rows[row] for row in factors.order]
    for i in range(n):
        for j in range(i):
            x[i] = x[i] - a[i][j] * x[j]
    for i in reversed(range(n)):
        for j in range(i + 1, n):
            x[i] = x[i] - a[i][j] * x[j]
        x[i] = x[i] / a[i][i]
    return [value * scale for value, scale in zip(x, factors.columns, strict=True)]
