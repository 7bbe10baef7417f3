"""Where people read: words fold at the width of the terminal; in a pipe lines are as long as they are."""

from __future__ import annotations

import re
import sys
from typing import Any, TextIO, cast

from rich.console import Console
from rich.text import Text

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
    def print(self, *objects: Any, **options: Any) -> None:
        """Print; texts fold between words, and a word wider than the terminal (a path, an id) stays whole."""
        if not self.soft_wrap and not options.get("soft_wrap"):
            objects = tuple(_folded_text(each, self.width) for each in objects)
            options["soft_wrap"] = True  # rich neither breaks a line nor cuts it
        super().print(*objects, **options)

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


def folded(text: str, width: int) -> list[str]:
    """Return text in lines of at most `width`, broken between words only: a word that is wider stays whole.

    The lines after the first begin below its first word.
    """
    if width_of(text) <= width:
        return [text]
    indent = text[: len(text) - len(text.lstrip(" "))]
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line.strip() else line + (word or " ")
        if line.strip() and width_of(longer.rstrip()) > width:
            lines.append(line.rstrip())
            line = indent + word
        else:
            line = longer
    return [*lines, line.rstrip()]


def width_of(text: str) -> int:
    """Return how many places of a terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _folded_text(each: Any, width: int) -> Any:
    if isinstance(each, Text):
        return Text(_folded_lines(each.plain, width), style=each.style)
    return _folded_lines(each, width) if isinstance(each, str) else each


def _folded_lines(text: str, width: int) -> str:
    return "\n".join(part for line in text.split("\n") for part in folded(line, width))
