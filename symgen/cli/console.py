"""Where tables are printed: as wide as the terminal; in a pipe as wide as they are, so that no row folds."""

from __future__ import annotations

import re
import sys
from typing import TextIO, cast

from rich.console import Console

#: In a pipe: a table is as wide as its content, a text ends where it ends.
_WIDE = 10_000
_TRAILING = re.compile(r" +$", re.MULTILINE)


class _Trimmed:
    """A stream without the blanks that fill the rows of a table; rich hands it whole lines."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(_TRAILING.sub("", text))

    def flush(self) -> None:
        self._stream.flush()

    def fileno(self) -> int:
        return self._stream.fileno()

    def isatty(self) -> bool:
        return False

    @property
    def encoding(self) -> str:
        return self._stream.encoding


class _TableConsole(Console):
    def on_broken_pipe(self) -> None:
        """Let `symgen.cli.main` give the exit status; rich would end the program with its own."""
        raise BrokenPipeError


def table_console(stream: TextIO | None = None) -> Console:
    """Return a console for tables and text on standard output, or on `stream`; colours on a terminal only."""
    out = stream or sys.stdout
    terminal = out.isatty()
    return _TableConsole(
        file=out if terminal else cast(TextIO, _Trimmed(out)),
        width=None if terminal else _WIDE,
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=not terminal,
    )
