"""The groups by a general graph library: every constraint a node, every freedom a slot, matched; then components."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx


def find_groups(freedoms: int, bodies: int, pairs: Sequence[tuple[int, int, int]]) -> list[tuple[int, ...]]:
    """Return the groups, predecessors first; [] if constraints and freedoms cannot be matched.

    Parameters
    ----------
    freedoms : B, 3 or 6.
    bodies : frame, number 0, included.
    pairs : body, body, number of constraints.
    """
    graph = nx.Graph()
    constraints = [(p, k) for p, (_, _, units) in enumerate(pairs) for k in range(units)]
    for node in constraints:
        for body in pairs[node[0]][:2]:
            if body:
                graph.add_edges_from((node, (body, slot, "slot")) for slot in range(freedoms))
    matching = nx.bipartite.hopcroft_karp_matching(graph, top_nodes=constraints)
    if any(node not in matching for node in constraints) or len(constraints) != freedoms * (bodies - 1):
        return []
    needs = nx.DiGraph()
    needs.add_nodes_from(range(1, bodies))
    for node in constraints:
        first, second, _ = pairs[node[0]]
        holder = matching[node][0]
        other = second if holder == first else first
        if other:
            needs.add_edge(other, holder)
    whole = nx.condensation(needs)
    return [tuple(sorted(whole.nodes[group]["members"])) for group in nx.topological_sort(whole)]
