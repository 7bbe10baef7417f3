"""Formulas in plain text: ``2*R*cross(w, I*w) - q[0]*[1, 0, 0]``. A grammar reads them; nothing is executed."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput, v_args

from symgen.check.formula import (
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
    SourceLetter,
    Sum,
)
from symgen.model.nearest import show

LONGEST = 20_000
DEEPEST_BRACKETS = 60
_LONGEST_NUMBER = 60

_GRAMMAR = r"""
?start: sum
?sum: product (SIGN product)*
?product: signed (TIMES signed)*
?signed: SIGN signed -> with_sign | power
?power: atom | atom "**" signed -> power
?atom: NUMBER -> number
     | NAME -> letter
     | NAME "(" [sum ("," sum)*] ")" -> call
     | atom "[" WHOLE ("," WHOLE)* "]" -> entry
     | "(" sum ")"
     | "[" sum ("," sum)* "]" -> array
NAME: /[A-Za-z_][A-Za-z0-9_]*/
NUMBER.1: /(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/
WHOLE.2: /\d+(?=\s*[\],])/
SIGN: "+" | "-"
TIMES.-1: "*" | "/"
%ignore /[ \t\r\n]+/
"""
_COMMAND = re.compile(r"\\[A-Za-z]+")
_ALLOWED = "letters, numbers, + - * / **, lists [a, b], entries q[0], brackets and functions"
_HINTS = {
    "^": "a power is written with **",
    "=": "give one side only",
    "{": "only ( ) and [ ] are allowed",
    "\\": "LaTeX goes into the field latex",
    ".": "attributes are not allowed; a transposed matrix is transpose(A)",
}


@lru_cache(maxsize=4096)
def parse_plain(text: str) -> Formula:
    """Return the formula that a text means.

    Raises
    ------
    FormulaError
        It is none: says where and why.
    """
    check_size(text)
    text = text.replace("\N{MINUS SIGN}", "-")
    try:
        return _parser().parse(text)  # type: ignore[return-value]
    except UnexpectedInput as error:
        raise unreadable(text, error, _HINTS, _ALLOWED) from None


def check_size(text: str) -> None:
    """Refuse texts that are empty, too long or nested too deep before anything reads them."""
    if not text.strip():
        raise FormulaError("the formula is empty")
    if len(text) > LONGEST:
        raise FormulaError(f"the formula has {len(text)} characters; at most {LONGEST} are allowed")
    depth = 0
    for place, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth > DEEPEST_BRACKETS:
            raise FormulaError(
                f"character {place + 1}: brackets are nested too deep; at most {DEEPEST_BRACKETS} levels are allowed"
            )


def quoted(text: str) -> str:
    """Return a text in quotes, cut to a readable length; its backslashes as a formula has them, not doubled."""
    return show(text).replace("\\\\", "\\")


def unreadable(text: str, error: UnexpectedInput, hints: dict[str, str], allowed: str) -> FormulaError:
    """Return the error that says where a text cannot be read."""
    place = getattr(error, "pos_in_stream", None)
    if place is None or not 0 <= place < len(text) or getattr(getattr(error, "token", None), "type", "") == "$END":
        return FormulaError(f"{quoted(text)}: the formula ends too early; allowed are {allowed}")
    where = f"{quoted(text)}, character {place + 1}"
    command = _COMMAND.match(text, place) if "\\" not in hints else None  # text has a hint of its own
    found = text[place] if command is None else command[0]
    if command is not None and isinstance(error, UnexpectedCharacters):
        return FormulaError(f"{where}: {quoted(found)} is not known here; allowed are {allowed}")
    hint = f"; {hints[found]}" if found in hints else ""
    return FormulaError(f"{where}: {quoted(found)} cannot stand here{hint}; allowed are {allowed}")


def exact(text: str) -> ExactNumber:
    """Return the number that digits mean, exactly."""
    if len(text) > _LONGEST_NUMBER or abs(Decimal(text).adjusted()) > 300:
        raise FormulaError(f"the number {show(text)} is too long, or out of range")
    return ExactNumber(Fraction(Decimal(text)))


def signed_sum(parts: list[Any]) -> Formula:
    """Return the sum of formulas with signs between them."""
    found = [parts[0]]
    for sign, part in zip(parts[1::2], parts[2::2], strict=True):
        found.append(Negative((part,)) if sign == "-" else part)
    return Sum(tuple(found))


def multiplied(parts: list[Any]) -> Formula:
    """Return products and quotients of formulas with `*` or `/` between them, from left to right."""
    factors: list[Formula] = [parts[0]]
    for sign, part in zip(parts[1::2], parts[2::2], strict=True):
        if sign == "/":
            above = factors[0] if len(factors) == 1 else FormulaProduct(tuple(factors))
            factors = [Quotient((above, part))]
        else:
            factors.append(part)
    return factors[0] if len(factors) == 1 else FormulaProduct(tuple(factors))


class _PlainReader(Transformer[Token, Formula]):
    """Builds formulas from the inside out."""

    def sum(self, parts: list[Any]) -> Formula:
        return signed_sum(parts)

    def product(self, parts: list[Any]) -> Formula:
        return multiplied(parts)

    @v_args(inline=True)
    def with_sign(self, sign: Token, part: Formula) -> Formula:
        return Negative((part,)) if sign == "-" else part

    def power(self, parts: list[Any]) -> Formula:
        return Power(tuple(parts))

    @v_args(inline=True)
    def number(self, text: Token) -> Formula:
        return exact(str(text))

    @v_args(inline=True)
    def letter(self, name: Token) -> Formula:
        return SourceLetter(str(name))

    def call(self, parts: list[Any]) -> Formula:
        return AppliedFunction(tuple(part for part in parts[1:] if part is not None), str(parts[0]))

    def entry(self, parts: list[Any]) -> Formula:
        return ArrayEntry((parts[0],), tuple(int(place) for place in parts[1:]))

    def array(self, parts: list[Any]) -> Formula:
        return Array(tuple(parts))


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", transformer=_PlainReader(), maybe_placeholders=False)
