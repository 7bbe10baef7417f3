"""Where tables are printed: as wide as the terminal; in a pipe as wide as they are, so that no row folds."""

from __future__ import annotations

import sys
from typing import TextIO

from rich.console import Console

#: In a pipe: a table is as wide as its content, a text ends where it ends.
_WIDE = 10_000


def table_console(stream: TextIO | None = None) -> Console:
    """Return a console for tables and text on standard output, or on `stream`; colours on a terminal only."""
    terminal = (stream or sys.stdout).isatty()
    return Console(
        file=stream,
        width=None if terminal else _WIDE,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not terminal,
    )


def count(number: int, one: str, several: str | None = None) -> str:
    """Return a number with its noun: ``1 body``, ``2 bodies``."""
    return f"{number} {one if number == 1 else several or one + 's'}"
