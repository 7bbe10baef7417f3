"""``User_Data.m``, the input of MBSSA3D: `ProblemType`, the pair matrix `M`, the matrix `KnownInputs`.

Source: Celdran, Saura, Dopico, "Computational structural analysis of spatial
multibody systems based on mobility criteria", 2022, Section 3.1 and Eq. (6).
The printed listing fills cells of pairs that do not exist with digits where
Eq. (6) has ``-``: any digit off the diagonal is read as "no pair", with a note.
`ProblemType` is B, the number of freedoms of a free body: 3 planar, 6 spatial.
Body 1 is the frame. `KnownInputs` says how many freedoms of a pair are driven,
not which: so does the mechanism file made from it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from symgen.errors import MechanismError
from symgen.model.importers.imported import Imported, imported, read_source
from symgen.model.importers.matlab_literals import Literal, MatlabMatrix, Value, read_assignments
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.model.pairs import PAIR_TYPES, Space, pair_types

MOST_BODIES = 2000
_WANTED = ("ProblemType", "M", "KnownInputs")
# As a number it is B, as a text also the dimension of space: 3 is planar, '3D' is not.
_SPACES: dict[str, Space] = {
    "3": "planar", "6": "spatial", "2d": "planar", "3d": "spatial", "planar": "planar", "spatial": "spatial"
}  # fmt: skip
_SPACES_ALLOWED = "allowed are 3 (planar) and 6 (spatial), as the paper prints it, or '2D' and '3D'"
_NO_PAIR = ("-", "")


def import_user_data(path: str | os.PathLike[str]) -> Imported:
    """Return the mechanism of a `User_Data.m`.

    Raises
    ------
    MechanismError
        with file, line, column, what was found and what is allowed.
    """
    file = os.fspath(path)
    return parse_user_data(read_source(path), file)


def parse_user_data(text: str, file: str = "User_Data.m") -> Imported:
    """Return the mechanism of the text of a `User_Data.m`; see `import_user_data`."""
    return _UserData(read_assignments(text, file), file).imported()


class _UserData:
    def __init__(self, values: dict[str, Value], file: str) -> None:
        self.values, self.file = values, file
        self.notes: list[str] = []
        if not values:
            raise MechanismError(f"the file assigns nothing; {list_names(_WANTED)} are needed", file=file)
        for name in _WANTED:
            if name not in values:
                near = did_you_mean(name, values) or f"; there are {list_names(values)}"
                raise MechanismError(f"{name} is missing{near}", file=file)
        unused = [name for name in values if name not in _WANTED and not self._counts_bodies(name)]
        if unused:
            self.notes.append(f"not used: {list_names(unused)}")

    def _counts_bodies(self, name: str) -> bool:
        """Return whether a name is N of the listing, ``N = length(M)``: nothing is lost where it is not used."""
        value, matrix = self.values[name], self.values["M"]
        return (
            name == "N"
            and isinstance(value, Literal)
            and isinstance(matrix, MatlabMatrix)
            and value.value == len(matrix.rows)
        )

    def imported(self) -> Imported:
        space = self._space()
        pairs = self._pairs(space, self._pair_matrix())
        self._drive(pairs, len(self._pair_matrix()))
        joints: dict[str, Any] = {}
        partly = []
        for (i, j), (code, driven) in sorted(pairs.items()):
            joints[f"{i}-{j}"] = {"type": code, "bodies": [str(i), str(j)]}
            if driven:
                joints[f"{i}-{j}"]["driven"] = driven
                if driven < PAIR_TYPES[code].grade:
                    partly.append(f"{i}-{j}")
        if partly:
            self.notes.append(f"KnownInputs does not say which freedoms of {list_names(partly)} are driven")
        bodies: dict[str, Any] = {str(number): {} for number in range(2, len(self._pair_matrix()) + 1)}
        head = {"schema": "symgen/mechanism/1", "name": Path(self.file).stem[:200], "space": space, "ground": "1"}
        if not head["name"].isprintable():
            head["name"] = "User_Data"
        return imported({**head, "bodies": bodies, "joints": joints}, self.notes, self.file)

    def _refuse(self, where: Literal | MatlabMatrix, message: str) -> MechanismError:
        return MechanismError(message, file=self.file, field=where.where)

    def _space(self) -> Space:
        value = self.values["ProblemType"]
        if isinstance(value, Literal):
            text = value.value if isinstance(value.value, str) else f"{value.value:g}"
            if text.strip().lower() in _SPACES:
                return _SPACES[text.strip().lower()]
            raise self._refuse(value, f"ProblemType {show(text)}: {_SPACES_ALLOWED}")
        raise self._refuse(value, f"ProblemType is a matrix; {_SPACES_ALLOWED}")

    def _square(self, name: str) -> tuple[tuple[Literal, ...], ...]:
        value = self.values[name]
        if isinstance(value, Literal):
            raise self._refuse(value, f"{name} must be a matrix with a row and a column for each body")
        rows = value.rows
        if rows and len(rows[0]) == 1 < len(rows):  # rows of characters: ['1R'; 'R2']
            rows = tuple(self._characters(row[0], len(rows)) for row in rows)
        if not rows or len(rows) != len(rows[0]):
            size = f"{len(rows)} x {len(rows[0])}" if rows else "empty"
            raise self._refuse(value, f"{name} is {size}; it must have a row and a column for each body")
        if not 2 <= len(rows) <= MOST_BODIES:
            raise self._refuse(value, f"{name} has {len(rows)} rows; allowed are 2 to {MOST_BODIES} bodies")
        return rows

    def _characters(self, cell: Literal, count: int) -> tuple[Literal, ...]:
        if not isinstance(cell.value, str) or len(cell.value) != count:
            raise self._refuse(cell, f"this row has one entry; it must have {count}, one for each body")
        return tuple(Literal(letter, cell.line, cell.column + 1 + k) for k, letter in enumerate(cell.value))

    def _pair_matrix(self) -> tuple[tuple[Literal, ...], ...]:
        return self._square("M")

    def _pairs(self, space: Space, rows: tuple[tuple[Literal, ...], ...]) -> dict[tuple[int, int], tuple[str, int]]:
        """Return type and inputs (none yet) of each pair, by body numbers i < j."""
        digits = 0
        codes: list[list[str | None]] = []
        for i, row in enumerate(rows):
            codes.append([])
            for j, cell in enumerate(row):
                code, is_digit = self._code(cell, i, j, space)
                digits += is_digit
                codes[i].append(code)
        if digits:
            self.notes.append(
                f"M holds digits in {digits} cell{'s' * (digits != 1)} off the diagonal: read as '-', no pair"
            )
        pairs = {}
        for i, row in enumerate(rows):
            for j in range(i):
                if codes[i][j] != codes[j][i]:
                    there = f"M({j + 1},{i + 1}) holds {show(rows[j][i].value)}"
                    message = f"M({i + 1},{j + 1}) holds {show(row[j].value)}, {there}; M must be symmetric"
                    raise self._refuse(row[j], message)
                code = codes[i][j]
                if code is not None:
                    pairs[j + 1, i + 1] = (code, 0)
        return pairs

    def _code(self, cell: Literal, i: int, j: int, space: Space) -> tuple[str | None, bool]:
        """Return the pair type of a cell, or None, and whether a digit stands there for none."""
        text = cell.value.strip() if isinstance(cell.value, str) else f"{cell.value:g}"
        is_digit = text.isascii() and text.isdigit()
        if i == j:
            if text in _NO_PAIR or text in ("0", str(i + 1)):
                return None, False
            raise self._refuse(cell, f"found {show(text)} on the diagonal; it must be the number of the body, {i + 1}")
        if text in _NO_PAIR or is_digit:
            return None, is_digit
        allowed = {pair.code: pair for pair in pair_types(space) if pair.grade}
        if text not in allowed:
            near = did_you_mean(text, allowed)
            kinds = ", ".join(allowed)
            if space == "planar" and text in PAIR_TYPES and PAIR_TYPES[text].grade:
                near = "; that type is spatial and needs ProblemType 6"
            raise self._refuse(cell, f"no pair type {show(text)}{near} ({space}: {kinds}; '-' for no pair)")
        return text, False

    def _drive(self, pairs: dict[tuple[int, int], tuple[str, int]], bodies: int) -> None:
        rows = self._square("KnownInputs")
        if len(rows) != bodies:
            raise self._refuse(rows[0][0], f"KnownInputs is for {len(rows)} bodies, M for {bodies}")
        counts = [[self._count(cell) for cell in row] for row in rows]
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                count = counts[i][j]
                if not count:
                    continue
                pair = (min(i, j) + 1, max(i, j) + 1)
                if pair not in pairs:
                    raise self._refuse(cell, f"KnownInputs({i + 1},{j + 1}) = {count}, but M has no such pair")
                code, _ = pairs[pair]
                if count > PAIR_TYPES[code].grade:
                    has = PAIR_TYPES[code].grade
                    raise self._refuse(cell, f"{count} freedoms of {code} are driven; it has {has}")
                if counts[j][i] not in (0, count):
                    other = f"KnownInputs({j + 1},{i + 1}) = {counts[j][i]}"
                    raise self._refuse(cell, f"KnownInputs({i + 1},{j + 1}) = {count}, {other}; it must be symmetric")
                pairs[pair] = (code, count)

    def _count(self, cell: Literal) -> int:
        value = cell.value
        if isinstance(value, str):
            text = value.strip()
            number = int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0 if text in _NO_PAIR else -1
        else:
            number = int(value) if value in range(9) else -1
        if number < 0:
            raise self._refuse(
                cell, (f"found {_plain(value)}; entries of KnownInputs are numbers of driven freedoms: 0, 1, ...")
            )
        return number


def _plain(value: float | str) -> str:
    """Return a cell as written: a whole number without a fraction."""
    return show(int(value) if isinstance(value, float) and value.is_integer() else value)
