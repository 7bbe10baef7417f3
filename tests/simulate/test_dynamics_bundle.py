"""The C to take away: it compiles strictly, runs by itself, and gives what `symgen.simulate` gives."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import LANGUAGES, WARNINGS, need, run

import symgen
from symgen.cli.main import main

DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"


@pytest.mark.compiler
@pytest.mark.parametrize(("example", "structure"), [("bricard", "tree"), ("flyball_governor", "dense")])
def test_its_example_gives_the_energies_of_simulate(example: str, structure: str, tmp_path: Path) -> None:
    file = DYNAMICS / example / "mechanism.toml"
    words = ["generate", "--mechanism", str(file), "--dynamics", "--structure", structure, "--name", "taken"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert main([*words, "--out", str(tmp_path)]) == 0  # what is ours is replaced without --force
    folder = tmp_path / "taken"
    units = [folder / "example.c", folder / "dynamics.c"]
    run(need("gcc"), *WARNINGS, *LANGUAGES["c99"], "-O2", *units, "-lm", "-o", folder / "made")
    said = subprocess.run([folder / "made"], capture_output=True, text=True, check=True).stdout
    energies = [float(text) for text in re.findall(r"energy (\S+) J", said)]
    result = symgen.simulate(symgen.load(file), step=1e-3, until=1.0, sample=0.1, structure=structure)
    assert energies == pytest.approx(result.total, rel=1e-9)  # twelve digits printed, the same equations


def test_an_edited_file_is_not_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(DYNAMICS / "bricard" / "mechanism.toml")
    words = ["generate", "--mechanism", file, "--dynamics", "--out", str(tmp_path)]
    assert main(words) == 0
    (tmp_path / "bricard_linkage_dynamics" / "problem.h").write_text("mine", encoding="utf-8")
    assert main(words) == 2
    assert "problem.h" in capsys.readouterr().err
