"""A picture made of panels under one another: title, accessible description, style, panels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.draw.svg_text import FONT, GREY, INK, number, plain

MARGIN = 24.0
_HEAD, _PANEL_HEAD, _BETWEEN = 66.0, 26.0, 18.0

#: What all panels share; a panel adds its own classes.
STYLE = f"""
text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; }}
.title {{ font-size: 16px; font-weight: bold; }} .panel {{ font-size: 13px; font-weight: bold; }}
.note {{ fill: #52606d; }} .name {{ text-anchor: middle; }} .small {{ font-size: 11px; fill: #52606d; }}
.level {{ font-size: 11px; fill: {GREY}; text-anchor: middle; }}
"""


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of a picture; its lines draw from (0, 0) to (width, height).

    Attributes
    ----------
    heading : shown above it, or empty.
    style : CSS of its own.
    """

    heading: str
    width: float
    height: float
    lines: Sequence[str]
    style: str


def picture(title: str, note: str, description: str, panels: Sequence[Panel]) -> str:
    """Return the panels under one another as SVG text."""
    width = max(
        2 * MARGIN + max(panel.width for panel in panels), 2 * MARGIN + 7.0 * len(note), 2 * MARGIN + 10.5 * len(title)
    )
    body: list[str] = []
    y = _HEAD
    for panel in panels:
        if panel.heading:
            body.append(f'<text class="panel" x="{number(MARGIN)}" y="{number(y + 12)}">{plain(panel.heading)}</text>')
            y += _PANEL_HEAD
        body.append(f'<g transform="translate({number(MARGIN)} {number(y)})">')
        body += panel.lines
        body.append("</g>")
        y += panel.height + _BETWEEN
    size = f"{number(width, 0)}", f"{number(y, 0)}"
    styles = "".join(dict.fromkeys([STYLE, *(panel.style for panel in panels)]))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" '
            f'viewBox="0 0 {size[0]} {size[1]}" role="img" aria-labelledby="picture-title picture-desc">',
            f'<title id="picture-title">{plain(title)}</title>',
            f'<desc id="picture-desc">{plain(description)}</desc>',
            f"<style>{styles}</style>",
            f'<rect width="{size[0]}" height="{size[1]}" fill="#ffffff"/>',
            f'<text class="title" x="{number(MARGIN)}" y="30">{plain(title)}</text>',
            f'<text class="note" x="{number(MARGIN)}" y="48">{plain(note)}</text>',
            *body,
            "</svg>",
            "",
        ]
    )


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` letters, an ellipsis in place of the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
