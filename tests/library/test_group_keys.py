"""The key of a group does not depend on how a mechanism writes it: order, directions, names."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.library.catalogue import load_catalogue
from symgen.library.fit import fit_group
from symgen.library.group_joints import GroupJoint
from symgen.library.group_key import group_key, on_demand_name
from symgen.library.signatures import JointWord, chain_of
from symgen.model.pairs import PAIR_TYPES

#: What the same driven freedom is called, or who carries which part, seen from the other body.
OTHER_SIDE = {"angle1": "angle2", "angle2": "angle1"}


def words_of(types: Sequence[str]) -> st.SearchStrategy[tuple[str, tuple[str, ...]]]:
    return st.sampled_from(types).flatmap(
        lambda code: st.tuples(
            st.just(code), st.lists(st.sampled_from(PAIR_TYPES[code].freedoms), unique=True, max_size=2).map(tuple)
        )
    )


spatial = st.lists(words_of(["R", "P", "C", "U", "ER", "S", "PL"]), min_size=3, max_size=6)


def _key(row: Sequence[tuple[str, tuple[str, ...]]]) -> str:
    """Write a row of joints as a key, by hand."""
    words = []
    for code, driven in row:
        freedoms = PAIR_TYPES[code].freedoms
        names = "+".join(name for name in freedoms if name in driven) if len(driven) < len(freedoms) else ""
        words.append(("U" if code == "ER" else code) + "*" * len(driven) + names)
    return f"{'.'.join(words)} 3D"


def _joints(
    row: Sequence[tuple[str, tuple[str, ...]]], turned: Sequence[bool], order: Sequence[int]
) -> list[GroupJoint]:
    """Write the row k1 - b1 - ... - k2 as a mechanism may: some joints the other way round, in any order."""
    last = len(row) - 1
    joints = []
    for place, ((code, driven), other_way) in enumerate(zip(row, turned, strict=False)):
        ends = ("k1" if place == 0 else f"b{place}", f"b{place + 1}") if place < last else ("k2", f"b{last}")
        kind = "U" if code == "ER" else code
        if other_way:
            ends = ends[::-1]
            driven = tuple(OTHER_SIDE.get(name, name) if kind == "U" else name for name in driven)
        joints.append(GroupJoint(f"j{place}", code, ends, driven))
    return [joints[k % len(joints)] for k in order if k < len(joints)]


@pytest.mark.slow
@given(spatial, st.lists(st.booleans(), min_size=6, max_size=6), st.permutations(range(6)))
def test_a_chain_has_one_key(row: list[tuple[str, tuple[str, ...]]], turned: list[bool], order: list[int]) -> None:
    joints = _joints(row, turned, order)
    bodies = [f"b{k + 1}" for k in range(len(row) - 1)]
    found = group_key("spatial", bodies, joints)
    wanted = chain_of(_key(row))
    assert wanted is not None
    assert chain_of(found) == wanted
    assert on_demand_name("spatial", bodies, joints) == wanted.text


@given(spatial)
def test_the_text_of_a_chain_is_read_back_as_that_chain(row: list[tuple[str, tuple[str, ...]]]) -> None:
    chain = chain_of(_key(row))
    assert chain is not None
    assert chain_of(chain.text) == chain


@pytest.mark.parametrize("entry", load_catalogue().entries, ids=lambda entry: entry.key)
def test_the_key_of_a_solved_type_is_that_of_the_library(entry) -> None:
    arrangement, space = entry.arrangement, entry.manifest.space
    joints = [GroupJoint(joint.name, joint.type, joint.bodies, joint.driven) for joint in arrangement.joints]
    found = group_key(space, arrangement.bodies, joints)
    if found.startswith("<"):  # names of an L in a group that is no chain are left out
        assert found == arrangement.signature
    else:
        assert chain_of(found) == chain_of(entry.key)
        assert load_catalogue().matching(found) == (entry,)
        assert fit_group(load_catalogue(), space, arrangement.bodies, joints).entry == entry


def test_a_pin_in_a_slot_says_what_the_later_body_carries() -> None:
    pin = [GroupJoint("a", "R", ("k1", "b1")), GroupJoint("s", "L", ("b1", "b2"), ("slide",)),
           GroupJoint("b", "R", ("k2", "b2"))]  # fmt: skip
    slot = [pin[0], GroupJoint("s", "L", ("b2", "b1"), ("slide",)), pin[2]]
    assert group_key("planar", ["b1", "b2"], pin) == "R.L*slide+pin.R 2D"
    assert group_key("planar", ["b1", "b2"], slot) == "R.L*slide+slot.R 2D"


def test_names_follow_the_order_of_the_freedoms() -> None:
    assert JointWord("S", 2, ("roll", "yaw")).text == "S**yaw+roll"
    assert JointWord("L", 1, ("pin", "slide")).text == "L*slide+pin"
