"""Where a long line breaks: between arguments, or before an operator, never inside a name or a product."""

from __future__ import annotations

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
