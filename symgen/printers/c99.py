"""Expressions in C99, double or float."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import sympy

from symgen.algebra import real_power
from symgen.printers.expression import ExpressionPrinter

Precision = Literal["double", "float"]

#: Type and suffixes of each precision.
REAL_TYPE: dict[Precision, str] = {"double": "double", "float": "float"}
_FUNCTIONS = {
    sympy.sqrt: "sqrt", sympy.sin: "sin", sympy.cos: "cos", sympy.atan2: "atan2", sympy.Abs: "fabs",
    sympy.tan: "tan", sympy.asin: "asin", sympy.acos: "acos", sympy.atan: "atan", sympy.exp: "exp", sympy.log: "log",
    real_power: "pow",
}  # fmt: skip


class C99Printer(ExpressionPrinter):
    """Print C99; literals and functions carry the precision's suffix, so float never touches double."""

    def __init__(self, names: Mapping[str, str], order: Mapping[str, int], precision: Precision) -> None:
        super().__init__(names, order)
        self._real = REAL_TYPE[precision]
        self._suffix = "F" if precision == "float" else ""
        tail = "f" if precision == "float" else ""
        self.functions: Mapping[type[Any], str] = {  # type: ignore[misc]
            kind: name + tail for kind, name in _FUNCTIONS.items()
        }

    def literal(self, value: float) -> str:
        """Return a typed literal that round-trips."""
        return f"{value!r}{self._suffix}"

    def branch_sign(self, branch: str, bit: int) -> str:
        """Return +1 or -1 by the bit of the branch index."""
        chosen = f"(({branch} >> {bit}) & 1)" if bit else f"({branch} & 1)"
        return f"({self._real})(1 - 2*{chosen})"

    def positive_part(self, value: str) -> str:
        """Return max(value, 0) without a library call."""
        zero = self.literal(0.0)
        text = value if value.isidentifier() else f"({value})"
        return f"({text} > {zero} ? {text} : {zero})"

    def choose(self, a: str, b: str, u: str, v: str) -> str:
        """Return u where a <= b, else v."""
        return f"({a} <= {b} ? {u} : {v})"
