"""Which joints share a dependency: constraints of a group that follow from each other."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.topology.elimination import eliminate
from symgen.topology.graph import PairGraph
from symgen.topology.rank import spread
from symgen.topology.twists import Placement, constraint_rows


def stressed_pairs(graph: PairGraph, held: Sequence[int], vertices: Sequence[int]) -> list[int]:
    """Return the pairs of a group whose constraints take part in a dependency (the left null space), ascending.

    [] if the effort runs out.
    """
    space = "planar" if graph.freedoms == 3 else "spatial"
    position = {v: number for number, v in enumerate(vertices)}
    pairs = sorted({a // 2 for v in vertices for a in graph.incident[v] if held[a]})
    placement = Placement(len(pairs))
    owner: list[int] = []
    transposed: list[dict[int, int]] = [{} for _ in range(len(vertices) * graph.freedoms)]
    for p in pairs:
        for row in constraint_rows(space, graph.joints[p].type, graph.joints[p].driven, placement):
            for column, x in spread(graph, p, row, position).items():
                transposed[column][len(owner)] = x
            owner.append(p)
    echelon = eliminate(transposed, len(owner))
    dependencies = [] if echelon is None else echelon.random_motions(1)
    return sorted({owner[number] for dependency in dependencies for number in dependency})
