"""Assignments of literals in a MATLAB script: numbers, quoted texts, matrices and cells of both. Nothing is run.

Besides literals a value may be a name assigned before it, and the few calls that input scripts hold, of which
the meaning is fixed: ``length(M)``, ``size(M, 1)``, ``zeros(N)``. One entry of a matrix may be assigned,
``A(1,2) = 1``. Everything else (other calls, operators, loops) is refused with line and column. Lines that only
tidy up or declare (``clear all``, ``clc``, ``close all``, ``format``, ``global A B``) are passed over.
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
      | (?P<mark>[=;,\[\]{}()])""",
    re.VERBOSE,
)
_PASSED_OVER = frozenset({"clear", "clearvars", "clc", "close", "format", "more", "clf", "global"})
_CALLS = "length(M), size(M,1), zeros(N)"


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
class MatlabMatrix:
    """Rows of equal length, and where the matrix begins."""

    rows: tuple[tuple[Literal, ...], ...]
    line: int
    column: int

    @property
    def where(self) -> str:
        """Return the place in words."""
        return f"line {self.line}, column {self.column}"


Value: TypeAlias = Literal | MatlabMatrix


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
        for anything that is no literal (or one of the calls above), a ragged or unclosed matrix, or a name assigned
        twice; with the place.
    """
    return _MatlabReader(text, file).read()


class _MatlabReader:
    def __init__(self, text: str, file: str | None) -> None:
        self.file = file
        self.text = self._without_blocks(text.replace("\r\n", "\n"))
        self.at, self.line, self.start = 0, 1, 0
        self.values: dict[str, Value] = {}
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
        while self.token.kind != "end":
            if self.token.text in ("\n", ";", ","):
                self.token = self._next()
                continue
            if self.token.kind != "name":
                raise self._refuse(self.token, "expected an assignment NAME = VALUE")
            name = self.token
            if name.text in _PASSED_OVER:
                self._pass_over()
                continue
            self.token = self._next()
            if name.text in self.values and self.token.text in ("(", "{"):
                self._assign_entry(name)
            else:
                self._assign(name)
            if self.token.text not in ("\n", ";", ",") and self.token.kind != "end":
                raise self._refuse(self.token, "expected the end of the assignment; operations are not evaluated")
        return self.values

    def _assign(self, name: _Token) -> None:
        if self.token.text != "=":
            raise self._refuse(name, f"{show(name.text)} is not an assignment of a literal; calls are not run", False)
        if name.text in self.values:
            raise self._refuse(name, f"{show(name.text)} is assigned twice", False)
        self.token = self._next()
        self.values[name.text] = self._value()

    def _assign_entry(self, name: _Token) -> None:
        """Read ``NAME(i,j) = VALUE`` or ``NAME{i,j} = VALUE``: one entry of a matrix is replaced."""
        matrix = self.values[name.text]
        if isinstance(matrix, Literal):
            raise self._refuse(self.token, f"{show(name.text)} is not a matrix and has no entries")
        indices = self._arguments({"(": ")", "{": "}"}[self.token.text])
        size = (len(matrix.rows), len(matrix.rows[0]) if matrix.rows else 0)
        if len(indices) != 2 or not all(1 <= index <= most for index, most in zip(indices, size, strict=True)):
            found = ",".join(map(str, indices))
            message = f"{name.text}({found}): the indices are a row and a column of a {size[0]} x {size[1]} matrix"
            raise self._refuse(name, message, False)
        if self.token.text != "=":
            raise self._refuse(self.token, f'expected "=" after the entry of {show(name.text)}')
        self.token = self._next()
        value = self._value()
        if isinstance(value, MatlabMatrix):
            if [len(row) for row in value.rows] != [1]:  # M(1,3) = {'R'} is MATLAB's other way to write M{1,3} = 'R'
                message = f"an entry of {show(name.text)} must be one number or text, found a matrix"
                raise MechanismError(message, file=self.file, field=value.where)
            value = value.rows[0][0]
        i, j = indices[0] - 1, indices[1] - 1
        row = (*matrix.rows[i][:j], value, *matrix.rows[i][j + 1 :])
        rows = (*matrix.rows[:i], row, *matrix.rows[i + 1 :])
        self.values[name.text] = MatlabMatrix(rows, matrix.line, matrix.column)

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
        if token.kind == "name":
            return self._named(token)
        raise self._refuse(token, "expected a value; write a number, a quoted text, [...] or {...}")

    def _named(self, name: _Token) -> Value:
        """Return the value of a name that was assigned before, or of one of the calls that are known."""
        self.token = self._next()
        if self.token.text != "(":
            if name.text in self.values:
                return self.values[name.text]
            raise self._refuse(name, "names and calls are not evaluated; write a number, a quoted text, [...] or {...}")
        if name.text in ("length", "size", "numel"):
            return self._measured(name)
        if name.text == "zeros":
            sizes = self._arguments(")")
            if len(sizes) not in (1, 2):
                raise self._refuse(name, "zeros has one or two sizes, such as zeros(4) or zeros(4,4)", False)
            rows, columns = sizes[0], sizes[-1]
            if rows * columns > MOST_CELLS:
                raise self._refuse(name, f"a matrix of more than {MOST_CELLS} entries is too large", False)
            row = (Literal(0.0, name.line, name.column),) * columns
            return MatlabMatrix((row,) * rows, name.line, name.column)
        raise self._refuse(
            name, f"calls other than {_CALLS} are not run; write a number, a quoted text, [...] or {{...}}"
        )

    def _measured(self, name: _Token) -> Literal:
        """Return length(NAME), numel(NAME), size(NAME,1) or size(NAME,2) of a value that was assigned before."""
        self.token = self._next()
        if self.token.kind != "name" or self.token.text not in self.values:
            raise self._refuse(self.token, f"{name.text} needs a name that was assigned before")
        value = self.values[self.token.text]
        self.token = self._next()
        rows = len(value.rows) if isinstance(value, MatlabMatrix) else 1
        columns = (len(value.rows[0]) if value.rows else 0) if isinstance(value, MatlabMatrix) else 1
        if name.text == "size":
            if self.token.text != ",":
                raise self._refuse(self.token, "size(NAME) is two numbers; write size(NAME,1) or size(NAME,2)")
            which = self._arguments(")")
            if which not in ([1], [2]):
                raise self._refuse(name, "size(NAME,1) is the number of rows, size(NAME,2) of columns", False)
            count = (rows, columns)[which[0] - 1]
        else:
            if self.token.text != ")":
                raise self._refuse(self.token, f'expected ")" after {name.text}(NAME')
            self.token = self._next()
            count = rows * columns if name.text == "numel" else max(rows, columns) if rows and columns else 0
        return Literal(float(count), name.line, name.column)

    def _arguments(self, closing: str) -> list[int]:
        """Return whole numbers up to the closing bracket; the current token is what opens them (or a comma)."""
        found: list[int] = []
        while True:
            self.token = self._next()
            place = self.token
            # a matrix is no size, and calls in calls could be nested without end
            value = None if place.text == "zeros" else self._value()
            number = value.value if isinstance(value, Literal) else None
            if not isinstance(number, float) or not 0 <= number < 1e9 or number != int(number):
                raise self._refuse(place, "a size or an index is a whole number")
            found.append(int(number))
            if self.token.text == closing:
                self.token = self._next()
                return found
            if self.token.text != "," or len(found) > 8:
                raise self._refuse(self.token, f'expected a comma or "{closing}"')

    def _matrix(self, opening: _Token) -> MatlabMatrix:
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
                    return MatlabMatrix(tuple(rows), opening.line, opening.column)
            elif token.kind == "end":
                raise self._refuse(opening, f"this {opening.text} is never closed by {closing}", False)
            else:
                raise self._refuse(token, "a matrix can only contain numbers and quoted texts")

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
