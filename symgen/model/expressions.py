"""Expressions of a mechanism file: parsed once, evaluated over numbers or arrays, differentiated exactly.

>>> law = parse("A*sin(2*pi*t)", names={"A", "t"})
>>> law.derivative("t").text
'A*(cos(2*pi*t)*(2*pi))'
>>> law.evaluate({"A": 2.0, "t": 0.25})
2.0
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, overload

from symgen.model.evaluation import OutsideDomainError, evaluate_arrays, evaluate_scalar
from symgen.model.expression_text import FUNCTIONS, RESERVED, ExpressionError, parse_tree
from symgen.model.expression_tree import Name, Node, call, derivative, names_in, number, print_tree, with_node

if TYPE_CHECKING:
    from symgen.model.evaluation import Value

__all__ = ["FUNCTIONS", "RESERVED", "Expression", "ExpressionError", "constant", "parse"]


@dataclass(frozen=True)
class Expression:
    """A formula over named numbers.

    Two expressions are equal if they were written alike, have the same names bound
    to the same numbers and were differentiated alike.

    Parameters
    ----------
    written : the text it came from.
    root : its tree.
    bound : names with fixed numbers (parameters), sorted by name.
    differentiated : names of the derivatives taken, in order.
    """

    written: str
    root: Node = field(compare=False, repr=False)
    bound: tuple[tuple[str, float], ...] = ()
    differentiated: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The formula as text; that of a very long derivative is only described: ``d/dt(...)``."""
        if not self.differentiated:
            return self.written
        printed = print_tree(self.root)
        return printed or "".join(f"d/d{name} " for name in reversed(self.differentiated)) + f"({self.written})"

    @property
    def names(self) -> frozenset[str]:
        """Names that must be given to `evaluate`: those in the formula that are not bound."""
        return names_in(self.root) - dict(self.bound).keys()

    def bind(self, numbers: Mapping[str, float]) -> Expression:
        """Return the expression with the names it uses fixed to these numbers; other numbers are ignored."""
        fixed = {name: float(numbers[name]) for name in self.names if name in numbers}
        return replace(self, bound=tuple(sorted({**dict(self.bound), **fixed}.items())))

    @property
    def occurring(self) -> frozenset[str]:
        """Names that occur in the formula, bound ones too."""
        return names_in(self.root)

    def derivative(self, name: str) -> Expression:
        """Return the exact derivative with respect to a name.

        ``abs`` has slope 0 at its kink, ``min`` and ``max`` that of their first argument where both are equal.
        """
        return replace(self, root=derivative(self.root, name), differentiated=(*self.differentiated, name))

    def clipped(self, name: str, least: float, most: float) -> Expression:
        """Return the expression of a name's value that is kept within bounds; there it has the same bits.

        Parameters
        ----------
        least, most : bounds; an infinite one is none.
        """
        within: Node = Name(name)
        written = self.written
        if math.isfinite(least):
            within = call("max", within, number(least + 0.0))  # a zero without a sign, as values have none
            written += f", {name} >= {least!r}"
        if math.isfinite(most):
            within = call("min", within, number(most + 0.0))
            written += f", {name} <= {most!r}"
        if isinstance(within, Name) or name not in self.names:
            return self
        return replace(self, written=written, root=with_node(self.root, name, within))

    @overload
    def evaluate(self, names: Mapping[str, float] | None = None) -> float: ...
    @overload
    def evaluate(self, names: Mapping[str, Value]) -> Value: ...

    def evaluate(self, names: Mapping[str, Value] | None = None) -> Value:
        """Return the value for given numbers.

        Parameters
        ----------
        names : a number or an array for each of `self.names`; arrays are broadcast together. Others are ignored.

        Returns
        -------
        A float if all are numbers, else an array of float64 in the common shape of the arrays.

        Raises
        ------
        ExpressionError
            if a name is missing, or an operation has no finite real value: square root or logarithm of a
            negative number, division by zero, overflow. No NaN or infinity is ever returned.
        """
        given = {} if names is None else names
        missing = sorted(self.names - given.keys())
        if missing:
            raise ExpressionError(f"no value given for {', '.join(missing)}", self.written)
        values: dict[str, Value] = {name: given[name] for name in self.names}
        values.update(self.bound)
        try:
            scalars = {name: float(value) for name, value in values.items() if isinstance(value, (int, float))}
            if len(scalars) == len(values):
                return evaluate_scalar(self.root, scalars)
            result = evaluate_arrays(self.root, values)
            return result if result.ndim else float(result)
        except OutsideDomainError as error:
            raise ExpressionError(str(error), self.text) from None


def parse(text: str, *, names: Collection[str] = ()) -> Expression:
    """Return the expression a text holds; it may use the given names, ``pi`` and the functions of the language.

    Raises
    ------
    ExpressionError
        if the text is anything else; nothing of it is executed.
    """
    return Expression(text, parse_tree(text, names))


def constant(value: float) -> Expression:
    """Return the expression of a finite number."""
    return Expression(repr(float(value)), number(float(value)))
