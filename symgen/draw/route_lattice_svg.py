"""The lattice of solved groups as a panel: every walk from left to right is a solving route, the best one bold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from symgen.draw.columns import ColumnLayout, ColumnLink, Item
from symgen.draw.cost_unit import CostUnit
from symgen.draw.picture import Panel
from symgen.draw.route_tree_svg import STYLE as TREE_STYLE
from symgen.draw.route_tree_svg import step_name
from symgen.draw.svg_text import number, plain
from symgen.topology.scheduling.route_tree import Ideal

_BOX, _GAP, _BETWEEN, _SLOT, _TOP, _BOLD_LETTER = 47.0, 16.0, 46.0, 12.0, 24.0, 8.5

STYLE = TREE_STYLE


def lattice_panel(ideals: Sequence[Ideal], heading: str, legend: Sequence[str], unit: CostUnit) -> Panel:
    """Return the lattice in columns by number of solved groups.

    Parameters
    ----------
    ideals : by number of tasks, the empty one first.
    """
    sizes = [len(ideal.tasks) for ideal in ideals]
    words = [_words(ideal, unit) for ideal in ideals]
    width = [0.0] * (sizes[-1] + 1)
    for size, (name, *more) in zip(sizes, words, strict=True):
        width[size] = max(width[size], 16.0 + _BOLD_LETTER * len(name), *(14.0 + 6.0 * len(text) for text in more))
    left = [0.0]
    for each in width:
        left.append(left[-1] + each + _BETWEEN)
    best = [place for place, ideal in enumerate(ideals) if ideal.is_best]
    columns, items, jumps = _columns(ideals, sizes, best)
    height = columns.arrange() + _TOP
    middle = [item.y + _TOP + _BOX / 2 for item in items]
    lines = [
        f'<text class="level" x="{number(left[size] + width[size] / 2)}" y="9">{size} solved</text>'
        for size in range(len(width))
    ]
    bold = set(pairwise(best))
    for place, ideal in enumerate(ideals):
        for other, task in ideal.following:
            if (place, other) not in bold:
                start, goal = left[sizes[place]] + width[sizes[place]], left[sizes[other]]
                curve = _through([(start, start, middle[place]), (goal, goal, middle[other])])
                lines.append(f'<path class="walk" d="{curve}"><title>then group {task + 1}</title></path>')
    for a, b in pairwise(best):
        start, goal = left[sizes[a]] + width[sizes[a]], left[sizes[b]]
        stops = [(start, start, middle[a])]
        for column, slot in enumerate(jumps[a, b], start=sizes[a] + 1):
            stops.append((left[column], left[column] + width[column], slot.y + _TOP + _SLOT / 2))
        stops.append((goal, goal, middle[b]))
        step = step_name([task for task in ideals[b].tasks if task not in ideals[a].tasks], "+")
        lines.append(f'<path class="walkbold" d="{_through(stops)}"><title>best: then {plain(step)}</title></path>')
    for place, ideal in enumerate(ideals):
        lines += _box(ideal, words[place], left[sizes[place]], width[sizes[place]], middle[place])
    for row, note in enumerate(legend):
        lines.append(f'<text class="note" x="0" y="{number(height + 22 + 16 * row)}">{plain(note)}</text>')
    wide = max([left[-1] - _BETWEEN, *(6.4 * len(note) for note in legend)])
    return Panel(heading, wide, height + 26 + 16 * len(legend), lines, STYLE)


def _words(ideal: Ideal, unit: CostUnit) -> tuple[str, str, str]:
    name = step_name(ideal.tasks, ", ") or "none"
    if ideal.ways > 1:
        name += f" ×{ideal.ways}"
    routes = f"{ideal.routes:,}" if ideal.routes < 10**6 else f"{ideal.routes:.1e}"
    return name, f"{routes} route{'s' * (ideal.routes != 1)}", unit.text(ideal.best)


def _columns(
    ideals: Sequence[Ideal], sizes: Sequence[int], best: Sequence[int]
) -> tuple[ColumnLayout, list[Item], dict[tuple[int, int], list[Item]]]:
    """Return the columns, an item for each ideal, and for each step of the best route its slots in what it jumps."""
    items = [Item(_BOX) for _ in ideals]
    columns: list[list[Item]] = [[] for _ in range(sizes[-1] + 1)]
    for size, item in zip(sizes, items, strict=True):
        columns[size].append(item)
    links = [
        ColumnLink(items[place], _BOX / 2, items[other], _BOX / 2)
        for place, ideal in enumerate(ideals)
        for other, _ in ideal.following
    ]
    jumps: dict[tuple[int, int], list[Item]] = {}
    for a, b in pairwise(best):
        slots = jumps[a, b] = [Item(_SLOT) for _ in range(sizes[a] + 1, sizes[b])]
        for column, slot in enumerate(slots, start=sizes[a] + 1):
            columns[column].append(slot)
        path = [items[a], *slots, items[b]]
        offsets = [_BOX / 2, *(_SLOT / 2 for _ in slots), _BOX / 2]
        if slots:
            links += [ColumnLink(p, u, q, v) for (p, u), (q, v) in pairwise(list(zip(path, offsets, strict=True)))]
    return ColumnLayout(columns, links, _GAP), items, jumps


def _through(stops: Sequence[tuple[float, float, float]]) -> str:
    """Return a curve through level stretches (left, right, height)."""
    text = f"M{number(stops[0][1])},{number(stops[0][2])}"
    for (_, x, y), (u, end, v) in pairwise(stops):
        middle = number((x + u) / 2)
        text += f" C{middle},{number(y)} {middle},{number(v)} {number(u)},{number(v)}"
        if end > u:
            text += f" H{number(end)}"
    return text


def _box(ideal: Ideal, words: tuple[str, str, str], x: float, width: float, y: float) -> list[str]:
    name, routes, best = words
    centre = number(x + width / 2)
    tip = f"solved: {step_name(ideal.tasks, ', ') or 'no group'}; {routes} through here, the best takes {best}"
    return [
        f"<g><title>{plain(tip)}</title>",
        f'<rect class="step{"bold" * ideal.is_best}" x="{number(x)}" y="{number(y - _BOX / 2)}" rx="6" '
        f'width="{number(width)}" height="{number(_BOX)}"/>',
        f'<text class="panel name" x="{centre}" y="{number(y - 8)}">{plain(name)}</text>',
        f'<text class="small name" x="{centre}" y="{number(y + 6)}">{plain(routes)}</text>',
        f'<text class="small name" x="{centre}" y="{number(y + 18)}">{plain(best)}</text>',
        "</g>",
    ]
