"""A printed formula as a tree: sums, products and calls of letters, numbers and lists. It is data alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias

from symgen.errors import InputError

#: Functions of scalars, and those of vectors and matrices.
ELEMENTARY = ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "abs")
FUNCTIONS: tuple[str, ...] = (
    *ELEMENTARY, "transpose", "hat", "symmetric", "conjugate", "det", "inverse", "trace", "dot", "cross",
    "quaternion_product", "norm", "diag", "beside", "below", "identity", "zeros", "block", "rows", "flat", "lower",
    "from_lower", "factorial",
)  # fmt: skip

#: Operations within operations.
DEEPEST = 120


class FormulaError(InputError):
    """A formula cannot be read, or means nothing: what was found, what is allowed."""


class SizeError(FormulaError):
    """Sizes do not fit: a formula that is printed so cannot hold."""


@dataclass(frozen=True)
class ExactNumber:
    """An exact number."""

    value: Fraction
    depth: int = field(default=1, init=False, compare=False)


@dataclass(frozen=True)
class SourceLetter:
    """A letter of the source, as it is written there without blanks."""

    name: str
    depth: int = field(default=1, init=False, compare=False)


@dataclass(frozen=True)
class Operation:
    """An operation on formulas."""

    parts: tuple[Formula, ...]
    depth: int = field(default=0, init=False, compare=False)

    def __post_init__(self) -> None:
        depth = 1 + max((part.depth for part in self.parts), default=0)
        if depth > DEEPEST:
            raise FormulaError(f"operations are nested too deep; at most {DEEPEST} levels are allowed")
        object.__setattr__(self, "depth", depth)


class Sum(Operation):
    """The sum of its parts."""


class Negative(Operation):
    """Minus its only part."""


class FormulaProduct(Operation):
    """The product of its parts, in their order."""


class Unbracketed(Operation):
    r"""A product in LaTeX as a factor of ``\cdot`` or ``\times``, without brackets around it."""


class Quotient(Operation):
    """The first part over the second."""


class Power(Operation):
    """The first part to the power of the second, which is a number."""


class Array(Operation):
    """A list: a vector of scalars, or a matrix of rows."""


@dataclass(frozen=True)
class ArrayEntry(Operation):
    """One entry of its only part."""

    places: tuple[int, ...] = ()


@dataclass(frozen=True)
class AppliedFunction(Operation):
    """A function of its parts."""

    function: str = ""


Formula: TypeAlias = ExactNumber | SourceLetter | Operation


def walk(formula: Formula) -> Iterator[Formula]:
    """Yield a formula and all its parts, from the outside in, left to right."""
    waiting = [formula]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Operation):
            waiting += reversed(node.parts)


def letters(formula: Formula) -> tuple[str, ...]:
    """Return the letters of a formula in the order in which they come."""
    return tuple(dict.fromkeys(node.name for node in walk(formula) if isinstance(node, SourceLetter)))


def with_parts(node: Operation, parts: tuple[Formula, ...]) -> Formula:
    """Return an operation on other parts."""
    if isinstance(node, ArrayEntry):
        return ArrayEntry(parts, node.places)
    if isinstance(node, AppliedFunction):
        return AppliedFunction(parts, node.function)
    return type(node)(parts)


def edits(formula: Formula, edit: Callable[[Formula], Iterator[Formula]]) -> Iterator[Formula]:
    """Yield the formula with one node edited, in every place and every way that `edit` knows."""
    yield from edit(formula)
    if isinstance(formula, Operation):
        for k, part in enumerate(formula.parts):
            for other in edits(part, edit):
                yield with_parts(formula, (*formula.parts[:k], other, *formula.parts[k + 1 :]))


# -- as text ---------------------------------------------------------------------------------------------------------

_SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(5)


def as_text(formula: Formula) -> str:
    """Return a formula as plain text, which can be read again if its letters are plain."""
    return _text(formula)[0]


def _text(node: Formula) -> tuple[str, int]:
    if isinstance(node, ExactNumber):
        is_plain = node.value.denominator == 1 and node.value >= 0
        return str(node.value), _ATOM if is_plain else _PRODUCT
    if isinstance(node, SourceLetter):
        return node.name, _ATOM
    if isinstance(node, Sum):
        words = [_bracketed(part, _PRODUCT) for part in node.parts]
        text = words[0] + "".join(f" - {w[1:]}" if w.startswith("-") else f" + {w}" for w in words[1:])
        return text, _SUM
    if isinstance(node, Negative):
        return f"-{_bracketed(node.parts[0], _PRODUCT)}", _PRODUCT
    if isinstance(node, FormulaProduct):
        first, *others = node.parts
        return "*".join([_bracketed(first, _PRODUCT), *(_bracketed(part, _POWER) for part in others)]), _PRODUCT
    if isinstance(node, Quotient):
        return f"{_bracketed(node.parts[0], _PRODUCT)}/{_bracketed(node.parts[1], _POWER)}", _PRODUCT
    if isinstance(node, Power):
        return f"{_bracketed(node.parts[0], _ATOM)}**{_bracketed(node.parts[1], _ATOM)}", _POWER
    if isinstance(node, Unbracketed):
        return _text(node.parts[0])
    inner = ", ".join(as_text(part) for part in node.parts)
    if isinstance(node, AppliedFunction):
        return f"{node.function}({inner})", _ATOM
    if isinstance(node, ArrayEntry):
        return f"{_bracketed(node.parts[0], _ATOM)}[{', '.join(map(str, node.places))}]", _ATOM
    return f"[{inner}]", _ATOM


def _bracketed(node: Formula, least: int) -> str:
    text, binds = _text(node)
    return text if binds >= least else f"({text})"
