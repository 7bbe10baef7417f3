"""What would help: inputs that are missing, motions of a body alone, constraints that depend on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symgen.topology.elimination import eliminate
from symgen.topology.graph import FRAME, PairGraph
from symgen.topology.matching import Assignment, assign_units
from symgen.topology.rank import reduce_rows, spread
from symgen.topology.twists import Placement, constraint_rows, has_rows

#: Beyond these sizes no inputs are proposed: each proposal is a new assignment.
_MOST_BODIES, _MOST_MISSING, _MOST_TRIALS = 300, 12, 300


def idle_freedoms(graph: PairGraph, v: int) -> int:
    """Return how many motions a body has that move no other: its neighbours at rest, generic placement.

    0 for a body with fewer than two pairs that constrain it (then its motion is no secret), or if the twists of a
    pair are not known.
    """
    space = "planar" if graph.freedoms == 3 else "spatial"
    pairs = sorted({a // 2 for a in graph.incident[v] if graph.units[a // 2]})
    if len(pairs) < 2 or graph.reduced or not all(has_rows(space, graph.joints[p].type) for p in pairs):
        return 0
    placement = Placement(len(pairs))
    rows = (
        spread(graph, p, row, {v: 0})
        for p in pairs
        for row in constraint_rows(space, graph.joints[p].type, graph.joints[p].driven, placement)
    )
    return graph.freedoms - len(reduce_rows(rows))


def propose_inputs(graph: PairGraph, assignment: Assignment, part: Sequence[int], count: int) -> list[int]:
    """Return pairs of which one more freedom each, driven, supplies the missing constraints of a set; [] if unknown.

    Pairs with the frame come first, since motors sit there, and of them those of one freedom.
    """
    if graph.bodies > _MOST_BODIES or count > _MOST_MISSING:
        return []
    ends = {a // 2 for v in part for a in graph.incident[v]}
    order = sorted(
        (p for p in ends if graph.joints[p].driven < graph.joints[p].grade),
        key=lambda p: (FRAME not in (graph.end[2 * p], graph.end[2 * p + 1]), graph.joints[p].grade, p),
    )
    units, missing = list(graph.units), _missing(graph, assignment)
    chosen: list[int] = []
    left = {p: graph.joints[p].grade - graph.joints[p].driven for p in order}
    trials = 0
    for p in order:
        while left[p] and len(chosen) < count:
            trials += 1
            if trials > _MOST_TRIALS:
                return []
            units[p] += 1
            trial = replace(graph, units=list(units))
            found = _missing(trial, assign_units(trial))
            if found >= missing:
                units[p] -= 1
                break
            missing, left[p] = found, left[p] - 1
            chosen.append(p)
    return chosen if len(chosen) == count else []


def _missing(graph: PairGraph, assignment: Assignment) -> int:
    return sum(max(0, graph.freedoms - assignment.load[v]) for v in range(1, graph.bodies))


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
