"""Assignments of literals in a MATLAB script: numbers, quoted texts, matrices and cells of both. Nothing is run.

Everything else (calls, operators, names as values, indexing, loops) is refused with line and column. Commands
that only tidy up (``clear all``, ``clc``, ``close all``, ``format``) are passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from symgen.errors import MechanismError
from symgen.model.nearest import show

MOST_CELLS = 4_000_000

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+)
      | (?P<continued>\.\.\.[^\n]*\n)
      | (?P<comment>[%\#][^\n]*)
      | (?P<line>\n)
      | (?P<number>[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?(?![A-Za-z0-9_.]))
      | (?P<text>'(?:[^'\n]|'')*+'|"(?:[^"\n]|"")*+")
      | (?P<name>[A-Za-z][A-Za-z0-9_]*+)
      | (?P<mark>[=;,\[\]{}])""",
    re.VERBOSE,
)
_TIDYING = frozenset({"clear", "clearvars", "clc", "close", "format", "more", "clf"})


@dataclass(frozen=True, slots=True)
class Literal:
    """A number or a text, and where it stands (both from 1)."""

    value: float | str
    line: int
    column: int

    @property
    def where(self) -> str:
        """Return the place in words."""
        return f"line {self.line}, column {self.column}"


@dataclass(frozen=True, slots=True)
class Matrix:
    """Rows of equal length, and where the matrix begins."""

    rows: tuple[tuple[Literal, ...], ...]
    line: int
    column: int

    @property
    def where(self) -> str:
        """Return the place in words."""
        return f"line {self.line}, column {self.column}"


Value: TypeAlias = Literal | Matrix


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int
    column: int


def read_assignments(text: str, file: str | None = None) -> dict[str, Value]:
    """Return the values of all assignments of a script, by name, in order.

    Raises
    ------
    MechanismError
        for anything that is no literal, a ragged or unclosed matrix, or a name assigned twice; with the place.
    """
    return _Reader(text, file).read()


class _Reader:
    def __init__(self, text: str, file: str | None) -> None:
        self.file = file
        self.text = self._without_blocks(text.replace("\r\n", "\n"))
        self.at, self.line, self.start = 0, 1, 0
        self.token = self._next()

    def _without_blocks(self, text: str) -> str:
        """Return the text with block comments (``%{`` ... ``%}``) made to empty lines, so that places stay right."""
        lines = text.split("\n")
        opened: list[int] = []
        for number, line in enumerate(lines):
            mark = line.strip()
            if mark in ("%{", "#{"):
                opened.append(number)
            if opened:
                lines[number] = ""
            if mark in ("%}", "#}") and opened:
                opened.pop()
        if opened:
            message = "this block comment is never closed by %}"
            raise MechanismError(message, file=self.file, field=f"line {opened[-1] + 1}")
        return "\n".join(lines)

    def read(self) -> dict[str, Value]:
        values: dict[str, Value] = {}
        while self.token.kind != "end":
            if self.token.text in ("\n", ";", ","):
                self.token = self._next()
                continue
            if self.token.kind != "name":
                raise self._refuse(self.token, "expected an assignment NAME = VALUE")
            name = self.token
            if name.text in _TIDYING:
                self._pass_over()
                continue
            self.token = self._next()
            if self.token.text != "=":
                raise self._refuse(name, f"{show(name.text)} is no assignment of a literal; calls are not run", False)
            if name.text in values:
                raise self._refuse(name, f"{show(name.text)} is assigned twice", False)
            self.token = self._next()
            values[name.text] = self._value()
            if self.token.text not in ("\n", ";", ",") and self.token.kind != "end":
                raise self._refuse(self.token, "expected the end of the assignment; operations are not carried out")
        return values

    def _pass_over(self) -> None:
        while self.token.kind in ("name", "text"):
            self.token = self._next()
        if self.token.text not in ("\n", ";", ",") and self.token.kind != "end":
            raise self._refuse(self.token, "expected the end of the command")

    def _value(self) -> Value:
        token = self.token
        if token.kind in ("number", "text"):
            self.token = self._next()
            return self._literal(token)
        if token.text in ("[", "{"):
            return self._matrix(token)
        what = "names and calls are not evaluated" if token.kind == "name" else "expected a value"
        raise self._refuse(token, f"{what}; write a number, a quoted text, [...] or {{...}}")

    def _matrix(self, opening: _Token) -> Matrix:
        closing = "]" if opening.text == "[" else "}"
        rows: list[tuple[Literal, ...]] = []
        row: list[Literal] = []
        cells = 0
        comma = False
        while True:
            before = self.at
            self.token = self._next()
            token = self.token
            if token.kind in ("number", "text"):
                if row and not comma and before == token.column - 1 + self.start:
                    raise self._refuse(token, "expected a space or a comma between two entries")
                row.append(self._literal(token))
                comma = False
                cells += 1
                if cells > MOST_CELLS:
                    raise self._refuse(token, f"a matrix of more than {MOST_CELLS} entries is too large")
            elif token.text == "," and row and not comma:
                comma = True
            elif token.text in (";", "\n", closing) and not (comma and token.text != "\n"):
                if row:
                    self._check_width(rows, row)
                    rows.append(tuple(row))
                    row, comma = [], False
                if token.text == closing:
                    self.token = self._next()
                    return Matrix(tuple(rows), opening.line, opening.column)
            elif token.kind == "end":
                raise self._refuse(opening, f"this {opening.text} is never closed by {closing}", False)
            else:
                raise self._refuse(token, "only numbers and quoted texts can stand in a matrix")

    def _check_width(self, rows: list[tuple[Literal, ...]], row: list[Literal]) -> None:
        if rows and len(row) != len(rows[0]):
            message = f"this row has {len(row)} entries, the first row has {len(rows[0])}"
            raise MechanismError(message, file=self.file, field=row[0].where)

    def _literal(self, token: _Token) -> Literal:
        if token.kind == "number":
            return Literal(float(token.text), token.line, token.column)
        quote = token.text[0]
        return Literal(token.text[1:-1].replace(quote * 2, quote), token.line, token.column)

    def _next(self) -> _Token:
        while self.at < len(self.text):
            found = _TOKEN.match(self.text, self.at)
            column = self.at - self.start + 1
            if found is None:
                token = _Token("other", self.text[self.at], self.line, column)
                if token.text in "'\"":
                    raise self._refuse(token, "this text is never closed")
                self.at += 1
                return token
            self.at = found.end()
            token = _Token(found.lastgroup or "", found.group(), self.line, column)
            if token.text.endswith("\n"):
                self.line, self.start = self.line + 1, self.at
            if token.kind not in ("space", "continued", "comment"):
                return token
        return _Token("end", "", self.line, self.at - self.start + 1)

    def _refuse(self, token: _Token, message: str, found: bool = True) -> MechanismError:
        shown = "the end of the file" if token.kind == "end" else show(token.text)
        text = f"found {shown}: {message}" if found else message
        return MechanismError(text, file=self.file, field=f"line {token.line}, column {token.column}")
