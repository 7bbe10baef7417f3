"""Laws of the valid choices on random mechanisms: brute force, the exchange law of matroids, symmetry."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms_for_structure import PlainMechanism, plain, random_mechanism

from symgen.errors import InputError, StructureError
from symgen.topology.analysis import analyse
from symgen.topology.transformations.enumeration import count_choices, enumerate_choices
from symgen.topology.transformations.evaluation import Evaluator
from symgen.topology.transformations.ground_set import count_vectors, make_ground_set
from symgen.topology.transformations.symmetry import classes_of, find_symmetries
from symgen.topology.transformations.transform import transform


def _with_inputs(mechanism: PlainMechanism, choice) -> PlainMechanism:
    joints = tuple(replace(joint, driven=w) for joint, w in zip(mechanism.joints, choice, strict=True))
    return replace(mechanism, joints=joints)


def _bounds(mechanism: PlainMechanism, seed: int, *, bounded: bool):
    """Return random bounds by joint; none if not bounded."""
    draw = random.Random(seed)
    lowest = {joint.id: draw.choice([0, 0, 0, min(1, joint.grade)]) for joint in mechanism.joints if bounded}
    highest = {
        joint.id: draw.choice([joint.grade, joint.grade, lowest[joint.id]]) for joint in mechanism.joints if bounded
    }
    return lowest, highest


def _vectors(ground):
    ranges = [range(low, high + 1) for low, high in zip(ground.lowest, ground.highest, strict=True)]
    return [vector for vector in product(*ranges) if sum(vector) == ground.inputs]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("bounded", [False, True])
def test_choices_structures_and_verdicts_are_those_of_trying_every_vector(bounded):
    tried = valid_ones = singular = 0
    for seed in range(260):
        mechanism = random_mechanism(seed, most=4)
        ground = make_ground_set(mechanism, *_bounds(mechanism, seed, bounded=bounded))
        vectors = _vectors(ground)
        assert count_vectors(ground) == len(vectors)
        if len(vectors) > 300:
            continue
        tried += 1
        structures = {vector: analyse(_with_inputs(mechanism, vector)) for vector in vectors}
        valid = [vector for vector in vectors if structures[vector].status in ("determined", "singular")]
        found = list(enumerate_choices(ground))
        assert found == sorted(valid, reverse=True), seed
        assert count_choices(ground) == len(valid)
        evaluator = Evaluator(ground)
        for choice in found:
            structure, here = structures[choice], evaluator.evaluate(choice)
            assert here.signatures == tuple(group.signature for group in structure.groups), seed
            assert here.largest == max(len(group.bodies) for group in structure.groups)
            assert here.levels == max(group.level for group in structure.groups)
            assert here.regular == (structure.status == "determined"), (seed, choice)
            singular += not here.regular
        valid_ones += len(valid)
    assert tried > 150
    assert valid_ones > 300
    assert singular > 20


def test_verdicts_agree_where_only_the_count_can_be_tested():
    """A cam pair in space has no known twists: test L2 decides."""
    pairs = [(1, 2, "R", 0), (2, 3, "L", 0), (3, 4, "S", 0), (1, 4, "S", 0), (2, 4, "F", 0)]
    mechanism = plain("spatial", 4, pairs)
    ground = make_ground_set(mechanism)
    evaluator = Evaluator(ground)
    choices = list(enumerate_choices(ground))
    verdicts = [evaluator.evaluate(choice).regular for choice in choices]
    assert verdicts == [analyse(_with_inputs(mechanism, choice)).status == "determined" for choice in choices]
    assert set(verdicts) == {True, False}


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**9), st.booleans(), st.data())
def test_two_valid_choices_obey_the_exchange_law(seed, bounded, data):
    """If w_a > v_a, there is a b with w_b < v_b so that moving one input from a to b keeps w valid (M-convexity)."""
    mechanism = random_mechanism(seed, most=5)
    choices = list(enumerate_choices(make_ground_set(mechanism, *_bounds(mechanism, seed, bounded=bounded))))
    if len(choices) < 2:
        return
    w, v = data.draw(st.sampled_from(choices)), data.draw(st.sampled_from(choices))
    valid = set(choices)
    pairs = range(len(w))
    for a in (p for p in pairs if w[p] > v[p]):
        moved = [tuple(x - (p == a) + (p == b) for p, x in enumerate(w)) for b in pairs if w[b] < v[b]]
        assert valid & set(moved)


def test_enumeration_is_taken_up_after_any_choice():
    taken_up = 0
    for seed in range(120):
        mechanism = random_mechanism(seed, most=5)
        ground = make_ground_set(mechanism, *_bounds(mechanism, seed, bounded=seed % 2 > 0))
        choices = list(enumerate_choices(ground))
        for number in {0, len(choices) // 3, len(choices) // 2, len(choices) - 1} if choices else ():
            assert list(enumerate_choices(ground, choices[number])) == choices[number + 1 :]
            taken_up += 1
    assert taken_up > 100


def test_choices_of_a_class_have_the_same_structure_and_symmetries_keep_choices_valid():
    joined = 0
    for seed in range(200):
        draw = random.Random(seed)
        legs = draw.randint(2, 3)
        codes = [draw.choice(["R", "P", "U", "S", "C"]) for _ in range(2)]
        pairs = []
        for leg in range(legs):  # equal legs between the frame and a last body, and something that may break symmetry
            pairs += [(1, leg + 2, codes[0], 0), (leg + 2, legs + 2, codes[1], 0)]
        if draw.random() < 0.3:
            pairs.append((2, 3, "F", 0))
        mechanism = plain("spatial", legs + 2, pairs)
        ground = make_ground_set(mechanism)
        if not 0 < ground.inputs < 5:
            continue
        choices = list(enumerate_choices(ground))
        symmetries = find_symmetries(ground)
        for symmetry in symmetries:
            assert {tuple(choice[p] for p in symmetry) for choice in choices} == set(choices)
        leaders = classes_of(choices, symmetries)
        evaluator = Evaluator(ground)
        for choice, leader in zip(choices, leaders, strict=True):
            one, other = evaluator.evaluate(choice), evaluator.evaluate(choices[leader])
            assert sorted(one.signatures) == sorted(other.signatures)
            assert (one.largest, one.levels, one.regular) == (other.largest, other.levels, other.regular)
        joined += len(choices) - len(set(leaders))
    assert joined > 50


def test_preferences_leave_what_filtering_leaves():
    for seed in range(40):
        mechanism = random_mechanism(seed, most=5)
        names = [joint.id for joint in mechanism.joints if joint.grade]
        draw = random.Random(seed)
        must, may_not = draw.sample(names, 1), draw.sample(names, min(2, len(names)))
        try:
            every = transform(mechanism, regular=False, limit=None)
        except StructureError:
            continue
        if set(must) & set(may_not):
            with pytest.raises(InputError, match="leave one of the two out"):
                transform(mechanism, must=must, may_not=may_not)
            continue
        ground = make_ground_set(mechanism)
        left = [
            inputs
            for inputs in map(ground.named, enumerate_choices(ground))
            if set(must) <= set(inputs) and not set(may_not) & set(inputs)
        ]
        if not left:
            with pytest.raises(StructureError, match="no choice of inputs is valid"):
                transform(mechanism, must=must, may_not=may_not)
            continue
        found = transform(mechanism, must=must, may_not=may_not, regular=False, limit=None)
        assert found.ranked == len(left) <= every.ranked


@pytest.mark.parametrize(
    ("wishes", "words"),
    [
        ({"must": ["J1"]}, 'no joint has this id; did you mean "j1"?'),
        ({"may_not": ["x"]}, "no joint has this id; joints are j1, j2"),
        ({"must": {"j1": 2}}, "R has no more than 1"),
        ({"must": {"j1": 0}}, "at least 1"),
        ({"must": ["j1"], "only": ["j2"]}, "add it there"),
        ({"by": ["group"]}, 'did you mean "groups"'),
        ({"by": ["groups", "groups"]}, "twice"),
        ({"by": []}, "no objective"),
        ({"by": ["solved"]}, "a function of the signature"),
    ],
)
def test_a_wish_that_cannot_be_is_refused_with_the_reason(wishes, words):
    four_bar = plain("planar", 4, [(1, 2, "R", 1), (2, 3, "R", 0), (3, 4, "R", 0), (1, 4, "R", 0)])
    with pytest.raises(InputError) as refusal:
        transform(four_bar, **wishes)
    assert words in str(refusal.value)


# Four bodies, each hinged to each other: three constraints too many.
_CAGE = [(i, j, "R", 0) for i in range(1, 4) for j in range(i + 1, 5)]


@pytest.mark.parametrize(
    ("bodies", "pairs", "wishes", "words"),
    [
        (7, [*_CAGE, (1, 5, "R", 0), (5, 6, "R", 0), (6, 7, "R", 0)], {}, "joints alone impose too many"),
        (3, [(1, 2, "R", 0)], {}, "no joint there has a freedom left"),
        (3, [(1, 2, "R", 0), (2, 3, "R", 0)], {"only": ["j1"]}, "still lack 1 of 2 inputs; allow one of joints j2"),
        (2, [(1, 2, "R", 0)], {"may_not": ["j1"]}, "allow one of joints j1 to be driven"),
        (4, [(1, 2, "R", 0), (2, 3, "R", 0), (3, 4, "R", 0), (1, 4, "R", 0)], {"must": ["j1", "j2"]}, "2 freedoms"),
    ],
)
def test_no_valid_choice_is_explained(bodies, pairs, wishes, words):
    with pytest.raises(StructureError) as refusal:
        transform(plain("planar", bodies, pairs), **wishes)
    assert words in str(refusal.value)


def test_too_many_inputs_in_one_place_are_explained():
    pairs = [(1, 2, "R", 0), (2, 3, "R", 0), (3, 4, "R", 0), (1, 4, "R", 0), (4, 5, "R", 0)]
    with pytest.raises(StructureError, match=r"joints j1, j2 driven, bodies 2, 3, 4 carry more constraints"):
        transform(plain("planar", 5, pairs), must=["j1", "j2"])


def test_a_mechanism_without_mobility_has_the_empty_choice():
    triangle = plain("planar", 3, [(1, 2, "R", 0), (2, 3, "R", 0), (1, 3, "R", 0)])
    found = transform(triangle)
    assert [dict(choice.inputs) for choice in found.choices] == [{}]
    assert (found.valid, found.vectors, found.choices[0].is_current) == (1, 1, True)
