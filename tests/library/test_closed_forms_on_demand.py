"""What no module holds is derived when a group asks for it: once, by one of several processes, and only if wanted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import symgen
from symgen.build.notices import forget_notices
from symgen.cli.main import main
from symgen.errors import InputError, UnsolvedTypeError
from symgen.library import on_demand
from symgen.library.instance import load_instance
from symgen.library.on_demand import derived, derived_or_none
from symgen.library.solve_instance import solve_instance

#: R.P*.P.R: sqrt(3) of slide on either side closes the telescope, 1 long, to the pin 2 away.
INSTANCE = "examples/instances/driven_telescope.json"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own, closed forms wanted, and nothing said yet."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SYMGEN_CACHE", str(folder))
    monkeypatch.setenv("SYMGEN_DERIVE", "1")
    monkeypatch.setattr(on_demand, "_failed", set())
    forget_notices()
    return folder


def _solve(repository: Path, *options: str) -> tuple[dict[str, Any], str]:
    """Return answer and standard error of `symgen library solve` in a process of its own."""
    command = [sys.executable, "-W", "error", "-m", "symgen", "library", "solve", str(repository / INSTANCE), "--json"]
    done = subprocess.run([*command, *options], env=dict(os.environ), capture_output=True, text=True, check=True)
    return json.loads(done.stdout), done.stderr


def _slides(answer: dict[str, Any]) -> list[float]:
    return sorted(branch["joints"]["rail"]["slide"][0] for branch in answer["branches"])


@pytest.mark.slow
def test_processes_share_one_derivation_and_the_next_finds_it(cache: Path, repository: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(_solve, repository, "--backend", "numpy") for _ in range(2)]
        answers, said = zip(*(each.result() for each in both), strict=True)
    assert answers[0] == answers[1]
    assert (answers[0]["type"], answers[0]["method"], answers[0]["complete"]) == ("R.P*.P.R 2D", "closed form", True)
    assert _slides(answers[0]) == pytest.approx([-(3**0.5), 3**0.5], abs=1e-14)
    assert "".join(said).count("deriving the closed form of R.P*.P.R 2D") == 1
    entries = [path for path in cache.glob("*/*") if path.is_dir()]
    assert [path.name for path in entries[0].iterdir() if path.is_dir()] == [answers[0]["module"]]
    assert len(entries) == 1, "nothing is left of building it"
    again, words = _solve(repository, "--backend", "numpy")
    assert (again, words) == (answers[0], "")


@pytest.mark.slow
def test_certified_newton_takes_its_place_if_nothing_is_to_be_derived(
    cache: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instance = load_instance(repository / INSTANCE)
    refused = solve_instance(symgen.library(backend="numpy", derive=False), instance)
    monkeypatch.setenv("SYMGEN_DERIVE", "0")
    by_variable = solve_instance(symgen.library(backend="numpy"), instance)
    for answer in (refused, by_variable):
        assert (answer["method"], answer["complete"]) == ("certified Newton", False)
        assert _slides(answer) == pytest.approx([-(3**0.5), 3**0.5], abs=1e-9)
    assert not cache.exists()


@pytest.mark.slow
def test_the_option_says_the_same(cache: Path, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["library", "solve", str(repository / INSTANCE), "--backend", "numpy", "--no-derive"]) == 0
    assert "2 branches (certified Newton" in capsys.readouterr().out
    assert main(["library", "show", "R.P*.P.R 2D", "--no-derive", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert (shown["method"], shown["note"]) == ("certified Newton", "solved by certified Newton; nothing to generate")
    assert not cache.exists()


def test_that_there_is_none_is_remembered_too(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    assert not derived("R.R.R.R.U 3D", said.append).entries
    assert said == [], "what is not derived is not announced"
    monkeypatch.setattr(on_demand.subprocess, "Popen", None)  # the generator is not asked again
    assert derived_or_none("R.R.R.R.U 3D") is None
    assert symgen.library(backend="numpy")["R.R.R.R.U 3D"].entry.manifest.method == "certified Newton"


def test_a_generator_that_fails_is_named_once_and_leaves_nothing(
    cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    library = symgen.library(backend="numpy")
    for _ in range(2):
        assert library["R.P*.P.R 2D"].entry.manifest.method == "certified Newton"
    words = capsys.readouterr().err
    assert words.count("it could not be derived") == 1
    assert "/no/such/python" in words
    assert "continuing without the closed form of R.P*.P.R 2D" in words
    assert not [path for path in cache.glob("*/*") if path.is_dir()]


@pytest.mark.parametrize("text", ["R.R.R.R 3D", "S.S 3D", "nonsense", "H.U.S 3D", "<13 bodies #0123> 3D"])
def test_nothing_is_derived_for_a_text_that_names_no_group_with_a_closed_form(
    text: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_demand.subprocess, "Popen", None)
    assert symgen.library(backend="numpy").derived_for(text) is None


def test_what_a_signature_leaves_open_has_to_be_said(cache: Path) -> None:
    library = symgen.library(backend="numpy")
    with pytest.raises(InputError, match="say which of yaw, pitch, roll"):
        _ = library["C.S*.S* 3D"]
    with pytest.raises(UnsolvedTypeError):
        _ = library["R.R.R.R 3D"]
    assert not cache.exists()


def test_the_variable_is_zero_or_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_DERIVE", "maybe")
    with pytest.raises(InputError, match=r"SYMGEN_DERIVE='maybe': allowed are 0 .* and 1"):
        symgen.library()


def test_analysis_says_that_a_closed_form_can_be_derived_and_derives_none(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = {"A": ("R", "k", "a"), "B": ("P", "a", "b"), "C": ("P", "b", "c"), "D": ("R", "c", "k")}
    joints = {name: {"type": code, "bodies": [one, two]} for name, (code, one, two) in ends.items()}
    tree = {"schema": "symgen/mechanism/1", "name": "telescope", "space": "planar", "ground": "k",
            "bodies": {body: {} for body in "abc"}, "joints": joints}  # fmt: skip
    joints["B"]["driven"] = ["slide"]
    file = tmp_path / "telescope.json"
    file.write_text(json.dumps(tree))

    def methods() -> list[str]:
        assert main(["analyse", str(file), "--json"]) == 0
        return [group["method"] for group in json.loads(capsys.readouterr().out)["groups"]]

    assert methods() == ["closed form on demand"]
    assert not cache.exists()
    monkeypatch.setenv("SYMGEN_DERIVE", "0")
    assert methods() == ["certified Newton"]
