"""Time derivatives of expressions whose symbols have known rates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr, branch_sign, positive_part

_SMOOTH = (sympy.Add, sympy.Mul, sympy.Pow, sympy.sin, sympy.cos, positive_part)


def time_derivative(value: Expr, rate_of: Callable[[str], Expr]) -> Expr:
    """Return the time derivative of an expression; max(x, 0) is taken where x is positive.

    Parameters
    ----------
    rate_of : name of a symbol -> its rate.

    Raises
    ------
    ValueError
        It holds an operation that `is_algebraic` refuses.
    """
    return cast(Expr, _derivative(cast(Any, value), rate_of))


def is_algebraic(value: Expr) -> bool:
    """Tell whether an expression has but sums, products, integer powers, square roots, sines and cosines."""
    node = cast(Any, value)
    if not node.args or isinstance(node, branch_sign):
        return True
    if isinstance(node, sympy.Pow):
        return bool((2 * node.exp).is_Integer) and is_algebraic(node.base)
    return isinstance(node, _SMOOTH) and all(map(is_algebraic, node.args))


def is_sign(value: Expr) -> bool:
    """Tell whether an expression is +1 or -1 by the branch."""
    return isinstance(value, branch_sign)


def signed_root(value: Expr, is_sign: Callable[[Expr], bool]) -> tuple[Expr, Expr] | None:
    """Return (c^2, x) of an expression c sqrt(x) whose c is made of numbers and of what `is_sign`, else None."""
    node = cast(Any, value)
    square, radicand = sympy.Integer(1), None
    for factor in sympy.Mul.make_args(node):
        if isinstance(factor, sympy.Pow) and factor.exp == sympy.Rational(1, 2) and radicand is None:
            radicand = factor.base
        elif isinstance(factor, sympy.Rational):
            square *= factor**2
        elif not is_sign(factor):
            return None
    return None if radicand is None else (cast(Expr, square), cast(Expr, radicand))


def _derivative(node: Any, rate_of: Callable[[str], Expr]) -> Any:
    if isinstance(node, sympy.Symbol):
        return rate_of(str(node.name))
    if not node.args or isinstance(node, branch_sign):
        return sympy.Integer(0)
    if isinstance(node, sympy.Add):
        return sympy.Add(*(_derivative(part, rate_of) for part in node.args))
    if isinstance(node, sympy.Mul):
        parts = list(node.args)
        rows = [[*parts[:k], _derivative(part, rate_of), *parts[k + 1 :]] for k, part in enumerate(parts)]
        return sympy.Add(*(sympy.Mul(*row) for row in rows))
    if isinstance(node, positive_part):
        return _derivative(node.args[0], rate_of)
    if isinstance(node, sympy.Pow) and (2 * node.exp).is_Integer:
        return node.exp * node.base ** (node.exp - 1) * _derivative(node.base, rate_of)
    if isinstance(node, sympy.sin):
        return sympy.cos(node.args[0]) * _derivative(node.args[0], rate_of)
    if isinstance(node, sympy.cos):
        return -sympy.sin(node.args[0]) * _derivative(node.args[0], rate_of)
    raise ValueError(f"no time derivative of {node.func.__name__}")
