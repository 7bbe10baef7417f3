"""The tree of an expression: numbers, names and operations; derivative and evaluation over it.

A tree is really a directed acyclic graph: `derivative` shares subtrees instead of
copying them, and every walk goes once over the distinct nodes without recursion.
So a law of any allowed size is differentiated twice in linear time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias


@dataclass(frozen=True, eq=False, slots=True)
class Number:
    """A constant; `text` is how it was written (``pi`` stays ``pi``)."""

    value: float
    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Name:
    """A parameter, or the time ``t``."""

    name: str


@dataclass(frozen=True, eq=False, slots=True)
class Apply:
    """An operation on nodes: ``+ - * / **``, ``negative``, or a function of `expression_text.FUNCTIONS`.

    Two more occur in derivatives only: ``sign(u)`` and ``choose(a, b, u, v)``, which is u where a <= b, else v.
    """

    operation: str
    arguments: tuple[Node, ...]


Node: TypeAlias = Number | Name | Apply

ZERO = Number(0.0, "0")
ONE = Number(1.0, "1")


def number(value: float) -> Number:
    """Return the node of a finite constant."""
    return Number(value, repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value))


def distinct_nodes(root: Node) -> list[Node]:
    """Return each node once, every node after its arguments."""
    order: list[Node] = []
    seen: set[int] = set()
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            if isinstance(node, Apply):
                stack.extend((argument, False) for argument in reversed(node.arguments))
    return order


@lru_cache(maxsize=64)
def kept_nodes(root: Node) -> tuple[Node, ...]:
    """Return `distinct_nodes`, kept: a law is evaluated at one time after the other."""
    return tuple(distinct_nodes(root))


@lru_cache(maxsize=64)
def names_in(root: Node) -> frozenset[str]:
    """Return the names that occur in a tree, kept too."""
    return frozenset(node.name for node in distinct_nodes(root) if isinstance(node, Name))


def with_node(root: Node, name: str, node: Node) -> Node:
    """Return a tree with a node in the place of a name; what is shared stays so."""
    found: dict[int, Node] = {}
    for each in distinct_nodes(root):
        if isinstance(each, Apply):
            arguments = tuple(found[id(argument)] for argument in each.arguments)
            found[id(each)] = Apply(each.operation, arguments)
        else:
            found[id(each)] = node if isinstance(each, Name) and each.name == name else each
    return found[id(root)]


# Constructors that drop the zeros and ones a derivative is full of. They rewrite nothing else: the value of
# the tree is that of the rule as printed in a textbook.


def _is(node: Node, value: float) -> bool:
    return isinstance(node, Number) and node.value == value


def add(a: Node, b: Node) -> Node:
    """Return a + b."""
    if _is(a, 0.0):
        return b
    return a if _is(b, 0.0) else Apply("+", (a, b))


def subtract(a: Node, b: Node) -> Node:
    """Return a - b."""
    if _is(b, 0.0):
        return a
    return negate(b) if _is(a, 0.0) else Apply("-", (a, b))


def negate(a: Node) -> Node:
    """Return -a."""
    if _is(a, 0.0):
        return ZERO
    if isinstance(a, Number) and a.text != "pi":
        return number(-a.value)
    return a.arguments[0] if isinstance(a, Apply) and a.operation == "negative" else Apply("negative", (a,))


def multiply(a: Node, b: Node) -> Node:
    """Return a * b."""
    if _is(a, 0.0) or _is(b, 0.0):
        return ZERO
    if _is(a, 1.0):
        return b
    return a if _is(b, 1.0) else Apply("*", (a, b))


def divide(a: Node, b: Node) -> Node:
    """Return a / b."""
    if _is(a, 0.0):
        return ZERO
    return a if _is(b, 1.0) else Apply("/", (a, b))


def power(a: Node, b: Node) -> Node:
    """Return a ** b."""
    if _is(b, 0.0):
        return ONE
    return a if _is(b, 1.0) else Apply("**", (a, b))


def call(function: str, *arguments: Node) -> Node:
    """Return function(arguments)."""
    return Apply(function, arguments)


def _choose(a: Node, b: Node, u: Node, v: Node) -> Node:
    return u if u is v or (_is(u, 0.0) and _is(v, 0.0)) else call("choose", a, b, u, v)


Rule: TypeAlias = Callable[[tuple[Node, ...], tuple[Node, ...]], Node]


def _power_rule(u: tuple[Node, ...], d: tuple[Node, ...]) -> Node:
    """d(a**b) = b a**(b-1) a' + a**b log(a) b'; the second term only where b varies, so that a < 0 is allowed."""
    (a, b), (da, db) = u, d
    less = number(b.value - 1.0) if isinstance(b, Number) and b.text != "pi" else subtract(b, ONE)
    base = multiply(multiply(b, power(a, less)), da) if not _is(da, 0.0) else ZERO
    exponent = multiply(multiply(power(a, b), call("log", a)), db) if not _is(db, 0.0) else ZERO
    return add(base, exponent)


def _quotient_rule(u: tuple[Node, ...], d: tuple[Node, ...]) -> Node:
    (a, b), (da, db) = u, d
    if _is(db, 0.0):
        return divide(da, b)
    return divide(subtract(multiply(da, b), multiply(a, db)), power(b, number(2.0)))


def _arc_root(a: Node) -> Node:
    return call("sqrt", subtract(ONE, power(a, number(2.0))))


def _atan2_rule(u: tuple[Node, ...], d: tuple[Node, ...]) -> Node:
    (y, x), (dy, dx) = u, d
    square = add(power(x, number(2.0)), power(y, number(2.0)))
    return divide(subtract(multiply(x, dy), multiply(y, dx)), square)


_TWO = number(2.0)

RULES: dict[str, Rule] = {
    "+": lambda u, d: add(*d),
    "-": lambda u, d: subtract(*d),
    "*": lambda u, d: add(multiply(d[0], u[1]), multiply(u[0], d[1])),
    "/": _quotient_rule,
    "**": _power_rule,
    "negative": lambda u, d: negate(d[0]),
    "sqrt": lambda u, d: divide(d[0], multiply(_TWO, call("sqrt", u[0]))),
    "sin": lambda u, d: multiply(call("cos", u[0]), d[0]),
    "cos": lambda u, d: negate(multiply(call("sin", u[0]), d[0])),
    "tan": lambda u, d: divide(d[0], power(call("cos", u[0]), _TWO)),
    "asin": lambda u, d: divide(d[0], _arc_root(u[0])),
    "acos": lambda u, d: negate(divide(d[0], _arc_root(u[0]))),
    "atan": lambda u, d: divide(d[0], add(ONE, power(u[0], _TWO))),
    "atan2": _atan2_rule,
    "exp": lambda u, d: multiply(call("exp", u[0]), d[0]),
    "log": lambda u, d: divide(d[0], u[0]),
    "abs": lambda u, d: multiply(call("sign", u[0]), d[0]),
    "min": lambda u, d: _choose(u[0], u[1], d[0], d[1]),
    "max": lambda u, d: _choose(u[1], u[0], d[0], d[1]),
    "sign": lambda u, d: ZERO,
    "choose": lambda u, d: _choose(u[0], u[1], d[2], d[3]),
}
"""Derivative of each operation from its arguments `u` and their derivatives `d`."""


def derivative(root: Node, name: str) -> Node:
    """Return the derivative of `root` with respect to the name; all other names are constants."""
    found: dict[int, Node] = {}
    for node in distinct_nodes(root):
        if isinstance(node, Apply):
            slopes = tuple(found[id(argument)] for argument in node.arguments)
            constant = all(_is(slope, 0.0) for slope in slopes)
            found[id(node)] = ZERO if constant else RULES[node.operation](node.arguments, slopes)
        else:
            found[id(node)] = ONE if isinstance(node, Name) and node.name == name else ZERO
    return found[id(root)]


_BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "negative": 3, "**": 4}
_ATOM = 5


def print_tree(root: Node, longest: int = 4000) -> str | None:
    """Return the tree as text in the language of the mechanism file, or None if it is longer than `longest`."""
    texts: dict[int, tuple[str, int]] = {}
    for node in distinct_nodes(root):
        if isinstance(node, Number):
            texts[id(node)] = (node.text, _BINDS["negative"] if node.text.startswith("-") else _ATOM)
        elif isinstance(node, Name):
            texts[id(node)] = (node.name, _ATOM)
        else:
            texts[id(node)] = _print_apply(node, [texts[id(argument)] for argument in node.arguments])
        if len(texts[id(node)][0]) > longest:
            return None
    return texts[id(root)][0]


def _print_apply(node: Apply, parts: list[tuple[str, int]]) -> tuple[str, int]:
    def bracket(part: tuple[str, int], least: int) -> str:
        return part[0] if part[1] >= least else f"({part[0]})"

    operation = node.operation
    if operation not in _BINDS:
        return f"{operation}({', '.join(text for text, _ in parts)})", _ATOM
    binds = _BINDS[operation]
    if operation == "negative":
        return "-" + bracket(parts[0], binds), binds
    if (
        operation == "**"
    ):  # right associative; a minus before the base needs brackets, before the exponent too to be read
        return f"{bracket(parts[0], _ATOM)}**{bracket(parts[1], _ATOM)}", binds
    left, right = bracket(parts[0], binds), bracket(parts[1], binds + 1)
    return (f"{left} {operation} {right}" if binds == 1 else f"{left}{operation}{right}"), binds
