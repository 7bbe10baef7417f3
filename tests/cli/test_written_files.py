"""Whatever file a verb writes, it says so with one word on one stream; standard output is for the answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.cli.main import main

_FILES: dict[str, list[str]] = {
    "analyse": ["analyse", "nine_bar", "--draw", "a.svg"],
    "graph": ["graph", "spatial_four_bar", "--draw", "a.svg"],
    "schedule": ["schedule", "nine_bar", "--draw", "a.svg"],
    "transform": ["transform", "quick_return", "--write", "a.toml"],
    "solve": ["solve", "jansen_leg", "--to", "0.1", "--output", "a.csv", "--plot", "b.svg", "--animate", "c.html"],
    "all branches": ["solve", "jansen_leg", "--to", "0.01", "--steps", "2", "--all-branches", "--output", "a.csv"],
    "assemblies": ["solve", "jansen_leg", "--assemblies", "--draw", "a.svg"],
    "simulate": ["simulate", "dynamics/bricard", "--step", "0.01", "--until", "0.1", "--output", "a.csv"],
    "vibrations": ["vibrations", "transfer/spring_chain", "--plot", "a.svg"],
    "report": ["report", "transfer/tree23", "--out", "a.md", "--picture", "b.svg"],
    "report of a type": ["report", "dyad_rrr", "--out", "a.md"],
    "synthesise": ["synthesise", "chains", "--links", "6", "--draw", "a.svg", "--out", "d"],
    "whole": ["generate", "--whole", "--mechanism", "jansen_leg", "--out", "d", "--name", "leg"],
    "dynamics": ["generate", "--dynamics", "--mechanism", "dynamics/bricard", "--out", "d", "--name", "ring"],
    "loops": ["generate", "--loops", "--mechanism", "spatial_four_bar", "--out", "d", "--name", "ring"],
    "types": ["generate", "driven_r_2d", "--out", "d"],
}  # fmt: skip
#: Folders: what is said names the module's folder, or the folder of all files.
_FOLDERS = {
    "whole": ["d/leg"],
    "dynamics": ["d/ring"],
    "loops": ["d/ring"],
    "types": ["d/driven_r_2d"],
    "synthesise": ["d"],
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", _FILES)
def test_every_file_is_named_on_standard_error(
    name: str,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = [
        str(path) if (path := repository / "examples" / word / "mechanism.toml").is_file() else word
        for word in _FILES[name]
    ]
    monkeypatch.chdir(tmp_path)
    assert main(words) == 0
    said = capsys.readouterr()
    assert "written" not in said.out
    named = [line.partition("written: ")[2].split(" ")[0] for line in said.err.splitlines() if "written: " in line]
    made = sorted(path.name for path in tmp_path.iterdir() if path.is_file())
    assert sorted(named) == sorted([*made, *_FOLDERS.get(name, [])])


@pytest.mark.parametrize("verb", [["solve", "jansen_leg", "--to", "0.1"], ["report", "dyad_rrr"]])
def test_nothing_is_said_to_be_written_where_nothing_is(
    verb: list[str],
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = repository / "examples" / verb[1] / "mechanism.toml"
    monkeypatch.chdir(tmp_path)
    assert main([verb[0], str(path) if path.is_file() else verb[1], *verb[2:]]) == 0
    assert "written: " not in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
