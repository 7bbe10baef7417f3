"""Choices that differ only by a symmetry of the mechanism have the same structure and are analysed once.

A symmetry is a permutation of the moving bodies that maps pairs onto pairs of
the same type and the same bounds. Generators of the group of symmetries are found level by level: a
body is held in place after the other, and for every body that could take the
place of the next one a symmetry is sought by comparing canonical forms.

Source: C. C. Sims, 1970 (strong generators); the canonical form is that of `symgen.topology.canonical`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter

from symgen.topology.canonical import canonical_order, certificate, stable_parts
from symgen.topology.graph import FRAME
from symgen.topology.transformations.ground_set import Choice, GroundSet

# Bodies numbered canonically before the search for symmetries stops; fewer generators mean more classes, never wrong
# ones.
_EFFORT = 20_000

Permutation = tuple[int, ...]
_Label = tuple[tuple[int, int, int], ...]


def find_symmetries(ground: GroundSet) -> tuple[Permutation, ...]:
    """Return generators of the symmetries, as permutations of the pairs: pair p goes to the place ``s[p]``."""
    between = _pairs_between(ground)
    edges: list[dict[int, _Label]] = [{} for _ in range(ground.graph.bodies)]
    for (u, v), pairs in between.items():
        edges[u][v] = edges[v][u] = tuple(sorted(_kind(ground, p) for p in pairs))
    found = [_on_pairs(ground, between, moved) for moved in _generators(edges)]
    nothing = tuple(range(len(ground.graph.joints)))
    return tuple(dict.fromkeys(each for each in (*found, *_swaps(ground, between)) if each != nothing))


def classes_of(choices: Iterable[Choice], symmetries: Sequence[Permutation]) -> list[int]:
    """Return for each choice the number of the first one that a symmetry makes of it, counted from 0."""
    # Bytes take a small part of the room of tuples; no pair has more than six freedoms.
    packed = [bytes(choice) for choice in choices]
    leader = list(range(len(packed)))
    if not symmetries:
        return leader
    number_of = {choice: number for number, choice in enumerate(packed)}

    def find(number: int) -> int:
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    for symmetry in symmetries:
        pick = itemgetter(*symmetry)
        for number, choice in enumerate(packed):
            image = number_of.get(bytes(pick(choice)))
            if image is not None and image != number:
                first, second = sorted((find(number), find(image)))
                leader[second] = first
    return [find(number) for number in range(len(packed))]


def _kind(ground: GroundSet, p: int) -> tuple[int, int, int]:
    return ground.graph.joints[p].pair.order, ground.lowest[p], ground.highest[p]


def _pairs_between(ground: GroundSet) -> dict[tuple[int, int], list[int]]:
    """Return the pairs by their two vertices, the smaller first; equal kinds stand together."""
    end = ground.graph.end
    between: dict[tuple[int, int], list[int]] = {}
    for p in sorted(range(len(ground.graph.joints)), key=lambda p: (_kind(ground, p), p)):
        u, v = sorted((end[2 * p], end[2 * p + 1]))
        between.setdefault((u, v), []).append(p)
    return between


def _swaps(ground: GroundSet, between: dict[tuple[int, int], list[int]]) -> Iterator[Permutation]:
    """Yield the exchanges of two equal pairs between the same bodies."""
    for pairs in between.values():
        for p, q in pairwise(pairs):
            if _kind(ground, p) == _kind(ground, q):
                swap = list(range(len(ground.graph.joints)))
                swap[p], swap[q] = q, p
                yield tuple(swap)


def _on_pairs(ground: GroundSet, between: dict[tuple[int, int], list[int]], moved: Sequence[int]) -> Permutation:
    place = [0] * len(ground.graph.joints)
    for (u, v), pairs in between.items():
        first, second = sorted((moved[u], moved[v]))
        for p, q in zip(pairs, between[first, second], strict=True):
            place[p] = q
    return tuple(place)


def _generators(edges: Sequence[dict[int, _Label]]) -> Iterator[list[int]]:
    """Yield permutations of the vertices that generate the symmetries of the labelled graph, the frame fixed."""
    colours = [0] * len(edges)  # 0 for every vertex that is not held
    colours[FRAME] = 1
    effort = _EFFORT
    while effort > 0:
        part = next((part for part in stable_parts(colours, edges) if len(part) > 1), None)
        if part is None:
            return
        held = max(colours) + 1
        first, *others = part
        start = _form(colours, edges, first, held)
        orbit = {first}
        here: list[list[int]] = []
        for v in others:
            if v in orbit:
                continue
            effort -= len(edges)
            form = _form(colours, edges, v, held)
            if form[0] == start[0]:
                moved = [0] * len(edges)
                for a, b in zip(start[1], form[1], strict=True):
                    moved[a] = b
                here.append(moved)
                orbit = _orbit(first, here)
                yield moved
        colours[first] = held


def _form(
    colours: Sequence[int], edges: Sequence[dict[int, _Label]], vertex: int, colour: int
) -> tuple[object, tuple[int, ...]]:
    single = list(colours)
    single[vertex] = colour
    order = canonical_order(single, edges)
    return certificate(single, edges, order), order


def _orbit(start: int, permutations: Iterable[Sequence[int]]) -> set[int]:
    every = list(permutations)
    orbit = {start}
    stack = [start]
    while stack:
        v = stack.pop()
        for moved in every:
            if moved[v] not in orbit:
                orbit.add(moved[v])
                stack.append(moved[v])
    return orbit
