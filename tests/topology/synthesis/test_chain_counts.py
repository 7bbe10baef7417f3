"""Chains, mechanisms and trusses: the numbers of the literature, and brute force over all labelled graphs."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from symgen.errors import InputError
from symgen.topology.synthesis.chains import ChainFamily, find_chains
from symgen.topology.synthesis.search import search_chains
from symgen.topology.synthesis.small_graphs import shortest_cycle


@pytest.mark.parametrize(("links", "chains", "mechanisms"), [(4, 1, 1), (6, 2, 5), (8, 16, 71), (10, 230, 1834)])
def test_planar_chains_of_one_freedom_are_as_many_as_published(links: int, chains: int, mechanisms: int) -> None:
    # Celdran, Saura, Dopico 2022, Section 1 (1834); Mruthyunjaya 2003 for the rest
    found = search_chains(ChainFamily(links), mechanisms=True)
    assert (len(found.chains), found.mechanisms) == (chains, mechanisms)


@pytest.mark.slow
def test_chains_of_twelve_links_are_as_many_as_published() -> None:
    assert len(find_chains(ChainFamily(12))) == 6856


@pytest.mark.parametrize(
    ("mobility", "links", "every", "whole"),
    [(2, 5, 1, 1), (2, 7, 4, 3), (2, 9, 40, 35), (3, 6, 1, 1), (3, 8, 7, 5), (3, 10, 98, 74)],
)
def test_chains_of_more_freedoms_are_as_many_as_published(mobility: int, links: int, every: int, whole: int) -> None:
    # Mruthyunjaya 2003: with and without the fractionated ones
    chains = find_chains(ChainFamily(links, mobility))
    assert (len(chains), sum(not chain.fractionated for chain in chains)) == (every, whole)


@pytest.mark.parametrize(("links", "trusses", "groups"), [(3, 1, 1), (5, 1, 2), (7, 3, 10), (9, 28, 173)])
def test_trusses_and_their_assur_groups_are_as_many_as_published(links: int, trusses: int, groups: int) -> None:
    found = search_chains(ChainFamily(links, 0), mechanisms=True)
    assert (len(found.chains), found.mechanisms) == (trusses, groups)


def test_only_the_double_butterfly_has_eight_links_and_no_four_bar_loop() -> None:
    chains = [chain for chain in find_chains(ChainFamily(8)) if shortest_cycle(chain.graph) > 4]
    assert len(chains) == 1
    assert sorted(mask.bit_count() for mask in chains[0].graph) == [2, 2, 2, 2, 3, 3, 3, 3]


Edges = tuple[tuple[int, int], ...]


def least_numbering(edges: Edges, vertices: int) -> Edges:
    ends = list(edges)
    return min(
        tuple(sorted([(min(p[a], p[b]), max(p[a], p[b])) for a, b in ends])) for p in permutations(range(vertices))
    )


def brute_force(family: ChainFamily) -> set[Edges]:
    """All chains by looking at every set of edges; a chain is its lexically least renumbering."""
    n, b, c = family.links, family.freedoms, family.load
    spare = 0 if family.rigid_parts else 1
    parts = [set(part) for k in range(2, n) for part in combinations(range(n), k)]
    kept = []
    for edges in combinations(list(combinations(range(n), 2)), family.pairs):
        if any(sum(v in edge for edge in edges) < 2 for v in range(n)):
            continue
        if any(b * (len(part) - 1) - c * sum(part.issuperset(edge) for edge in edges) < spare for part in parts):
            continue
        reached, waiting = {0}, [0]
        while waiting:
            v = waiting.pop()
            new = {u for edge in edges if v in edge for u in edge} - reached
            reached |= new
            waiting += new
        if len(reached) == n:
            kept.append(edges)
    # whole classes are struck out at once: each costs n! renumberings only once
    found, seen = set(), set()
    for edges in kept:
        if edges not in seen:
            found.add(least_numbering(edges, n))
            for p in permutations(range(n)):
                seen.add(tuple(sorted([(min(p[a], p[b]), max(p[a], p[b])) for a, b in edges])))
    return found


@pytest.mark.parametrize(
    "family",
    [
        ChainFamily(3, 0),
        ChainFamily(4, 1),
        ChainFamily(5, 0),
        ChainFamily(5, 2),
        ChainFamily(5, 0, rigid_parts=True),
        ChainFamily(6, 1),
        ChainFamily(6, 1, rigid_parts=True),
        ChainFamily(6, 3),
        ChainFamily(5, 4, "spatial", 2),
        ChainFamily(5, 6, "spatial", 3),
        ChainFamily(6, 6, "spatial", 3),
        ChainFamily(6, 6, "spatial", 3, rigid_parts=True),
        ChainFamily(5, 14, "spatial", 4),
        ChainFamily(5, 18, "spatial", 5),
    ],
    ids=str,
)
def test_small_families_agree_with_brute_force(family: ChainFamily) -> None:
    chains = find_chains(family)
    found = {least_numbering(chain.joints, family.links) for chain in chains}
    assert len(found) == len(chains)
    assert found == brute_force(family)


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (ChainFamily(7), "no multiple of 2.*link numbers that fit: 6, 8"),
        (ChainFamily(1), "allowed are 2 to 16"),
        (ChainFamily(99), "allowed are 2 to 16"),
        (ChainFamily(4, -1), "must not be negative"),
        (ChainFamily(4, 1, "planar", 3), "allowed are 1 to 2"),
    ],
)
def test_sizes_that_cannot_be_are_refused(family: ChainFamily, words: str) -> None:
    with pytest.raises(InputError, match=words):
        find_chains(family)
