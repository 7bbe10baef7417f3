"""The default tier has something of every file of tests, and says what it leaves out."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import COUNTS, spread, with_share

#: File of tests -> why nothing of it is in the default tier.
ONLY_EVERYTHING: dict[str, str] = {
    "tests/provers/test_lanes_on_aarch64.py": "a cross compiler and an emulator, which few have",
    "tests/targets/test_bits_on_targets.py": "a cross compiler and an emulator, which few have, for a minute",
    "tests/targets/test_costs_on_targets.py": "a cross compiler, an emulator and CasADi, which few have",
    "tests/targets/test_exports_on_targets.py": "a cross compiler and an emulator, which few have, for a minute",
}


def test_every_file_has_a_test_in_the_default_tier_or_says_why_not(request: pytest.FixtureRequest) -> None:
    counts = request.config.stash[COUNTS]
    assert {file for file, (some, _) in counts.items() if not some} <= set(ONLY_EVERYTHING)
    assert {file for file in ONLY_EVERYTHING if counts.get(file, (0, 1))[0]} == set()


@pytest.mark.parametrize(("count", "some"), [(0, 3), (2, 3), (3, 3), (4, 3), (147, 12), (1000, 7)])
def test_a_sample_is_as_large_as_asked_for_and_evenly_spread(count: int, some: int) -> None:
    places = sorted(spread(count, some))
    assert len(places) == min(count, some)
    assert all(0 <= place < count for place in places)
    steps = {after - before for before, after in itertools.pairwise(places)}
    assert max(steps, default=0) - min(steps, default=0) <= 1


FILE = """
import pytest

@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(10))
def test_numbers(number): pass

@pytest.mark.kinds
@pytest.mark.parametrize("name", ["dyad_rrr", "dyad_rrp", "dyad_rrr_f32-position", "none"])
def test_names(name): pass

@pytest.mark.slow
def test_long(): pass

@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_some(number): pass

@pytest.mark.parametrize("number", range(20))
def test_many(number): pass

@pytest.mark.provers
def test_proof(): pass
"""


def run_file(
    folder: Path, repository: Path, *arguments: str, everything: str = "", slow: str = "", share: str = ""
) -> str:
    """Run a file of tests under the rules of this suite."""
    (folder / "conftest.py").write_text((repository / "tests" / "conftest.py").read_text())
    (folder / "test_file.py").write_text(FILE)
    markers = "".join(f"    {name}\n" for name in ("slow", "kinds", "sampled(n)", "provers", "compiler", "extension"))
    paths = f"{repository} {repository / 'tests'}"
    (folder / "pytest.ini").write_text(
        f"[pytest]\naddopts = --strict-markers\npythonpath = {paths}\nmarkers =\n{markers}"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", "SYMGEN_EVERYTHING": everything, "SYMGEN_SLOW": slow, "SYMGEN_SHARE": share},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_is_left_out_is_deselected_and_said_in_one_line(
    workers: tuple[str, ...], tmp_path: Path, repository: Path
) -> None:
    said = run_file(tmp_path, repository, *workers)
    assert "12 passed" in said
    assert "skipped" not in said
    assert said.count("25 slow tests were left out: make test-all (SYMGEN_EVERYTHING=1) runs everything") == 1
    assert said.count("1 tests of provers were left out: make test-slow (SYMGEN_SLOW=1)") == 1


def test_everything_is_run_if_it_is_asked_for(tmp_path: Path, repository: Path) -> None:
    said = run_file(tmp_path, repository, everything="1")
    assert "37 passed" in said
    assert "slow tests were left out" not in said


def test_the_shares_have_every_test_between_them_and_each_the_default_tier(tmp_path: Path, repository: Path) -> None:
    named = [
        {line for line in said.splitlines() if "::" in line}
        for said in (
            run_file(tmp_path, repository, "--collect-only", share=share) for share in ("", "0/4", "1/4", "2/4", "3/4")
        )
    ]
    default, *shares = named
    assert len(default) == 12
    assert all(12 < len(share) < 30 for share in shares)
    assert len(set.union(*shares)) == 37
    assert all(share & other == default for share, other in itertools.combinations(shares, 2))


@pytest.mark.parametrize("share", ["8/8", "1", "1/0", "-1/8", "a/b"])
def test_a_share_that_is_none_is_refused(share: str) -> None:
    with pytest.raises(ValueError, match=r"SYMGEN_SHARE=.*such as 2/8"):
        with_share([True], share, ["test"])


def test_what_provers_say_is_run_if_it_is_asked_for_and_only_then(tmp_path: Path, repository: Path) -> None:
    said = run_file(tmp_path, repository, "-m", "provers", slow="1")
    assert "1 passed" in said
    assert "provers were left out" not in said


def test_a_test_that_is_named_is_run(tmp_path: Path, repository: Path) -> None:
    assert "1 passed" in run_file(tmp_path, repository, "test_file.py::test_long")
