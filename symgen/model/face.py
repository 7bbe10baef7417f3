"""What a public function says to something that is no mechanism: a path, most often."""

from __future__ import annotations

import os

from symgen.errors import InputError


def refuse_path(value: object, function: str) -> None:
    """Refuse a path where a mechanism is wanted.

    Raises
    ------
    InputError
        Says how to load it.
    """
    if isinstance(value, (str, os.PathLike)):
        text = os.fspath(value)
        raise InputError(f"{function} takes a mechanism, not a path: symgen.{function}(symgen.load({text!r}), ...)")
