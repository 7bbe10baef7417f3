"""A document as one HTML page that fetches nothing: mathematics by the KaTeX in it, MathML where no script runs."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from functools import cache
from html import escape
from pathlib import Path

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
    clean,
)
from symgen.report.layout import Layout, latex, mathml

_HERE = Path(__file__).parent
_KATEX = _HERE / "vendor" / "katex"
_POWER = re.compile(r"\^(-?\d+)")
_FACE = re.compile(r"@font-face\{[^}]*\}")
_FILE = re.compile(r"url\(fonts/([\w-]+\.woff2)\)")
#: Nothing is loaded, whatever a text in the page says.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; font-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def html(document: Document) -> str:
    """Return a document as one HTML page that fetches nothing."""
    page = (_HERE / "page.html").read_text(encoding="utf-8")
    sections = _sections(document.parts)
    body = [f"<h1>{_plain(document.title)}</h1>", *_contents(document.parts), *sections]
    has_mathematics = any('class="m"' in text for text in sections)
    filled = {
        "@@TITLE@@": _plain(document.title),
        "@@POLICY@@": _POLICY,
        "@@KATEX_STYLE@@": katex_style() if has_mathematics else "",
        "@@KATEX@@": _katex_script() if has_mathematics else "",
        "@@BODY@@": "\n".join(body),
    }
    return re.sub("|".join(filled), lambda match: filled[match[0]], page)


@cache
def katex_style() -> str:
    """Return the style sheet with the fonts in it; those that no report uses are left out."""
    css = (_KATEX / "katex.min.css").read_text(encoding="utf-8")

    def face(match: re.Match[str]) -> str:
        file = _FILE.search(match[0])
        path = _KATEX / "fonts" / file[1] if file is not None else None
        if path is None or not path.is_file():
            return ""
        data = base64.b64encode(path.read_bytes()).decode("ascii")
        source = f'src:url(data:font/woff2;base64,{data}) format("woff2")}}'
        return re.sub(r"src:.*\}", source, match[0])

    return f"/* KaTeX begins */{_FACE.sub(face, css)}/* KaTeX ends */"


@cache
def _katex_script() -> str:
    script = (_KATEX / "katex.min.js").read_text(encoding="utf-8")
    script = script.replace("</script", "<\\/script")
    return f"<script>/* KaTeX begins */{script}/* KaTeX ends */</script>"


def _contents(parts: Sequence[Part]) -> list[str]:
    """Return the table of contents; a part of level 1 holds what follows."""
    entries = [(part.level, part.text, k) for k, part in enumerate(parts) if isinstance(part, Heading)]
    entries = [entry for entry in entries if entry[0] <= 2]
    if len(entries) < 4:
        return []
    chapters = any(level == 1 for level, _, _ in entries)
    kind = ' class="parts"' if chapters else ""
    found, is_open = [f'<nav aria-label="Contents"><ul{kind}>'], False
    for level, text, k in entries:
        link = f'<a href="#h{k}">{_plain(text)}</a>'
        if chapters and level == 1:
            found.append(f"{'</ul></li>' if is_open else ''}<li>{link}<ul>")
            is_open = True
        else:
            found.append(f"<li>{link}</li>")
    return [*found, "</ul></li></ul></nav>" if is_open else "</ul></nav>"]


def _sections(parts: Sequence[Part]) -> list[str]:
    chapters = any(isinstance(part, Heading) and part.level == 1 for part in parts)
    return [_part(part, k, chapters) for k, part in enumerate(parts)]


def _part(part: Part, k: int, chapters: bool) -> str:
    if isinstance(part, Heading):
        tag = f"h{part.level + chapters}" if part.level > 1 else "h2"
        name = ("chapter", "section", "smaller")[part.level - 1]
        return f'<{tag} id="h{k}" class="{name}">{_plain(part.text)}</{tag}>'
    if isinstance(part, Paragraph):
        return f"<p>{_pieces(notated.pieces(part.text)) if part.is_notated else _plain(part.text)}</p>"
    if isinstance(part, Formulas):
        lines = (
            f'<div style="margin-left:{0.5 * notated.indent_of(line):.1f}em">{_pieces(notated.line(line))}</div>'
            for line in part.lines
        )
        return "\n".join(['<div class="formulas">', *lines, "</div>"])
    if isinstance(part, DerivedSteps):
        source = f'<p class="source">Source: {_plain(part.source)}.</p>' if part.source else ""
        return "\n".join([source, '<div class="steps">', *map(_step, part.steps), "</div>"])
    if isinstance(part, Table):
        return _table(part)
    return _picture(part)


def _step(step: DerivedStep) -> str:
    unit = f' <span class="unit">[{unit_html(step.unit)}]</span>' if step.unit else ""
    number = f'<span class="number">({_plain(step.number)})</span>' if step.number else ""
    shown = [mathematics_html(line) for line in step.lines] or [f'<code class="long">{_plain(step.formula)}</code>']
    shown[-1] += unit
    lines = "".join(f'<div class="eq">{line}</div>' for line in shown)
    code = f"<pre><code>{_code(step.code)}</code></pre>" if step.code else ""
    says = f'<p class="meaning">{number}{_plain(step.meaning)}</p>{lines}'
    return f'<div class="step"><div class="says">{says}</div>{code}</div>'


def _table(table: Table) -> str:
    def row(cells: Sequence[Cell], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{_cell(cell, table.is_notated)}</{tag}>" for cell in cells) + "</tr>"

    head = f"<thead>{row(table.titles, 'th')}</thead>"
    body = "\n".join(row(cells, "td") for cells in table.rows)
    return f'<div class="wide"><table>{head}<tbody>\n{body}\n</tbody></table></div>'


def _cell(cell: Cell, is_notated: bool) -> str:
    if isinstance(cell, Mathematics):
        return mathematics_html(cell.layout)
    if isinstance(cell, CodeName):
        return f"<code>{_plain(cell.text)}</code>"
    if isinstance(cell, Unit):
        return unit_html(cell.text)
    if not is_notated:
        return _plain(cell)
    return _pieces(notated.pieces(cell))


def unit_html(text: str) -> str:
    """Return a unit as HTML, its exponents above the line: ``m/s^2``."""
    return _POWER.sub(r"<sup>\1</sup>", _plain(text))


def _picture(picture: Picture) -> str:
    """Return a picture as an image of its own: styles in it reach no other."""
    data = base64.b64encode(picture.svg.encode("utf-8")).decode("ascii")
    text = _plain(picture.caption)
    caption = f"<figcaption>{text}</figcaption>" if text else ""
    return f'<figure><img alt="{text}" src="data:image/svg+xml;base64,{data}">{caption}</figure>'


def _pieces(pieces: Sequence[str | Layout]) -> str:
    return "".join(_plain(piece) if isinstance(piece, str) else mathematics_html(piece) for piece in pieces)


def mathematics_html(layout: Layout) -> str:
    """Return mathematics as HTML: LaTeX for the script to set, with MathML inside for who runs none."""
    return f'<span class="m" data-tex="{escape(latex(layout), quote=True)}">{mathml(layout)}</span>'


def _plain(text: str) -> str:
    return escape(clean(text), quote=True)


def _code(text: str) -> str:
    """Return lines of code, each moved in where it goes on."""
    return "".join(f"<span>{_plain(line)}\n</span>" for line in text.split("\n"))
