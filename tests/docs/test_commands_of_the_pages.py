"""Every command on a page of the documents and of the examples works as written, in a checkout.

Commands on placeholders (MECH, TYPE) are patterns, not commands; the README has a test of its own.
"""

from __future__ import annotations

import itertools
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from symgen.cli.main import main
from symgen.derive import catalogue

REPOSITORY = Path(__file__).resolve().parents[2]
#: Shown for what they print; a file of theirs is the reader's.
READERS_OWN = {
    "symgen analyse four-bar.toml",
    "symgen import User_Data.m --out four_bar.toml",
    "symgen check claims.toml",
    "symgen check --own piston.py claims.toml",
    "symgen check --own piston.py --show piston_v",
    "symgen generate piston.py:derive --out solvers",
    "symgen export examples/jansen_leg/mechanism.toml --for embedded --prefix leg --results foot.toe "
    "--precision double --ranges leg.ranges --prove --out exported",
    "symgen import arm.urdf --drive all --out arm.toml",
    "symgen import linkage.urdf --loops linkage_loops.toml --out linkage.toml",
}


def _commands(page: Path) -> list[str]:
    """Return the commands in the fenced blocks of a page, continued lines joined."""
    found = []
    # every fence is paired with its own end, so that no text between two blocks is taken for a block
    for language, block in re.findall(r"^ *```(\w*)\n(.*?)^ *```", page.read_text(encoding="utf-8"), re.M | re.S):
        if language not in ("", "sh", "bash", "console", "text"):
            continue
        for line in block.replace("\\\n", " ").splitlines():
            command = " ".join(line.removeprefix("$ ").split("  #")[0].split())
            if re.match(r"(symgen|python) ", command) and not re.search(r"\b(MECH|TYPE|INSTANCE|FILE|DIR)\b", command):
                found.append(command)
    return found


#: A reader makes the files of the tutorial first: it has a test of its own.
_OWN_TEST = {"tutorial.md"}
PAGES = [
    *(page for page in sorted((REPOSITORY / "docs").glob("*.md")) if page.name not in _OWN_TEST),
    *sorted((REPOSITORY / "examples").glob("**/README.md")),
]
_SHOWN = {command for page in PAGES for command in _commands(page)} - READERS_OWN
#: What is shown with and without a place to write to is run with it.
COMMANDS = sorted(c for c in _SHOWN if not any(other.startswith(f"{c} --out ") for other in _SHOWN))
#: What takes 5 to 30 s to generate, to search, or to run on microcontrollers.
HEAVY = {
    *("examples/micro_manipulator/mechanism.toml", "examples/graphs/parallel_manipulator.toml"),
    *("examples/stewart_forward/mechanism.toml", "examples/dynamics/spinning_top/mechanism.toml"),
}


def test_the_pages_have_commands() -> None:
    verbs = {command.split()[1] for command in COMMANDS if command.startswith("symgen ")}
    assert {"analyse", "solve", "library"} <= verbs
    assert len(COMMANDS) >= 12


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "command", [pytest.param(each, marks=[pytest.mark.slow] if HEAVY & set(each.split()) else []) for each in COMMANDS]
)
def test_a_command_of_the_pages_works_as_written(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalogue, "_OWN", {})  # derivations of the examples stay here
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    monkeypatch.chdir(tmp_path)
    program, *arguments = shlex.split(command)
    # whose steps are too many for NumPy, or which compare the bits of C
    if not {"simulate", "solve", "export", "--library"} & set(arguments):
        monkeypatch.setenv("CC", "no-such-compiler")  # NumPy does: what C gives is compared elsewhere
    if program == "python":
        subprocess.run([sys.executable, *arguments], check=True, timeout=120, capture_output=True)
        return
    assert main(arguments) == 0, capsys.readouterr().err
    for option, name in itertools.pairwise(arguments):
        if option in ("--output", "--animate", "--draw", "--plot"):
            assert (tmp_path / name).stat().st_size > 0, f"{option} {name} was not written"
