"""The programs of docs/transfer-matrices.md run as written and give what the page says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

#: -m g d / (J + m d^2) with m = 2, d = 0.5, J = 0.3.
EXACT = -2.0 * 9.81 * 0.5 / (0.3 + 2.0 * 0.25)


def _program(repository: Path, language: str) -> str:
    text = (repository / "docs" / "transfer-matrices.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.S)[0]


def test_the_program_in_python(repository: Path, tmp_path: Path) -> None:
    made = tmp_path / "pendulum.py"
    made.write_text(_program(repository, "python") + "print(repr(float(alpha)))\n", encoding="utf-8")
    done = subprocess.run([sys.executable, made], cwd=repository, capture_output=True, text=True, check=True)
    assert abs(float(done.stdout) - EXACT) < 1e-14 * abs(EXACT)


@pytest.mark.compiler
def test_the_program_in_c(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "pendulum.c").write_text(_program(repository, "c"), encoding="utf-8")
    folder = repository / "generated" / "transfer"
    flags = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{folder}")
    subprocess.run(["cc", *flags, tmp_path / "pendulum.c", "-lm", "-o", tmp_path / "pendulum"], check=True)
    done = subprocess.run([tmp_path / "pendulum"], capture_output=True, text=True, check=True)
    assert abs(float(done.stdout) - EXACT) < 1e-14 * abs(EXACT)
