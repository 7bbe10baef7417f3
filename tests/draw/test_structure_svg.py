"""The picture of a structure is well-formed, complete, safe and the same every time."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from symgen.draw.structure_svg import structure_svg, write_structure
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse

SVG = "{http://www.w3.org/2000/svg}"


def _parse(text):
    return ET.fromstring(text)  # noqa: S314 - our own text


def _mechanism(joints, bodies=("b2", "b3", "b4"), name="four-bar", space="planar"):
    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "name": name,
            "space": space,
            "ground": "g",
            "bodies": {body: {} for body in bodies},
            "joints": {
                key: {"type": kind, "bodies": list(ends), "driven": driven}
                for key, (kind, *ends, driven) in joints.items()
            },
        }
    )


FOUR_BAR = {"A": ("R", "g", "b2", 1), "B": ("R", "b2", "b3", 0), "C": ("R", "b3", "b4", 0), "D": ("R", "g", "b4", 0)}


def test_every_body_and_joint_is_drawn_once_and_inputs_are_bold():
    root = _parse(structure_svg(analyse(_mechanism(FOUR_BAR))))
    bodies = [group.findtext(f"{SVG}title") for group in root.iter(f"{SVG}g")]
    assert sorted(bodies) == ["b2", "b3", "b4"]
    pairs = {
        path.findtext(f"{SVG}title"): path.get("class")
        for path in root.iter(f"{SVG}path")
        if path.get("class").startswith("pair")
    }
    assert pairs == {
        "A: R* between g and b2": "pair driven",
        "B: R between b2 and b3": "pair",
        "C: R between b3 and b4": "pair",
        "D: R between g and b4": "pair",
    }


def test_bodies_without_a_group_are_shown_apart():
    joints = {**FOUR_BAR, "A": ("R", "g", "b2", 0)}
    text = structure_svg(analyse(_mechanism(joints)))
    assert "not determined" in text
    assert "box fault" in text
    _parse(text)


def test_names_are_text_never_markup():
    structure = analyse(_mechanism(FOUR_BAR, name='<script>alert("x")</script> & more'))
    root = _parse(structure_svg(structure))
    assert not list(root.iter(f"{SVG}script"))
    assert root.findtext(f"{SVG}title") == 'Structural graph of <script>alert("x")</script> & more'


def test_same_structure_gives_the_same_bytes(tmp_path):
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    write_structure(analyse(_mechanism(FOUR_BAR)), first)
    write_structure(analyse(_mechanism(FOUR_BAR)), second)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.svg", "b.svg"]


def test_parallel_joints_and_a_group_of_many_layers_are_drawn():
    joints = {
        "A": ("R", "g", "b2", 0), "B": ("R", "g", "b3", 0), "C": ("R", "g", "b4", 0),
        "D": ("R", "b2", "b5", 0), "E": ("R", "b3", "b5", 0), "F": ("R", "b4", "b5", 0), "G": ("FP", "g", "b5", 3),
    }  # fmt: skip
    structure = analyse(_mechanism(joints, bodies=("b2", "b3", "b4", "b5")))
    _parse(structure_svg(structure))
    welded = {  # two joints between the same rigid bodies, which only welds can bring about
        "A": ("L", "g", "b2", 0), "B": ("L", "g", "b3", 0), "W": ("W", "b2", "b3", 0), "C": ("P", "b2", "b4", 0),
        "D": ("L", "b3", "b4", 1),
    }  # fmt: skip
    text = structure_svg(analyse(_mechanism(welded)))
    assert "b2 +1" in text
    _parse(text)


def test_wrong_name_and_too_many_bodies_are_refused_in_words(tmp_path):
    with pytest.raises(InputError, match=r"ends in \.svg"):
        write_structure(analyse(_mechanism(FOUR_BAR)), tmp_path / "picture.png")
    many = [f"b{k}" for k in range(401)]
    with pytest.raises(InputError, match="at most 400"):
        structure_svg(analyse(_mechanism({}, bodies=many)))
