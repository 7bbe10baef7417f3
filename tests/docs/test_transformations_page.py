"""The commands of docs/transformations.md print what the page shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from symgen.cli.main import main


def test_page_shows_what_the_commands_print(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.chdir(repository)
    text = (repository / "docs" / "transformations.md").read_text(encoding="utf-8")
    shown = re.findall(r"```\n\$ symgen ([^\n]*)\n(.*?)```", text, re.S)
    assert len(shown) == 2
    for command, output in shown:
        assert main(shlex.split(command)) == 0
        printed = capsys.readouterr().out
        assert [line.rstrip() for line in printed.splitlines()] == output.splitlines()
