"""Power series in time of what polynomial equations define, in integers with a fixed binary point.

A number x stands as the integer nearest to x 2^320, so that 96 digits behind the point are kept: what is asked for are
50, and the rest is spent near a change point, where the order-by-order solution loses digits to the small Jacobian.
Integers are quicker than mpmath's floating point here, since sums of products are rounded once; series are taken in
the time divided by their own radius, so that all coefficients are of the order of the quantity or smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import mul
from typing import Any

import mpmath
import numpy as np
from mpmath.libmp import to_fixed
from numpy.typing import NDArray

from symgen.model.expression_tree import Apply, Name, Number, distinct_nodes
from symgen.model.expressions import parse

BITS = 320
ONE = 1 << BITS
#: Entries of a Jacobian below 1e-66 are roundings of zero (redundant equations), pivots below it a lost rank.
_NOTHING = 1 << (BITS - 220)

Floats = NDArray[np.float64]
Series = list[int]


def fixed(x: float | int | Fraction | mpmath.mpf) -> int:
    """Return a number as an integer with the binary point; floats are taken for exactly what they are."""
    if isinstance(x, mpmath.mpf):
        return int(to_fixed(x._mpf_, BITS))
    return round(Fraction(x) * ONE)


def real(x: int) -> mpmath.mpf:
    """Return an integer with the binary point as a number of mpmath; call it within `workprec`."""
    return mpmath.ldexp(mpmath.mpf(x), -BITS)


def as_float(x: int) -> float:
    """Return the nearest double."""
    return x / ONE


def times(a: int, b: int) -> int:
    """Return the product."""
    return a * b >> BITS


def over(a: int, b: int) -> int:
    """Return the quotient."""
    return (a << BITS) // b


def _function(name: str, *x: int) -> int:
    with mpmath.workprec(BITS + 40):
        return fixed(getattr(mpmath, name)(*map(real, x)))


# --- laws and lengths: series of expressions -------------------------------------------------------------------


def _product(a: Series, b: Series) -> Series:
    n = len(a)
    return [sum(map(mul, a[: k + 1], b[k::-1])) >> BITS for k in range(n)]


def _quotient(a: Series, b: Series) -> Series:
    out: Series = []
    for k in range(len(a)):
        known = sum(map(mul, b[1 : k + 1], out[::-1])) >> BITS
        out.append(over(a[k] - known, b[0]))
    return out


def _exponential(a: Series) -> Series:
    out = [_function("exp", a[0])]
    for k in range(1, len(a)):
        out.append((sum(i * a[i] * out[k - i] for i in range(1, k + 1)) >> BITS) // k)
    return out


def sine_and_cosine(a: Series) -> tuple[Series, Series]:
    """Return sin a and cos a."""
    s, c = [_function("sin", a[0])], [_function("cos", a[0])]
    for k in range(1, len(a)):
        rates = [i * a[i] for i in range(1, k + 1)]
        s_next = (sum(map(mul, rates, c[::-1])) >> BITS) // k
        c_next = -((sum(map(mul, rates, s[::-1])) >> BITS) // k)
        s.append(s_next)
        c.append(c_next)
    return s, c


def _root(a: Series) -> Series:
    out = [_function("sqrt", a[0])]
    for k in range(1, len(a)):
        known = sum(out[i] * out[k - i] for i in range(1, k)) >> BITS
        out.append(over(a[k] - known, 2 * out[0]))
    return out


def _power(a: Series, exponent: Series) -> Series:
    whole = exponent[0] >> BITS
    if any(exponent[1:]) or exponent[0] != whole << BITS or whole < 0:
        raise ValueError("the reference takes whole powers from 0 on")
    out = [ONE] + [0] * (len(a) - 1)
    for _ in range(whole):
        out = _product(out, a)
    return out


_FUNCTIONS: dict[str, Callable[..., Series]] = {
    "+": lambda a, b: [x + y for x, y in zip(a, b, strict=True)],
    "-": lambda a, b: [x - y for x, y in zip(a, b, strict=True)],
    "*": _product,
    "/": _quotient,
    "negative": lambda a: [-x for x in a],
    "**": _power,
    "sin": lambda a: sine_and_cosine(a)[0],
    "cos": lambda a: sine_and_cosine(a)[1],
    "sqrt": _root,
    "exp": _exponential,
}
_OF_NUMBERS = {"tan", "asin", "acos", "atan", "atan2", "log"}


class Formula:
    """A number of a mechanism file, or a law, as series in the time to all 96 digits.

    Parameters
    ----------
    written : number or text.
    parameters : the parameters it may use; they stay exact instead of being rounded to doubles.
    values : values of parameters found so far, shared by all formulas of a mechanism.
    """

    def __init__(
        self, written: float | str, parameters: Mapping[str, float | str], values: dict[str, int] | None = None
    ) -> None:
        self._number = None if isinstance(written, str) else fixed(written)
        self._parameters, self._values = parameters, {} if values is None else values
        self._nodes = distinct_nodes(parse(written, names={*parameters, "t"}).root) if isinstance(written, str) else []

    def value(self) -> int:
        """Return the number."""
        return self.series(0, 0, 1)[0]

    def series(self, at: int, step: int, size: int) -> Series:
        """Return the coefficients in s, the time being `at` + `step` s."""
        rest = [0] * (size - 1)
        if self._number is not None:
            return [self._number, *rest]
        found: dict[int, Series] = {}
        for node in self._nodes:
            if isinstance(node, Number):
                with mpmath.workprec(BITS + 40):
                    value = fixed(+mpmath.pi) if node.text == "pi" else fixed(node.value)
                found[id(node)] = [value, *rest]
            elif isinstance(node, Name):
                found[id(node)] = [at, step, *rest][:size] if node.name == "t" else [self._named(node.name), *rest]
            else:
                assert isinstance(node, Apply)
                found[id(node)] = self._apply(node.operation, [found[id(each)] for each in node.arguments])
        return found[id(self._nodes[-1])]

    def _named(self, name: str) -> int:
        if name not in self._values:
            self._values[name] = Formula(self._parameters[name], self._parameters, self._values).value()
        return self._values[name]

    def _apply(self, operation: str, arguments: list[Series]) -> Series:
        if operation in _FUNCTIONS:
            return _FUNCTIONS[operation](*arguments)
        if operation not in _OF_NUMBERS or any(any(a[1:]) for a in arguments):
            raise ValueError(f"the reference does not know {operation} of the time")
        return [_function(operation, *(a[0] for a in arguments)), *arguments[0][1:]]


# --- equations ---------------------------------------------------------------------------------------------------


class Node:
    """One quantity of the equations: its series so far, its tangent, its gradient. Made by `Equations`."""

    __slots__ = ("a", "b", "c", "constant", "index", "kind", "of", "tangent", "terms")

    def __init__(self, of: Equations, kind: str) -> None:
        self.of, self.kind = of, kind
        self.a: Node | None = None
        self.b: Node | None = None
        self.terms: list[tuple[int, Node]] = []
        self.constant = 0
        self.index = -1
        self.c: Series = []
        self.tangent = 0
        of.nodes.append(self)

    def __add__(self, other: Node) -> Node:
        return self.of.linear([(ONE, self), (ONE, other)])

    def __sub__(self, other: Node) -> Node:
        return self.of.linear([(ONE, self), (-ONE, other)])

    def __mul__(self, other: Node) -> Node:
        return self.of.product(self, other)


class SingularError(ArithmeticError):
    """The Jacobian has not full column rank."""


class Equations:
    """Polynomial equations in unknowns and laws, written with `unknown`, `known`, `linear`, `product`."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.unknowns: list[Node] = []
        self.laws: list[tuple[Node, int]] = []
        self.rows: list[Node] = []

    def unknown(self) -> Node:
        """Return a new unknown."""
        node = Node(self, "unknown")
        node.index = len(self.unknowns)
        self.unknowns.append(node)
        return node

    def known(self, law: int) -> Node:
        """Return a quantity given as a function of time: number `law` of what `expand` is given."""
        node = Node(self, "known")
        self.laws.append((node, law))
        return node

    def linear(self, terms: Sequence[tuple[int, Node]], constant: int = 0) -> Node:
        """Return constant + sum of factors times nodes; sums of sums are taken together."""
        gathered: dict[int, list[Any]] = {}
        for factor, node in terms:
            inner = node.terms if node.kind == "linear" else [(ONE, node)]
            constant += times(factor, node.constant)
            for share, leaf in inner:
                gathered.setdefault(id(leaf), [0, leaf])[0] += times(factor, share)
        node = Node(self, "linear")
        node.terms = [(factor, leaf) for factor, leaf in gathered.values() if factor]
        node.constant = constant
        return node

    def product(self, a: Node, b: Node) -> Node:
        """Return a b."""
        for one, other in ((a, b), (b, a)):
            if one.kind == "linear" and not one.terms:
                return self.linear([(one.constant, other)])
        node = Node(self, "product")
        node.a, node.b = a, b
        return node

    def prune(self) -> None:
        """Drop the nodes that no row needs; call it when all rows are written."""
        needed = {id(node) for node in self.unknowns} | {id(row) for row in self.rows}
        for node in reversed(self.nodes):
            if id(node) in needed:
                needed |= {id(leaf) for _, leaf in node.terms} | {id(node.a), id(node.b)}
        self.nodes = [node for node in self.nodes if id(node) in needed]
        self.laws = [(node, law) for node, law in self.laws if id(node) in needed]

    def _order(self, k: int) -> list[int]:
        """Append the coefficients of order k as they are with unknowns 0 there (k > 0); return those of the rows."""
        for node in self.nodes:
            if node.kind == "linear":
                value = sum(factor * leaf.c[k] for factor, leaf in node.terms) >> BITS
                node.c.append(value + node.constant if k == 0 else value)
            elif node.kind == "product":
                assert node.a is not None
                assert node.b is not None
                node.c.append(sum(map(mul, node.a.c, reversed(node.b.c))) >> BITS)
            elif node.kind == "unknown" and k > 0:
                node.c.append(0)
        return [row.c[k] for row in self.rows]

    def _add(self, k: int, step: Sequence[int]) -> None:
        """Add what the unknowns of order k, so far 0, make of all coefficients of order k."""
        for node in self.nodes:
            if node.kind == "unknown":
                node.tangent = step[node.index]
            elif node.kind == "linear":
                node.tangent = sum(factor * leaf.tangent for factor, leaf in node.terms) >> BITS
            elif node.kind == "product":
                a, b = node.a, node.b
                assert a is not None
                assert b is not None
                node.tangent = a.c[0] * b.tangent + a.tangent * b.c[0] >> BITS
            if node.kind != "known":
                node.c[k] += node.tangent

    def start(self, x: Sequence[int], laws: Sequence[Series]) -> list[int]:
        """Set the unknowns and laws of order 0; return the rows."""
        for node in self.nodes:
            node.c = []
            node.tangent = 0
        for node, value in zip(self.unknowns, x, strict=True):
            node.c = [value]
        for node, law in self.laws:
            node.c = laws[law][:1]
        return self._order(0)

    def _gradients(self) -> list[dict[int, int]]:
        gradients: dict[int, dict[int, int]] = {}
        for node in self.nodes:
            gradient: dict[int, int] = {}
            if node.kind == "unknown":
                gradient[node.index] = ONE
            elif node.kind == "linear":
                for factor, leaf in node.terms:
                    for column, value in gradients[id(leaf)].items():
                        gradient[column] = gradient.get(column, 0) + times(factor, value)
            elif node.kind == "product":
                assert node.a is not None
                assert node.b is not None
                for one, other in ((node.a, node.b), (node.b, node.a)):
                    for column, value in gradients[id(one)].items():
                        gradient[column] = gradient.get(column, 0) + times(other.c[0], value)
            gradients[id(node)] = gradient
        return [dict(gradients[id(row)]) for row in self.rows]

    def polish(self, x: Sequence[int], laws: Sequence[Series]) -> list[int]:
        """Return the zero that Newton's method finds near x for the laws at one time."""
        x = list(x)
        factors: Factors | None = None
        for _ in range(40):
            gap = self.start(x, laws)
            if max(map(abs, gap), default=0) < 1 << 40:
                return x
            # x is so near that the first Jacobian will do: each step gains as many digits as the first.
            factors = factors or Factors(self._gradients(), len(x))
            x = [a + b for a, b in zip(x, factors.solve([-each for each in gap]), strict=True)]
        raise SingularError("Newton's method does not end")

    def expand(self, x: Sequence[int], laws: Sequence[Series], size: int) -> list[Series]:
        """Return the series of the unknowns through a zero x, order by order."""
        self.start(x, laws)
        factors = Factors(self._gradients(), len(x))
        for k in range(1, size):
            for node, law in self.laws:
                node.c.append(laws[law][k])
            self._add(k, factors.solve([-each for each in self._order(k)]))
        return [node.c for node in self.unknowns]

    def jacobians(self, x: Floats, laws: Floats) -> Floats:
        """Return the Jacobians (n, rows, unknowns) in doubles, for unknowns (n, unknowns) and laws (n, laws)."""
        n = len(x)
        values: dict[int, Any] = {id(node): laws[:, law] for node, law in self.laws}
        gradients: dict[int, dict[int, Any]] = {id(node): {} for node, _ in self.laws}
        for node in self.nodes:
            gradient: dict[int, Any] = {}
            if node.kind == "unknown":
                values[id(node)], gradient[node.index] = x[:, node.index], 1.0
            elif node.kind == "linear":
                total: Any = node.constant / ONE
                for factor, leaf in node.terms:
                    share = factor / ONE
                    total = total + share * values[id(leaf)]
                    for column, value in gradients[id(leaf)].items():
                        gradient[column] = gradient.get(column, 0.0) + share * value
                values[id(node)] = total
            elif node.kind == "product":
                assert node.a is not None
                assert node.b is not None
                values[id(node)] = values[id(node.a)] * values[id(node.b)]
                for one, other in ((node.a, node.b), (node.b, node.a)):
                    for column, value in gradients[id(one)].items():
                        gradient[column] = gradient.get(column, 0.0) + values[id(other)] * value
            if node.kind != "known":
                gradients[id(node)] = gradient
        out = np.zeros((n, len(self.rows), len(self.unknowns)))
        for i, row in enumerate(self.rows):
            for column, value in gradients[id(row)].items():
                out[:, i, column] = value
        return out


class Factors:
    """Sparse elimination with pivots for sparsity among the large ones; equations may be more than unknowns."""

    def __init__(self, rows: list[dict[int, int]], size: int) -> None:
        self._steps: list[tuple[int, int, list[tuple[int, int]]]] = []
        self._rows = rows
        active = set(range(len(rows)))
        for _ in range(size):
            row, column = self._pivot(active)
            active.discard(row)
            pivot = rows[row]
            eliminated = []
            for other in sorted(active):
                target = rows[other]
                if column not in target:
                    continue
                factor = over(target.pop(column), pivot[column])
                eliminated.append((other, factor))
                for entry, value in pivot.items():
                    if entry == column:
                        continue
                    new = target.get(entry, 0) - (factor * value >> BITS)
                    if abs(new) > _NOTHING:
                        target[entry] = new
                    else:
                        target.pop(entry, None)
            self._steps.append((row, column, eliminated))

    def _pivot(self, active: set[int]) -> tuple[int, int]:
        rows = self._rows
        largest = max((abs(v) for i in active for v in rows[i].values()), default=0)
        if largest <= _NOTHING:
            raise SingularError("the Jacobian has not full rank")
        count: dict[int, int] = {}
        for i in active:
            for column in rows[i]:
                count[column] = count.get(column, 0) + 1
        enough = largest >> 10
        return min(
            ((i, column) for i in active for column, value in rows[i].items() if abs(value) >= enough),
            key=lambda at: ((len(rows[at[0]]) - 1) * (count[at[1]] - 1), at),
        )

    def solve(self, right: Sequence[int]) -> list[int]:
        """Return the unknowns for a right-hand side."""
        b = list(right)
        for row, _, eliminated in self._steps:
            for other, factor in eliminated:
                b[other] -= factor * b[row] >> BITS
        x: dict[int, int] = {}
        for row, column, _ in reversed(self._steps):
            entries = self._rows[row]
            known = sum(value * x[entry] for entry, value in entries.items() if entry != column) >> BITS
            x[column] = over(b[row] - known, entries[column])
        return [x[column] for column in range(len(x))]
