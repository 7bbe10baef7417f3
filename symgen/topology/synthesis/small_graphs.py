"""Small simple graphs as neighbour masks: canonical form, symmetries, connectedness.

A graph is a tuple with one whole number a vertex: bit u of ``graph[v]`` is set
if v and u are joined. Synthesis looks at very many graphs of a dozen vertices,
so each step here costs microseconds; `symgen.topology.canonical` does the same
for large labelled graphs.

Source of the labelling: B. D. McKay, "Practical graph isomorphism", 1981:
colour refinement, one vertex after the other singled out, the smallest leaf wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

Graph: TypeAlias = tuple[int, ...]

#: Bits that count neighbours of one colour; 31 vertices at most.
_FIELD = 5
MOST_VERTICES = (1 << _FIELD) - 1


def members(mask: int) -> list[int]:
    """Return the vertices of a mask, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def edges_of(graph: Graph) -> list[tuple[int, int]]:
    """Return the edges (v, u), v < u, in lexical order."""
    return [(v, u) for v, mask in enumerate(graph) for u in members(mask >> v << v) if u > v]


def from_edges(vertices: int, edges: Sequence[tuple[int, int]]) -> Graph:
    """Return the graph with these edges."""
    masks = [0] * vertices
    for v, u in edges:
        masks[v] |= 1 << u
        masks[u] |= 1 << v
    return tuple(masks)


def renumbered(graph: Graph, order: Sequence[int]) -> Graph:
    """Return the graph whose vertex k is vertex ``order[k]`` of the old one."""
    place = [0] * len(graph)
    for position, v in enumerate(order):
        place[v] = position
    return tuple(sum(1 << place[u] for u in members(graph[v])) for v in order)


def is_connected(graph: Graph, within: int) -> bool:
    """Tell whether the vertices of the mask `within` are connected among themselves."""
    reached = frontier = within & -within
    while frontier:
        following = 0
        for v in members(frontier):
            following |= graph[v]
        frontier = following & within & ~reached
        reached |= frontier
    return reached == within


def cut_vertices(graph: Graph) -> list[int]:
    """Return the vertices whose removal disconnects the (connected) graph."""
    every = (1 << len(graph)) - 1
    return [v for v in range(len(graph)) if not is_connected(graph, every & ~(1 << v))]


def canonical_form(graph: Graph, colours: Sequence[int] | None = None) -> tuple[Graph, tuple[int, ...]]:
    """Return the graph in canonical numbering, and the order of the old vertices in it.

    Parameters
    ----------
    graph : at most 31 vertices.
    colours : colour of each vertex; symmetries keep it and lower colours come first. All equal by default.

    Returns
    -------
    form : equal for two graphs if and only if they are isomorphic (compare the colours in order too).
    order : ``form[k]`` is old vertex ``order[k]``.
    """
    neighbours = [members(mask) for mask in graph]
    best: Graph | None = None
    best_order: tuple[int, ...] = ()
    for order in _leaves(graph, neighbours, _refine(neighbours, list(colours or [0] * len(graph)))):
        form = renumbered(graph, order)
        if best is None or form < best:
            best, best_order = form, order
    return best or (), best_order


def _leaves(graph: Graph, neighbours: list[list[int]], start: list[int]) -> Iterator[tuple[int, ...]]:
    count = len(graph)
    waiting = [start]
    while waiting:
        colours = waiting.pop()
        if max(colours, default=-1) == count - 1:
            yield tuple(sorted(range(count), key=colours.__getitem__))
            continue
        cells: list[list[int]] = [[] for _ in range(count)]
        for v, colour in enumerate(colours):
            cells[colour].append(v)
        cell = min((c for c in cells if len(c) > 1), key=len)
        waiting += [_refine(neighbours, _single_out(colours, v)) for v in _without_twins(graph, cell)]


def _single_out(colours: list[int], v: int) -> list[int]:
    split = [2 * colour + 1 for colour in colours]
    split[v] -= 1
    return split


def _without_twins(graph: Graph, cell: list[int]) -> list[int]:
    """Return one vertex of each set of twins: vertices that have the same neighbours change places freely."""
    kept: list[int] = []
    for v in cell:
        if not any((graph[v] ^ graph[u]) & ~(1 << v | 1 << u) == 0 for u in kept):
            kept.append(v)
    return kept


def _refine(neighbours: list[list[int]], colours: list[int]) -> list[int]:
    """Split colours by the colours of the neighbours until nothing splits; they are then 0, 1, ... in order."""
    known = 0
    while True:
        ranked = {key: rank for rank, key in enumerate(sorted(set(colours)))}
        if len(ranked) == known:
            return [ranked[key] for key in colours]
        known = len(ranked)
        colours = [ranked[key] for key in colours]
        if known == len(colours):
            return colours
        weight = [1 << _FIELD * colour for colour in colours]
        above = _FIELD * known
        colours = [(colours[v] << above) + sum([weight[u] for u in around]) for v, around in enumerate(neighbours)]


def symmetries(graph: Graph, colours: Sequence[int] | None = None) -> list[tuple[int, ...]]:
    """Return all permutations (vertex -> vertex) that keep the graph and the colours, the identity first."""
    neighbours = [members(mask) for mask in graph]
    refined = _refine(neighbours, list(colours or [0] * len(graph)))
    found: list[tuple[int, ...]] = []
    images: list[list[int]] = [[]]
    while images:
        image = images.pop()
        v = len(image)
        if v == len(graph):
            found.append(tuple(image))
            continue
        for u in range(len(graph) - 1, -1, -1):
            if refined[u] == refined[v] and u not in image and _fits(graph, image, v, u):
                images.append([*image, u])
    return found


def _fits(graph: Graph, image: list[int], v: int, u: int) -> bool:
    return all((graph[v] >> w & 1) == (graph[u] >> x & 1) for w, x in enumerate(image))


def orbits(graph: Graph) -> list[list[int]]:
    """Return the vertices that symmetries map onto each other, each part ascending, parts by first vertex."""
    parts: dict[Graph, list[int]] = {}
    for v in range(len(graph)):
        marked = [0 if u == v else 1 for u in range(len(graph))]
        parts.setdefault(canonical_form(graph, marked)[0], []).append(v)
    return list(parts.values())


def cycle_basis(graph: Graph) -> list[list[tuple[int, int]]]:
    """Return independent cycles of a connected graph, each as its edges (from, to) in running order."""
    parent = {0: -1}
    queue = [0]
    for v in queue:  # grows while it is walked
        for u in members(graph[v]):
            if u not in parent:
                parent[u] = v
                queue.append(u)
    cycles = []
    for v, u in edges_of(graph):
        if parent[v] == u or parent[u] == v:
            continue
        up_v, up_u = _ancestors(parent, v), _ancestors(parent, u)
        while len(up_v) > 1 and len(up_u) > 1 and up_v[-2] == up_u[-2]:
            up_v.pop()
            up_u.pop()
        cycles.append(list(pairwise([v, *up_u, *reversed(up_v[:-1])])))
    return cycles


def shortest_cycle(graph: Graph) -> int:
    """Return the number of edges of the shortest cycle, 0 if there is none."""
    best = 0
    for root in range(len(graph)):
        level, seen, steps = 1 << root, 1 << root, 0
        while level and (not best or 2 * steps + 1 < best):
            following, twice = 0, 0
            for v in members(level):
                twice |= following & graph[v]
                following |= graph[v]
            steps += 1
            if following & level:
                best = min(best or 2 * steps, 2 * steps - 1)
                break
            following &= ~seen
            if twice & following:
                best = min(best or 2 * steps, 2 * steps)
                break
            level = following
            seen |= following
    return best


def _ancestors(parent: dict[int, int], v: int) -> list[int]:
    path = [v]
    while parent[path[-1]] >= 0:
        path.append(parent[path[-1]])
    return path
