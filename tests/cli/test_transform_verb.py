"""`symgen transform`: a table, one JSON document, a database, the mechanism file with other inputs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from symgen.cli.main import main
from symgen.model.load import load
from symgen.topology.analysis import analyse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROTOR = str(EXAMPLES / "rotor" / "mechanism.toml")
ORIGINAL = str(EXAMPLES / "rotor" / "original_inputs.toml")


def _run(*words):
    try:
        return main(["transform", *map(str, words)])
    except SystemExit as stop:
        return stop.code


def test_table_ranks_choices_and_compares_the_present_inputs(capsys):
    assert _run(ORIGINAL, "--limit", 3) == 0
    out = capsys.readouterr().out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "1576 ways to choose them; by count 1031 fix every body, 1031 of them for almost every geometry" in lines
    assert "1 slider_2, mast, yaw 9 2 6 9 of 9 2" in lines
    assert "29 plate, yaw, rod_14_foot 7 3 5 7 of 7 2 present inputs" in lines
    assert "9 groups, the largest of 2 bodies, 9 solved (5 choices); the present inputs: 7 groups" in out
    assert lines[-1].endswith("7 groups, the largest of 3 bodies, 7 solved (row 29)")


def test_json_is_one_document(capsys):
    assert _run(ROTOR, "--json", "--by", "levels,groups", "--limit", 2) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "symgen/transformations/1"
    assert (document["by"], document["valid"], document["proved"]) == (["levels", "groups"], 1031, True)
    assert len(document["choices"]) == 2
    first, second = document["choices"]
    assert first["levels"] <= second["levels"]
    assert len(first["signatures"]) == first["groups"]
    assert document["current"]["inputs"] == {"slider_2": 1, "mast": 1, "yaw": 1}


def test_preferences_hold(capsys):
    assert _run(ROTOR, "--json", "--must", "rod_5_top=2", "--may-not", "mast, yaw", "--limit", 1000) == 0
    choices = json.loads(capsys.readouterr().out)["choices"]
    assert choices
    assert all(choice["inputs"].get("rod_5_top", 0) >= 2 for choice in choices)
    assert not any({"mast", "yaw"} & set(choice["inputs"]) for choice in choices)
    assert _run(ROTOR, "--json", "--only", "slider_2,mast,yaw") == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["vectors"], document["choices"][0]["current"]) == (1, True)


def test_singular_choices_are_shown_when_asked_for(capsys):
    stewart = str(EXAMPLES / "stewart_inverse" / "mechanism.toml")
    singular = "ball_1=3,slider_1,cardan_1=2"  # with the leg's own six freedoms driven nothing is left of it
    assert _run(stewart, "--only", "ball_1,cardan_1,slider_1,hand", "--no-regular", "--json", "--limit", 500) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ranked"] == document["valid"] >= document["regular"]
    assert singular in [
        ",".join(name if w == 1 else f"{name}={w}" for name, w in sorted(choice["inputs"].items(), key=_leg))
        for choice in document["choices"]
    ]


def _leg(item):
    return ["ball_1", "slider_1", "cardan_1", "hand"].index(item[0])


def test_a_row_is_written_as_a_mechanism_file(tmp_path, capsys):
    target = tmp_path / "rotor.toml"
    assert _run(ROTOR, "--write", target, "--choice", 3, "--limit", 1) == 0
    captured = capsys.readouterr()
    assert "drives.slider_2: the law of slide was removed, because the joint is no longer driven" in captured.err
    assert "drives: write a law for blade" in captured.err
    written = load(target)
    assert {joint.id: joint.driven for joint in written.joints if joint.driven} == {"mast": 1, "yaw": 1, "blade": 1}
    assert [key for key, _ in written.drives] == ["mast", "yaw"]
    assert [len(group.bodies) for group in analyse(written).groups].count(2) == 6
    assert _run(ORIGINAL, "--write", tmp_path / "rotor.json", "--json") == 0
    assert len(analyse(load(tmp_path / "rotor.json")).groups) == 9


def test_database_is_shown_without_the_mechanism(tmp_path, capsys):
    database = tmp_path / "rotor.sqlite"
    assert _run(ORIGINAL, "--database", database, "--json") == 0
    first = capsys.readouterr().out
    assert _run("--database", database, "--show", "--json") == 0
    assert capsys.readouterr().out == first
    assert _run("--database", database, "--show", "--must", "blade", "--limit", 1, "--json") == 0
    assert "blade" in json.loads(capsys.readouterr().out)["choices"][0]["inputs"]
    assert _run("--database", database, "--show", "--must", "blade", "--may-not", "mast", "--only", "blade,yaw") == 1
    assert "none satisfies the preferences" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give a mechanism file, or --show"),
        (["--show"], "name it with --database"),
        ([ROTOR, "--show", "--database", "x.sqlite"], "--show needs no MECH"),
        (["--show", "--database", "none.sqlite"], "there is no such database"),
        (["--show", "--database", "x.sqlite", "--write", "x.toml"], "give MECH"),
        ([ROTOR, "--choice", "3"], "--choice 3 selects the row that --write takes; add --write FILE"),
        ([ROTOR, "--must", "mats"], 'did you mean "mast"'),
        ([ROTOR, "--must", "mast=x"], "write JOINT or JOINT=N"),
        ([ROTOR, "--must", "mast,mast"], "named twice"),
        ([ROTOR, "--must", ","], "no name is given"),
        ([ROTOR, "--by", "bodies"], "allowed are groups, largest, levels, solved"),
        ([ROTOR, "--write", ROTOR], "this is the mechanism file itself"),
        ([ROTOR, "--write", "x.txt"], "must end in .toml or .json"),
        ([ROTOR, "--write", "x.toml", "--choice", "9999"], "there are 546 rows"),
    ],
)
def test_wrong_words_are_refused_with_the_likely_fix(words, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert _run(*words) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_no_valid_choice_ends_with_status_1(capsys):
    assert _run(ROTOR, "--only", "mast,slider_2") == 1
    captured = capsys.readouterr()
    assert "no choice of inputs is valid" in captured.err
    assert captured.out == ""


@pytest.mark.slow
def test_output_does_not_depend_on_the_hash_seed():
    words = [sys.executable, "-m", "symgen", "transform", ORIGINAL, "--json", "--limit", "1000"]
    outputs = {
        subprocess.run(words, capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}).stdout
        for seed in ("0", "1")
    }
    searched = {
        subprocess.run(
            [*words, "--most", "0"], capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("0", "1")
    }
    assert (len(outputs), len(searched)) == (1, 1)


def _bennett(folder):
    ends = [["1", "2"], ["2", "3"], ["3", "4"], ["4", "1"]]
    tree = {
        "schema": "symgen/mechanism/1", "name": "bennett", "space": "spatial", "ground": "1",
        "bodies": {"2": {}, "3": {}, "4": {}},
        "joints": {f"J{k}": {"type": "R", "bodies": pair, "driven": int(k == 1)} for k, pair in enumerate(ends, 1)},
    }  # fmt: skip
    path = folder / "bennett.json"
    path.write_text(json.dumps(tree), encoding="utf-8")
    return str(path)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("verb", "status"), [("transform", "none"), ("schedule", "overdetermined"), ("analyse", "overdetermined")]
)
def test_no_is_an_answer_with_a_document(tmp_path, verb, status):
    words = [verb, _bennett(tmp_path), "--json"]
    done = subprocess.run([sys.executable, "-m", "symgen", *words], capture_output=True, check=False)
    assert done.returncode == 1
    text = done.stdout
    document = json.loads(text)
    assert document["schema"].startswith("symgen/")
    assert document["status"] == status
    assert document["diagnosis"][0]["kind"] == "overdetermined"
    assert verb == "analyse" or document["reason"]


def test_preferences_that_leave_nothing_give_a_document_with_the_reason(tmp_path, capsys):
    database = str(tmp_path / "rotor.sqlite")
    assert _run(ROTOR, "--json", "--database", database) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["reason"]) == ("found", None)
    assert _run("--show", "--database", database, "--may-not", "slider_2,mast,yaw", "--only", "slider_2", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["reason"]) == ("none", "none satisfies the preferences")


def test_a_row_that_there_is_not_is_refused_before_anything_is_printed(tmp_path, capsys):
    assert _run(ROTOR, "--write", tmp_path / "new.toml", "--choice", 100_000) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert "--choice 100000: there are" in streams.err


def test_show_says_whose_symmetries_the_classes_are(tmp_path, capsys):
    database = str(tmp_path / "rotor.sqlite")
    assert _run(ROTOR, "--database", database) == 0
    assert _run("--show", "--database", database) == 0
    assert "stored run" not in capsys.readouterr().out
    assert _run("--show", "--database", database, "--may-not", "mast") == 0
    assert "under the symmetries of the stored run" in " ".join(capsys.readouterr().out.split())
