"""A mechanism file with other inputs: what stays, what goes, what is missing and said to be."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.model.change_inputs import change_inputs
from symgen.model.mechanism import Mechanism


def _tree(drives: dict[str, Any], **driven: Any) -> dict[str, Any]:
    types = {"r": "R", "p": "P", "u": "U", "s": "S", "l": "SP"}
    joints: dict[str, Any] = {}
    for number, (name, kind) in enumerate(types.items()):
        joints[name] = {"type": kind, "bodies": [f"b{number}", f"b{number + 1}"]}
        if name in driven:
            joints[name]["driven"] = driven[name]
    bodies = {f"b{number}": {} for number in range(1, len(types) + 1)}
    return {
        "schema": "symgen/mechanism/1", "name": "chain", "space": "spatial", "ground": "b0",
        "bodies": bodies, "joints": joints, "drives": drives,
    }  # fmt: skip


def _changed(tree: dict[str, Any], inputs: dict[str, int]) -> tuple[Mechanism, tuple[str, ...], dict[str, Any]]:
    found, notices = change_inputs(Mechanism.from_dict(tree), inputs)
    return Mechanism.from_dict(found), notices, found


def test_joints_that_keep_their_inputs_keep_everything() -> None:
    tree = _tree({"r": "t", "s.yaw": "2*t", "u": {"angle2": "3*t"}}, r=1, s=["yaw"], u=["angle2"])
    found, notices, _ = _changed(tree, {"r": 1, "s": 1, "u": 1})
    assert found == Mechanism.from_dict(tree)
    assert notices == ()


def test_an_input_that_goes_takes_its_law_along() -> None:
    found, notices, tree = _changed(_tree({"r": "t", "p": "0.1*t"}, r=1, p=1), {"p": 1})
    assert list(found.drives) == [("p", "slide")]
    assert "driven" not in tree["joints"]["r"]
    assert notices == ("drives.r: the law of angle was removed, because the joint is no longer driven",)
    assert "drives" not in _changed(_tree({"r": "t"}, r=1), {})[2]


def test_a_new_input_is_told_what_it_lacks() -> None:
    found, notices, _ = _changed(_tree({}), {"r": 1, "s": 2, "u": 2, "l": 1})
    assert [joint.driven for joint in found.joints] == [1, 0, 2, 2, 1]
    assert notices == (
        "drives: write a law for r",
        'drives: write laws for "u.angle1", "u.angle2"',
        "joints.s: driven = 2 does not say which of yaw, pitch, roll; name them and write laws under drives",
        "joints.l: driven freedoms of SP have no names and can have no laws",
    )


@pytest.mark.parametrize("written", [{"s.yaw": "t"}, {"s": "t"}, {"s": {"yaw": "t"}}])
def test_laws_of_named_freedoms_stay_when_more_are_driven(written: dict[str, Any]) -> None:
    found, notices, _ = _changed(_tree(written, s=["yaw"]), {"s": 3})
    assert list(found.drives) == [("s", "yaw")]
    assert notices == ('drives: write laws for "s.pitch", "s.roll"',)


def test_laws_go_when_fewer_are_driven_for_nothing_says_which() -> None:
    found, notices, _ = _changed(_tree({"u.angle1": "t", "u.angle2": "2*t"}, u=2), {"u": 1})
    assert dict(found.drives) == {}
    assert "the law of angle1, angle2 was removed, because it now has 1 driven freedoms instead of 2" in notices[0]
    assert "driven = 1 does not say which of angle1, angle2; name it and write a law" in notices[1]


@given(
    st.fixed_dictionaries({"r": st.integers(0, 1), "u": st.integers(0, 2), "s": st.integers(0, 3)}),
    st.sets(st.sampled_from(["r", "u.angle1", "u.angle2", "s.yaw", "s.roll", "s.pitch"])),
)
def test_every_change_reads_back_with_the_inputs_asked_for(inputs: dict[str, int], laws: set[str]) -> None:
    names: dict[str, list[str]] = {}
    for key in sorted(laws):
        joint, _, freedom = key.partition(".")
        names.setdefault(joint, []).append(freedom or "angle")
    found, _, _ = _changed(_tree(dict.fromkeys(sorted(laws), "t"), **names), inputs)
    assert {joint.id: joint.driven for joint in found.joints if joint.id in inputs} == inputs
