"""Claims files, ``symgen/claims/1``: what a source prints, and which derived object it should equal.

Everything in a file is a stranger's data. Texts are read by grammars (`plain`, `latex`), which build trees; nothing is
executed, and what costs too much ends at the time limit of a claim (`run`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symgen.check.formula import FUNCTIONS, Array, Formula, FormulaError
from symgen.check.latex import parse_latex, spelled
from symgen.check.plain import LONGEST, parse_plain, quoted
from symgen.errors import MechanismError
from symgen.model.load import read_tree
from symgen.model.nearest import did_you_mean, list_names, show

SCHEMA = "symgen/claims/1"
_MOST_CLAIMS = 5000
_LARGEST_SIDE = 64
_TOP = ("schema", "source", "note", "letters", "symbols", "functions", "claim")
_FIELDS = (
    "id", "where", "object", "equals", "letters", "symbols", "functions", "printed", "latex", "given", "note",
    "erratum",
)  # fmt: skip
_WORDS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RELATION = re.compile(r"!=|>=|<=|==|=|>|<")


@dataclass(frozen=True)
class SideCondition:
    """A side condition: `left` is equal to ("="), not equal to ("!=") or greater than (">") `right`."""

    left: Formula
    word: str
    right: Formula
    text: str


@dataclass(frozen=True)
class Claim:
    """A printed formula and what it is compared with.

    Attributes
    ----------
    where : in the source.
    object : name of a derived object; "" if `equals` says a formula.
    letters : free letters with their shapes, beside the object's arguments.
    symbols : letters of the source and what they stand for; they may use those before them.
    functions : letters of the source that stand for derived objects with arguments.
    printed : the formula; `text` is how it was written, in LaTeX or not.
    erratum : what is wrong with the print, if that is known; such a claim is expected to fail.
    own_symbols : those of `symbols` that stand in the claim, not at the top of its file.
    """

    id: str
    where: str
    object: str
    equals: Formula | None
    letters: Mapping[str, tuple[int, ...]]
    symbols: Mapping[str, Formula]
    functions: Mapping[str, str]
    printed: Formula
    text: str
    is_latex: bool
    given: tuple[SideCondition, ...]
    note: str
    erratum: str
    file: str
    own_symbols: frozenset[str] = frozenset()

    def error(self, message: str, field: str = "") -> MechanismError:
        """Return the error that a field of this claim is wrong."""
        field = "latex" if field == "printed" and self.is_latex else field
        return MechanismError(message, file=self.file, field=f"claim {self.id}" + (f".{field}" if field else ""))


@dataclass(frozen=True)
class Claims:
    """The claims of a file.

    Attributes
    ----------
    note : what there is to say of the source, such as what of it is not compared.
    """

    source: str
    claims: tuple[Claim, ...]
    file: str
    note: str = ""


def read_claims(file: str) -> Claims:
    """Return the claims of a TOML or JSON file.

    Raises
    ------
    MechanismError
        It cannot be read, or something in it is wrong: which claim, which field, what is allowed.
    """
    tree = read_tree(file, "a claims file")
    return claims_of(tree, file)


def claims_of(tree: Any, file: str) -> Claims:
    """Return the claims of a tree."""
    if not isinstance(tree, dict):
        raise MechanismError("a claims file is a table", file=file)
    if tree.get("schema") != SCHEMA:
        raise MechanismError(
            f"found {show(tree.get('schema'))}; a claims file says {show(SCHEMA)}", file=file, field="schema"
        )
    _known(tree, _TOP, file, "")
    source = _text(tree, "source", file, "", most=500)
    note = _text(tree, "note", file, "", most=2000)
    rows = tree.get("claim", [])
    if not isinstance(rows, list) or not rows:
        raise MechanismError("there is none; write [[claim]] with id, object and printed", file=file, field="claim")
    if len(rows) > _MOST_CLAIMS:
        raise MechanismError(f"{len(rows)} claims; at most {_MOST_CLAIMS} go into a file", file=file, field="claim")
    found: list[Claim] = []
    for number, row in enumerate(rows, start=1):
        claim = _claim(row, number, tree, file)
        if any(each.id == claim.id for each in found):
            raise MechanismError(f"the id {show(claim.id)} stands twice", file=file, field=f"claim {number}.id")
        found.append(claim)
    return Claims(source, tuple(found), file, note)


def _claim(row: Any, number: int, tree: Mapping[str, Any], file: str) -> Claim:
    where = f"claim {number}"
    if not isinstance(row, dict):
        raise MechanismError("a claim is a table", file=file, field=where)
    name = _text(row, "id", file, where, most=100)
    if not name:
        raise MechanismError("it is missing; give every claim an id of its own", file=file, field=f"{where}.id")
    where = f"claim {name}"
    _known(row, _FIELDS, file, where)
    if ("printed" in row) == ("latex" in row):
        raise MechanismError("give one of printed and latex", file=file, field=where)
    if ("object" in row) == ("equals" in row):
        raise MechanismError("give one of object (a derived object) and equals (a formula)", file=file, field=where)
    letters = {
        _letter(key, file, where): _shape(value, file, f"{where}.letters.{key}")
        for key, value in {**_table(tree, "letters", file, ""), **_table(row, "letters", file, where)}.items()
    }
    is_latex = "latex" in row
    texts = {**_table(tree, "symbols", file, ""), **_table(row, "symbols", file, where)}
    here = _table(row, "symbols", file, where)
    own: set[str] = set()
    symbols: dict[str, Formula] = {}
    for key, value in texts.items():
        field = f"{where}.symbols.{key}"
        try:
            letter = spelled(key) if is_latex else _letter(key, file, where)
            formula = parse_plain(_as_text(value))
        except FormulaError as error:
            raise MechanismError(str(error), file=file, field=field) from None
        if letter in symbols:
            message = f"{quoted(letter)} stands twice: fonts and blanks mean nothing; give one of them an index"
            raise MechanismError(message, file=file, field=field)
        symbols[letter] = formula
        if key in here:
            own.add(letter)
    functions: dict[str, str] = {}
    for key, value in {**_table(tree, "functions", file, ""), **_table(row, "functions", file, where)}.items():
        if not isinstance(value, str) or len(value) > 200:
            message = f"found {show(value)}; give the name of a derived object"
            raise MechanismError(message, file=file, field=f"{where}.functions.{key}")
        try:
            letter = spelled(key) if is_latex else _letter(key, file, where)
        except FormulaError as error:
            raise MechanismError(str(error), file=file, field=f"{where}.functions.{key}") from None
        if letter in FUNCTIONS or letter in symbols or letter in letters or letter in functions:
            message = f"{quoted(letter)} means something already; take another letter"
            raise MechanismError(message, file=file, field=f"{where}.functions.{key}")
        functions[letter] = value
    written = row["latex"] if is_latex else row["printed"]
    try:
        printed = parse_latex(_as_text(written), (*letters, *symbols), functions) if is_latex else _formula(written)
    except FormulaError as error:
        raise MechanismError(str(error), file=file, field=f"{where}.{'latex' if is_latex else 'printed'}") from None
    equals = None
    if "equals" in row:
        try:
            equals = _formula(row["equals"])
        except FormulaError as error:
            raise MechanismError(str(error), file=file, field=f"{where}.equals") from None
    return Claim(
        id=name,
        where=_text(row, "where", file, where, most=200),
        object=_text(row, "object", file, where, most=200),
        equals=equals,
        letters=letters,
        symbols=symbols,
        functions=functions,
        printed=printed,
        text=_shown(written),
        is_latex=is_latex,
        given=tuple(_relation(text, file, f"{where}.given") for text in _list(row, "given", file, where)),
        note=_text(row, "note", file, where, most=1000),
        erratum=_text(row, "erratum", file, where, most=1000),
        file=file,
        own_symbols=frozenset(own),
    )


def _formula(written: Any, depth: int = 0) -> Formula:
    """Return a formula: text, or lists of texts for a vector or a matrix."""
    if isinstance(written, list):
        if depth == 2:
            raise FormulaError("lists are nested too deep: a list is a vector, a list of lists a matrix")
        if not written:
            raise FormulaError("the list is empty")
        if len(written) > _LARGEST_SIDE**2:
            raise FormulaError(f"the list has {len(written)} entries; at most {_LARGEST_SIDE**2} are allowed")
        return Array(tuple(_formula(each, depth + 1) for each in written))
    return parse_plain(_as_text(written))


def _shown(written: Any) -> str:
    if isinstance(written, list):
        return f"[{', '.join(_shown(each) for each in written)}]"
    return str(written)


def _as_text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise FormulaError(f"found {show(value)}; write a formula as text")
    return value if isinstance(value, str) else repr(value)


def _relation(text: Any, file: str, field: str) -> SideCondition:
    if not isinstance(text, str) or len(text) > LONGEST:
        raise MechanismError(
            f"found {show(text)}; a side condition is a text such as 'a**2 + b**2 = 1'", file=file, field=field
        )
    words = _RELATION.findall(text)
    if len(words) != 1 or words[0] not in ("=", "==", "!=", ">"):
        raise MechanismError(
            f"{quoted(text)}: write one =, != or > between two formulas; > only as LETTER > 0", file=file, field=field
        )
    left, right = text.split(words[0])
    try:
        return SideCondition(parse_plain(left), words[0].replace("==", "="), parse_plain(right), text)
    except FormulaError as error:
        raise MechanismError(str(error), file=file, field=field) from None


def _known(table: Mapping[str, Any], allowed: Sequence[str], file: str, where: str) -> None:
    for key in table:
        if key not in allowed:
            field = f"{where}.{key}" if where else key
            raise MechanismError(
                f"there is no such field{did_you_mean(key, allowed)} (known: {list_names(allowed)})",
                file=file,
                field=field,
            )


def _text(table: Mapping[str, Any], key: str, file: str, where: str, *, most: int) -> str:
    value = table.get(key, "")
    field = f"{where}.{key}" if where else key
    if not isinstance(value, str) or len(value) > most or not value.isprintable():
        message = f"found {show(value)}; give a text of at most {most} printable characters"
        raise MechanismError(message, file=file, field=field)
    return value


def _table(table: Mapping[str, Any], key: str, file: str, where: str) -> Mapping[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        field = f"{where}.{key}" if where else key
        raise MechanismError(f'found {show(value)}; give a table such as {{ q = "q" }}', file=file, field=field)
    return value


def _list(table: Mapping[str, Any], key: str, file: str, where: str) -> Sequence[Any]:
    value = table.get(key, [])
    if not isinstance(value, list) or len(value) > _LARGEST_SIDE:
        raise MechanismError(
            f"found {show(value)}; give a list of at most {_LARGEST_SIDE}", file=file, field=f"{where}.{key}"
        )
    return value


def _letter(key: str, file: str, where: str) -> str:
    if not _WORDS.fullmatch(key) or len(key) > 80:
        raise MechanismError(
            f"{quoted(key)} is not a letter: letters, digits and _ are allowed", file=file, field=f"{where}.symbols"
        )
    return key


def _shape(value: Any, file: str, field: str) -> tuple[int, ...]:
    sides = value if isinstance(value, list) else None
    if sides is None or len(sides) > 2 or any(isinstance(s, bool) or not isinstance(s, int) for s in sides):
        raise MechanismError(
            f"found {show(value)}; a shape is [] for a scalar, [3] for a vector, [3, 3] for a matrix",
            file=file,
            field=field,
        )
    if any(not 1 <= side <= _LARGEST_SIDE for side in sides):
        raise MechanismError(f"found {show(value)}; sizes go from 1 to {_LARGEST_SIDE}", file=file, field=field)
    return tuple(sides)
