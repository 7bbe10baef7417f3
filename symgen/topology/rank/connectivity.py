"""Test L2: no part of a group is stiffer than rigid, whatever the placement of its joints.

Count: a chain T of bodies, the solved ones (contracted to one frame) allowed
among them, must not carry more than B(|T| - 1) constraints. With an
assignment at hand this says: B edge-disjoint paths lead from the frame to every
body of the group, a path crossing a pair from the body across to the body
that holds the unit.

Sources: W. T. Tutte and C. St. J. A. Nash-Williams, 1961 (packing of trees);
T.-S. Tay, 1984 (body-and-joint frameworks); J. Edmonds, 1973 (disjoint
branchings and rooted cuts).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from symgen.topology.graph import PairGraph

# Half-edges looked at before the test gives up on a group. Linkages need 5 to 20 for each body, slowly more for larger
# ones, so that the bound, linear in the size, is hardly ever met.
EFFORT, EFFORT_PER_BODY = 5_000_000, 100


@dataclass(frozen=True, slots=True)
class StiffPart:
    """Bodies of a group whose inner pairs carry `excess` more constraints than make them rigid."""

    vertices: tuple[int, ...]
    excess: int


def find_stiff_part(
    graph: PairGraph, held: list[int], vertices: tuple[int, ...], effort: int | None = None
) -> tuple[StiffPart | None, bool]:
    """Look for a part of the group that breaks the count.

    Parameters
    ----------
    held : an assignment in which every vertex of the group holds B units.
    vertices : the group.
    effort : bound on the half-edges looked at; by default one that grows with the size of the group.

    Returns
    -------
    part : the smallest one around the body that failed, or None.
    complete : False if the effort ran out before all bodies were tested.
    """
    bound = max(EFFORT, EFFORT_PER_BODY * len(vertices)) if effort is None else effort
    search = _ConnectivitySearch(graph, held, set(vertices), bound)
    queue = [(-units, v) for v, units in search.supply.items()]
    heapify(queue)
    while queue:
        _, v = heappop(queue)
        if v in search.fed:
            continue
        part = search.feed(v)
        if part is not None:
            return part, True
        if search.effort < 0:
            return None, False
        for u in search.accept(v):
            heappush(queue, (-search.supply[u], u))
    return None, True


@dataclass(slots=True)
class _ConnectivitySearch:
    graph: PairGraph
    held: list[int]
    group: set[int]
    effort: int
    fed: set[int] = field(default_factory=set)  # bodies known to be reached by B disjoint paths
    supply: dict[int, int] = field(init=False)  # units a body holds across to the frame or to a fed body

    def __post_init__(self) -> None:
        end = self.graph.end
        self.supply = {
            v: sum(self.held[a] for a in self.graph.incident[v] if end[a ^ 1] not in self.group)
            for v in sorted(self.group)
        }

    def accept(self, v: int) -> Iterable[int]:
        """Add v to the fed bodies; return those whose supply grew."""
        self.fed.add(v)
        grown = []
        for a in self.graph.incident[v]:
            u = self.graph.end[a ^ 1]
            if u in self.group and u not in self.fed and self.held[a ^ 1]:
                self.supply[u] += self.held[a ^ 1]
                grown.append(u)
        return grown

    def feed(self, v: int) -> StiffPart | None:
        """Lead B disjoint paths from the fed bodies and the frame to v; return the cut that forbids it.

        That fed bodies may serve as sources is sound: a cut around v that also
        cuts off a fed body would have failed there already.
        """
        needed = self.graph.freedoms
        if self.supply[v] >= needed or self.supply[v] + self._next_door(v) >= needed:
            return None
        flow: dict[int, int] = {}
        drawn: dict[int, int] = {}
        while needed:
            parent = {v: -1}
            source = self._nearest_source(flow, drawn, parent)
            if self.effort < 0:
                return None
            if source is None:
                return StiffPart(tuple(sorted(parent)), needed)
            path = []
            x = source
            while parent[x] >= 0:
                path.append(parent[x])
                x = self.graph.end[parent[x]]
            amount = min(
                needed,
                self.supply[source] - drawn.get(source, 0),
                *(self.held[a] - flow.get(a, 0) + flow.get(a ^ 1, 0) for a in path),
            )
            drawn[source] = drawn.get(source, 0) + amount
            for a in path:
                undone = min(amount, flow.get(a ^ 1, 0))
                flow[a ^ 1] = flow.get(a ^ 1, 0) - undone
                flow[a] = flow.get(a, 0) + amount - undone
            needed -= amount
        return None

    def _next_door(self, v: int) -> int:
        """Return how much the bodies next to v can pass on to it of their own supply."""
        end, held, supply = self.graph.end, self.held, self.supply
        incident = self.graph.incident[v]
        self.effort -= len(incident)
        found: dict[int, int] = {}
        for a in incident:
            u = end[a ^ 1]
            if held[a] and u in supply and u not in self.fed:
                found[u] = found.get(u, 0) + held[a]
        return sum([min(units, supply[u]) for u, units in found.items()])

    def _nearest_source(self, flow: dict[int, int], drawn: dict[int, int], parent: dict[int, int]) -> int | None:
        """Search against the arcs for a body with supply left; `parent` tells the half-edge towards the goal."""
        end, held = self.graph.end, self.held
        layer = list(parent)
        while layer:
            following = []
            for x in layer:
                if self.supply[x] > drawn.get(x, 0):
                    return x
                self.effort -= len(self.graph.incident[x])
                for a in self.graph.incident[x]:
                    u = end[a ^ 1]
                    if u not in self.group or u in self.fed or u in parent:
                        continue
                    if held[a] - flow.get(a, 0) + flow.get(a ^ 1, 0) > 0:
                        parent[u] = a
                        following.append(u)
            layer = following
        return None
