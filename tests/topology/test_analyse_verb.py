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
