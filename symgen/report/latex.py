"""A document as LaTeX that a plain pdflatex sets, in ASCII: amsmath, longtable, array and geometry, no more."""

from __future__ import annotations

import re
from collections.abc import Sequence

from symgen.report import layout as mathematics
from symgen.report import notated
from symgen.report.document import (
    Cell,
    CodeName,
    DerivedStep,
    DerivedSteps,
    Document,
    Formulas,
    Heading,
    Mathematics,
    Paragraph,
    Part,
    Picture,
    Table,
    Unit,
    cell_text,
    clean,
)
from symgen.report.latex_text import latex_text

_PREAMBLE = r"""\documentclass[a4paper,10pt]{article}
\usepackage[margin=18mm]{geometry}
\usepackage{amsmath}
\usepackage{array}
\usepackage{longtable}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\setlength{\emergencystretch}{3em}
\setcounter{secnumdepth}{0}
\hbadness=10000
\newcommand{\symmeaning}[1]{{\small #1}}
\newcommand{\symcode}[1]{{\footnotesize\raggedright\ttfamily\hangindent=2em\hangafter=1 #1\par}}
\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1}}
\begin{document}
"""
#: Width of all columns of a table, in parts of the line.
_WIDTH = 0.94
#: Keeps the first line of a row off the rule above it.
_STRUT = r"\rule{0pt}{2.4ex}"


def latex(document: Document) -> str:
    """Return a document as LaTeX; pictures are told by their captions."""
    chapters = any(isinstance(part, Heading) and part.level == 1 for part in document.parts)
    body = [
        rf"\begin{{center}}{{\Large\bfseries {_text(document.title)}}}\end{{center}}",
        *(_part(part, chapters) for part in document.parts),
    ]
    return _PREAMBLE + "\n\n".join(body) + "\n\\end{document}\n"


def _part(part: Part, chapters: bool) -> str:
    if isinstance(part, Heading):
        level = part.level if chapters else part.level - 1
        return rf"\{('section', 'subsection', 'subsubsection')[max(level, 1) - 1]}{{{_text(part.text)}}}"
    if isinstance(part, Paragraph):
        return _pieces(notated.pieces(part.text)) if part.is_notated else _text(part.text)
    if isinstance(part, Formulas):
        lines = [rf"\hspace*{{{0.5 * notated.indent_of(line):.1f}em}}{_pieces(notated.line(line))}\par"
                 for line in part.lines]  # fmt: skip
        return "\n".join([r"{\raggedright", *lines, "}"])
    if isinstance(part, DerivedSteps):
        return _steps(part)
    if isinstance(part, Table):
        return _table(part)
    return _picture(part)


def _steps(part: DerivedSteps) -> str:
    source = rf"\symmeaning{{Source: {_text(part.source)}.}}" if part.source else ""
    rows = "\n".join(_step(step) for step in part.steps)
    head = r"\begin{longtable}{@{}L{0.49\linewidth}@{\hspace{0.02\linewidth}}L{0.49\linewidth}@{}}"
    return f"{source}\n\n{head}\n\\hline\n{rows}\n\\end{{longtable}}"


def _step(step: DerivedStep) -> str:
    number = rf"({_text(step.number)})\enspace " if step.number else ""
    unit = rf"\quad {{\small[{_unit(step.unit)}]}}" if step.unit else ""
    lines = [f"${mathematics.latex(line)}$" for line in step.lines]
    shown = (lines or [rf"\symcode{{{_code_line(step.formula)}}}"])[:]
    shown[-1] += unit
    says = [rf"\symmeaning{{{number}{_text(step.meaning)}}}", *shown]
    code = "\n".join(rf"\symcode{{{_code_line(line)}}}" for line in step.code.splitlines())
    return _STRUT + "\\par ".join(says) + f"\n&\n{_STRUT}{code}\n\\\\[4pt] \\hline"


def _code_line(line: str) -> str:
    """Return a line of code in typewriter: its indent is kept, and it may be broken behind spaces."""
    indent = notated.indent_of(line)
    text = _text(line[indent:]).replace("*", r"*\allowbreak{}").replace("(", r"(\allowbreak{}")
    return rf"\hspace*{{{0.5 * indent:.1f}em}}{text}"


def _table(table: Table) -> str:
    count = len(table.titles)
    share = _shares(table)
    columns = "".join(rf"L{{{each:.3f}\linewidth}}" for each in share)
    rows = [" & ".join(_cell(cell, table.is_notated) for cell in row) + r" \\" for row in table.rows]
    head = " & ".join(rf"\textbf{{{_cell(title, table.is_notated)}}}" for title in table.titles) + r" \\ \hline"
    size = r"\small" if count < 8 else r"\scriptsize"
    return "\n".join(
        [f"{{{size}", rf"\setlength{{\tabcolsep}}{{{3 if count < 8 else 2}pt}}", rf"\begin{{longtable}}{{{columns}}}",
         head, r"\endhead", *rows, r"\end{longtable}}"]
    )  # fmt: skip


def _shares(table: Table) -> list[float]:
    """Return the widths of the columns, as their longest words and texts ask for."""
    asked = []
    for k in range(len(table.titles)):
        cells = (table.titles[k], *(row[k] for row in table.rows))
        texts = [cell_text(cell)[: 36 if isinstance(cell, Mathematics) else 90] for cell in cells]
        words = max(
            (sum(1.4 if c.isupper() else 1.0 for c in word) for text in texts for word in text.split()), default=1
        )
        asked.append(max(3.0, 1.5 * min(words, 24) + 0.4 * max(map(len, texts))))
    width = _WIDTH - 0.012 * len(asked)
    return [width * each / sum(asked) for each in asked]


def _cell(cell: Cell, is_notated: bool) -> str:
    if isinstance(cell, Mathematics):
        return f"${mathematics.latex(cell.layout)}$"
    if isinstance(cell, CodeName):
        name = _text(cell.text).replace(r"\_", r"\_\allowbreak{}")
        return rf"\texttt{{{name}}}"
    if isinstance(cell, Unit):
        return _unit(cell.text)
    return _pieces(notated.pieces(cell)) if is_notated else _text(cell)


def _unit(text: str) -> str:
    """Return a unit with its exponents above the line."""
    return re.sub(r"\\textasciicircum\{\}(-?\d+)", r"$^{\1}$", _text(text))


def _picture(picture: Picture) -> str:
    where = "Picture, not in this form; in HTML, and in a PDF that a browser prints"
    return rf"\symmeaning{{{where}: {_text(picture.caption)}.}}"


def _pieces(pieces: Sequence[str | mathematics.Layout]) -> str:
    return "".join(_text(piece) if isinstance(piece, str) else f"${mathematics.latex(piece)}$" for piece in pieces)


def _text(text: str) -> str:
    return latex_text(clean(text))
