"""clang-tidy and gcc -fanalyzer find nothing in generated C and in exports."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from oracle.compilers import need
from provers.exports import EXPORTS, write_dynamics, write_exports

from symgen.resources import generated_folder

#: What is checked by clang-tidy, less what is meant to be as it is, each with the reason.
CHECKS = ("bugprone-*", "cert-*", "clang-analyzer-*", "misc-*", "performance-*", "portability-*")
EXCEPTIONS = {
    "bugprone-easily-swappable-parameters": "a routine takes poses and frames, which are all of one type",
    "bugprone-implicit-widening-of-multiplication-result": "places in arrays whose sizes are small constants",
    "bugprone-suspicious-include": "the file for float includes the text for double",
    "bugprone-branch-clone": "kinds of pairs that have equally many rows have a case each",
    "bugprone-suspicious-memory-comparison": "the self-test compares bits",
    "cert-exp42-c": "the same",
    "cert-flp37-c": "the same",
    "misc-unused-parameters": "a table of functions has one signature",
}
#: These are compiled with the tables of a mechanism only: they are looked at in exports of dynamics.
OF_A_PROBLEM = {"dynamics", "dynamics_minimal", "transfer"}
ANALYZER = ("-std=c99", "-O2", "-fanalyzer", "-Werror")
#: Modules with all their functions are looked at function by function, and not for values that are unset: those the
#: analyser of clang looks for.
FUNCTIONS = ("-fno-inline", "-fno-ipa-cp", "-Wno-analyzer-use-of-uninitialized-value")
#: The analyser of GCC looks at few states at each place: all of them take minutes and gigabytes where code is inlined.
#: So it may leave a loop too early and take what that writes for unset; what it finds is looked for among all states.
FEW_STATES = ("--param", "analyzer-max-enodes-per-program-point=2", "--param", "analyzer-bb-explosion-factor=1")


def _modules() -> list[tuple[Path, Path]]:
    """Return folder and C file of modules; those for float include the same text with other literals."""
    return [
        (folder, path)
        for folder in sorted(generated_folder().iterdir())
        for path in sorted(folder.glob("*.c"))
        if not path.stem.endswith("_f32") and path.stem not in OF_A_PROBLEM
    ]


def _of_exports(folder: Path) -> list[tuple[Path, Path]]:
    places = [*write_exports(folder), *write_dynamics(folder)]
    return [
        (place, path) for place in places for part in ("src", "test") for path in sorted((place / part).glob("*.c"))
    ]


def _paths(folder: Path) -> list[str]:
    return [f"-I{folder}{part}" for part in ("", "/include", "/src", "/test")]


def _said(command: Sequence[str | Path]) -> str:
    """Return what a command prints, and if it fails what it says of it."""
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=1200, check=False)
    return done.stdout + (done.stderr if done.returncode else "")


def _together(run: Callable[[tuple[Path, Path]], str], files: Sequence[tuple[Path, Path]]) -> list[str]:
    """Look at files, two at a time; return what is found."""
    with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        return [text for text in pool.map(run, files) if text.strip()]


def _tidy(files: Sequence[tuple[Path, Path]]) -> list[str]:
    program = need("clang-tidy")
    checks = ",".join(["-*", *CHECKS, *(f"-{name}" for name in EXCEPTIONS)])
    options = ("--quiet", f"--checks={checks}", "--warnings-as-errors=*")
    return _together(lambda file: _said([program, *options, file[1], "--", "-std=c99", *_paths(file[0])]), files)


def _analysed(files: Sequence[tuple[Path, Path]], *more: str) -> list[str]:
    program = need("gcc")

    def run(file: tuple[Path, Path]) -> str:
        command = [program, *ANALYZER, *more, *_paths(file[0]), "-c", file[1], "-o", "/dev/null"]
        return _said([*command, *FEW_STATES]) and _said(command)

    return _together(run, files)


@pytest.mark.provers
def test_clang_tidy_finds_nothing_in_modules() -> None:
    assert _tidy(_modules()) == []


@pytest.mark.provers
def test_clang_tidy_finds_nothing_in_exports(tmp_path: Path) -> None:
    assert _tidy(_of_exports(tmp_path)) == []


@pytest.mark.provers
@pytest.mark.parametrize("part", range(4))
def test_the_analyser_of_gcc_finds_nothing_in_modules(part: int) -> None:
    assert _analysed(_modules()[part::4], *FUNCTIONS) == []


@pytest.mark.provers
def test_the_analyser_of_gcc_finds_nothing_in_exports(tmp_path: Path) -> None:
    assert _analysed(_of_exports(tmp_path)) == []


@pytest.mark.compiler
def test_a_division_of_a_pointer_that_is_null_is_found(tmp_path: Path) -> None:
    """The analyser is on at all: it finds what is planted."""
    path = tmp_path / "planted.c"
    path.write_text("#include <stddef.h>\nint planted(void)\n{\n    const int *none = NULL;\n    return *none;\n}\n")
    if (
        "-fanalyzer"
        not in subprocess.run([need("gcc"), "--help=common"], capture_output=True, text=True, check=True).stdout
    ):
        pytest.skip("this gcc has no analyser")
    assert "null" in "".join(_analysed([(tmp_path, path)])).lower()


def test_every_exception_has_a_reason_and_is_of_a_checked_family() -> None:
    assert all(EXCEPTIONS.values())
    assert all(any(name.startswith(family.rstrip("*")) for family in CHECKS) for name in EXCEPTIONS)
    assert {"group", "loop", "triad", "leg", "followed leg"} <= {*EXPORTS}
