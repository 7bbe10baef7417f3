"""The order in which the groups are numbered.

strict
    Always the ready group with the fewest bodies, then the smallest bodies.
    Canonical: it depends on nothing but the numbering of the bodies.
pass
    Algorithm 3 of Celdran, Saura, Dopico 2022 to the letter: candidates (bodies
    with a pair to a solved body) are fixed when a pass over single bodies
    starts; every single body among them that is ready when its turn comes is
    numbered; a pass that finds nothing is followed by one larger group.

Both number a group only after all it depends on.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from symgen.topology.components import Component
from symgen.topology.graph import FRAME, PairGraph


def order_strict(components: Sequence[Component]) -> list[int]:
    """Return the component numbers in canonical order."""
    waits, successors = _dependencies(components)
    # No two components share a vertex, so that of two of a size the first vertices decide: one number is key enough.
    span = 1 + max((component.vertices[-1] for component in components), default=0)
    keys = [len(component.vertices) * span + component.vertices[0] for component in components]
    owner = {component.vertices[0]: c for c, component in enumerate(components)}
    ready = [key for key, count in zip(keys, waits, strict=True) if not count]
    heapify(ready)
    order = []
    while ready:
        c = owner[heappop(ready) % span]
        order.append(c)
        for later in successors[c]:
            waits[later] -= 1
            if not waits[later]:
                heappush(ready, keys[later])
    return order


def order_pass(graph: PairGraph, components: Sequence[Component]) -> list[int]:
    """Return the component numbers in the order of the paper's Algorithm 3."""
    waits, successors = _dependencies(components)
    solved_in = {FRAME: 0}  # vertex -> the pass that numbered it
    single: list[tuple[int, int]] = []  # ready single bodies: (vertex, component)
    larger: list[tuple[int, tuple[int, ...], int]] = []
    order: list[int] = []
    turn = 1

    def announce(c: int) -> None:
        if len(components[c].vertices) == 1:
            heappush(single, (components[c].vertices[0], c))
        else:
            heappush(larger, (*_key(components[c]), c))

    def number(c: int) -> list[int]:
        order.append(c)
        solved_in.update(dict.fromkeys(components[c].vertices, turn))
        freed = []
        for later in successors[c]:
            waits[later] -= 1
            if not waits[later]:
                freed.append(later)
        return freed

    def is_candidate(v: int) -> bool:
        return any(solved_in.get(graph.end[a ^ 1], turn) < turn for a in graph.incident[v])

    for c, count in enumerate(waits):
        if not count:
            announce(c)
    while single or larger:
        if not single:
            for freed in number(heappop(larger)[-1]):
                announce(freed)
            turn += 1
            continue
        later: list[int] = []  # became ready, but not for this pass
        while single:
            v, c = heappop(single)
            for freed in number(c):
                first = components[freed].vertices[0]
                if len(components[freed].vertices) == 1 and not (first > v and is_candidate(first)):
                    later.append(freed)
                else:
                    announce(freed)
        for c in later:
            announce(c)
        turn += 1
    return order


def _key(component: Component) -> tuple[int, tuple[int, ...]]:
    return len(component.vertices), component.vertices


def _dependencies(components: Sequence[Component]) -> tuple[list[int], list[list[int]]]:
    waits = [len(component.depends_on) for component in components]
    successors: list[list[int]] = [[] for _ in components]
    for c, component in enumerate(components):
        for before in component.depends_on:
            successors[before].append(c)
    return waits, successors
