"""Messages: they name what a user wrote, as it was written, once, with advice that the verb takes."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

from symgen.cli.main import main

_BODIES = ("crank", "coupler", "rocker")


def _four_bar(**places: list[float]) -> dict[str, Any]:
    at = {"A": [0.0, 0.0], "B": [0.1, 0.0], "C": [0.4, 0.25], "D": [0.35, 0.0], **places}
    ends = {"A": ("ground", "crank"), "B": ("crank", "coupler"), "C": ("coupler", "rocker"), "D": ("ground", "rocker")}
    joints: dict[str, Any] = {
        name: {"type": "R", "bodies": list(ends[name]), "at": place} for name, place in at.items()
    }
    joints["A"]["driven"] = 1
    return {
        "schema": "symgen/mechanism/1",
        "name": "four-bar",
        "space": "planar",
        "bodies": {name: {"mass": 1.0, "com": [0.0, 0.0], "inertia": 0.1} for name in _BODIES},
        "joints": joints,
        "drives": {"A": "t"},
    }


def _said(words: list[str], tree: dict[str, Any], folder: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    file = folder / "m.json"
    file.write_text(json.dumps(tree), encoding="utf-8")
    status = main([str(file) if word == "MECH" else word for word in words])
    return status, "".join(capsys.readouterr())


_WHOLE = ["generate", "--whole", "--mechanism", "MECH", "--force"]


@pytest.mark.parametrize("words", [["solve", "MECH", "--to", "1"], _WHOLE], ids=["solve", "whole"])
def test_a_link_without_length_is_named(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = _four_bar(C=[0.1, 0.0])
    status, said = _said([*words, *(["--out", str(tmp_path / "o")] if words is _WHOLE else [])], tree, tmp_path, capsys)
    assert status == 1
    assert "coupler has length 0 between its joints B and C" in said


_VERBS = [
    ["analyse", "MECH"],
    ["graph", "MECH"],
    ["schedule", "MECH"],
    ["solve", "MECH", "--to", "1", "--steps", "3"],
    ["solve", "MECH", "--assemblies"],
    ["simulate", "MECH", "--step", "0.1", "--until", "0.2"],
    ["accelerations", "MECH"],
    ["vibrations", "MECH"],
    ["report", "MECH"],
    _WHOLE,
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("words", _VERBS, ids=" ".join)
@pytest.mark.parametrize("value", [1e300, -1e200, 1e60, 1e-300])
@pytest.mark.parametrize("place", ["at", "points", "com"])
def test_no_number_of_a_file_leaks_a_warning_or_ends_in_a_fault(
    words: list[str], value: float, place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = _four_bar(**({"D": [value, 0.0]} if place == "at" else {}))
    if place == "points":
        tree["bodies"]["coupler"]["points"] = {"P": [value, 0.0]}
    elif place == "com":
        tree["bodies"]["coupler"]["com"] = [value, 0.0]
    more = ["--out", str(tmp_path / "o")] if words is _WHOLE else []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        status, said = _said([*words, *more], tree, tmp_path, capsys)
    assert [str(each.message) for each in caught] == []
    assert status in (0, 1, 2)
    assert "fault" not in said
    assert "site-packages" not in said
    if abs(value) > 1e60:
        field = {"at": "joints.D.at", "points": "bodies.coupler.points.P", "com": "bodies.coupler.com"}[place]
        assert f"{field}: found {value:g} m" in said


@pytest.mark.parametrize("name", ["Kürbel", "曲柄", "manivelle n°1", "e\N{COMBINING ACUTE ACCENT}"])
def test_an_id_is_shown_as_it_was_written(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = _four_bar()
    tree["bodies"][name] = {}
    status, said = _said(["analyse", "MECH"], tree, tmp_path, capsys)
    assert status == 2
    assert f'"{name}" must be an id: letters A-Z and a-z, digits' in said


@pytest.mark.parametrize("name", ["a\x1b[31mb", "a\nb", "a\u202eb", "a\u200bb"])
def test_what_a_terminal_would_obey_is_shown_as_an_escape(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tree = _four_bar()
    tree["bodies"][name] = {}
    _, said = _said(["analyse", "MECH"], tree, tmp_path, capsys)
    assert name not in said
    assert re.search(r"a\\(x1b|n|u202e|u200b)", said)


def test_whole_advises_what_generate_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Symmetric about the line of the joints to the ground: both branches are as near, once the poses say nothing.
    tree = _four_bar(B=[0.1, 0.0], C=[0.2, 0.0], D=[0.35, 0.0])
    status, said = _said([*_WHOLE, "--out", str(tmp_path / "o")], tree, tmp_path, capsys)
    assert status == 0
    assert "gives no initial branches" in said
    assert "--branch" not in said
    assert "--assembly K" in said


@pytest.mark.slow
def test_a_reason_is_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tree = _four_bar()
    tree["drives"]["A"] = "3*t"  # out of reach half-way
    tree["joints"]["B"]["at"] = [0.3, 0.0]
    for words in (["simulate", "MECH", "--step", "0.01", "--until", "2"], ["solve", "MECH", "--to", "2"]):
        status, said = _said(words, tree, tmp_path, capsys)
        assert status == 1
        assert said.count(" at t = ") == 1, said
