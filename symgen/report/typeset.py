"""Formulas as mathematics: vectors bold and named by what they are, products, roots and choices as one writes them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from symgen.printers.greek import GREEK
from symgen.report.formula import (
    Binary,
    Components,
    Conditional,
    Field,
    Formula,
    NoFormulaError,
    Unary,
    WrittenCall,
    WrittenName,
    WrittenNumber,
    parts_of,
)
from symgen.report.layout import (
    COMMA,
    CROSS,
    DOT,
    EQUALS,
    MINUS,
    PLUS,
    TIMES,
    Digits,
    Fence,
    Fraction,
    Grid,
    Layout,
    Letter,
    Root,
    Scripts,
    Sign,
    Style,
    Words,
    joined,
    row,
)

#: Ids of bodies and joints in derivations.
_ID = re.compile(r"(?:[jkbs]\d+[a-z]?|held|far|near|[a-z]{1,2})\Z")
#: What stands first in a name and says where its quantity belongs.
_PLACES = ("held", "far", "near", "loop")
_WORD = re.compile(r"([A-Za-z]+)(\d*)\Z")

_COMPARED = {
    "<": Sign("<", "&lt;"), "<=": Sign(r"\le ", "\u2264"), ">": Sign(">", "&gt;"), ">=": Sign(r"\ge ", "\u2265"),
    "==": EQUALS, "!=": Sign(r"\ne ", "\u2260"), "&&": Sign(r"\;\text{and}\; ", "\u2003and\u2003"),
    "||": Sign(r"\;\text{or}\; ", "\u2003or\u2003"), "%": Sign(r"\bmod ", "\u2003mod\u2003"),
}  # fmt: skip


@dataclass(frozen=True)
class Notation:
    """How names are written.

    Parameters
    ----------
    sizes : of the names that are vectors.
    squares : name -> the name that it is the square of.
    reciprocals : name -> the name that it is the reciprocal of.
    """

    sizes: Mapping[str, int] = field(default_factory=dict)
    squares: Mapping[str, str] = field(default_factory=dict)
    reciprocals: Mapping[str, str] = field(default_factory=dict)

    def symbol(self, name: str) -> Layout:
        """Return how a name is written: ``omega_1``, a Greek letter with an index; vectors bold."""
        if name.startswith("SYMGEN_") or name.isupper():
            return _constant(name)
        if name in self.squares:
            of = self.squares[name]
            return _raised(_lighter(self.symbol(of)) if of in self.sizes else self.symbol(of), "2")
        if name in self.reciprocals:
            of = self.reciprocals[name]
            return _raised(self.symbol(self.squares.get(of, of)), "-2" if of in self.squares else "-1")
        size = self.sizes.get(name, 0)
        if size:
            return _vector_symbol(name, size)
        vector, axis = self.component_of(name)
        return component(self.symbol(vector), axis) if vector else _indexed(name.split("_"), "italic")

    def component_of(self, name: str) -> tuple[str, str]:
        """Return the vector that a name is a component of, and its axis; empty if it is none."""
        match = re.fullmatch(r"(\w+?)(?:_([xyz0-3])|([0-3]))", name)
        if match is None:
            return "", ""
        axis = match[2] or match[3]
        size = self.sizes.get(match[1], 0)
        fits = size == 4 if axis.isdigit() else size in (2, 3)
        return (match[1], axis) if fits else ("", "")


def _raised(base: Layout, power: str) -> Layout:
    above: Layout = Digits(power) if power[0] != "-" else row(MINUS, Digits(power[1:]))
    if isinstance(base, Scripts) and base.above is None:
        return Scripts(base.base, base.below, above)
    return Scripts(base if isinstance(base, Letter) else Fence("()", base), above=above)


def _lighter(symbol: Layout) -> Layout:
    """Return the symbol of a vector's length: its letter, not bold."""
    if isinstance(symbol, Scripts) and isinstance(symbol.base, Letter):
        return Scripts(_light(symbol.base), symbol.below, symbol.above)
    return _light(symbol) if isinstance(symbol, Letter) else symbol


def component(vector: Layout, axis: str) -> Layout:
    """Return a component of a vector: its letter, not bold, with the axis below."""
    index: Layout = Digits(axis) if axis.isdigit() else Letter(axis)
    if isinstance(vector, Scripts) and isinstance(vector.base, Letter) and vector.below is not None:
        return Scripts(_light(vector.base), row(vector.below, COMMA, index), vector.above)
    return Scripts(_light(vector) if isinstance(vector, Letter) else vector, index)


def _constant(name: str) -> Layout:
    """Return the symbol of a tolerance; a largest value by its words."""
    text = name.removeprefix("SYMGEN_").removesuffix("_TOLERANCE").lower().replace("_", " ")
    if text.startswith(("larg", "real")):
        return Words(text)
    return Scripts(Letter("epsilon"), Words(text))


def _vector_symbol(name: str, size: int) -> Layout:
    """Return the symbol of a vector: what is at an id's place is r, its axes are e, a quaternion q."""
    *before, last = name.split("_")
    if size == 4:
        if last in ("o", "q") and before:  # a frame's is told from a body's by the two names below
            return _below(Letter("q", "bold"), before[1:] if before[0] == "f" and len(before) > 1 else before)
        return _indexed(name.split("_"), "bold")
    if before and last == "at":
        return _below(Letter("r", "bold"), before)
    axis = re.fullmatch(r"([ef]?)([xyz])", last)
    if axis is not None and before and (axis[1] or _ID.match(before[0])) and size == 3:
        return _below(Letter(axis[1] or "e", "bold"), [axis[2], *before])
    if re.fullmatch(r"[kb]\d+", name):
        return _below(Letter("r", "bold"), [name])
    return _indexed(name.split("_"), "bold")


def _indexed(parts: list[str], style: Style) -> Layout:
    if parts[0] in _PLACES and len(parts) > 1:
        of, name, *rest = parts
        parts = [name, *rest, of] if of == "loop" else [parts[-1], *parts[:-1]]
    elif len(parts) > 1 and re.fullmatch(r"[jkb]\d+h?", parts[0]):
        parts = [parts[-1], *parts[:-1]]
    first, *rest = parts
    match = _WORD.match(first)
    if match is None or not first:
        return Letter("_".join(parts), "upright")
    base, digits = match[1], match[2]
    if digits and (_ID.match(first) is None or not rest):
        rest = [digits, *rest]
        first = base
    upright: Style = style if style == "bold" else "italic" if len(first) == 1 or first in GREEK else "upright"
    return _below(Letter(first, upright), rest)


def _below(base: Layout, parts: list[str]) -> Layout:
    parts = [part for part in parts if part]
    return Scripts(base, joined([_index(part) for part in parts], COMMA)) if parts else base


def _index(part: str) -> Layout:
    if part.isdigit():
        return Digits(part)
    match = re.fullmatch(r"([a-z]+)(\d+)", part)
    if match is not None and match[1] in GREEK:
        return row(Letter(match[1]), Digits(match[2]))
    return Letter(part) if len(part) == 1 or part in GREEK else Letter(part, "upright")


# -- expressions -----------------------------------------------------------------------------------------------------

#: How tightly things hold together.
_CHOICE, _OR, _AND, _COMPARE, _SUM, _PRODUCT, _FACTOR, _POWER = range(8)
_RANK = {"||": _OR, "&&": _AND, "<": _COMPARE, "<=": _COMPARE, ">": _COMPARE, ">=": _COMPARE, "==": _COMPARE,
         "!=": _COMPARE, "+": _SUM, "-": _SUM, "*": _PRODUCT, "%": _PRODUCT, "/": _POWER}  # fmt: skip


def typeset(formula: Formula, notation: Notation) -> Layout:
    """Return a formula as mathematics."""
    return _Typesetter(notation).of(formula)


class _Typesetter:
    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        self.functions: dict[str, Callable[..., Layout]] = {
            "sqrt": lambda a: Root(self.of(a)),
            "abs": lambda a: Fence("||", self.of(a)),
            "add": lambda a, b: self.sum(a, PLUS, b),
            "sub": lambda a, b: self.sum(a, MINUS, b),
            "scaled": lambda s, u: row(
                self.of(s, _FACTOR if _is_product_of_vectors(s) else _PRODUCT), TIMES, self.of(u, _FACTOR)
            ),
            "negated": lambda u: row(MINUS, self.of(u, _PRODUCT)),
            "dot": lambda u, v: row(self.of(u, _FACTOR), DOT, self.of(v, _FACTOR)),
            "cross": lambda u, v: row(self.of(u, _FACTOR), CROSS, self.of(v, _FACTOR)),
            "cross2": lambda u, v: row(self.of(u, _FACTOR), CROSS, self.of(v, _FACTOR)),
            "squared": lambda u: Scripts(Fence("norm", self.of(u)), above=Digits("2")),
            "turned2": lambda u: Scripts(self.base(u), above=Sign(r"\perp ", "\u22a5")),
            "rotated2": lambda u, c, s: row(self.rotation(c, s), TIMES, self.of(u, _FACTOR)),
            "along_axes": lambda f, *axes: row(
                Fence("[]", joined([self.of(axis) for axis in axes], _ROOM)), TIMES, self.of(f, _FACTOR)
            ),
            "quat_product": lambda p, q: row(self.of(p, _FACTOR), _AFTER, self.of(q, _FACTOR)),
            "quat_inverse": lambda q: Scripts(self.base(q), above=Sign("-1", "\u22121")),
            "max": lambda *parts: self.named("max", parts),
            "is_unit": self.unit,
            "quat_is_unit": self.unit,
            "sign": lambda branch, bit: Scripts(
                Fence("()", row(MINUS, Digits("1"))), above=Scripts(Letter("b"), self.of(bit))
            ),
        }
        for k, axis in enumerate("xyz"):
            self.functions[f"quat_{axis}_axis"] = self.axis(k)

    def of(self, formula: Formula, rank: int = 0) -> Layout:
        """Return a formula, in brackets where it holds together less than `rank`."""
        found = self.plain(formula)
        return Fence("()", found) if self.rank(formula) < rank else found

    def rank(self, formula: Formula) -> int:
        if isinstance(formula, Binary):
            return _SUM if formula.operator == "*" and _begins_with_minus(formula) else _RANK[formula.operator]
        if isinstance(formula, Conditional):
            return _POWER if self.positive_part(formula) is not None else _CHOICE
        if isinstance(formula, Unary):
            return _SUM if formula.operator == "-" else _AND
        if isinstance(formula, WrittenCall):
            return {
                "add": _SUM, "sub": _SUM, "negated": _SUM, "scaled": _PRODUCT, "dot": _PRODUCT, "cross": _PRODUCT,
                "cross2": _PRODUCT, "rotated2": _PRODUCT, "along_axes": _PRODUCT, "quat_product": _PRODUCT,
                "quat_x_axis": _PRODUCT, "quat_y_axis": _PRODUCT, "quat_z_axis": _PRODUCT,
            }.get(formula.function, _POWER)  # fmt: skip
        return _POWER

    def base(self, formula: Formula) -> Layout:
        found = self.of(formula, _POWER)
        return found if isinstance(found, (Letter, Fence)) else Fence("()", found)

    def plain(self, formula: Formula) -> Layout:
        if isinstance(formula, WrittenNumber):
            return _number(formula.text)
        if isinstance(formula, WrittenName):
            return self.notation.symbol(formula.text)
        if isinstance(formula, Field):
            return self.component(formula)
        if isinstance(formula, Components):
            return Grid(tuple((self.of(item),) for item in formula.items))
        if isinstance(formula, Unary):
            if formula.operator == "-":
                return row(MINUS, self.of(formula.of, _PRODUCT))
            return row(Words("not "), self.of(formula.of, _POWER))
        if isinstance(formula, Conditional):
            return self.choice(formula)
        if isinstance(formula, WrittenCall):
            function = self.functions.get(formula.function)
            try:
                return self.named(formula.function, formula.arguments) if function is None else function(
                    *formula.arguments
                )  # fmt: skip
            except TypeError as error:
                raise NoFormulaError(f"{formula.function} of {len(formula.arguments)}") from error
        return self.binary(formula)

    def binary(self, formula: Binary) -> Layout:
        operator, left, right = formula.operator, formula.left, formula.right
        if operator in "+-":
            return self.sum(left, PLUS if operator == "+" else MINUS, right)
        if operator == "/":
            return Fraction(self.of(left), self.of(right))
        if operator == "*":
            return self.product(formula)
        if operator == "&&" and isinstance(left, Binary) and left.operator == "&&":
            return self.conjunction(formula)
        rank = _RANK[operator]
        return row(self.of(left, rank), _COMPARED[operator], self.of(right, rank + 1))

    def conjunction(self, formula: Formula) -> Layout:
        """Return several conditions under one another."""
        parts: list[Formula] = [formula]
        while isinstance(parts[0], Binary) and parts[0].operator == "&&":
            parts[:1] = [parts[0].left, parts[0].right]
        lines = [self.of(part, _RANK["&&"]) for part in parts]
        return Grid((*((row(line, _COMPARED["&&"]),) for line in lines[:-1]), (lines[-1],)), "lines")

    def product(self, formula: Binary) -> Layout:
        """Return factors side by side, equal ones as a square."""
        factors: list[Formula] = [formula]
        while isinstance(factors[0], Binary) and factors[0].operator == "*":
            factors[:1] = [factors[0].left, factors[0].right]
        first = factors[0]
        found: list[Layout] = []
        if isinstance(first, Unary) and first.operator == "-":  # -a*a is -(a^2) too
            found, factors[0] = [MINUS], first.of
        k = 0
        while k < len(factors):
            one = factors[k]
            twice = k + 1 < len(factors) and factors[k + 1] == one and isinstance(one, (WrittenName, Field))
            if k:
                found.append(DOT if _begins_with_number(one) else TIMES)
            if twice:
                found.append(self.square(one))
            else:
                found.append(self.of(one, _FACTOR))
            k += 2 if twice else 1
        return row(*found)

    def square(self, formula: Formula) -> Layout:
        found = self.of(formula)
        if isinstance(found, Scripts) and found.above is None:
            return Scripts(found.base, found.below, Digits("2"))
        return Scripts(found if isinstance(found, Letter) else Fence("()", found), above=Digits("2"))

    def sum(self, left: Formula, sign: Sign, right: Formula) -> Layout:
        return row(self.of(left, _SUM), sign, self.of(right, _SUM if sign is PLUS else _PRODUCT))

    def named(self, name: str, arguments: tuple[Formula, ...]) -> Layout:
        words = {"sin": r"\sin", "cos": r"\cos", "max": r"\max"}.get(name)
        head: Layout = Letter(name, "upright") if words is None else Sign(words, name)
        return row(head, Fence("()", joined([self.of(each) for each in arguments], COMMA)))

    def component(self, formula: Field) -> Layout:
        """Return a component of a vector: its letter, not bold, with the axis below."""
        return component(self.of(formula.of, _POWER), formula.name.removeprefix("q"))

    def axis(self, k: int) -> Callable[..., Layout]:
        unit = Scripts(Letter("e", "bold"), Letter("xyz"[k]))
        return lambda q: row(self.of(q, _FACTOR), _AFTER, unit)

    def unit(self, u: Formula) -> Layout:
        return row(Fence("norm", self.of(u)), EQUALS, Digits("1"))

    def rotation(self, c: Formula, s: Formula) -> Layout:
        cosine, sine = self.of(c), self.of(s)
        opposite = self.of(s.of) if isinstance(s, Unary) else row(MINUS, self.of(s, _PRODUCT))
        return Grid(((cosine, opposite), (sine, cosine)))

    def positive_part(self, formula: Conditional) -> Formula | None:
        """Return x of ``x > 0 ? x : 0``."""
        test = formula.condition
        if (
            isinstance(test, Binary) and test.operator == ">" and test.left == formula.then
            and test.right == formula.other == WrittenNumber("0.0")
        ):  # fmt: skip
            return formula.then
        return None

    def choice(self, formula: Conditional) -> Layout:
        part = self.positive_part(formula)
        if part is not None:
            return self.named("max", (part, WrittenNumber("0")))
        return Grid(
            (
                (self.of(formula.then), row(Words("if "), self.of(formula.condition))),
                (self.of(formula.other), Words("else")),
            ),
            "cases",
        )


_ROOM = Sign(r"\;\; ", "\u2003")
_AFTER = Sign(r"\circ ", "\u2218")


def _light(letter: Letter) -> Letter:
    one = len(letter.text) == 1 or letter.text in GREEK
    return Letter(letter.text, "italic" if one else "upright")


def _begins_with_number(formula: Formula) -> bool:
    return isinstance(formula, WrittenNumber) or (
        isinstance(formula, Binary) and formula.operator in "*" and _begins_with_number(formula.left)
    )


def _is_product_of_vectors(formula: Formula) -> bool:
    return isinstance(formula, WrittenCall) and formula.function in ("dot", "cross", "cross2")


def is_mathematics(formula: Formula) -> bool:
    """Tell whether every function in a formula is one that a reader knows."""
    known = not isinstance(formula, WrittenCall) or formula.function in _READ
    return known and all(map(is_mathematics, parts_of(formula)))


#: Functions that are written as mathematics, or by a name that everybody knows.
_READ = frozenset(
    {"sqrt", "abs", "add", "sub", "scaled", "negated", "dot", "cross", "cross2", "squared", "turned2", "rotated2",
     "along_axes", "quat_product", "quat_inverse", "max", "is_unit", "quat_is_unit", "sign", "quat_x_axis",
     "quat_y_axis", "quat_z_axis", "sin", "cos", "atan2", "hypot"}
)  # fmt: skip


def _begins_with_minus(formula: Formula) -> bool:
    """Tell whether a product begins with a minus sign: alone it needs no brackets."""
    if isinstance(formula, Unary):
        return formula.operator == "-"
    return isinstance(formula, Binary) and formula.operator == "*" and _begins_with_minus(formula.left)


def _number(text: str) -> Layout:
    """Return a number: 2.0 as 2, 1e-09 as a power of ten."""
    digits, e, power = text.lower().partition("e")
    digits = digits.removesuffix(".0") if "." in digits else digits
    if not e:
        return Digits(digits)
    ten = Scripts(Digits("10"), above=Digits(str(int(power))))
    return ten if digits == "1" else row(Digits(digits), CROSS, ten)


def equation(left: Layout, right: Layout) -> Layout:
    """Return left = right."""
    return row(left, EQUALS, right)
