"""Blocks of multigraphs against their definition: two edges are in one block if a cycle runs through both."""

from __future__ import annotations

import random

import pytest

from symgen.topology.loops.two_connected import blocks_of

Ends = list[tuple[int, int]]


def _cycles(vertices: int, ends: Ends) -> set[frozenset[int]]:
    """Return the edges of every cycle, by walking on from the least edge of each."""
    found: set[frozenset[int]] = set()

    def walk(start: int, at: int, used: list[int], seen: set[int]) -> None:
        for edge, pair in enumerate(ends):
            if at not in pair or edge in used or (used and edge < used[0]):
                continue
            there = pair[1] if pair[0] == at else pair[0]
            if there == start and len(used) >= 1:
                found.add(frozenset([*used, edge]))
            elif there not in seen:
                walk(start, there, [*used, edge], seen | {there})

    for vertex in range(vertices):
        walk(vertex, vertex, [], {vertex})
    return found


@pytest.mark.parametrize("seed", range(60))
def test_blocks_are_classes_of_edges_that_share_a_cycle(seed: int) -> None:
    rng = random.Random(seed)
    vertices = rng.randint(2, 6)
    ends: Ends = []
    for _ in range(rng.randint(1, 9)):
        one, two = rng.sample(range(vertices), 2)
        ends.append((one, two))
    leader = list(range(len(ends)))
    for cycle in _cycles(vertices, ends):
        least = {leader[edge] for edge in cycle}
        leader = [min(least) if each in least else each for each in leader]
    wanted = [[edge for edge, own in enumerate(leader) if own == first] for first in sorted(set(leader))]
    assert blocks_of(vertices, ends) == wanted


def test_a_long_chain_and_a_long_ring_need_no_deep_recursion() -> None:
    chain = [(k, k + 1) for k in range(20_000)]
    assert blocks_of(20_001, chain) == [[k] for k in range(20_000)]
    assert blocks_of(20_001, [*chain, (20_000, 0)]) == [list(range(20_001))]
