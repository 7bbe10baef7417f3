"""Pair types on chains; mechanisms written as files are what the analysis says they should be."""

from __future__ import annotations

import pytest

from symgen.errors import InputError
from symgen.model.load import parse_text
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse
from symgen.topology.structure import Structure
from symgen.topology.synthesis.chains import ChainFamily
from symgen.topology.synthesis.document import ChainList, GroupList
from symgen.topology.synthesis.group_types import GroupFamily
from symgen.topology.synthesis.loop_mobility import loop_mobility
from symgen.topology.synthesis.search import search_chains, search_groups
from symgen.topology.synthesis.small_graphs import from_edges


def analysed(found: ChainList | GroupList) -> list[Structure]:
    return [analyse(Mechanism.from_dict(parse_text(text, ".toml", name))) for name, text in found.files()]


def round_the_loop(links: int, joints: tuple[tuple[int, int], ...], types: tuple[str, ...]) -> str:
    """Types along a single loop in the smallest of all readings."""
    table = {frozenset(joint): code for joint, code in zip(joints, types, strict=True)}
    walk = [0]
    while len(walk) < links:
        walk.append(min(v for v in range(links) if v not in walk and frozenset((walk[-1], v)) in table))
    codes = [table[frozenset((a, b))] for a, b in zip(walk, (*walk[1:], 0), strict=True)]
    readings = [row[k:] + row[:k] for row in (codes, codes[::-1]) for k in range(links)]
    return "".join(min(readings))


def test_four_bars_of_r_and_p_are_the_classical_ones() -> None:
    found = search_chains(ChainFamily(4), ("R", "P"))
    loops = {round_the_loop(4, typed.chain.joints, typed.types) for typed in found.chains}
    assert loops == {"RRRR", "PRRR", "PPRR", "PRPR"}
    assert len(found.chains) == 4


@pytest.mark.parametrize(
    ("types", "mobility", "still"),
    [("RRRR", 1, ()), ("RRPP", 1, ()), ("RPPP", 1, (0,)), ("PPPP", 2, ()), ("RRRP", 1, ())],
)
def test_mobility_of_a_planar_loop(types: str, mobility: int, still: tuple[int, ...]) -> None:
    # three sliders keep their links parallel: a hinge with them cannot turn; four have two translations to share
    found = loop_mobility(from_edges(4, [(0, 1), (1, 2), (2, 3), (0, 3)]), list(types), "planar")
    assert (found.mobility, found.still) == (mobility, still)


def test_a_spatial_loop_of_seven_moves_if_three_of_its_pairs_turn() -> None:
    # with four or more sliders the rotations (three equations) are left fewer than four hinges: none can turn
    found = search_chains(ChainFamily(7, 1, "spatial"), ("R", "P"))
    assert max(typed.types.count("P") for typed in found.chains) == 3
    # necklaces of 7 beads up to turning and turning over, with 0, 1, 2, 3 sliders
    counts = [sum(typed.types.count("P") == k for typed in found.chains) for k in range(4)]
    assert counts == [1, 1, 3, 4]


@pytest.mark.parametrize(
    ("family", "types", "bound"),
    [
        (ChainFamily(6), ("R",), None),
        (ChainFamily(6), ("R", "P"), {"P": 2}),
        (ChainFamily(7, 2), ("R",), None),
        (ChainFamily(6, 1, rigid_parts=True), ("R",), None),
        (ChainFamily(4, 3, "spatial", 3), ("S", "PL"), None),
    ],
    ids=str,
)
def test_written_mechanisms_are_determined(
    family: ChainFamily, types: tuple[str, ...], bound: dict[str, int] | None
) -> None:
    structures = analysed(search_chains(family, types, at_most=bound, mechanisms=True))
    assert structures
    for structure in structures:
        assert structure.status == "determined"
        assert structure.driven == structure.mobility == family.mobility
        assert structure.bodies == family.links


def test_a_chain_with_its_first_link_fixed_lacks_one_input() -> None:
    for structure in analysed(search_chains(ChainFamily(8))):
        assert (structure.status, structure.mobility, structure.driven) == ("underdetermined", 1, 0)


def test_a_truss_with_a_link_fixed_is_one_structural_group() -> None:
    found = search_chains(ChainFamily(7, 0), mechanisms=True)
    structures = analysed(found)
    assert [len(structure.groups) for structure in structures] == [1] * 10
    assert {structure.status for structure in structures} == {"determined"}
    signatures = {structure.groups[0].signature for structure in structures}
    assert len(signatures) == 10
    listed = {group["signature"] for truss in found.to_dict()["trusses"] for group in truss["groups"]}
    assert listed == signatures


def test_written_groups_are_the_groups_they_say() -> None:
    found = search_groups(GroupFamily(2, ("R", "P", "H", "C", "U", "S", "PL"), inputs=1))
    for group, structure in zip(found.groups, analysed(found), strict=True):
        assert (structure.status == "determined") == group.regular
        assert [each.signature for each in structure.groups] == [group.signature]
        assert [each.type for each in structure.groups] == [group.type]


@pytest.mark.parametrize(
    ("types", "words"),
    [
        (("Q",), "'Q' cannot be used here"),
        (("R", "R"), "given twice"),
        ((), "no pair type"),
        (("S",), "allowed in planar"),
        (("R", "L"), "R has 1, L has 2"),
        (("L",), "have 2 freedoms, the family has 1"),
    ],
)
def test_types_that_do_not_fit_are_refused(types: tuple[str, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        search_chains(ChainFamily(4), types)
