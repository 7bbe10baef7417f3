"""Formulas of solved types, from the code: what `symgen report TYPE` shows, as a page of the site."""

from __future__ import annotations

import re
from html import escape
from typing import Any

from docutils import nodes
from outside_pages import write_page
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from symgen.cli.report_subjects import type_report
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
)
from symgen.report.html import mathematics_html, unit_html

#: Type -> what is worth seeing in its derivation. Each is derived once and shipped; nothing is derived for the site.
TYPES = {
    "R* 2D": "the driven pair: the shortest derivation",
    "R.R.R 2D": "the dyad: two circles",
    "R.R.P 2D": "a circle and a line",
    "R.Lpin 2D": "a pin in a slot",
    "<-|R|R|R; 1-2R 1-3R 1-4R> 2D": "the planar triad: a polynomial of degree 6",
    "P.C.S 3D": "the loop of the spatial four-bar",
    "U.P.S 3D": "the leg of a six-legged platform",
    "R.S.S 3D": "a sphere and a circle",
    "R.U.S 3D": "a loop of degree 4",
    "C.C.C 3D": "a loop whose angles are found before its lengths",
}


def page_of(name: str) -> str:
    """Return the page of a type."""
    return f"/made/formulas/{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-').lower()}.md"


class SolvedType(SphinxDirective):
    """The report of a solved type."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """Return its sections."""
        _, document = type_report(self.arguments[0], pictures=True)
        return list(self._sections(document))

    def _sections(self, document: Document) -> list[nodes.Node]:
        top = nodes.Element()
        open_at: list[tuple[int, nodes.Element]] = [(1, top)]
        for part in document.parts:
            if isinstance(part, Heading):
                level = max(2, part.level)
                while open_at[-1][0] >= level:
                    open_at.pop()
                section = nodes.section("", nodes.title("", part.text), names=[nodes.fully_normalize_name(part.text)])
                self.state.document.note_implicit_target(section, section)
                open_at[-1][1].append(section)
                open_at.append((level, section))
            else:
                open_at[-1][1].extend(_nodes(part))
        return list(top.children)


def _nodes(part: Part) -> list[nodes.Node]:
    if isinstance(part, Paragraph):
        return [nodes.paragraph("", part.text)]
    if isinstance(part, Formulas):
        return [nodes.literal_block("", "\n".join(part.lines))]
    if isinstance(part, Table):
        return [_table(part)]
    if isinstance(part, DerivedSteps):
        source = [nodes.paragraph("", f"Source: {part.source}.", classes=["source"])] if part.source else []
        steps = "\n".join(['<div class="steps">', *map(_step, part.steps), "</div>"])
        return [*source, _raw(steps)]
    if isinstance(part, Picture):
        caption = escape(part.caption)
        return [_raw(f'<figure class="structure">{part.svg}<figcaption>{caption}</figcaption></figure>')]
    raise TypeError(f"no form for {type(part).__name__}")


def _raw(html: str) -> nodes.raw:
    return nodes.raw("", html, format="html")


def _table(table: Table) -> nodes.table:
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in table.titles), cols=len(table.titles))
    group += nodes.thead("", _row(table.titles))
    group += nodes.tbody("", *map(_row, table.rows))
    return nodes.table("", group)


def _row(cells: tuple[Cell, ...]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *_cell(cell))) for cell in cells))


def _cell(cell: Cell) -> list[nodes.Node]:
    if isinstance(cell, Mathematics):
        return [_raw(mathematics_html(cell.layout))]
    if isinstance(cell, CodeName):
        return [nodes.literal("", cell.text)] if cell.text else []
    if isinstance(cell, Unit):
        return [_raw(unit_html(cell.text))]
    return [nodes.Text(cell)]


def _step(step: DerivedStep) -> str:
    number = f'<span class="number">({escape(step.number)})</span>' if step.number else ""
    lines = [mathematics_html(line) for line in step.lines] or [f'<code class="long">{escape(step.formula)}</code>']
    if step.unit:
        lines[-1] += f' <span class="unit">[{unit_html(step.unit)}]</span>'
    shown = "".join(f'<div class="eq">{line}</div>' for line in lines)
    code = f"<pre>{escape(step.code)}</pre>" if step.code else ""
    return f'<div class="step"><div><p class="meaning">{number}{escape(step.meaning)}</p>{shown}</div>{code}</div>'


def _write_pages(app: Sphinx) -> None:
    for name in TYPES:
        write_page(page_of(name), f"# `{name}`\n\n```{{solved-type}} {name}\n```\n")


def _fill_list(app: Sphinx, docname: str, content: list[str]) -> None:
    if docname != "formulas":
        return
    rows = [f"| [`{name.replace('|', chr(92) + '|')}`]({page_of(name)}) | {says} |" for name, says in TYPES.items()]
    pages = [page_of(name).removesuffix(".md") for name in TYPES]
    table = "\n".join(["| type | |", "|---|---|", *rows, "", "```{toctree}", ":hidden:", "", *pages, "```"])
    content[0] = re.sub(r"```\{solved-types\}\n.*?```", lambda _: table, content[0], flags=re.S)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive; write the pages before the sources are looked for."""
    app.add_directive("solved-type", SolvedType)
    app.connect("builder-inited", _write_pages)
    app.connect("source-read", _fill_list)
    return {"parallel_read_safe": True}
