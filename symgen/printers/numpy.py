"""Expressions in NumPy, vectorised over leading axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import sympy

from symgen.algebra import real_power
from symgen.printers.expression import ExpressionPrinter


class NumPyPrinter(ExpressionPrinter):
    """Print NumPy expressions; arrays broadcast."""

    functions: ClassVar[Mapping[type[Any], str]] = {
        sympy.sqrt: "np.sqrt",
        sympy.sin: "np.sin",
        sympy.cos: "np.cos",
        sympy.atan2: "np.arctan2",
        sympy.Abs: "np.abs",
        sympy.tan: "np.tan",
        sympy.asin: "np.arcsin",
        sympy.acos: "np.arccos",
        sympy.atan: "np.arctan",
        sympy.exp: "np.exp",
        sympy.log: "np.log",
        real_power: "np.power",
    }

    def vector_function(self, name: str) -> str:
        """Return what a function of vectors is called."""
        return f"_{name}"

    def branch_sign(self, branch: str, bit: int) -> str:
        """Return +1 or -1 by the bit of the branch index."""
        return f"np.where(({branch} >> {bit}) & 1, -1.0, 1.0)"

    def positive_part(self, value: str) -> str:
        """Return max(value, 0)."""
        return f"np.maximum({value}, 0.0)"

    def choose(self, a: str, b: str, u: str, v: str) -> str:
        """Return u where a <= b, else v."""
        return f"np.where({a} <= {b}, {u}, {v})"
