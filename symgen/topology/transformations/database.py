"""Choices and their structures in an SQLite database: a file, or memory if nobody wants to keep them.

Work is committed in steps, so that a run that is killed goes on where its last
step ended. The tables are made to be read with any SQLite tool:

    fact(name, value)       schema, mechanism, space, inputs, vectors, method, stage, ...
    joint(number, id, type, first, second, lowest, highest)
    choice(number, inputs, class)       inputs as JSON: joint -> driven freedoms
    structure(class, groups, largest, levels, regular, signatures)

Choices of one class differ by a symmetry of the mechanism and share a structure; the number of a
class is that of its first choice. Source: SQLite, https://sqlite.org/atomiccommit.html.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NoReturn

from symgen.errors import InputError
from symgen.model.nearest import show
from symgen.topology.transformations.evaluation import ChoiceStructure

SCHEMA = "symgen/transformations/1"

# "SYMG": how a database tells that it is one of ours.
_APPLICATION = 0x53594D47
_TABLES = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE joint (number INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL, first TEXT NOT NULL,
    second TEXT NOT NULL, lowest INTEGER NOT NULL, highest INTEGER NOT NULL);
CREATE TABLE choice (number INTEGER PRIMARY KEY, inputs TEXT NOT NULL UNIQUE, class INTEGER);
CREATE TABLE structure (class INTEGER PRIMARY KEY, groups INTEGER NOT NULL, largest INTEGER NOT NULL,
    levels INTEGER NOT NULL, regular INTEGER NOT NULL, signatures TEXT NOT NULL);
"""

# Digits of the largest number kept as a fact: Python reads no longer ones.
_MOST_DIGITS = 4000
# No pair has more freedoms.
_MOST_DRIVEN = 6

Inputs = dict[str, int]
JointRow = tuple[int, str, str, str, str, int, int]

# Seconds to wait while another program writes; every step of ours takes a fraction of one.
_PATIENCE = 20.0


class _ContentError(Exception):
    """A table holds what no run of ours writes; the message says where and what."""


class Store:
    """An open database. Use `open_store`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def fact(self, name: str) -> str | None:
        """Return what is known under a name."""
        row = self._connection.execute("SELECT value FROM fact WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def fact_number(self, name: str) -> int:
        """Return the whole number, not negative, that is known under a name; 0 if nothing is."""
        text = self.fact(name)
        if text is None:
            return 0
        if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
            raise _ContentError(f"fact {name!r}: found {show(text)}, expected a whole number")
        return int(text)

    def current(self) -> tuple[Inputs, ChoiceStructure] | None:
        """Return the inputs the mechanism has and what they make of it; None if they do not determine it."""
        text = self.fact("current")
        found = None if text is None else _json(text, "fact 'current'")
        if found is None:
            return None
        if not isinstance(found, dict):
            raise _ContentError(f"fact 'current': found {show(found)}, expected an object")
        values = (*(found.get(key) for key in ("groups", "largest", "levels", "regular")), found.get("signatures"))
        return _checked_inputs(found.get("inputs"), "fact 'current'"), _structure(values, "fact 'current'")

    def begin(self, facts: Mapping[str, object], joints: Iterable[JointRow]) -> None:
        """Write down what is asked, all at once; if another program was quicker, what it has written stays."""
        with self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            if self.fact("problem") is not None:
                return
            self._connection.executemany("INSERT INTO joint VALUES (?, ?, ?, ?, ?, ?, ?)", joints)
            self._set(facts)

    def state(self, **facts: object) -> None:
        """Write facts down."""
        with self._connection:
            self._set(facts)

    def joints(self) -> list[JointRow]:
        """Return the joints."""
        rows = list(self._connection.execute("SELECT * FROM joint ORDER BY number"))
        for row in rows:
            if [type(value) for value in row] != [int, str, str, str, str, int, int] or not 0 <= row[5] <= row[6] <= 6:
                raise _ContentError(f"table joint: found {show(list(row))}")
        return rows

    def add_choices(self, choices: Iterable[Inputs], **facts: object) -> None:
        """Add choices behind those there, leaving out those known, together with facts, in one step."""
        rows = [(_text(inputs),) for inputs in choices]
        with self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO choice (inputs) VALUES (?)", rows)
            self._set(facts)

    def set_classes(self, classes: Iterable[int], **facts: object) -> None:
        """Write down the class of every choice, in their order, together with facts, in one step."""
        rows = [(leader + 1, number) for number, leader in enumerate(classes, start=1)]
        with self._connection:
            self._connection.executemany("UPDATE choice SET class = ? WHERE number = ?", rows)
            self._set(facts)

    def add_structures(self, found: Iterable[tuple[int, ChoiceStructure]]) -> None:
        """Add structures by class, in one step."""
        rows = [
            (number, each.groups, each.largest, each.levels, int(each.regular), json.dumps(each.signatures))
            for number, each in found
        ]
        with self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO structure VALUES (?, ?, ?, ?, ?, ?)", rows)

    def count_choices(self) -> int:
        """Return the number of choices."""
        return int(self._connection.execute("SELECT COUNT(*) FROM choice").fetchone()[0])

    def count_structures(self) -> int:
        """Return the number of classes whose structure is known."""
        return int(self._connection.execute("SELECT COUNT(*) FROM structure").fetchone()[0])

    def last_choice(self) -> Inputs | None:
        """Return the choice added last."""
        row = self._connection.execute("SELECT inputs FROM choice ORDER BY number DESC LIMIT 1").fetchone()
        return None if row is None else _inputs(row[0])

    def choices(self) -> Iterator[tuple[int, Inputs]]:
        """Yield class and inputs of every choice in their order; the class is 0 as long as it is not known."""
        for leader, text in self._connection.execute("SELECT class, inputs FROM choice ORDER BY number"):
            if leader is not None and not isinstance(leader, int):
                _refuse(leader, "table choice, class")
            yield leader or 0, _inputs(text)

    def count_classes(self) -> int:
        """Return the number of classes."""
        return int(self._connection.execute("SELECT COUNT(*) FROM choice WHERE number = class").fetchone()[0])

    def open_classes(self, most: int) -> list[tuple[int, Inputs]]:
        """Return number and first choice of the next classes without a structure; structures are added in order."""
        query = """SELECT number, inputs FROM choice WHERE number = class
            AND number > (SELECT COALESCE(MAX(class), 0) FROM structure) ORDER BY number LIMIT ?"""
        return [(number, _inputs(text)) for number, text in self._connection.execute(query, (most,))]

    def structures(self) -> Iterator[tuple[int, ChoiceStructure]]:
        """Yield the structures by class."""
        query = "SELECT class, groups, largest, levels, regular, signatures FROM structure ORDER BY class"
        for number, groups, largest, levels, regular, signatures in self._connection.execute(query):
            where = f"table structure, class {number}"
            yield number, _structure((groups, largest, levels, regular, _json(signatures, where)), where)

    def structures_of(self, classes: Iterable[int]) -> dict[int, ChoiceStructure]:
        """Return all structures by class, after making sure that those of these classes are among them."""
        found = dict(self.structures())
        missing = next((number for number in classes if number not in found), None)
        if missing is not None:
            raise _ContentError(f"table structure has no class {missing}")
        return found

    def _set(self, facts: Mapping[str, object]) -> None:
        rows = [(name, str(value)) for name, value in facts.items()]
        self._connection.executemany("INSERT OR REPLACE INTO fact VALUES (?, ?)", rows)


@contextmanager
def open_store(path: str | os.PathLike[str] | None, *, new: bool = True) -> Iterator[Store]:
    """Open a database, or make one.

    Parameters
    ----------
    path : the file; None for one in memory.
    new : make the file if it is not there.

    Raises
    ------
    InputError
        if there is no such file or folder, or the file is something else; it is not touched then. Also for whatever
        goes wrong in the database while it is open.
    """
    name = ":memory:" if path is None else os.fspath(path)
    if path is not None:
        _check_place(Path(name), new=new)
    try:
        with closing(sqlite3.connect(name, timeout=_PATIENCE)) as connection:
            _prepare(connection, name)
            yield Store(connection)
    except sqlite3.Error as error:
        raise InputError(f"{name}: {_words(error)}") from error
    except _ContentError as error:
        raise InputError(
            f"{name}: the database is damaged or was changed by hand ({error}); delete it and repeat the run"
        ) from error


def _check_place(path: Path, *, new: bool) -> None:
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; give the name of a file")
    if not path.exists() and not new:
        raise InputError(f"{path}: there is no such database; `symgen transform MECH --database {path}` makes it")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {str(path.parent)!r}; make it first")


def _prepare(connection: sqlite3.Connection, name: str) -> None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application == _APPLICATION:
        return
    if application or connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
        raise InputError(f"{name}: this database is not one of symgen transform; choose another file")
    # One transaction: a run that is killed here leaves an empty database, which the next one prepares. It holds the
    # right to write from its start, so of two programs that come here at once the second finds the work done.
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        if connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]:
            return
        for statement in _TABLES.split(";")[:-1]:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {_APPLICATION}")


def _words(error: Exception) -> str:
    if "locked" in str(error):
        return "another program is writing to this database; wait for it or choose another file"
    if "not a database" in str(error):
        return "this file is not a database; choose another file"
    return f"the database cannot be used ({error}); choose another file"


def _text(inputs: Inputs) -> str:
    return json.dumps(inputs, separators=(",", ":"))


def _inputs(text: object) -> Inputs:
    return _checked_inputs(_json(text, "table choice"), "table choice")


def _json(text: object, where: str) -> object:
    try:
        return json.loads(text) if isinstance(text, str) else _refuse(text, where)
    except (ValueError, RecursionError):
        return _refuse(text, where)


def _refuse(found: object, where: str) -> NoReturn:
    raise _ContentError(f"{where}: found {show(found)}")


def _checked_inputs(found: object, where: str) -> Inputs:
    if not isinstance(found, dict) or not all(type(w) is int and 0 <= w <= _MOST_DRIVEN for w in found.values()):
        _refuse(found, where)
    return found


def _structure(values: tuple[object, ...], where: str) -> ChoiceStructure:
    *numbers, names = values
    for number in numbers:
        if not isinstance(number, int) or number < 0:
            _refuse(number, where)
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        _refuse(names, where)
    groups, largest, levels, regular = (number for number in numbers if isinstance(number, int))
    return ChoiceStructure(groups, largest, levels, bool(regular), tuple(names))
