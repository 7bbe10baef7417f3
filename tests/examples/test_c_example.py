"""The C example compiles without a warning, runs, and moves as a four-bar linkage must."""

from __future__ import annotations

import csv
import math
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wsign-conversion", "-Wshadow", "-Werror"]
COMPILER = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)

pytestmark = [pytest.mark.compiler, pytest.mark.skipif(COMPILER is None, reason="no C compiler")]


def compile_line(repository: Path) -> list[str]:
    """Return the compile line of the README, without its compiler and its output."""
    text = (repository / "examples" / "c" / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^cc (.*) -o coupler$", text, re.M)
    assert f"cc {line} -o coupler" in (repository / "docs" / "generated-code.md").read_text(encoding="utf-8")
    return shlex.split(line)


def build(repository: Path, program: Path, arguments: list[str]) -> None:
    command = [str(COMPILER), *WARNINGS, *arguments, "-o", str(program)]
    subprocess.run(command, cwd=repository, check=True)


def test_the_program_of_the_readme_solves_a_four_bar_linkage(repository: Path, tmp_path: Path) -> None:
    build(repository, tmp_path / "coupler", compile_line(repository))
    printed = subprocess.run([str(tmp_path / "coupler")], capture_output=True, text=True, check=True).stdout
    assert (
        printed.splitlines()[:2]
        == [
            line
            for line in (repository / "examples" / "c" / "README.md").read_text().splitlines()
            if line[:2] in ("t,", "0.")
        ][:2]
    )
    rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(printed.splitlines())]
    assert len(rows) == 13
    for row in rows:
        turn = 2 * math.pi * row["t"]
        pin = 0.1 * math.cos(turn), 0.1 * math.sin(turn)
        # Six printed decimals, t with three: 2 pi 0.1 m/s times 5e-4 s.
        assert math.dist((row["x"], row["y"]), pin) == pytest.approx(0.35, abs=4e-4)
        assert math.dist((row["x"], row["y"]), (0.35, 0.0)) == pytest.approx(0.25, abs=2e-6)
        across = (row["x"] - 0.35) * row["vx"] + row["y"] * row["vy"]
        assert across == pytest.approx(0.0, abs=2e-6)  # the rocker's end moves on a circle


def test_links_that_do_not_reach_are_reported(repository: Path, tmp_path: Path) -> None:
    text = (repository / "examples" / "c" / "coupler.c").read_text(encoding="utf-8")
    short = tmp_path / "short.c"
    short.write_text(text.replace("coupler = 0.35", "coupler = 0.1"), encoding="utf-8")
    arguments = [str(short) if part == "examples/c/coupler.c" else part for part in compile_line(repository)]
    build(repository, tmp_path / "short", arguments)
    done = subprocess.run([str(tmp_path / "short")], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.count("status 1\n") == 7
    assert len(done.stdout.splitlines()) == 1 + 6
