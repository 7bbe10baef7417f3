"""The C of method riccati to take away: clean with few unknowns, and it refuses what is no problem."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest
from oracle.compilers import C_ONLY, WARNINGS, need

from symgen.cli.main import main

_BODY = """[bodies.{name}]
pose = {{ r = [{at}, 0.0] }}
mass = 2.0
com = [0.5, 0.1]
inertia = [0.15, 0.15, 0.3, 0.0, 0.0, 0.0]
[joints.{joint}]
type = "R"
bodies = ["{carrier}", "{name}"]
at = [{at}, 0.0]
"""
_HEAD = 'schema = "symgen/mechanism/1"\nname = "swing"\nspace = "planar"\ngravity = [0.0, -9.81]\n'
_BODIES = (
    _BODY.format(name="a", joint="A", carrier="ground", at="0.0"),
    _BODY.format(name="b", joint="B", carrier="a", at="1.0"),
)


def write_bundle(folder: Path, count: int = 2) -> Path:
    """Write the C of a pendulum of some bodies."""
    file = folder / "swing.toml"
    file.write_text(_HEAD + "".join(_BODIES[:count]), encoding="utf-8")
    words = ["generate", "--mechanism", str(file), "--dynamics", "--method", "riccati", "--name", "taken"]
    assert main([*words, "--out", str(folder)]) == 0
    return folder / "taken"


@pytest.mark.compiler
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_few_unknowns_compile_cleanly_by_the_headers_own_command(compiler: str, count: int, tmp_path: Path) -> None:
    # kernels of three unknowns would be seen to reach beyond a workspace of one or two
    folder = write_bundle(tmp_path, count)
    command = re.search(r"\* +cc (.*) && (\S+)$", (folder / "example.c").read_text(encoding="utf-8"), re.MULTILINE)
    assert command is not None
    words = [need(compiler), *WARNINGS, *C_ONLY, *shlex.split(command[1])]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert "energy" in subprocess.run([folder / command[2]], capture_output=True, text=True, check=True).stdout
