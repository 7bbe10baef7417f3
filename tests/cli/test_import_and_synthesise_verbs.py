"""The verbs import and synthesise: documents, files, pictures, refusals; the same bytes whatever the hash seed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

import pytest

from symgen.cli.main import main
from symgen.model.load import load

DATA = Path(__file__).resolve().parents[1] / "model" / "importers" / "data"


def test_import_writes_what_analyse_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "four_bar.toml"
    assert main(["import", str(DATA / "User_Data.m"), "--out", str(target)]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "note: M holds digits" in captured.err
    assert target.read_text().startswith("# Imported from User_Data.m.\n# Note: M holds digits")
    assert main(["analyse", str(target), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [group["type"] for group in document["groups"]] == ["1R3D", "1P1C1S3D"]


def test_import_of_a_robot_with_a_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "four_bar.json"
    side = str(DATA / "four_bar_loops.toml")
    assert main(["import", str(DATA / "four_bar.urdf"), "--loops", side, "--out", str(target)]) == 0
    assert main(["analyse", str(target)]) == 0
    capsys.readouterr()
    assert main(["import", str(DATA / "four_bar.urdf"), "--loops", side, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(target.read_text())
    assert main(["import", str(DATA / "arm.urdf"), "--drive", "all"]) == 0
    assert "driven" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["import", "nowhere.urdf"], "nowhere.urdf: cannot be read"),
        (["import", "x.toml"], "it is a mechanism file already"),
        (["import", str(DATA / "User_Data.m"), "--drive", "all"], "--drive is for URDF files"),
        (["import", str(DATA / "arm.urdf"), "--out", "x.txt"], "must end in .toml or .json"),
        (["import", str(DATA)], "can be imported"),
        (["synthesise", "chains", "--links", "7"], "link numbers that fit: 6, 8"),
        (["synthesise", "chains", "--links", "8", "--dof", "0"], "symgen synthesise trusses"),
        (["synthesise", "chains", "--links", "4", "--pairs", "Q"], "'Q' cannot be used here"),
        (["synthesise", "chains", "--links", "4", "--at-most", "P"], "write TYPE=NUMBER"),
        (["synthesise", "chains", "--links", "4", "--at-most", "P=1"], "must be one of R"),
        (["synthesise", "groups", "--bodies", "2", "--inputs", "some"], "whole number, or any"),
        (["synthesise", "groups", "--bodies", "9"], "allowed are 1 to 6"),
        (["synthesise", "chains", "--links", "4", "--draw", "x.png"], "must end in .svg"),
    ],
)
def test_refusals_exit_with_two(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err


def test_synthesise_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["synthesise", "chains", "--links", "8", "--mechanisms", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["count"], document["mechanisms"]) == ("symgen/synthesis/1", 16, 71)
    assert sum(len(chain["mechanisms"]) for chain in document["chains"]) == 71
    assert main(["synthesise", "trusses", "--links", "5", "--groups", "--json"]) == 0
    (truss,) = json.loads(capsys.readouterr().out)["trusses"]
    assert len(truss["groups"]) == 2
    assert main(["synthesise", "groups", "--bodies", "2", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["count"], document["regular"], document["types"]) == (42, 39, 16)
    assert {g["signature"] for g in document["groups"] if g["solved"]} >= {"R.S.U 3D", "P.U.S 3D", "P.C.S 3D"}


def test_files_are_written_again_but_never_over_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["synthesise", "chains", "--links", "6", "--mechanisms", "--out", str(tmp_path / "six")]
    assert main(words) == 0
    files = sorted((tmp_path / "six").iterdir())
    assert len(files) == 5
    assert "2 chains: planar, 6 links, 7 joints, mobility 1; 5 mechanisms" in capsys.readouterr().out
    texts = [path.read_bytes() for path in files]
    assert main(words) == 0
    assert [path.read_bytes() for path in sorted((tmp_path / "six").iterdir())] == texts
    files[2].write_text("mine")
    files[0].unlink()
    assert main(words) == 2
    assert f"{files[2].name}, not written by" in capsys.readouterr().err
    assert files[2].read_text() == "mine"
    assert not files[0].exists()
    assert all(load(path).joints for path in files[3:])


def test_a_folder_with_other_things_in_it_is_refused_before_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / ".hidden").write_text("mine")
    # 16 links would take hours: the refusal comes first
    assert main(["synthesise", "chains", "--links", "16", "--out", str(tmp_path)]) == 2
    assert "holds mine.txt" in capsys.readouterr().err
    (tmp_path / "mine.txt").unlink()
    assert main(["synthesise", "chains", "--links", "6", "--out", str(tmp_path)]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert len(before) == 3
    capsys.readouterr()
    assert main(["synthesise", "chains", "--links", "4", "--out", str(tmp_path)]) == 2
    assert "from another run, which would remain beside the 1 files of this one" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.slow
def test_the_sheet_is_well_formed_and_shows_every_mechanism(tmp_path: Path) -> None:
    target = tmp_path / "six.svg"
    assert main(["synthesise", "chains", "--links", "6", "--pairs", "R,P", "--mechanisms", "--draw", str(target)]) == 0
    document = xml.dom.minidom.parse(str(target))  # noqa: S318 - we wrote it
    frames = [path for path in document.getElementsByTagName("path") if path.getAttribute("class") == "ground"]
    titles = [text for text in document.getElementsByTagName("tspan") if text.getAttribute("class") == "number"]
    assert len(frames) == len(titles) > 30


@pytest.mark.slow
def test_the_same_bytes_whatever_the_hash_seed(tmp_path: Path) -> None:
    out = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        for words in (
            ["chains", "--links", "8", "--draw", f"{folder}.svg", "--out", str(folder)],
            ["groups", "--bodies", "2", "--inputs", "1", "--out", str(folder / "groups")],
        ):
            command = [sys.executable, "-m", "symgen", "synthesise", *words]
            subprocess.run(command, check=True, env=environment, capture_output=True)
        files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        out.append([Path(f"{folder}.svg").read_bytes(), *((p.name, p.read_bytes()) for p in files)])
    assert out[0] == out[1]
