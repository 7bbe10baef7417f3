"""Canonical forms and symmetries of small graphs, against all permutations."""

from __future__ import annotations

from itertools import combinations, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from symgen.topology.synthesis.small_graphs import (
    Graph,
    canonical_form,
    cut_vertices,
    cycle_basis,
    edges_of,
    from_edges,
    is_connected,
    orbits,
    renumbered,
    shortest_cycle,
    symmetries,
)


@st.composite
def graphs(draw: st.DrawFn, most: int = 9) -> Graph:
    n = draw(st.integers(1, most))
    pairs = list(combinations(range(n), 2))
    return from_edges(n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else [])


@given(graph=graphs(), data=st.data())
def test_the_canonical_form_does_not_depend_on_the_numbering(graph: Graph, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(graph))))
    colours = data.draw(st.lists(st.integers(0, 2), min_size=len(graph), max_size=len(graph)))
    turned = renumbered(graph, order)
    assert canonical_form(turned)[0] == canonical_form(graph)[0]
    form, own = canonical_form(graph, colours)
    assert canonical_form(turned, [colours[v] for v in order])[0] == form
    assert renumbered(graph, own) == form
    assert [colours[v] for v in own] == sorted(colours)


@settings(max_examples=60)
@given(graph=graphs(5), other=graphs(5))
def test_equal_forms_are_isomorphic_graphs(graph: Graph, other: Graph) -> None:
    alike = len(graph) == len(other) and any(renumbered(graph, p) == other for p in permutations(range(len(graph))))
    assert (canonical_form(graph)[0] == canonical_form(other)[0]) == alike


@settings(max_examples=60)
@given(graph=graphs(6))
def test_symmetries_and_orbits_are_those_of_all_permutations(graph: Graph) -> None:
    every = [p for p in permutations(range(len(graph))) if renumbered(graph, p) == graph]
    assert sorted(symmetries(graph)) == every
    assert symmetries(graph)[0] == tuple(range(len(graph)))
    parts = {tuple(sorted({p[v] for p in every})) for v in range(len(graph))}
    assert {tuple(part) for part in orbits(graph)} == parts


@given(graph=graphs(8))
def test_cycles_cuts_and_shortest_cycle(graph: Graph) -> None:
    n, edges = len(graph), edges_of(graph)
    if not is_connected(graph, (1 << n) - 1):
        return
    cycles = cycle_basis(graph)
    assert len(cycles) == len(edges) - n + 1
    for cycle in cycles:
        assert all(tuple(sorted(step)) in edges for step in cycle)
        assert [b for _, b in cycle] == [a for a, _ in cycle[1:]] + [cycle[0][0]]
        assert len({a for a, _ in cycle}) == len(cycle)
    girths = [
        len(walk)
        for k in range(3, n + 1)
        for walk in permutations(range(n), k)
        if k <= 5 and all(graph[a] >> b & 1 for a, b in zip(walk, (*walk[1:], walk[0]), strict=True))
    ][:1]
    if girths or shortest_cycle(graph) == 0:
        assert shortest_cycle(graph) == (girths[0] if girths else 0)
    else:
        assert shortest_cycle(graph) > 5
    for v in cut_vertices(graph):
        kept = [u for u in range(n) if u != v]
        inside = from_edges(n - 1, [(kept.index(a), kept.index(b)) for a, b in edges if v not in (a, b)])
        assert not is_connected(inside, (1 << n - 1) - 1)
