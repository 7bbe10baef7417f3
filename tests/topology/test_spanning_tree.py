"""Trees and loops of plain graphs, against what defines them."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from symgen.topology.loops.spanning_tree import forest, fork, other_end, towards_root

BODIES = 7
GRAPHS = st.lists(st.tuples(st.integers(0, BODIES - 1), st.integers(0, BODIES - 1)), max_size=14)


@given(GRAPHS)
def test_a_forest_has_a_tree_for_each_connected_part(ends):
    parents, trees = forest(BODIES, ends)
    part = list(range(BODIES))
    for one, two in ends:
        part = [part[two] if number == part[one] else number for number in part]
    assert trees == len(set(part))
    assert sum(joint >= 0 for joint in parents) == BODIES - trees
    for body in range(BODIES):
        assert part[towards_root(parents, ends, body)[-1]] == part[body]
        assert towards_root(parents, ends, body)[-1] <= body


@given(GRAPHS)
def test_both_ways_of_a_fork_part_at_one_body_and_meet_no_more(ends):
    parents, _ = forest(BODIES, ends)
    for one, two in ends:
        to_one, to_two = fork(parents, ends, one, two)
        assert (to_one[0], to_one[-1], to_two[-1]) == (to_two[0], one, two)
        assert not set(to_one[1:]) & set(to_two[1:])
        for way in (to_one, to_two):
            assert all(other_end(ends[parents[b]], b) == a for a, b in itertools.pairwise(way))
