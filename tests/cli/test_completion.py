"""What a shell completes: verbs, options, choices, types, examples, files; as a shell asks, and in a real bash."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from symgen.cli.main import VERBS, cli
from symgen.cli.terminal.completion import type_names
from symgen.library.catalogue import load_catalogue

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SYMGEN_COMPLETE", "zsh_complete")


def completed(*words: str) -> list[tuple[str, str]]:
    *before, last = words
    found = ShellComplete(cli, {}, "symgen", "_SYMGEN_COMPLETE").get_completions(before, last)
    return [(item.type, item.value) for item in found]


def values(*words: str) -> list[str]:
    return [value for kind, value in completed(*words) if kind == "plain"]


def test_verbs_and_verbs_of_verbs() -> None:
    assert values("") == list(VERBS)
    assert values("sol") == ["solve"]
    assert "show" in values("library", "sh")


def test_options_and_what_they_allow() -> None:
    assert values("--ver") == ["--version"]
    assert values("solve", "--ass") == ["--assemblies", "--assembly"]
    assert values("solve", "x.toml", "--backend", "n") == ["numpy"]


def test_subcommands_of_generate_and_its_short_forms() -> None:
    assert {"dyad_rrr", "dynamics"} <= set(values("generate", "dy"))
    assert values("generate", "types", "dyad_rrr_") == ["dyad_rrr_driven"]
    assert values("generate", "dynamics", "x.toml", "--method", "r") == ["riccati"]
    assert values("generate", "--mechanism", "x.toml", "--whole", "--geo") == ["--geometry"]
    assert "--all" in values("generate", "--")
    assert completed("generate", "mechanism", "exam") == [("file", "exam")]


def test_types_and_modules() -> None:
    keys = {entry.key for entry in load_catalogue().entries}
    assert {*keys, "dyad_rrr", "loop_rus_u_angle1", "U.U*angle1.S 3D"} <= set(type_names())
    assert values("library", "show", "R.R.R.P") == ["R.R.R.PL 3D"]
    assert values("generate", "R* 2D", "dyad_rrr_") == ["dyad_rrr_driven"]
    assert values("report", "R.R.R.P") == ["R.R.R.PL 3D"]


def test_files_where_a_file_is_meant() -> None:
    assert completed("solve", "exam") == [("file", "exam")]
    assert completed("report", "README") == [("file", "README")]
    assert completed("solve", "x.toml", "--output", "m") == [("file", "m")]
    assert completed("generate", "--out", "so") == [("dir", "so")]


def test_examples() -> None:
    assert values("demo", "jan") == ["jansen_leg"]


def test_an_ordinary_run_changes_no_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("_SYMGEN_COMPLETE")
    script = (
        "import sys; from symgen.cli.main import main; main(['solve', '--help']); "
        "print('symgen.cli.terminal.completion' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("False\n")


def test_an_answer_loads_nothing_heavy() -> None:
    script = (
        "import sys; from symgen.cli.main import main\n"
        "try: main([])\nfinally: print(sorted({'numpy', 'sympy', 'symgen.pipeline'} & set(sys.modules)))"
    )
    asked = {"_SYMGEN_COMPLETE": "bash_complete", "COMP_WORDS": "symgen report R.R.R.P", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ, **asked}, check=False
    )
    assert done.stdout.splitlines() == [r"plain,R.R.R.PL\\ 3D", "[]"]


@pytest.mark.parametrize(
    ("typed", "last", "put"),
    [
        ("symgen sol", 1, "solve"),
        ("symgen report R.R.R.P", 2, r"R.R.R.PL\ 3D"),
        ('symgen report "R.R.R.P', 2, "R.R.R.PL 3D"),
        ("symgen demo jan", 2, "jansen_leg"),
    ],
)
def test_bash_puts_a_name_as_it_has_to_be_read(typed: str, last: int, put: str, tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("needs bash")
    program = tmp_path / "symgen"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symgen "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    words = [f"'{word}'" for word in typed.split(" ")]
    script = (
        'eval "$(_SYMGEN_COMPLETE=bash_source symgen)"\n'
        f"COMP_WORDS=({' '.join(words)}); COMP_CWORD={last}\n"
        '_symgen_completion symgen; printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(REPOSITORY)}
    environment.pop("_SYMGEN_COMPLETE", None)
    done = subprocess.run([bash, "-c", script], capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == f"{put}\n", done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_get_a_script_of_theirs(shell: str) -> None:
    asked = {"_SYMGEN_COMPLETE": f"{shell}_source"}
    done = subprocess.run(
        [sys.executable, "-m", "symgen"], capture_output=True, text=True, env={**os.environ, **asked}, check=True
    )
    assert f"{shell}_complete" in done.stdout
