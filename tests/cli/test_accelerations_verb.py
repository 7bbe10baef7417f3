"""``symgen accelerations``: tables, the document, exit statuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.cli.main import main

CRANK = "examples/dynamics/spatial_slider_crank/mechanism.toml"


@pytest.fixture
def crank(repository: Path) -> str:
    return str(repository / CRANK)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return exit status, standard output and standard error."""
    status = main(["accelerations", *words])
    seen = capsys.readouterr()
    return status, seen.out, seen.err


def test_the_document_holds_what_the_contract_promises(crank: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, crank, "--json")
    found: dict[str, Any] = json.loads(out)
    assert (status, err) == (0, "")
    assert (found["schema"], found["status"], found["method"]) == ("symgen/accelerations/1", "OK", "riccati")
    expected = symgen.accelerations(symgen.load(crank))
    for name, body in expected.bodies.items():
        assert found["bodies"][name] == {"a": body.a.tolist(), "alpha": body.alpha.tolist()}
    for name, joint in expected.joints.items():
        each = found["joints"][name]
        assert each["force"] == joint.force.tolist()
        assert each["moment"] == joint.moment.tolist()
        assert each["unique"] is joint.unique
        assert each["accelerations"] == dict(joint.accelerations)
    assert found["rows"] == found["rank"] + found["redundant"] == 3
    assert (found["roots"], found["loops"]) == (["A", "D"], ["B"])
    assert found["residual"] < 1e-12


def test_methods_agree(crank: str, capsys: pytest.CaptureFixture[str]) -> None:
    documents = [json.loads(run(capsys, crank, "--json", *more)[1]) for more in ((), ("--method", "multiplier"))]
    for name in documents[0]["bodies"]:
        one, two = (document["bodies"][name] for document in documents)
        np.testing.assert_allclose(one["a"], two["a"], atol=1e-10)


def test_the_table_names_bodies_joints_and_how_it_was_found(crank: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, crank)
    assert status == 0
    lines = out.splitlines()
    for body in ("crank", "rod", "slider"):
        assert any(line.startswith(body) for line in lines)
    assert "acceleration [m/s^2]" in out
    assert "force [N]" in out
    assert any(line.startswith("cut") and line.endswith("B") for line in lines)
    assert "constraints  3 solved for, rank 3" in out


def test_an_answer_that_is_refused_is_a_document_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty rods in a row: a product of transfer matrices has lost its digits."""
    rods = [f"b{k}" for k in range(20)]
    tree = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -9.81],
        "bodies": {name: {"mass": 1.0, "com": [0.5, 0, 0.1], "inertia": [0.1, 0.2, 0.2, 0, 0, 0],
                          "pose": {"r": [k, 0, 0]}} for k, name in enumerate(rods)},
        "joints": {f"j{k}": {"type": "S", "bodies": [["ground", *rods][k], name], "at": [k, 0, 0]}
                   for k, name in enumerate(rods)},
    }  # fmt: skip
    with pytest.raises(symgen.errors.AccuracyError) as refused:
        symgen.accelerations(symgen.Mechanism.from_dict(tree), "transfer")
    file = tmp_path / "rods.json"
    file.write_text(json.dumps(tree))
    status, out, err = run(capsys, str(file), "--method", "transfer", "--json")
    found = json.loads(out)
    assert (status, found["status"], found["bodies"], found["joints"]) == (1, "SINGULAR", {}, {})
    assert str(refused.value)[:60] in found["warnings"][0]
    assert "use" in err


def test_root_and_cuts_are_as_asked_for(crank: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, crank, "--root", "A", "--json")[1])
    assert (found["roots"], found["loops"]) == (["A"], ["D"])
    found = json.loads(run(capsys, crank, "--cut", "C", "--json")[1])
    assert found["loops"] == ["C"]
    status, _, err = run(capsys, crank, "--cut", "B,C")
    assert status == 2
    assert "2 joints are cut (B, C)" in err


@pytest.mark.parametrize("verb", ["accelerations", "report"])
def test_cuts_that_name_nothing_are_refused(crank: str, verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([verb, crank, "--cut", ""]) == 2
    assert "--cut '': gives no name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cut", "B", "--cut", "C"], "loop count mismatch: 2 joints are cut"),
        (["--root", "B"], "a root is a joint to the ground"),
        (["--cut", "X"], "no joint has the id"),
        (["--method", "multiplier", "--cut", "B"], "method multiplier takes all joints at once"),
        (["--method", "transfer"], "unequal freedoms"),
    ],
)
def test_what_cannot_be_is_refused(
    crank: str, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    status, out, err = run(capsys, crank, *words)
    assert (status, out) == (2, "")
    assert message in err


def test_a_singular_position_ends_with_status_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = {"mass": 1.0, "com": [0.1, 0, 0], "inertia": [1, 1, 1, 0, 0, 0]}
    pins = {"A": ("ground", "a", 0), "B": ("a", "b", 1), "C": ("b", "c", 3), "D": ("c", "ground", 2)}
    joints = {
        name: {"type": "R", "bodies": [one, two], "at": [x, 0, 0], "axis": [0, 0, 1]}
        for name, (one, two, x) in pins.items()
    }
    path = tmp_path / "folded.json"
    tree = {"schema": "symgen/mechanism/1", "space": "planar", "bodies": dict.fromkeys("abc", body), "joints": joints}
    path.write_text(json.dumps(tree), encoding="utf-8")
    status, out, err = run(capsys, str(path), "--json")
    assert status == 1
    assert json.loads(out)["status"] == "SINGULAR"
    assert "singular" in err
