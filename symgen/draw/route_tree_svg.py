"""The tree of solving routes as a panel: steps from left to right, the best route topmost and bold, a bar for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from symgen.draw.cost_unit import CostUnit
from symgen.draw.picture import Panel
from symgen.draw.svg_text import INK, PALE, number, plain
from symgen.topology.scheduling.route_tree import RouteNode

_START, _ROW, _NODE, _GAP, _LETTER = 46.0, 21.0, 17.0, 38.0, 7.0
_BAR, _BAR_WIDTH, _RANK = 12.0, 230.0, 34.0
_TOP = 24.0

STYLE = f"""
.step {{ fill: #ffffff; stroke: #7b8794; stroke-width: 1; }}
.stepbold {{ fill: #f3c98b; stroke: {INK}; stroke-width: 1.8; }}
.walk {{ fill: none; stroke: #9aa5b1; stroke-width: 1.1; }}
.walkbold {{ fill: none; stroke: {INK}; stroke-width: 2.8; }}
.lead {{ stroke: {PALE}; stroke-width: 1; stroke-dasharray: 1 4; }}
.time {{ fill: #dbe7f3; stroke: #9fb3c8; stroke-width: 1; }}
.timebold {{ fill: #f3c98b; stroke: {INK}; stroke-width: 1.6; }}
.mark {{ stroke: #829ab1; stroke-width: 1; }} .markbold {{ stroke: {INK}; stroke-width: 1.4; }}
.start {{ fill: {INK}; }} .rank {{ text-anchor: end; }}
"""


def tree_panel(tree: RouteNode, heading: str, legend: Sequence[str], unit: CostUnit, total: float) -> Panel:
    """Return the tree with a row for each route.

    Parameters
    ----------
    unit : of the costs.
    total : cost of all groups one after the other.
    """
    leaves = list(tree.leaves())
    width = _column_widths(tree)
    left = [_START]
    for each in width:
        left.append(left[-1] + each + _GAP)
    bars = left[-1] + _RANK
    lines: list[str] = []
    bold: list[str] = []
    height = {id(leaf): _TOP + _ROW * (row + 0.5) for row, leaf in enumerate(leaves)}
    for depth, node in _from_below(tree):
        if node.children:
            height[id(node)] = (height[id(node.children[0])] + height[id(node.children[-1])]) / 2
        at = height[id(node)]
        for child in node.children:
            start = left[depth - 1] + width[depth - 1] if depth else 10.0
            curve = _curve(start, at, left[depth], height[id(child)])
            into = bold if child.is_best else lines
            into.append(f'<path class="walk{"bold" * child.is_best}" d="{curve}"/>')
    for depth, node in _from_below(tree):
        if depth:
            into = bold if node.is_best else lines
            into += _node(node, left[depth - 1], width[depth - 1], height[id(node)])
    lines += bold
    lines.append(f'<circle class="start" cx="6" cy="{number(height[id(tree)])}" r="4"/>')
    scale = _BAR_WIDTH / max([leaf.cost for leaf in leaves]) if leaves[-1].cost > 0.0 else 0.0
    ranks = _ranks(leaves)
    lines += _heads(left, width, bars, unit)
    longest = 0
    for leaf, rank in zip(leaves, ranks, strict=True):
        end = left[len(leaf.costs) - 1] + width[len(leaf.costs) - 1]
        text = _words(leaf, total, unit)
        longest = max(longest, len(text))
        lines += _bar(leaf, rank, (end, bars, height[id(leaf)]), scale, text)
    bottom = _TOP + _ROW * len(leaves)
    for row, note in enumerate(legend):
        lines.append(f'<text class="note" x="0" y="{number(bottom + 22 + 16 * row)}">{plain(note)}</text>')
    wide = max([bars + _BAR_WIDTH + 12 + _LETTER * longest, *(6.4 * len(note) for note in legend)])
    return Panel(heading, wide, bottom + 26 + 16 * len(legend), lines, STYLE)


def step_name(tasks: Sequence[int], joined_by: str) -> str:
    """Return the numbers of groups; three or more in a row as first to last."""
    runs: list[list[int]] = []
    for task in tasks:
        if runs and task == runs[-1][-1] + 1:
            runs[-1].append(task)
        else:
            runs.append([task])
    words = []
    for run in runs:
        words += [f"{run[0] + 1}–{run[-1] + 1}"] if len(run) > 2 else [str(task + 1) for task in run]
    return joined_by.join(words)


def _from_below(tree: RouteNode) -> Iterator[tuple[int, RouteNode]]:
    """Yield every node with its depth, children before what they follow."""
    order = [(0, tree)]
    for depth, node in order:
        order += [(depth + 1, child) for child in node.children]
    return reversed(order)


def _column_widths(tree: RouteNode) -> list[float]:
    widths: dict[int, float] = {}
    for depth, node in _from_below(tree):
        if depth:
            widths[depth] = max(widths.get(depth, 22.0), 12.0 + _LETTER * len(step_name(node.tasks, "+")))
    return [widths[depth] for depth in sorted(widths)]


def _curve(x: float, y: float, u: float, v: float) -> str:
    if abs(v - y) < 0.05:
        return f"M{number(x)},{number(y)} H{number(u)}"
    middle = number((x + u) / 2)
    return f"M{number(x)},{number(y)} C{middle},{number(y)} {middle},{number(v)} {number(u)},{number(v)}"


def _node(node: RouteNode, x: float, width: float, y: float) -> list[str]:
    name = step_name(node.tasks, "+")
    return [
        f'<rect class="step{"bold" * node.is_best}" x="{number(x)}" y="{number(y - _NODE / 2)}" rx="8" '
        f'width="{number(width)}" height="{number(_NODE)}"/>',
        f'<text class="name" x="{number(x + width / 2)}" y="{number(y + 4)}">{plain(name)}</text>',
    ]


def _ranks(leaves: Sequence[RouteNode]) -> list[int]:
    """Return the rank of each route by cost; routes of equal cost share one, the next is that much lower."""
    costs = sorted(leaf.cost for leaf in leaves)
    first = {cost: rank for rank, (before, cost) in enumerate(pairwise([-1.0, *costs]), start=1) if cost > before}
    return [first[leaf.cost] for leaf in leaves]


def _words(leaf: RouteNode, total: float, unit: CostUnit) -> str:
    speed_up = total / leaf.cost if leaf.cost > 0.0 else 1.0
    return f"{unit.text(leaf.cost)}, {speed_up:.2f}×" + (f", {leaf.ways} ways" if leaf.ways > 1 else "")


def _heads(left: Sequence[float], width: Sequence[float], bars: float, unit: CostUnit) -> list[str]:
    heads = [
        f'<text class="level" x="{number(x + wide / 2)}" y="9">{depth}</text>'
        for depth, (x, wide) in enumerate(zip(left, width, strict=False), start=1)
    ]
    time = f"{unit.of('time')} by steps, speed-up"
    return [
        *heads,
        f'<text class="level" style="text-anchor: end" x="{number(bars)}" y="9">rank</text>',
        f'<text class="level" style="text-anchor: start" x="{number(bars + 8)}" y="9">{plain(time)}</text>',
    ]


def _bar(leaf: RouteNode, rank: int, place: tuple[float, float, float], scale: float, text: str) -> list[str]:
    end, bars, y = place
    wide = max(leaf.cost * scale, 0.5)
    ends = [bars + 8 + scale * sum(leaf.costs[: k + 1]) for k in range(len(leaf.costs) - 1)]
    marks = "".join(f"M{number(x, 2)},{number(y - _BAR / 2)} V{number(y + _BAR / 2)} " for x in ends)
    lead = bars - 4 - _LETTER * len(str(rank)) - 4
    return [
        *([f'<path class="lead" d="M{number(end + 4)},{number(y)} H{number(lead)}"/>'] if lead - end > 12 else []),
        f'<text class="rank" x="{number(bars)}" y="{number(y + 4)}">{rank}</text>',
        f'<rect class="time{"bold" * leaf.is_best}" x="{number(bars + 8)}" y="{number(y - _BAR / 2)}" '
        f'width="{number(wide, 2)}" height="{number(_BAR)}"/>',
        *([f'<path class="mark{"bold" * leaf.is_best}" d="{marks.strip()}"/>'] if marks else []),
        f'<text class="{"panel" if leaf.is_best else "small"}" x="{number(bars + 14 + wide)}" y="{number(y + 4)}">'
        f"{plain(text)}</text>",
    ]
