"""Structural groups as strongly connected components of an assignment, with what they depend on.

An arc j -> i says: body i holds a unit of the pair (i, j), so i is not placed
before j is. Bodies on a common cycle are placed together: a component is a
structural group, and the condensation is the order of dependence (the fine
Dulmage-Mendelsohn decomposition, the same for every assignment).

Source of the algorithm: R. Tarjan, 1972, with an explicit stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symgen.topology.graph import FRAME, PairGraph
from symgen.topology.matching import Assignment


@dataclass(frozen=True, slots=True)
class Component:
    """One group by number: its vertices (ascending), components it depends on (ascending), its level (1, 2, ...)."""

    vertices: tuple[int, ...]
    depends_on: tuple[int, ...]
    level: int


def find_components(graph: PairGraph, assignment: Assignment) -> tuple[tuple[Component, ...], tuple[int, ...]]:
    """Decompose all bodies that are determined and do not wait for one that is not.

    Returns
    -------
    components : predecessors before successors.
    waiting : vertices that are properly constrained but depend on an overdetermined set, ascending.
    """
    skip = _undecided(graph, assignment)
    waiting = tuple(sorted(skip - set(assignment.over) - set(assignment.under)))
    held, end, incident = assignment.held, graph.end, graph.incident
    home = [-1] * graph.bodies
    levels: list[int] = []
    components: list[Component] = []
    for number, vertices in enumerate(_strong(graph, held, skip)):
        for v in vertices:
            home[v] = number
        before = {home[end[a ^ 1]] for v in vertices for a in incident[v] if held[a]}
        before -= {number, -1}  # the frame has no number
        level = 1 + max([levels[b] for b in before], default=0)
        levels.append(level)
        components.append(Component(tuple(sorted(vertices)), tuple(sorted(before)), level))
    return tuple(components), waiting


def _undecided(graph: PairGraph, assignment: Assignment) -> set[int]:
    """Return overdetermined and underdetermined vertices and all that depend on them."""
    held, end = assignment.held, graph.end
    stack = [*assignment.over, *assignment.under]
    seen = set(stack)
    while stack:
        for a in graph.incident[stack.pop()]:
            u = end[a ^ 1]
            if held[a ^ 1] and u not in seen:
                seen.add(u)
                stack.append(u)
    return seen


def _strong(graph: PairGraph, held: list[int], skip: set[int]) -> Iterator[list[int]]:
    """Yield Tarjan's components of the vertices not in `skip`, sources first.

    The walk goes against the arcs, from a body to those it depends on, so that
    a component comes out after all it depends on.
    """
    end, incident = graph.end, graph.incident
    closed = graph.bodies + 1  # larger than any index: a body of a finished component lowers nothing
    index = [0] * graph.bodies  # order of discovery from 1; 0 if not yet seen
    low = [0] * graph.bodies
    for v in (FRAME, *skip):
        index[v] = closed
    open_: list[int] = []
    count = 0
    for root in range(1, graph.bodies):
        if index[root]:
            continue
        path = [root]
        rests = [iter(incident[root])]  # half-edges still to be followed, for each vertex of the path
        count += 1
        index[root] = low[root] = count
        open_.append(root)
        while path:
            v = path[-1]
            lowest = low[v]
            for a in rests[-1]:
                if held[a]:
                    u = end[a ^ 1]
                    seen = index[u]
                    if not seen:
                        low[v] = lowest
                        path.append(u)
                        rests.append(iter(incident[u]))
                        count += 1
                        index[u] = low[u] = count
                        open_.append(u)
                        break
                    if seen < lowest:
                        lowest = seen
            else:
                path.pop()
                rests.pop()
                if lowest == index[v]:
                    found: list[int] = []
                    while not found or found[-1] != v:
                        found.append(open_.pop())
                        index[found[-1]] = closed
                    yield found
                else:
                    low[v] = lowest
                if path and lowest < low[path[-1]]:
                    low[path[-1]] = lowest
