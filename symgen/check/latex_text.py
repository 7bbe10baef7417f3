r"""Formulas as LaTeX that `symgen.check.latex` reads again: what was likely meant, as it would be printed."""

from __future__ import annotations

from fractions import Fraction

from symgen.check.formula import (
    ELEMENTARY,
    AppliedFunction,
    ExactNumber,
    Formula,
    FormulaProduct,
    Negative,
    Power,
    Quotient,
    SourceLetter,
    Sum,
    Unbracketed,
)

_SUM, _PRODUCT, _SIDE, _BASE = range(4)
_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}


class _UnwrittenError(ValueError):
    """LaTeX, as it is read here, has no word for it."""


def as_latex(formula: Formula) -> str:
    """Return a formula as LaTeX; "" if it has parts that LaTeX, as it is read here, has no word for."""
    try:
        return _text(formula)[0]
    except _UnwrittenError:
        return ""


def _text(node: Formula) -> tuple[str, int]:
    """Return the text of a formula, and how tightly it is bound."""
    if isinstance(node, ExactNumber):
        whole = node.value.denominator == 1
        return _number(node.value), _BASE if whole else _SIDE
    if isinstance(node, SourceLetter):
        return node.name, _SIDE if "^" in node.name or "'" in node.name else _BASE
    if isinstance(node, Sum):
        words = [_bracketed(part, _PRODUCT) for part in node.parts]
        return words[0] + "".join(f" - {w[1:]}" if w.startswith("-") else f" + {w}" for w in words[1:]), _SUM
    if isinstance(node, Negative):
        return f"-{_bracketed(node.parts[0], _SIDE)}", _PRODUCT
    if isinstance(node, FormulaProduct):
        return " ".join(_factor(part, k) for k, part in enumerate(node.parts)), _SIDE
    if isinstance(node, Unbracketed):
        return _text(node.parts[0])
    if isinstance(node, Quotient):
        above, under = (_text(part)[0] for part in node.parts)
        return f"\\frac{{{above}}}{{{under}}}", _SIDE
    if isinstance(node, Power):
        return f"{_bracketed(node.parts[0], _BASE)}^{{{_exponent(node.parts[1])}}}", _SIDE
    if isinstance(node, AppliedFunction):
        return _call(node)
    raise _UnwrittenError(type(node).__name__)


def _number(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"\\frac{{{value.numerator}}}{{{value.denominator}}}"


def _factor(node: Formula, place: int) -> str:
    """Return a factor; behind another one, what begins with a digit could be read in two ways."""
    text = _bracketed(node, _SIDE)
    is_product = isinstance(node, FormulaProduct)
    return f"({text})" if is_product or (place > 0 and text[0].isdigit()) else text


def _exponent(node: Formula) -> str:
    if isinstance(node, ExactNumber):
        return str(node.value)
    if isinstance(node, Negative) and isinstance(node.parts[0], ExactNumber):
        return f"-{node.parts[0].value}"
    raise _UnwrittenError("an exponent that is no number")


def _call(node: AppliedFunction) -> tuple[str, int]:
    name = node.function
    if name == "sqrt":
        return f"\\sqrt{{{_text(node.parts[0])[0]}}}", _BASE
    if name == "transpose":
        return f"{_bracketed(node.parts[0], _BASE)}^{{\\top}}", _SIDE
    if name in ("\\times", "\\cdot"):
        return f" {name} ".join(map(_side, node.parts)), _PRODUCT
    if name in ("\\lvert", "abs", "det"):
        return f"\\lvert {_text(node.parts[0])[0]} \\rvert", _BASE
    if name == "\\below":
        rows = " \\\\ ".join(map(_row, node.parts))
        return f"\\begin{{bmatrix}} {rows} \\end{{bmatrix}}", _BASE
    inner = ", ".join(_text(part)[0] for part in node.parts)
    if name in ELEMENTARY:
        return f"\\{_NAMES.get(name, name)}({inner})", _SIDE
    if name.isidentifier() and len(name) > 1:
        raise _UnwrittenError(name)
    return f"{name}({inner})", _SIDE


def _side(node: Formula) -> str:
    text = _bracketed(node, _SIDE)
    return f"({text})" if isinstance(node, FormulaProduct) else text


def _row(node: Formula) -> str:
    if isinstance(node, AppliedFunction) and node.function == "beside":
        return " & ".join(_text(part)[0] for part in node.parts)
    raise _UnwrittenError("a row that is no row")


def _bracketed(node: Formula, least: int) -> str:
    text, binds = _text(node)
    return text if binds >= least else f"({text})"
