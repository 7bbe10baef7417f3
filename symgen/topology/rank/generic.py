"""Test L3: the constraints of a group have full rank at a random placement, true pair types taken.

Sees what counting cannot: idle rotations (a body hung on two balls), parallel
directions (three sliders in the plane). All bodies may sit at the identity:
the geometry of different pairs is independent, so every random placement is an
assembled configuration.

A group that is regular here is regular for almost every geometry. Rank modulo
a prime never exceeds the true rank, and falls short of it by accident with
probability below 10^-15. There is no bound on the size, only one on the effort
(`symgen.topology.rank.elimination`); groups beyond it are reported as unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from symgen.topology.graph import PairGraph
from symgen.topology.rank.elimination import EFFORT, Echelon, eliminate
from symgen.topology.rank.twists import PRIME, RandomSource, Vector, constraint_rows, has_rows, named_rows

if TYPE_CHECKING:
    from symgen.model.pairs import Space

# Pair types for which the count of test L2 is exact, with any inputs: a hinge (a pin in the plane), a single contact.
_HINGES_AND_BARS = {"planar": {"R", "L"}, "spatial": {"R", "SP"}}

#: Random numbers of joints of several bodies start here, away from those of other pairs.
_SHARED_SEED = 1 << 40


def is_decided_by_count(graph: PairGraph, held: Sequence[int], vertices: Sequence[int]) -> bool:
    """Tell whether a group has full generic rank if and only if it passes test L2.

    So it is for bodies joined by hinges and bars, if no hinge holds more than two of them; an input adds a generic row,
    which is never worse than a bar.

    Sources: T.-S. Tay, 1984 and 1989; W. Whiteley, 1988; B. Jackson and T. Jordan, "The generic rank of
    body-bar-and-hinge frameworks", 2010.
    """
    exact = _HINGES_AND_BARS["planar" if graph.freedoms == 3 else "spatial"]
    kinds, shared, incident = graph.kinds, graph.shared, graph.incident
    return all(kinds[a >> 1][0] in exact and a >> 1 not in shared for v in vertices for a in incident[v] if held[a])


@dataclass(frozen=True, slots=True)
class GenericRank:
    """Rank of a group's constraints: how many are missing, and which vertices can still move (by position)."""

    deficit: int
    moving: tuple[int, ...]


def generic_rank(
    graph: PairGraph, held: Sequence[int], vertices: Sequence[int], effort: int = EFFORT
) -> GenericRank | None:
    """Return the exact generic rank of a group between solved bodies; None if a pair type or the effort forbids it.

    Parameters
    ----------
    held : the assignment: pairs of which the group holds no unit are handed on, they constrain later bodies.
    vertices : the group.
    """
    pairs = sorted({a // 2 for v in vertices for a in graph.incident[v] if held[a]})
    echelon = eliminate_pairs(graph, pairs, vertices, effort=effort)
    if echelon is None:
        return None
    moving = {c // graph.freedoms for motion in echelon.random_motions(1) for c in motion}
    return GenericRank(len(echelon.free), tuple(sorted(moving)))


def eliminate_pairs(
    graph: PairGraph,
    pairs: Sequence[int],
    vertices: Sequence[int],
    *,
    inputs: bool = True,
    more: Sequence[int] = (),
    effort: int = EFFORT,
) -> Echelon | None:
    """Eliminate the constraints of pairs on the twists of some bodies; all others are at rest.

    Parameters
    ----------
    vertices : vertex ``vertices[n]`` has the unknowns B n .. B n + B - 1.
    inputs : whether the inputs constrain too.
    more : pairs of which one further freedom is driven, once for each time they stand here.

    Returns
    -------
    echelon : None if a pair type has no known twists, or the effort ran out.
    """
    space: Space = "planar" if graph.freedoms == 3 else "spatial"
    if not all(has_rows(space, graph.kinds[p][0]) for p in pairs):
        return None
    entries = 2 * graph.freedoms * sum(graph.units[p] for p in pairs)
    if 2 * entries > effort:  # hopeless: reading the rows alone takes half of it
        return None
    position = {v: number for number, v in enumerate(vertices)}
    placement = RandomSource(len(pairs))
    rows = (spread(graph, p, row, position) for p in pairs for row in pair_rows(graph, p, placement, inputs=inputs))
    further = (spread(graph, p, placement.vector(graph.freedoms), position) for p in more)
    return eliminate(chain(rows, further), len(vertices) * graph.freedoms, effort)


def pair_rows(graph: PairGraph, pair: int, placement: RandomSource, *, inputs: bool = True) -> list[Vector]:
    """Return the rows of a pair at a random placement: those of the joint, then one for each input.

    Inputs act on the freedoms that the file names, or else on generic combinations of all. The pairs of a joint of
    several bodies stand at one place and share their axes.
    """
    space: Space = "planar" if graph.freedoms == 3 else "spatial"
    type_, driven = graph.kinds[pair]
    named = graph.named.get(pair, ()) if inputs else ()
    return type_rows(space, type_, driven if inputs else 0, named, placement, graph.shared.get(pair))


def type_rows(
    space: Space, type_: str, driven: int, named: Sequence[str], placement: RandomSource, shared: int | None = None
) -> list[Vector]:
    """Return the rows of a pair of some type.

    Parameters
    ----------
    named : the driven freedoms, if only some are driven and it is known which.
    shared : number of the joint of several bodies it stands for; equal numbers have equal places.
    """
    place = placement if shared is None else RandomSource(_SHARED_SEED + shared)
    if named:
        return named_rows(space, type_, named, place)
    return [
        *constraint_rows(space, type_, 0, place),
        *(placement.vector(3 if space == "planar" else 6) for _ in range(driven)),
    ]


def spread(graph: PairGraph, pair: int, row: Sequence[int], position: Mapping[int, int]) -> dict[int, int]:
    """Return a functional of a pair's relative twist as one of the twists of all bodies: column -> entry.

    Parameters
    ----------
    row : B entries.
    position : place of each moving body's B columns; bodies that are not in it are at rest.
    """
    entries: dict[int, int] = {}
    for v, sign in ((graph.end[2 * pair], -1), (graph.end[2 * pair + 1], 1)):
        if v in position:
            start = position[v] * len(row)
            entries.update((start + c, sign * x % PRIME) for c, x in enumerate(row) if x)
    return entries


def reduce_rows(matrix: Iterable[dict[int, int]]) -> dict[int, dict[int, int]]:
    """Return the reduced row echelon form modulo the prime: pivot column -> its row, without the unit pivot."""
    pivots: dict[int, dict[int, int]] = {}
    for source in matrix:
        row = dict(source)
        for column in [c for c in row if c in pivots]:
            _subtract(row, pivots[column], row.pop(column))
        if not row:
            continue
        column = min(row)
        inverse = pow(row.pop(column), -1, PRIME)
        row = {c: x * inverse % PRIME for c, x in row.items()}
        for other in pivots.values():
            if column in other:
                _subtract(other, row, other.pop(column))
        pivots[column] = row
    return pivots


def _subtract(row: dict[int, int], other: dict[int, int], factor: int) -> None:
    """Take `factor` times the other row from the row; zeros are not kept."""
    for c, x in other.items():
        value = (row.get(c, 0) - factor * x) % PRIME
        if value:
            row[c] = value
        else:
            row.pop(c, None)
