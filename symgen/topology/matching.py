"""Assign every constraint unit to one of its two bodies so that every body takes exactly B of them.

Such an assignment exists if and only if no set of moving bodies carries more
constraints than freedoms and the totals agree (Hall's condition, test L1). Its
strongly connected components are the structural groups. Start: the frame hands
out its units, and what a full body cannot take goes to the body across, from
there on and on (`symgen.topology.allotment`). Then units wander along shortest
paths from bodies with too many to bodies with too few (Dinic's algorithm; a
move along a path keeps every body between the ends as full as it was).

If units or freedoms are left over, the coarse Dulmage-Mendelsohn sets say where:
they do not depend on the assignment found.

Sources: P. Hall, 1935; E. A. Dinic, 1970; A. L. Dulmage and N. S. Mendelsohn,
1958. No function here recurses: 10^6 bodies are ordinary input.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from symgen.topology.allotment import allot_units
from symgen.topology.graph import FRAME, PairGraph


@dataclass(frozen=True, slots=True)
class Assignment:
    """Who holds the units.

    Attributes
    ----------
    held : units of each half-edge's pair that the half-edge's own body holds.
    load : units that each vertex holds (vertex 0, the frame, none).
    over : vertices that share a surplus, ascending; closed under "depends on".
    under : vertices that share a deficit, ascending.
    """

    held: list[int]
    load: list[int]
    over: tuple[int, ...]
    under: tuple[int, ...]


def assign_units(graph: PairGraph) -> Assignment:
    """Find an assignment with the least surplus and its coarse sets."""
    held, load = allot_units(graph)
    full, end, incident = graph.freedoms, graph.end, graph.incident
    surplus = [v for v in range(1, graph.bodies) if load[v] > full]
    while surplus and (level := _levels(graph, held, load, surplus)):
        _block(graph, held, load, level, surplus)
        surplus = [v for v in surplus if load[v] > full]
    deficit = [v for v in range(1, graph.bodies) if load[v] < full]

    def takers(v: int) -> Iterable[int]:
        return (end[a ^ 1] for a in incident[v] if held[a])

    def givers(v: int) -> Iterable[int]:
        return (end[a ^ 1] for a in incident[v] if held[a ^ 1])

    return Assignment(held, load, _reach(surplus, takers), _reach(deficit, givers))


def _levels(graph: PairGraph, held: list[int], load: list[int], surplus: list[int]) -> list[int]:
    """Return the distance of each vertex from the surplus, up to the nearest deficit; [] if none is reached."""
    full, end, incident = graph.freedoms, graph.end, graph.incident
    level = [-1] * graph.bodies
    layer = surplus
    for v in layer:
        level[v] = 0
    depth = 0
    while layer:
        if any(load[v] < full for v in layer):
            return level
        depth += 1
        following = []
        for v in layer:
            for a in incident[v]:
                u = end[a ^ 1]
                if held[a] and level[u] < 0 and u != FRAME:
                    level[u] = depth
                    following.append(u)
        layer = following
    return []


def _block(graph: PairGraph, held: list[int], load: list[int], level: list[int], surplus: list[int]) -> None:
    """Move units along the layers until no shortest path is left."""
    full, end, incident = graph.freedoms, graph.end, graph.incident
    tried = [0] * graph.bodies
    for source in surplus:
        path: list[int] = []
        v = source
        while load[source] > full:
            if load[v] < full:
                amount = min(load[source] - full, full - load[v], *(held[a] for a in path))
                for a in path:
                    held[a] -= amount
                    held[a ^ 1] += amount
                load[source] -= amount
                load[v] += amount
                path, v = [], source
            elif tried[v] < len(incident[v]):
                a = incident[v][tried[v]]
                if held[a] and level[end[a ^ 1]] == level[v] + 1:
                    path.append(a)
                    v = end[a ^ 1]
                else:
                    tried[v] += 1
            elif path:
                v = end[path.pop()]
                tried[v] += 1
            else:
                break


def _reach(start: Iterable[int], step: Callable[[int], Iterable[int]]) -> tuple[int, ...]:
    """Return all vertices but the frame that can be reached, ascending."""
    stack = list(start)
    seen = set(stack)
    while stack:
        for u in step(stack.pop()):
            if u != FRAME and u not in seen:
                seen.add(u)
                stack.append(u)
    return tuple(sorted(seen))
