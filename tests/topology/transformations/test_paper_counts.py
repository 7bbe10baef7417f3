"""Numbers of choices, of classes, and the best ones, for the examples of Celdran, Saura and Dopico (2022).

The counts were obtained before by an independent program that tries every vector.
"""

from __future__ import annotations

from functools import cache

import pytest
from mechanisms_for_structure import reference, reference_mechanism

from symgen.topology.analysis import analyse
from symgen.topology.transformations.enumeration import count_choices
from symgen.topology.transformations.evaluation import Evaluator
from symgen.topology.transformations.ground_set import make_ground_set
from symgen.topology.transformations.search import STARTS, climb
from symgen.topology.transformations.transform import transform

BY = ("groups", "largest")

#: name -> inputs, vectors, valid by count (L1), regular (L3), groups and largest of the best, number of best choices
TABLE = {
    "spatial_four_bar": (1, 4, 4, 4, (2, 2), 2),
    "nine_bar": (4, 210, 180, 180, (6, 2), 12),
    "rotor": (3, 1576, 1031, 1031, (9, 2), 5),
    "stewart": (6, 85151, 85151, 85136, (8, 2), 18),
    "micro_manipulator": (6, 790506, 18117, 13014, (10, 3), 81),
}


def _mechanism(name, case=0):
    data = reference(name)
    return reference_mechanism(data, data["cases"][case])


@cache
def _all_choices(name):
    return transform(_mechanism(name), by=BY, regular=False, limit=None)


def _between(name, choice):
    """Return a choice by the bodies of its pairs: ``{"1-13": 1}``."""
    ends = {joint.id: "-".join(joint.bodies) for joint in _mechanism(name).joints}
    return {ends[joint]: w for joint, w in choice.inputs.items()}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", TABLE)
def test_counts_are_those_of_the_exhaustive_trial(name):
    found = _all_choices(name)
    inputs, vectors, valid, regular, best, ties = TABLE[name]
    assert (found.inputs, found.vectors, found.valid, found.regular) == (inputs, vectors, valid, regular)
    assert ((found.choices[0].groups, found.choices[0].largest), found.best) == (best, ties)
    assert found.method == "enumeration"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", TABLE)
def test_counting_needs_no_enumeration_and_stops_at_its_bound(name):
    ground = make_ground_set(_mechanism(name))
    assert count_choices(ground) == TABLE[name][2]
    assert count_choices(ground, 3) == 4
    assert count_choices(ground, TABLE[name][2]) == TABLE[name][2]


@pytest.mark.slow
def test_legs_of_the_platform_can_be_permuted():
    found = _all_choices("stewart")
    assert found.classes == 793
    assert sum(choice.alike for choice in found.choices) == 85151


def test_best_inputs_of_the_four_bar():
    best = _all_choices("spatial_four_bar").choices[:2]
    assert [_between("spatial_four_bar", choice) for choice in best] == [{"1-2": 1}, {"1-4": 1}]


def test_best_inputs_of_the_rotor_are_the_published_ones_and_four_more():
    found = transform(_mechanism("rotor", 1), by=BY)
    # Rows show one choice of each class; the wing of the rotor is symmetrical, so not all five have a row.
    drives = [_between("rotor", choice) for choice in found.choices if (choice.groups, choice.largest) == (9, 2)]
    others = {"1-2", "1-4", "8-9", "9-11", "15-16"}
    assert all({"1-13": 1, "13-15": 1}.items() <= choice.items() for choice in drives)
    assert {name for choice in drives for name in choice} <= others | {"1-13", "13-15"}
    assert found.current is not None
    assert (found.current.groups, found.current.largest, found.current.number) == (9, 2, 1)
    original = _all_choices("rotor").current
    assert original is not None
    assert (original.groups, original.largest) == (7, 3)


@pytest.mark.slow
def test_best_inputs_of_the_platform_drive_one_leg_and_two_freedoms_at_the_platform():
    found = _all_choices("stewart")
    best = [choice for choice in found.choices if (choice.groups, choice.largest) == (8, 2)]
    for choice in best:
        drives = _between("stewart", choice)
        types = {joint.id: joint.type for joint in _mechanism("stewart").joints}
        counts = [types[joint] for joint, w in choice.inputs.items() for _ in range(w)]
        assert counts.count("S") == 3
        assert counts.count("P") == 1
        assert sum(w for pair, w in drives.items() if "14" in pair.split("-")) == 2


@pytest.mark.slow
def test_micro_manipulator_best_by_count_is_singular_and_so_are_the_published_inputs():
    every = _all_choices("micro_manipulator")
    assert not any(choice.regular for choice in every.choices if (choice.groups, choice.largest) == (10, 3))
    assert every.current is not None
    assert (every.current.groups, every.current.largest, every.current.regular) == (8, 4, False)
    regular = transform(_mechanism("micro_manipulator"), by=BY, limit=1)
    assert (regular.choices[0].groups, regular.choices[0].largest) == (8, 5)
    assert regular.ranked == 13014
    assert regular.current is not None
    assert regular.current.number is None


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("regular", [True, False])
def test_search_reaches_the_optimum(name, regular):
    ground = make_ground_set(_mechanism(name))
    evaluator = Evaluator(ground)

    def key(structure):
        return (regular and not structure.regular, -structure.groups, structure.largest)

    found = min(key(evaluator.evaluate(climb(ground, evaluator, key, start))) for start in range(STARTS))
    best = (8, 5) if regular and name == "micro_manipulator" else TABLE[name][4]
    assert found == (False, -best[0], best[1])


@pytest.mark.parametrize("name", ["nine_bar", "rotor"])
def test_search_says_that_nothing_is_proved(name):
    found = transform(_mechanism(name), by=BY, most=100)
    assert found.method == "search"
    assert found.to_dict()["proved"] is False
    assert (found.choices[0].groups, found.choices[0].largest) == TABLE[name][4]
    assert found.to_dict() == transform(_mechanism(name), by=BY, most=100).to_dict()


@pytest.mark.parametrize("name", TABLE)
def test_published_inputs_have_the_structure_that_the_analysis_finds(name):
    for number in range(len(reference(name)["cases"])):
        mechanism = _mechanism(name, number)
        found = transform(mechanism, by=BY, regular=False, limit=1, most=0).current
        structure = analyse(mechanism)
        assert found is not None
        assert found.signatures == tuple(group.signature for group in structure.groups)
        assert found.levels == max(group.level for group in structure.groups)
        assert found.regular == (structure.status == "determined")
