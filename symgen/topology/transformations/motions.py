"""Test L3 for many choices of inputs at once.

The joints alone leave a space of motions; its generic dimension is f if their
constraints are independent. A choice is regular if and only if the driven
freedoms tell these motions apart: f functionals on a space of dimension f, one
small determinant a choice in place of the elimination of all constraints.

One placement serves all choices; as in `symgen.topology.rank.generic` everything is
exact modulo a prime, and a choice is called singular by accident with probability below 10^-15.
"""

from __future__ import annotations

from collections.abc import Sequence

from symgen.topology.graph import PairGraph
from symgen.topology.rank.elimination import Echelon
from symgen.topology.rank.generic import eliminate_pairs, spread
from symgen.topology.rank.twists import PRIME, RandomSource

#: Numbers in the list of all motions, beyond which each choice is tested by its own groups.
LARGEST = 2_000_000


class GenericMotions:
    """The generic motions that the joints leave, seen by the freedoms of each pair.

    Attributes
    ----------
    freedoms : dimension of the space of motions.
    """

    def __init__(self, graph: PairGraph, echelon: Echelon, highest: Sequence[int]) -> None:
        width = graph.freedoms
        position = {v: v - 1 for v in range(1, graph.bodies)}
        placement = RandomSource()
        self.freedoms = len(echelon.free)
        motions: dict[int, dict[int, int]] = {c: {} for c in range(width * len(position))}
        for number, motion in enumerate(echelon.basis()):  # column -> its entries in each motion
            for column, x in motion.items():
                motions[column][number] = x
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


def find_motions(graph: PairGraph, highest: Sequence[int]) -> GenericMotions | None:
    """Return the generic motions; None if a pair type without known twists or the effort forbids it.

    Parameters
    ----------
    highest : the most freedoms of each pair that will be driven.
    """
    echelon = eliminate_pairs(graph, range(len(graph.joints)), range(1, graph.bodies), inputs=False)
    if echelon is None or len(echelon.free) * graph.freedoms * graph.bodies > LARGEST:
        return None
    return GenericMotions(graph, echelon, highest)


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
