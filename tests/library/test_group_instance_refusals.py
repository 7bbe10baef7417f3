"""What a group instance may not say, and that each refusal names the place and the cure."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

import symgen
from symgen.errors import MechanismError
from symgen.library.instance import instance_of, load_instance
from symgen.library.solve_instance import solve_instance

DYAD: dict[str, Any] = {
    "schema": "symgen/group-instance/1",
    "space": "planar",
    "known": {"K1": {}, "K2": {"r": [2, 0]}},
    "bodies": ["x", "y"],
    "joints": {
        "A": {"type": "R", "bodies": ["K1", "x"], "frames": {"K1": {"at": [0, 0]}, "x": {"at": [0, 0], "angle": 0}}},
        "B": {"type": "R", "bodies": ["x", "y"], "frames": {"x": {"at": [1.5, 0]}, "y": {"at": [0, 0]}}},
        "C": {"type": "R", "bodies": ["K2", "y"], "frames": {"K2": {"at": [0, 0]}, "y": {"at": [1.5, 0]}}},
    },
}


def refusal(tree: object) -> str:
    with pytest.raises(MechanismError) as caught:
        instance_of(tree)
    return str(caught.value)


@pytest.mark.parametrize("side", [{"at": [0.1, 0, 3]}, {"at": [0.1, 0, 3], "angle": 0}])
def test_a_planar_joint_centre_must_lie_in_the_plane(side: dict[str, Any]) -> None:
    tree = copy.deepcopy(DYAD)
    tree["joints"]["A"]["frames"]["x"] = side
    assert "must lie in the x-y plane" in refusal(tree)


def test_a_missing_schema_is_accepted_and_a_wrong_one_refused() -> None:
    assert instance_of({key: value for key, value in DYAD.items() if key != "schema"}).space == "planar"
    assert "symgen/group-instance/1" in refusal({**DYAD, "schema": "symgen/group-instance/7"})


@pytest.mark.parametrize("motion", [{"r": [2, 0]}, {"phi": 0.1}])
def test_planar_motions_without_space_ask_for_space(motion: dict[str, Any]) -> None:
    tree = {**{key: value for key, value in DYAD.items() if key != "space"}, "known": {"K1": {}, "K2": motion}}
    assert refusal(tree).startswith("space: is missing")


def test_a_known_body_may_stand_by_unused() -> None:
    assert "z" in instance_of({**DYAD, "known": {**DYAD["known"], "z": {}}}).known


def test_a_word_for_a_pair_type_is_answered_with_its_code() -> None:
    tree = copy.deepcopy(DYAD)
    tree["joints"]["A"]["type"] = "revolute"
    assert 'did you mean "R"' in refusal(tree)


def test_files_are_read_and_refused_as_mechanism_files_are(tmp_path: Path) -> None:
    (tmp_path / "dyad.json").write_text(json.dumps(DYAD))
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "bytes.json").write_bytes(b"\xd0\xff")
    for name, words in {"dyda.json": '"dyad.json"', "folder.json": "folder", "bytes.json": "not UTF-8"}.items():
        with pytest.raises(MechanismError, match=words):
            load_instance(tmp_path / name)
        with pytest.raises(MechanismError, match=words):
            symgen.load(tmp_path / name)


def test_a_file_of_the_other_kind_is_answered_with_its_verb(tmp_path: Path) -> None:
    file = tmp_path / "group.json"
    file.write_text(json.dumps(DYAD))
    with pytest.raises(MechanismError, match="symgen library solve"):
        symgen.load(file)
    assert "use symgen solve" in refusal({"schema": "symgen/mechanism/1", "space": "planar", "bodies": {}})


def test_a_forgotten_joint_is_answered_with_the_count() -> None:
    tree = copy.deepcopy(DYAD)
    del tree["joints"]["C"], tree["known"]["K2"]
    with pytest.raises(MechanismError, match=r"6 freedoms, .* 4 constraints: 2 missing"):
        solve_instance(symgen.library(backend="numpy"), instance_of(tree))


def test_a_zero_length_and_a_reach_too_short_say_so() -> None:
    library = symgen.library(backend="numpy")
    tree = copy.deepcopy(DYAD)
    tree["joints"]["B"]["frames"]["x"]["at"] = [0, 0]
    assert solve_instance(library, instance_of(tree))["reason"] == "zero length between joints A and B of x"
    far = {**DYAD, "known": {"K1": {}, "K2": {"r": [9, 0]}}}
    assert "cannot reach" in solve_instance(library, instance_of(far))["reason"]
    assert "reason" not in solve_instance(library, instance_of(DYAD))
