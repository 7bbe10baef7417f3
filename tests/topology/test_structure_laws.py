"""Laws of the analysis: numbering and file order do not matter, welds are rigid, size is no obstacle."""

from __future__ import annotations

import json
import random

import pytest
from mechanisms_for_structure import PlainMechanism, plain, random_mechanism, reference, reference_mechanism, relabel

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse
from symgen.topology.graph import build_graph
from symgen.topology.matching import assign_units
from symgen.topology.rank.connectivity import find_stiff_part


def _facts(structure):
    """What must not depend on numbering: status, and for each group its bodies, level, signature, sources."""
    bodies = {group.number: frozenset(group.bodies) for group in structure.groups}
    return structure.status, {
        bodies[group.number]: (group.level, group.signature, frozenset(bodies[b] for b in group.depends_on))
        for group in structure.groups
    }


def test_listing_the_bodies_in_another_order_changes_no_fact():
    for seed in range(300):
        draw, mechanism = random.Random(seed), random_mechanism(seed, balanced=seed % 3 > 0)
        moving = len(mechanism.body_ids) - 1
        again = relabel(mechanism, draw.sample(range(moving), moving))
        assert _facts(analyse(again)) == _facts(analyse(mechanism)), seed


def test_order_and_direction_of_the_joints_change_nothing_but_the_side_named_first():
    for seed in range(300):
        draw, mechanism = random.Random(seed), random_mechanism(seed)
        joints = [
            type(joint)(joint.id, joint.type, draw.choice([joint.bodies, joint.bodies[::-1]]), joint.driven)
            for joint in draw.sample(mechanism.joints, len(mechanism.joints))
        ]
        again = PlainMechanism(mechanism.space, mechanism.body_ids, tuple(joints))
        first, second = analyse(mechanism), analyse(again)
        assert first.groups == second.groups
        assert first.results_sa == second.results_sa
        assert {f.bodies for f in first.diagnosis} == {f.bodies for f in second.diagnosis}


def test_both_orders_solve_every_group_after_its_sources():
    for seed in range(200):
        mechanism = random_mechanism(seed)
        facts = [_facts(analyse(mechanism, order=order)) for order in ("strict", "pass")]
        assert facts[0] == facts[1]
        for order in ("strict", "pass"):
            structure = analyse(mechanism, order=order)
            assert all(before < group.number for group in structure.groups for before in group.depends_on)


def _four_bar(**joints):
    tree = {
        "schema": "symgen/mechanism/1",
        "name": "spatial four-bar",
        "ground": "1",
        "space": "spatial",
        "bodies": {"2": {}, "3": {}, "4": {}},
        "joints": {
            "A": {"type": "R", "bodies": ["1", "2"], "driven": 1},
            "B": {"type": "S", "bodies": ["2", "3"]},
            "C": {"type": "C", "bodies": ["3", "4"]},
            "D": {"type": "P", "bodies": ["1", "4"]},
            **joints,
        },
    }
    for joint in tree["joints"].values():
        for body in joint["bodies"]:
            if body != "1":
                tree["bodies"].setdefault(body, {})
    return Mechanism.from_dict(tree)


def test_document_is_that_of_the_contract():
    document = analyse(_four_bar()).to_dict(lambda group: (group.type == "1R3D", "closed form"))
    first = {
        "number": 1, "level": 1, "bodies": ["2"], "type": "1R3D", "signature": "R* 3D", "driven": 1,
        "depends_on": [], "solved": True, "method": "closed form",
        "external": [{"joint": "A", "body": "2", "other": "1", "type": "R"}],
        "internal": [],
        "assigns": [{"joint": "B", "body": "2", "other": "3", "type": "S"}],
        "strings": {"external": "2&1R.", "internal": "", "to_external": "2&3S."},
    }  # fmt: skip
    assert document["groups"][0] == first
    assert document["groups"][1]["solved"] is False
    del document["groups"]
    assert json.loads(json.dumps(document)) == {
        "schema": "symgen/structure/1", "mechanism": "spatial four-bar", "space": "spatial", "bodies": 4, "joints": 4,
        "mobility": 1, "driven": 1, "status": "determined",
        "results_sa": [[0, 1, 2, 2], [1, 0, 0, 0], [0, 2, 0, 0], [1, 0, 0, 0]], "diagnosis": [],
    }  # fmt: skip


def test_without_a_library_nothing_is_said_about_solutions():
    assert [group["solved"] for group in analyse(_four_bar()).to_dict()["groups"]] == [None, None]


def test_welded_bodies_are_one():
    whole = analyse(_four_bar())
    structure = analyse(_four_bar(W={"type": "W", "bodies": ["9", "3"]}, V={"type": "W", "bodies": ["1", "8"]}))
    assert (structure.bodies, structure.joints, structure.mobility) == (4, 4, 1)
    assert [group.bodies for group in structure.groups] == [("2",), ("3", "4", "9")]
    assert [group.signature for group in structure.groups] == [group.signature for group in whole.groups]
    assert structure.results_sa == whole.results_sa
    assert structure.groups[1].chain == whole.groups[1].chain


def test_a_joint_across_a_weld_is_overdetermined():
    mechanism = _four_bar(W={"type": "W", "bodies": ["3", "9"]}, V={"type": "W", "bodies": ["9", "8"]},
                          X={"type": "C", "bodies": ["3", "8"]})  # fmt: skip
    structure = analyse(mechanism)
    (finding,) = structure.diagnosis
    assert (structure.status, finding.joints, finding.excess) == ("overdetermined", ("X",), 4)


def test_a_free_pair_is_listed_but_binds_nothing():
    data = reference("stewart")
    mechanism = reference_mechanism(data, data["cases"][0])
    (group,) = analyse(mechanism).groups
    assert group.external[-1].type == "F"
    without = PlainMechanism(mechanism.space, mechanism.body_ids, mechanism.joints[:-1])
    assert analyse(without).groups[0].signature == group.signature
    assert analyse(without).groups[0].type == "6P6U6S3D"


def test_rssr_names_the_idle_rotation():
    structure = analyse(plain("spatial", 4, [(1, 2, "R", 1), (2, 3, "S", 0), (3, 4, "S", 0), (1, 4, "R", 0)]))
    assert (structure.status, structure.mobility) == ("underdetermined", 2)
    assert [group.bodies for group in structure.groups] == [("2",)]
    (finding,) = structure.diagnosis
    assert (finding.kind, finding.bodies, finding.deficit) == ("underdetermined", ("3", "4"), 1)
    assert "idle rotation" in finding.advice
    assert "body 3" in finding.advice


@pytest.mark.parametrize(
    ("name", "pairs", "excess"),
    [
        ("Bennett", [(1, 2, "R", 1), (2, 3, "R", 0), (3, 4, "R", 0), (4, 1, "R", 0)], 3),
        (
            "Sarrus",
            [(1, 2, "R", 1), (2, 3, "R", 0), (3, 4, "R", 0), (4, 5, "R", 0), (5, 6, "R", 0), (6, 1, "R", 0)],
            1,
        ),
    ],
)
def test_linkages_that_move_by_their_proportions_are_overdetermined_by_count(name, pairs, excess):
    structure = analyse(plain("spatial", len(pairs), pairs))
    (finding,) = structure.diagnosis
    assert structure.status == "overdetermined", name
    assert finding.excess == excess
    assert len(finding.bodies) == len(pairs) - 1
    assert "special proportions" in finding.advice


def test_sound_parts_of_an_unsound_mechanism_are_still_taken_apart():
    """Crank {2} is sound; 3, 4 carry too much; 5, 6 hang on 4; 7 is short of a constraint, 8 of all."""
    pairs = [
        (1, 2, "R", 1), (1, 3, "R", 1), (3, 4, "R", 0), (4, 1, "R", 0), (3, 1, "P", 0),
        (4, 5, "R", 0), (5, 6, "R", 0), (6, 2, "R", 0), (2, 7, "R", 0),
    ]  # fmt: skip
    structure = analyse(plain("planar", 8, pairs))
    assert structure.status == "overdetermined"
    assert [group.bodies for group in structure.groups] == [("2",)]
    found = {finding.kind: finding for finding in structure.diagnosis if finding.bodies != ("8",)}
    assert found["overdetermined"].bodies == ("3", "4")
    assert found["overdetermined"].excess == 3
    assert found["waiting"].bodies == ("5", "6")
    assert found["underdetermined"].bodies == ("7",)
    alone = next(finding for finding in structure.diagnosis if finding.bodies == ("8",))
    assert alone.deficit == 3
    assert "no joint" in alone.advice
    assert [set(row) for row in structure.results_sa][7] == {0}


def test_unknown_order_is_refused():
    with pytest.raises(InputError, match="'strict' and 'pass'"):
        analyse(plain("planar", 1, []), order="any")


def test_the_frame_alone_is_determined():
    structure = analyse(plain("planar", 1, []))
    assert (structure.status, structure.groups, structure.results_sa) == ("determined", (), ((0,),))


def _ladder(bodies: int, *, last_driven: bool) -> PlainMechanism:
    """A crank and dyads in a row, each from the dyad before to the frame; bodies in random order."""
    pairs = [(1, 2, "R", int(not last_driven))]
    last, body = 2, 3
    while body < bodies:
        final = body + 2 >= bodies
        pairs += [(last, body, "R", 0), (body, body + 1, "R", int(last_driven and final)), (body + 1, 1, "R", 0)]
        last, body = body, body + 2
    draw = random.Random(1)
    draw.shuffle(pairs)
    mechanism = plain("planar", body - 1, pairs)
    return relabel(mechanism, draw.sample(range(body - 2), body - 2))


@pytest.mark.slow
def test_a_hundred_thousand_bodies_are_ordinary():
    structure = analyse(_ladder(100_001, last_driven=False))
    assert structure.status == "determined"
    assert len(structure.groups) == 50_000
    assert {group.signature for group in structure.groups} == {"R* 2D", "R.R.R 2D"}
    assert structure.groups[-1].level == 50_000


@pytest.mark.slow
def test_one_group_of_ten_thousand_bodies():
    structure = analyse(_ladder(10_001, last_driven=True))
    (group,) = structure.groups
    assert structure.status == "determined"
    assert len(group.bodies) == 9_999
    assert group.signature.startswith("<9999 bodies ~")
    assert structure.to_dict()["results_sa"] is None


def test_a_test_that_ran_out_of_effort_says_so():
    graph = build_graph(_ladder(101, last_driven=True))
    vertices = tuple(range(1, graph.bodies))
    assert find_stiff_part(graph, assign_units(graph).held, vertices, effort=10) == (None, False)
    assert find_stiff_part(graph, assign_units(graph).held, vertices) == (None, True)
