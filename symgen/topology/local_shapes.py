"""Keys by which groups of the same shape are recognised cheaply.

A large mechanism repeats a few shapes many times. A key describes a group
completely: its bodies in an order found by walking from body to body, the pairs
between them and, for each, the pairs to solved bodies, all with type and number of driven
freedoms. So groups with equal keys are isomorphic, body by body in the order of the walk, and
whatever was found out about one holds for the other. Isomorphic groups nearly
always get equal keys; where ties are broken differently the work is done again, nothing worse.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from symgen.topology.graph import PairGraph

Key = tuple[int, ...]


class LocalShapes:
    """Makes the keys of the groups of one mechanism.

    Parameters
    ----------
    graph : its pairs.
    group_of : number of the group of each vertex: 0 for the frame, later groups have larger numbers.
    """

    def __init__(self, graph: PairGraph, group_of: Sequence[int]) -> None:
        codes: dict[Hashable, int] = {}
        self._graph, self._group_of = graph, group_of
        kinds: Iterable[Hashable] = graph.kinds
        if graph.reduced or graph.named or graph.shared:
            pairs = range(len(graph.units))
            kinds = zip(
                graph.kinds, graph.units, map(graph.named.get, pairs), map(graph.shared.get, pairs), strict=True
            )
        self._codes = [codes.setdefault(kind, len(codes)) for kind in kinds]
        self._span = len(codes)
        self._place = [0] * graph.bodies

    def key(self, vertices: Sequence[int]) -> Key:
        """Return the key of the group that consists of these vertices."""
        return self._describe(vertices if len(vertices) == 1 else self.walk(vertices))

    def walk(self, vertices: Sequence[int]) -> Sequence[int]:
        """Return the vertices in the order in which the key lists them.

        The first one has the least colour (kinds of its pairs outwards and inwards); from there on the vertices
        around each, by kind of the pair and then by colour.
        """
        end, incident, group_of, codes = self._graph.end, self._graph.incident, self._group_of, self._codes
        own = group_of[vertices[0]]
        colours: dict[int, tuple[list[int], list[int]]] = {}
        around: dict[int, list[int]] = {}
        for v in vertices:
            outer: list[int] = []
            inner: list[int] = []
            around[v] = within = []
            for a in incident[v]:
                group = group_of[end[a ^ 1]]
                if group == own:
                    inner.append(codes[a >> 1])
                    within.append(a)
                elif group < own:
                    outer.append(codes[a >> 1])
            outer.sort()
            inner.sort()
            colours[v] = (outer, inner)
        order = [min(vertices, key=colours.__getitem__)]
        seen = set(order)
        for v in order:  # grows while it is walked
            fresh = [a for a in around[v] if end[a ^ 1] not in seen]
            if len(fresh) > 1:
                fresh.sort(key=lambda a: (codes[a >> 1], colours[end[a ^ 1]]))
            for a in fresh:
                if end[a ^ 1] not in seen:
                    seen.add(end[a ^ 1])
                    order.append(end[a ^ 1])
        return order

    def _describe(self, order: Sequence[int]) -> Key:
        """Return all pairs as numbers: (first vertex, second vertex or 0 for a solved body, kind), sorted."""
        end, incident, group_of, codes = self._graph.end, self._graph.incident, self._group_of, self._codes
        place, span, width = self._place, self._span, len(order) + 1
        own = group_of[order[0]]
        for number, v in enumerate(order, start=1):
            place[v] = number
        pairs = [len(order)]
        for number, v in enumerate(order, start=1):
            row = number * width
            found = []
            for a in incident[v]:
                u = end[a ^ 1]
                group = group_of[u]
                if group < own:
                    found.append(row * span + codes[a >> 1])
                elif group == own and place[u] > number:
                    found.append((row + place[u]) * span + codes[a >> 1])
            found.sort()
            pairs += found
        return tuple(pairs)
