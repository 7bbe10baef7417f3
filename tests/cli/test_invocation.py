"""Hints name symgen in a way that the shell can run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from symgen.cli.terminal.invocation import invocation


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    return folder


def test_a_command_on_the_path_is_called_by_its_name(scripts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    assert invocation() == "symgen"


def test_off_the_path_the_script_of_the_environment_is_named(
    scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (scripts / "symgen").touch(mode=0o755)
    assert invocation() == ".venv/bin/symgen"
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert invocation() == str(scripts / "symgen")


def test_without_a_script_the_interpreter_runs_the_package(scripts: Path) -> None:
    assert invocation() == ".venv/bin/python -m symgen"
