"""The same input gives the same bytes, whatever the hash seed: `generated/` is what the sources generate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from symgen.pipeline import known_engines, known_modules

#: The library is generated in so many parts, which the workers of a test run share.
SHARES = 8


def _files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    kept = [path for path in paths if "__pycache__" not in path.parts and path.name != ".keep"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


def _share(number: int) -> list[str]:
    return [module for k, module in enumerate(known_modules()) if k % SHARES == number]


@pytest.mark.parametrize("number", range(SHARES))
def test_the_committed_library_is_what_the_sources_generate(number: int, repository: Path, tmp_path: Path) -> None:
    """Each module under one of two hash seeds; `make check` takes all of them under both."""
    done = subprocess.run(
        [sys.executable, "-m", "symgen", "generate", *_share(number), "--jobs", "1", "--out", str(tmp_path)],
        env=os.environ | {"PYTHONHASHSEED": "0" if number % 2 else "4242"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = _files(tmp_path)
    committed = {
        name: content
        for name, content in _files(repository / "generated").items()
        if name.split("/")[0] in _share(number)
    }
    different = sorted(name for name in made.keys() | committed.keys() if made.get(name) != committed.get(name))
    assert different == [], "make generate, read the diff, commit both"


def test_every_committed_folder_is_one_that_the_sources_generate(repository: Path) -> None:
    folders = {path.name for path in (repository / "generated").iterdir() if path.is_dir() and any(path.iterdir())}
    assert folders - {"__pycache__"} == {*known_modules(), *known_engines()}


def test_generated_files_name_no_place_and_no_day(repository: Path) -> None:
    home = str(Path.home()).encode().rstrip(b"/") + b"/"
    for path in sorted((repository / "generated").rglob("*")):
        if path.is_file() and path.suffix in {".c", ".h", ".py", ".json"}:
            content = path.read_bytes()
            assert str(repository).encode() not in content, path.name
            assert home == b"/" or home not in content, path.name
