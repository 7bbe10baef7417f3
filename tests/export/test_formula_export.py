"""A formula of one's own as the subject of an export: its trials, and its numbers against the formula by hand."""

from __future__ import annotations

import ctypes
import json
import math
from pathlib import Path

import pytest

from symgen.cli.main import main
from symgen.cli.options.own import entries_of_file
from symgen.derive import catalogue
from symgen.errors import InputError
from symgen.export.solved_type import TypeRequest, type_subject
from symgen.export.step import meanings
from symgen.status import Status

PISTON = """
from symgen.derivations import Derivation, Status, cos, formula, sin, sqrt

def derive():
    d = Derivation("piston", level="kernel", title="piston of a crank", source="elementary geometry")
    turn = d.input_scalar("turn", meaning="turn of the crank", unit="rad")
    r = d.input_scalar("r", meaning="radius of the crank", unit="m", range="0.2 .. 1.5")
    rod = d.input_scalar("rod", meaning="length of the rod", unit="m", range="> 0")
    s, c = d.scalar("s", sin(turn), "sine"), d.scalar("c", cos(turn), "cosine")
    h2 = d.scalar("h2", rod * rod - r * r * s * s, "squared reach", "m^2")
    d.guard(h2, ">", 0 * rod, Status.NO_ASSEMBLY, "the rod does not reach the axis")
    x = d.scalar("x", r * c + sqrt(h2), "place of the piston", "m")
    d.output("x", x, meaning="place of the piston", unit="m")
    RATES
    d.claim_zero("length", "a rod's length apart", [(x - r * c) ** 2 + r * r * s * s - rod * rod])
    return formula(d, id="my_piston")
"""
RATES = """with d.part("velocity"):
        v = d.scalar("v", -(r * s * x / (x - r * c)), "velocity for a unit rate of the crank", "m")
        d.output("v", v, meaning="velocity for a unit rate", unit="m")
    d.claim_zero("rigid", "the rod keeps its length", [(x - r * c) * (v + r * s) + r * r * s * c])"""


@pytest.fixture
def piston(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(catalogue, "_OWN", {})
    file = tmp_path / "piston.py"
    file.write_text(PISTON.replace("RATES", RATES), encoding="utf-8")
    return str(file)


def test_trials_are_solved_refused_and_out_of_range(piston: str) -> None:
    subject = type_subject(entries_of_file(piston)[0], TypeRequest(command="export"))
    assert [value.name for value in subject.inputs] == ["turn", "r", "rod"]
    assert {result.name: result.depends_on for result in subject.results} == {
        "x": ("turn", "r", "rod"), "v": ("turn", "r", "rod"),
    }  # fmt: skip
    reached = {trial.what: [] for trial in subject.trials}
    for trial in subject.trials:
        turn, r, rod = trial.inputs
        reached[trial.what].append(rod > 0 and 0.2 <= r <= 1.5 and rod > abs(r * math.sin(turn)))
    assert {what: set(found) for what, found in reached.items()} == {
        "at random": {True}, "at random, refused": {False}, "r out of its range": {False},
        "rod out of its range": {False},
    }  # fmt: skip
    assert len(reached["at random"]) == 24
    assert meanings(subject)[Status.NO_ASSEMBLY] == "the rod does not reach the axis"
    assert [port.meaning for port in subject.ports if port.name == "rod"] == ["length of the rod; range: > 0"]


def test_a_formula_without_rates_has_its_position(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})
    file = tmp_path / "piston.py"
    file.write_text(PISTON.replace("RATES", ""), encoding="utf-8")
    assert type_subject(entries_of_file(f"{file}:derive")[0], TypeRequest(command="export")).stage == "position"


def test_what_is_not_proved_is_not_exported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})
    file = tmp_path / "piston.py"
    file.write_text(PISTON.replace("RATES", "").replace("- rod * rod]", "- rod]"), encoding="utf-8")
    with pytest.raises(InputError, match="claim 'length' fails"):
        entries_of_file(str(file))


@pytest.mark.slow
@pytest.mark.compiler
def test_the_library_gives_the_numbers_of_the_formula(
    piston: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert main(["export", f"{piston}:derive", "--for", "shared", "--out", str(out)]) == 0
    assert main(["export", f"{piston}:derive", "--for", "embedded", "--out", str(tmp_path / "port")]) == 0
    assert "self-test: " in capsys.readouterr().out
    told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert told["request"] == "export piston.py:derive --for shared --out DIR"
    (file,) = out.rglob("libmy_piston.*")
    step = ctypes.CDLL(str(file)).my_piston_step
    state = (ctypes.c_uint8 * 64)()
    ctypes.CDLL(str(file)).my_piston_init(state)
    for turn, r, rod in ((0.3, 0.4, 1.1), (-2.0, 1.2, 1.3), (3.0, 0.5, 0.6)):
        results = (ctypes.c_double * 2)()
        assert step(state, (ctypes.c_double * 3)(turn, r, rod), results) == Status.OK
        reach = math.sqrt(rod**2 - (r * math.sin(turn)) ** 2)
        assert results[0] == pytest.approx(r * math.cos(turn) + reach, rel=1e-14)
        slope = -r * math.sin(turn) - r**2 * math.sin(turn) * math.cos(turn) / reach
        assert results[1] == pytest.approx(slope, rel=1e-13)
    assert step(state, (ctypes.c_double * 3)(1.5, 1.0, 0.5), results) == Status.NO_ASSEMBLY
