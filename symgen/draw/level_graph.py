"""Groups as circles in columns by level, with arrows from what must be solved before: the structural diagram.

A circle holds the group's number and the paper's (N_m, n_c), its bodies and its
driven freedoms; below it stand a line or two of words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from symgen.draw.columns import ColumnLayout, ColumnLink, Item
from symgen.draw.picture import Panel, cut
from symgen.draw.svg_text import INK, RED, number, plain

if TYPE_CHECKING:
    from symgen.topology.structure import Group, Structure

_RADIUS, _WORD = 27.0, 14.0
_COLUMN, _GAP, _SLOT, _TOP, _LEGEND = 168.0, 20.0, 12.0, 22.0, 34.0
_MOST_LETTERS = 22
_RIGHT_OF_ARROW = 7.0

_STYLE = f"""
.group {{ fill: #ffffff; stroke: {INK}; stroke-width: 1.4; }} .critical {{ stroke-width: 3.6; fill: #fdf0d5; }}
.fault {{ stroke: {RED}; stroke-dasharray: 6 4; }}
.needs {{ fill: none; stroke: #616e7c; stroke-width: 1.2; }} .bold {{ stroke: {INK}; stroke-width: 3.2; }}
.head {{ fill: #616e7c; }} .boldhead {{ fill: {INK}; }}
"""

Arrow = tuple[int, int]  # numbers of groups, from what is solved before


@dataclass(frozen=True, slots=True)
class Emphasis:
    """What is drawn bold."""

    groups: frozenset[int] = frozenset()
    arrows: frozenset[Arrow] = frozenset()


def singular_groups(structure: Structure) -> frozenset[int]:
    """Return the numbers of the groups whose counts agree but which their inputs fix for no geometry."""
    faulty = {
        body
        for finding in structure.diagnosis
        if finding.kind in ("singular_count", "singular_rank")
        for body in finding.bodies
    }
    return frozenset(group.number for group in structure.groups if not faulty.isdisjoint(group.bodies))


def level_panel(
    structure: Structure,
    heading: str,
    words: Mapping[int, Sequence[str]],
    legend: Sequence[str],
    emphasis: Emphasis | None = None,
) -> Panel:
    """Return the structural diagram.

    Parameters
    ----------
    words : group number -> lines below its circle.
    legend : lines below the whole.
    """
    bold = emphasis or Emphasis()
    groups = structure.groups
    lines_below = max((len(each) for each in words.values()), default=0)
    columns, routes, items = _columns(groups, 2 * _RADIUS + 4 + _WORD * lines_below)
    height = columns.arrange() + _TOP
    centre = {group.number: ((group.level - 0.5) * _COLUMN, items[group.number].y + _TOP + _RADIUS) for group in groups}
    lines = [
        f'<text class="level" x="{number((level + 0.5) * _COLUMN)}" y="9">level {level + 1}</text>'
        for level in range(len(columns.columns))
    ]
    levels = {group.number: group.level for group in groups}
    # Bold arrows last: nothing lies over them.
    for arrow in sorted(routes, key=lambda each: (each in bold.arrows, each)):
        slots = [
            ((levels[arrow[0]] + 0.5 + k) * _COLUMN, slot.y + _TOP + _SLOT / 2) for k, slot in enumerate(routes[arrow])
        ]
        lines += _arrow(centre[arrow[0]], slots, centre[arrow[1]], arrow, bold=arrow in bold.arrows)
    singular = singular_groups(structure)
    for group in groups:
        kind = "group" + " critical" * (group.number in bold.groups) + " fault" * (group.number in singular)
        lines += _circle(group, centre[group.number], words.get(group.number, ()), kind)
    for row, text in enumerate(legend):
        lines.append(f'<text class="note" x="0" y="{number(height + 20 + 16 * row)}">{plain(text)}</text>')
    width = max([len(columns.columns) * _COLUMN, *(7.0 * len(text) for text in legend)])
    return Panel(heading, width, height + _LEGEND + 16.0 * (len(legend) - 1), lines, _STYLE)


def short_type(group: Group) -> str:
    """Return the signature if it reads as a chain, else the paper's count name, which is shorter."""
    return group.type if group.signature.startswith("<") else group.signature


def _columns(groups: Sequence[Group], height: float) -> tuple[ColumnLayout, dict[Arrow, list[Item]], dict[int, Item]]:
    """Return the columns, for each arrow its slots in the columns it crosses, and for each group its item."""
    items = {group.number: Item(height) for group in groups}
    level = {group.number: group.level for group in groups}
    columns: list[list[Item]] = [[] for _ in range(max(level.values(), default=0))]
    for group in groups:
        columns[group.level - 1].append(items[group.number])
    routes: dict[Arrow, list[Item]] = {}
    links: list[ColumnLink] = []
    for group in groups:
        for before in group.depends_on:
            slots = [Item(_SLOT) for _ in range(level[before], group.level - 1)]
            routes[before, group.number] = slots
            for offset, slot in enumerate(slots):
                columns[level[before] + offset].append(slot)
            path = [items[before], *slots, items[group.number]]
            for left, right in pairwise(path):
                links.append(ColumnLink(left, _middle(left, slots), right, _middle(right, slots)))
    return ColumnLayout(columns, links, _GAP), routes, items


def _middle(item: Item, slots: list[Item]) -> float:
    return _SLOT / 2 if any(item is slot for slot in slots) else _RADIUS


def _arrow(
    start: tuple[float, float],
    slots: Sequence[tuple[float, float]],
    goal: tuple[float, float],
    arrow: Arrow,
    *,
    bold: bool,
) -> list[str]:
    x, y = start[0] + _RADIUS, start[1]
    path = f"M{number(x)},{number(y)}"
    stretch = [
        *((sx - 40, sx + 40, sy) for sx, sy in slots),
        (goal[0] - _RADIUS - _RIGHT_OF_ARROW, goal[0] - _RADIUS - _RIGHT_OF_ARROW, goal[1]),
    ]
    for left, right, level in stretch:
        middle = (x + left) / 2
        path += f" C{number(middle)},{number(y)} {number(middle)},{number(level)} {number(left)},{number(level)}"
        if right > left:
            path += f" H{number(right)}"
        x, y = right, level
    half = 5.0 if bold else 3.6
    tip = goal[0] - _RADIUS
    return [
        f'<path class="needs{" bold" * bold}" d="{path}"><title>group {arrow[1]} needs group {arrow[0]}</title></path>',
        f'<path class="{"boldhead" if bold else "head"}" d="M{number(tip)},{number(y)} L{number(tip - 10)},'
        f'{number(y - half)} V{number(y + half)} Z"/>',
    ]


def _circle(group: Group, centre: tuple[float, float], words: Sequence[str], kind: str) -> list[str]:
    x, y = centre
    tip = (
        f"group {group.number}: {', '.join(group.bodies)}; {group.signature}; {group.driven} driven"
        + "; singular" * ("fault" in kind)
    )
    below = [
        f'<text class="name{" small" * (row > 0)}" x="{number(x)}" y="{number(y + _RADIUS + _WORD * (row + 1))}">'
        f"{plain(cut(text, _MOST_LETTERS))}</text>"
        for row, text in enumerate(words)
    ]
    return [
        f"<g><title>{plain(tip)}</title>",
        f'<circle class="{kind}" cx="{number(x)}" cy="{number(y)}" r="{number(_RADIUS)}"/>',
        f'<text class="panel name" x="{number(x)}" y="{number(y - 2)}">{group.number}</text>',
        f'<text class="small name" x="{number(x)}" y="{number(y + 13)}">({len(group.bodies)}, {group.driven})</text>',
        *below,
        "</g>",
    ]
