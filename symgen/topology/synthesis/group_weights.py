"""Structural groups before types: how many constraints each pair between two bodies and each body's outer pairs impose.

With c of every inner pair and o of every body (all its outer pairs together),
n bodies are a structural group in B freedoms each if

    sum o + sum c = B n                                the group is determined,
    o(S) + c(S) < B |S|     for every proper part S    no part is solved before, none is overdetermined,
    c(T) <= B (|T| - 1)     for |T| >= 2               no part is stiffer than rigid,

and the inner pairs connect them. Source: Celdran, Saura, Dopico 2022, Eq. (3)
and (5); the last condition is T.-S. Tay's, 1984.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from symgen.topology.synthesis.small_graphs import Graph, canonical_form, edges_of, members, symmetries


@dataclass(frozen=True, slots=True)
class Weights:
    """Constraints of a group.

    Attributes
    ----------
    edges : pairs of bodies that an inner pair joins.
    inner : constraints of each of them.
    outer : constraints of all outer pairs of each body.
    symmetries : permutations (body -> body) that keep all this, the identity first.
    """

    edges: tuple[tuple[int, int], ...]
    inner: tuple[int, ...]
    outer: tuple[int, ...]
    symmetries: tuple[tuple[int, ...], ...]


def find_weights(bodies: int, freedoms: int, inner: Sequence[int], outer: Sequence[int]) -> Iterator[Weights]:
    """Yield the weights of all groups, each once up to symmetry.

    Parameters
    ----------
    bodies : number of bodies n.
    freedoms : B, 3 or 6.
    inner : what an inner pair may impose, ascending.
    outer : what the outer pairs of one body may impose together, ascending, 0 among them.
    """
    for graph in connected_graphs(bodies):
        edges = tuple(edges_of(graph))
        group = symmetries(graph)
        parts = [(mask, members(mask)) for mask in range(1, 1 << bodies)]
        for chosen in _inner_weights(edges, freedoms, inner, bodies):
            for outside in _outer_weights(bodies, freedoms, outer, edges, chosen, parts):
                kept = _keeping(edges, chosen, outside, group)
                if kept is not None:
                    yield Weights(edges, chosen, outside, kept)


def connected_graphs(vertices: int) -> list[Graph]:
    """Return all connected graphs of so many vertices, each once, those with fewer edges first."""
    level: set[Graph] = {(0,)}
    for size in range(1, vertices):
        grown: set[Graph] = set()
        for graph in level:
            for around in range(1, 1 << size):
                masks = [mask | (around >> v & 1) << size for v, mask in enumerate(graph)]
                grown.add(canonical_form((*masks, around))[0])
        level = grown
    return sorted(level, key=lambda graph: (len(edges_of(graph)), graph))


def _within(edges: Sequence[tuple[int, int]], weights: Sequence[int], mask: int) -> int:
    return sum(c for (a, b), c in zip(edges, weights, strict=False) if mask >> a & 1 and mask >> b & 1)


def _inner_weights(
    edges: Sequence[tuple[int, int]], freedoms: int, allowed: Sequence[int], bodies: int
) -> Iterator[tuple[int, ...]]:
    """Yield weights of the inner pairs that make no part stiffer than rigid."""
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        weights = waiting.pop()
        if weights and not _is_loose(edges, weights, freedoms, bodies):
            continue
        if len(weights) == len(edges):
            yield weights
        else:
            waiting += [(*weights, c) for c in reversed(allowed)]


def _is_loose(edges: Sequence[tuple[int, int]], weights: tuple[int, ...], freedoms: int, bodies: int) -> bool:
    """Tell whether the parts that hold the last pair weighed are not stiffer than rigid; later pairs count nothing."""
    a, b = edges[len(weights) - 1]
    others = [v for v in range(bodies) if v not in (a, b)]
    for count in range(len(others) + 1):
        for more in combinations(others, count):
            mask = 1 << a | 1 << b | sum(1 << v for v in more)
            if _within(edges, weights, mask) > freedoms * (count + 1):
                return False
    return True


def _outer_weights(
    bodies: int,
    freedoms: int,
    allowed: Sequence[int],
    edges: Sequence[tuple[int, int]],
    weights: tuple[int, ...],
    parts: Sequence[tuple[int, list[int]]],
) -> Iterator[tuple[int, ...]]:
    """Yield outer weights that make the group determined and no proper part of it."""
    total = freedoms * bodies - sum(weights)
    every = (1 << bodies) - 1
    room = [(mask, part, freedoms * len(part) - _within(edges, weights, mask)) for mask, part in parts]
    ending = [[(mask, part, free) for mask, part, free in room if part[-1] == v] for v in range(bodies)]
    waiting: list[tuple[int, ...]] = [()]
    while waiting:
        outside = waiting.pop()
        v = len(outside)
        if v == bodies:
            if sum(outside) == total:
                yield outside
            continue
        for o in reversed(allowed):
            more = (*outside, o)
            if sum(more) <= total and all(
                mask == every or sum(more[u] for u in part) < free for mask, part, free in ending[v]
            ):
                waiting.append(more)


def _keeping(
    edges: Sequence[tuple[int, int]],
    inner: tuple[int, ...],
    outer: tuple[int, ...],
    group: Sequence[tuple[int, ...]],
) -> tuple[tuple[int, ...], ...] | None:
    """Return the symmetries that keep the weights, or None if these are not the first of those symmetric to them."""
    number = {edge: k for k, edge in enumerate(edges)}
    kept = []
    for s in group:
        image = (
            tuple([outer[u] for u in s]),
            tuple([inner[number[min(s[a], s[b]), max(s[a], s[b])]] for a, b in edges]),
        )
        if image < (outer, inner):
            return None
        if image == (outer, inner):
            kept.append(s)
    return tuple(kept)
