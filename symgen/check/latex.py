r"""Formulas in LaTeX, as far as they can be read in one way: ``\frac{1}{2} \dot{q}_0 + R^{T} (\omega \times r)``.

A letter is a character or a Greek command with its accents, subscripts and primes, spelled without blanks and without
braces around single characters: ``\dot q_{0}`` is ``\dot{q}_0``. Fonts mean nothing. A superscript is a number or a
``T`` for the transposed matrix; a letter with another one (``q^{+}``) has to be among the symbols of the claim. Letters
side by side are multiplied; ``\cdot`` and ``\times`` of two vectors are the inner and the vector product. Which factors
are vectors is known when the formula is evaluated: several in a row stay one call, and a product without brackets among
them stays marked as such.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedInput, v_args

from symgen.check.formula import (
    AppliedFunction,
    ExactNumber,
    Formula,
    FormulaError,
    FormulaProduct,
    Negative,
    Operation,
    Power,
    Quotient,
    SourceLetter,
    Unbracketed,
    walk,
    with_parts,
)
from symgen.check.plain import check_size, exact, quoted, signed_sum, unreadable
from symgen.printers.greek import GREEK

_FUNCTIONS = ("sin", "cos", "tan", "arcsin", "arccos", "arctan", "exp", "log", "ln", "det")
_MEANT = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log"}
_FONTS = "mathbf|mathrm|mathit|mathsf|mathcal|mathbb|boldsymbol|bm|text|textbf|vec|operatorname"
_ACCENTS = "dot|ddot|bar|overline|hat|widehat|tilde|widetilde|check|breve"

_GRAMMAR = rf"""
?start: sum
sum: product (SIGN product)*
product: signed ((TIMES | SLASH) signed)*
?signed: SIGN signed -> with_sign | beside
beside: factor+
?factor: scripted | function
scripted: base SCRIPT*
?base: NUMBER -> number
     | letter
     | FRACTION "{{" sum "}}" "{{" sum "}}" -> fraction
     | ROOT "{{" sum "}}" -> root
     | "(" sum ("," sum)* ")" -> group
     | "[" sum "]" -> group
     | BEGIN row (NEWROW row)* NEWROW? END -> matrix
     | OPEN sum CLOSE -> size
function: FUNCTION SCRIPT* argument
?argument: "(" sum ")" -> in_brackets | NUMBER scripted_letter -> times_letter | NUMBER -> number | scripted_letter
scripted_letter: letter SCRIPT*
letter: CHARACTER | GREEK | FONTED | ACCENT letter | ACCENT "{{" letter SCRIPT* "}}"
row: sum (COLUMN sum)*
NUMBER: /\d+(\.\d+)?/
CHARACTER: /[A-Za-z]/
GREEK: /\\({"|".join(GREEK)})(?![A-Za-z])/
FONTED: /\\({_FONTS})(?![A-Za-z])\s*(\{{[^{{}}]*\}}|\\[A-Za-z]+|[A-Za-z])/
ACCENT: /\\({_ACCENTS})(?![A-Za-z])/
FUNCTION: /\\({"|".join(_FUNCTIONS)})(?![A-Za-z])/
FRACTION: /\\[dt]?frac(?![A-Za-z])/
ROOT: /\\sqrt(?![A-Za-z])/
SCRIPT: /[_^]\s*(\{{(?:[^{{}}]|\{{[^{{}}]*\}})*\}}|\\[A-Za-z]+|[A-Za-z0-9+\-*])|'+/
SIGN: "+" | "-"
TIMES: "*" | /\\cdot(?![A-Za-z])/ | /\\times(?![A-Za-z])/
SLASH: "/"
BEGIN: /\\begin\s*\{{([pbv]?matrix|array)\}}(\{{[lcr| ]*\}})?/
END: /\\end\s*\{{([pbv]?matrix|array)\}}/
NEWROW: /\\\\(\[[^\]]*\])?/
COLUMN: "&"
OPEN: /\\l[vV]ert(?![A-Za-z])/
CLOSE: /\\r[vV]ert(?![A-Za-z])/
%ignore /[ \t\r\n~]+|\\[,;:! ]|\\(left|right|[bB]igg?[lr]?|displaystyle|quad|qquad|nonumber)(?![A-Za-z])\.?/
"""
_ALLOWED = "letters, numbers, + - \\cdot \\times \\frac \\sqrt, matrices, brackets, powers, subscripts and \\sin ..."
_HINTS = {
    "=": "give one side only",
    "|": "write \\lvert x \\rvert",
    "{": "braces group arguments and scripts only; write ( )",
}
_NAMED = frozenset(_MEANT.get(name, name) for name in _FUNCTIONS)
_WHOSE = "what belongs to the function? Write its argument in brackets: \\sin(\\omega t), \\sin(a)/2"
_COMMAND_NAME = re.compile(r"\{([a-z]+)\}")


@dataclass(frozen=True)
class _Scripted(Operation):
    """A letter with scripts; what they mean is said when all letters are known."""

    name: str = ""
    above: str = ""
    fonts: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Glyph:
    """A letter with its accents but without scripts, and the fonts in which it is written."""

    name: str
    fonts: tuple[str, ...]


@dataclass(frozen=True)
class _Beside(Operation):
    """Factors side by side."""


@dataclass(frozen=True)
class _Bare(Operation):
    """A function whose argument stands without brackets: nothing may follow that could belong to it."""


@dataclass(frozen=True)
class _Group(Operation):
    """Formulas in brackets, with commas between them: one, or the arguments of a function."""


def parse_latex(text: str, known: Collection[str], functions: Collection[str] = ()) -> Formula:
    """Return the formula that a text means.

    Parameters
    ----------
    known : letters, spelled as `spelled` does: these may have any superscript.
    functions : letters that are functions: brackets behind them hold arguments.

    Raises
    ------
    FormulaError
        It is none, or could be read in two ways.
    """
    tree = _tree(text)
    _refuse_two_fonts(tree)
    return _meant(tree, frozenset(known), frozenset(functions))


def spelled(text: str) -> str:
    """Return the spelling of one letter with its scripts.

    Raises
    ------
    FormulaError
        The text is no letter.
    """
    tree = _tree(text)
    if isinstance(tree, _Scripted) and not tree.parts:
        return tree.name + tree.above
    raise FormulaError(
        f"{quoted(text)} is not a letter: a letter is a character or Greek command with accents and scripts"
    )


def _refuse_two_fonts(tree: Formula) -> None:
    seen: dict[str, tuple[str, ...]] = {}
    for node in walk(tree):
        if isinstance(node, _Scripted) and not node.parts and seen.setdefault(node.name, node.fonts) != node.fonts:
            raise FormulaError(
                f"{quoted(node.name)} stands in two fonts: fonts mean nothing here; give one of the two another letter "
                "or an index"
            )


def _tree(text: str) -> Formula:
    check_size(text)
    text = text.replace("\N{MINUS SIGN}", "-")
    stripped = text.strip()
    if stripped.startswith("$") and stripped.endswith("$") and len(stripped) > 2:
        text = stripped.strip("$")
    try:
        return _parser().parse(text)  # type: ignore[return-value]
    except UnexpectedInput as error:
        raise unreadable(text, error, _HINTS, _ALLOWED) from None


def _meant(node: Formula, known: frozenset[str], functions: frozenset[str]) -> Formula:
    """Return what a tree means once it is known which letters there are."""
    if not isinstance(node, Operation):
        return node
    if isinstance(node, _Beside):
        return _side_by_side(node.parts, known, functions)
    parts = tuple(_meant(part, known, functions) for part in node.parts)
    if isinstance(node, AppliedFunction) and node.function in ("\\times", "\\cdot"):
        return AppliedFunction(tuple(map(_marked, node.parts, parts)), node.function)
    if isinstance(node, _Scripted):
        return _with_superscript(node, parts, known)
    if isinstance(node, _Bare):
        return parts[0]
    if isinstance(node, _Group):
        if len(parts) != 1:
            raise FormulaError("a list in brackets is allowed only after a function")
        return parts[0]
    return with_parts(node, parts)


def _marked(node: Formula, meant: Formula) -> Formula:
    """Mark a product that has no brackets."""
    if isinstance(node, Negative) and isinstance(meant, Negative):
        return Negative((_marked(node.parts[0], meant.parts[0]),))
    return Unbracketed((meant,)) if isinstance(node, _Beside) and isinstance(meant, FormulaProduct) else meant


def _is_function(node: Formula) -> bool:
    """Tell whether a factor begins with the name of a function: it is no part of an argument before it."""
    while isinstance(node, (_Beside, _Bare, Power)):
        node = node.parts[0]
    return isinstance(node, AppliedFunction) and node.function in _NAMED


def _ends_bare(node: Formula) -> bool:
    """Tell whether a factor ends with a function whose argument has no brackets."""
    while isinstance(node, (_Beside, Negative)):
        node = node.parts[-1]
    return isinstance(node, _Bare)


def _side_by_side(parts: Sequence[Formula], known: frozenset[str], functions: frozenset[str]) -> Formula:
    for one, two in itertools.pairwise(parts):
        if isinstance(two, ExactNumber) or (
            isinstance(two, _Scripted) and two.parts and isinstance(two.parts[0], ExactNumber)
        ):
            raise FormulaError("a number after another factor can be read in two ways; write \\cdot between them")
        if isinstance(one, _Bare) and not _is_function(two):
            raise FormulaError(_WHOSE)
    found: list[Formula] = []
    waiting = list(parts)
    while waiting:
        part = waiting.pop(0)
        is_function = isinstance(part, _Scripted) and not part.parts and part.name + part.above in functions
        if is_function and waiting and isinstance(waiting[0], _Scripted) and waiting[0].parts:
            behind = waiting.pop(0)
            assert isinstance(part, _Scripted) and isinstance(behind, _Scripted)  # noqa: S101, PT018 - for the types
            group = behind.parts[0]
            inner = group.parts if isinstance(group, _Group) else (group,)
            call = AppliedFunction(tuple(_meant(each, known, functions) for each in inner), part.name + part.above)
            found.append(_raised(call, behind.above, known))
            continue
        found.append(_meant(part, known, functions))
    return found[0] if len(found) == 1 else FormulaProduct(tuple(found))


def _with_superscript(node: _Scripted, parts: tuple[Formula, ...], known: frozenset[str]) -> Formula:
    if parts:
        return _raised(parts[0], node.above, known)
    if not node.above or node.name + node.above in known:
        return SourceLetter(node.name + node.above)
    primes = node.above[: len(node.above) - len(node.above.lstrip("'"))]
    return _raised(SourceLetter(node.name + primes), node.above[len(primes) :], known)


def _raised(base: Formula, above: str, known: Collection[str]) -> Formula:
    """Return a formula with a superscript that is a power or means transposed."""
    if not above:
        return base
    text = above[1:].strip("{}")
    if text in ("T", "\\top") and above.startswith("^"):
        if text in known:
            raise FormulaError("^T: T is a letter here, so this can be read in two ways; write ^{\\top}")
        return AppliedFunction((base,), "transpose")
    if re.fullmatch(r"-?\d{1,3}(/\d{1,3})?", text) and above.startswith("^"):
        exponent = ExactNumber(Fraction(text))
        return Power((base, exponent if exponent.value >= 0 else Negative((ExactNumber(-exponent.value),))))
    raise FormulaError(
        f"the superscript {quoted(above)} is neither a number nor T; give the letter with it among the symbols"
    )


class _LatexReader(Transformer[Token, Formula]):
    """Builds trees from the inside out."""

    def sum(self, parts: list[Any]) -> Formula:
        return signed_sum(parts) if len(parts) > 1 else parts[0]

    def product(self, parts: list[Any]) -> Formula:
        found: Formula = parts[0]
        signs = parts[1::2]
        if len(signs) > 1 and len({str(sign) for sign in signs}) > 1:
            raise FormulaError("\\cdot, \\times and / in a row can be read in several ways; write brackets or \\frac")
        for one, sign, two in zip(parts[:-2:2], signs, parts[2::2], strict=True):
            if _ends_bare(one) and (sign.type == "SLASH" or not _is_function(two)):
                raise FormulaError(_WHOSE)
        if not signs or signs[0].type != "SLASH":
            return (
                AppliedFunction(tuple(parts[::2]), "\\times" if signs[0] == "\\times" else "\\cdot") if signs else found
            )
        if isinstance(parts[2], _Beside) or len(signs) > 1:
            raise FormulaError("a/b c can be read in two ways; write \\frac{a}{b} c or \\frac{a}{b c}")
        return Quotient((found, parts[2]))

    @v_args(inline=True)
    def with_sign(self, sign: Token, part: Formula) -> Formula:
        return Negative((part,)) if sign == "-" else part

    def beside(self, parts: list[Any]) -> Formula:
        return _Beside(tuple(parts)) if len(parts) > 1 else parts[0]

    def scripted(self, parts: list[Any]) -> Formula:
        base, *scripts = parts
        if isinstance(base, _Glyph):
            return _letter(base, scripts)
        below, above = _sorted(scripts)
        if below:
            raise FormulaError(f"{quoted(below)}: only letters have subscripts")
        if isinstance(base, (ExactNumber, _Scripted)) or (isinstance(base, _Group) and len(base.parts) == 1):
            return _Scripted((base,), "", above) if above or isinstance(base, _Group) else base
        return _Scripted((base,), "", above)

    def scripted_letter(self, parts: list[Any]) -> Formula:
        return _letter(parts[0], parts[1:])

    def letter(self, parts: list[Any]) -> _Glyph:
        first, *others = parts
        if first.type != "ACCENT":
            return _Glyph(_without_font(str(first)), _fonts(str(first)))
        inner = _letter(others[0], others[1:])
        accent = str(first).replace("overline", "bar").replace("wide", "")
        return _Glyph(f"{accent}{{{inner.name}{inner.above}}}", inner.fonts)

    @v_args(inline=True)
    def number(self, text: Token) -> Formula:
        return exact(str(text))

    @v_args(inline=True)
    def times_letter(self, text: Token, letter: Formula) -> Formula:
        return FormulaProduct((exact(str(text)), letter))

    def fraction(self, parts: list[Any]) -> Formula:
        return Quotient(tuple(parts[1:]))

    def root(self, parts: list[Any]) -> Formula:
        return AppliedFunction((parts[1],), "sqrt")

    def group(self, parts: list[Any]) -> Formula:
        return _Group(tuple(parts))

    def size(self, parts: list[Any]) -> Formula:
        return AppliedFunction((parts[1],), "\\lvert")

    def in_brackets(self, parts: list[Any]) -> Formula:
        return _Group(tuple(parts))

    def row(self, parts: list[Any]) -> Formula:
        return AppliedFunction(tuple(part for part in parts if not isinstance(part, Token)), "beside")

    def matrix(self, parts: list[Any]) -> Formula:
        begin, end = (_COMMAND_NAME.search(str(parts[k]))[1] for k in (0, -1))  # type: ignore[index]
        if begin != end:
            raise FormulaError(f"\\begin{{{begin}}} ends with \\end{{{end}}}")
        found = AppliedFunction(tuple(part for part in parts if not isinstance(part, Token)), "\\below")
        return AppliedFunction((found,), "det") if begin == "vmatrix" else found

    def function(self, parts: list[Any]) -> Formula:
        first, *scripts, argument = parts
        name = str(first)[1:]
        below, above = _sorted(scripts)
        if below or (above and not re.fullmatch(r"\^\d", above)):
            raise FormulaError(f"{first}{below}{above}: a function has a power of 2 to 9 at most")
        is_bare = not isinstance(argument, _Group)
        if is_bare and isinstance(argument, _Scripted) and re.fullmatch(r"\^\{?-?\d.*", argument.above):
            raise FormulaError(f"{first} of a power can be read in two ways: write {first}(x^2) or {first}^2(x)")
        call: Formula = AppliedFunction((argument,), _MEANT.get(name, name))
        call = Power((call, ExactNumber(Fraction(above[1:])))) if above else call
        return _Bare((call,)) if is_bare else call


def _letter(base: _Glyph, scripts: Sequence[Token]) -> _Scripted:
    below, above = _sorted(scripts)
    return _Scripted((), base.name + below, above, base.fonts)


def _fonts(text: str) -> tuple[str, ...]:
    """Return the fonts of a letter, from the outside in."""
    return tuple(found[1] for found in re.finditer(rf"\\({_FONTS})(?![A-Za-z])", text))


def _sorted(scripts: Sequence[Token]) -> tuple[str, str]:
    """Return subscript and superscript, spelled; primes belong to the superscript."""
    below = above = ""
    for script in scripts:
        text = str(script)
        if text.startswith("'"):
            above += text
            continue
        inner = _without_font(text[1:].strip()).replace(" ", "")
        inner = inner[1:-1] if inner.startswith("{") and inner.endswith("}") else inner
        inner = f"{{{inner}}}" if len(inner) > 1 and not re.fullmatch(r"\\[A-Za-z]+", inner) else inner
        if text.startswith("_"):
            below += f"_{inner}"
        else:
            above += f"^{inner}"
    return below, above


def _without_font(text: str) -> str:
    """Return a letter, or a script, without the fonts it is written in."""
    while True:
        plain = re.sub(rf"\\({_FONTS})(?![A-Za-z])\s*(?:\{{([^{{}}]*)\}}|(\\[A-Za-z]+|[A-Za-z]))", r"\2\3", text)
        if plain == text:
            return text.strip()
        text = plain


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", transformer=_LatexReader(), maybe_placeholders=False)
