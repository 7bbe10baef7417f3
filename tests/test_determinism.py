"""The same input gives the same bytes, whatever the hash seed: `generated/` is what the sources generate."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import few_or_all

from symgen.pipeline import known_engines, known_modules

#: A cheap module of each kind of derivation and of code: driven, closed form in the plane and in space, slots, rods,
#: searched assemblies, rings. `make check` makes every module under both seeds, and `.ci/run` runs it before the suite:
#: here are enough to tell a developer at once that the sources have moved away from `generated/`, or a set has leaked.
SAMPLE = ("dyad_rrr", "driven_s_3d", "slot_pl", "loop_pss", "triad_rr_rp_rp", "loop_ccc", "ring_p_rd_s_u")
SAMPLE = SAMPLE[: few_or_all(3, len(SAMPLE))]
SEEDS = ("0", "4242")


def _files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    kept = [path for path in paths if "__pycache__" not in path.parts and path.name != ".keep"]
    kept = [path for path in kept if not path.name.endswith(".certificate.json")]  # `symgen check --library` verifies
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in kept}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_committed_library_is_what_the_sources_generate(seed: str, repository: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "symgen", "generate", *SAMPLE, "--jobs", "1", "--out", str(tmp_path)],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    made = _files(tmp_path)
    committed = {
        name: content for name, content in _files(repository / "generated").items() if name.split("/")[0] in SAMPLE
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
