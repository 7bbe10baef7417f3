"""Mathematics as it stands on the page: letters, fractions, roots, indices; written as LaTeX and as MathML.

One tree has both forms, so that a page shows the same with and without JavaScript, and in print. Texts in it are data:
they are escaped for the language that they are written in.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias

from symgen.printers.greek import GREEK
from symgen.report.latex_text import latex_text

Style = Literal["italic", "upright", "bold"]


@dataclass(frozen=True)
class Letter:
    """A letter, a Greek one by its name, or a word; style of letters."""

    text: str
    style: Style = "italic"


@dataclass(frozen=True)
class Digits:
    """A number."""

    text: str


@dataclass(frozen=True)
class Sign:
    """An operator: how LaTeX and MathML write it."""

    latex: str
    mathml: str


@dataclass(frozen=True)
class Row:
    """Things side by side."""

    items: tuple[Layout, ...]


@dataclass(frozen=True)
class Scripts:
    """A thing with an index, an exponent, or both."""

    base: Layout
    below: Layout | None = None
    above: Layout | None = None


@dataclass(frozen=True)
class Fraction:
    """One thing over another."""

    above: Layout
    below: Layout


@dataclass(frozen=True)
class Root:
    """A square root."""

    of: Layout


@dataclass(frozen=True)
class Fence:
    """A thing in brackets that are as high as it: ``()``, ``[]``, ``||``, or ``{ `` (open at the right)."""

    kind: Literal["()", "[]", "||", "norm"]
    of: Layout


@dataclass(frozen=True)
class Grid:
    """Rows and columns; in round brackets, behind a curly one, or lines under one another."""

    rows: tuple[tuple[Layout, ...], ...]
    kind: Literal["vector", "cases", "lines"] = "vector"


@dataclass(frozen=True)
class Words:
    """Running text."""

    text: str


Layout: TypeAlias = Letter | Digits | Sign | Row | Scripts | Fraction | Root | Fence | Grid | Words

PLUS, MINUS, EQUALS = Sign("+", "+"), Sign("-", "\u2212"), Sign("=", "=")
DOT, CROSS, COMMA = Sign(r"\cdot", "\u22c5"), Sign(r"\times", "\u00d7"), Sign(",", ",")
#: Between factors: room, and a place where a line may end.
TIMES = Sign(r"\,\allowbreak ", "")
#: Only that place.
ALLOW_BREAK = Sign(r"\allowbreak ", "\u200b")


def row(*items: Layout) -> Layout:
    """Return things side by side; a row in a row is opened, so that a line may end in it."""
    flat: list[Layout] = []
    for item in items:
        flat.extend(item.items if isinstance(item, Row) else (item,))
    return flat[0] if len(flat) == 1 else Row(tuple(flat))


def joined(items: Sequence[Layout], between: Layout) -> Layout:
    """Return things with another one between them."""
    found: list[Layout] = []
    for item in items:
        found += [between, item] if found else [item]
    return row(*found)


# -- LaTeX -----------------------------------------------------------------------------------------------------------

_LATEX_STYLE = {"italic": r"\mathit", "upright": r"\mathrm", "bold": r"\mathbf"}
_LATEX_FENCE = {
    "()": (r"\left(", r"\right)"), "[]": (r"\left[", r"\right]"), "||": (r"\left|", r"\right|"),
    "norm": (r"\left\|", r"\right\|"),
}  # fmt: skip


def latex(layout: Layout) -> str:
    """Return the LaTeX of mathematics, for inline mode: what is long may be broken at signs."""
    if isinstance(layout, Letter):
        return _latex_letter(layout)
    if isinstance(layout, Digits):
        return layout.text
    if isinstance(layout, Sign):
        return layout.latex
    if isinstance(layout, Row):
        return " ".join(map(latex, layout.items))
    if isinstance(layout, Scripts):
        below = "" if layout.below is None else f"_{{{latex(layout.below)}}}"
        above = "" if layout.above is None else f"^{{{latex(layout.above)}}}"
        base = latex(layout.base)
        return f"{base}{below}{above}" if isinstance(layout.base, (Letter, Fence)) else f"{{{base}}}{below}{above}"
    if isinstance(layout, Fraction):
        return rf"\dfrac{{{latex(layout.above)}}}{{{latex(layout.below)}}}"
    if isinstance(layout, Root):
        return rf"\sqrt{{{latex(layout.of)}}}"
    if isinstance(layout, Fence):
        return _latex_fence(layout)
    if isinstance(layout, Grid):
        name = {"vector": "pmatrix", "cases": "cases", "lines": "aligned"}[layout.kind]
        begin = "& " if layout.kind == "lines" else ""
        inner = r" \\ ".join(begin + " & ".join(map(latex, cells)) for cells in layout.rows)
        return rf"\begin{{{name}}} {inner} \end{{{name}}}"
    return rf"\text{{{latex_text(layout.text)}}}"


def _latex_letter(letter: Letter) -> str:
    if letter.text in GREEK:
        return rf"\boldsymbol{{\{letter.text}}}" if letter.style == "bold" else rf"\{letter.text}"
    text = latex_text(letter.text)
    if letter.style == "italic" and len(letter.text) == 1:
        return text
    return f"{_LATEX_STYLE[letter.style]}{{{text}}}"


def _latex_fence(fence: Fence) -> str:
    """Return brackets; around what is one line high those that do not grow, in which a line may end."""
    inner = latex(fence.of)
    left, right = _LATEX_FENCE[fence.kind]
    if not is_high(fence.of):
        left, right = (each.removeprefix(r"\left").removeprefix(r"\right") for each in (left, right))
        if fence.kind in ("||", "norm"):
            left, right = rf"\l{_BARS[fence.kind]}", rf"\r{_BARS[fence.kind]}"
    return f"{left} {inner} {right}"


_BARS = {"||": "vert", "norm": "Vert"}


def is_high(layout: Layout) -> bool:
    """Tell whether something is higher than a line."""
    if isinstance(layout, (Fraction, Grid, Root)):
        return True
    if isinstance(layout, Row):
        return any(map(is_high, layout.items))
    if isinstance(layout, Fence):
        return is_high(layout.of)
    return isinstance(layout, Scripts) and is_high(layout.base)


# -- MathML ----------------------------------------------------------------------------------------------------------

_MATHML_FENCE = {"()": "()", "[]": "[]", "||": "||", "norm": "\u2016\u2016"}


def mathml(layout: Layout) -> str:
    """Return mathematics as one MathML element."""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{_mathml(layout)}</math>'


def _mathml(layout: Layout) -> str:
    if isinstance(layout, Letter):
        return _mathml_letter(layout)
    if isinstance(layout, Digits):
        return f"<mn>{_plain(layout.text)}</mn>"
    if isinstance(layout, Sign):
        return '<mspace width="0.17em"/>' if layout == TIMES else f"<mo>{layout.mathml}</mo>"
    if isinstance(layout, Row):
        return f"<mrow>{''.join(map(_mathml, layout.items))}</mrow>"
    if isinstance(layout, Scripts):
        kind = "msubsup" if layout.below and layout.above else "msub" if layout.below else "msup"
        parts = [_mathml(part) for part in (layout.base, layout.below, layout.above) if part is not None]
        return f"<{kind}>{''.join(parts)}</{kind}>"
    if isinstance(layout, Fraction):
        return f"<mfrac>{_mathml(layout.above)}{_mathml(layout.below)}</mfrac>"
    if isinstance(layout, Root):
        return f"<msqrt>{_mathml(layout.of)}</msqrt>"
    if isinstance(layout, Fence):
        bars = _MATHML_FENCE[layout.kind]
        return f"<mrow><mo>{bars[0]}</mo>{_mathml(layout.of)}<mo>{bars[1]}</mo></mrow>"
    if isinstance(layout, Grid):
        cell = "<mtd>" if layout.kind == "vector" else '<mtd columnalign="left" style="text-align:left">'
        rows = "".join(
            f"<mtr>{''.join(f'{cell}{_mathml(each)}</mtd>' for each in cells)}</mtr>" for cells in layout.rows
        )
        brackets = {"vector": ("<mo>(</mo>", "<mo>)</mo>"), "cases": ("<mo>{</mo>", ""), "lines": ("", "")}
        left, right = brackets[layout.kind]
        return f"<mrow>{left}<mtable>{rows}</mtable>{right}</mrow>"
    return f"<mtext>{_plain(layout.text)}</mtext>"


def _mathml_letter(letter: Letter) -> str:
    text = GREEK.get(letter.text, letter.text)
    if letter.style == "bold":
        return f'<mi mathvariant="normal" class="bold">{_plain(text)}</mi>'
    if letter.style == "upright" and len(text) == 1:
        return f'<mi mathvariant="normal">{_plain(text)}</mi>'
    return f"<mi>{_plain(text)}</mi>"


def _plain(text: str) -> str:
    return escape("".join(c for c in text if unicodedata.category(c)[0] != "C"), quote=True)
