"""A document as Markdown: formulas as plain text, aligned tables; pictures and code are left out."""

from __future__ import annotations

import re

from symgen.report.document import (
    DerivedSteps,
    Document,
    Formulas,
    Heading,
    Paragraph,
    Table,
    cell_text,
    clean,
)

#: What Markdown, or mathematics in it, would read as its own; an underscore within a word is none.
_MARKUP = re.compile(r"([\\`*<|&$~]|(?<=\])\(|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")


def markdown(document: Document) -> str:
    """Return a document as Markdown."""
    blocks = [f"# {_line(document.title)}"]
    for part in document.parts:
        if isinstance(part, Heading):
            blocks.append(f"{'#' * part.level} {_line(part.text)}")
        elif isinstance(part, Paragraph):
            blocks.append(_line(part.text))
        elif isinstance(part, Formulas):
            blocks.append(_fenced(part.lines))
        elif isinstance(part, DerivedSteps):
            blocks += _steps(part)
        elif isinstance(part, Table):
            blocks.append(_table(part))
    return "\n\n".join(blocks) + "\n"


def _steps(part: DerivedSteps) -> list[str]:
    lines = []
    for step in part.steps:
        unit = f"   [{step.unit}]" if step.unit else ""
        lines += [*(f"{line}{unit}" for line in step.formula.splitlines()), f"        {step.meaning}"]
    source = [f"Source: {_line(part.source)}."] if part.source else []
    return [*source, _fenced(tuple(lines))]


def _fenced(lines: tuple[str, ...]) -> str:
    return "\n".join(["```text", *(clean(line).replace("`", "'") for line in lines), "```"])


def _table(table: Table) -> str:
    cells = [[_line(cell_text(cell)) for cell in row] for row in (table.titles, *table.rows)]
    widths = [max(3, *(len(row[k]) for row in cells)) for k in range(len(table.titles))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _line(text: str) -> str:
    return _MARKUP.sub(r"\\\1", clean(text))
