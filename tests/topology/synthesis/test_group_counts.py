"""Structural groups by signature: the numbers of an independent exhaustive search, and brute force in the plane."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, product

import pytest

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import Space
from symgen.topology.analysis import analyse
from symgen.topology.signatures import Bond, GroupShape
from symgen.topology.synthesis.files import group_tree
from symgen.topology.synthesis.group_types import GroupFamily
from symgen.topology.synthesis.group_weights import connected_graphs
from symgen.topology.synthesis.search import search_groups

SEVEN = ("R", "P", "H", "C", "U", "S", "PL")


@pytest.mark.parametrize(
    ("space", "bodies", "pairs", "inputs", "count", "regular"),
    [
        ("spatial", 1, SEVEN, 0, 3, 0),
        ("spatial", 1, SEVEN, None, 10, 7),
        ("spatial", 1, (*SEVEN, "F"), None, 42, 39),
        ("spatial", 2, SEVEN, 0, 42, 39),
        ("spatial", 2, (*SEVEN, "ER"), 0, 72, 69),
        ("spatial", 2, SEVEN, 1, 125, 110),
        ("spatial", 2, SEVEN, 2, 193, 172),
        ("planar", 1, ("R", "P"), None, 2, 2),
        ("planar", 1, ("R", "P", "L"), 0, 3, 3),
        ("planar", 2, ("R", "P"), 0, 6, 5),
        ("planar", 2, ("R", "P"), 1, 6, 5),
        ("planar", 2, ("R", "P"), 2, 6, 5),
        ("planar", 2, ("R", "P", "L"), 0, 12, 11),
        ("planar", 3, ("R", "P"), 1, 16, 14),
        ("planar", 4, ("R",), 0, 3, 3),
        ("planar", 4, ("R", "P"), 0, 108, 84),
    ],
)
def test_signatures_are_as_many_as_counted_elsewhere(
    space: Space, bodies: int, pairs: tuple[str, ...], inputs: int | None, count: int, regular: int
) -> None:
    found = search_groups(GroupFamily(bodies, pairs, space, inputs))
    assert (len(found.groups), sum(group.regular for group in found.groups)) == (count, regular)
    assert len({group.signature for group in found.groups}) == count
    assert len(search_groups(GroupFamily(bodies, pairs[::-1], space, inputs), regular=True).groups) == regular


def test_type_names_are_no_key() -> None:
    for pairs, names in ((SEVEN, 16), ((*SEVEN, "ER"), 28)):
        assert len({group.type for group in search_groups(GroupFamily(2, pairs)).groups}) == names


def test_groups_with_a_rigid_part_are_marked() -> None:
    hinges = search_groups(GroupFamily(4, ("R",), "planar")).groups
    assert [group.rigid_parts for group in hinges].count(False) == 2  # the two classical groups of four links
    both = search_groups(GroupFamily(4, ("R", "P"), "planar")).groups
    clean = [group for group in both if not group.rigid_parts]
    assert (len(clean), sum(group.regular for group in clean)) == (44, 35)


def test_connected_graphs_are_as_many_as_published() -> None:
    assert [len(connected_graphs(n)) for n in range(1, 7)] == [1, 1, 2, 6, 21, 112]  # OEIS A001349


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("bodies", "inputs"), [(1, 1), (2, 1), (3, 0), (3, 1)])
def test_planar_groups_agree_with_every_combination_put_to_the_analysis(bodies: int, inputs: int) -> None:
    bonds = [Bond(code, driven) for code in ("R", "P") for driven in (0, 1)]
    outsides = [combo for k in range(3) for combo in combinations_with_replacement(bonds, k)]
    between = [None, *bonds]
    found = set()
    ends = list(combinations(range(bodies), 2))
    for outer in product(outsides, repeat=bodies):
        for inner in product(between, repeat=len(ends)):
            edges = tuple((a, b, bond) for (a, b), bond in zip(ends, inner, strict=True) if bond is not None)
            every = [*(bond for own in outer for bond in own), *(bond for *_, bond in edges)]
            units = sum(2 + bond.driven for bond in every)
            if units != 3 * bodies or sum(bond.driven for bond in every) > inputs or not every:
                continue
            structure = analyse(Mechanism.from_dict(group_tree(GroupShape("planar", outer, edges), "")))
            stiff = any(finding.kind == "singular_count" for finding in structure.diagnosis)
            if structure.status in ("determined", "singular") and len(structure.groups) == 1 and not stiff:
                found.add(structure.groups[0].signature)
    assert {
        group.signature for group in search_groups(GroupFamily(bodies, ("R", "P"), "planar", inputs)).groups
    } == found


@pytest.mark.parametrize(
    ("family", "words"),
    [
        (GroupFamily(0, ("R",)), "allowed are 1 to 6"),
        (GroupFamily(7, ("R",)), "allowed are 1 to 6"),
        (GroupFamily(1, ("R",), inputs=-1), "must not be negative"),
        (GroupFamily(1, ("hinge",)), "'hinge' cannot be used here"),
        (GroupFamily(1, ("W",)), "'W' cannot be used here"),
    ],
)
def test_families_that_cannot_be_are_refused(family: GroupFamily, words: str) -> None:
    with pytest.raises(InputError, match=words):
        search_groups(family)
