"""Every command and program of the README works as written, and every link of the documents leads somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from symgen.cli.main import main


def blocks(repository: Path, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (repository / "README.md").read_text(encoding="utf-8"), re.S)


@pytest.fixture
def tour(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the reader follows the README: the file it shows, and the examples of the checkout."""
    (toml,) = blocks(repository, "toml")
    name = toml.partition("\n")[0].removeprefix("# ")
    (tmp_path / name).write_text(toml, encoding="utf-8")
    (tmp_path / "examples").symlink_to(repository / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.compiler
def test_the_commands_of_the_readme_work_as_written(repository: Path, tour: Path) -> None:
    lines = re.findall(r"^\$ (.*)$", (repository / "README.md").read_text(encoding="utf-8"), re.M)
    commands = [shlex.split(line) for line in lines]
    assert {command[0] for command in commands} == {"symgen", "less"}
    for command in commands:
        if command[0] == "less":
            assert (tour / command[1]).is_file()
            continue
        assert main(command[1:]) == 0, command
    assert (tour / "motion.csv").read_text(encoding="utf-8").count("\n") == 102


@pytest.mark.compiler
def test_the_program_of_the_readme_runs(repository: Path, tour: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    (program,) = blocks(repository, "python")
    (tour / "readme_program.py").write_text(program, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tour))
    found = __import__("readme_program")
    assert "R.R.R 2D" in capsys.readouterr().out
    assert found.result.ok


def test_links_between_documents_lead_somewhere(repository: Path) -> None:
    pages = [
        repository / "README.md",
        *sorted((repository / "docs").glob("*.md")),
        *sorted((repository / "examples").glob("*/*.md")),
    ]
    for page in pages:
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_the_index_names_every_document(repository: Path) -> None:
    index = (repository / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in (repository / "docs").glob("*.md")} - {"index.md"}
    assert {page for page in pages if f"]({page})" not in index} == set()
