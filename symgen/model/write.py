"""Mechanism to text, TOML or JSON: ``load`` of what is written gives an equal mechanism.

What is written is the tree the mechanism was made from, so parameters and
expressions stay as the user wrote them. TOML is laid out as the examples are:
one table a body and a joint, one line a value; the same tree gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism

Suffix = Literal[".toml", ".json"]

#: Order of the tables in a file; keys of the head come first, all others in the order of the tree.
_HEAD = ("schema", "name", "space", "ground", "gravity")
_TABLES = ("parameters", "bodies", "joints", "special", "drives", "couplings", "limits", "ranges", "initial", "forces")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
#: Tables within a table that are written line by line: ``points.P = [...]``.
_BY_LINE = frozenset({"points", "frames", "beam"})


def write_mechanism(mechanism: Mechanism, suffix: Suffix = ".toml") -> str:
    """Return a mechanism file as text.

    Parameters
    ----------
    mechanism : as `symgen.model.load.load` or `Mechanism.from_dict` gave it.
    suffix : ``".toml"`` or ``".json"``.

    Raises
    ------
    MechanismError
        if the record is no longer what its tree says (made by `dataclasses.replace`, say): change
        ``mechanism.to_dict()`` instead and read it with `Mechanism.from_dict`.
    """
    if not mechanism.source or Mechanism.from_dict(mechanism.source, mechanism.file) != mechanism:
        raise MechanismError(
            "this mechanism differs from the tree it was made from and cannot be written; change the result of its "
            "to_dict() and read that with Mechanism.from_dict",
            file=mechanism.file,
        )
    return write_tree(mechanism.source, suffix)


def write_tree(tree: Mapping[str, Any], suffix: Suffix = ".toml", comments: Sequence[str] = ()) -> str:
    """Return the tree of a mechanism file as text; it is not checked here.

    Parameters
    ----------
    tree : as ``tomllib`` or ``json`` give it: tables, lists, texts and finite numbers.
    suffix : ``".toml"`` or ``".json"``.
    comments : lines for the head of a TOML file; JSON has none. Characters that cannot be printed are left out.
    """
    order = [key for key in (*_HEAD, *_TABLES) if key in tree]
    ordered = {key: tree[key] for key in (*order, *(key for key in tree if key not in order))}
    if suffix == ".json":
        return json.dumps(ordered, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    head = (f"# {''.join(filter(str.isprintable, line))}".rstrip() for line in comments)
    return "\n".join((*head, *_toml_lines(ordered))).strip("\n") + "\n"


def _toml_lines(tree: Mapping[str, Any]) -> Iterator[str]:
    yield from _aligned({key: value for key, value in tree.items() if not isinstance(value, Mapping)})
    for key, table in tree.items():
        if not isinstance(table, Mapping):
            continue
        if key == "initial":
            for part, entries in table.items():
                yield from _sections(f"{key}.{part}", entries)
        elif key in ("parameters", "drives", "limits", "ranges"):
            yield from _section(key, table)
        else:
            yield from _sections(key, table)


def _sections(path: str, entries: Mapping[str, Any]) -> Iterator[str]:
    for name, table in entries.items():
        yield from _section(f"{path}.{_key(name)}", table)


def _section(path: str, table: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield f"[{path}]"
    lines: dict[str, Any] = {}
    for key, value in table.items():
        if key in _BY_LINE and isinstance(value, Mapping) and value:
            lines.update({f"{key}.{_key(name)}": entry for name, entry in value.items()})
        else:
            lines[_key(key)] = value
    yield from _aligned(lines)


def _aligned(lines: Mapping[str, Any]) -> list[str]:
    """Return lines ``key = value`` with the equal signs below each other; `lines` by key as written."""
    width = min(max(map(len, lines), default=0), 24)
    return [f"{key:<{width}} = {_value(value)}" for key, value in lines.items()]


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _text(key)


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(entry)}" for key, entry in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    return repr(float(value))  # the shortest text that reads back to the same double


def _text(text: str) -> str:
    """Return a basic string of TOML; JSON's escapes are all TOML's too."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
