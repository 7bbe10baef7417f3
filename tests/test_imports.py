"""`import symgen` and the command line's help load none of the heavy packages.

What makes them quick is what they do not import; that is checked here, in a
fresh interpreter, rather than the time it takes.
"""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import symgen

HEAVY = {"numpy", "sympy", "mpmath", "jinja2", "cffi", "rich", "msgspec", "symgen.model", "symgen.pipeline"}


def _modules_after(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint('\\nMODULES', *sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.rpartition("MODULES")[2].split())


@pytest.mark.parametrize(
    "code",
    [
        "import symgen",
        "import symgen; dir(symgen); symgen.__version__; symgen.Status; symgen.SymgenError",
        "import symgen.library, symgen.solve",
        "from symgen.cli.main import main; main(['--help'])",
        "from symgen.cli.main import main; main(['--version'])",
        "from symgen.cli.main import main; main(['analyze'])",
    ],
)
def test_nothing_heavy_is_imported(code: str) -> None:
    assert _modules_after(code) & HEAVY == set()


def test_reading_the_public_names_needs_no_sympy() -> None:
    modules = _modules_after("import symgen\nfor name in symgen.__all__: getattr(symgen, name)")
    assert modules & {"sympy", "jinja2", "symgen.pipeline", "symgen.derive"} == set()


def test_using_a_solved_type_needs_no_sympy() -> None:
    code = """
import symgen
dyad = symgen.library()["R.R.R 2D"]
dyad.kernel.position(a=[0.0, 0.0], b=[1.0, 0.0], l_a=0.8, l_b=0.6, branch=0)
symgen.library(backend="numpy")["R.U.S 3D"].kernel.names
"""
    assert _modules_after(code) & {"sympy", "mpmath", "jinja2", "symgen.pipeline", "symgen.derive"} == set()


def test_a_closed_form_on_demand_needs_no_sympy_here_neither_when_it_is_derived_nor_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))
    code = """
import symgen
solved = symgen.library(backend="numpy", derive=True)["R.P*.P.R 2D"]
assert (solved.entry.manifest.method, solved.branches) == ("closed form", 2)
assert len(solved.position.inputs) > 0
"""
    for _ in range(2):
        assert _modules_after(code) & {"sympy", "mpmath", "jinja2", "symgen.pipeline", "symgen.derive"} == set()


def test_public_names_are_there() -> None:
    for name in symgen.__all__:
        assert getattr(symgen, name) is not None
        assert name in dir(symgen)


def test_functions_that_share_a_name_with_a_package_can_be_called() -> None:
    import symgen.library
    import symgen.solve

    assert callable(symgen.library)
    assert callable(symgen.solve)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("library", {"backend"}),
        ("solve", {"mechanism", "times", "branch"}),
        ("simulate", {"mechanism", "step", "until"}),
    ],
)
def test_help_of_a_package_that_is_a_function_is_that_of_the_function(name: str, arguments: set[str]) -> None:
    function = getattr(symgen, name)
    assert arguments <= set(inspect.signature(function).parameters)
    text = pydoc.plain(pydoc.render_doc(function))
    assert "Returns\n" in text
    assert all(argument in text for argument in arguments)


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(AttributeError, match=r"no attribute 'analyze'.*analyse"):
        _ = symgen.analyze
