"""Columns of a motion over time, or one against another, as a line plot: SVG, no script, always the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.draw.plot_units import column_units
from symgen.draw.scene import ENERGIES
from symgen.draw.svg_text import COLOURS, FONT, GREY, INK, PALE, number, path, plain, round_steps, short
from symgen.errors import InputError
from symgen.model.nearest import did_you_mean, list_names, show
from symgen.poses import Array
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
_AGAINST = " against "


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


@dataclass(frozen=True)
class _Panel:
    """Lines of one unit over one abscissa; `label` of it is empty for the time."""

    unit: str
    lines: list[_Line]
    across: Array
    label: str = ""


def plot_columns(result: Trajectory, names: Sequence[str] | None = None) -> str:
    """Return a plot of columns over time as SVG text, ``"y against x"`` in a panel of its own.

    Parameters
    ----------
    names : columns as the CSV calls them; by default the coordinates of the joints that are not driven, eight at most,
        and the energies of a simulation.

    Raises
    ------
    InputError
        There is no such column (the nearest is named), none is given, or more than 24.
    """
    table = columns(result, every=True)
    chosen = default_columns(result) if names is None else list(dict.fromkeys(names))
    pairs = check_names(result, chosen)
    units, note = column_units(result), ""
    every = len(_free_columns(result))
    if names is None and every > _DEFAULT_LINES:
        note = f"{_DEFAULT_LINES} of {every} free coordinates; --columns chooses"
    lines = {name: table[name] for name in chosen if name not in pairs}
    return plot(
        result.mechanism.name, result.times, lines, units=units, note=note,
        phases=[(y, table[y], x, table[x]) for y, x in pairs.values()],
    )  # fmt: skip


def check_names(result: Trajectory, names: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Check that a plot can show these columns; return those of the form "y against x" with y and x.

    Raises
    ------
    InputError
        As of `plot_columns`.
    """
    known = [name for name in columns(result, every=True) if name != "t"]
    parts = parts_of_names(names)
    for name in [part for found in parts.values() for part in found]:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {list_names(known)}"
            raise InputError(f"--columns: no column {show(name)}{hint}")
    if not names:
        raise InputError(f"--columns: none given; there are {list_names(known)}")
    if len(names) > _MOST_LINES:
        raise InputError(f"--columns: {len(names)} given; a plot shows at most {_MOST_LINES}")
    for name, found in parts.items():
        if len(found) > 2:
            raise InputError(f"--columns: {show(name)} names {len(found)} columns; write y against x")
    return {name: (found[0], found[1]) for name, found in parts.items() if len(found) == 2}


def parts_of_names(names: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns that each name asks for: those of "y against x" are two."""
    return {name: [part.strip() for part in name.split(_AGAINST)] for name in names}


def default_columns(result: Trajectory) -> list[str]:
    """Return the first eight coordinates of freedoms that are not driven (of all if every one is), and energies."""
    energies = [name for name in ENERGIES if name in result.quantities]
    return _free_columns(result)[:_DEFAULT_LINES] + energies


def _free_columns(result: Trajectory) -> list[str]:
    driven = set(result.mechanism.drives)
    every = [(joint, freedom) for joint, track in result.joints.items() for freedom in track.coordinates]
    free = [pair for pair in every if pair not in driven] or every
    return [f"{joint}.{freedom}" for joint, freedom in free]


def plot(
    title: str,
    times: Array,
    lines: Mapping[str, Array],
    *,
    units: Mapping[str, str] | None = None,
    note: str = "",
    phases: Sequence[tuple[str, Array, str, Array]] = (),
) -> str:
    """Return lines over time as SVG text: one panel a unit, under one another; then one a phase.

    Parameters
    ----------
    times : (n,) [s].
    lines : name -> (n,); a line is broken where it is not finite.
    units : name -> unit; lines without one share a panel without a unit.
    note : a remark for the head.
    phases : name and values (n,) of one column, then of the column that it is drawn against.
    """
    known = units or {}
    panels = _panels(times, lines, known) + _phase_panels(phases, known, len(lines))
    step = max(1, -(-len(times) // _MOST_POINTS))
    rows = np.unique(np.append(np.arange(0, len(times), step), len(times) - 1))
    body: list[str] = []
    y = _HEAD
    for place, panel in enumerate(panels):
        unit, members = panel.unit, panel.lines
        legend = _legend(members, _LEFT + (10.0 + 8.0 * len(unit) if unit else 0.0))
        if unit:
            body.append(f'<text class="unit" x="{number(_LEFT)}" y="{number(y + 12)}">{plain(unit)}</text>')
        for row, entries in enumerate(legend):
            body += _legend_row(entries, y + 12.0 + 18.0 * row)
        top = y + 18.0 * len(legend) + 6.0
        values = np.concatenate([line.values[np.isfinite(line.values)] for line in members])
        across = panel.across[np.isfinite(panel.across)]
        bottom = top + (_TALL if len(panels) == 1 or panel.label else _LOW)
        axes = _Axes(_span(across, 0.05 if panel.label else 0.0), _span(values, 0.05), top, bottom)
        if panel.label.endswith(f"[{unit}]"):
            axes = _to_scale(axes)
        numbered = bool(panel.label) or place == len(panels) - 1 or bool(panels[place + 1].label)
        body += _grid(axes, last=numbered)
        for line in members:
            drawn = path(axes.place(panel.across[rows], line.values[rows]))
            body.append(f'<path class="line" {line.look} d="{drawn}"><title>{plain(line.name)}</title></path>')
        y = axes.bottom + _BETWEEN + (_FOOT - 8.0 if numbered and place < len(panels) - 1 else 0.0)
        if panel.label:
            x, under = number(_WIDTH - _RIGHT), number(axes.bottom + 33.0)
            body.append(f'<text class="note" x="{x}" y="{under}" text-anchor="end">{plain(panel.label)}</text>')
            y += 16.0
    height = number(y + _FOOT - _BETWEEN)
    width = number(_WIDTH)
    remark = "; ".join(part for part in (note, "over t [s]" if lines else "") if part)
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


def _panels(times: Array, lines: Mapping[str, Array], units: Mapping[str, str]) -> list[_Panel]:
    """Return the lines by unit, in the order in which units first occur; colours go on from panel to panel."""
    names: dict[str, list[str]] = {}
    for name in lines:
        names.setdefault(units.get(name, ""), []).append(name)
    panels = []
    drawn = 0
    for unit, members in names.items():
        looks = [_look(drawn + k) for k in range(len(members))]
        found = [_Line(name, lines[name], look) for name, look in zip(members, looks, strict=True)]
        panels.append(_Panel(unit, found, times))
        drawn += len(members)
    return panels


def _phase_panels(
    phases: Sequence[tuple[str, Array, str, Array]], units: Mapping[str, str], drawn: int
) -> list[_Panel]:
    """Return a panel for each phase, its abscissa named with its unit."""
    panels = []
    for k, (name, values, other, across) in enumerate(phases):
        unit = units.get(other, "")
        label = f"{other} [{unit}]" if unit else other
        panels.append(_Panel(units.get(name, ""), [_Line(name, values, _look(drawn + k))], across, label))
    return panels


def _look(number_of_line: int) -> str:
    """Return colour and dashes of a line: colours come again dashed, then dotted."""
    dash = ("", ' stroke-dasharray="6 3"', ' stroke-dasharray="2 3"')[number_of_line // len(COLOURS) % 3]
    return f'stroke="{COLOURS[number_of_line % len(COLOURS)]}"{dash}'


def _span(values: Array, margin: float = 0.0) -> tuple[float, float]:
    """Return the ends of an axis; wide enough that rounding noise of a constant is not blown up."""
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    least = 1e-9 * max(abs(low), abs(high), 1e-3)
    if high - low < least:
        return low - 0.5 * max(abs(low), 1e-3), high + 0.5 * max(abs(high), 1e-3)
    return low - margin * (high - low), high + margin * (high - low)


def _to_scale(axes: _Axes) -> _Axes:
    """Return axes of one scale: what is a circle looks like one."""
    wide, tall = axes.x[1] - axes.x[0], axes.y[1] - axes.y[0]
    scale = max(wide / (_WIDTH - _LEFT - _RIGHT), tall / (axes.bottom - axes.top))
    more = 0.5 * (scale * (_WIDTH - _LEFT - _RIGHT) - wide)
    above = 0.5 * (scale * (axes.bottom - axes.top) - tall)
    x, y = (axes.x[0] - more, axes.x[1] + more), (axes.y[0] - above, axes.y[1] + above)
    return _Axes(x, y, axes.top, axes.bottom)


def _grid(axes: _Axes, *, last: bool) -> list[str]:
    """Draw the marks of both axes; only the lowest panel has the numbers of the time."""
    parts = []
    right = number(_WIDTH - _RIGHT)
    steps = round_steps(*axes.y, int((axes.bottom - axes.top) / _MARKS_APART))
    base, words = _mark_words(steps)
    if base:
        parts.append(f'<text x="{number(_LEFT - 8)}" y="{number(axes.top - 4)}" text-anchor="end">{base} +</text>')
    for value, word in zip(steps, words, strict=True):
        y = axes.place(np.array(axes.x[0]), np.array(value))[1]
        parts.append(f'<path class="grid" d="M{number(_LEFT)},{number(y)}H{right}"/>')
        parts.append(f'<text x="{number(_LEFT - 8)}" y="{number(y + 4)}" text-anchor="end">{word}</text>')
    for value in round_steps(*axes.x, 8):
        x = axes.place(np.array(value), np.array(axes.y[0]))[0]
        parts.append(f'<path class="grid" d="M{number(x)},{number(axes.top)}V{number(axes.bottom)}"/>')
        if last:
            y = number(axes.bottom + 17)
            parts.append(f'<text x="{number(x)}" y="{y}" text-anchor="middle">{short(value)}</text>')
    edge = f"M{number(_LEFT)},{number(axes.top)}V{number(axes.bottom)}H{right}"
    parts.append(f'<path d="{edge}" fill="none" stroke="{GREY}"/>')
    return parts


def _mark_words(steps: Sequence[float]) -> tuple[str, list[str]]:
    """Return what all marks of an axis are on top of (empty for zero) and their words: no two are the same.

    The energy of a good simulation is a large number with small changes; six digits of it show none.
    """
    words = [short(value) for value in steps]
    if len(set(words)) == len(words):
        return "", words
    base = words[len(words) // 2]
    return base, [short(value - float(base)) for value in steps]


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
