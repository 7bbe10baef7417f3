"""Size: first assignments that need little mending, bounded memory, complete tests of giant groups; arrays as input."""

from __future__ import annotations

import copy
from dataclasses import asdict, fields

import numpy as np
import pytest

from benchmarks.linkages import FAMILIES, TABLE_16, assur, ladder, shuffled
from benchmarks.scaling import run
from symgen.errors import InputError
from symgen.topology.allotment import allot_units
from symgen.topology.analysis import analyse, analyse_pairs
from symgen.topology.components import find_components
from symgen.topology.graph import FRAME, PairGraph
from symgen.topology.grouping import GroupTable
from symgen.topology.matching import assign_units
from symgen.topology.ordering import order_strict
from symgen.topology.pair_table import graph_of_table, read_pair_table


def _graph(linkage) -> PairGraph:
    return graph_of_table(read_pair_table(*linkage.columns()))


@pytest.mark.parametrize("case", TABLE_16, ids=lambda case: case.linkage().name)
def test_linkages_of_table_16_have_the_groups_of_the_paper(case):
    linkage = case.linkage()
    structure = analyse(linkage.mechanism())
    size = {"I": 2, "II": 4, "III": 6}[case.kind]
    assert linkage.bodies == 2 + size * case.groups
    # Erratum of the printed joint counts: mobility 1 needs (3 Nm - 1) / 2.
    assert 2 * len(linkage.pairs) == 3 * (linkage.bodies - 1) - 1
    assert (structure.status, structure.mobility) == ("determined", 1)
    assert case.found in (None, len(structure.groups))
    assert max(len(group.bodies) for group in structure.groups) == case.largest


@pytest.mark.parametrize("family", FAMILIES)
def test_first_assignment_divides_every_pair_and_leaves_little_to_mend(family):
    graph = _graph(FAMILIES[family](2000))
    held, load = allot_units(graph)
    assert [held[2 * p] + held[2 * p + 1] for p in range(len(graph.units))] == graph.units
    assert all(held[a] == 0 for a in graph.incident[FRAME])
    assert load[1:] == [sum(held[a] for a in around) for around in graph.incident[1:]]
    surplus = sum(max(0, units - graph.freedoms) for units in load)
    assert surplus <= 0.05 * sum(load)


@pytest.mark.parametrize("family", FAMILIES)
def test_groups_with_equal_keys_are_equal_body_by_body(family):
    graph = _graph(FAMILIES[family](600))
    components = find_components(graph, assign_units(graph))[0]
    order = order_strict(components)
    number_of = {v: number for number, c in enumerate(order, start=1) for v in components[c].vertices}
    table = GroupTable(_Named(graph), graph, components, order)
    seen: dict[tuple[int, ...], list] = {}
    for number, key in enumerate(table.keys, start=1):
        if key is None:
            continue
        walk = table.shapes.walk(table.vertices(number))
        assert sorted(walk) == list(table.vertices(number))
        place = {v: k for k, v in enumerate(walk)}
        pairs = sorted(
            (place[v], place.get(graph.end[a ^ 1], -1), graph.kinds[a // 2])
            for v in walk
            for a in graph.incident[v]
            if number_of.get(graph.end[a ^ 1], 0) <= number
        )
        assert seen.setdefault(key, pairs) == pairs
    # 600 bodies, a handful of shapes: otherwise the keys are of no use.
    assert len(seen) <= 8


class _Named:
    """Names for a graph that has none."""

    space, name, joints = "planar", "graph", ()

    def __init__(self, graph: PairGraph) -> None:
        self.body_ids = tuple(str(v) for v in range(graph.bodies))


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("family", ["random triads, shuffled", "one giant group, shuffled"])
def test_a_hundred_thousand_bodies_stay_within_half_a_gigabyte(family):
    """At this rate, 10^6 bodies need less than 4 GB. Measured: 200 MB, the linkage itself among it."""
    found = run(family, 100_000)
    assert (found.status, found.complete) == ("determined", True)
    assert found.groups == (1 if "giant" in family else 1 + (found.bodies - 2) // 4)
    assert found.memory < 500


def test_arrays_may_be_numpy_and_one_type_may_stand_for_all():
    linkage = assur("I", 20, 3)
    space, bodies, first, second, types, driven = linkage.columns()
    assert set(types) == {"R"}
    structure = analyse_pairs(space, bodies, np.array(first), np.array(second), "R", np.array(driven, dtype=np.uint8))
    again = analyse_pairs(space, bodies, first, second, np.array(types), driven)
    assert structure.groups == again.groups
    assert (structure.status, len(structure.groups), structure.bodies, structure.joints) == ("determined", 21, 42, 61)
    assert structure.groups[0].external[0].joint == "j0"
    assert structure.rigid[0] == ("0",)
    assert structure.rigid[-2:] == (("40",), ("41",))
    assert structure.mechanism.joints[0].driven == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"space": "flat"}, "allowed are 'planar' and 'spatial'"),
        ({"bodies": 0}, "at least 1"),
        ({"second": [1]}, "second has 1 entries, first has 2"),
        ({"types": ["R"]}, "types has 1 entries"),
        ({"driven": [1]}, "driven has 1 entries"),
        ({"second": [1, 3]}, "pair 1 connects bodies 1 and 3: allowed are two different ones of 0"),
        ({"second": [1, 1]}, "pair 1 connects bodies 1 and 1"),
        ({"second": [1, -1]}, "pair 1 connects bodies 1 and -1"),
        ({"second": [1, 2.0]}, "second: expected whole numbers"),
        ({"second": [[1], [2]]}, "second: expected whole numbers"),
        ({"types": ["R", "r"]}, 'pair 1: no pair type .r. here; did you mean "R"'),
        ({"types": ["R", "S"]}, "pair 1: no pair type 'S' here"),
        ({"types": ["R", "W"]}, "give them one number"),
        ({"driven": [1, 2]}, "pair 1: 2 freedoms driven, R has 1"),
        ({"driven": -1}, "pair 0: -1 freedoms driven"),
        ({"order": "any"}, "'strict' and 'pass'"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(change, message):
    given = {"space": "planar", "bodies": 3, "first": [0, 1], "second": [1, 2], "types": "R", "driven": [1, 1]}
    assert analyse_pairs(**given).status == "determined"
    with pytest.raises(InputError, match=message):
        analyse_pairs(**(given | change))


def test_groups_are_records_although_their_fields_are_filled_when_read():
    mechanism = shuffled(ladder(20)).mechanism()
    whole = analyse(mechanism)
    assert [asdict(group) for group in analyse(mechanism).groups] == [asdict(group) for group in whole.groups]
    for field in fields(whole.groups[0]):
        fresh = analyse(mechanism)  # every field is the one read first once
        for group, other in zip(fresh.groups, whole.groups, strict=True):
            assert getattr(group, field.name) == getattr(other, field.name)
    assert analyse(mechanism).groups == whole.groups
    assert hash(analyse(mechanism).groups) == hash(whole.groups)
    assert repr(analyse(mechanism).groups[3]) == repr(whole.groups[3])
    assert copy.copy(analyse(mechanism).groups[3]) == whole.groups[3]
    assert copy.deepcopy(analyse(mechanism).groups[3]) == whole.groups[3]
    with pytest.raises(AttributeError, match="has no attribute 'colour'"):
        _ = whole.groups[0].colour
    with pytest.raises(AttributeError):
        whole.groups[0].number = 3
