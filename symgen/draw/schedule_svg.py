"""A solving schedule as SVG: the task graph with the critical path bold, what each core does when, and the routes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from symgen.draw.cost_unit import CostUnit, unit_for
from symgen.draw.level_graph import Emphasis, level_panel, short_type
from symgen.draw.picture import Panel, picture
from symgen.draw.route_panel import route_panel
from symgen.draw.svg_text import INK, PALE, number, plain, round_steps, short
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.topology.scheduling.schedule import Schedule

#: Larger schedules make no readable picture.
MOST_GROUPS, MOST_CORES = 400, 64

_LEFT, _ROW, _BAR, _WIDTH = 66.0, 40.0, 28.0, 640.0
_STYLE = f"""
.task {{ fill: #dbe7f3; stroke: {INK}; stroke-width: 1; }}
.taskbold {{ fill: #f3c98b; stroke: {INK}; stroke-width: 2.4; }}
.axis {{ stroke: {PALE}; stroke-width: 1; }} .tick {{ font-size: 11px; fill: #52606d; text-anchor: middle; }}
"""


def schedule_svg(plan: Schedule) -> str:
    """Return the picture as SVG text.

    Raises
    ------
    InputError
        There are more than 400 groups or 64 cores.
    """
    groups, cores = plan.structure.groups, plan.chosen.cores
    if len(groups) > MOST_GROUPS or cores > MOST_CORES:
        raise InputError(
            f"{len(groups)} groups on {cores} cores are too many for a readable picture "
            f"(at most {MOST_GROUPS} on {MOST_CORES})"
        )
    path = plan.critical_groups
    unit = unit_for(plan.costs.unit, plan.graph.total)
    brief = unit.after if len(unit.after) < 5 else ""
    words = {
        group.number: (short_type(group), f"{unit.text(plan.costs.of[group.number].value)}{brief}") for group in groups
    }
    legend = (
        f"Circle: group, (bodies, driven freedoms); below: type, {unit.of('cost')}. "
        "Arrow: needed before. Bold: critical path.",
    )
    graph = level_panel(
        plan.structure, "Task graph", words, legend, Emphasis(frozenset(path), frozenset(pairwise(path)))
    )
    makespan, total = plan.chosen.makespan, plan.graph.total
    note = (
        f"{len(groups)} group{'s' * (len(groups) != 1)}, {unit.text(total)}{unit.after} in all, critical path "
        f"{unit.text(plan.graph.critical_cost)}{unit.after}; {cores} core{'s' * (cores != 1)}: "
        f"{unit.text(makespan)}{unit.after}, "
        f"{plan.speed_up(makespan):.2f} times as quick as one"
    )
    title = f"Solving schedule of {plan.structure.mechanism.name}"
    return picture(
        title,
        note,
        f"{note}. Critical path: groups {', '.join(map(str, path))}.",
        [graph, _cores(plan, unit), route_panel(plan, unit)],
    )


def _cores(plan: Schedule, unit: CostUnit) -> Panel:
    cores, makespan = plan.chosen.cores, plan.chosen.makespan
    used = min(cores, len(plan.structure.groups))
    width = max(_WIDTH, len(plan.levels) * 110.0)
    scale = width / makespan if makespan > 0.0 else 0.0
    height = used * _ROW
    lines = []
    for tick in round_steps(0.0, makespan / unit.size, 8):
        at = number(_LEFT + tick * unit.size * scale)
        lines.append(f'<line class="axis" x1="{at}" y1="0" x2="{at}" y2="{number(height)}"/>')
        lines.append(f'<text class="tick" x="{at}" y="{number(height + 15)}">{short(tick)}</text>')
    for core in range(used):
        lines.append(f'<text x="0" y="{number(core * _ROW + _ROW / 2 + 4)}">core {core + 1}</text>')
    critical = set(plan.critical_groups)
    for placement in plan.chosen.placements:
        group = placement.task + 1
        x, wide = _LEFT + placement.start * scale, (placement.end - placement.start) * scale
        y = placement.core * _ROW + (_ROW - _BAR) / 2
        tip = f"group {group}: {unit.text(placement.start)} to {unit.text(placement.end)}{unit.after}"
        lines.append(
            f'<g><title>{plain(tip)}</title><rect class="{"taskbold" if group in critical else "task"}" '
            f'x="{number(x, 2)}" y="{number(y)}" width="{number(max(wide, 0.5), 2)}" height="{number(_BAR)}"/>'
        )
        if wide > 4 + 7.5 * len(str(group)):
            lines.append(f'<text class="name" x="{number(x + wide / 2)}" y="{number(y + _BAR / 2 + 4)}">{group}</text>')
        lines.append("</g>")
    lines.append(f'<text class="small" x="{number(_LEFT)}" y="{number(height + 32)}">{plain(unit.of("time"))}</text>')
    return Panel(f"On {cores} core{'s' * (cores != 1)}", _LEFT + width + 30, height + 38, lines, _STYLE)
