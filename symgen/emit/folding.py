"""Where a long line breaks: between arguments, or before an operator, never inside a name or a product."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence

INDENT = "    "

#: Stands for a space at which a line may not break.
_FIXED = "\x00"
_BEFORE = re.compile(r" ([-+]|[<>]=?|&&) ")
_NEVER = re.compile(r" ([=?:]) ")


def folded(texts: Sequence[str], width: int) -> list[str]:
    """Join texts by commas into lines of at most `width` letters; every line but the last ends with a comma."""
    lines: list[str] = []
    for text in texts:
        if lines and len(lines[-1]) + len(text) + 3 <= width:  # ", " before and "," after
            lines[-1] += f", {text}"
        else:
            lines.append(text)
    return [f"{line}," for line in lines[:-1]] + lines[-1:]


def row_lines(entries: Sequence[str], width: int) -> list[str]:
    """Write entries, each with a comma, those of a square matrix row by row; what a row is too long for stands in."""
    size = math.isqrt(len(entries))
    rows = [entries[k : k + size] for k in range(0, len(entries), size)] if size * size == len(entries) else [entries]
    lines: list[str] = []
    for row in rows:
        first, *others = folded([*row, ""], width)
        inner = [part for text in others for part in broken(text, width - len(INDENT), INDENT)]
        lines += [*broken(first, width, 2 * INDENT), *(INDENT + part for part in inner if len(rows) > 1)]
        lines += inner if len(rows) == 1 else []
    return [line.rstrip() for line in lines if line.strip()]


def enclosed(head: str, texts: Sequence[str], tail: str, width: int) -> list[str]:
    """Write `head(a, b)tail` on one line if it fits, else the texts on lines of their own, closed below (Python)."""
    line = f"{head}({', '.join(texts)}){tail}"
    if len(line) <= width:
        return [line]
    return [f"{head}(", *(INDENT + inner for inner in folded(texts, width - len(INDENT))), f"){tail}"]


def called(head: str, texts: Sequence[str], tail: str, width: int) -> list[str]:
    """Write `head(a, b)tail` on one line if it fits, else the texts on lines of their own, closed behind them (C)."""
    lines = enclosed(head, texts, tail, width)
    return lines if len(lines) == 1 else [*lines[:-2], lines[-2] + lines[-1]]


def broken(text: str, width: int, indent: str = INDENT) -> list[str]:
    """Break an expression or assignment before operators; lines after the first are indented."""
    glued = _NEVER.sub(rf"{_FIXED}\1{_FIXED}", _BEFORE.sub(rf" \1{_FIXED}", text))
    lines = textwrap.wrap(glued, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_FIXED, " ") for line in lines]
