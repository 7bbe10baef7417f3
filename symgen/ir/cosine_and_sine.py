"""Two steps that are cosine and sine of one angle: one call of our own functions gives both."""

from __future__ import annotations

from symgen.algebra import Expr, operation
from symgen.ir.nodes import Let, Statement


def cosine_and_sine(first: Statement, second: Statement | None) -> tuple[Let, Let, Expr] | None:
    """Return two steps that are cosine and sine of one angle, and the angle."""
    if not isinstance(first, Let) or not isinstance(second, Let) or len(first.values) != 1 or len(second.values) != 1:
        return None
    (kind, angle), (other, same) = operation(first.values[0]), operation(second.values[0])
    return (first, second, angle[0]) if (kind, other) == ("cos", "sin") and angle == same else None
