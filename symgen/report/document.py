"""A document of headings, paragraphs, tables and formulas, and its two forms: Markdown and HTML.

Formulas are plain text: ``U_23 U_26,1`` has indices behind underscores, which HTML sets below the line. Both forms are
the same bytes for the same document; nothing in a text can become markup.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Heading:
    """A heading below the title."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text; formulas in it have their indices behind underscores."""

    text: str


@dataclass(frozen=True)
class Formulas:
    """Formulas, one a line."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Parameters
    ----------
    titles : of the columns.
    rows : as many texts each.
    """

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Picture:
    """A picture, in HTML only.

    Parameters
    ----------
    svg : a whole SVG document, trusted: made by `symgen.draw`.
    """

    svg: str


Part = Heading | Paragraph | Formulas | Table | Picture


@dataclass(frozen=True)
class Document:
    """A title and what follows."""

    title: str
    parts: tuple[Part, ...]


_STYLE = """
body { font: 15px/1.5 'DejaVu Sans', Arial, sans-serif; color: #1f2933; max-width: 62em; margin: 2em auto;
  padding: 0 1em; }
h1 { font-size: 1.5em; } h2 { font-size: 1.15em; margin-top: 1.8em; }
table { border-collapse: collapse; } th, td { padding: 0.15em 0.9em 0.15em 0; text-align: left; vertical-align: top; }
th { border-bottom: 1px solid #7b8794; } td { border-bottom: 1px solid #e4e7eb; }
.formulas { overflow-x: auto; } .formulas div { white-space: nowrap; margin: 0.25em 0 0.25em 1.5em; }
i { font-family: 'DejaVu Serif', Georgia, serif; } sub { font-size: 0.75em; } svg { max-width: 100%; height: auto; }
"""
_INDEXED = re.compile(r"\b([A-Za-z]{1,2})_([0-9A-Za-z]+(?:,[0-9]+)?)\b")
_MARKUP = re.compile(r"([\\`*<|&]|(?<=\])\()")


def markdown(document: Document) -> str:
    """Return a document as Markdown with aligned tables; pictures are left out."""
    blocks = [f"# {_line(document.title)}"]
    for part in document.parts:
        if isinstance(part, Heading):
            blocks.append(f"## {_line(part.text)}")
        elif isinstance(part, Paragraph):
            blocks.append(_line(part.text))
        elif isinstance(part, Formulas):
            blocks.append("\n".join(["```text", *(_clean(line).replace("`", "'") for line in part.lines), "```"]))
        elif isinstance(part, Table):
            blocks.append(_markdown_table(part))
    return "\n\n".join(blocks) + "\n"


def html(document: Document) -> str:
    """Return a document as one HTML page that fetches nothing."""
    body = [f"<h1>{_plain(document.title)}</h1>"]
    for part in document.parts:
        if isinstance(part, Heading):
            body.append(f"<h2>{_plain(part.text)}</h2>")
        elif isinstance(part, Paragraph):
            body.append(f"<p>{_formula(part.text)}</p>")
        elif isinstance(part, Formulas):
            body.append('<div class="formulas">')
            body += [f"<div>{_formula(line)}</div>" for line in part.lines]
            body.append("</div>")
        elif isinstance(part, Table):
            body.append(_html_table(part))
        else:
            body.append(part.svg.rstrip("\n"))
    head = f'<meta charset="utf-8">\n<title>{_plain(document.title)}</title>\n<style>{_STYLE}</style>'
    return "\n".join(['<!doctype html>\n<html lang="en">', head, *body, "</html>", ""])


def _markdown_table(table: Table) -> str:
    cells = [[_line(text) for text in row] for row in (table.titles, *table.rows)]
    widths = [max(3, *(len(row[k]) for row in cells)) for k in range(len(table.titles))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _html_table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_formula(text)}</{tag}>" for text in cells) + "</tr>"

    return "\n".join(["<table>", row(table.titles, "th"), *(row(cells, "td") for cells in table.rows), "</table>"])


def _clean(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c)[0] != "C")


def _line(text: str) -> str:
    return _MARKUP.sub(r"\\\1", _clean(text))


def _plain(text: str) -> str:
    return escape(_clean(text), quote=True)


def _formula(text: str) -> str:
    return _INDEXED.sub(r"<i>\1</i><sub>\2</sub>", _plain(text))
