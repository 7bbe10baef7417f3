"""Expressions in MATLAB and Octave, of real numbers one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import sympy

from symgen.algebra import real_power
from symgen.printers.expression import ATOM, ExpressionPrinter

#: What is complex for some real numbers.
_COMPLEX = frozenset({sympy.log, sympy.asin, sympy.acos, real_power})


class MatlabPrinter(ExpressionPrinter):
    """Print MATLAB; `root` is a square root that is NaN, not complex, below zero, `pick` one of two numbers."""

    functions: ClassVar[Mapping[type[Any], str]] = {
        sympy.sqrt: "root",
        sympy.sin: "sin",
        sympy.cos: "cos",
        sympy.atan2: "atan2",
        sympy.Abs: "abs",
        sympy.tan: "tan",
        sympy.asin: "asin",
        sympy.acos: "acos",
        sympy.atan: "atan",
        sympy.exp: "exp",
        sympy.log: "log",
        real_power: "power",
    }

    def _print(self, node: Any) -> tuple[str, int]:
        """Print an expression; what MATLAB may make complex becomes NaN, as in C."""
        text, level = super()._print(node)
        return (f"real_or_nan({text})", ATOM) if node.func in _COMPLEX else (text, level)

    def branch_sign(self, branch: str, bit: int) -> str:
        """Return +1 or -1 by the bit of the branch index, which is a number."""
        return "(-1)" if (int(branch) >> bit) & 1 else "1"

    def positive_part(self, value: str) -> str:
        """Return max(value, 0)."""
        return f"max({value}, 0)"

    def choose(self, a: str, b: str, u: str, v: str) -> str:
        """Return u where a <= b, else v."""
        return f"pick({a} <= {b}, {u}, {v})"
