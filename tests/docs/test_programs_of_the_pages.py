"""The Python on the pages runs, and so do the examples of docstrings."""

from __future__ import annotations

import doctest
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"

#: Not run here, and why.
OTHERWISE = {
    "derivations.md": "test_derivations_page.py",
    "export-casadi.md": "needs CasADi and a bundle: tests/export",
    "importing.md": "takes the reader's URDF: tests/model",
    "transfer-matrices.md": "test_transfer_matrices_page.py",
    "vibrations.md": "names bodies and joints of the reader's mechanism",
    "export-fmu.md": "needs FMPy and a bundle: tests/export",
    "library.md": "tests/library/test_library_document.py",
    "own-derivations.md": "test_own_derivations_page.py",
    "tutorial.md": "test_tutorial.py",
}
_ROD = """
import symgen
tree = {
    "schema": "symgen/mechanism/1", "name": "pendulum", "space": "planar", "gravity": [0.0, -9.81],
    "bodies": {"rod": {"mass": 2.0, "com": [0.0, -0.5], "inertia": [0.15, 0.15, 0.3, 0, 0, 0],
                       "points": {"P": [0.0, -1.0]}}},
    "joints": {"A": {"type": "R", "bodies": ["ground", "rod"], "at": [0.0, 0.0]}},
}
mechanism = symgen.Mechanism.from_dict(tree)
"""
#: What a page takes as given: its reader's own mechanism, under the names that the page uses.
GIVEN = {
    "certified-newton.md": "import symgen",
    "simulate-output.md": _ROD,
    "transformations.md": "import shutil\nshutil.copy('examples/rotor/mechanism.toml', 'rotor.toml')",
    "topological-graphs.md": (
        "from symgen.cli.main import main\n"
        "mechanism = 'examples/graphs/parallel_manipulator.toml'\n"
        "options = '--cotree J11,J12 --order 3 --out generated'\n"
        "assert main(['generate', 'loops', mechanism, *options.split()]) == 0"
    ),
}


def programs(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


PAGES = [page.name for page in sorted(DOCS.glob("*.md")) if programs(page) and page.name not in OTHERWISE]


def test_what_is_run_otherwise_is_there() -> None:
    assert {name for name in OTHERWISE if not programs(DOCS / name)} == set()
    assert len(PAGES) > 10


@pytest.mark.extension
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "name",
    [pytest.param(page, marks=[pytest.mark.slow] if "generate" in GIVEN.get(page, "") else []) for page in PAGES],
)
def test_the_programs_of_a_page_run(name: str, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    if "--out generated" not in GIVEN.get(name, ""):
        (tmp_path / "generated").symlink_to(REPOSITORY / "generated")
    (tmp_path / "page.py").write_text("\n".join([GIVEN.get(name, ""), *programs(DOCS / name)]), encoding="utf-8")
    path = os.pathsep.join([str(REPOSITORY), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "page.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr


MODULES = [
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted((REPOSITORY / "symgen").glob("**/*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0
