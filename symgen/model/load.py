"""Mechanism files: TOML and JSON, the same tree, told apart by suffix."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from symgen.errors import MechanismError
from symgen.model.file_shape import schema
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import did_you_mean, show

__all__ = ["LARGEST_FILE", "load", "parse_text", "read_tree", "schema"]

LARGEST_FILE = 32_000_000  # bytes; a mechanism of 10^5 bodies has about 10 MB

# tomllib's work grows with the square of the number of parts of one dotted key: a long key would be a hang.
_MOST_KEY_PARTS = 32
_KEY_PART = r"""(?:(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+"""
_LONG_KEY = re.compile(rf"(?:{_KEY_PART}){{{_MOST_KEY_PARTS}}}")
_LINE = re.compile(r"at line (\d+)")


class _DuplicateKeyError(ValueError):
    """A JSON object has a key twice."""


class _NotANumberError(ValueError):
    """JSON text holds NaN or Infinity, which JSON does not have."""


def load(path: str | os.PathLike[str]) -> Mechanism:
    """Return the mechanism of a file.

    Parameters
    ----------
    path : a ``.toml`` or ``.json`` file, UTF-8, at most 32 MB.

    Raises
    ------
    MechanismError
        if the file cannot be read or is wrong: file, field, what was found, what is allowed, the likely fix.
    """
    file = os.fspath(path)
    tree = read_tree(file, "a mechanism file")
    if isinstance(tree, dict) and tree.get("schema") == "symgen/group-instance/1":
        message = "this is a group instance, not a mechanism file; use symgen library solve"
        raise MechanismError(message, file=file, field="schema")
    if isinstance(tree, dict) and "name" not in tree:
        tree = {**tree, "name": "".join(filter(str.isprintable, Path(file).stem))[:200]}
    return Mechanism.from_dict(tree, file)


def read_tree(file: str, kind: str) -> Any:
    """Return the tree of a TOML or JSON file.

    Parameters
    ----------
    kind : what the file is, for the message: ``a mechanism file``.

    Raises
    ------
    MechanismError
        if the file cannot be read or is neither.
    """
    suffix = Path(file).suffix.lower()
    if suffix not in _PARSERS and not Path(file).is_dir():
        raise MechanismError(f"{kind} ends in .toml or .json, not {show(suffix)}", file=file)
    return parse_text(_read_text(file), suffix, file)


def parse_text(text: str, suffix: str, file: str | None = None) -> Any:
    """Return the tree of a text in the format of `suffix` (``.toml`` or ``.json``)."""
    try:
        return _PARSERS[suffix](text, file)
    except RecursionError:
        raise MechanismError("tables or lists are nested too deeply to be read", file=file) from None
    except ValueError as error:  # a whole number of more digits than Python converts
        raise MechanismError(f"cannot be read: {str(error)[:200]}", file=file) from None


def _read_text(file: str) -> str:
    try:
        path = Path(file)
        if path.is_dir():
            raise MechanismError("this is a folder; give a .toml or .json file", file=file)
        if not path.exists():
            raise MechanismError(f"there is no such file{_similar(path)}", file=file)
        if not path.is_file():
            raise MechanismError("this is not a regular file", file=file)
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise MechanismError(f"cannot be read: {reason}", file=file) from None
    if len(data) > LARGEST_FILE:
        raise MechanismError(f"is larger than {LARGEST_FILE // 1_000_000} MB, the largest file that is read", file=file)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        message = f"line {line}: byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
        raise MechanismError(message, file=file) from None


def _similar(path: Path) -> str:
    try:
        if not path.parent.is_dir():
            return f"; there is no folder {show(str(path.parent))} either"
        names = [each.name for each in path.parent.iterdir() if each.suffix.lower() in _PARSERS]
    except OSError:
        return ""
    return did_you_mean(path.name, names)


def _parse_toml(text: str, file: str | None) -> Any:
    long_key = _LONG_KEY.search(text)
    if long_key:
        line = text.count("\n", 0, long_key.start()) + 1
        raise MechanismError(f"line {line}: a dotted key has more than {_MOST_KEY_PARTS} parts", file=file)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MechanismError(f"not TOML: {_with_line(str(error), text)}", file=file) from None


def _with_line(message: str, text: str) -> str:
    found = _LINE.search(message)
    if not found:
        return message
    line = text.splitlines()[int(found.group(1)) - 1 : int(found.group(1))]
    return f"{message}: {show(line[0].strip())}" if line else message


def _parse_json(text: str, file: str | None) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        where = f"(at line {error.lineno}, column {error.colno})"
        raise MechanismError(f"not JSON: {_with_line(f'{error.msg} {where}', text)}", file=file) from None
    except (_DuplicateKeyError, _NotANumberError) as error:
        raise MechanismError(str(error), file=file) from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _DuplicateKeyError(f"the key {show(twice)} is given twice in one table")
    return table


def _refuse_constant(name: str) -> float:
    raise _NotANumberError(f"{name} is not a JSON number; every number must be finite")


_PARSERS: dict[str, Callable[[str, str | None], Any]] = {".toml": _parse_toml, ".json": _parse_json}
