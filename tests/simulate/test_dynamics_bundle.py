"""The C to take away: it compiles strictly, runs by itself, and gives what `symgen.simulate` gives."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import LANGUAGES, WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.status import Status

DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize(("example", "structure"), [("bricard", "tree"), ("flyball_governor", "dense")])
def test_its_example_gives_the_energies_of_simulate(example: str, structure: str, tmp_path: Path) -> None:
    file = DYNAMICS / example / "mechanism.toml"
    words = ["generate", "--mechanism", str(file), "--dynamics", "--structure", structure, "--name", "taken"]
    assert main([*words, "--out", str(tmp_path)]) == 0
    assert main([*words, "--out", str(tmp_path)]) == 0  # what is ours is replaced without --force
    folder = tmp_path / "taken"
    units = [folder / "example.c", folder / "taken.c"]
    run(need("gcc"), *WARNINGS, *LANGUAGES["c99"], "-O2", *units, "-lm", "-o", folder / "made")
    said = subprocess.run([folder / "made"], capture_output=True, text=True, check=True).stdout
    energies = [float(text) for text in re.findall(r"energy (\S+) J", said)]
    result = symgen.simulate(symgen.load(file), step=1e-3, until=1.0, sample=0.1, structure=structure)
    assert energies == pytest.approx(result.total, rel=1e-9)  # twelve digits printed, the same equations


_LIMITED = """
schema = "symgen/mechanism/1"
name = "limited"
space = "spatial"
gravity = [0, 0, -9.81]
[bodies.b]
mass = 1
com = [0.5, 0, 0]
inertia = [0.01, 0.1, 0.1, 0, 0, 0]
[joints.A]
type = "R"
bodies = ["ground", "b"]
at = [0, 0, 0]
axis = [0, 1, 0]
[forces.f]
kind = "force"
body = "b"
at = [0.5, 0, 0]
value = ["0", "0", "3"]
"""


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
@pytest.mark.parametrize(
    ("when", "note"),
    [
        ("from = 0.05\nuntil = 0.2", "from 0.05 s until 0.2 s; this run leaves it at 0"),
        ("until = 0.5", "until 0.5 s; this run leaves it at 1"),
        ("from = 2.0", None),
    ],
)
def test_its_example_says_which_forces_it_does_not_switch(
    method: str, when: str, note: str | None, tmp_path: Path
) -> None:
    file = tmp_path / "limited.toml"
    file.write_text(f"{_LIMITED}{when}\n", encoding="utf-8")
    words = ["generate", "dynamics", str(file), "--method", method, "--name", "taken", "--out", str(tmp_path)]
    assert main(words) == 0
    folder = tmp_path / "taken"
    run(
        need("gcc"),
        *WARNINGS,
        *LANGUAGES["c99"],
        folder / "example.c",
        folder / "taken.c",
        "-lm",
        "-o",
        folder / "made",
    )
    said = subprocess.run([folder / "made"], capture_output=True, text=True, check=True).stderr
    assert said == ("" if note is None else f"note: active[0] is not 0 {note}\n")


def test_an_edited_file_is_not_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(DYNAMICS / "bricard" / "mechanism.toml")
    words = ["generate", "--mechanism", file, "--dynamics", "--out", str(tmp_path)]
    assert main(words) == 0
    (tmp_path / "bricard_linkage_dynamics" / "bricard_linkage_dynamics_problem.h").write_text("mine", encoding="utf-8")
    assert main(words) == 2
    assert "problem.h" in capsys.readouterr().err


#: Settings of a run: start, step, tolerance, renewal, coarse, steps, every, most iterations.
_SETTINGS = "0, 1e-3, 1e-10, 1e-14, 1e-3, 1000, 100, 10"
_NO_RUNS = (
    "0",
    _SETTINGS.replace("1000, 100", "1000, 0"),
    _SETTINGS.replace("1000, 100", "-1, 100"),
    _SETTINGS.replace("0, 1e-3", "0, -1e-3"),
    _SETTINGS.replace("0, 1e-3", "0, 1e308"),
    _SETTINGS.replace("1e-10", "-1"),
    _SETTINGS.removesuffix("10") + "0",
)


@pytest.mark.compiler
def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    file = str(DYNAMICS / "bricard" / "mechanism.toml")
    assert main(["generate", "--mechanism", file, "--dynamics", "--name", "taken", "--out", str(tmp_path)]) == 0
    folder = tmp_path / "taken"
    text = (folder / "example.c").read_text(encoding="utf-8")
    assert f"{{{_SETTINGS}}}" in text
    text = text.replace("status == SYMGEN_OK ? 0 : 1;", "(int)status;")
    run(need("gcc"), "-O0", "-c", folder / "taken.c", "-o", folder / "taken.o")
    for settings in _NO_RUNS:
        (folder / "example.c").write_text(text.replace(_SETTINGS, settings), encoding="utf-8")
        run(need("gcc"), folder / "example.c", folder / "taken.o", "-lm", "-o", folder / "made")
        assert subprocess.run([folder / "made"], timeout=60).returncode == Status.BAD_INPUT.value, settings
    spoilt = text.replace("double coordinates[", "volatile double no = 0;\n    double coordinates[", 1)
    spoilt = re.sub(r"(double rate\[\d+\] = \{)[^,}]*", r"\g<1>0.0/no", spoilt)
    (folder / "example.c").write_text(spoilt, encoding="utf-8")
    run(need("gcc"), folder / "example.c", folder / "taken.o", "-lm", "-o", folder / "made")
    assert subprocess.run([folder / "made"], timeout=60).returncode == Status.BAD_INPUT.value


@pytest.mark.parametrize("method", ["dimcd", "riccati"])
@pytest.mark.parametrize("words", [("--precision", "float"), ("--precision", "double,float"), ("--backend", "numpy")])
def test_what_it_is_not_written_in_is_refused(
    words: tuple[str, str], method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(DYNAMICS / "bricard" / "mechanism.toml")
    given = ["generate", "--mechanism", file, "--dynamics", "--method", method, *words, "--out", str(tmp_path / "c")]
    assert main(given) == 2
    assert " ".join(words) in capsys.readouterr().err
    assert not (tmp_path / "c").exists()
