"""`symgen graph` and `symgen generate --loops`: tables, documents, pictures, files, refusals."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from symgen.cli.main import main


@pytest.fixture
def example(repository: Path) -> str:
    return str(repository / "examples" / "graphs" / "parallel_manipulator.toml")


def test_tables_name_predecessors_signs_and_cycles(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", example, "--cotree", "J11,J12", "--reverse", "J9"]) == 0
    text = capsys.readouterr().out
    assert "generic mobility 3 = 15 - 6 - 6" in text
    rows = {line.split()[0]: line.split() for line in text.splitlines() if line.startswith("J")}
    assert rows["J12"][-8:] == ["+J4", "+J5", "+J6", "+J12", "-J10", "+J9", "-J8", "-J7"]
    lines = [line.split() for line in text.splitlines() if line.startswith("J9 ")]
    assert lines == [["J9", "R", "9", "->", "8", "9", "8", "-1", "J8"]]


def test_the_document_is_the_graph(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", example, "--json", "--group", "J10=6,J12=6"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "symgen/topological-graph/1"
    assert document["cyclomatic_number"] == 2
    assert [cycle["joint"] for cycle in document["cycles"]] == document["cotree"] == ["J10", "J12"]
    assert len(document["path_matrix"]) == 10


@pytest.mark.parametrize("name", ["graphs/parallel_manipulator", "rotor/mechanism", "jansen_leg/mechanism"])
def test_the_picture_shows_every_body_and_joint_and_is_the_same_each_time(
    repository: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(repository / "examples" / f"{name}.toml")
    pictures = []
    for number in range(2):
        target = tmp_path / f"{number}.svg"
        assert main(["graph", source, "--draw", str(target)]) == 0
        pictures.append(target.read_bytes())
    assert pictures[0] == pictures[1]
    capsys.readouterr()
    assert main(["graph", source, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    root = ElementTree.fromstring(pictures[0])  # noqa: S314 - our own file
    space = "{http://www.w3.org/2000/svg}"
    kinds = [path.get("class") for path in root.iter(f"{space}path")]
    assert kinds.count("cotree") == len(document["cotree"])
    assert kinds.count("tree") == len(document["tree"])
    assert len([r for r in root.iter(f"{space}rect") if "body" in (r.get("class") or "")]) == len(document["bodies"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cotree", "J1,J2"], "nothing holds 1 to 0"),
        (["--group", "x"], "neither a number nor JOINT=number"),
        (["--draw", "graph.png"], "must end in .svg"),
    ],
)
def test_refusals(example: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", example, *words]) == 2
    assert message in capsys.readouterr().err


def test_loops_become_a_module_with_its_numbers(
    repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = str(repository / "examples" / "jansen_leg" / "mechanism.toml")
    words = ["generate", "--mechanism", source, "--loops", "--out", str(tmp_path / "out"), "--backend", "numpy"]
    trees = []
    for _ in range(2):  # the second replaces the first
        assert main([*words, "--json"]) == 0
        document = json.loads(capsys.readouterr().out)
        assert document["modules"] == ["jansen_leg_loops"]
        folder = tmp_path / "out" / "jansen_leg_loops"
        trees.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert trees[0] == trees[1]
    manifest = json.loads(trees[0]["jansen_leg_loops.json"])
    assert manifest["schema"] == "symgen/loop-module/1"
    sizes = {port["name"]: port["shape"][0] for f in manifest["functions"] for port in f["ports"]}
    assert {name: len(values) for name, values in manifest["reference"].items()} == {
        name: sizes[name] for name in manifest["reference"]
    }


def test_structure_alone_is_enough_for_the_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mechanism = {
        "schema": "symgen/mechanism/1",
        "name": "*/ system('x') /*",
        "space": "planar",
        "bodies": {"2": {}, "3": {}, "4": {}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "2"]},
            "B-b": {"type": "R", "bodies": ["2", "3"]},
            "class": {"type": "R", "bodies": ["3", "4"]},
            "D": {"type": "P", "bodies": ["4", "ground"]},
        },
    }
    file = tmp_path / "odd.json"
    file.write_text(json.dumps(mechanism))
    assert main(["generate", "--mechanism", str(file), "--loops", "--out", str(tmp_path / "out")]) == 0
    assert "no joint frames" in capsys.readouterr().err
    (folder,) = (tmp_path / "out").iterdir()
    assert json.loads((folder / f"{folder.name}.json").read_text())["reference"] is None
    assert "*/ system" not in (folder / f"{folder.name}.c").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["dyad_rrr", "--cotree", "A"], "--cotree here; it belongs to `symgen generate loops`"),
        (["dyad_rrr", "--name", "x"], "--name here; it belongs to `symgen generate mechanism|dynamics|loops`"),
    ],
)
def test_options_of_loops_stay_with_loops(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_name_that_no_language_takes_is_refused(
    example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["generate", "--mechanism", example, "--loops", "--out", str(tmp_path), "--name", "while"]
    assert main(words) == 2
    assert "keyword" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_tree_is_refused_as_a_tree(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", example, "--tree", "J1"]) == 2
    assert "error: tree: its joints do not hold" in capsys.readouterr().err
    assert main(["graph", example, "--tree", ",".join(f"J{k}" for k in range(1, 13))]) == 2
    assert "close a loop; leave one of them out" in capsys.readouterr().err
