"""Expressions: how they are made, and what every room may ask of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Protocol, cast, runtime_checkable

import sympy


@runtime_checkable
class Expr(Protocol):
    """A scalar expression."""

    def __add__(self, other: Expr | int) -> Expr: ...
    def __radd__(self, other: int) -> Expr: ...
    def __sub__(self, other: Expr | int) -> Expr: ...
    def __rsub__(self, other: int) -> Expr: ...
    def __mul__(self, other: Expr | int) -> Expr: ...
    def __rmul__(self, other: int) -> Expr: ...
    def __truediv__(self, other: Expr | int) -> Expr: ...
    def __rtruediv__(self, other: int) -> Expr: ...
    def __neg__(self) -> Expr: ...
    def __pow__(self, other: int) -> Expr: ...


class branch_sign(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """branch_sign(branch, bit): +1 where the bit of `branch` is clear, -1 where it is set."""

    nargs = 2


class positive_part(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """positive_part(x) = x where x > 0, else 0: a radicand that rounding may have pushed below zero."""

    nargs = 1


class choose(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """choose(a, b, u, v) = u where a <= b, else v."""

    nargs = 4


class real_power(sympy.Function):  # type: ignore[misc]  # noqa: N801
    """real_power(a, b) = a**b for real numbers; the exponent may be any."""

    nargs = 2


def symbol(name: str) -> Expr:
    """Return the real symbol of this name; equal names are equal symbols."""
    return cast(Expr, sympy.Symbol(name, real=True))


def is_expression(value: object) -> bool:
    """Tell whether a value is a scalar expression of ours: not a Python number, not a vector, no SymPy relation."""
    return isinstance(value, sympy.Expr)


def has_floats(value: Expr) -> bool:
    """Tell whether an expression holds a number that is not exact."""
    return bool(cast(sympy.Expr, value).atoms(sympy.Float))


def is_undefined(value: Expr) -> bool:
    """Tell whether an expression divides by zero whatever its symbols are."""
    return bool(cast(sympy.Expr, value).has(sympy.zoo, sympy.nan, sympy.oo, -sympy.oo))


def number(value: int) -> Expr:
    """Return an exact integer."""
    return cast(Expr, sympy.Integer(value))


def ratio(numerator: int, denominator: int) -> Expr:
    """Return an exact fraction."""
    return cast(Expr, sympy.Rational(numerator, denominator))


def exactly(value: float) -> Expr:
    """Return the fraction that a finite double is; it prints as that double again."""
    return cast(Expr, sympy.Rational(*value.as_integer_ratio()))


ZERO, ONE, TWO, HALF = number(0), number(1), number(2), ratio(1, 2)

#: Named tolerances; each backend and precision gives them a value (`symgen.printers`).
FOLD_TOLERANCE = symbol("FOLD_TOLERANCE")  # below this relative margin two branches count as one
REACH_TOLERANCE = symbol("REACH_TOLERANCE")  # margins this little below zero are rounding, not "out of reach"
SINGULAR_TOLERANCE = symbol("SINGULAR_TOLERANCE")  # below this scaled determinant rates are not determined
UNIT_TOLERANCE = symbol("UNIT_TOLERANCE")  # how far a squared length may be from 1
SMALL_LENGTH = symbol("SMALL_LENGTH")  # lengths must be larger ...
LARGE_RATE = symbol("LARGE_RATE")  # ... and rates smaller, where overflow is excluded beforehand
LARGEST_INPUT = symbol("LARGEST_INPUT")  # products of four lengths beyond it overflow
LARGEST_OF_RATES = symbol("LARGEST_OF_RATES")  # nor do products of six lengths up to it
LARGEST_ANGLE = symbol("LARGEST_ANGLE")  # our own sine and cosine take angles up to it
TINY = symbol("TINY")  # squares of lengths below this are zero length
TOLERANCES: tuple[str, ...] = (
    "FOLD_TOLERANCE",
    "REACH_TOLERANCE",
    "SINGULAR_TOLERANCE",
    "UNIT_TOLERANCE",
    "TINY",
    "SMALL_LENGTH",
    "LARGE_RATE",
    "LARGEST_INPUT",
    "LARGEST_OF_RATES",
    "LARGEST_ANGLE",
)


def sqrt(value: Expr) -> Expr:
    """Return the square root."""
    return cast(Expr, sympy.sqrt(value))


def sin(value: Expr) -> Expr:
    """Return the sine."""
    return cast(Expr, sympy.sin(value))


def cos(value: Expr) -> Expr:
    """Return the cosine."""
    return cast(Expr, sympy.cos(value))


def atan2(y: Expr, x: Expr) -> Expr:
    """Return the angle of (x, y) in (-pi, pi]."""
    return cast(Expr, sympy.atan2(y, x))


def absolute(value: Expr) -> Expr:
    """Return the absolute value."""
    return cast(Expr, sympy.Abs(value))


def sign_of_branch(branch: Expr, bit: int) -> Expr:
    """Return +1 where bit `bit` of the branch index is clear, -1 where it is set."""
    return cast(Expr, branch_sign(branch, bit))


def not_below_zero(value: Expr) -> Expr:
    """Return max(value, 0)."""
    return cast(Expr, positive_part(value))


def chosen(a: Expr, b: Expr, u: Expr, v: Expr) -> Expr:
    """Return u where a <= b, else v."""
    return cast(Expr, choose(a, b, u, v))


def power(base: Expr, exponent: Expr) -> Expr:
    """Return base**exponent of real numbers."""
    return cast(Expr, real_power(base, exponent))


def elementary(name: str, value: Expr) -> Expr:
    """Return sqrt, sin, cos, tan, asin, acos, atan, exp, log or abs of a value that is a symbol or a number."""
    return cast(Expr, _ELEMENTARY[name](value, evaluate=False))


_ELEMENTARY = {
    "sqrt": sympy.sqrt, "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "asin": sympy.asin, "acos": sympy.acos,
    "atan": sympy.atan, "exp": sympy.exp, "log": sympy.log, "abs": sympy.Abs,
}  # fmt: skip


def antiderivative(value: Expr, name: str) -> Expr:
    """Return the integral of a polynomial in a symbol from 0 to that symbol, expanded."""
    found = sympy.Poly(cast(sympy.Expr, value), sympy.Symbol(name, real=True)).integrate()
    return cast(Expr, found.as_expr())


def integral(value: Expr, name: str) -> Expr:
    """Return the integral of a polynomial in a symbol from 0 to 1."""
    found = sympy.Poly(cast(sympy.Expr, value), sympy.Symbol(name, real=True)).integrate()
    return cast(Expr, found.as_expr().subs(found.gen, 1))


def derivative(value: Expr, name: str) -> Expr:
    """Return the derivative of an expression for a symbol."""
    return cast(Expr, sympy.diff(cast(sympy.Expr, value), sympy.Symbol(name, real=True)))


def is_zero(value: Expr) -> bool:
    """Tell whether the expression is the number zero."""
    return bool(cast(object, value) == 0)


def is_number(value: Expr) -> bool:
    """Tell whether the expression is an exact number."""
    return isinstance(value, sympy.Rational)


def is_symbol(value: Expr) -> bool:
    """Tell whether the expression is a plain symbol."""
    return isinstance(value, sympy.Symbol)


def name_of(value: Expr) -> str:
    """Return the name of a symbol."""
    if not isinstance(value, sympy.Symbol):
        raise TypeError(f"{value} is not a symbol")
    return str(value.name)


def symbol_names(value: Expr) -> tuple[str, ...]:
    """Return the names of the symbols in an expression, sorted (SymPy keeps them in a set)."""
    return _symbol_names(cast(sympy.Expr, value))


#: Expressions whose symbols are kept: every pass, printer and check asks for them.
_KEPT = 2**15


@lru_cache(maxsize=_KEPT)
def _symbol_names(node: Any) -> tuple[str, ...]:
    return tuple(sorted(str(symbol.name) for symbol in node.free_symbols))


def replace(value: Expr, by: Mapping[str, Expr]) -> Expr:
    """Replace symbols by name, literally and all at once."""
    table = {sympy.Symbol(name, real=True): expr for name, expr in by.items()}
    return cast(Expr, cast(sympy.Expr, value).xreplace(table))


def foreign_symbols(value: Expr) -> tuple[str, ...]:
    """Return the names of symbols that `symbol` did not make: dummies, or others with the same name."""
    return _foreign_symbols(cast(sympy.Expr, value))


@lru_cache(maxsize=_KEPT)
def _foreign_symbols(node: Any) -> tuple[str, ...]:
    return tuple(sorted(str(s) for s in node.free_symbols if s != sympy.Symbol(str(s), real=True)))


_KINDS: dict[Any, str] = {
    **{sympy.Add: "add", sympy.Mul: "mul", sympy.Abs: "abs", positive_part: "positive_part", choose: "choose"},
    **{sympy.sin: "sin", sympy.cos: "cos", sympy.atan2: "atan2"},
}


def take_apart(value: Expr) -> tuple[str, tuple[Any, ...]]:
    """Return the kind of an expression's outermost operation and its parts, for walks that are not printers.

    Kinds: symbol (its name), number (numerator, denominator), add, mul, power (base, integer exponent), sqrt, sin,
    cos, atan2, abs, branch_sign (branch, bit), positive_part, choose.
    """
    node = cast(Any, value)
    if isinstance(node, sympy.Symbol):
        return "symbol", (str(node.name),)
    if isinstance(node, sympy.Rational):
        return "number", (int(node.p), int(node.q))
    if isinstance(node, sympy.Pow):
        if node.exp == sympy.Rational(1, 2):
            return "sqrt", (node.base,)
        if not node.exp.is_Integer:
            raise ValueError(f"power with exponent {node.exp}")
        return "power", (node.base, int(node.exp))
    if isinstance(node, branch_sign):
        return "branch_sign", (node.args[0], int(node.args[1]))
    if node.func not in _KINDS:
        raise ValueError(f"unexpected operation {node.func.__name__}")
    return _KINDS[node.func], tuple(node.args)


def powers_of_sums(value: Expr) -> tuple[Expr, ...]:
    """Return the bases, other than symbols, that are raised to 2 or more in an expression, in a fixed order."""
    powers = sorted(cast(sympy.Expr, value).atoms(sympy.Pow), key=sympy.default_sort_key)
    bases = [p.base for p in powers if p.exp.is_Integer and p.exp > 1 and not p.base.is_Symbol]
    return tuple(dict.fromkeys(cast(Expr, b) for b in bases))


def replace_parts(value: Expr, by: Mapping[Expr, Expr]) -> Expr:
    """Replace whole subexpressions, literally and all at once."""
    return cast(Expr, cast(sympy.Expr, value).xreplace(by))
