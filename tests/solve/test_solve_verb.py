"""``symgen solve`` as a user meets it: rows, columns, digits, files, pictures, exit status."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from pathlib import Path
from typing import Any

import pytest

import symgen
from symgen.build.notices import forget_notices
from symgen.cli.main import main
from symgen.cli.terminal.files import write_whole
from symgen.errors import BuildError

Tree = dict[str, Any]


def run(*words: str) -> int:
    try:
        return main(words)
    except SystemExit as stop:
        return int(stop.code or 0)


@pytest.fixture
def file(tmp_path: Path, four_bar: Tree) -> str:
    path = tmp_path / "four_bar.json"
    path.write_text(json.dumps(four_bar), encoding="utf-8")
    return str(path)


def solve(file: str, *words: str) -> int:
    return run("solve", file, "--backend", "numpy", *words)


def test_n_steps_are_n_plus_one_rows_with_both_ends(file: str, tmp_path: Path) -> None:
    out = tmp_path / "motion.csv"
    assert solve(file, "--from", "0.5", "--to", "1.5", "--steps", "4", "--output", str(out)) == 0
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [float(row["t"]) for row in rows] == [0.5, 0.75, 1.0, 1.25, 1.5]


def test_the_columns_are_those_of_the_contract(file: str, tmp_path: Path) -> None:
    out = tmp_path / "motion.csv"
    solve(file, "--to", "1", "--steps", "1", "--output", str(out))
    columns = out.read_text(encoding="utf-8").splitlines()[0].split(",")
    rates = [f"{what}{axis}" for what in ("v", "a") for axis in "xyz"]
    point = [*"xyz", *rates]
    turning = [f"{what}{axis}" for what in ("v", "w", "a", "al") for axis in "xyz"]
    body = [*"xyz", "q0", "q1", "q2", "q3", *turning, "phi"]
    expected = ["t"]
    expected += [f"crank.P.{c}" for c in point] + [f"coupler.Q.{c}" for c in point]
    expected += [f"{name}.{c}" for name in ("crank", "coupler", "rocker") for c in body]
    expected += [f"{j}.angle{c}" for j in "ABCD" for c in ("", ".rate", ".acc")]
    assert columns == [*expected, "status"]


def test_a_planar_body_has_its_angle_and_what_cannot_move_is_zero(file: str, tmp_path: Path) -> None:
    out = tmp_path / "motion.csv"
    solve(file, "--to", "3", "--steps", "4", "--output", str(out))  # three quarters of a turn from row to row
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    page = (Path(__file__).parents[2] / "docs" / "solving.md").read_text(encoding="utf-8")
    said = re.search(r"same columns as a spatial one.*?; (.*?) are\s+always 0", page, re.DOTALL)
    assert said is not None
    still = set(re.findall(r"`(\w+)`", said[1]))
    for k, row in enumerate(rows):
        assert {row[f"{body}.{name}"] for body in ("crank", "coupler", "rocker") for name in still} == {"0"}
        for body in ("crank", "coupler", "rocker"):
            q0, q3, phi = (float(row[f"{body}.{name}"]) for name in ("q0", "q3", "phi"))
            # up to the sign of the quaternion; a few roundings of angles up to six turns
            assert abs(math.cos(phi / 2) * q0 + math.sin(phi / 2) * q3) == pytest.approx(1.0, abs=1e-14)
        assert float(row["crank.phi"]) == pytest.approx(2 * math.pi * 0.75 * k, abs=1e-12)


def test_numbers_are_as_short_as_they_can_be_and_come_back_exactly(file: str, tmp_path: Path) -> None:
    out = tmp_path / "motion.csv"
    solve(file, "--to", "1", "--steps", "7", "--output", str(out))
    row = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))[1]
    assert row["t"] == "0.14285714285714285"
    for name, text in row.items():
        if name != "status":
            assert text == repr(float(text)).removesuffix(".0")
            assert text != "-0"
    angle = 2 * math.pi / 7
    # value, rate and acceleration of the driven joint are those of its law
    assert [float(row[f"A.angle{c}"]) for c in ("", ".rate", ".acc")] == pytest.approx([angle, 2 * math.pi, 0.0])
    # the crank's tip by hand
    assert float(row["crank.P.x"]) == pytest.approx(0.1 * math.cos(angle), abs=1e-15)
    assert float(row["crank.P.ay"]) == pytest.approx(-0.1 * math.sin(angle) * (2 * math.pi) ** 2, abs=1e-13)


@pytest.mark.extension
@pytest.mark.parametrize("verb", ["solve", "simulate"])
def test_who_compiles_first_is_told_once_beforehand_and_never_with_json(
    file: str,
    verb: str,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said: list[str] = []

    def compiles(sources: Any, _compiler: Any, _folder: Any) -> Path:
        said.append(capsys.readouterr().err)
        raise BuildError(f"{sources.name} is not compiled here")

    monkeypatch.setattr("symgen.build.compile.compile_module", compiles)
    words = ["solve", file, "--to", "1"]
    if verb == "simulate":
        bricard = repository / "examples" / "dynamics" / "bricard" / "mechanism.toml"
        words = ["simulate", str(bricard), "--step", "0.1", "--until", "0.2"]
    for more, told in (((), True), ((), True), (("--json",), False)):
        forget_notices()
        monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / f"cache{len(said)}"))
        said.clear()
        capsys.readouterr()
        run(*words, *more)
        assert len(said) > 0
        assert said[0].startswith("symgen: compiling what is not in the cache yet") == told
        assert not any("compiling" in each for each in said[1:])


def test_csv_to_standard_output_is_the_csv_alone(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "motion.csv"
    solve(file, "--to", "1", "--steps", "3", "--output", str(out))
    capsys.readouterr()
    assert solve(file, "--to", "1", "--steps", "3", "--output", "-") == 0
    captured = capsys.readouterr()
    assert captured.out == out.read_text(encoding="utf-8")
    assert "statuses: OK 4" in captured.err


def test_json_is_one_document_and_nothing_else(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert solve(file, "--to", "1", "--steps", "2", "--json") == 0
    captured = capsys.readouterr()
    document = json.loads(captured.out)
    assert captured.out.count("\n") == 1
    assert captured.err == ""
    assert (document["schema"], document["status"]) == ("symgen/motion/1", "OK")
    assert document["rows"]["t"] == [0.0, 0.5, 1.0]
    assert document["rows"]["status"] == ["OK"] * 3
    assert [group["signature"] for group in document["groups"]] == ["R* 2D", "R.R.R 2D"]


@pytest.fixture
def failing(tmp_path: Path, four_bar: Tree) -> str:
    """A law that drives the rocker's side out of reach after half of the time."""
    four_bar["bodies"]["sledge"] = {}
    four_bar["joints"]["D"]["bodies"] = ["sledge", "rocker"]
    four_bar["joints"]["s"] = {
        "type": "P", "bodies": ["ground", "sledge"], "driven": 1, "at": [0, 0], "axis": [1, 0],
    }  # fmt: skip
    four_bar["drives"] = {"A": "0", "s": "t"}
    path = tmp_path / "failing.json"
    path.write_text(json.dumps(four_bar), encoding="utf-8")
    return str(path)


def test_a_time_without_a_solution_is_exit_status_1_and_the_rows_are_there(
    failing: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "motion.csv"
    assert solve(failing, "--to", "1", "--steps", "4", "--output", str(out)) == 1
    captured = capsys.readouterr()
    assert "first failure at t = 0.5 s group 3 (R.R.R 2D" in captured.err
    assert "NO_ASSEMBLY 3" in captured.out
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert [row["status"] for row in rows] == ["OK", "OK", "NO_ASSEMBLY", "NO_ASSEMBLY", "NO_ASSEMBLY"]
    assert rows[2]["rocker.x"] == "nan"
    assert rows[2]["crank.x"] == "0"


def test_json_has_null_where_nothing_is_known(failing: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert solve(failing, "--to", "1", "--steps", "2", "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["status"] == "NO_ASSEMBLY"
    assert document["rows"]["rocker.x"][1:] == [None, None]
    assert document["rows"]["failed_group"] == [None, 3, 3]


def test_a_branch_is_chosen_on_the_command_line(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert solve(file, "--to", "1", "--branch", "R.R.R 2D=1", "--json") == 0
    assert json.loads(capsys.readouterr().out)["groups"][1]["branch"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--branch", "2"), "write GROUP=K"),
        (("--branch", "2=x"), "write GROUP=K"),
        (("--branch", "2=0", "--branch", "2=1"), "given twice"),
        (("--branch", "9=0"), "groups are 1 to 2"),
        (("--output", "motion.txt"), ".csv"),
        (("--output", "no/such/folder/motion.csv"), "there is no folder"),
        (("--animate", "motion.gif"), ".svg or .html"),
        (("--columns", "A.angle"), "--plot"),
        (("--json", "--output", "-"), "standard output"),
        (("--from", "2"), "must be later"),
        (("--steps", "0"), "steps"),
        (("--to", "inf"), "finite"),
    ],
)
def test_a_wrong_option_is_exit_status_2_and_says_what_is_right(
    file: str, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert solve(file, "--to", "1", *words) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_column_is_refused_before_anything_is_written(
    file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "motion.csv"
    plot = tmp_path / "plot.svg"
    assert solve(file, "--to", "1", "--output", str(out), "--plot", str(plot), "--columns", "A.angel") == 2
    assert 'did you mean "A.angle"' in capsys.readouterr().err
    assert not out.exists()
    assert not plot.exists()


def test_pictures_are_written_in_the_format_of_their_names(file: str, tmp_path: Path) -> None:
    names = ("plot.svg", "moving.svg", "moving.html")
    plot, svg, html = (tmp_path / name for name in names)
    assert solve(file, "--to", "1", "--plot", str(plot), "--columns", "C.angle,coupler.Q.y", "--animate", str(svg)) == 0
    assert solve(file, "--to", "1", "--animate", str(html)) == 0
    assert "coupler.Q.y" in plot.read_text(encoding="utf-8")
    assert "<animate" in svg.read_text(encoding="utf-8")
    assert html.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_file_that_cannot_be_finished_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "motion.csv"
    path.write_text("old", encoding="utf-8")

    def fail(stream: Any) -> None:
        stream.write("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(path, fail)
    assert path.read_text(encoding="utf-8") == "old"
    assert os.listdir(tmp_path) == ["motion.csv"]


def test_help_says_that_n_steps_are_n_plus_one_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("solve", "--help") == 0
    assert "N + 1 rows" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    "words",
    [
        ("--plot", "x.svg", "--animate", "x.svg"),
        ("--plot", "x.svg", "--animate", "./x.svg"),
        ("--animate", "x.svg", "--plot", "../{folder}/x.svg"),
    ],
)
def test_two_outputs_into_one_file_are_refused(
    words: tuple[str, ...],
    file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert solve(file, "--to", "1", *(word.format(folder=tmp_path.name) for word in words)) == 2
    assert "both write" in capsys.readouterr().err
    assert not Path("x.svg").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--from", "-1e308", "--to", "1e308"), "--from -1e+308: times are within"),
        (("--from", "1e11", "--to", "100000000000.001"), "below the rounding of the times"),
        (("--to", "1", "--steps", "abc"), "'abc' is not a whole number of steps (1 to 10000000)"),
        (("--to", "1", "--steps", "0"), "0 steps: allowed are 1 to 10000000"),
    ],
)
@pytest.mark.filterwarnings("error")
def test_an_interval_that_no_clock_can_show_is_refused_in_one_message(
    words: tuple[str, ...], message: str, file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert solve(file, *words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Warning" not in error


def test_a_file_that_cannot_be_made_is_called_as_the_user_called_it(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(13, "Permission denied", ".motion.csv.0f.part")

    monkeypatch.setattr(os, "open", refuse)
    assert solve(file, "--to", "1", "--output", str(tmp_path / "motion.csv")) == 2
    error = capsys.readouterr().err
    assert "motion.csv: permission denied" in error
    assert ".part" not in error


def test_rows_in_a_pipe_have_no_trailing_blanks(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert solve(file, "--to", "1") == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("R.R.R 2D" in line for line in lines)
    assert [line for line in lines if line != line.rstrip()] == []


def test_a_motion_introduces_itself_in_one_line(four_bar: Tree) -> None:
    motion = symgen.solve(
        symgen.Mechanism.from_dict(four_bar), [0.0, 0.5, 1.0], library=symgen.library(backend="numpy")
    )
    assert repr(motion) == f"<MotionResult of {four_bar['name']!r}: 3 times from 0 s to 1 s, OK 3>"


def test_pictures_of_structure_and_motion_refuse_another_format_in_the_same_words(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in (("solve", file, "--to", "1", "--plot", "x.png"), ("analyse", file, "--draw", "x.png")):
        assert run(*words) == 2
        assert f"{words[-2]} x.png: the name must end in .svg" in capsys.readouterr().err
