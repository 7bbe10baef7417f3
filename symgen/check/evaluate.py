"""What a formula is: its letters are values, its functions those of this language or derived objects."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any, Generic

from symgen.algebra import Expr, elementary, is_symbol, name_of, part_of_turn, ratio, replace, sqrt
from symgen.check import values as v
from symgen.check.catalogue import ObjectCatalogue
from symgen.check.formula import (
    ELEMENTARY,
    FUNCTIONS,
    AppliedFunction,
    Array,
    ArrayEntry,
    ExactNumber,
    Formula,
    FormulaError,
    FormulaProduct,
    Negative,
    Power,
    Quotient,
    SizeError,
    SourceLetter,
    Sum,
    Unbracketed,
)
from symgen.check.plain import quoted
from symgen.check.values import S, Value
from symgen.derive.derived_object import DerivedObject
from symgen.model.nearest import did_you_mean, list_names

_OF_ONE: dict[str, Callable[[Value[Any]], Value[Any]]] = {
    "transpose": v.transpose, "hat": v.hat, "symmetric": v.symmetric, "conjugate": v.conjugate, "det": v.determinant,
    "inverse": v.inverse, "trace": v.trace, "flat": v.flat, "lower": v.lower, "from_lower": v.from_lower,
}  # fmt: skip
_OF_TWO: dict[str, Callable[[Value[Any], Value[Any]], Value[Any]]] = {
    "dot": v.dot, "cross": v.cross, "quaternion_product": v.quaternion_product,
}  # fmt: skip
#: Products of LaTeX, which depend on their factors.
_OF_LATEX = ("\\times", "\\cdot")
_OTHERS = ("norm", "diag", "beside", "below", "identity", "zeros", "block", "rows", "factorial")
#: Dots of LaTeX over a letter, and Greek ones: ``\dot{q}_0`` is ``qdot_0``, ``\theta`` is ``theta``, unless the claim
#: says what else they are.
_DOTTED = re.compile(r"\\(d{1,2}ot)\{\\?(\w+)\}")
_GREEK = re.compile(r"\\([A-Za-z]+)")
#: Signs of LaTeX for the matrix of a vector product.
_HATTED = re.compile(r"\\(?:hat|tilde)\{(.+)\}(?:_.+)?")
_PI = ("pi", "\\pi")

LARGEST_EXPONENT = 100
_LARGEST_SIZE = 64


@dataclass(frozen=True)
class NumberKind(Generic[S]):
    """A kind of number: how exact ones are made, the functions of scalars, pi."""

    exact: Callable[[Fraction], S]
    function: Callable[[str, S], S]
    half_turn: S


def _expression(value: Fraction) -> Expr:
    return ratio(value.numerator, value.denominator)


#: Expressions as numbers.
SYMBOLIC: NumberKind[Expr] = NumberKind(_expression, lambda name, value: _elementary(name, value), part_of_turn(1, 2))


def _elementary(name: str, value: Expr) -> Expr:
    return sqrt(value) if name == "sqrt" else elementary(name, value)


@dataclass(frozen=True)
class Scope(Generic[S]):
    """What letters and functions mean; `functions` are letters that stand for objects.

    `own` is the object that a formula is compared with: steps of its derivation, asked for with its own arguments, stay
    names, and `kept` gathers them. `domain` gathers the arguments of functions and divisors of what is evaluated, with
    the function's name or "/": cancelled or not, they say where a formula has a value.
    """

    letters: Mapping[str, Value[S]]
    objects: ObjectCatalogue
    numbers: NumberKind[S]
    functions: Mapping[str, str] = field(default_factory=dict)
    domain: list[tuple[str, S]] = field(default_factory=list)
    own: DerivedObject | None = None
    kept: set[str] = field(default_factory=set)

    def evaluate(self, formula: Formula) -> Value[S]:
        """Return what a formula is.

        Raises
        ------
        FormulaError
            A letter or function is not known, or sizes do not fit.
        """
        if isinstance(formula, ExactNumber):
            return v.scalar(self.numbers.exact(formula.value))
        if isinstance(formula, SourceLetter):
            return self._letter(formula.name)
        if isinstance(formula, AppliedFunction) and formula.function in _OF_LATEX:
            return self._of_latex(formula.function, [self._factors(part) for part in formula.parts])
        if isinstance(formula, AppliedFunction) and formula.function == "\\below":
            return self._blocks(formula)
        parts = [self.evaluate(part) for part in formula.parts]
        if isinstance(formula, Unbracketed):
            return parts[0]
        if isinstance(formula, Sum):
            return reduce(v.add, parts)
        if isinstance(formula, FormulaProduct):
            return reduce(v.multiply, parts)
        if isinstance(formula, Negative):
            return v.negative(parts[0])
        if isinstance(formula, Quotient):
            return self._over(*parts)
        if isinstance(formula, Power):
            return self._power(parts[0], formula.parts[1])
        if isinstance(formula, ArrayEntry):
            return v.entry_of(parts[0], formula.places)
        if isinstance(formula, Array):
            return _array(parts)
        if isinstance(formula, AppliedFunction):
            return self._call(formula.function, parts, formula)
        raise TypeError(type(formula).__name__)

    def _letter(self, name: str) -> Value[S]:
        for known in (name, _GREEK.sub(r"\1", _DOTTED.sub(r"\2\1", name))):
            if known in self.letters:
                return self.letters[known]
        if name in _PI:
            return v.scalar(self.numbers.half_turn)
        if name in FUNCTIONS or name in self.functions:
            raise FormulaError(f"{name} is a function: write {name}(...)")
        raise FormulaError(
            f"the letter {quoted(name)} is not known{self._meant_by(name)} (known: {list_names(sorted(self.letters))})"
        )

    def _meant_by(self, name: str) -> str:
        """Return what an unknown letter likely means, as the end of a message."""
        hatted = _HATTED.fullmatch(name)
        if hatted is not None and hatted[1] in self.letters:
            key = name.replace("\\", "\\\\")
            return f'; if it is the matrix of a vector product, add "{key}" = "hat({hatted[1]})" to the symbols'
        # objects are not asked: it would take seconds to derive them all
        return did_you_mean(name, self.letters).replace("\\\\", "\\")

    def _of_scalar(self, name: str, value: S) -> S:
        self.domain.append((name, value))
        return self.numbers.function(name, value)

    def _over(self, above: Value[S], under: Value[S]) -> Value[S]:
        if under.shape:
            raise SizeError(f"division by {v.named(under.shape)}; only scalars divide")
        self.domain.append(("/", under.entries[0]))
        return v.each(above, lambda entry: entry / under.entries[0])

    def _power(self, base: Value[S], exponent: Formula) -> Value[S]:
        count = _constant(exponent)
        if count is None or abs(count) > LARGEST_EXPONENT:
            raise FormulaError(f"an exponent is a number, at most {LARGEST_EXPONENT}")
        if count.denominator == 2 and not base.shape:
            base, count = v.scalar(self._of_scalar("sqrt", base.entries[0])), 2 * count
        if count.denominator != 1:
            raise FormulaError(f"the exponent {count}: only whole numbers and halves of scalars are allowed")
        if base.shape and (len(base.shape) != 2 or base.shape[0] != base.shape[1]):
            raise FormulaError(f"a power of {v.named(base.shape)}; only scalars and square matrices have powers")
        found = self._whole_power(base, abs(count.numerator))
        if count >= 0:
            return found
        return v.inverse(found) if base.shape else self._over(v.scalar(self.numbers.exact(Fraction(1))), found)

    def _whole_power(self, base: Value[S], count: int) -> Value[S]:
        if count == 0:
            return self._identity(base.shape[0]) if base.shape else v.scalar(self.numbers.exact(Fraction(1)))
        if not base.shape:
            entry: Any = base.entries[0]
            return v.scalar(entry**count)
        return reduce(v.multiply, [base] * count)

    def _identity(self, size: int) -> Value[S]:
        zero, one = self.numbers.exact(Fraction(0)), self.numbers.exact(Fraction(1))
        return v.matrix([[one if j == k else zero for k in range(size)] for j in range(size)])

    def _call(self, name: str, parts: list[Value[S]], formula: AppliedFunction) -> Value[S]:
        if name in ELEMENTARY:
            (part,) = self._arguments(name, parts, 1)
            if part.shape:
                raise SizeError(f"{name} takes a scalar, not {v.named(part.shape)}")
            return v.scalar(self._of_scalar(name, part.entries[0]))
        if name in _OF_ONE:
            return _OF_ONE[name](*self._arguments(name, parts, 1))
        if name in _OF_TWO:
            return _OF_TWO[name](*self._arguments(name, parts, 2))
        if name in _OTHERS:
            return self._other(name, parts, formula)
        if name == "\\lvert":
            return self._size(parts[0])
        self.refuse_unknown(name)
        return self._object(self.functions.get(name, name), parts)

    def refuse_unknown(self, name: str) -> None:
        """Refuse a function that is neither a letter for an object nor the name of one.

        Raises
        ------
        FormulaError
            Says which function was likely meant.
        """
        name = self.functions.get(name, name)
        if name in self.objects:
            return
        if name in self.letters:
            raise FormulaError(f"{name} is not a function; a product needs *")
        near = did_you_mean(name, FUNCTIONS) or self.objects.near(name)
        raise FormulaError(f"the function {quoted(name)} is not known{near}")

    def _size(self, part: Value[S]) -> Value[S]:
        """Return what bars mean: a determinant, an absolute value or a length."""
        if len(part.shape) == 2:
            return v.determinant(part)
        if not part.shape:
            return v.scalar(self._of_scalar("abs", part.entries[0]))
        return v.scalar(self._of_scalar("sqrt", v.dot(part, part).entries[0]))

    def _factors(self, node: Formula) -> list[Value[S]]:
        """Return the factors of what stands on one side of a sign of LaTeX: several if there are no brackets."""
        if isinstance(node, Negative):
            first, *others = self._factors(node.parts[0])
            return [v.negative(first), *others]
        if isinstance(node, Unbracketed) and isinstance(node.parts[0], FormulaProduct):
            return [self.evaluate(part) for part in node.parts[0].parts]
        return [self.evaluate(node)]

    def _of_latex(self, name: str, sides: list[list[Value[S]]]) -> Value[S]:
        r"""Return a product written with ``\cdot`` or ``\times`` if all ways to put brackets give the same."""
        arrays = [kinds for side in sides if (kinds := [len(each.shape) for each in side if each.shape])]
        flat = [kind for kinds in arrays for kind in kinds]
        # a . B c is (a . B) c and a . (B c): the same; of three arrays with two vectors nothing else is
        is_form = len(arrays) == 2 and arrays[0] == [1] and set(arrays[1][:-1]) == {2} and arrays[1][-1] == 1
        if len(flat) > 2 and flat.count(1) > 1 and not is_form:
            raise FormulaError(f"{name} of vectors in this row can be read in several ways; write brackets")
        found = reduce(lambda one, two: self._pair(name, one, two), (reduce(v.multiply, side) for side in sides))
        return found

    def _pair(self, name: str, one: Value[S], two: Value[S]) -> Value[S]:
        kinds = (len(one.shape), len(two.shape))
        if kinds == (1, 1):
            return v.cross(one, two) if name == "\\times" else v.dot(one, two)
        if name == "\\times" and sorted(kinds) == [1, 2]:
            raise FormulaError("\\times of a matrix and a vector can be read in several ways; A v is their product")
        return v.multiply(one, two)

    def _blocks(self, formula: AppliedFunction) -> Value[S]:
        """Return a matrix in LaTeX; a 0 among blocks is the zero block of the size of its row and its column."""
        table = [
            row.parts if isinstance(row, AppliedFunction) and row.function == "beside" else (row,)
            for row in formula.parts
        ]
        rows = [[self.evaluate(cell) for cell in row] for row in table]
        if all(not cell.shape for row in rows for cell in row) or len({len(row) for row in rows}) != 1:
            return v.below([v.beside(row) for row in rows])
        free = [[isinstance(cell, ExactNumber) and not cell.value for cell in row] for row in table]
        sizes = [[(len(cell.rows), len(cell.rows[0])) for cell in row] for row in rows]
        heights = [{size[0] for size, is_free in zip(*each, strict=True) if not is_free}
                   for each in zip(sizes, free, strict=True)]  # fmt: skip
        widths = [{size[1] for size, is_free in zip(*each, strict=True) if not is_free}
                  for each in zip(zip(*sizes, strict=True), zip(*free, strict=True), strict=True)]  # fmt: skip
        for j, row in enumerate(table):
            for k, cell in enumerate(row):
                if not free[j][k]:
                    if cell == ExactNumber(Fraction(1)) and max(heights[j] | widths[k]) > 1:
                        raise FormulaError("a 1 among blocks is a scalar here; give a letter the meaning identity(n)")
                    continue
                if not heights[j] or not widths[k]:
                    raise FormulaError(
                        "a 0 among blocks: nothing else in its row or column gives its size; give a letter the meaning "
                        '"zeros(3)", or "0" for the number'
                    )
                if len(heights[j]) == len(widths[k]) == 1:
                    rows[j][k] = self._zeros(*heights[j], *widths[k])
        return v.below([v.beside(row) for row in rows])

    def _zeros(self, height: int, width: int) -> Value[S]:
        return v.matrix([[self.numbers.exact(Fraction(0))] * width] * height)

    def _other(self, name: str, parts: list[Value[S]], formula: AppliedFunction) -> Value[S]:
        if name in ("identity", "zeros"):
            sizes = [_constant(part) for part in formula.parts]
            whole = [int(s) for s in sizes if s is not None and s.denominator == 1 and 1 <= s <= _LARGEST_SIZE]
            if len(whole) != len(sizes) or len(whole) not in ((1,) if name == "identity" else (1, 2)):
                raise FormulaError(f"{name} takes sizes: whole numbers from 1 to {_LARGEST_SIZE}")
            if name == "identity":
                return self._identity(whole[0])
            zero = self.numbers.exact(Fraction(0))
            return v.vector([zero] * whole[0]) if len(whole) == 1 else v.matrix([[zero] * whole[1]] * whole[0])
        if not parts:
            raise FormulaError(f"{name} takes at least one argument")
        if name == "factorial":
            (part,) = self._arguments(name, parts, 1)
            return v.scalar(self.numbers.exact(_factorial(part)))
        if name in ("block", "rows"):
            return self._part(name, parts, formula)
        if name == "norm":
            (part,) = self._arguments(name, parts, 1)
            return v.scalar(self._of_scalar("sqrt", v.dot(part, part).entries[0]))
        if name == "diag":
            return v.block_diagonal(parts, self.numbers.exact(Fraction(0)))
        return v.beside(parts) if name == "beside" else v.below(parts)

    def _part(self, name: str, parts: list[Value[S]], formula: AppliedFunction) -> Value[S]:
        """Return a block of a matrix, or a vector as the rows of one."""
        wanted = 5 if name == "block" else 2
        places = [_constant(part) for part in formula.parts[1:]]
        whole = [int(p) for p in places if p is not None and p.denominator == 1 and 0 <= p <= _LARGEST_SIZE]
        if len(parts) != wanted or len(whole) != wanted - 1 or 0 in whole[-2 if name == "block" else -1 :]:
            form = "block(A, row, column, height, width)" if name == "block" else "rows(v, how many)"
            raise FormulaError(f"write {form} with whole numbers; rows and columns count from 0")
        if name == "rows":
            return v.by_rows(parts[0], whole[0])
        return v.block(parts[0], (whole[0], whole[1]), (whole[2], whole[3]))

    def _arguments(self, name: str, parts: list[Value[S]], count: int) -> list[Value[S]]:
        if len(parts) != count:
            raise FormulaError(f"{name} takes {count} argument{'s' if count > 1 else ''}, not {len(parts)}")
        return parts

    def _object(self, name: str, parts: list[Value[S]]) -> Value[S]:
        """Return a derived object for the given arguments."""
        found = self.objects[name]
        wanted = ", ".join(a.name for a in found.arguments)
        if len(parts) != len(found.arguments):
            raise FormulaError(f"{name} takes {len(found.arguments)} arguments ({wanted}), not {len(parts)}")
        table: dict[str, Any] = {}
        for argument, part in zip(found.arguments, parts, strict=True):
            if v.plain(part.shape) != v.plain(argument.shape):
                raise SizeError(
                    f"{name}: its argument {argument.name} is {v.named(argument.shape)}, not {v.named(part.shape)}"
                )
            table.update(zip(argument.elements, part.entries, strict=True))
        if self.own is not None and found.derivation is self.own.derivation and _names_itself(table):
            self.kept.update(name_of(entry) for entry in found.entries)
            own: Any = found.entries
            return Value(v.plain(found.shape), own)
        entries: Any = tuple(replace(entry, table) for entry in found.formula)
        return Value(v.plain(found.shape), entries)


def _names_itself(table: Mapping[str, Any]) -> bool:
    return all(is_symbol(value) and name_of(value) == name for name, value in table.items())


def _array(parts: list[Value[S]]) -> Value[S]:
    if all(not part.shape for part in parts):
        return v.vector([part.entries[0] for part in parts])
    if any(len(part.shape) != 1 for part in parts):
        raise SizeError("a list holds scalars, or rows of scalars; blocks are put together by beside and below")
    return v.matrix([part.entries for part in parts])


def _constant(formula: Formula) -> Fraction | None:
    """Return the number that a formula without letters is; None if it has letters or is none."""
    if isinstance(formula, ExactNumber):
        return formula.value
    if isinstance(formula, Negative):
        inner = _constant(formula.parts[0])
        return None if inner is None else -inner
    if isinstance(formula, Quotient):
        above, under = map(_constant, formula.parts)
        return None if above is None or not under else above / under
    return None


def _factorial(value: Value[S]) -> Fraction:
    """Return the product of the whole numbers up to one, which a letter may stand for."""
    text = str(value.entries[0]) if not value.shape else ""
    if not text.isdecimal() or int(text) > LARGEST_EXPONENT:
        raise FormulaError(f"factorial takes a whole number from 0 to {LARGEST_EXPONENT}")
    return Fraction(math.factorial(int(text)))
