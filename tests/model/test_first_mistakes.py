"""First mistakes of a newcomer are answered with what to write instead."""

from __future__ import annotations

from typing import Any

import pytest

import symgen


def _slider(**guide: Any) -> dict[str, Any]:
    joints = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0.0, 0.0]},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": [0.1, 0.0]},
        "C": {"type": "R", "bodies": ["rod", "piston"], "at": [0.4, 0.0]},
        "D": {"type": "P", "bodies": ["ground", "piston"], **guide},
    }
    bodies: dict[str, Any] = {"crank": {}, "rod": {}, "piston": {}}
    head = {"schema": "symgen/mechanism/1", "name": "slider", "space": "planar"}
    return {**head, "bodies": bodies, "joints": joints, "drives": {"A": "t"}}


def test_a_planar_guide_without_its_axis_is_a_structure_and_no_geometry() -> None:
    mechanism = symgen.Mechanism.from_dict(_slider(at=[0.4, 0.0]))
    assert symgen.analyse(mechanism).status == "determined"
    with pytest.raises(symgen.SymgenError, match=r"joints\.D: the geometry is not complete: P lacks axis"):
        symgen.solve(mechanism, [0.0])


@pytest.mark.parametrize("name", ["ground", "frame", "base", "Frame"])
def test_another_name_for_the_ground_is_answered_with_its_name(name: str) -> None:
    tree = {**_slider(at=[0.4, 0.0], axis=[1.0, 0.0]), "ground": "chassis"}
    for joint in tree["joints"].values():
        joint["bodies"] = [name if body == "ground" else body for body in joint["bodies"]]
    with pytest.raises(symgen.SymgenError, match=f'no body has the id "{name}"; the ground is called "chassis" here'):
        symgen.Mechanism.from_dict(tree)


def test_a_branch_without_its_group_is_refused() -> None:
    mechanism = symgen.Mechanism.from_dict(_slider(at=[0.4, 0.0], axis=[1.0, 0.0]))
    with pytest.raises(symgen.SymgenError, match=r"give a group and its branch, such as \{2: 1\}"):
        symgen.solve(mechanism, [0.0], branch=1)  # type: ignore[arg-type]


@pytest.mark.parametrize(("kind", "freedom"), [("U", "angle1"), ("R", "angle")])
def test_a_rate_named_as_its_column_is_shown_its_place(kind: str, freedom: str) -> None:
    tree = {
        "schema": "symgen/mechanism/1", "space": "spatial", "bodies": {"b": {}},
        "joints": {"B": {"type": kind, "bodies": ["ground", "b"]}},
        "initial": {"joints": {"B": {f"{freedom}.rate": 1.0}}},
    }  # fmt: skip
    with pytest.raises(symgen.SymgenError, match=rf"unknown key; rates are given as rate = \{{ {freedom} = "):
        symgen.Mechanism.from_dict(tree)
