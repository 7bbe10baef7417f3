"""Sparse elimination modulo the prime: the rank of many constraints, and motions that they leave.

Unknowns are taken in the order of how few rows hold them, with the shortest of these rows as pivot (minimum degree;
H. M. Markowitz, 1957). In linkages most bodies have two or three pairs, so that little fills in: some thousand
bodies take seconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from symgen.topology.rank.twists import PRIME, RandomSource

#: Products of entries before a rank is given up: about ten seconds.
EFFORT = 20_000_000
#: The same for what only serves advice: about one second.
ADVICE_EFFORT = 2_000_000


@dataclass(frozen=True, slots=True)
class Echelon:
    """Rows in the order of elimination: each is solved for its pivot by unknowns that are pivots later, or free.

    Attributes
    ----------
    pivots : (unknown, its row without the pivot, which is one).
    free : unknowns that no row determines, ascending: as many as there are independent motions.
    """

    pivots: tuple[tuple[int, Mapping[int, int]], ...]
    free: tuple[int, ...]

    def motion(self, values: Mapping[int, int]) -> dict[int, int]:
        """Return the solution with these values of the free unknowns (others 0); zeros are left out."""
        found = {c: x for c, x in values.items() if x}
        for column, row in reversed(self.pivots):
            value = -sum([x * found[c] for c, x in row.items() if c in found]) % PRIME
            if value:
                found[column] = value
        return found

    def random_motions(self, count: int) -> list[dict[int, int]]:
        """Return random solutions; what holds for one holds, but for accidents, for almost all."""
        placement = RandomSource(count + len(self.free))
        return [self.motion({c: placement.number() for c in self.free}) for _ in range(count)]

    def basis(self) -> list[dict[int, int]]:
        """Return a basis of the solutions, one for each free unknown."""
        return [self.motion({c: 1}) for c in self.free]


def eliminate(matrix: Iterable[Mapping[int, int]], columns: int, effort: int = EFFORT) -> Echelon | None:
    """Bring a matrix modulo the prime into echelon form.

    Parameters
    ----------
    matrix : rows, column -> entry; entries are not 0.
    columns : number of unknowns, 0 .. columns - 1.
    effort : bound on the products of entries.

    Returns
    -------
    echelon : None if the effort ran out.
    """
    rows: list[dict[int, int]] = []
    holders: list[set[int]] = [set() for _ in range(columns)]
    for source in matrix:
        effort -= len(source)
        if effort < 0:
            return None
        for c in source:
            holders[c].add(len(rows))
        rows.append(dict(source))
    queue = [(len(numbers), c) for c, numbers in enumerate(holders)]
    heapify(queue)
    pivots: list[tuple[int, Mapping[int, int]]] = []
    free: list[int] = []
    done = [False] * columns
    while queue:
        count, column = heappop(queue)
        if done[column] or count != len(holders[column]):
            continue
        done[column] = True
        if not count:
            free.append(column)
            continue
        number = min(holders[column], key=lambda n: (len(rows[n]), n))
        pivot = rows[number]
        effort -= len(pivot) * count
        if effort < 0:
            return None
        _normalise(pivot, column)
        touched = set(pivot)
        for c in pivot:
            holders[c].discard(number)
        holders[column].discard(number)
        for n in sorted(holders[column]):
            _take(rows, holders, n, pivot, rows[n].pop(column))
        holders[column].clear()
        for c in sorted(touched):
            heappush(queue, (len(holders[c]), c))
        pivots.append((column, pivot))
    return Echelon(tuple(pivots), tuple(sorted(free)))


def _normalise(row: dict[int, int], column: int) -> None:
    inverse = pow(row.pop(column), -1, PRIME)
    for c in row:
        row[c] = row[c] * inverse % PRIME


def _take(
    rows: Sequence[dict[int, int]], holders: Sequence[set[int]], n: int, pivot: Mapping[int, int], factor: int
) -> None:
    """Take `factor` times the pivot row from row n; zeros are not kept."""
    row = rows[n]
    for c, x in pivot.items():
        old = row.get(c)
        if old is None:
            row[c] = -factor * x % PRIME
            holders[c].add(n)
            continue
        value = (old - factor * x) % PRIME
        if value:
            row[c] = value
        else:
            del row[c]
            holders[c].discard(n)
