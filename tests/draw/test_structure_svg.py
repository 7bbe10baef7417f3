"""The picture of a structure is well-formed, complete, safe, legible and the same every time."""

from __future__ import annotations

import itertools
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from symgen.cli.main import main
from symgen.draw.short_names import short_names
from symgen.draw.structure_svg import structure_svg, write_structure
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.topology.analysis import analyse

DATA = Path(__file__).resolve().parents[1] / "topology" / "data"
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
    bodies = [
        each.findtext(f"{SVG}title")
        for each in root.iter(f"{SVG}g")
        if each.find(f"{SVG}rect[@class='body']") is not None
    ]
    assert sorted(bodies) == ["b2", "b3", "b4"]
    pairs = {
        path.findtext(f"{SVG}title"): path.get("class")
        for path in root.iter(f"{SVG}path")
        if path.get("class").startswith("pair") and path.find(f"{SVG}title") is not None
    }
    assert pairs == {
        "A: R* between g and b2": "pair driven",
        "B: R between b2 and b3": "pair",
        "C: R between b3 and b4": "pair inner",
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
    assert root.findtext(f"{SVG}title") == '<script>alert("x")</script> & more'


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


PAPER = ["rotor", "stewart", "micro_manipulator", "nine_bar", "spatial_four_bar"]


def _of_the_paper(name):
    data = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    for case in data["cases"]:
        driven = {tuple(sorted(entry["bodies"])): entry["dofs"] for entry in case["driven"]}
        joints = {
            f"j{k}": (pair["type"], *map(str, pair["bodies"]), driven.get(tuple(sorted(pair["bodies"])), 0))
            for k, pair in enumerate(data["pairs"], start=1)
        }
        ends = [str(body) for body in range(1, data["bodies"] + 1)]
        joints = {
            key: (kind, *("g" if end == "1" else end for end in each), w) for key, (kind, *each, w) in joints.items()
        }
        yield analyse(_mechanism(joints, ends[1:], name, "planar" if data["B"] == 3 else "spatial"))


def _rectangles(root, keep):
    for rect in root.iter(f"{SVG}rect"):
        if keep(rect):
            x, y = float(rect.get("x")), float(rect.get("y"))
            yield x, y, x + float(rect.get("width")), y + float(rect.get("height"))


@pytest.mark.parametrize("name", PAPER)
def test_no_label_covers_a_body_or_another_label(name):
    for structure in _of_the_paper(name):
        root = _parse(structure_svg(structure, "graph"))
        bodies = list(_rectangles(root, lambda rect: rect.get("class") == "body"))
        labels = list(_rectangles(root, lambda rect: rect.get("class") is None and rect.get("rx") == "3"))
        assert len(labels) == structure.joints
        for (a, b, c, d), (x, y, u, v) in itertools.chain(
            itertools.combinations(labels, 2), itertools.product(labels, bodies), itertools.combinations(bodies, 2)
        ):
            # Two patches may share a border; letters stand two pixels inside theirs.
            assert min(c, u) - max(a, x) <= 1.0 or min(d, v) - max(b, y) <= 1.0


@pytest.mark.parametrize("name", PAPER)
def test_lines_of_the_graph_pass_no_body_but_their_own(name):
    for structure in _of_the_paper(name):
        root = _parse(structure_svg(structure, "graph"))
        bodies = {}
        for each in root.iter(f"{SVG}g"):
            rect = each.find(f"{SVG}rect[@class='body']")
            if rect is not None:
                bodies[each.findtext(f"{SVG}title")] = next(_rectangles(each, lambda _: True))
        for path in root.iter(f"{SVG}path"):
            title = path.findtext(f"{SVG}title")
            if title is None:
                continue
            own = set(title.partition(" between ")[2].split(" and "))
            for x, y in _points(path.get("d")):
                for body, (a, b, c, d) in bodies.items():
                    assert body in own or not (a < x < c and b < y < d), f"{title} passes {body}"


def _points(text):
    """Points along a path of M, H, V and C commands."""
    here = (0.0, 0.0)
    for command, numbers in re.findall(r"([MHVC])([^MHVC]*)", text):
        values = [float(value) for value in re.split(r"[ ,]+", numbers.strip())]
        goal = tuple(values[-2:])
        if command == "H":
            goal = (values[0], here[1])
        elif command == "V":
            goal = (here[0], values[0])
        bends = (
            [here, *zip(values[0:4:2], values[1:4:2], strict=True), goal]
            if command == "C"
            else [here, here, goal, goal]
        )
        for step in range(21 if command != "M" else 0):
            t = step / 20
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            yield tuple(sum(w * point[axis] for w, point in zip(weights, bends, strict=True)) for axis in (0, 1))
        here = goal


def test_the_diagram_has_a_circle_a_group_and_an_arrow_a_dependency():
    (structure, _) = _of_the_paper("rotor")
    root = _parse(structure_svg(structure, "diagram"))
    circles = [each for each in root.iter(f"{SVG}g") if each.find(f"{SVG}circle") is not None]
    texts = [[text.text for text in each.iter(f"{SVG}text")][:2] for each in circles]
    assert texts[:2] == [["1", "(3, 1)"], ["2", "(1, 1)"]]
    arrows = {path.findtext(f"{SVG}title") for path in root.iter(f"{SVG}path")} - {None}
    assert arrows == {f"group {g.number} needs group {n}" for g in structure.groups for n in g.depends_on}
    assert "Group 4 (R.U*.S.R 3D): 11, 14, 16, after 1, 2." in root.findtext(f"{SVG}desc")


def test_what_is_drawn_can_be_chosen():
    structure = analyse(_mechanism(FOUR_BAR))
    graph, diagram, both = (structure_svg(structure, what) for what in ("graph", "diagram", "both"))
    assert "<circle" not in graph
    assert 'class="body"' not in diagram
    assert "<circle" in both
    assert 'class="body"' in both
    with pytest.raises(InputError, match="allowed are graph, diagram, both"):
        structure_svg(structure, "tree")
    with pytest.raises(InputError, match="no group"):
        structure_svg(analyse(_mechanism({**FOUR_BAR, "A": ("R", "g", "b2", 0)})), "diagram")


def test_wrong_name_and_too_many_bodies_are_refused_in_words(tmp_path):
    with pytest.raises(InputError, match=r"ends in \.svg"):
        write_structure(analyse(_mechanism(FOUR_BAR)), tmp_path / "picture.png")
    many = [f"b{k}" for k in range(401)]
    with pytest.raises(InputError, match="at most 400"):
        structure_svg(analyse(_mechanism({}, bodies=many)))


def test_a_singular_group_is_marked_in_words_and_red():
    for structure in _of_the_paper("micro_manipulator"):
        (finding,) = structure.diagnosis
        singular = [g.number for g in structure.groups if set(finding.bodies) & set(g.bodies)]
        root = _parse(structure_svg(structure, "both"))
        boxes = [rect.findtext(f"{SVG}title") for rect in root.iter(f"{SVG}rect") if rect.get("class") == "box fault"]
        assert [title.partition(": singular ")[0] for title in boxes] == [f"group {n}" for n in singular]
        circles = [c for c in root.iter(f"{SVG}circle") if c.get("class") == "group fault"]
        assert len(circles) == len(singular) == 1
    for structure in _of_the_paper("rotor"):
        assert ' fault"' not in structure_svg(structure)


def test_names_with_a_common_beginning_or_end_are_told_apart_when_cut():
    for ids, most in (
        ([f"joint_number_{k}" for k in range(400)], 12),
        ([f"{k}_of_the_upper_arm" for k in range(400)], 14),
        ([f"link_{k}_upper_arm" for k in range(100)], 12),
        (["A", "B", "a_name_that_is_long"], 8),
    ):
        names = short_names(ids, most)
        assert list(names) == ids
        assert len(set(names.values())) == len(ids)
        assert all(len(name) <= most and (name == each or "…" in name) for each, name in names.items())
    root = _parse(structure_svg(analyse(_mechanism({f"joint_number_{k}": v for k, v in enumerate(FOUR_BAR.values())}))))
    drawn = [each.text for each in root.iter(f"{SVG}tspan") if each.get("class") == "id"]
    assert sorted(drawn) == [f"joint…mber_{k}" for k in (1, 2, 3)]


def test_a_kind_of_picture_without_a_file_is_a_slip(tmp_path, capsys):
    path = tmp_path / "four_bar.json"
    path.write_text(json.dumps(_mechanism(FOUR_BAR).source), encoding="utf-8")
    assert main(["analyse", str(path), "--picture", "graph"]) == 2
    assert "--picture graph selects what --draw shows; add --draw FILE.svg" in capsys.readouterr().err
