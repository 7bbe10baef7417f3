"""Joints of several bodies: the pairs chosen give the finest groups of all trees."""

from __future__ import annotations

import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

import pytest
from tiers import few_or_all

from symgen.errors import MechanismError
from symgen.model.mechanism import Mechanism
from symgen.model.parts import MultipleJoint
from symgen.model.split_joints import split_multiple_joints
from symgen.model.write import write_mechanism
from symgen.topology.analysis import analyse
from symgen.topology.transformations.transform import transform

Ends = tuple[str, str]


def all_trees(bodies: Sequence[str]) -> Iterator[tuple[Ends, ...]]:
    """Every spanning tree on the bodies, by Pruefer's sequences (1918)."""
    count = len(bodies)
    for code in product(range(count), repeat=count - 2):
        degree = [1 + code.count(v) for v in range(count)]
        edges = []
        for v in code:
            leaf = degree.index(1)
            edges.append((bodies[leaf], bodies[v]))
            degree[leaf] -= 1
            degree[v] -= 1
        first, second = (v for v in range(count) if degree[v] == 1)
        yield (*edges, (bodies[first], bodies[second]))


def mechanism(bodies, joints, space="planar", **more) -> Mechanism:
    tree = {
        "schema": "symgen/mechanism/1", "space": space, "ground": "0",
        "bodies": {body: {} for body in bodies}, "joints": joints, **more,
    }  # fmt: skip
    return Mechanism.from_dict(tree)


def trees_of(found: Mechanism) -> Iterator[Mechanism]:
    """The mechanism with every choice of trees that keeps its driven pairs."""
    choices = []
    for joint in found.multiple_joints:
        driven = {frozenset(ends) for ends in joint.between}
        trees = [tree for tree in all_trees(joint.bodies) if driven <= {frozenset(ends) for ends in tree}]
        choices.append([(joint.id, tree) for tree in trees])
    return (found.with_trees(dict(choice)) for choice in product(*choices))


def partition(structure) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(group.bodies) for group in structure.groups)


def jansen(**pin) -> Mechanism:
    """Theo Jansen's leg: crank 1, connecting rods 2 and 4, shoulder 3, hip 5, link 6, foot 7."""
    return mechanism(
        "1234567",
        {
            "axle": {"type": "R", "bodies": ["0", "1"], "driven": 1},
            "pin": {"type": "R", "bodies": ["1", "2", "4"], **pin},
            "top": {"type": "R", "bodies": ["2", "3"]},
            "fixed": {"type": "R", "bodies": ["0", "3", "5"]},
            "corner": {"type": "R", "bodies": ["3", "6"]},
            "knee": {"type": "R", "bodies": ["6", "7"]},
            "hip": {"type": "R", "bodies": ["4", "5", "7"]},
        },
    )


def peaucellier() -> Mechanism:
    """Peaucellier's inversor (1864): crank 1, long bars 2, 3 from the frame, rhombus 4, 5, 6, 7.

    Pins: O (0, 2, 3), A (2, 4, 6), B (3, 5, 7), C (1, 4, 5), and the tracing point P (6, 7).
    """
    return mechanism(
        "1234567",
        {
            "axle": {"type": "R", "bodies": ["0", "1"], "driven": 1},
            "O": {"type": "R", "bodies": ["0", "2", "3"]},
            "A": {"type": "R", "bodies": ["2", "4", "6"]},
            "B": {"type": "R", "bodies": ["3", "5", "7"]},
            "C": {"type": "R", "bodies": ["1", "4", "5"]},
            "P": {"type": "R", "bodies": ["6", "7"]},
        },
    )


@pytest.mark.parametrize(("count", "trees"), [(3, 3), (4, 16), (5, 125)])
def test_there_are_n_to_the_n_minus_2_trees(count, trees):
    bodies = tuple(map(str, range(count)))
    assert len({frozenset(map(frozenset, tree)) for tree in all_trees(bodies)}) == trees


def test_jansens_leg_has_four_groups_and_its_27_choices_give_2_to_4():
    structure = analyse(jansen())
    assert [group.bodies for group in structure.groups] == [("1",), ("2", "3"), ("4", "5"), ("6", "7")]
    assert {group.signature for group in structure.groups} == {"R* 2D", "R.R.R 2D"}
    assert Counter(len(analyse(each).groups) for each in trees_of(jansen())) == {2: 5, 3: 8, 4: 14}


def test_peaucelliers_81_choices_are_those_of_the_specification():
    counts = Counter(len(analyse(each).groups) for each in trees_of(peaucellier()))
    assert sorted(counts.values()) == [24, 28, 29]
    assert [counts[k] for k in sorted(counts)] == [29, 24, 28]
    assert len(analyse(peaucellier()).groups) == max(counts)


def random_linkage(seed: int) -> Mechanism:
    """A planar or spatial mechanism whose joints hold two to four bodies; counts agree in most."""
    draw = random.Random(seed)
    space = draw.choice(["planar", "planar", "spatial"])
    freedoms = 3 if space == "planar" else 6
    grades = {"R": 1, "P": 1} if space == "planar" else {"R": 1, "C": 2, "S": 3, "PL": 3}
    moving = [str(b) for b in range(1, draw.randint(4, 8))]
    every = ["0", *moving]
    joints: dict[str, dict] = {}
    joined: set[frozenset[str]] = set()
    left = freedoms * len(moving)
    for number in range(40):
        kind = draw.choice(list(grades))
        size = draw.choice([2, 2, 3, 3, 4])
        bodies = draw.sample(every, min(size, len(every)))
        pairs = {frozenset((a, b)) for a in bodies for b in bodies if a != b}
        driven = draw.choice([0, 0, 1])
        units = (len(bodies) - 1) * (freedoms - grades[kind]) + driven
        if pairs & joined or units > left:
            continue
        entry: dict = {"type": kind, "bodies": bodies}
        if driven:
            entry["driven"] = 1
            if len(bodies) > 2:
                entry["between"] = draw.sample(bodies, 2)
        joints[f"j{number}"] = entry
        joined |= pairs
        left -= units
    while left:  # what is still free is driven directly
        body = draw.choice(moving)
        free = [b for b in every if frozenset((b, body)) not in joined and b != body]
        if not free:
            break
        other, count = draw.choice(free), min(left, draw.randint(1, freedoms))
        joined.add(frozenset((other, body)))
        joints[f"d{left}"] = {
            "type": "FP" if space == "planar" else "F", "bodies": [other, body], "driven": count,
        }  # fmt: skip
        left -= count
    return mechanism(moving, joints, space)


@pytest.mark.slow
def test_the_choice_is_the_finest_of_all_trees_on_random_linkages():
    refined = determined = 0
    for seed in range(few_or_all(70, 700)):  # some twelve thousand trees in all, each analysed with all its advice
        found = random_linkage(seed)
        choices = 1
        for joint in found.multiple_joints:
            choices *= len(joint.bodies) ** (len(joint.bodies) - 2)
        if not 1 < choices <= 150:
            continue
        best = analyse(found)
        others = [analyse(each) for each in trees_of(found)]
        if "overdetermined" in {finding.kind for finding in best.diagnosis}:
            # Some trees may hide it, but then at least one shows it.
            assert any(each.status == "overdetermined" for each in others), seed
            continue
        mine = partition(best)
        bodies = sum(len(block) for block in mine)
        for other in others:
            for block in partition(other):
                inside = [one for one in mine if one <= block]
                assert sum(map(len, inside)) == len(block), (seed, block, mine)
        if best.status in ("determined", "singular"):
            assert bodies == len(found.bodies)
            determined += 1
        refined += any(partition(other) != mine for other in others)
    assert determined > few_or_all(6, 60)
    assert refined > few_or_all(3, 30)


def test_a_tree_that_hides_an_overconstraint_is_not_used():
    """Frame, 1 and 2 on one pin; 1 hangs on driven link 4 too: one constraint too many, while 2 turns freely.

    The tree 0-2, 2-1 counts the missing constraint of 2 for 1 and looks sound.
    """
    joints = {
        "pin": {"type": "R", "bodies": ["0", "1", "2"], "tree": [["0", "2"], ["2", "1"]]},
        "link": {"type": "R", "bodies": ["1", "4"]},
        "crank": {"type": "R", "bodies": ["0", "4"], "driven": 1},
    }
    structure = analyse(mechanism("124", joints))
    assert structure.status == "overdetermined"
    found = {finding.kind: (finding.bodies, finding.excess or finding.deficit) for finding in structure.diagnosis}
    assert found == {"overdetermined": (("1", "4"), 1), "underdetermined": (("2",), 1)}


def test_pairs_are_named_after_joint_and_bodies_and_directed_as_listed():
    structure = analyse(jansen())
    pairs = {joint.id: joint.bodies for joint in structure.mechanism.joints if joint.multiple == "hip"}
    assert len(pairs) == 2
    assert all(name == f"hip--{first}-{second}" and first < second for name, (first, second) in pairs.items())
    assert {pair.joint for group in structure.groups for pair in (*group.external, *group.internal)} == {
        joint.id for joint in structure.mechanism.joints
    }


def test_the_user_may_force_the_tree():
    structure = analyse(jansen(tree=[["2", "4"], ["1", "4"]]))
    assert {joint.id for joint in structure.mechanism.joints if joint.multiple == "pin"} == {"pin--2-4", "pin--1-4"}


def test_the_resolved_mechanism_can_be_written_and_read_back():
    resolved = analyse(jansen()).mechanism
    again = Mechanism.from_dict(tomllib.loads(write_mechanism(resolved)))
    assert again.joints == resolved.joints
    assert analyse(again).groups == analyse(jansen()).groups


def test_two_drives_on_one_pin_belong_to_every_tree():
    """A five-bar whose motors sit on one axis."""
    found = mechanism(
        "1234",
        {
            "axis": {"type": "R", "bodies": ["1", "0", "2"], "driven": 1, "between": [["0", "1"], ["0", "2"]]},
            "a": {"type": "R", "bodies": ["1", "3"]},
            "b": {"type": "R", "bodies": ["2", "4"]},
            "c": {"type": "R", "bodies": ["3", "4"]},
        },
        drives={"axis--0-1": "t", "axis--0-2": "2*t"},
    )
    structure = analyse(found)
    assert [group.signature for group in structure.groups] == ["R* 2D", "R* 2D", "R.R.R 2D"]
    assert set(structure.mechanism.drives) == {("axis--0-1", "angle"), ("axis--0-2", "angle")}


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        ({"driven": 1}, "joints.pin.driven", 'between = ["1", "2"]'),
        ({"between": ["1", "2"]}, "joints.pin.between", "driven = 1"),
        ({"driven": 1, "between": ["1", "9"]}, "joints.pin.between[0]", '"9" is not a body of this joint'),
        ({"driven": 1, "between": [["1", "2"], ["2", "4"], ["1", "4"]]}, "joints.pin.between[2]", "already"),
        ({"tree": [["1", "2"]]}, "joints.pin.tree", "must have 2"),
        ({"tree": [["1", "2"], ["2", "1"]]}, "joints.pin.tree[1]", "already"),
        ({"driven": 1, "between": ["1", "4"], "tree": [["1", "2"], ["2", "4"]]}, "joints.pin.tree", "driven pair"),
        ({"type": "L"}, "joints.pin.bodies", "R, P, H, C, S, PL, W"),
        ({"type": "FP"}, "joints.pin.bodies", "constrains nothing"),
        ({"bodies": ["1", "2", "1"]}, "joints.pin.bodies", "itself"),
        ({"bodies": ["1", "2", "3"]}, "joints.top.bodies", "already joined"),
    ],
)
def test_what_makes_no_sense_is_refused_with_advice(change, where, what):
    with pytest.raises(MechanismError) as refusal:
        jansen(**change)
    assert where in str(refusal.value)
    assert what in str(refusal.value)


def test_a_pair_that_the_choice_may_leave_out_cannot_be_named():
    spring = {"s": {"kind": "joint", "joint": "pin--1-2", "stiffness": 1.0}}
    source = {**jansen().source, "forces": spring}
    with pytest.raises(MechanismError, match=r"`tree` in joints\.pin"):
        Mechanism.from_dict(source)
    source["joints"] = {**source["joints"], "pin": {**source["joints"]["pin"], "tree": [["1", "2"], ["2", "4"]]}}
    assert Mechanism.from_dict(source).forces[0].joint == "pin--1-2"


def test_a_pair_with_the_name_of_a_joint_is_refused():
    joints = {**jansen().source["joints"], "pin--1-2": {"type": "R", "bodies": ["0", "7"]}}
    with pytest.raises(MechanismError, match="rename one"):
        mechanism("1234567", joints)


def test_balls_guides_and_planes_may_be_shared_too():
    """Three S on one ball: a tripod of rods whose feet are driven in space."""
    for kind, grade in (("S", 3), ("P", 1), ("C", 2), ("PL", 3), ("H", 1)):
        joints = {"ball": {"type": kind, "bodies": ["1", "2", "3"]}}
        found = mechanism("123", {**joints, "d": {"type": "F", "bodies": ["0", "1"], "driven": 6}}, "spatial")
        structure = analyse(found)
        assert structure.mobility == 3 * 6 - 2 * (6 - grade), kind
        assert structure.joints == 3
    assert isinstance(found.multiple_joints[0], MultipleJoint)


def test_a_weld_of_several_bodies_is_one_body():
    joints = {"block": {"type": "W", "bodies": ["1", "2", "3"]}, "a": {"type": "R", "bodies": ["0", "1"], "driven": 1}}
    structure = analyse(mechanism("123", joints))
    assert structure.bodies == 2
    assert structure.groups[0].bodies == ("1", "2", "3")


def test_split_into_pairs_the_mechanism_is_the_same():
    found = mechanism(
        "123",
        {
            "axis": {
                "type": "R", "bodies": ["1", "0", "2"], "driven": ["angle"], "between": ["0", "1"],
                "frames": {"0": {"at": [0, 0]}, "1": {"at": [0, 0]}, "2": {"at": [1, 0]}},
            },
            "a": {"type": "R", "bodies": ["1", "3"], "at": [1, 0]},
            "b": {"type": "R", "bodies": ["2", "3"], "at": [1, 1]},
        },
        drives={"axis": "2*t"},
    )  # fmt: skip
    resolved = analyse(found).mechanism
    split = split_multiple_joints(resolved)
    assert not split.multiple_joints
    assert [replace(joint, multiple=None) for joint in resolved.joints] == list(split.joints)
    assert split.drives == resolved.drives
    assert analyse(split).groups == analyse(found).groups


def test_the_document_lists_the_pairs_that_stand_for_a_joint():
    document = analyse(jansen()).to_dict()
    assert document["joints"] == 10
    assert {each["joint"]: len(each["pairs"]) for each in document["multiple_joints"]} == {
        "pin": 2,
        "fixed": 2,
        "hip": 2,
    }
    assert "multiple_joints" not in analyse(mechanism("1", {"a": {"type": "R", "bodies": ["0", "1"]}})).to_dict()


def test_inputs_of_a_mechanism_with_multiple_joints_can_be_transformed():
    found = transform(jansen())
    assert max(choice.groups for choice in found.choices) == 4
