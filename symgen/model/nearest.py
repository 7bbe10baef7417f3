"""Wording shared by the refusals of this room: the nearest allowed name, a value shown short and safe."""

from __future__ import annotations

from collections.abc import Iterable

from symgen.naming import did_you_mean, nearest

__all__ = ["did_you_mean", "list_names", "nearest", "show"]

_MOST_LISTED = 12
_LONGEST = 60
_LONGEST_NAME = 250


def show(value: object) -> str:
    """Return `value` as it would be written in a file, cut to a readable length, control characters escaped."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > 1000:  # Python refuses to print very long integers
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, str):
        text = '"' + "".join(map(_printable, value[: _LONGEST + 1])) + '"'
    elif isinstance(value, dict):
        text = f"a table of {len(value)} entries" if value else "an empty table"
    elif isinstance(value, (list, tuple)) and len(value) > 8:
        text = f"a list of {len(value)} entries"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(show(entry) for entry in value) + "]"
    else:
        text = str(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _printable(letter: str) -> str:
    """Return a letter as it is if it can be read, else its escape: of control characters and what turns text around."""
    return letter if letter.isprintable() and letter != "\\" else letter.encode("unicode_escape").decode("ascii")


def list_names(names: Iterable[str]) -> str:
    """Return the names joined by commas; after a dozen the rest is counted."""
    every = list(names)
    shown = ", ".join(name if _is_short(name) else show(name) for name in every[:_MOST_LISTED])
    more = len(every) - _MOST_LISTED
    return shown + (f" and {more} more" if more > 0 else "") if every else "none"


def _is_short(name: str) -> bool:
    # an id without its last letters is another id: names are whole, or end in a mark that they do not
    return len(name) <= _LONGEST_NAME and name.isprintable()
