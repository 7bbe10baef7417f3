"""Tables for people: as wide as their content where there is room, else folded between words, else a row a block.

Nothing is ever cut: a number without its last digits, or an id without its last letters, is another number and
another id. Where a terminal is too narrow for a table, columns of words are folded between words; where that is not
enough, each row becomes a block of lines, ``title  value``. A word that is wider than the terminal stays whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symgen.cli.terminal.console import folded, width_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_BETWEEN = 2  # blanks between columns
_HEAD = "bold"
#: A column of words that is folded keeps so many characters, if it has them: narrower is worse to read than a block.
_LEAST = 16


@dataclass(frozen=True)
class Column:
    """A column: its title; numbers stand at the right of theirs, words may be folded between words."""

    title: str = ""
    right: bool = False
    fold: bool = False


def numbers(*titles: str) -> list[Column]:
    """Return columns that are aligned at the right."""
    return [Column(title, right=True) for title in titles]


def texts(*titles: str) -> list[Column]:
    """Return columns of words, folded between words where the terminal is narrow."""
    return [Column(title, fold=True) for title in titles]


def print_table(
    console: Console,
    columns: Sequence[Column],
    rows: Iterable[Sequence[object]],
    *,
    title: str | None = None,
    styles: Sequence[str | None] = (),
) -> None:
    """Print a table.

    Parameters
    ----------
    rows : cells, None for nothing to say (``-``).
    title : a line above it.
    styles : of the rows, in their order; rows behind have none.
    """
    from rich.text import Text

    cells = [["-" if cell is None else str(cell) for cell in row] for row in rows]
    if title is not None:
        console.print(Text(title, style="italic"))
    widths = _widths(columns, cells, None if console.soft_wrap else console.width)
    lines = _blocks(columns, cells, styles, console.width) if widths is None else _lines(columns, cells, styles, widths)
    for line in lines:
        console.print(line, soft_wrap=True)  # as it is


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[str]], room: int | None) -> list[int] | None:
    """Return the widths of the columns; None if they do not fit into `room` (None: there is no end of it)."""
    whole = [max(map(width_of, [column.title, *(row[k] for row in cells)])) for k, column in enumerate(columns)]
    gaps = _BETWEEN * (len(columns) - 1)
    if room is None or sum(whole) + gaps <= room:
        return whole
    least = list(whole)
    for k, column in enumerate(columns):
        if column.fold:
            words = [word for cell in (column.title, *(row[k] for row in cells)) for word in cell.split()]
            least[k] = min(whole[k], max(_LEAST, *map(width_of, words)) if words else 0)
    left = room - gaps - sum(least)
    if left < 0:
        return None
    # What is left goes to the folded columns in the order of what they lack, the narrowest lack first.
    narrowed = sorted((k for k, column in enumerate(columns) if column.fold), key=lambda k: whole[k] - least[k])
    for place, k in enumerate(narrowed):
        share = min(whole[k] - least[k], left // (len(narrowed) - place))
        least[k] += share
        left -= share
    return least


def _lines(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], styles: Sequence[str | None], widths: Sequence[int]
) -> Iterator[Text]:
    heads = [column.title for column in columns]
    if any(heads):
        yield from _row(columns, heads, widths, _HEAD)
    for k, row in enumerate(cells):
        yield from _row(columns, row, widths, styles[k] if k < len(styles) else None)


def _row(columns: Sequence[Column], row: Sequence[str], widths: Sequence[int], style: str | None) -> Iterator[Text]:
    from rich.text import Text

    parts = [
        folded(cell, width) if column.fold else [cell] for column, cell, width in zip(columns, row, widths, strict=True)
    ]
    for number in range(max(map(len, parts))):
        line = ""
        for column, part, width in zip(columns, parts, widths, strict=True):
            word = part[number] if number < len(part) else ""
            blanks = " " * max(0, width - width_of(word))
            line += (blanks + word if column.right else word + blanks) + " " * _BETWEEN
        yield Text(line.rstrip(), style=style or "")


def _blocks(
    columns: Sequence[Column], cells: Sequence[Sequence[str]], styles: Sequence[str | None], room: int
) -> Iterator[Text]:
    """Give each row as lines ``title  value``; the first column, which names the row, stands above the others."""
    from rich.text import Text

    indent = _BETWEEN
    heads = max((width_of(column.title) for column in columns[1:]), default=0)
    aside = room - indent - heads - _BETWEEN >= _LEAST  # else values stand below their titles
    for number, row in enumerate(cells):
        style = styles[number] if number < len(styles) else None
        head = " ".join(filter(None, (columns[0].title, row[0])))
        yield from (Text(line, style=style or _HEAD) for line in folded(head, room))
        for column, cell in zip(columns[1:], row[1:], strict=True):
            if not cell:
                continue
            blanks = " " * (indent + heads + _BETWEEN) if aside else " " * (2 * indent)
            lines = folded(" ".join(cell.split()), room - len(blanks))
            title = " " * indent + column.title
            if aside:
                lines = [title + blanks[width_of(title) :] + lines[0], *(blanks + line for line in lines[1:])]
            else:
                above = folded(title, room) if column.title else []
                lines = [*above, *(blanks + line for line in lines)]
            yield from (Text(line, style=style or "") for line in lines)
