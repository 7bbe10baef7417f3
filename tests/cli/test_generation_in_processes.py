"""Generating several modules: the same files by any number of processes, and nothing to do the second time."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.cli.main import main

TYPES = ("driven_r_2d", "driven_p_2d", "driven_fp_2d")


@pytest.fixture(autouse=True)
def _memory_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))


def _tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _generate(out: Path, capsys: pytest.CaptureFixture[str], *options: str) -> list[str]:
    """Return what was said of each module, in the order of the types."""
    assert main(["generate", *TYPES, "--out", str(out), *options]) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("[")]
    assert [line.split("]")[0] for line in lines] == ["[1/3", "[2/3", "[3/3"]
    said = {line.split()[1].rstrip(":"): line.split(": ", 1)[1] for line in lines}
    return ["up to date" if said[name] == "up to date" else "made" for name in TYPES]


def test_processes_write_what_one_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _generate(tmp_path / "one", capsys, "--jobs", "1")
    _generate(tmp_path / "two", capsys, "--jobs", "2")
    assert _tree(tmp_path / "one") == _tree(tmp_path / "two")
    assert len(_tree(tmp_path / "one")) == 13 * len(TYPES)


@pytest.mark.slow
def test_what_is_up_to_date_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert _generate(out, capsys) == ["made"] * 3
    before = _tree(out)
    assert _generate(out, capsys) == ["up to date"] * 3
    (out / TYPES[0] / "symgen_status.h").unlink()
    with (out / TYPES[1] / f"{TYPES[1]}.c").open("a") as stream:
        stream.write("/* mine */\n")
    assert _generate(out, capsys, "--force") == ["made", "made", "up to date"]
    assert _tree(out) == before
    assert _generate(out, capsys, "--force", "--precision", "double") == ["made"] * 3


@pytest.mark.slow
def test_without_a_memory_all_is_made_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "file"))
    assert _generate(tmp_path / "out", capsys) == ["made"] * 3
    assert _generate(tmp_path / "out", capsys) == ["made"] * 3
