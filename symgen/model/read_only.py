"""Tables that a mechanism shows and that cannot be changed: a change would be shown, and computed with nowhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

from symgen.errors import InputError

Key = TypeVar("Key")
Value = TypeVar("Value")


class ReadOnlyError(InputError, TypeError):
    """Somebody tried to change a table that is read-only; the message says what to do instead."""


class ReadOnly(dict[Key, Value]):
    """A table that refuses to be changed.

    A dictionary otherwise: equal to one, written as one; ``dict(table)`` is a copy that can be changed.

    Parameters
    ----------
    entries : what it holds.
    what : what it is, and how to get what the change was meant for; a sentence for the message.
    """

    __slots__ = ("what",)

    def __init__(self, entries: Mapping[Key, Value], what: str) -> None:
        super().__init__(entries)
        self.what = what

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise ReadOnlyError(self.what)

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> ReadOnly[Key, Value]:
        return self

    def __deepcopy__(self, memo: Any) -> ReadOnly[Key, Value]:
        return self  # what it holds cannot be changed either

    def __reduce__(self) -> tuple[type[ReadOnly[Key, Value]], tuple[dict[Key, Value], str]]:
        return type(self), (dict(self), self.what)


def frozen_tree(value: Any, what: str) -> Any:
    """Return a tree of tables and lists as one that cannot be changed at any depth; lists become tuples."""
    if isinstance(value, ReadOnly):
        return value
    if isinstance(value, Mapping):
        return ReadOnly({key: frozen_tree(entry, what) for key, entry in value.items()}, what)
    return tuple(frozen_tree(entry, what) for entry in value) if isinstance(value, (list, tuple)) else value


def plain_tree(value: Any) -> Any:
    """Return a tree as new dictionaries and lists."""
    if isinstance(value, Mapping):
        return {key: plain_tree(entry) for key, entry in value.items()}
    return [plain_tree(entry) for entry in value] if isinstance(value, (list, tuple)) else value
