"""Derivatives of expressions whose symbols have known rates, in time or along any other change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import sympy

from symgen.algebra.expressions import Expr, branch_sign, choose, positive_part, real_power

_SMOOTH = (sympy.Add, sympy.Mul, sympy.Pow, sympy.sin, sympy.cos, positive_part)


def time_derivative(value: Expr, rate_of: Callable[[str], Expr]) -> Expr:
    """Return the derivative of an expression; max(x, 0) is taken where x is positive.

    Parameters
    ----------
    rate_of : name of a symbol -> its rate.

    Raises
    ------
    ValueError
        It holds an operation whose derivative is not known here.
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


def halved(value: Expr) -> Expr | None:
    """Return half of a sum whose terms are all twice something, else None: of what derivatives of squares are."""
    terms = [part.as_coeff_Mul() for part in sympy.Add.make_args(cast(Any, value))]
    if not all(factor.is_Integer and factor % 2 == 0 for factor, _ in terms):
        return None
    return cast(Expr, sympy.Add(*(factor / 2 * rest for factor, rest in terms)))


def along_axes(
    values: Sequence[Expr], axes: Sequence[Sequence[Expr]]
) -> tuple[tuple[Expr, ...], tuple[Expr, ...], int] | None:
    """Take out of the components of a vector what is numbers times axes.

    Returns
    -------
    That part, what is left, how many of the axes occur; None if that part is no vector: its numbers are not those of
    whole axes, or an axis has components that are no symbols of their own.
    """
    columns = [[cast(Any, each) for each in axis] for axis in axes]
    symbols = [each for axis in columns for each in axis]
    if not all(isinstance(each, sympy.Symbol) for each in symbols) or len({*symbols}) < len(symbols):
        return None
    rows: list[list[Any]] = []
    rest: list[Any] = []
    for row, value in enumerate(values):
        factors, left = [sympy.Integer(0)] * len(columns), []
        for term in sympy.Add.make_args(cast(Any, value)):
            factor, own = term.as_coeff_Mul()
            number = next((n for n, axis in enumerate(columns) if axis[row] == own), None)
            if number is None:
                left.append(term)
            else:
                factors[number] += factor
        rows.append(factors)
        rest.append(sympy.Add(*left))
    if any(row != rows[0] for row in rows) or any(value.free_symbols.intersection(symbols) for value in rest):
        return None
    count = sum(factor != 0 for factor in rows[0])
    parts = [
        sympy.Add(*(factor * axis[k] for factor, axis in zip(rows[0], columns, strict=True)))
        for k in range(len(values))
    ]
    return tuple(parts), tuple(rest), count


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
    if isinstance(node, choose):  # which of the two it is does not change
        first, second = (_derivative(part, rate_of) for part in node.args[2:])
        return first if first == second else choose(*node.args[:2], first, second)
    if isinstance(node, sympy.atan2):
        y, x = node.args
        return (x * _derivative(y, rate_of) - y * _derivative(x, rate_of)) / (x * x + y * y)
    if isinstance(node, real_power):
        base, exponent = node.args
        growth = _derivative(exponent, rate_of)
        along = 0 if growth == 0 else sympy.log(base) * node * growth
        return exponent * real_power(base, exponent - 1) * _derivative(base, rate_of) + along
    if node.func not in _SLOPES:
        raise ValueError(f"no derivative of {node.func.__name__}")
    return _SLOPES[node.func](node.args[0]) * _derivative(node.args[0], rate_of)


#: Of functions of one number.
_SLOPES: dict[Any, Callable[[Any], Any]] = {
    sympy.sin: sympy.cos,
    sympy.cos: lambda x: -sympy.sin(x),
    sympy.Abs: lambda x: choose(0, x, 1, -1),
    sympy.tan: lambda x: 1 + sympy.tan(x) ** 2,
    sympy.asin: lambda x: 1 / sympy.sqrt(1 - x * x),
    sympy.acos: lambda x: -1 / sympy.sqrt(1 - x * x),
    sympy.atan: lambda x: 1 / (1 + x * x),
    sympy.exp: sympy.exp,
    sympy.log: lambda x: 1 / x,
}


def quotient(value: Expr) -> tuple[Expr, Expr] | None:
    """Return (n, d) of a product n/d with something below the line, else None."""
    node = cast(Any, value)
    below = [f for f in sympy.Mul.make_args(node) if isinstance(f, sympy.Pow) and f.exp.is_Integer and f.exp < 0]
    if not below:
        return None
    divisor = sympy.Mul(*(1 / factor for factor in below))
    return cast(Expr, sympy.Mul(*(f for f in sympy.Mul.make_args(node) if f not in below))), cast(Expr, divisor)


def name_inner_parts(value: Expr, name: Callable[[Expr], Expr]) -> Expr:
    """Put symbols in the place of square roots and reciprocals that stand within something else.

    Parameters
    ----------
    name : a root or reciprocal, whose own parts have names -> the symbol for it.
    """

    def walk(node: Any, outside: bool) -> Any:
        if not node.args:
            return node
        within = outside and isinstance(node, (sympy.Mul, sympy.Pow))  # the line of a fraction is outside too
        parts = [walk(part, outside=within and isinstance(node, sympy.Mul)) for part in node.args]
        found = node if list(node.args) == parts else node.func(*parts)
        if (
            isinstance(found, sympy.Pow) and found.exp < 0 and not found.exp.is_Integer
        ):  # of a root, which printers know
            found = cast(Any, name(cast(Expr, sympy.sqrt(found.base)))) ** (2 * found.exp)
        is_part = isinstance(found, sympy.Pow) and (found.exp < 0 or not found.exp.is_Integer)
        return name(cast(Expr, found)) if is_part and not outside else found

    return cast(Expr, walk(cast(Any, value), outside=True))


def is_function(value: Expr) -> bool:
    """Tell whether an expression is a function of something: a sine, a root, an angle."""
    return bool(cast(Any, value).is_Function) or (quotient(value) is None and isinstance(value, sympy.Pow))
