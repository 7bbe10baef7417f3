"""Records that show what they hold in one short line: arrays by their shapes, tables by their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

_MOST_NAMES, _LONGEST = 6, 60


class Brief:
    """A dataclass (``repr=False``) whose ``repr`` is short, however much it holds."""

    __slots__ = ()

    def __repr__(self) -> str:
        parts = ", ".join(
            f"{each.name} {brief(getattr(self, each.name))}"
            for each in fields(self)  # type: ignore[arg-type]  # subclasses are dataclasses
            if each.repr
        )
        return f"<{type(self).__name__}: {parts}>"


def brief(value: object) -> str:
    """Return a value in some words."""
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple):
        return str(shape)
    if isinstance(value, Mapping):
        return brief_names(value)
    if isinstance(value, (tuple, list)) and len(value) > _MOST_NAMES:
        return f"{len(value)} of {type(value[0]).__name__}"
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def brief_names(table: Mapping[object, object] | Mapping[str, object]) -> str:
    """Return the first names of a table."""
    names = [str(name) for name in table]
    more = f", ... ({len(names)})" if len(names) > _MOST_NAMES else ""
    text = ", ".join(names[:_MOST_NAMES]) + more
    return f"{{{text if len(text) <= 2 * _LONGEST else f'{len(names)} names'}}}"
