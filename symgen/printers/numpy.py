"""Expressions in NumPy, vectorised over leading axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import sympy

from symgen.printers.expression import ExpressionPrinter


class NumPyPrinter(ExpressionPrinter):
    """Print NumPy expressions; arrays broadcast."""

    functions: ClassVar[Mapping[type[Any], str]] = {
        sympy.sqrt: "np.sqrt",
        sympy.sin: "np.sin",
        sympy.cos: "np.cos",
        sympy.atan2: "np.arctan2",
        sympy.Abs: "np.abs",
    }

    def branch_sign(self, branch: str, bit: int) -> str:
        """Return +1 or -1 by the bit of the branch index."""
        return f"np.where(({branch} >> {bit}) & 1, -1.0, 1.0)"

    def positive_part(self, value: str) -> str:
        """Return max(value, 0)."""
        return f"np.maximum({value}, 0.0)"
