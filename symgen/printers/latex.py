"""Expressions as LaTeX, for documents: names of several letters upright, what follows an underscore below."""

from __future__ import annotations

import re
from typing import Any

from sympy.printing.latex import LatexPrinter

from symgen.algebra import Expr
from symgen.printers.greek import GREEK

_DOTS = re.compile(r"(\w+?)(ddot|dot)")


class _Printer(LatexPrinter):  # type: ignore[misc]
    """SymPy's printer with our names."""

    def _print_Symbol(self, expr: Any, style: str = "plain") -> str:  # noqa: N802 - SymPy's name
        return letter(str(expr.name))

    def _print_positive_part(self, expr: Any, exp: str | None = None) -> str:
        text = f"\\max({self._print(expr.args[0])}, 0)"
        return text if exp is None else f"{text}^{{{exp}}}"


def letter(name: str) -> str:
    """Return a name as a letter: ``qdot_0`` is a dotted q with an index."""
    base, _, below = name.partition("_")
    dotted = _DOTS.fullmatch(base)
    accent = ""
    if dotted is not None:
        base, accent = dotted[1], f"\\{dotted[2]}"
    text = f"\\{base}" if base in GREEK else base if len(base) == 1 else f"\\mathrm{{{base}}}"
    text = f"{accent}{{{text}}}" if accent else text
    below = below.replace("_", ",")
    return f"{text}_{{{below}}}" if below else text


def latex(value: Expr) -> str:
    """Return the LaTeX of an expression."""
    text: str = _Printer({"order": "none", "fold_short_frac": False}).doprint(value)
    return text
