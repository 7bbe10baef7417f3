"""Expressions in C99, double or float."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import sympy

from symgen.algebra import real_power
from symgen.algebra.vector_forms import is_vector_form, size_of, vector_dot
from symgen.printers.expression import ATOM, PRODUCT, SUM, ExpressionPrinter, signed_parts
from symgen.printers.vector_functions import SQUARES, function_name

Precision = Literal["double", "float"]
#: What a C text is written for: one precision, or either, by the names of double.
Written = Literal["double", "float", "either", "double_own", "float_own", "either_own"]
#: Whose sine, cosine and atan2 the code calls: those of ``<math.h>``, or ours, which have the same bits everywhere.
Math = Literal["libm", "own"]


@dataclass(frozen=True)
class RealWords:
    """How a C file writes what depends on the precision: its type, its literals, its functions, its limits.

    Parameters
    ----------
    precision : what names and documents tell.
    real : the type.
    prefix : of the macros in ``<float.h>``, or of those that stand for them.
    """

    precision: Precision
    real: str
    prefix: str

    def literal(self, text: str) -> str:
        """Return a number, written in double, as a literal of the type."""
        return f"{text}F" if self.real == "float" else text

    def function(self, name: str) -> str:
        """Return the name of a function of ``<math.h>`` for the type."""
        return f"{name}f" if self.real == "float" else name

    def factor(self, value: float) -> str:
        """Return a number beside what is of the type."""
        return self.literal(repr(value))

    def choice(self, texts: Mapping[str, str]) -> str:
        """Return the one of two texts, of double and of float, that is meant."""
        return texts[self.precision]

    def limit(self, name: str) -> str:
        """Return a macro such as DBL_EPSILON by the name EPSILON."""
        return f"{self.prefix}_{name}"


class EitherWords(RealWords):
    """A file that is compiled in both precisions: ``symgen_real.h`` says what `real`, R, EITHER and the others are."""

    def literal(self, text: str) -> str:
        """Return a number as a literal of the type `real`."""
        return f"-R({text[1:]})" if text.startswith("-") else f"R({text})"

    def function(self, name: str) -> str:
        """Return the name of a function of ``<math.h>`` for `real`."""
        return f"real_{name.removeprefix('f') if name == 'fabs' else name}"

    def choice(self, texts: Mapping[str, str]) -> str:
        """Return what stands for both texts; literals of float in them end with F."""
        double = texts["double"].replace("DBL_", "REAL_")
        if double == _SUFFIXED.sub(r"\1", texts["float"]).replace("FLT_", "REAL_"):
            return _NUMBER.sub(lambda found: self.literal(found[0]), double)
        return f"EITHER({texts['double']}, {texts['float']})"


class OwnWords(RealWords):
    """A file that calls our own elementary functions (`symgen.printers.elementary`)."""

    def function(self, name: str) -> str:
        """Return the name of a function of ``symgen_math.h``, or of ``<math.h>`` if we have none."""
        return own_function(name) or super().function(name)


class EitherOwnWords(EitherWords):
    """The same, compiled in both precisions."""

    def function(self, name: str) -> str:
        """Return the name of one of ours, or of a function of ``<math.h>``, for `real`."""
        return own_function(name) or super().function(name)


#: What ``symgen_math.h`` has; `turn_by` gives cosine and sine of an angle at once, in a `turn`.
_OWN_FUNCTIONS = frozenset({"sin", "cos", "atan2", "turn", "turn_by"})
_SUFFIXED = re.compile(r"([0-9])F\b")
_NUMBER = re.compile(r"(?<![\w.])[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?(?![\w.])")

#: In each precision by itself; and for both, under the names of double, which the file for float renames.
REAL_WORDS: dict[Written, RealWords] = {
    "double": RealWords("double", "double", "DBL"),
    "float": RealWords("float", "float", "FLT"),
    "either": EitherWords("double", "real", "REAL"),
    "double_own": OwnWords("double", "double", "DBL"),
    "float_own": OwnWords("float", "float", "FLT"),
    "either_own": EitherOwnWords("double", "real", "REAL"),
}
_WITH_OWN: dict[Written, Written] = {"double": "double_own", "float": "float_own", "either": "either_own"}
_FUNCTIONS = {
    sympy.sqrt: "sqrt", sympy.sin: "sin", sympy.cos: "cos", sympy.atan2: "atan2", sympy.Abs: "fabs",
    sympy.tan: "tan", sympy.asin: "asin", sympy.acos: "acos", sympy.atan: "atan", sympy.exp: "exp", sympy.log: "log",
    real_power: "pow",
}  # fmt: skip


#: Functions that are made of ours.
_OF_OWN = frozenset({sympy.tan, sympy.asin, sympy.acos, sympy.atan})


def written_with(written: Written, math: Math) -> Written:
    """Return how a file is written whose elementary functions are the machine's or ours."""
    return _WITH_OWN[written] if math == "own" else written


def own_function(name: str) -> str | None:
    """Return the name of a function in ``symgen_math.h``, in double and float alike; None if it has none."""
    return f"own_{name}" if name in _OWN_FUNCTIONS else None


def serves_both(written: Written) -> bool:
    """Tell whether a file is compiled in both precisions."""
    return isinstance(REAL_WORDS[written], EitherWords)


def calls_own(written: Written) -> bool:
    """Tell whether a file calls our own elementary functions."""
    return isinstance(REAL_WORDS[written], (OwnWords, EitherOwnWords))


class C99Printer(ExpressionPrinter):
    """Print C99; literals and functions carry the precision's suffix, so float never touches double."""

    def __init__(
        self,
        names: Mapping[str, str],
        order: Mapping[str, int],
        precision: Written,
        sizes: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(names, order, sizes)
        self._words = words = REAL_WORDS[precision]
        self.functions: Mapping[type[Any], str] = {  # type: ignore[misc]
            kind: words.function(name) for kind, name in _FUNCTIONS.items()
        }

    def _print(self, node: Any) -> tuple[str, int]:
        """Print an expression; where sine and atan2 are ours, so are the functions that are made of them."""
        if node.func not in _OF_OWN or not isinstance(self._words, (OwnWords, EitherOwnWords)):
            return super()._print(node)
        if node.func is sympy.tan:
            value = self._wrap(node.args[0], SUM)
            return f"{self.functions[sympy.sin]}({value})/{self.functions[sympy.cos]}({value})", PRODUCT
        value, one = self._wrap(node.args[0], PRODUCT), self.factor(1.0)
        other = f"{self.functions[sympy.sqrt]}(({one} - {value})*({one} + {value}))"
        first, second = {sympy.asin: (value, other), sympy.acos: (other, value), sympy.atan: (value, one)}[node.func]
        return f"{self.functions[sympy.atan2]}({first}, {second})", ATOM

    def _sum(self, node: Any) -> tuple[str, int]:
        """Print a sum; one of vectors is made of calls: C has no operators for them."""
        if not is_vector_form(node):
            return super()._sum(node)
        tail = self._tail(node)
        parts: list[tuple[bool, Any, str]] = []
        for minus, factor, inner in signed_parts(node):
            text = self._print(inner)[0]
            text = text if factor == 1 else f"scaled{tail}({self._term(factor)}, {text})"
            parts.append((minus, inner, text))
        parts.sort(key=lambda part: (part[0], self._key(part[1])))
        minus, _, found = parts[0]
        found = f"negated{tail}({found})" if minus else found
        for minus, _, text in parts[1:]:
            found = f"{'sub' if minus else 'add'}{tail}({found}, {text})"
        return found, ATOM

    def _multiple(self, number: Any, vector: Any) -> tuple[str, int]:
        """Print a number times a vector, which is a call."""
        tail = self._tail(vector)
        text = self._print(vector)[0]
        if number == -1:
            return f"negated{tail}({text})", ATOM
        return f"scaled{tail}({self._print(number)[0]}, {text})", ATOM

    def _vector_product(self, node: Any) -> tuple[str, int]:
        """Print a product of vectors; that of one with itself is a function by itself."""
        if isinstance(node, vector_dot) and node.args[0] == node.args[1]:
            name = SQUARES[function_name(node, self._sizes)]
            return f"{self.vector_function(name)}({self._print(node.args[0])[0]})", ATOM
        return super()._vector_product(node)

    def _tail(self, node: Any) -> str:
        return {2: "2", 3: ""}[size_of(node, self._sizes)]

    def literal(self, value: float) -> str:
        """Return a typed literal that round-trips."""
        return self._words.literal(repr(value))

    def factor(self, value: float) -> str:
        """Return a number beside what is no number."""
        return self._words.factor(value)

    def branch_sign(self, branch: str, bit: int) -> str:
        """Return +1 or -1 by the bit of the branch index."""
        over = f"{branch}/{2**bit}" if bit else branch  # a branch is not negative
        return f"({over} % 2 == 0 ? {self.literal(1.0)} : {self.literal(-1.0)})"

    def positive_part(self, value: str) -> str:
        """Return max(value, 0) without a library call."""
        zero = self.factor(0.0)
        text = value if value.isidentifier() else f"({value})"
        return f"({text} > {zero} ? {text} : {zero})"

    def choose(self, a: str, b: str, u: str, v: str) -> str:
        """Return u where a <= b, else v."""
        return f"({a} <= {b} ? {u} : {v})"
