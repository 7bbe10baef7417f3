"""One expression to text: precedence, order of terms, powers as products. Languages differ in a few hooks.

A printer never prints a statement, a declaration or a newline. It refuses what was not lowered.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, ClassVar

import sympy

from symgen.algebra import Expr, branch_sign, choose, positive_part
from symgen.algebra.vector_forms import SCALAR_PRODUCTS, VECTOR_PRODUCTS, is_vector_form, quaternion_axis
from symgen.errors import IRError
from symgen.printers.vector_functions import function_name

SUM, PRODUCT, _UNARY, ATOM = 1, 2, 3, 4


#: Expressions whose parts are kept: each is printed in two languages and two precisions, and counted.
_KEPT = 2**15


@lru_cache(maxsize=_KEPT)
def common_factors(node: Any) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
    """Split a sum into groups (number, terms over that number), so that 2ab + 2cd prints as 2(ab + cd).

    SymPy spreads numbers over sums; here they are collected again. A term of its own has the factor 1.
    """
    groups: dict[Any, list[Any]] = {}
    for term in sorted(node.args, key=sympy.default_sort_key):
        number = abs(term.as_coeff_Mul()[0])
        groups.setdefault(sympy.Integer(1) if term.is_Number else number, []).append(term)
    split: list[tuple[Any, tuple[Any, ...]]] = []
    for number, terms in groups.items():
        if number == 1 or len(terms) == 1:
            split += [(sympy.Integer(1), (term,)) for term in terms]
        else:
            split.append((number, tuple(term / number for term in terms)))
    return tuple(split)


@lru_cache(maxsize=_KEPT)
def signed_parts(node: Any) -> tuple[tuple[bool, Any, Any], ...]:
    """Return the groups of a sum as (whether it is taken away, number, the group over that number)."""
    parts = []
    for factor, members in common_factors(node):
        minus = all(member.could_extract_minus_sign() for member in members)
        inner = sympy.Add(*members)
        parts.append((minus, factor, -inner if minus else inner))
    return tuple(parts)


@lru_cache(maxsize=_KEPT)
def _names_and_text(node: Any) -> tuple[tuple[str, ...], str]:
    return tuple(symbol.name for symbol in node.free_symbols), str(sympy.srepr(node))


class ExpressionPrinter(ABC):
    """Print expressions of one language.

    Parameters
    ----------
    names : symbol name -> text; a symbol that is not in it prints as its name.
    order : symbol name -> position of its definition; terms of a sum and factors of a product follow it.
    sizes : vector name -> how many components it has.
    """

    functions: ClassVar[Mapping[type[Any], str]] = {}

    def __init__(
        self, names: Mapping[str, str], order: Mapping[str, int], sizes: Mapping[str, int] | None = None
    ) -> None:
        self._names, self._order, self._sizes = names, order, sizes or {}

    def print_expression(self, value: Expr) -> str:
        """Return the text of an expression."""
        return self._print(value)[0]

    # -- hooks ---------------------------------------------------------------------------------------------------

    def literal(self, value: float) -> str:
        """Return the text of a number that is exact in binary."""
        return repr(value)

    def factor(self, value: float) -> str:
        """Return the text of a number that is exact in binary, beside something that is no number."""
        return self.literal(value)

    def vector_function(self, name: str) -> str:
        """Return what a function of vectors is called."""
        return name

    @abstractmethod
    def branch_sign(self, branch: str, bit: int) -> str:
        """Return the text of the sign of a branch bit."""

    @abstractmethod
    def positive_part(self, value: str) -> str:
        """Return the text of max(value, 0)."""

    @abstractmethod
    def choose(self, a: str, b: str, u: str, v: str) -> str:
        """Return the text of: u where a <= b, else v."""

    # -- walk ----------------------------------------------------------------------------------------------------

    def _print(self, node: Any) -> tuple[str, int]:
        if isinstance(node, sympy.Symbol):
            return self._names.get(node.name, node.name), ATOM
        if isinstance(node, sympy.Rational):
            return self._rational(node)
        handlers: tuple[tuple[type[Any] | tuple[type[Any], ...], Callable[[Any], tuple[str, int]]], ...] = (
            (sympy.Add, self._sum),
            (sympy.Mul, self._product),
            (sympy.Pow, self._product),
            (branch_sign, self._branch_sign),
            (positive_part, self._positive_part),
            (choose, self._choose),
            ((*SCALAR_PRODUCTS, *VECTOR_PRODUCTS), self._vector_product),
        )
        for kind, handler in handlers:
            if isinstance(node, kind):
                return handler(node)
        name = self.functions.get(node.func)
        if name is None:
            raise IRError(f"no text for {node.func.__name__}: it should have been lowered")
        return f"{name}({', '.join(self._print(a)[0] for a in node.args)})", ATOM

    def _vector_product(self, node: Any) -> tuple[str, int]:
        taken = node.args[:1] if isinstance(node, quaternion_axis) else node.args
        name = self.vector_function(function_name(node, self._sizes))
        return f"{name}({', '.join(self._print(a)[0] for a in taken)})", ATOM

    def _rational(self, node: Any) -> tuple[str, int]:
        if node.q & (node.q - 1) == 0:
            text = self.literal(abs(float(node)))
        else:
            text = f"({self.literal(float(abs(node.p)))}/{self.literal(float(node.q))})"
        return (f"-{text}", _UNARY) if node < 0 else (text, ATOM)

    def _key(self, node: Any) -> tuple[tuple[int, ...], str]:
        names, text = _names_and_text(node)
        return tuple(sorted(self._order.get(name, -1) for name in names)), text

    def _sum(self, node: Any) -> tuple[str, int]:
        terms: list[tuple[bool, Any, str]] = []
        for minus, factor, inner in signed_parts(node):
            text = self._term(inner) if factor == 1 else f"{self._term(factor)}*({self._print(inner)[0]})"
            terms.append((minus, inner, text))
        # A number reads best first (1 - 2*(...)), and what is taken away last.
        terms.sort(key=lambda t: (t[0], not t[1].is_Number, self._key(t[1])))
        text = ""
        for minus, _, part in terms:
            text = f"{text} {'-' if minus else '+'} {part}" if text else f"{'-' if minus else ''}{part}"
        return text, SUM

    def _term(self, node: Any) -> str:
        """Return a term of a sum, or a factor before one."""
        return self.factor(float(node)) if node.is_Integer and node > 0 else self._wrap(node, PRODUCT)

    def _wrap(self, node: Any, least: int) -> str:
        text, level = self._print(node)
        return text if level >= least else f"({text})"

    def _product(self, node: Any) -> tuple[str, int]:
        if is_vector_form(node):
            (vector,) = (part for part in node.args if is_vector_form(part))
            return self._multiple(sympy.Mul(*(part for part in node.args if part != vector)), vector)
        coefficient, factors = node.as_coeff_mul()
        above: list[str] = []
        below: list[str] = []
        for factor in sorted(factors, key=self._key):
            self._factor(factor, above, below)
        size = abs(coefficient)
        if size.q & (size.q - 1) == 0:
            if size != 1 or not above:
                above.insert(0, self.factor(float(size)))
        else:
            if size.p != 1 or not above:
                above.insert(0, self.factor(float(size.p)))
            below.append(self.factor(float(size.q)))
        text = "*".join(above)
        if below:
            text += f"/{below[0]}" if len(below) == 1 else f"/({'*'.join(below)})"
        return (f"-{text}", _UNARY) if coefficient < 0 else (text, PRODUCT)

    def _multiple(self, number: Any, vector: Any) -> tuple[str, int]:
        """Print a number times a vector; the number comes first, so that every language rounds alike."""
        text = self._wrap(vector, PRODUCT)
        if number == -1:
            return f"-{text}", _UNARY
        first, level = self._print(number)
        if level < PRODUCT or sympy.fraction(number)[1] != 1:
            return f"({first})*{text}", PRODUCT
        return f"{first}*{text}", min(level, PRODUCT)

    def _factor(self, factor: Any, above: list[str], below: list[str]) -> None:
        base, exponent = factor.as_base_exp()
        if exponent == sympy.Rational(1, 2):
            above.append(f"{self.functions[sympy.sqrt]}({self._print(base)[0]})")
        elif exponent.is_Integer and exponent != 0:
            if abs(exponent) > 1 and not base.is_Symbol:
                raise IRError(f"power of {base}: name the base first")
            (above if exponent > 0 else below).extend([self._wrap(base, _UNARY)] * abs(int(exponent)))
        else:
            raise IRError(f"no text for the power {factor}")

    def _branch_sign(self, node: Any) -> tuple[str, int]:
        return self.branch_sign(self._print(node.args[0])[0], int(node.args[1])), ATOM

    def _choose(self, node: Any) -> tuple[str, int]:
        a, b, u, v = (self._wrap(part, SUM) for part in node.args)
        return self.choose(a, b, u, v), ATOM

    def _positive_part(self, node: Any) -> tuple[str, int]:
        return self.positive_part(self._print(node.args[0])[0]), ATOM
