"""Columns of a motion over time as a line plot: SVG, no script, the same bytes for the same motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.draw.svg_text import COLOURS, FONT, GREY, INK, PALE, Array, number, path, plain, round_steps, short
from symgen.errors import InputError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.solve.document import columns
from symgen.solve.result import MotionResult

_WIDTH, _HEIGHT = 760.0, 420.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 76.0, 20.0, 44.0, 46.0
_MOST_LINES = 24
_DEFAULT_LINES = 8
_MOST_POINTS = 2000


@dataclass(frozen=True)
class _Axes:
    """Maps data to the picture."""

    x: tuple[float, float]
    y: tuple[float, float]
    bottom: float

    def place(self, t: Array, values: Array) -> Array:
        across = _LEFT + (t - self.x[0]) / (self.x[1] - self.x[0]) * (_WIDTH - _LEFT - _RIGHT)
        down = self.bottom - (values - self.y[0]) / (self.y[1] - self.y[0]) * (self.bottom - _TOP)
        return np.stack([across, down], axis=-1)


def plot_columns(result: MotionResult, names: Sequence[str] | None = None) -> str:
    """Return a plot of columns over time as SVG text.

    Parameters
    ----------
    names : columns as the CSV calls them; by default the coordinates of the joints that are not driven, eight at most.

    Raises
    ------
    InputError
        There is no such column (the nearest is named), none is given, or more than 24.
    """
    table = columns(result)
    chosen = default_columns(result) if names is None else list(dict.fromkeys(names))
    known = [name for name in table if name != "t"]
    for name in chosen:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {list_names(known)}"
            raise InputError(f"--columns: no column {show(name)}{hint}")
    if not chosen:
        raise InputError(f"--columns: none given; there are {list_names(known)}")
    if len(chosen) > _MOST_LINES:
        raise InputError(f"--columns: {len(chosen)} given; a plot shows at most {_MOST_LINES}")
    return plot(result.mechanism.name, result.times, {name: table[name] for name in chosen})


def default_columns(result: MotionResult) -> list[str]:
    """Return the coordinates of freedoms that are not driven, the first eight; of all if every one is driven."""
    driven = set(result.mechanism.drives)
    every = [(joint, freedom) for joint, track in result.joints.items() for freedom in track.coordinates]
    free = [pair for pair in every if pair not in driven] or every
    return [f"{joint}.{freedom}" for joint, freedom in free[:_DEFAULT_LINES]]


def plot(title: str, times: Array, lines: Mapping[str, Array]) -> str:
    """Return lines over time as SVG text.

    Parameters
    ----------
    times : (n,) [s].
    lines : name -> (n,); a line is broken where it is not finite.
    """
    step = max(1, -(-len(times) // _MOST_POINTS))
    rows = np.unique(np.append(np.arange(0, len(times), step), len(times) - 1))
    legend = _legend(list(lines))
    height = _HEIGHT + 18.0 * (len(legend) - 1)
    values = np.concatenate([line[np.isfinite(line)] for line in lines.values()])
    axes = _Axes(_span(times), _span(values, 0.05), _HEIGHT - _BOTTOM - 18.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(_WIDTH)} {number(height)}" '
        f'width="{number(_WIDTH)}" height="{number(height)}" role="img">',
        f"<title>{plain(title)}</title>",
        f"<style>text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; }} .title {{ font-size: 15px; "
        f"font-weight: bold; }} .note {{ fill: {GREY}; }} .line {{ fill: none; stroke-width: 1.8; "
        f"stroke-linejoin: round; }} .grid {{ stroke: {PALE}; stroke-width: 0.8; }}</style>",
        f'<rect width="{number(_WIDTH)}" height="{number(height)}" fill="#ffffff"/>',
        f'<text class="title" x="{number(_LEFT)}" y="26">{plain(title)}</text>',
        *_grid(axes),
    ]
    for k, (name, line) in enumerate(lines.items()):
        dash = ' stroke-dasharray="6 3"' if k >= len(COLOURS) else ""
        drawn = path(axes.place(times[rows], line[rows]))
        colour = COLOURS[k % len(COLOURS)]
        parts.append(f'<path class="line" stroke="{colour}"{dash} d="{drawn}"><title>{plain(name)}</title></path>')
    for row, entries in enumerate(legend):
        parts += _legend_row(entries, _HEIGHT - 14.0 + 18.0 * row)
    return "\n".join([*parts, "</svg>", ""])


def _span(values: Array, margin: float = 0.0) -> tuple[float, float]:
    """Return the ends of an axis; wide enough that rounding noise of a constant is not blown up."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    least = 1e-9 * max(abs(low), abs(high), 1e-3)
    if high - low < least:
        return low - 0.5 * max(abs(low), 1e-3), high + 0.5 * max(abs(high), 1e-3)
    return low - margin * (high - low), high + margin * (high - low)


def _grid(axes: _Axes) -> list[str]:
    parts = []
    right = number(_WIDTH - _RIGHT)
    for value in round_steps(*axes.y, 6):
        y = axes.place(np.array(axes.x[0]), np.array(value))[1]
        parts.append(f'<path class="grid" d="M{number(_LEFT)},{number(y)}H{right}"/>')
        parts.append(f'<text x="{number(_LEFT - 8)}" y="{number(y + 4)}" text-anchor="end">{short(value)}</text>')
    for value in round_steps(*axes.x, 8):
        x = axes.place(np.array(value), np.array(axes.y[0]))[0]
        parts.append(f'<path class="grid" d="M{number(x)},{number(_TOP)}V{number(axes.bottom)}"/>')
        parts.append(f'<text x="{number(x)}" y="{number(axes.bottom + 17)}" text-anchor="middle">{short(value)}</text>')
    parts.append(
        f'<text class="note" x="{right}" y="26" text-anchor="end">over t [s]; m, rad, s</text>'
        f'<path d="M{number(_LEFT)},{number(_TOP)}V{number(axes.bottom)}H{right}" fill="none" stroke="{GREY}"/>'
    )
    return parts


def _legend(names: Sequence[str]) -> list[list[tuple[int, str, float]]]:
    """Place the names in rows: (number of the line, name, x)."""
    rows: list[list[tuple[int, str, float]]] = [[]]
    x = _LEFT
    for k, name in enumerate(names):
        width = 34.0 + 7.6 * len(name)
        if rows[-1] and x + width > _WIDTH - _RIGHT:
            rows.append([])
            x = _LEFT
        rows[-1].append((k, name, x))
        x += width
    return rows


def _legend_row(entries: Sequence[tuple[int, str, float]], y: float) -> list[str]:
    parts = []
    for k, name, x in entries:
        dash = ' stroke-dasharray="6 3"' if k >= len(COLOURS) else ""
        parts.append(
            f'<path class="line" stroke="{COLOURS[k % len(COLOURS)]}"{dash} d="M{number(x)},{number(y - 4)}h18"/>'
            f'<text x="{number(x + 23)}" y="{number(y)}">{plain(name)}</text>'
        )
    return parts
