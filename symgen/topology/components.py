"""Structural groups as strongly connected components of an assignment, with what they depend on.

An arc j -> i says: body i holds a unit of the pair (i, j), so i is not placed
before j is. Bodies on a common cycle are placed together: a component is a
structural group, and the condensation is the order of dependence (the fine
Dulmage-Mendelsohn decomposition, the same for every assignment).

Source of the algorithm: R. Tarjan, 1972, with an explicit stack.
"""

from __future__ import annotations

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
    home: dict[int, int] = {}
    components: list[Component] = []
    for vertices in _strong(graph, assignment.held, skip):
        number = len(components)
        home.update(dict.fromkeys(vertices, number))
        before = {home[u] for v in vertices for u in _sources(graph, assignment.held, v)} - {number}
        level = 1 + max((components[b].level for b in before), default=0)
        components.append(Component(tuple(sorted(vertices)), tuple(sorted(before)), level))
    return tuple(components), waiting


def _sources(graph: PairGraph, held: list[int], v: int) -> list[int]:
    """Return the moving bodies on whose place v depends, with repetitions."""
    return [graph.end[a ^ 1] for a in graph.incident[v] if held[a] and graph.end[a ^ 1] != FRAME]


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


def _strong(graph: PairGraph, held: list[int], skip: set[int]) -> list[list[int]]:
    """Tarjan's components of the vertices not in `skip`, sources first.

    The walk goes against the arcs, from a body to those it depends on, so that
    a component comes out after all it depends on.
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    is_open: set[int] = set()
    found: list[list[int]] = []
    for root in range(1, graph.bodies):
        if root in index or root in skip:
            continue
        index[root] = low[root] = len(index)
        open_.append(root)
        is_open.add(root)
        walk = [(root, iter(_sources(graph, held, root)))]
        while walk:
            v, sources = walk[-1]
            for u in sources:
                if u not in index:
                    index[u] = low[u] = len(index)
                    open_.append(u)
                    is_open.add(u)
                    walk.append((u, iter(_sources(graph, held, u))))
                    break
                if u in is_open:
                    low[v] = min(low[v], index[u])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[v])
                if low[v] == index[v]:
                    cut = len(open_) - 1
                    while open_[cut] != v:
                        cut -= 1
                    found.append(open_[cut:])
                    is_open.difference_update(open_[cut:])
                    del open_[cut:]
    return found
