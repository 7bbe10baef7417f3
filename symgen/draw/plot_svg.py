"""Columns of a motion over time as a line plot: SVG, no script, the same bytes for the same motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.draw.plot_units import column_units
from symgen.draw.svg_text import COLOURS, FONT, GREY, INK, PALE, Array, number, path, plain, round_steps, short
from symgen.errors import InputError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.solve.columns import columns
from symgen.solve.trajectory import Trajectory

_WIDTH, _LEFT, _RIGHT = 760.0, 76.0, 20.0
_HEAD, _FOOT, _BETWEEN = 42.0, 30.0, 20.0
#: Height of the only panel, and of each of several; the least distance of marks on their axes.
_TALL, _LOW = 312.0, 200.0
_MARKS_APART = 24.0
_MOST_LINES = 24
_DEFAULT_LINES = 8
_MOST_POINTS = 2000


@dataclass(frozen=True)
class _Axes:
    """Maps data to the picture."""

    x: tuple[float, float]
    y: tuple[float, float]
    top: float
    bottom: float

    def place(self, t: Array, values: Array) -> Array:
        across = _LEFT + (t - self.x[0]) / (self.x[1] - self.x[0]) * (_WIDTH - _LEFT - _RIGHT)
        down = self.bottom - (values - self.y[0]) / (self.y[1] - self.y[0]) * (self.bottom - self.top)
        return np.stack([across, down], axis=-1)


@dataclass(frozen=True)
class _Line:
    """A column with its look."""

    name: str
    values: Array
    look: str


def plot_columns(result: Trajectory, names: Sequence[str] | None = None) -> str:
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
    units, note = column_units(result), ""
    every = len(_free_columns(result))
    if names is None and every > len(chosen):
        note = f"{len(chosen)} of {every} free coordinates; --columns chooses"
    lines = {name: table[name] for name in chosen}
    return plot(result.mechanism.name, result.times, lines, units=units, note=note)


def default_columns(result: Trajectory) -> list[str]:
    """Return the coordinates of freedoms that are not driven, the first eight; of all if every one is driven."""
    return _free_columns(result)[:_DEFAULT_LINES]


def _free_columns(result: Trajectory) -> list[str]:
    driven = set(result.mechanism.drives)
    every = [(joint, freedom) for joint, track in result.joints.items() for freedom in track.coordinates]
    free = [pair for pair in every if pair not in driven] or every
    return [f"{joint}.{freedom}" for joint, freedom in free]


def plot(
    title: str, times: Array, lines: Mapping[str, Array], *, units: Mapping[str, str] | None = None, note: str = ""
) -> str:
    """Return lines over time as SVG text: one panel a unit, under one another.

    Parameters
    ----------
    times : (n,) [s].
    lines : name -> (n,); a line is broken where it is not finite.
    units : name -> unit; lines without one share a panel without a unit.
    note : a remark for the head.
    """
    panels = _panels(lines, units or {})
    step = max(1, -(-len(times) // _MOST_POINTS))
    rows = np.unique(np.append(np.arange(0, len(times), step), len(times) - 1))
    body: list[str] = []
    y = _HEAD
    for number_of_panel, (unit, members) in enumerate(panels.items()):
        legend = _legend(members, _LEFT + (10.0 + 8.0 * len(unit) if unit else 0.0))
        if unit:
            body.append(f'<text class="unit" x="{number(_LEFT)}" y="{number(y + 12)}">{plain(unit)}</text>')
        for row, entries in enumerate(legend):
            body += _legend_row(entries, y + 12.0 + 18.0 * row)
        top = y + 18.0 * len(legend) + 6.0
        values = np.concatenate([line.values[np.isfinite(line.values)] for line in members])
        axes = _Axes(_span(times), _span(values, 0.05), top, top + (_TALL if len(panels) == 1 else _LOW))
        body += _grid(axes, last=number_of_panel == len(panels) - 1)
        for line in members:
            drawn = path(axes.place(times[rows], line.values[rows]))
            body.append(f'<path class="line" {line.look} d="{drawn}"><title>{plain(line.name)}</title></path>')
        y = axes.bottom + _BETWEEN
    height = number(y + _FOOT - _BETWEEN)
    width = number(_WIDTH)
    remark = "; ".join(part for part in (note, "over t [s]") if part)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{plain(title)}</title>",
        f"<style>text {{ font-family: {FONT}; font-size: 12px; fill: {INK}; }} .title {{ font-size: 15px; "
        f"font-weight: bold; }} .unit {{ font-weight: bold; }} .note {{ fill: {GREY}; }} "
        f".line {{ fill: none; stroke-width: 1.8; stroke-linejoin: round; }} "
        f".grid {{ stroke: {PALE}; stroke-width: 0.8; }}</style>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text class="title" x="{number(_LEFT)}" y="26">{plain(title)}</text>',
        f'<text class="note" x="{number(_WIDTH - _RIGHT)}" y="26" text-anchor="end">{plain(remark)}</text>',
    ]
    return "\n".join([*head, *body, "</svg>", ""])


def _panels(lines: Mapping[str, Array], units: Mapping[str, str]) -> dict[str, list[_Line]]:
    """Return the lines by unit, in the order in which units first occur; colours go on from panel to panel."""
    names: dict[str, list[str]] = {}
    for name in lines:
        names.setdefault(units.get(name, ""), []).append(name)
    panels: dict[str, list[_Line]] = {}
    drawn = 0
    for unit, members in names.items():
        panels[unit] = []
        for name in members:
            dash = ' stroke-dasharray="6 3"' if drawn >= len(COLOURS) else ""
            panels[unit].append(_Line(name, lines[name], f'stroke="{COLOURS[drawn % len(COLOURS)]}"{dash}'))
            drawn += 1
    return panels


def _span(values: Array, margin: float = 0.0) -> tuple[float, float]:
    """Return the ends of an axis; wide enough that rounding noise of a constant is not blown up."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    least = 1e-9 * max(abs(low), abs(high), 1e-3)
    if high - low < least:
        return low - 0.5 * max(abs(low), 1e-3), high + 0.5 * max(abs(high), 1e-3)
    return low - margin * (high - low), high + margin * (high - low)


def _grid(axes: _Axes, *, last: bool) -> list[str]:
    """Draw the marks of both axes; only the lowest panel has the numbers of the time."""
    parts = []
    right = number(_WIDTH - _RIGHT)
    for value in round_steps(*axes.y, int((axes.bottom - axes.top) / _MARKS_APART)):
        y = axes.place(np.array(axes.x[0]), np.array(value))[1]
        parts.append(f'<path class="grid" d="M{number(_LEFT)},{number(y)}H{right}"/>')
        parts.append(f'<text x="{number(_LEFT - 8)}" y="{number(y + 4)}" text-anchor="end">{short(value)}</text>')
    for value in round_steps(*axes.x, 8):
        x = axes.place(np.array(value), np.array(axes.y[0]))[0]
        parts.append(f'<path class="grid" d="M{number(x)},{number(axes.top)}V{number(axes.bottom)}"/>')
        if last:
            y = number(axes.bottom + 17)
            parts.append(f'<text x="{number(x)}" y="{y}" text-anchor="middle">{short(value)}</text>')
    edge = f"M{number(_LEFT)},{number(axes.top)}V{number(axes.bottom)}H{right}"
    parts.append(f'<path d="{edge}" fill="none" stroke="{GREY}"/>')
    return parts


def _legend(lines: Sequence[_Line], first: float) -> list[list[tuple[_Line, float]]]:
    """Place the lines' names in rows, each with its x."""
    rows: list[list[tuple[_Line, float]]] = [[]]
    x = first
    for line in lines:
        width = 34.0 + 7.6 * len(line.name)
        if rows[-1] and x + width > _WIDTH - _RIGHT:
            rows.append([])
            x = first
        rows[-1].append((line, x))
        x += width
    return rows


def _legend_row(entries: Sequence[tuple[_Line, float]], y: float) -> list[str]:
    parts = []
    for line, x in entries:
        parts.append(
            f'<path class="line" {line.look} d="M{number(x)},{number(y - 4)}h18"/>'
            f'<text x="{number(x + 23)}" y="{number(y)}">{plain(line.name)}</text>'
        )
    return parts
