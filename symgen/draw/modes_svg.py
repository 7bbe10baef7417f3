"""Modes of vibration as SVG: a panel each, at rest in grey and displaced in colour; still, or moving by SMIL.

The largest displacement of a mode is drawn as a seventh of the size; turns of bodies by their first order, as the
modes are. Same bytes for the same modes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symgen.draw.svg_text import COLOURS, FONT, GREY, INK, PALE, number, path, plain
from symgen.poses import Array

_COLUMNS, _WIDTH, _MARGIN, _HEAD, _TITLE = 3, 250.0, 26.0, 24.0, 46.0
_TALLEST, _LOWEST = 250.0, 90.0
_SHARE = 1.0 / 7.0
_DOT = 1.5
_AZIMUTH, _ELEVATION = math.radians(-55.0), math.radians(22.0)
_SECONDS, _FRAMES = 2, 24
_STYLE = (
    f"text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; }} .title {{ font-size: 16px; font-weight: bold; }} "
    ".line { fill: none; stroke-width: 2.6; stroke-linecap: round; stroke-linejoin: round; } "
    f".rest {{ fill: none; stroke: {PALE}; stroke-width: 2; stroke-linecap: round; }} .ground {{ fill: {GREY}; }}"
)


@dataclass(frozen=True)
class DrawnLine:
    """A line of a body: places at rest (k, 3) [m] and the displacement (k, 3) of each; of one place a dot."""

    body: int
    rest: Array
    moved: Array


@dataclass(frozen=True)
class ModePanel:
    """A mode: what stands above it, and its strands."""

    title: str
    strands: Sequence[DrawnLine]


@dataclass(frozen=True)
class _View:
    """Maps world places (..., 3) into a panel."""

    axes: Array
    middle: Array
    scale: float
    height: float
    room: float

    def place(self, points: Array) -> Array:
        """Return where places are in the panel, (..., 2)."""
        seen = self.scale * (points @ self.axes - self.middle) * np.array([1.0, -1.0])
        placed: Array = np.array([_WIDTH / 2, _HEAD + self.height / 2]) + seen
        return placed


def modes_svg(title: str, panels: Sequence[ModePanel], ground: Array, *, planar: bool, moving: bool = False) -> str:
    """Return the picture as SVG text.

    Parameters
    ----------
    panels : the modes; all have the same places at rest.
    ground : (g, 3) places that the ground holds.
    planar : seen along z; else in a parallel view from the front right above.
    moving : whether it plays, a period of every mode in two seconds.
    """
    view = _view(panels, ground, planar)
    columns = max(1, min(_COLUMNS, len(panels)))
    step = view.height + _HEAD
    wide, tall = columns * _WIDTH + 2 * _MARGIN, _TITLE + math.ceil(len(panels) / columns) * step + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(wide)} {number(tall)}" '
        f'width="{number(wide)}" height="{number(tall)}" role="img">',
        f"<title>{plain(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect width="{number(wide)}" height="{number(tall)}" fill="#ffffff"/>',
        f'<text class="title" x="{number(_MARGIN)}" y="30">{plain(title)}</text>',
    ]
    for k, panel in enumerate(panels):
        x, y = _MARGIN + (k % columns) * _WIDTH, _TITLE + (k // columns) * step
        parts += [f'<g transform="translate({number(x)},{number(y)})">', *_panel(panel, ground, view, moving), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _view(panels: Sequence[ModePanel], ground: Array, planar: bool) -> _View:
    axes = _axes(planar)
    places = [strand.rest for panel in panels[:1] for strand in panel.strands]
    flat = np.vstack([*places, ground.reshape(-1, 3)]) @ axes if places else np.zeros((1, 2))
    low, high = flat.min(axis=0), flat.max(axis=0)
    room = _SHARE * max(float((high - low).max()), 1e-9)
    span = high - low + 2.0 * room
    scale = float(min((_WIDTH - 2 * _MARGIN) / span[0], (_TALLEST - 2 * _MARGIN) / span[1]))
    return _View(axes, 0.5 * (low + high), scale, max(_LOWEST, scale * float(span[1])), room)


def _axes(planar: bool) -> Array:
    """Return the directions of the picture to the right and up, as columns (3, 2)."""
    if planar:
        return np.eye(3)[:, :2]
    right = np.array([-math.sin(_AZIMUTH), math.cos(_AZIMUTH), 0.0])
    level = np.array([math.cos(_AZIMUTH), math.sin(_AZIMUTH), 0.0])
    up = math.cos(_ELEVATION) * np.array([0.0, 0.0, 1.0]) - math.sin(_ELEVATION) * level
    return np.stack([right, up], axis=-1)


def _panel(panel: ModePanel, ground: Array, view: _View, moving: bool) -> list[str]:
    parts = [f'<text x="{number(_WIDTH / 2)}" y="16" text-anchor="middle">{plain(panel.title)}</text>']
    parts += [f'<path class="rest" d="{path(_drawn(view.place(strand.rest)))}"/>' for strand in panel.strands]
    held = view.place(ground.reshape(-1, 3))
    parts += [f'<circle class="ground" cx="{number(u)}" cy="{number(v)}" r="3.2"/>' for u, v in held]
    largest = max((float(np.abs(strand.moved).max(initial=0.0)) for strand in panel.strands), default=0.0)
    factor = view.room / largest if largest > 0.0 else 0.0
    return [*parts, *(_moved(strand, factor, view, moving) for strand in panel.strands)]


def _moved(strand: DrawnLine, factor: float, view: _View, moving: bool) -> str:
    shares = [math.sin(math.tau * k / _FRAMES) for k in range(_FRAMES + 1)] if moving else [1.0]
    paths = [path(_drawn(view.place(strand.rest + share * factor * strand.moved))) for share in shares]
    colour = COLOURS[strand.body % len(COLOURS)]
    inside = ""
    if moving:
        inside = (
            f'<animate attributeName="d" dur="{_SECONDS}s" repeatCount="indefinite" values="{";".join(paths)}"/>'
        )  # fmt: skip
    return f'<path class="line" stroke="{colour}" d="{paths[0]}">{inside}</path>'


def _drawn(points: Array) -> Array:
    """Return the places of a line; of a body that is a point a short line, which its round ends make a dot."""
    if len(points) > 1 and float(np.ptp(points, axis=0).max()) > _DOT:
        return points
    return np.vstack([points[0] - np.array([_DOT, 0.0]), points[0] + np.array([_DOT, 0.0])])
