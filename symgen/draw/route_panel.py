"""Solving routes as a panel: their tree while that can be read, else the lattice they walk through, else a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symgen.draw.cost_unit import CostUnit
from symgen.draw.picture import Panel
from symgen.draw.route_lattice_svg import lattice_panel
from symgen.draw.route_tree_svg import tree_panel
from symgen.draw.svg_text import plain
from symgen.topology.scheduling.route_tree import ideal_lattice, route_tree

if TYPE_CHECKING:
    from symgen.topology.scheduling.schedule import Schedule

#: Larger trees (routes, groups) and lattices (sets of solved groups, groups) cannot be read.
MOST_ROUTES, LONGEST_TREE = 60, 16
MOST_IDEALS, LONGEST_LATTICE = 80, 16


def route_panel(plan: Schedule, unit: CostUnit) -> Panel:
    """Return the routes of a schedule in steps of at most as many groups as it has cores."""
    cores = plan.chosen.cores
    at_most = f"at most {cores} group{'s' * (cores != 1)} a step"
    counts = plan.counts
    heading = f"Routes with {at_most}"
    if counts.on_cores is not None and counts.parallel is not None and counts.sequential is not None:
        heading += (
            f": {_count(counts.on_cores)} of {_count(counts.parallel)}, {_count(counts.sequential)} of them sequential"
        )
    wait = "all cores wait for the slowest group of a step"
    tree = route_tree(plan.lattice, cores, MOST_ROUTES, LONGEST_TREE)
    if tree is not None:
        legend = [
            "From left to right: the steps of a route, groups solved at once joined by +. Bold: the best route.",
            f"Bar: its time, step by step; {wait}. Equal times share a rank.",
        ]
        if any(leaf.ways > 1 for leaf in tree.leaves()):
            legend.append("Ways: routes that differ by interchangeable groups only; the lowest numbers stand for them.")
        return tree_panel(tree, heading, legend, unit, plan.graph.total)
    ideals = ideal_lattice(plan.lattice, cores, MOST_IDEALS, LONGEST_LATTICE)
    if ideals is not None:
        legend = [
            "Box: the groups solved at some moment; the number of routes that pass there; "
            f"{unit.of('time')} of the best of them.",
            "Line: one group more; a step of several groups passes over columns. Bold: the best route.",
            f"In a route {wait}.",
        ]
        if any(ideal.ways > 1 for ideal in ideals):
            legend.append("×: so many sets differ by interchangeable groups only; the lowest numbers stand for them.")
        return lattice_panel(ideals, heading, legend, unit)
    note = (
        f"Too many to draw: a tree of at most {MOST_ROUTES} routes or {MOST_IDEALS} sets of solved groups, and of at "
        f"most {LONGEST_TREE} groups, can be read. The best routes are in the table and in --json."
    )
    return Panel(heading, 7.0 * len(note), 16.0, [f'<text class="note" x="0" y="10">{plain(note)}</text>'], "")


def _count(value: int) -> str:
    return f"{value:,}" if value < 10**15 else f"about 1e{len(str(value)) - 1}"
