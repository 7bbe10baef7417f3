"""A small symmetric positive definite matrix factorised as L diag(p) L^T, written out: no square roots, f divisions.

The pivots p belong to one coordinate each and scale with its unit, so that a mixture of lengths and angles costs no
digits; a pivot that is not positive says which coordinate sees no inertia.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import ONE, ZERO, Expr
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix, name_several
from symgen.derive.transfer.ports import triangle


@dataclass(frozen=True)
class LdlFactors:
    """The factors of N: below the diagonal of L, pivots, their reciprocals; `kept` names the entries of N."""

    lower: dict[tuple[int, int], Expr]
    pivots: tuple[Expr, ...]
    reciprocals: tuple[Expr, ...]
    matrix: Matrix
    kept: tuple[str, ...]

    def forward(self, right: Matrix) -> Matrix:
        """Return Y of L Y = B."""
        found: list[tuple[Expr, ...]] = []
        for i, row in enumerate(right.rows):
            values = list(row)
            for k, above in enumerate(found):
                values = [v - self.lower[i, k] * a for v, a in zip(values, above, strict=True)]
            found.append(tuple(values))
        return Matrix(tuple(found))

    def scaled(self, forward: Matrix) -> Matrix:
        """Return diag(p)^-1 Y."""
        pairs = zip(forward.rows, self.reciprocals, strict=True)
        return Matrix(tuple(tuple(value * reciprocal for value in row) for row, reciprocal in pairs))

    def back(self, scaled: Matrix, sign: int = 1) -> Matrix:
        """Return sign N^-1 B from diag(p)^-1 Y with L Y = B."""
        size = len(self.pivots)
        found: list[list[Expr]] = [[] for _ in range(size)]
        for i in reversed(range(size)):
            values = [v * sign for v in scaled.rows[i]]
            for j in range(i + 1, size):
                values = [v - self.lower[j, i] * x for v, x in zip(values, found[j], strict=True)]
            found[i] = values
        return Matrix(tuple(tuple(row) for row in found))


def dot(one: Sequence[Expr], two: Sequence[Expr]) -> Expr:
    """Return the sum of products: b1^T N^-1 b2 from the columns of Y and diag(p)^-1 Y."""
    total = ZERO
    for a, b in zip(one, two, strict=True):
        total = total + a * b
    return total


def factorise(d: Derivation, matrix: Matrix, what: str, unit: str) -> LdlFactors:
    """Name the entries of a symmetric positive definite matrix and its factors."""
    size = len(matrix.rows)
    places = triangle(size)
    names = [f"n_{i}{j}" for i, j in places]
    values = name_several(d, "n", names, [matrix.rows[i][j] for i, j in places], f"{what}, lower triangle", unit)
    entry = dict(zip(places, values, strict=True))
    lower: dict[tuple[int, int], Expr] = {}
    raw: dict[tuple[int, int], Expr] = {}
    pivots, reciprocals = [], []
    for j in range(size):
        pivot = entry[j, j]
        for k in range(j):
            pivot = pivot - lower[j, k] * raw[j, k]
        pivots.append(d.scalar(f"pivot_{j}", pivot, f"pivot {j} of L diag(p) L^T", unit))
        reciprocals.append(d.scalar(f"i_pivot_{j}", ONE / pivots[j], "its reciprocal"))
        for i in range(j + 1, size):
            value = entry[i, j]
            for k in range(j):
                value = value - lower[i, k] * raw[j, k]
            raw[i, j] = d.scalar(f"raw_{i}{j}", value, f"entry {i}, {j} of L diag(p)", unit)
            lower[i, j] = d.scalar(f"lower_{i}{j}", raw[i, j] * reciprocals[j], f"entry {i}, {j} of L")
    full = Matrix(tuple(tuple(entry[max(i, j), min(i, j)] for j in range(size)) for i in range(size)))
    return LdlFactors(lower, tuple(pivots), tuple(reciprocals), full, tuple(names))


def inverse(d: Derivation, factors: LdlFactors, name: str, meaning: str, unit: str, sign: int = 1) -> Matrix:
    """Name the inverse, times a sign, and claim that it is one."""
    size = len(factors.pivots)
    below = factors.forward(Matrix(tuple(tuple(ONE if i == j else ZERO for j in range(size)) for i in range(size))))
    names = [f"left_{i}{j}" for i, j in triangle(size)]
    known = [below.rows[i][j] for i, j in triangle(size)]
    left = dict(zip(triangle(size), name_several(d, "left", names, known, "L^-1, lower triangle", ""), strict=True))
    sides = [tuple(left[i, j] if i >= j else ZERO for i in range(size)) for j in range(size)]
    scaled = factors.scaled(Matrix(tuple(sides)).transposed).transposed.rows
    values = [dot(sides[i], scaled[j]) * sign for i, j in triangle(size)]
    steps = name_several(d, name, [f"{name}_{i}{j}" for i, j in triangle(size)], values, meaning, unit)
    entry = dict(zip(triangle(size), steps, strict=True))
    found = Matrix(tuple(tuple(entry[max(i, j), min(i, j)] for j in range(size)) for i in range(size)))
    product = found @ factors.matrix * sign
    gaps = [value - (ONE if k % (size + 1) == 0 else ZERO) for k, value in enumerate(product.entries)]
    d.claim_identity("inverse", "the factors give the inverse", gaps, squares={}, keep=factors.kept)
    return found
