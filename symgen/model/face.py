"""What public functions take as a mechanism: one that is loaded, or the path of its file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeAlias, TypeVar

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism

Path: TypeAlias = str | os.PathLike[str]
MechanismOrPath: TypeAlias = Mechanism | Path

_Source = TypeVar("_Source")


def loaded(given: _Source | Path, function: str) -> _Source | Mechanism:
    """Return the mechanism that a public function was given, loaded if it is a path.

    Parameters
    ----------
    given : the function's first argument.
    function : what it is called in `symgen`.

    Raises
    ------
    InputError
        It is neither; says how to come to one.
    MechanismError
        The file cannot be read or is wrong.
    """
    if isinstance(given, (str, os.PathLike)):
        from symgen.model.load import load

        return load(given)
    if all(hasattr(given, name) for name in ("space", "body_ids", "joints")):
        return given
    found = type(given).__name__
    raise InputError(f"symgen.{function} takes a mechanism or the path of a mechanism file, found {found}{_way(given)}")


def _way(given: object) -> str:
    if isinstance(given, Mapping):
        return "; symgen.Mechanism.from_dict makes a mechanism from a table"
    if isinstance(getattr(given, "mechanism", None), Mechanism):
        return "; its .mechanism is one"
    return ""
