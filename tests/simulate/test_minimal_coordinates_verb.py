"""``symgen simulate MECH --method group``: rows, exit statuses, refusals; its C compiles without a warning."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from oracle.compilers import LANGUAGES, WARNINGS, need, run

import symgen
from symgen.cli.main import main
from symgen.simulate.manifest import read_dynamics
from symgen.simulate.minimal.engine import minimal_sources
from symgen.simulate.minimal.simulation import MinimalSession
from symgen.simulate.request import Request
from symgen.simulate.tables.problem_text import tables_as_data

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "dynamics"
SLIDER_CRANK = """
schema = "symgen/mechanism/1"
name = "slider-crank"
space = "planar"

[bodies]
crank = { mass = 1.0, com = [0, 0, 0], inertia = [0, 0, 0.02, 0, 0, 0] }
rod = { mass = 1.0, com = [0, 0, 0], inertia = [0, 0, 0.02, 0, 0, 0] }
slider = { mass = 1.0, com = [0, 0, 0], inertia = [0, 0, 0.02, 0, 0, 0] }

[joints]
A = { type = "R", bodies = ["ground", "crank"], at = [0, 0] }
B = { type = "R", bodies = ["crank", "rod"], at = [0.1, 0.1] }
C = { type = "R", bodies = ["rod", "slider"], at = [0.5, 0] }
P = { type = "P", bodies = ["ground", "slider"], at = [0.5, 0], axis = [1, 0] }

[initial.joints]
A = { rate = 5.0 }
"""
FOUR_BAR = str(EXAMPLES / "double_four_bar" / "mechanism.toml")


def _run(*words: str) -> int:
    try:
        return main(["simulate", *words, "--method", "group"])
    except SystemExit as stop:
        return int(stop.code or 0)


@pytest.mark.compiler
def test_rows_end_where_the_groups_do_and_the_exit_status_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "bars.csv"
    assert _run(FOUR_BAR, "--step", "0.01", "--until", "0.2", "--output", str(target)) == 0
    with target.open(encoding="utf-8") as stream:
        assert len(list(csv.reader(stream))) == 1 + 21
    assert "method group, order 4" in " ".join(capsys.readouterr().out.split())
    # the slider's stroke does not tell the way of the crank at its dead centre
    slider_crank = tmp_path / "slider_crank.toml"
    slider_crank.write_text(SLIDER_CRANK, encoding="utf-8")
    how = ("--tolerance", "1e-8", "--sample", "0.01", "--coordinates", "P", "--until", "2")
    assert _run(str(slider_crank), *how, "--output", str(target)) == 1
    with target.open(encoding="utf-8") as stream:
        assert 3 < len(list(csv.reader(stream))) < 100
    assert "group 2 (R.R.R 2D" in (said := capsys.readouterr().err) or "group 1 (R.R.R 2D" in said


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ((FOUR_BAR, "--step", "0.01", "--coordinates", "A0.angel"), 2, 'did you mean "angle"'),
        ((FOUR_BAR, "--step", "0.01", "--order", "6"), 2, "orders 4 and 8"),
        ((str(EXAMPLES / "bricard" / "mechanism.toml"), "--step", "0.01"), 1, "overconstrained"),
    ],
)
def test_refusals_say_what_helps(
    words: tuple[str, ...], status: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _run(*words, "--until", "0.1") == status
    assert message in capsys.readouterr().err


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("language", sorted(LANGUAGES))
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_its_c_compiles_without_a_warning(compiler: str, language: str, tmp_path: Path) -> None:
    need(compiler)
    mechanism = symgen.load(FOUR_BAR)
    session = MinimalSession(Request(mechanism, 1.0, step=0.01, method="group", backend="numpy"))
    sources = minimal_sources(session.minimal, tables_as_data(session.minimal.problem, common=False), read_dynamics())
    for file in sources.files:
        path = tmp_path / file.path
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(file.text)
    for unit in sources.units:
        run(
            compiler, *LANGUAGES[language], *WARNINGS, "-O1", "-c", str(tmp_path / unit), "-o", str(tmp_path / "unit.o")
        )
