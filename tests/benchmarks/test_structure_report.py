"""The structure section of the report: put in place, taken out; the competitors agree."""

from __future__ import annotations

import pytest

from benchmarks.brute_force import TooLongError, search_groups
from benchmarks.linkages import assur, shuffled, stewart_stacks
from benchmarks.structure import TITLE, constraints, section_of, with_section
from symgen.topology.analysis import analyse


def test_section_is_replaced_where_it_stands_or_added_at_the_end():
    section = f"{TITLE}\n\nnew"
    assert with_section("# B\n\n## One\n\ntext\n", section) == f"# B\n\n## One\n\ntext\n\n{section}\n"
    between = f"# B\n\n{TITLE}\n\nold\n\n## Two\n\ntext\n"
    assert with_section(between, section) == f"# B\n\n{section}\n\n## Two\n\ntext\n"
    for document in (with_section(between, section), with_section("# B\n", section)):
        assert section_of(document) == section
        assert with_section(document, section) == document
    assert section_of("# B\n") == ""


def test_search_and_analysis_find_the_same_groups_in_the_same_order():
    for linkage in (shuffled(assur("I", 6, 2)), assur("II", 2, 4, input_last=True), shuffled(stewart_stacks(14))):
        groups = [tuple(int(body[1:]) for body in group.bodies) for group in analyse(linkage.mechanism()).groups]
        assert search_groups(*constraints(linkage)) == groups


def test_search_gives_up_when_told():
    with pytest.raises(TooLongError, match="50 sets"):
        search_groups(*constraints(assur("II", 2, 1, input_last=True)), most_sets=50)
