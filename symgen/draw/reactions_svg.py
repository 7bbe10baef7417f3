"""Which joint reactions are unique, as a picture: the mechanism at one position, its joints in two colours and shapes.

Filled discs: unique. Open squares: redundant constraints leave the reaction open. Nothing is told by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

import numpy as np

from symgen.draw.motion_svg import FIGURE_STYLE, box_view, still_figure
from symgen.draw.scene import Scene, still_scene
from symgen.draw.svg_text import FONT, GREY, INK, RED, number, plain
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.poses import IDENTITY, Array

#: Larger mechanisms make no readable picture.
MOST_BODIES = 400
_WIDTH, _TALLEST, _MARGIN, _HEAD, _FOOT = 720.0, 640.0, 60.0, 50.0, 30.0
_UNIQUE = "#0072b2"
_HALF = 6.5


def uniqueness_svg(
    mechanism: Mechanism, poses: Mapping[str, Array], unique: Mapping[str, bool], drives: Mapping[str, bool]
) -> str:
    """Return the picture as SVG text.

    Parameters
    ----------
    poses : moving body -> (7,) [r, q] of its frame.
    unique : joint -> verdict.
    drives : "joint.freedom" -> verdict; those that are not unique are told beside the joint's name.

    Raises
    ------
    InputError
        More than 400 bodies.
    """
    if len(mechanism.bodies) > MOST_BODIES:
        raise InputError(f"{len(mechanism.bodies)} bodies are too many for a readable picture (at most {MOST_BODIES})")
    rest = IDENTITY
    placed = {mechanism.ground: rest[None]} | {name: np.asarray(pose)[None] for name, pose in poses.items()}
    scene = still_scene(mechanism, np.zeros(1), placed)
    view = box_view(scene, _WIDTH, _TALLEST, _MARGIN)
    view = replace(view, offset=view.offset + np.array([0.0, _HEAD]), height=view.height + _HEAD + _FOOT)
    size = f"{number(_WIDTH)} {number(view.height)}"
    open_ = sum(not each for each in unique.values())
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{number(_WIDTH)}" '
        f'height="{number(view.height)}" role="img">',
        f"<title>Joint reactions of {plain(mechanism.name)}</title>",
        f"<style>text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; }} .title {{ font-size: 16px; "
        f"font-weight: bold; }} .note {{ fill: {GREY}; }} {FIGURE_STYLE} "
        f".unique {{ fill: {_UNIQUE}; stroke: #ffffff; stroke-width: 1.2; }} "
        f".open {{ fill: #ffffff; stroke: {RED}; stroke-width: 2.6; }} "
        ".name { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round; }</style>",
        f'<rect width="{number(_WIDTH)}" height="{number(view.height)}" fill="#ffffff"/>',
        f'<text class="title" x="24" y="28">{plain(mechanism.name)}</text>',
        f'<text class="note" x="24" y="46">joint reactions: {len(unique) - open_} unique, {open_} not</text>',
        *still_figure(scene, view),
        *_marks(scene, view.place, unique, {name.partition(".")[0] for name, known in drives.items() if not known}),
        *_legend(view.height - 16.0),
    ]
    return "\n".join([*lines, "</svg>", ""])


def _marks(  # type: ignore[no-untyped-def]
    scene: Scene, place, unique: Mapping[str, bool], driven: Set[str]
) -> Iterator[str]:
    seen: list[Array] = []
    # Squares first: a disc at the same place leaves their corners to be seen, the other way round it would vanish.
    for symbol in sorted((each for each in scene.symbols if each.joint in unique), key=lambda each: unique[each.joint]):
        x, y = place(scene.places(symbol.bodies[1], symbol.at_second))[0, 0]
        beside = sum(float(np.hypot(*(np.array([x, y]) - other))) < 2.0 * _HALF for other in seen)
        seen.append(np.array([x, y]))
        known, aside = unique[symbol.joint], " (drive not unique)" if symbol.joint in driven else ""
        yield _mark(float(x), float(y), known, f"{symbol.joint}: {'unique' if known else 'not unique'}")
        at = f'x="{number(x + 10)}" y="{number(y - 8 - 13 * beside)}"'
        yield f'<text class="name" {at}>{plain(symbol.joint)}{aside}</text>'


def _mark(x: float, y: float, known: bool, title: str) -> str:
    inside = f"<title>{plain(title)}</title>"
    if known:
        return f'<circle class="unique" cx="{number(x)}" cy="{number(y)}" r="{number(_HALF)}">{inside}</circle>'
    corner = f'x="{number(x - _HALF)}" y="{number(y - _HALF)}"'
    side = number(2.0 * _HALF)
    return f'<rect class="open" {corner} width="{side}" height="{side}">{inside}</rect>'


def _legend(y: float) -> Iterator[str]:
    for x, known, words in ((30.0, True, "unique"), (130.0, False, "not unique: redundant constraints share the load")):
        yield _mark(x, y - 4.0, known, words)
        yield f'<text x="{number(x + 14)}" y="{number(y)}">{words}</text>'
