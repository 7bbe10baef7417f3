"""Numbers in expressions: what is a number is computed, with twice a double's bits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr, branch_sign, choose, positive_part, real_power, symbol

#: Bits that a folded number keeps: twice a double's, so that what is printed is rounded once.
_KEPT_BITS = 120
_KEPT_DIGITS = 40


def reciprocal(value: Expr) -> Expr:
    """Return one over a number, with twice a double's bits."""
    return cast(Expr, shortened(1 / cast(Any, value)))


def float_of(value: Expr) -> float:
    """Return the double nearest to a number."""
    return float(cast(sympy.Rational, value))


def fold(value: Expr, known: Mapping[str, Expr]) -> Expr:
    """Replace symbols by name and compute what is a number then; nothing is expanded or rearranged.

    Sine and cosine of a number are rounded to a multiple of 2^-60: an angle that is a double, such as pi/2, has that
    much rounding itself, and what is zero of a right angle is zero then.
    """
    return cast(Expr, _fold(cast(Any, value), known))


def _fold(node: Any, known: Mapping[str, Expr]) -> Any:
    if isinstance(node, sympy.Symbol):
        return known.get(str(node.name), node)
    if not node.args:
        return node
    parts = [_fold(part, known) for part in node.args]
    if all(isinstance(part, sympy.Rational) for part in parts):
        return _number(node, parts)
    if isinstance(node, branch_sign):
        return node.func(*parts)
    return node if list(node.args) == parts else node.func(*parts)


def _number(node: Any, parts: list[Any]) -> Any:
    """Return the operation of a node on numbers as a number."""
    if isinstance(node, positive_part):
        return max(parts[0], sympy.Integer(0))
    if isinstance(node, choose):
        return parts[2] if parts[0] <= parts[1] else parts[3]
    if isinstance(node, branch_sign):
        return sympy.Integer(-1 if (int(parts[0]) >> int(parts[1])) & 1 else 1)
    if isinstance(node, real_power) or (isinstance(node, sympy.Pow) and not parts[1].is_Integer):
        return rounded(sympy.Float(parts[0], _KEPT_DIGITS) ** sympy.Float(parts[1], _KEPT_DIGITS), _KEPT_BITS)
    if isinstance(node, (sympy.Add, sympy.Mul, sympy.Pow, sympy.Abs)):
        return shortened(node.func(*parts))
    found = node.func(*(sympy.Float(part, _KEPT_DIGITS) for part in parts))
    return rounded(found, 60 if isinstance(node, (sympy.sin, sympy.cos)) else _KEPT_BITS)


def rounded(found: Any, bits: int) -> Any:
    """Return a real number rounded to a multiple of 2^-bits."""
    if not found.is_real or not found.is_finite:
        raise ArithmeticError(f"{found} is not a real number")
    scale = sympy.Integer(2) ** bits
    return shortened(sympy.Rational(sympy.floor(found * scale + sympy.Rational(1, 2)), scale))


def shortened(found: Any) -> Any:
    """Return a fraction as it is if it is short or a decimal of few digits, else with `_KEPT_BITS` bits."""
    if not isinstance(found, sympy.Rational):
        raise ArithmeticError(f"{found} is not a real number")
    p, q = int(found.p), int(found.q)
    if q & (q - 1) == 0 and abs(p).bit_length() <= _KEPT_BITS:
        return found
    shift = _KEPT_BITS - abs(p).bit_length() + q.bit_length()
    scaled = (2 * p * 2**shift + q) // (2 * q) if shift >= 0 else (2 * p + q * 2**-shift) // (2 * q * 2**-shift)
    return sympy.Rational(scaled, 2**shift) if shift >= 0 else sympy.Integer(scaled * 2**-shift)


def name_radicands(value: Expr, name: str) -> tuple[Expr, tuple[tuple[str, Expr], ...]]:
    """Put names in place of all radicands that are not symbols; return the expression and the names with values.

    SymPy would draw the root of a number that it finds as a factor of a radicand.
    """
    made: dict[Any, str] = {}

    def walk(node: Any) -> Any:
        if not node.args:
            return node
        if isinstance(node, sympy.Pow) and node.exp == sympy.Rational(1, 2) and not node.base.is_Symbol:
            inner = walk(node.base)
            if inner not in made:
                made[inner] = f"{name}_radicand{len(made) or ''}"
            return sympy.sqrt(symbol(made[inner]))
        parts = [walk(part) for part in node.args]
        return node if list(node.args) == parts else node.func(*parts)

    found = walk(cast(Any, value))
    return cast(Expr, found), tuple((each, cast(Expr, inner)) for inner, each in made.items())
