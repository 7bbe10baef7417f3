"""The same input gives the same bytes, whatever the hash seed; `generated/` is what the sources generate.

`make check` does this for every type. Here it is done for one of each kind, so
that the suite stays quick.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = ["driven_r", "dyad_rrr"]


def _generate(module: str, seed: str, out: Path) -> dict[str, bytes]:
    subprocess.run(
        [sys.executable, "-m", "symgen", "generate", module, "--out", str(out)],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        check=True,
    )
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("module", MODULES)
def test_bytes_do_not_depend_on_the_hash_seed_and_are_the_committed_ones(
    module: str, repository: Path, tmp_path: Path
) -> None:
    first = _generate(module, "1", tmp_path / "1")
    second = _generate(module, "4242", tmp_path / "2")
    assert first == second
    committed = {name: (repository / "generated" / name).read_bytes() for name in first}
    assert first == committed


def test_generated_files_name_no_place_and_no_day(repository: Path) -> None:
    home = str(Path.home()).encode()
    for path in sorted((repository / "generated").rglob("*")):
        if path.is_file() and path.suffix in {".c", ".h", ".py", ".json"}:
            content = path.read_bytes()
            assert str(repository).encode() not in content, path.name
            assert home == b"/" or home not in content, path.name
