"""`symgen analyse`: one JSON document, a table for people, exit status 1 for "no"."""

from __future__ import annotations

import json

import pytest
from mechanisms_for_structure import reference

from symgen.cli.main import main


def _write(folder, driven, name="nine bar"):
    data = reference("nine_bar")
    joints = {
        f"j{number}": {
            "type": pair["type"],
            "bodies": [str(body) for body in pair["bodies"]],
            "driven": int(pair["bodies"] in driven),
        }
        for number, pair in enumerate(data["pairs"], start=1)
    }
    tree = {
        "schema": "symgen/mechanism/1", "name": name, "space": "planar", "ground": "1",
        "bodies": {str(body): {} for body in range(2, 10)}, "joints": joints,
    }  # fmt: skip
    path = folder / "mechanism.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    return str(path)


INPUTS = [[1, 2], [2, 3], [3, 4], [1, 9]]


def _run(*words):
    try:
        return main(["analyse", *words])
    except SystemExit as stop:
        return stop.code


def test_json_is_one_document_that_names_solved_types(tmp_path, capsys):
    assert _run(_write(tmp_path, INPUTS), "--json") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["status"]) == ("symgen/structure/1", "determined")
    assert [group["bodies"] for group in document["groups"]][3] == ["9"]
    assert all(isinstance(group["solved"], bool) for group in document["groups"])


def test_order_of_the_passes_can_be_asked_for(tmp_path, capsys):
    assert _run(_write(tmp_path, INPUTS), "--json", "--order", "pass") == 0
    assert [group["bodies"] for group in json.loads(capsys.readouterr().out)["groups"]][1] == ["9"]


def test_table_shows_every_group_uncut_and_names_are_no_markup(tmp_path, capsys):
    assert _run(_write(tmp_path, INPUTS, name="[bold]nine[/bold]")) == 0
    out = capsys.readouterr().out
    assert "[bold]nine[/bold]: planar, 9 bodies with the frame, 10 joints" in out
    assert "mobility 4, inputs 4" in out
    assert out.count("R* 2D") == 4
    assert out.count("R.R.R 2D") == 2


@pytest.mark.parametrize("json_flag", [[], ["--json"]])
def test_a_mechanism_that_is_not_determined_ends_with_status_1_and_advice(tmp_path, capsys, json_flag):
    assert _run(_write(tmp_path, INPUTS[:3]), *json_flag) == 1
    out = capsys.readouterr().out
    assert "underdetermined" in out
    assert "drive 1 more of the freedoms of joints" in out


def test_picture_is_written_and_a_wrong_name_refused(tmp_path, capsys):
    path = _write(tmp_path, INPUTS)
    assert _run(path, "--draw", str(tmp_path / "graph.svg")) == 0
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert _run(path, "--draw", str(tmp_path / "graph.png")) == 2
    assert "--draw" in (err := capsys.readouterr().err)
    assert "end in .svg" in err


CAM = {"A": {"type": "R", "bodies": ["0", "1"], "driven": 1}, "B": {"type": "L", "bodies": ["1", "2"]},
       "C": {"type": "P", "bodies": ["0", "2"]}}  # fmt: skip


def _cam(tmp_path, joints):
    tree = {"schema": "symgen/mechanism/1", "name": "cam", "space": "planar", "ground": "0",
            "bodies": {"1": {}, "2": {}}, "joints": joints, "drives": {"A": "t"}}  # fmt: skip
    path = tmp_path / "cam.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    return str(path)


def test_a_cam_without_geometry_is_solved_if_it_is_a_slot_as_solve_says(tmp_path, capsys):
    path = _cam(tmp_path, CAM)
    assert _run(path, "--json") == 0
    groups = json.loads(capsys.readouterr().out)["groups"]
    assert [group["method"] for group in groups] == ["closed form", "closed form, if L is a straight slot"]
    assert main(["solve", path, "--to", "1"]) != 0
    assert "a straight slot along axis2; cams of other curves are not solved" in capsys.readouterr().err


def test_a_drawing_that_is_there_in_part_says_what_solving_lacks(tmp_path, capsys):
    drawn = {"A": {**CAM["A"], "at": [0, 0]}, "B": CAM["B"], "C": {**CAM["C"], "at": [1, 0], "axis": [1, 0]}}
    assert _run(_cam(tmp_path, drawn)) == 0
    assert "the geometry is not complete (needed for solving): joints B (at, axis2)" in capsys.readouterr().out
    drawn["B"] = {**CAM["B"], "at": [0.1, 0.1], "axis2": [0, 1]}
    assert _run(_cam(tmp_path, drawn), "--json") == 0
    assert json.loads(capsys.readouterr().out)["groups"][1]["method"] == "closed form"


def _many(tmp_path, code):
    joints = {f"j{k}": {"type": code, "bodies": ["0", f"b{k}"]} for k in range(40)}
    tree = {"schema": "symgen/mechanism/1", "name": "hopeless", "space": "spatial", "ground": "0",
            "bodies": {f"b{k}": {} for k in range(40)}, "joints": joints}  # fmt: skip
    path = tmp_path / "hopeless.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    return str(path)


def test_all_findings_are_listed_and_who_lists_a_few_says_where_all_are(tmp_path, capsys):
    path = _many(tmp_path, "R")
    assert _run(path) == 1
    assert capsys.readouterr().out.count("- underdetermined:") == 40
    assert main(["solve", path, "--to", "1"]) != 0
    assert "and 35 more findings: `symgen analyse` lists all" in capsys.readouterr().err


def test_a_file_whose_problems_are_not_all_read_says_so(tmp_path, capsys):
    assert _run(_many(tmp_path, "Q")) == 2
    found = capsys.readouterr().err
    assert "19 more:" in found
    assert "reading stopped at 20 problems; there may be more" in found
