"""Formulas of derivations and of generated C, read into trees, and their values in numbers.

Two spellings are read by one grammar: the plain formulas of a derivation's steps (``max(h2, 0)``,
``sign(branch, bit 0)``, ``(u if a <= b else v)``) and expressions of the generated C (``sub(s, j1_at)``,
``x > R(0.0) ? x : R(0.0)``). Nothing is executed: what is not in the grammar is no formula.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

#: Longer texts are not read; no formula of a step is.
_MOST_TOKENS = 6000
_DEEPEST = 60


class NoFormulaError(ValueError):
    """A text is no formula, or has no value."""


@dataclass(frozen=True)
class WrittenNumber:
    """A number as it is written."""

    text: str


@dataclass(frozen=True)
class WrittenName:
    """The name of a number or of a vector."""

    text: str


@dataclass(frozen=True)
class Field:
    """A component: ``far.x``, ``q.q0``."""

    of: Formula
    name: str


@dataclass(frozen=True)
class WrittenCall:
    """A function of formulas."""

    function: str
    arguments: tuple[Formula, ...]


@dataclass(frozen=True)
class Unary:
    """``-a`` or ``!a``."""

    operator: str
    of: Formula


@dataclass(frozen=True)
class Binary:
    """``a + b`` and other operations of two, comparisons among them."""

    operator: str
    left: Formula
    right: Formula


@dataclass(frozen=True)
class Conditional:
    """``a`` where the condition holds, else ``b``."""

    condition: Formula
    then: Formula
    other: Formula


@dataclass(frozen=True)
class Components:
    """A vector by its components."""

    items: tuple[Formula, ...]


Formula: TypeAlias = WrittenNumber | WrittenName | Field | WrittenCall | Unary | Binary | Conditional | Components

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?[Ff]?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<operator><=|>=|==|!=|&&|\|\||[-+*/%<>!?:(),.{}\[\]]))"
)
_INDEX = {".": re.compile(r"[A-Za-z]\w*"), "[": re.compile(r"\d")}
_LEVELS = (("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/", "%"))


def read_formula(text: str) -> Formula:
    """Return the tree of an expression.

    Raises
    ------
    NoFormulaError
        The text is none, or too long or too deeply nested for one.
    """
    reader = _FormulaReader(text)
    found = reader.expression()
    reader.expect("")
    return found


def read_equations(text: str) -> list[tuple[str, Formula]]:
    """Return the targets of a step with their formulas: ``a_x = ...; a_y = ...``.

    Raises
    ------
    NoFormulaError
        As `read_formula`.
    """
    found = []
    for part in text.split("; "):
        target, equals, value = part.partition(" = ")
        if not equals or re.fullmatch(r"[A-Za-z_]\w*", target) is None:
            raise NoFormulaError(f"no equation: {part[:60]!r}")
        found.append((target, read_formula(value)))
    return found


class _FormulaReader:
    """Reads by descent, one method a level."""

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        place, text = 0, text.strip()
        while place < len(text):
            match = _TOKEN.match(text, place)
            if match is None or len(self.tokens) > _MOST_TOKENS:
                raise NoFormulaError(f"no formula: {text[place : place + 40]!r}")
            self.tokens.append(match[0].strip())
            place = match.end()
        self.tokens.append("")
        self.place = 0
        self.depth = 0

    @property
    def next(self) -> str:
        return self.tokens[self.place]

    def take(self) -> str:
        self.place += 1
        return self.tokens[self.place - 1]

    def expect(self, token: str) -> None:
        if self.next != token:
            raise NoFormulaError(f"found {self.next!r}, expected {token!r}")
        self.place += token != ""

    def expression(self) -> Formula:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NoFormulaError("nested too deeply")
        found = self.level(0)
        if self.next == "?":
            self.take()
            then = self.expression()
            self.expect(":")
            found = Conditional(found, then, self.expression())
        elif self.next == "if":
            self.take()
            condition = self.level(0)
            self.expect("else")
            found = Conditional(condition, found, self.expression())
        self.depth -= 1
        return found

    def level(self, k: int) -> Formula:
        if k == len(_LEVELS):
            return self.prefixed()
        found = self.level(k + 1)
        while self.next in _LEVELS[k]:
            found = Binary(self.take(), found, self.level(k + 1))
        return found

    def prefixed(self) -> Formula:
        signs = []
        while self.next in ("-", "+", "!"):
            signs.append(self.take())
        found = self.postfixed()
        for sign in reversed(signs):
            found = found if sign == "+" else Unary(sign, found)
        return found

    def postfixed(self) -> Formula:
        found = self.primary()
        while self.next in (".", "["):
            opened = self.take()
            found = Field(found, self.take())
            if _INDEX[opened].fullmatch(found.name) is None:
                raise NoFormulaError(f"no component: {found.name!r}")
            if opened == "[":
                self.expect("]")
        return found

    def primary(self) -> Formula:
        word = self.take()
        if word == "(":
            found = self.expression()
            self.expect(")")
            return found
        if word == "{":
            return Components(self.arguments("}"))
        if word[:1].isdigit():
            return WrittenNumber(word.rstrip("fF"))
        if re.fullmatch(r"[A-Za-z_]\w*", word) is None or word in ("if", "else"):
            raise NoFormulaError(f"found {word!r}, expected a name or number")
        if self.next != "(":
            return WrittenName(word)
        self.take()
        return self.call(word, self.arguments(")"))

    def arguments(self, end: str) -> tuple[Formula, ...]:
        found: list[Formula] = []
        while self.next != end:
            if self.next == "bit" and self.tokens[self.place + 1].isdigit():
                self.take()
            found.append(self.expression())
            if self.next != end:
                self.expect(",")
        self.take()
        return tuple(found)

    @staticmethod
    def call(name: str, arguments: tuple[Formula, ...]) -> Formula:
        """Return a call by the name that formulas know it by; R(...) and EITHER(...) only say the type of a number."""
        if name in ("R", "EITHER") and arguments:
            return arguments[0]
        return WrittenCall(_SAME.get(name, name), arguments)


#: Names of C -> those of formulas.
_SAME = {
    "real_abs": "abs", "real_sqrt": "sqrt", "real_sin": "sin", "real_cos": "cos", "real_atan2": "atan2",
    "own_atan2": "atan2", "own_sin": "sin", "own_cos": "cos", "add2": "add", "sub2": "sub", "scaled2": "scaled",
    "negated2": "negated", "dot2": "dot", "squared2": "squared", "along_axes2": "along_axes", "quat_dot": "dot",
    "quat_squared": "squared", "real_floor": "floor", "real_hypot": "hypot",
}  # fmt: skip


def names_in(formula: Formula) -> set[str]:
    """Return the names in a formula."""
    if isinstance(formula, WrittenName):
        return {formula.text}
    return {name for part in parts_of(formula) for name in names_in(part)}


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas that a formula is made of."""
    if isinstance(formula, (WrittenNumber, WrittenName)):
        return ()
    if isinstance(formula, (Field, Unary)):
        return (formula.of,)
    if isinstance(formula, WrittenCall):
        return formula.arguments
    if isinstance(formula, Components):
        return formula.items
    if isinstance(formula, Binary):
        return formula.left, formula.right
    return formula.condition, formula.then, formula.other


_WORDS = {"&&": "and", "||": "or"}


def text_of(formula: Formula) -> str:
    """Return a formula as plain text, in brackets where the spelling of its parts asks for them."""
    if isinstance(formula, (WrittenNumber, WrittenName)):
        return (
            formula.text.removesuffix(".0")
            if isinstance(formula, WrittenNumber)
            else formula.text.removeprefix("SYMGEN_")
        )
    if isinstance(formula, Field):
        return f"{text_of(formula.of)}.{formula.name}"
    if isinstance(formula, (WrittenCall, Components)):
        name = formula.function if isinstance(formula, WrittenCall) else ""
        return f"{name}({', '.join(map(text_of, parts_of(formula)))})"
    if isinstance(formula, Unary):
        return f"{'-' if formula.operator == '-' else 'not '}{_in_brackets(formula.of, formula)}"
    if isinstance(formula, Binary):
        operator = _WORDS.get(formula.operator, formula.operator)
        between = operator if operator in "*/" else f" {operator} "
        return f"{_in_brackets(formula.left, formula)}{between}{_in_brackets(formula.right, formula)}"
    return f"({text_of(formula.then)} if {text_of(formula.condition)} else {text_of(formula.other)})"


def _in_brackets(part: Formula, whole: Formula) -> str:
    text = text_of(part)
    if not isinstance(part, Binary):
        return text
    ranks = {operator: k for k, level in enumerate(_LEVELS) for operator in level}
    outer = ranks[whole.operator] if isinstance(whole, Binary) else len(_LEVELS)
    after = isinstance(whole, Binary) and part is whole.right and whole.operator in "-/"
    return f"({text})" if ranks[part.operator] < outer + after else text


# -- values ----------------------------------------------------------------------------------------------------------

Value: TypeAlias = "float | tuple[float, ...]"
#: Sizes of vectors in C.
SIZES = {"vec2": 2, "vec3": 3, "quat": 4}
_FIELDS = {"x": 0, "y": 1, "z": 2, "q0": 0, "q1": 1, "q2": 2, "q3": 3, "0": 0, "1": 1, "2": 2, "3": 3}


class Values(dict[str, float]):
    """Numbers by name; a name that has none is given one, always the same for the same seed.

    A step of a derivation is a function of the names in it: two formulas for one step that agree at such numbers are
    the same function.
    """

    def __init__(self, seed: int) -> None:
        super().__init__()
        self.seed = seed

    def __missing__(self, name: str) -> float:
        drawn = random.Random(f"{self.seed} {name}")  # noqa: S311 - numbers to compare formulas with
        self[name] = drawn.choice((-1.0, 1.0)) if name == "branch" else drawn.uniform(0.3, 1.9)
        return self[name]


def component_names(vector: str, size: int, known: Collection[str]) -> tuple[str, ...]:
    """Return what a derivation calls the components of a vector of C."""
    if size < 4:
        return tuple(f"{vector}_{axis}" for axis in "xyz"[:size])
    split = f"{vector}_0" in known
    return tuple(f"{vector}_{k}" if split else f"{vector}{k}" for k in range(4))


def evaluate(formula: Formula, values: Values, sizes: Mapping[str, int], known: Collection[str] = ()) -> Value:
    """Return the value of a formula.

    Parameters
    ----------
    sizes : of the names that are vectors.
    known : names of components.

    Raises
    ------
    NoFormulaError
        It has none: a function without a value here, a division by zero.
    """
    try:
        return _value(formula, values, sizes, known)
    except (TypeError, IndexError, ArithmeticError, KeyError, ValueError) as error:
        raise NoFormulaError(f"no value: {error}") from error


def _value(formula: Formula, values: Values, sizes: Mapping[str, int], known: Collection[str]) -> Value:
    if isinstance(formula, WrittenNumber):
        return float(formula.text)
    if isinstance(formula, WrittenName):
        size = sizes.get(formula.text, 0)
        if size:
            return tuple(values[name] for name in component_names(formula.text, size, known))
        return values[formula.text.removeprefix("SYMGEN_")]
    if isinstance(formula, Field):
        if isinstance(formula.of, WrittenName) and formula.of.text not in sizes:
            raise NoFormulaError(f"{formula.of.text} is not a vector")
        return _vector(_value(formula.of, values, sizes, known))[_FIELDS[formula.name]]
    if isinstance(formula, Components):
        return tuple(_scalar(_value(item, values, sizes, known)) for item in formula.items)
    if isinstance(formula, Conditional):
        chosen = formula.then if _value(formula.condition, values, sizes, known) else formula.other
        return _value(chosen, values, sizes, known)
    if isinstance(formula, WrittenCall) and formula.function == "sign":
        return _sign(values, formula.arguments[1])
    parts = [_value(part, values, sizes, known) for part in parts_of(formula)]
    if isinstance(formula, Unary):
        return -_scalar(parts[0]) if formula.operator == "-" else float(not parts[0])
    if isinstance(formula, Binary):
        return _OPERATIONS[formula.operator](_scalar(parts[0]), _scalar(parts[1]))
    return _FUNCTIONS[formula.function](*parts)


def _sign(values: Values, bit: Formula) -> float:
    return 1.0 if int(isinstance(bit, WrittenNumber) and bit.text == "0") else -values["branch"]


def _scalar(value: Value) -> float:
    if isinstance(value, tuple):
        raise NoFormulaError("a vector where a number is due")
    return value


def _vector(value: Value) -> tuple[float, ...]:
    if not isinstance(value, tuple):
        raise NoFormulaError("a number where a vector is due")
    return value


_OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "<": lambda a, b: float(a < b), "<=": lambda a, b: float(a <= b), ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b), "&&": lambda a, b: float(bool(a) and bool(b)),
    "||": lambda a, b: float(bool(a) or bool(b)),
}  # fmt: skip


def _dot(u: Value, v: Value) -> float:
    return sum(a * b for a, b in zip(_vector(u), _vector(v), strict=True))


def _cross(u: Value, v: Value) -> Value:
    a, b = _vector(u), _vector(v)
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _along(local: Value, *axes: Value) -> Value:
    return tuple(sum(f * a for f, a in zip(_vector(local), each, strict=True)) for each in zip(*axes, strict=True))


def _axis(k: int) -> Callable[[Value], Value]:
    def image(q: Value) -> Value:
        a, b, c, d = _vector(q)
        return (
            (1 - 2 * (c * c + d * d), 2 * (b * c + a * d), 2 * (b * d - a * c)),
            (2 * (b * c - a * d), 1 - 2 * (b * b + d * d), 2 * (c * d + a * b)),
            (2 * (b * d + a * c), 2 * (c * d - a * b), 1 - 2 * (b * b + c * c)),
        )[k]

    return image


def _product(p: Value, q: Value) -> Value:
    (a, b, c, d), (e, f, g, h) = _vector(p), _vector(q)
    return (
        a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
        a * g + c * e + d * f - b * h, a * h + b * g + d * e - c * f,
    )  # fmt: skip


def _inverse(q: Value) -> Value:
    a, b, c, d = _vector(q)
    return a, -b, -c, -d


#: The root of what is negative at chosen numbers is that of the opposite: what is compared takes roots of one thing.
_FUNCTIONS: dict[str, Callable[..., Value]] = {
    "sqrt": lambda a: math.sqrt(abs(a)), "abs": abs, "sin": math.sin, "cos": math.cos, "atan2": math.atan2,
    "max": max, "hypot": math.hypot, "dot": _dot, "squared": lambda u: _dot(u, u), "cross": _cross,
    "add": lambda u, v: tuple(a + b for a, b in zip(u, v, strict=True)),
    "sub": lambda u, v: tuple(a - b for a, b in zip(u, v, strict=True)),
    "scaled": lambda s, u: tuple(s * a for a in u), "negated": lambda u: tuple(-a for a in u),
    "cross2": lambda u, v: u[0] * v[1] - u[1] * v[0], "turned2": lambda u: (-u[1], u[0]),
    "rotated2": lambda u, c, s: (c * u[0] - s * u[1], s * u[0] + c * u[1]), "along_axes": _along,
    "quat_x_axis": _axis(0), "quat_y_axis": _axis(1), "quat_z_axis": _axis(2), "quat_product": _product,
    "quat_inverse": _inverse,
}  # fmt: skip


def is_close(one: Value, other: Value, scale: float = 1.0) -> bool:
    """Tell whether two values agree to nine digits of their size, or of `scale`."""
    left, right = ((each,) if not isinstance(each, tuple) else each for each in (one, other))
    if len(left) != len(right):
        return False
    size = max(scale, *map(abs, left), *map(abs, right))
    return all(abs(a - b) <= 1e-9 * size for a, b in zip(left, right, strict=True))


@cache
def read_known(text: str) -> Formula | None:
    """Return the tree of an expression, or None where it is none."""
    try:
        return read_formula(text)
    except NoFormulaError:
        return None
