"""All chains of a synthesis on one sheet (SVG): links are circles, joints are lines.

A circle's colour tells how many joints its link has; a square on hatching is
the frame; a joint that is no R has its type on it. The same bytes for the same chains.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from symgen.draw.chain_layout import lay_out_chain
from symgen.draw.svg_text import FONT, GREY, INK, number, plain
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.topology.synthesis.document import ChainList
    from symgen.topology.synthesis.joint_types import TypedChain

#: More pictures make no readable sheet.
MOST_CELLS = 2000

_RADIUS, _MARGIN, _HEAD = 9.0, 24.0, 74.0
#: Fill of a link by its number of joints (Okabe and Ito, 2008, lightened); the last for all above.
_FILLS = ("#ffffff", "#ffffff", "#ffffff", "#cfe5f5", "#fbdcae", "#cdeadd", "#f3cfe3")
_WORDS = ("", "unary", "binary", "ternary", "quaternary", "quinary", "6 or more")
_STYLE = f"""
text {{ font-family: {FONT}; font-size: 10px; fill: {INK}; }} .name {{ text-anchor: middle; }}
.title {{ font-size: 16px; font-weight: bold; }} .note {{ font-size: 12px; fill: {GREY}; }}
.number {{ font-size: 12px; font-weight: bold; }} .fact {{ fill: {GREY}; }}
.joint {{ stroke: {GREY}; stroke-width: 1.6; }} .link {{ stroke: {INK}; stroke-width: 1.2; }}
.ground {{ fill: none; stroke: {INK}; stroke-width: 1.2; }} .type {{ text-anchor: middle; font-weight: bold; }}
"""


def chain_sheet(found: ChainList) -> str:
    """Return the sheet as SVG text: one picture a chain, or one a mechanism if these were asked for.

    Raises
    ------
    InputError
        if there are more than 2000 pictures, or none.
    """
    cells = _cells(found)
    if not cells:
        raise InputError("there is nothing to draw: no chain was found")
    if len(cells) > MOST_CELLS:
        raise InputError(f"{len(cells)} pictures are too many for one sheet (at most {MOST_CELLS})")
    size = 84.0 + 13.0 * found.family.links
    columns = max(1, min(len(cells), 4 + (len(cells) > 12) * 2 + (len(cells) > 100) * 4))
    rows = -(-len(cells) // columns)
    note = _note(found)
    width = max(columns * size + 2 * _MARGIN, 2 * _MARGIN + 7.2 * len(note))
    height = _HEAD + rows * (size + 14.0) + 40.0
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{number(width, 0)}" height="{number(height, 0)}" '
        f'viewBox="0 0 {number(width, 0)} {number(height, 0)}">',
        f"<title>{plain(_title(found))}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{number(width, 0)}" height="{number(height, 0)}" fill="#ffffff"/>',
        f'<text class="title" x="{_MARGIN:.0f}" y="34">{plain(_title(found))}</text>',
        f'<text class="note" x="{_MARGIN:.0f}" y="54">{plain(note)}</text>',
    ]
    layouts: dict[int, list[tuple[float, float]]] = {}
    for k, (index, typed, frame) in enumerate(cells):
        if index not in layouts:
            layouts = {index: lay_out_chain(len(typed.chain.graph), typed.chain.joints)}
        corner = (_MARGIN + k % columns * size, _HEAD + k // columns * (size + 14.0))
        lines += _cell(index + 1, typed, frame, layouts[index], corner, size)
    lines += [*_legend(found, height - 22.0), "</svg>", ""]
    return "\n".join(lines)


def _cells(found: ChainList) -> list[tuple[int, TypedChain, int | None]]:
    if found.inversions is None:
        return [(index, typed, None) for index, typed in enumerate(found.chains)]
    return [
        (index, typed, inversion.frame)
        for index, typed in enumerate(found.chains)
        for inversion in found.inversions[index]
    ]


def _title(found: ChainList) -> str:
    family = found.family
    kind = found.kind if len(found.chains) != 1 else found.kind.removesuffix("es" if family.mobility == 0 else "s")
    return f"{len(found.chains)} {family.space} {kind} of {family.links} links"


def _note(found: ChainList) -> str:
    family = found.family
    words = [f"{family.pairs} joints", f"mobility {family.mobility}"]
    if found.mechanisms is not None:
        words.append(f"{found.mechanisms} {'mechanisms' if family.mobility else 'Assur groups (the frame is known)'}")
    return ", ".join(words)


def _cell(
    index: int,
    typed: TypedChain,
    frame: int | None,
    layout: Sequence[tuple[float, float]],
    corner: tuple[float, float],
    size: float,
) -> list[str]:
    half = size / 2 - _RADIUS - 9.0
    middle = (corner[0] + size / 2, corner[1] + 14.0 + size / 2)
    at = [(middle[0] + half * x, middle[1] + half * y) for x, y in layout]
    fact = "" if frame is None else f"frame {frame + 1}"
    lines = [
        f'<text x="{number(corner[0] + 6)}" y="{number(corner[1] + 12)}"><tspan class="number">{index}</tspan>'
        f'<tspan class="fact" dx="6">{fact}</tspan></text>'
    ]
    for (a, b), code in zip(typed.chain.joints, typed.types, strict=True):
        (x1, y1), (x2, y2) = at[a], at[b]
        lines.append(f'<line class="joint" x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"/>')
        if code != "R":
            lines += _type_mark(code, (x1 + x2) / 2, (y1 + y2) / 2)
    for link, (x, y) in enumerate(at):
        lines += _link(str(link + 1), x, y, typed.chain.graph[link].bit_count(), link == frame)
    return lines


def _type_mark(code: str, x: float, y: float) -> list[str]:
    width = 5.0 + 6.5 * len(code)
    return [
        f'<rect x="{number(x - width / 2)}" y="{number(y - 6)}" width="{number(width)}" height="12" fill="#ffffff"/>',
        f'<text class="type" x="{number(x)}" y="{number(y + 3.6)}">{plain(code)}</text>',
    ]


def _link(name: str, x: float, y: float, joints: int, is_frame: bool) -> list[str]:
    fill = _FILLS[min(joints, len(_FILLS) - 1)]
    text = f'<text class="name" x="{number(x)}" y="{number(y + 3.6)}">{plain(name)}</text>'
    if not is_frame:
        return [
            f'<circle class="link" cx="{number(x)}" cy="{number(y)}" r="{number(_RADIUS)}" fill="{fill}"/>',
            text,
        ]
    side = _RADIUS * math.sqrt(math.pi) / 2 + 1.0
    floor = y + side + 3.0
    ticks = " ".join(f"M{number(x + d)},{number(floor)} l-4,5" for d in (-6, 0, 6))
    return [
        f'<rect class="link" x="{number(x - side)}" y="{number(y - side)}" width="{number(2 * side)}" '
        f'height="{number(2 * side)}" fill="{fill}" stroke-width="2"/>',
        f'<path class="ground" d="M{number(x - side - 2)},{number(floor)} H{number(x + side + 2)} {ticks}"/>',
        text,
    ]


def _legend(found: ChainList, y: float) -> list[str]:
    most = len(_FILLS) - 1
    counts = sorted({min(mask.bit_count(), most) for typed in found.chains for mask in typed.chain.graph})
    lines, x = [], _MARGIN + _RADIUS
    for count in counts:
        lines.append(
            f'<circle class="link" cx="{number(x)}" cy="{number(y)}" r="6" fill="{_FILLS[count]}"/>'
            f'<text class="fact" x="{number(x + 11)}" y="{number(y + 3.6)}">{_WORDS[count]}</text>'
        )
        x += 26.0 + 6.4 * len(_WORDS[count])
    return lines
