"""What a simulation prints and writes: the same numbers for people, in the document and in the files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from symgen.cli.tables.simulate import check_columns, finish
from symgen.cli.terminal.motion_files import motion_targets
from symgen.errors import InputError
from symgen.simulate.articulated.beam_result import empty_result
from symgen.simulate.results.records import Failure, Run
from symgen.status import Status

STOPPED = Failure(2.01, Status.NOT_CONVERGED, "joint J: 11 iterations; take a smaller step")


def targets_in(folder, **names):
    chosen = {option: str(folder / name) for option, name in names.items()}
    return motion_targets(
        chosen.get("output"), chosen.get("plot"), chosen.get("animate"), chosen.get("columns"), as_json=False
    )


def test_the_summary_tells_how_well_and_how_quickly(spinning, capsys, tmp_path):
    result = spinning()
    result = replace(result, run=replace(result.run, warnings=("initial velocities were projected by 0.1 rad/s",)))
    finish(result, targets_in(tmp_path, output="top.csv", animate="top.html", plot="top.svg"), seconds=1.5)
    said, files = capsys.readouterr()
    assert all(f"written: {tmp_path / name}" in files for name in ("top.csv", "top.html", "top.svg"))
    for words in (
        "gyroscope: 201 times from 0 s to 2 s", "dimcd, order 2", "60 of 0.01 s", "3.00 a step, 3 at most",
        "J, drift at most", "warning: initial velocities were projected by 0.1 rad/s",
    ):  # fmt: skip
        assert words in said
    assert "violation" not in said  # not measured
    assert sorted(path.name for path in tmp_path.iterdir()) == ["top.csv", "top.html", "top.svg"]


def test_a_simulation_that_stops_keeps_its_rows_and_answers_no(spinning, capsys, tmp_path):
    result = replace(spinning(), run=replace(spinning().run, failure=STOPPED))
    with pytest.raises(SystemExit) as ended:
        finish(result, targets_in(tmp_path, output="top.csv"))
    assert ended.value.code == 1
    assert "stopped at t = 2.01 s: NOT_CONVERGED (joint J: 11 iterations" in capsys.readouterr().err
    assert len((tmp_path / "top.csv").read_text(encoding="utf-8").splitlines()) == 202


def test_the_document_holds_the_rows_or_says_which_file_does(spinning, capsys, tmp_path):
    finish(spinning(), {}, as_json=True)
    whole = json.loads(capsys.readouterr().out)
    assert len(whole["rows"]["t"]) == 201
    assert whole["files"] == {}
    finish(spinning(), targets_in(tmp_path, output="top.csv"), as_json=True)
    short = json.loads(capsys.readouterr().out)
    assert short["rows"] is None
    assert short["files"] == {"output": str(tmp_path / "top.csv")}
    for key in set(whole) - {"rows", "files", "resultants", "reactions"}:
        assert whole[key] == short[key]


def test_standard_output_holds_the_table_alone(spinning, capsys):
    finish(spinning(), {}, output="-")
    out, err = capsys.readouterr()
    assert out.startswith("t,top.P.x,")
    assert len(out.splitlines()) == 202
    assert "drift at most" in err


def test_columns_are_refused_before_the_work(spinning):
    mechanism = spinning().mechanism
    check_columns(mechanism, None)
    check_columns(mechanism, "total, top.wx against top.wy")
    check_columns(mechanism, "J.reaction.fx,top.resultant.mz", reactions=True)
    with pytest.raises(InputError, match=r'did you mean "total"'):
        check_columns(mechanism, "totl")
    with pytest.raises(InputError, match=r"J\.reaction\.fx"):
        check_columns(mechanism, "J.reaction.fx")


def test_the_columns_of_no_times_are_those_of_all(solved_and_simulated):
    _, result = solved_and_simulated("spatial_four_bar")
    empty = empty_result(result.mechanism)
    assert list(empty.table()) == list(result.table())
    assert all(len(column) == 0 for column in empty.table().values())


def test_forces_that_do_work_make_no_drift(solved_and_simulated, capsys):
    _, result = solved_and_simulated("spatial_four_bar")  # its crank is driven
    finish(result, {})
    said = capsys.readouterr().out
    assert "forces or drives do work on the mechanism" in said
    assert "drift" not in said
    assert "1e-15 at most" in said


def test_the_page_of_a_simulation_reads_out_its_energies(spinning, tmp_path):
    result = spinning(times=np.linspace(0.0, 2.0, 2001))
    finish(result, targets_in(tmp_path, animate="top.html"))
    page = (tmp_path / "top.html").read_text(encoding="utf-8")
    data = json.loads(page.split('id="data">')[1].split("</script>")[0])
    assert len(data["energy"]["total"]) == len(data["times"]) == 600
    assert data["energy"]["kinetic"][0] == pytest.approx(result.kinetic[0], rel=1e-6)


def test_a_run_without_iterations_does_not_speak_of_them(spinning, capsys):
    result = replace(spinning(), run=Run("group", 8, 0.01, 60, seconds=0.2))
    finish(result, {})
    assert "iterations" not in capsys.readouterr().out
    assert result.to_dict()["iterations"] is None
