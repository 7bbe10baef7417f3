"""Expressions as plain formulas, for manifests and documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import sympy

from symgen.printers.expression import ExpressionPrinter


class PlainPrinter(ExpressionPrinter):
    """Print a formula for people."""

    functions: ClassVar[Mapping[type[Any], str]] = {
        sympy.sqrt: "sqrt",
        sympy.sin: "sin",
        sympy.cos: "cos",
        sympy.atan2: "atan2",
        sympy.Abs: "abs",
    }

    def literal(self, value: float) -> str:
        """Return the shortest text of the number."""
        return str(int(value)) if value == int(value) else repr(value)

    def branch_sign(self, branch: str, bit: int) -> str:
        """Return the sign of a branch bit."""
        return f"sign({branch}, bit {bit})"

    def positive_part(self, value: str) -> str:
        """Return max(value, 0)."""
        return f"max({value}, 0)"

    def choose(self, a: str, b: str, u: str, v: str) -> str:
        """Return u where a <= b, else v."""
        return f"({u} if {a} <= {b} else {v})"
