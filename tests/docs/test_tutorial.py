"""The tutorial works as written: its files are written, its commands run, what it shows is what comes out."""

from __future__ import annotations

import csv
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from oracle.compilers import need, run

from symgen.cli.main import main

REPOSITORY = Path(__file__).resolve().parents[2]
PAGE = (REPOSITORY / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.M | re.S)
#: A file begins with a comment that names it.
_NAME = re.compile(r"(?:#|/\*) ([\w.]+)")

pytestmark = [pytest.mark.compiler, pytest.mark.extension]


def _follow(blocks: Iterable[tuple[str, str]], folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Write the files and run the commands; return what the last command said."""
    said = ""
    for language, text in blocks:
        if language != "console":
            name = _NAME.match(text)
            assert name is not None, text
            (folder / name[1]).write_text(text, encoding="utf-8")
            continue
        for line in text.splitlines():
            if line.startswith("$ "):
                said = _run(line.removeprefix("$ "), capsys)
            elif line:
                assert line in [each.rstrip() for each in said.splitlines()], line
    return said


def _run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    program, *arguments = shlex.split(command)
    if program == "symgen":
        assert main(arguments) == 0, command
        return capsys.readouterr().out
    if program == "python":
        done = subprocess.run([sys.executable, *arguments], check=True, timeout=60, capture_output=True, text=True)
        return done.stdout
    return run(need("gcc") if program == "cc" else Path(program).resolve(), *arguments)


def test_the_first_file_of_the_tutorial_is_taken_apart_as_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "determined: the inputs fix every body" in _follow(BLOCKS[:2], tmp_path, capsys)


@pytest.mark.slow
def test_the_tutorial_works_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    said = _follow(BLOCKS, tmp_path, capsys)
    for name in ("structure.svg", "tool.svg", "press.html", "forces.csv", "torque.svg", "press-report.html"):
        assert (tmp_path / name).stat().st_size > 0
    with (tmp_path / "press.csv").open(encoding="utf-8") as stream:
        heights = [f"{float(row['ram.tool.y']):.6f}" for row in csv.DictReader(stream)][::25]
    assert [line.split()[-2] for line in said.splitlines()] == heights
