"""A document: headings, paragraphs, formulas, steps of a derivation beside their code, tables, pictures.

What it says is here, how it looks is the writers': `markdown`, `html`, `latex`. All are the same bytes for the same
document, and nothing in a text can become markup. Formulas of the overall transfer equation are texts: ``U_23 U_26,1``
has indices behind underscores.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

from symgen.report.layout import Layout


@dataclass(frozen=True)
class Heading:
    """A heading below the title; of level 1 it begins a part of the document, of level 3 it is a smaller one."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Paragraph:
    """Running text.

    Parameters
    ----------
    is_notated : formulas in it have their indices behind underscores.
    """

    text: str
    is_notated: bool = False


@dataclass(frozen=True)
class Formulas:
    """Formulas as texts, one a line."""

    lines: tuple[str, ...]


@dataclass(frozen=True)
class Mathematics:
    """A formula, as mathematics and as plain text."""

    layout: Layout
    text: str


@dataclass(frozen=True)
class CodeName:
    """A name in code."""

    text: str


@dataclass(frozen=True)
class Unit:
    """A unit: ``m/s^2``."""

    text: str


Cell = str | Mathematics | CodeName | Unit


@dataclass(frozen=True)
class Table:
    """A table.

    Parameters
    ----------
    titles : of the columns.
    rows : as many cells each.
    is_notated : formulas in its texts have their indices behind underscores.
    """

    titles: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    is_notated: bool = False


@dataclass(frozen=True)
class DerivedStep:
    """A step of a derivation.

    Parameters
    ----------
    number : of the equation; empty for what is none.
    formula : as plain text.
    lines : as mathematics; none if it is given as text only.
    code : the lines of C that compute it; empty where it is written into others.
    """

    number: str
    formula: str
    meaning: str
    unit: str = ""
    lines: tuple[Layout, ...] = ()
    code: str = ""


@dataclass(frozen=True)
class DerivedSteps:
    """Steps of a derivation, with their source."""

    steps: tuple[DerivedStep, ...]
    source: str = ""


@dataclass(frozen=True)
class Picture:
    """A picture, in HTML and PDF only.

    Parameters
    ----------
    svg : a whole SVG document, trusted: made by `symgen.draw`.
    caption : what it shows, for those who do not see it too.
    """

    svg: str = field(repr=False)
    caption: str = ""


Part = Heading | Paragraph | Formulas | Table | DerivedSteps | Picture


@dataclass(frozen=True)
class Document:
    """A title and what follows."""

    title: str
    parts: tuple[Part, ...]


def clean(text: str) -> str:
    """Return a text without control characters."""
    return "".join(c for c in text if unicodedata.category(c)[0] != "C")


def cell_text(cell: Cell) -> str:
    """Return a cell as plain text."""
    return cell if isinstance(cell, str) else cell.text
