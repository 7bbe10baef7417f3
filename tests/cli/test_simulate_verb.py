"""``symgen simulate``: files, documents, exit status, and refusals that say what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgen.cli.main import main

DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"

PENDULUM: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "pendulum",
    "space": "spatial",
    "ground": "g",
    "gravity": [0, 0, -9.81],
    "bodies": {
        "g": {"points": {"O": [0, 0, 0]}},
        "b": {"mass": 1.0, "com": [0.5, 0, 0], "inertia": [0.01, 0.09, 0.09, 0, 0, 0], "points": {"E": [1, 0, 0]}},
    },
    "joints": {"A": {"type": "R", "bodies": ["g", "b"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
}


def run(*words: object) -> int:
    try:
        return main(["simulate", *map(str, words), "--backend", "numpy"])
    except SystemExit as stop:
        return int(stop.code or 0)


def written(folder: Path, **changes: Any) -> Path:
    path = folder / "mechanism.json"
    path.write_text(json.dumps({**PENDULUM, **changes}), encoding="utf-8")
    return path


def with_body(**changes: Any) -> dict[str, Any]:
    bodies = PENDULUM["bodies"]
    return {**bodies, "b": {**bodies["b"], **changes}}


def test_flexible_beams_have_columns_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    beam = {"length": 1.0, "mass_per_length": 2.0, "bending": [50.0, 60.0], "modes": 2}
    path = written(tmp_path, bodies={**PENDULUM["bodies"], "b": {"beam": beam, "points": {"E": [1, 0, 0]}}})
    csv, plot, page = tmp_path / "m.csv", tmp_path / "p.svg", tmp_path / "a.html"
    words = [path, "--method", "riccati", "--step", 1e-3, "--until", 0.02, "--output", csv, "--plot", plot]
    assert run(*words, "--columns", "b.bend_z1,b.bend_z1.rate,elastic,b.end.z", "--animate", page) == 0
    head = csv.read_text(encoding="utf-8").partition("\n")[0].split(",")
    assert {"b.bend_y1", "b.bend_z2.acc", "b.end.q0", "b.E.x", "elastic"} <= set(head)
    assert "b.11" in page.read_text(encoding="utf-8")
    assert "b.end.z" in plot.read_text(encoding="utf-8")
    capsys.readouterr()
    assert run(*words, "--columns", "b.bend_x1") == 2
    assert "b.bend_z1" in capsys.readouterr().err
    assert run(path, "--step", 1e-3, "--until", 0.02) == 2
    assert "method riccati" in capsys.readouterr().err


def test_files_and_summary(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    csv, plot, page = tmp_path / "m.csv", tmp_path / "p.svg", tmp_path / "a.html"
    path = written(tmp_path)
    words = ("--step", 0.01, "--until", 0.2, "--output", csv, "--plot", plot, "--columns", "A.angle,total")
    assert run(path, *words, "--animate", page) == 0
    out = capsys.readouterr().out
    assert "dimcd, order 2" in out
    assert "20 of 0.01 s" in out
    names = csv.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert names[:4] == ["t", "g.O.x", "g.O.y", "g.O.z"] or names[:4] == ["t", "b.E.x", "b.E.y", "b.E.z"]
    assert {"A.angle", "A.angle.rate", "A.angle.acc", "b.q0", "b.alz"} < set(names)
    assert names[-4:] == ["kinetic", "potential", "total", "violation"]
    table = np.loadtxt(csv, delimiter=",", skiprows=1)
    assert table.shape == (21, len(names))
    total = table[:, names.index("total")]
    assert np.ptp(total) < 1e-3
    assert plot.read_text(encoding="utf-8").startswith("<")
    assert "</html>" in page.read_text(encoding="utf-8")


@pytest.mark.slow
def test_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(written(tmp_path), "--tolerance", 1e-4, "--until", 0.5, "--sample", 0.1, "--json", "--reactions") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "symgen/simulation/1"
    assert "tolerance" in document["advice"]


def test_events_do_not_depend_on_the_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    push = {"kind": "torque", "body": "b", "value": [0, 1.0, 0], "from": 0.033, "until": 0.071}
    path = written(tmp_path, forces={"f": push}, gravity=[0, 0, 0])
    assert run(path, "--step", 0.02, "--until", 0.1, "--output", "-") == 0
    rows = capsys.readouterr().out.splitlines()
    names = rows[0].split(",")
    rate = float(rows[-1].split(",")[names.index("A.angle.rate")])
    assert rate == pytest.approx(0.038 / (0.09 + 0.25), rel=1e-6)  # impulse over inertia about the pin


REFUSED: list[tuple[dict[str, Any], tuple[object, ...], int, tuple[str, ...]]] = [
    ({}, ("--until", 1), 2, ("--step", "--tolerance")),
    ({}, ("--step", 0, "--until", 1), 2, ("step", "positive")),
    ({}, ("--step", "nan", "--until", 1), 2, ("step", "positive")),
    ({}, ("--step", 0.1, "--until", -1), 2, ("until", "positive")),
    ({}, ("--step", 0.1, "--until", 1, "--sample", 1e-300), 2, ("sample", "rows")),
    ({}, ("--step", 0.1, "--until", 1, "--order", 4), 2, ("order 4", "variational")),
    ({}, ("--step", 0.1, "--until", 1, "--method", "variational", "--order", 3), 2, ("order 3", "2, 4, 6")),
    ({"bodies": with_body(mass=None)}, ("--step", 0.1, "--until", 1), 2, ("b", "mass")),
    (
        {"bodies": {"g": {}, "b": {"mass": 1.0, "com": [0.5, 0, 0]}}}, ("--step", 0.1, "--until", 1), 2,
        ("bodies.b", "inertia missing", "zeros"),
    ),
    (
        {"bodies": with_body(mass=0.0, inertia=[0.0] * 6)}, ("--step", 0.1, "--until", 1), 2,
        ("bodies.b", "without moving any mass"),
    ),
    (
        {"forces": {"f": {"kind": "torque", "body": "b", "value": [0, "sqrt(0.25 - t)", 0]}}},
        ("--step", 0.1, "--until", 1), 1, ("forces.f.value[1]", "t = 0.2"),
    ),
    (
        {"initial": {"bodies": {"b": {"v": [1.0, 0, 0], "omega": [0, 0, 0]}}}},
        ("--step", 0.1, "--until", 1, "--strict"), 2, ("initial", "b"),
    ),
    (
        {"initial": {"joints": {"A": {"angle": 0.0, "rate": 3000.0}}}, "gravity": [0, 0, 0],
         "forces": {"f": {"kind": "spring", "between": ["g.O", "b.E"], "stiffness": 1e9, "length": 0.3}}},
        ("--step", 0.5, "--until", 1, "--method", "dimcd"), (0, 1), (),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "words", "status", "said"), REFUSED)
def test_refusals_say_what_to_do(
    changes: dict[str, Any],
    words: tuple[object, ...],
    status: int | tuple[int, ...],
    said: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    found = run(written(tmp_path, **changes), *words)
    err = capsys.readouterr().err
    assert found in (status if isinstance(status, tuple) else (status,)), err
    for text in said:
        assert text in err
    assert "Traceback" not in err


def test_the_rows_before_a_failure_stand(tmp_path: Path) -> None:
    law = {"f": {"kind": "torque", "body": "b", "value": [0, "sqrt(0.25 - t)", 0]}}
    csv = tmp_path / "m.csv"
    assert run(written(tmp_path, forces=law), "--step", 0.01, "--until", 1, "--output", csv) == 1
    table = np.loadtxt(csv, delimiter=",", skiprows=1)
    assert 24 <= len(table) <= 26
    assert np.all(np.isfinite(table))


@pytest.mark.compiler
def test_an_example_runs_in_c(tmp_path: Path) -> None:
    csv = tmp_path / "m.csv"
    words = [
        "simulate",
        str(DYNAMICS / "bricard" / "mechanism.toml"),
        "--step",
        "0.01",
        "--until",
        "1",
        "--output",
        str(csv),
    ]
    assert main(words) == 0
    assert len(csv.read_text(encoding="utf-8").splitlines()) == 102
