"""What an underdetermined set lacks: inputs that would help, idle motions, constraints that are there twice.

Everything is read from the motions that the joints and inputs leave at a generic placement. A further input helps if
and only if it sees a motion; as each input acts on a generic combination of the freedoms of its pair, one random
motion shows which pairs do.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from symgen.topology.findings.ball_legs import BallLeg, find_ball_legs
from symgen.topology.graph import FRAME, PairGraph
from symgen.topology.matching import Assignment
from symgen.topology.rank.elimination import ADVICE_EFFORT, Echelon
from symgen.topology.rank.generic import eliminate_pairs, pair_rows, reduce_rows, spread
from symgen.topology.rank.twists import PRIME, RandomSource, has_rows

#: No example of inputs is worked out for more, and no longer links are searched for idle rotations.
_MOST_INPUTS, _LONGEST_LINK = 12, 4


@dataclass(frozen=True, slots=True)
class IdleMotion:
    """Motions of a body, or of a link of bodies in series as if it were rigid, that leave all others at rest.

    Attributes
    ----------
    vertices : the bodies, ascending.
    count : number of independent motions.
    pair : of its outer pairs the one that should allow `count` freedoms less.
    on_balls : it is the rotation about the line through two S joints.
    """

    vertices: tuple[int, ...]
    count: int
    pair: int
    on_balls: bool


@dataclass(frozen=True, slots=True)
class Remedy:
    """What makes an underdetermined set regular.

    Attributes
    ----------
    redundant : constraints that follow from the others; they must be let go.
    idle : motions to be taken away, each by its pair.
    needed : inputs that are then missing.
    pairs : pairs of which a further freedom may be driven, ascending; each is part of some complete choice.
    example : one complete choice; shorter than `needed` if none was worked out or the pairs do not suffice.
    """

    redundant: int
    idle: tuple[IdleMotion, ...]
    needed: int
    pairs: tuple[int, ...]
    example: tuple[int, ...]


def find_remedy(graph: PairGraph, assignment: Assignment, part: Sequence[int]) -> Remedy | None:
    """Return what a connected underdetermined set lacks; None if twists are unknown or the effort forbids it."""
    pairs = sorted({a // 2 for v in part for a in graph.incident[v]})
    motions = None if graph.reduced else eliminate_pairs(graph, pairs, part, effort=ADVICE_EFFORT)
    if motions is None:
        return None
    left = len(motions.free)
    missing = graph.freedoms * len(part) - sum(assignment.load[v] for v in part)
    idle: list[IdleMotion] = []
    spins = [IdleMotion(leg.vertices, 1, leg.pair, True) for leg in ball_legs_of(graph, part)]
    used = {v for motion in spins if len(motion.vertices) <= _LONGEST_LINK for v in motion.vertices}
    for more in (spins, _find_idle(graph, part, used)):
        stopped = [each.pair for each in (*idle, *more) for _ in range(each.count)]
        without = eliminate_pairs(graph, pairs, part, more=stopped, effort=2 * ADVICE_EFFORT) if more else None
        if without is not None and len(without.free) == left - len(stopped):
            motions, idle = without, [*idle, *more]
    helpful = _helpful(graph, pairs, part, motions)
    example = _example(graph, helpful, part, motions)
    return Remedy(left - missing, tuple(idle), len(motions.free), tuple(helpful), tuple(example))


def _seen(functional: dict[int, int], motion: dict[int, int]) -> int:
    return sum(x * motion[c] for c, x in functional.items() if c in motion) % PRIME


def _helpful(graph: PairGraph, pairs: Iterable[int], part: Sequence[int], motions: Echelon) -> list[int]:
    position = {v: number for number, v in enumerate(part)}
    placement = RandomSource(1)
    (motion,) = motions.random_motions(1)
    return [
        p
        for p in pairs
        if graph.joints[p].driven < graph.joints[p].grade
        and _seen(spread(graph, p, placement.vector(graph.freedoms), position), motion)
    ]


def _example(graph: PairGraph, helpful: Sequence[int], part: Sequence[int], motions: Echelon) -> list[int]:
    """Choose greedily: pairs with the frame first, since motors sit there, and of them those of one freedom."""
    needed = len(motions.free)
    if needed > _MOST_INPUTS:
        return []
    position = {v: number for number, v in enumerate(part)}
    basis = motions.basis()
    placement = RandomSource(2)
    chosen: list[int] = []
    rows: list[dict[int, int]] = []
    for p in sorted(
        helpful,
        key=lambda p: (FRAME not in (graph.end[2 * p], graph.end[2 * p + 1]), graph.joints[p].grade, p),
    ):
        for _ in range(graph.joints[p].grade - graph.joints[p].driven):
            if len(chosen) == needed:
                return chosen
            functional = spread(graph, p, placement.vector(graph.freedoms), position)
            row = {number: x for number, motion in enumerate(basis) if (x := _seen(functional, motion))}
            if len(reduce_rows([*rows, row])) == len(rows):
                break
            rows.append(row)
            chosen.append(p)
    return chosen


def ball_legs_of(graph: PairGraph, part: Sequence[int]) -> list[BallLeg]:
    """Return the legs of a connected underdetermined set that turn idly about the line through two balls.

    What hangs on the frame with both balls moves for all to see.
    """
    legs = find_ball_legs(graph, part, {a // 2 for v in part for a in graph.incident[v] if graph.units[a // 2]})
    return [leg for leg in legs if not _on_frame(graph, leg.balls)]


def _on_frame(graph: PairGraph, pairs: Iterable[int]) -> bool:
    return all(FRAME in (graph.end[2 * p], graph.end[2 * p + 1]) for p in pairs)


def _find_idle(graph: PairGraph, part: Sequence[int], used: set[int]) -> list[IdleMotion]:
    """Return other idle motions of single bodies and of links in series, each body in one of them at most.

    Parameters
    ----------
    used : bodies of motions that are known; changed.
    """
    inside = set(part)
    around = {v: [a for a in graph.incident[v] if graph.units[a // 2]] for v in part}
    found: list[IdleMotion] = []
    counts: dict[Hashable, int] = {}
    links: list[tuple[int, ...]] = [(v,) for v in part if len(around[v]) >= 2]
    for _ in range(_LONGEST_LINK):
        for link in links:
            motion = None if used & set(link) else _idle(graph, link, [a for v in link for a in around[v]], counts)
            if motion is not None:
                found.append(motion)
                used |= set(link)
        longer = {
            tuple(sorted((*link, u)))
            for link in links
            if all(len(around[v]) == 2 for v in link)
            for v in link
            for a in around[v]
            if (u := graph.end[a ^ 1]) in inside and u not in link and len(around[u]) == 2
        }
        links = sorted(link for link in longer if not used & set(link))
    return found


def _idle(
    graph: PairGraph, link: Sequence[int], around: Sequence[int], counts: dict[Hashable, int]
) -> IdleMotion | None:
    """Return the motions of a link as one rigid body between bodies at rest; None if it has none.

    Parameters
    ----------
    counts : number of motions by what the outer pairs are, as far as it is known; extended.
    """
    space = "planar" if graph.freedoms == 3 else "spatial"
    outer = sorted({a // 2 for a in around if graph.end[a ^ 1] not in link})
    if len(outer) < 2 or _on_frame(graph, outer) or not all(has_rows(space, graph.joints[p].type) for p in outer):
        return None
    kinds = tuple(sorted((*graph.kinds[p], graph.named.get(p, ()), graph.shared.get(p, -1)) for p in outer))
    if kinds not in counts:
        placement = RandomSource(len(outer))
        position = dict.fromkeys(link, 0)
        rows = (spread(graph, p, row, position) for p in outer for row in pair_rows(graph, p, placement))
        counts[kinds] = graph.freedoms - len(reduce_rows(rows))
    count = counts[kinds]
    spare = [graph.joints[p].grade - graph.joints[p].driven for p in outer]
    if not 0 < count <= max(spare):
        return None
    pair = max(p for p, left in zip(outer, spare, strict=True) if left >= count)
    return IdleMotion(tuple(link), count, pair, False)
