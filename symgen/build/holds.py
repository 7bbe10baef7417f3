"""Which entries of a cache running processes use: nobody removes those.

A process that uses an entry holds a shared lock on one byte of ``<root>/in-use`` until it ends; the key gives the
byte. Who wants to remove the entry asks for the same byte alone. These are POSIX record locks: the system ends them
with their process, however it ends; one descriptor is enough for all entries, and read permission is enough to hold.
They belong to the process and end when it closes any descriptor of the file: so nobody else opens it, and what this
process holds is also written down here. Where there are no such locks, nothing counts as unused.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

try:
    import fcntl
except ImportError:  # not POSIX
    fcntl = None  # type: ignore[assignment]

NAME = "in-use"
#: Letters of a key that give its byte: 60 bits, which two keys of one cache hardly share (and then both are kept).
_LETTERS = 15


@dataclass(frozen=True)
class _Table:
    """The open file of one cache, and the keys that this process holds in it."""

    descriptor: int
    identity: tuple[int, int]
    writable: bool
    held: set[str] = field(default_factory=set)


_tables: dict[Path, _Table] = {}
_guard = threading.RLock()


def hold(root: Path, key: str) -> None:
    """Keep an entry from being removed, there or not yet, until this process ends."""
    with _guard:
        table = _table(root)
        if table is not None and key not in table.held:
            with suppress(OSError):  # a file system without locks: then nobody gets the byte alone either
                _lock(table, key, fcntl.LOCK_SH)
            table.held.add(key)


@contextmanager
def unused(root: Path, key: str) -> Iterator[bool]:
    """Tell whether no process uses an entry; none can begin to before the end of the block."""
    with _guard:
        table = _table(root)
        alone = table is not None and table.writable and key not in table.held and _taken_alone(table, key)
        try:
            yield alone
        finally:
            if alone and table is not None:
                _lock(table, key, fcntl.LOCK_UN)


def _taken_alone(table: _Table, key: str) -> bool:
    try:
        _lock(table, key, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _lock(table: _Table, key: str, how: int) -> None:
    fcntl.lockf(table.descriptor, how, 1, int(key[:_LETTERS], 16))


def _table(root: Path) -> _Table | None:
    """Return the open file of a cache; a new one if the cache was deleted and made again; None if there is none."""
    if fcntl is None:
        return None
    path = root / NAME
    known = _tables.get(root)
    if known is not None:
        with suppress(OSError):
            if _identity(path.stat()) == known.identity:
                return known
    opened = _opened(path)
    if opened is None:
        return None
    descriptor, writable = opened
    identity = _identity(os.fstat(descriptor))
    # The same cache by another path: what is held counts for both.
    twin = next((table for table in _tables.values() if table.identity == identity), None)
    _tables[root] = _Table(descriptor, identity, writable, set() if twin is None else twin.held)
    if known is not None and all(table.identity != known.identity for table in _tables.values()):
        os.close(known.descriptor)
    return _tables[root]


def _opened(path: Path) -> tuple[int, bool] | None:
    for flags, writable in ((os.O_RDWR | os.O_CREAT, True), (os.O_RDONLY, False)):
        with suppress(OSError):
            return os.open(path, flags, 0o600), writable
    return None


def _identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def _hold_again() -> None:
    """Take the locks in a child that was forked: they stay with the parent."""
    global _guard
    _guard = threading.RLock()  # a thread that is not in the child may have had it
    for table in _tables.values():
        for key in table.held:
            with suppress(OSError):
                _lock(table, key, fcntl.LOCK_SH)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_hold_again)
