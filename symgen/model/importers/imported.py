"""What an import gives, and the reading of the file it starts from."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import show
from symgen.model.write import Suffix, write_tree

LARGEST_IMPORT = 16_000_000  # bytes


@dataclass(frozen=True)
class Imported:
    """An imported mechanism.

    Attributes
    ----------
    mechanism : read from `tree`, so it is a valid one.
    tree : the tree of a mechanism file.
    notes : what was left out, renamed or assumed, in words.
    origin : name of the file it came from, without folder.
    """

    mechanism: Mechanism
    tree: dict[str, Any]
    notes: tuple[str, ...]
    origin: str

    def text(self, suffix: Suffix = ".toml") -> str:
        """Return the mechanism file; notes stand at its head as comments (JSON has none)."""
        return write_tree(self.tree, suffix, [f"Imported from {self.origin}.", *(f"Note: {n}." for n in self.notes)])


def imported(tree: dict[str, Any], notes: Iterable[str], file: str) -> Imported:
    """Check the tree of an import by reading it.

    Raises
    ------
    MechanismError
        if it is no valid mechanism: with the file, and the field of the mechanism that it would have become.
    """
    return Imported(Mechanism.from_dict(tree, file), tree, tuple(notes), Path(file).name)


def read_source(path: str | os.PathLike[str]) -> str:
    """Return the text of a file to import: UTF-8, or Latin-1 where it is no UTF-8; at most 16 MB.

    Raises
    ------
    MechanismError
        if it cannot be read or is too large.
    """
    file = os.fspath(path)
    try:
        if Path(file).is_dir():
            raise MechanismError("this is a folder; give a file", file=file)
        with open(file, "rb") as stream:
            data = stream.read(LARGEST_IMPORT + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise MechanismError(f"cannot be read: {reason}", file=file) from None
    if len(data) > LARGEST_IMPORT:
        raise MechanismError(
            (f"is larger than {LARGEST_IMPORT // 1_000_000} MB, the largest import that is read"), file=file
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")  # comments in older scripts; names and numbers are ASCII


def _id_like(name: str) -> str:
    """Return a name with what an id may not have replaced; an id itself as it is, up to 60 letters."""
    base = re.sub(r"[^A-Za-z0-9_-]", "_", name)[:60] or "_"
    return f"_{base[1:]}" if base.startswith("-") else base


class Names:
    """Ids for foreign names: allowed characters kept, others replaced by ``_``, every id once."""

    def __init__(self) -> None:
        self.ids: dict[str, str] = {}
        self._taken: set[str] = set()

    def add_all(self, names: Iterable[str]) -> None:
        """Give ids to new names: those that are ids already keep theirs, whatever stands before them."""
        left = []
        for name in names:
            if name == _id_like(name) and name not in self._taken:
                self._taken.add(name)
                self.ids[name] = name
            else:
                left.append(name)
        for name in left:
            self.add(name)

    def add(self, name: str) -> str:
        """Return the id of a new name."""
        base = _id_like(name)
        chosen, count = base, 1
        while chosen in self._taken:
            count += 1
            chosen = f"{base}_{count}"
        self._taken.add(chosen)
        self.ids[name] = chosen
        return chosen

    @property
    def renamed(self) -> list[str]:
        """Say which names were changed, one phrase each."""
        return [f"{show(name)} is renamed {new}" for name, new in self.ids.items() if name != new]
