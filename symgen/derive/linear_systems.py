"""Square linear systems of a derivation, factorised once and solved for several right sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import Expr, number
from symgen.derive.derivation import Derivation
from symgen.derive.items import SolveStep, SystemStep


@dataclass(frozen=True)
class LinearSystem:
    """A factorised system; see `symgen.ir.nodes.System`."""

    derivation: Derivation
    name: str
    size: int

    def solve(self, name: str, right: Sequence[Expr], meaning: str) -> tuple[Expr, ...]:
        """Name the solution for one right side: `<name>_1`, `<name>_2`, ..."""
        d = self.derivation
        targets = tuple(f"{name}_{k}" for k in range(1, self.size + 1))
        item = SolveStep(name, self.name, targets, tuple(right), meaning, d.current_part)
        return d.append(item, item.right, targets)

    def inverse(self, name: str) -> tuple[tuple[Expr, ...], ...]:
        """Name the columns of the inverse, for the condition number."""
        columns = range(1, self.size + 1)
        return tuple(
            self.solve(f"{name}{k}", [number(int(j == k)) for j in columns], f"column {k} of the inverse")
            for k in columns
        )


def linear_system(d: Derivation, name: str, matrix: Sequence[Sequence[Expr]], meaning: str) -> LinearSystem:
    """Factorise a square matrix given by rows.

    A routine that needs a solution leaves with SINGULAR if the matrix, scaled, has a pivot below SINGULAR_TOLERANCE:
    solve in parts that give rates. Give rows and columns of like size: rotations and slides in a unit of length that
    suits the mechanism.
    """
    item = SystemStep(name, tuple(tuple(row) for row in matrix), meaning, d.current_part)
    d.append(item, [value for row in item.matrix for value in row], ())
    return LinearSystem(d, name, len(item.matrix))
