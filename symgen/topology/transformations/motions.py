"""Test L3 for many choices of inputs at once.

The joints alone leave a space of motions; its generic dimension is f if their
constraints are independent. A choice is regular if and only if the driven
freedoms tell these motions apart: f functionals on a space of dimension f, one
small determinant a choice in place of the elimination of all constraints.

One placement serves all choices; as in `symgen.topology.rank` everything is
exact modulo a prime, and a choice is called singular by accident with probability below 10^-15.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.topology.graph import PairGraph
from symgen.topology.rank import reduce_rows, spread
from symgen.topology.twists import PRIME, Placement, constraint_rows, has_rows

#: Bodies up to which the motions are computed; elimination grows with the third power.
LARGEST = 100


class Motions:
    """The generic motions that the joints leave, seen by the freedoms of each pair.

    Attributes
    ----------
    freedoms : dimension of the space of motions.
    """

    def __init__(self, graph: PairGraph, highest: Sequence[int]) -> None:
        width = graph.freedoms
        space = "planar" if width == 3 else "spatial"
        position = {v: v - 1 for v in range(1, graph.bodies)}
        placement = Placement()
        pivots = reduce_rows(
            spread(graph, p, row, position)
            for p, joint in enumerate(graph.joints)
            for row in constraint_rows(space, joint.type, 0, placement)
        )
        free = [c for c in range(width * len(position)) if c not in pivots]
        self.freedoms = len(free)
        motions = {c: {number: 1} for number, c in enumerate(free)}  # column -> its entries in each motion
        for column, row in pivots.items():
            motions[column] = {number: -row[c] % PRIME for number, c in enumerate(free) if c in row}
        self._rows = tuple(
            tuple(self._seen(motions, spread(graph, p, placement.vector(width), position)) for _ in range(count))
            for p, count in enumerate(highest)
        )

    def _seen(self, motions: dict[int, dict[int, int]], functional: dict[int, int]) -> list[int]:
        values = [0] * self.freedoms
        for column, factor in functional.items():
            for number, x in motions[column].items():
                values[number] = (values[number] + factor * x) % PRIME
        return values

    def are_fixed_by(self, choice: Sequence[int]) -> bool:
        """Tell whether these inputs fix every motion, for almost every geometry."""
        rows = [row for p, w in enumerate(choice) if w for row in self._rows[p][:w]]
        return len(rows) == self.freedoms and _is_regular(rows)


def find_motions(graph: PairGraph, highest: Sequence[int]) -> Motions | None:
    """Return the generic motions; None if a pair type without known twists or the size forbids it.

    Parameters
    ----------
    highest : the most freedoms of each pair that will be driven.
    """
    space = "planar" if graph.freedoms == 3 else "spatial"
    if graph.bodies - 1 > LARGEST or not all(has_rows(space, joint.type) for joint in graph.joints):
        return None
    return Motions(graph, highest)


def _is_regular(rows: Sequence[Sequence[int]]) -> bool:
    """Tell whether a square matrix is regular; no division, so nothing has to be inverted."""
    left = list(rows)
    for column in range(len(left)):
        pivot = next((row for row in left if row[column]), None)
        if pivot is None:
            return False
        head = pivot[column]
        left = [
            [(head * x - row[column] * y) % PRIME for x, y in zip(row, pivot, strict=True)] if row[column] else row
            for row in left
            if row is not pivot
        ]
    return True
