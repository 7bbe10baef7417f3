"""Blocks of a multigraph: its largest parts that stay connected without any one vertex.

Two edges are in one block if some cycle runs through both; an edge on no cycle, a bridge, is a block of its own.

Source: J. Hopcroft, R. Tarjan, "Efficient algorithms for graph manipulation", 1973, with an explicit stack.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.topology.loops.spanning_tree import Ends, other_end


def blocks_of(vertices: int, ends: Sequence[Ends]) -> list[list[int]]:
    """Return the numbers of the edges of each block, ascending; blocks in the order of their first edges.

    Parameters
    ----------
    ends : of each edge two different vertices; several edges may have the same.
    """
    around: list[list[int]] = [[] for _ in range(vertices)]
    for edge, pair in enumerate(ends):
        for vertex in pair:
            around[vertex].append(edge)
    depth, low = [-1] * vertices, [0] * vertices
    used, stack = [False] * len(ends), list[int]()
    found: list[list[int]] = []
    for root in range(vertices):
        if depth[root] >= 0:
            continue
        depth[root] = 0
        way: list[tuple[int, int, int]] = [(root, -1, 0)]  # vertex, edge that leads to it, next edge to look at
        while way:
            vertex, came, place = way.pop()
            if place < len(around[vertex]):
                way.append((vertex, came, place + 1))
                edge = around[vertex][place]
                if used[edge]:
                    continue
                used[edge] = True
                stack.append(edge)
                other = other_end(ends[edge], vertex)
                if depth[other] >= 0:
                    low[vertex] = min(low[vertex], depth[other])
                else:
                    depth[other] = low[other] = depth[vertex] + 1
                    way.append((other, edge, 0))
            elif came >= 0:
                before = other_end(ends[came], vertex)
                low[before] = min(low[before], low[vertex])
                if low[vertex] >= depth[before]:
                    cut = len(stack) - 1 - stack[::-1].index(came)
                    found.append(sorted(stack[cut:]))
                    del stack[cut:]
    return sorted(found)
