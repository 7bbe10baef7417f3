"""Exact generic mobility of a chain with true pair types, and the pairs that cannot move in it.

Round every loop the relative twists of the pairs add up to nothing. At a random
placement the rates that do so form a space whose dimension is the mobility; a
pair whose rates vanish throughout stands still (the hinge in a loop of three
sliders). Arithmetic is exact, modulo the prime of `symgen.topology.rank.twists`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.model.pairs import Space
from symgen.topology.rank.twists import PRIME, RandomSource, constraint_rows
from symgen.topology.synthesis.small_graphs import Graph, cycle_basis, edges_of


@dataclass(frozen=True, slots=True)
class LoopMobility:
    """`mobility` of the chain and the numbers of the pairs that stand `still`, ascending."""

    mobility: int
    still: tuple[int, ...]


def loop_mobility(graph: Graph, types: Sequence[str], space: Space) -> LoopMobility:
    """Return the generic mobility of a chain without inputs.

    Parameters
    ----------
    graph : links and pairs.
    types : pair type of each edge, in the order of `small_graphs.edges_of`.
    """
    width = 3 if space == "planar" else 6
    placement = RandomSource(len(types))
    first: list[int] = []  # column of the first rate of each pair
    twists: list[tuple[int, ...]] = []
    for pair_type in types:
        first.append(len(twists))
        twists += _null_space(constraint_rows(space, pair_type, 0, placement), width)
    first.append(len(twists))
    number = {edge: k for k, edge in enumerate(edges_of(graph))}
    rows = []
    for cycle in cycle_basis(graph):
        signed = [(number[min(a, b), max(a, b)], 1 if a < b else -1) for a, b in cycle]
        for component in range(width):
            row = [0] * len(twists)
            for k, sign in signed:
                for column in range(first[k], first[k + 1]):
                    row[column] = sign * twists[column][component] % PRIME
            rows.append(tuple(row))
    motions = _null_space(rows, len(twists))
    still = (k for k in range(len(types)) if not any(any(motion[first[k] : first[k + 1]]) for motion in motions))
    return LoopMobility(len(motions), tuple(still))


def _null_space(rows: Sequence[tuple[int, ...]], width: int) -> list[tuple[int, ...]]:
    """Return a basis of the vectors that all rows annul, modulo the prime."""
    pivots: dict[int, list[int]] = {}
    for source in rows:
        row = list(source)
        for column, other in pivots.items():
            if row[column]:
                row = _minus(row, row[column], other)
        lead = next((c for c, entry in enumerate(row) if entry), None)
        if lead is None:
            continue
        inverse = pow(row[lead], -1, PRIME)
        row = [entry * inverse % PRIME for entry in row]
        for column, other in pivots.items():
            if other[lead]:
                pivots[column] = _minus(other, other[lead], row)
        pivots[lead] = row
    basis = []
    for free in (c for c in range(width) if c not in pivots):
        vector = [0] * width
        vector[free] = 1
        for column, row in pivots.items():
            vector[column] = -row[free] % PRIME
        basis.append(tuple(vector))
    return basis


def _minus(row: list[int], factor: int, other: list[int]) -> list[int]:
    return [(x - factor * y) % PRIME for x, y in zip(row, other, strict=True)]
