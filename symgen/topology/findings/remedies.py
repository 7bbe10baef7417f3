"""Constraints that follow from each other: which joints and inputs share in that, and what to exchange.

A row shares in a dependency if some combination of rows that gives zero holds it (the left null space). Taking such
a row away loses no rank; taking any other away frees a motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symgen.topology.graph import FRAME, PairGraph
from symgen.topology.rank.elimination import ADVICE_EFFORT, eliminate
from symgen.topology.rank.generic import eliminate_pairs, pair_rows, spread
from symgen.topology.rank.twists import PRIME, RandomSource, has_rows

#: Advice looks no farther back than so many bodies.
_MOST_BODIES = 200


@dataclass(frozen=True, slots=True)
class SharingPairs:
    """Pairs that share in a dependency, ascending: by constraints of their joints, and by inputs."""

    joints: tuple[int, ...]
    inputs: tuple[int, ...]

    @property
    def pairs(self) -> list[int]:
        """All of them, ascending."""
        return sorted({*self.joints, *self.inputs})


@dataclass(frozen=True, slots=True)
class Exchange:
    """Inputs at the wrong places, and right ones.

    Attributes
    ----------
    give : pairs one input of which can be taken away, ascending.
    relax : pairs that can allow more in place of that, ascending.
    take : pairs of which a further freedom sees the motion that is left, ascending.
    """

    give: tuple[int, ...]
    relax: tuple[int, ...]
    take: tuple[int, ...]


def shared_rows(
    graph: PairGraph, pairs: Sequence[int], vertices: Sequence[int], *, rank_loss: int | None = None
) -> SharingPairs | None:
    """Return who shares in the dependencies of the constraints of pairs on some bodies, all others at rest.

    Parameters
    ----------
    rank_loss : number of dependencies that is expected; None stands for any.

    Returns
    -------
    shared : None if a pair type has no known twists, the effort runs out or the dependencies are more.
    """
    space = "planar" if graph.freedoms == 3 else "spatial"
    if not all(has_rows(space, graph.kinds[p][0]) for p in pairs):
        return None
    if 4 * graph.freedoms * sum(graph.units[p] for p in pairs) > ADVICE_EFFORT:
        return None
    position = {v: number for number, v in enumerate(vertices)}
    placement = RandomSource(len(pairs))
    owner: list[tuple[int, bool]] = []
    transposed: list[dict[int, int]] = [{} for _ in range(len(vertices) * graph.freedoms)]
    for p in pairs:
        rows = pair_rows(graph, p, placement)
        for number, row in enumerate(rows):
            for column, x in spread(graph, p, row, position).items():
                transposed[column][len(owner)] = x
            owner.append((p, number >= len(rows) - graph.joints[p].driven))
    echelon = eliminate(transposed, len(owner), ADVICE_EFFORT)
    if echelon is None or (rank_loss is not None and len(echelon.free) != rank_loss):
        return None
    found = {owner[number] for dependency in echelon.random_motions(1) for number in dependency}
    return SharingPairs(*(tuple(sorted({p for p, is_input in found if is_input == side})) for side in (False, True)))


def stressed_pairs(graph: PairGraph, held: Sequence[int], vertices: Sequence[int]) -> list[int]:
    """Return the pairs of a group whose constraints take part in a dependency, ascending.

    [] if the effort runs out.
    """
    shared = shared_rows(graph, _held_pairs(graph, held, vertices), vertices)
    return shared.pairs if shared is not None else []


def find_exchange(graph: PairGraph, held: Sequence[int], vertices: Sequence[int], deficit: int) -> Exchange | None:
    """Return the inputs to exchange where the constraints of a group depend on each other.

    Any of the inputs to give, exchanged for a freedom of another pair to take, makes one more constraint independent.
    Inputs of groups solved before are looked at too: they may prescribe twice what the group needs once.

    Returns
    -------
    exchange : None if it is not known.
    """
    own = _held_pairs(graph, held, vertices)
    echelon = eliminate_pairs(graph, own, vertices, effort=ADVICE_EFFORT)
    if echelon is None or not echelon.free:
        return None
    position = {v: number for number, v in enumerate(vertices)}
    placement = RandomSource(1)
    (motion,) = echelon.random_motions(1)
    before = _all_before(graph, held, vertices)
    at_rest = {FRAME, *(before or vertices)}
    take = [
        p
        for p in sorted({*own, *_free_pairs(graph, vertices, at_rest)})
        if graph.joints[p].driven < graph.joints[p].grade and _sees(graph, p, placement, position, motion)
    ]
    shared = None
    if before is not None:
        shared = shared_rows(graph, _held_pairs(graph, held, before), before, rank_loss=deficit)
    if shared is None or not {*shared.pairs} & {*own}:  # a dependency of others
        shared = shared_rows(graph, own, vertices)
    return None if shared is None else Exchange(shared.inputs, shared.joints, tuple(take))


def _free_pairs(graph: PairGraph, vertices: Iterable[int], others: set[int]) -> list[int]:
    """Return the pairs of some bodies, between them or to others, that constrain nothing yet."""
    return [
        a // 2 for v in vertices for a in graph.incident[v] if not graph.units[a // 2] and graph.end[a ^ 1] in others
    ]


def _sees(
    graph: PairGraph, pair: int, placement: RandomSource, position: dict[int, int], motion: dict[int, int]
) -> bool:
    functional = spread(graph, pair, placement.vector(graph.freedoms), position)
    return sum(x * motion[c] for c, x in functional.items() if c in motion) % PRIME != 0


def _held_pairs(graph: PairGraph, held: Sequence[int], vertices: Iterable[int]) -> list[int]:
    return sorted({a // 2 for v in vertices for a in graph.incident[v] if held[a]})


def _all_before(graph: PairGraph, held: Sequence[int], vertices: Sequence[int]) -> list[int] | None:
    """Return the bodies and all that are solved before them, ascending; None if they are many."""
    found = list(vertices)
    known = set(found)
    for v in found:  # grows while it is walked
        if len(found) > _MOST_BODIES:
            return None
        for a in graph.incident[v]:
            u = graph.end[a ^ 1]
            if held[a] and u != FRAME and u not in known:
                known.add(u)
                found.append(u)
    return sorted(found)
