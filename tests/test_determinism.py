"""The same input gives the same bytes, whatever the hash seed: `generated/` is what the sources generate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def _files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    kept = [path for path in paths if "__pycache__" not in path.parts and path.name != ".keep"]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


@pytest.mark.parametrize("seed", ["0", "4242"])
def test_the_committed_library_is_what_the_sources_generate(seed: str, repository: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "symgen", "generate", "--all", "--out", str(tmp_path)],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made, committed = _files(tmp_path), _files(repository / "generated")
    different = sorted(name for name in made.keys() | committed.keys() if made.get(name) != committed.get(name))
    assert different == [], "make generate, read the diff, commit both"


def test_generated_files_name_no_place_and_no_day(repository: Path) -> None:
    home = str(Path.home()).encode()
    for path in sorted((repository / "generated").rglob("*")):
        if path.is_file() and path.suffix in {".c", ".h", ".py", ".json"}:
            content = path.read_bytes()
            assert str(repository).encode() not in content, path.name
            assert home == b"/" or home not in content, path.name
