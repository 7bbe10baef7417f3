"""All assemblies of a mechanism side by side, in one view and at one scale; spatial ones in a parallel view.

Assemblies whose joint centres and points are in the same places (a leg turned about its own line) share a cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from symgen.draw.motion_svg import FIGURE_STYLE, box_view, still_figure
from symgen.draw.picture import Panel, cut, picture
from symgen.draw.scene import Scene, still_scene
from symgen.draw.svg_text import number, plain
from symgen.errors import InputError
from symgen.poses import IDENTITY
from symgen.solve.assemblies import Assemblies, Assembly

_CELL, _TALLEST, _INSET, _LABEL = 230.0, 260.0, 22.0, 20.0
_COLUMNS = 6
#: Places nearer than this part of the picture's size are the same.
_SAME = 1e-6
#: Cells of one picture; what is beyond is told in words.
MOST = 48


def assemblies_svg(found: Assemblies) -> str:
    """Return the picture as SVG text: a cell for each of the first `MOST` assemblies that look different.

    Raises
    ------
    InputError
        There is no assembly to draw.
    """
    if not found:
        raise InputError(f"{found.mechanism.name}: nothing to draw, there is no assembly at t = {found.time:g} s")
    alike = _alike(_scene(found, found.every))
    looks = list(alike.items())[:MOST]
    shown = [found[first] for first, _ in looks]
    together = _scene(found, shown)
    view = box_view(together, _CELL, _TALLEST, _INSET)
    columns = min(_COLUMNS, len(shown), max(2, math.ceil(math.sqrt(len(shown)))))
    height = view.height + _LABEL
    lines: list[str] = []
    for k, (first, more) in enumerate(looks):
        row, column = divmod(k, columns)
        lines.append(f'<g transform="translate({number(_CELL * column)} {number(height * row)})">')
        lines += _cell(found, first, more, view.height)
        lines += still_figure(_frame(together, k), view)
        lines.append("</g>")
    count = len(found)
    note = f"{count} assembl{'y' if count == 1 else 'ies'} at t = {found.time:g} s"
    note += f", {len(alike)} that look different" if len(alike) < count else ""
    note += f", the first {len(shown)} shown" if len(shown) < len(alike) else ""
    note += "" if found.complete else "; found by a search, there may be more"
    rows = math.ceil(len(shown) / columns)
    panel = Panel("", _CELL * columns, height * rows, lines, _STYLE)
    return picture(found.mechanism.name, note, f"{found.mechanism.name}: {note}", [panel])


_STYLE = FIGURE_STYLE + " .frame { fill: none; stroke: #cbd2d9; stroke-width: 1; }"


def _scene(found: Assemblies, every: Sequence[Assembly]) -> Scene:
    """Return the scene whose frames are assemblies."""
    rest = IDENTITY
    poses = {found.mechanism.ground: np.tile(rest, (len(every), 1))}
    poses |= {body: np.stack([each.bodies[body] for each in every]) for body in every[0].bodies}
    return still_scene(found.mechanism, np.full(len(every), found.time), poses)


def _alike(scene: Scene) -> dict[int, int]:
    """Return the first frame of each look -> how many more there are."""
    places = [scene.places(shape.body, shape.marks).reshape(len(scene.times), -1) for shape in scene.shapes]
    every = np.concatenate(places, axis=1) / scene.size
    firsts: list[int] = []
    alike: dict[int, int] = {}
    for k, row in enumerate(every):
        near = np.flatnonzero(np.abs(every[firsts] - row).max(axis=1) < _SAME) if firsts else np.zeros(0, dtype=int)
        if near.size:
            alike[firsts[int(near[0])]] += 1
        else:
            firsts.append(k)
            alike[k] = 0
    return alike


def _cell(found: Assemblies, k: int, more: int, height: float) -> Iterator[str]:
    each, status = found[k], found[k].status.name
    several = [str(each.branches[j]) for j, count in enumerate(found.counts) if count > 1]
    words = (
        f"{each.number}: branch{'es' if len(several) > 1 else ''} {', '.join(several)}" if several else f"{each.number}"
    )
    words += f" and {more} more" if more else ""
    words += "" if status == "OK" else f" {status}"
    yield f'<rect class="frame" width="{number(_CELL - 8)}" height="{number(height)}"/>'
    yield f'<text x="8" y="16">{plain(cut(words, 34))}</text>'


def _frame(scene: Scene, k: int) -> Scene:
    poses = {body: pose[k : k + 1] for body, pose in scene.poses.items()}
    return Scene(
        scene.title, scene.planar, scene.ground, scene.times[k : k + 1], poses, scene.shapes, scene.symbols, {}
    )
