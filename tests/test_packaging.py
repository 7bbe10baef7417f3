"""The built wheel holds what it needs: installed elsewhere it loads a solved type and generates a new one."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

_HEAVY_LIMIT = 600


def _run(command: list[str], **options: object) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_HEAVY_LIMIT, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    _run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(repository)])
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of a new environment that holds the wheel and sees this one's dependencies."""
    folder = tmp_path_factory.mktemp("installed")
    _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / "bin" / "python"
    here = sysconfig.get_paths()["purelib"]
    there = _run([str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]).strip()
    # A path in a .pth file is only a path: the editable install of this checkout does not come along with it.
    Path(there, "dependencies.pth").write_text(here + "\n", encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--no-deps", "--no-index", str(wheel)])
    return python


def _in_wheel(python: Path, arguments: list[str], folder: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return _run([str(python), *arguments], cwd=folder, env=environment | {"SYMGEN_CACHE": str(folder / "cache")})


def test_the_wheel_holds_templates_library_and_types_but_nothing_made_by_a_machine(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "symgen/py.typed" in names
    assert any(name.startswith("symgen/_templates/") and name.endswith(".j2") for name in names)
    assert [name for name in names if name.startswith("symgen/_generated")] == ["symgen/_generated.zip"]
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("licenses/symgen/draw/vendor/three/LICENSE") for name in names)
    assert any(name.endswith("licenses/symgen/report/vendor/katex/LICENSE") for name in names)
    assert {
        "page.html",
        "vendor/katex/katex.min.js",
        "vendor/katex/katex.min.css",
        "vendor/katex/fonts/KaTeX_Main-Regular.woff2",
        "vendor/katex/NOTICE",
    } <= {name.removeprefix("symgen/report/") for name in names}
    assert {
        "viewer.html",
        "viewer3d.html",
        "viewer3d.js",
        "playback.js",
        "vendor/three/three.module.min.js",
        "vendor/three/NOTICE",
    } <= {name.removeprefix("symgen/draw/") for name in names}
    assert [name for name in names if name.endswith((".pyc", ".so", ".o"))] == []
    assert {name.split("/")[0] for name in names if "dist-info" not in name} == {"symgen"}


def test_its_archive_holds_the_shipped_modules_and_is_the_same_bytes_each_time(
    wheel: Path, repository: Path, tmp_path: Path
) -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", repository / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    folder = repository / "generated"
    hook.write_archive(folder, tmp_path / "again.zip")
    assert zipfile.ZipFile(wheel).read("symgen/_generated.zip") == (tmp_path / "again.zip").read_bytes()
    inside = zipfile.ZipFile(tmp_path / "again.zip")
    folders = {path.name for path in folder.iterdir() if path.is_dir()}
    assert folders == {name.split("/")[0] for name in inside.namelist()}
    assert inside.read("dyad_rrr/dyad_rrr.c") == (folder / "dyad_rrr" / "dyad_rrr.c").read_bytes()


@pytest.mark.slow
def test_what_is_installed_takes_at_most_25_megabytes_with_what_python_compiles(installed: Path) -> None:
    there = _run([str(installed), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"]).strip()
    files = [path for path in Path(there, "symgen").rglob("*") if path.is_file()]
    assert any(path.suffix == ".pyc" for path in files)
    assert sum(path.stat().st_size for path in files) < 25e6


def test_the_installed_wheel_is_not_this_checkout(installed: Path, repository: Path, tmp_path: Path) -> None:
    place = _in_wheel(installed, ["-c", "import symgen; print(symgen.__file__)"], tmp_path).strip()
    assert not Path(place).is_relative_to(repository / "symgen")
    assert json.loads(_in_wheel(installed, ["-m", "symgen", "schema"], tmp_path))


def test_the_installed_wheel_finds_every_shipped_type_and_its_derivation(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(_in_wheel(installed, ["-m", "symgen", "library", "list", "--json"], tmp_path))
    here = json.loads(_run([sys.executable, "-m", "symgen", "library", "list", "--json"]))
    assert json.dumps(listed).count("signature") == json.dumps(here).count("signature") > 50
    shown = _in_wheel(installed, ["-m", "symgen", "library", "show", "R.R.R 2D", "--json"], tmp_path)
    assert "_generated.zip" in json.loads(shown)["folder"]
    assert "ok  solved types" in _in_wheel(installed, ["-m", "symgen", "doctor"], tmp_path)


# Links of 0.8 and 0.6 between pivots 1 apart: a right angle, the inner joint at (0.64, 0.48).
_SOLVE = """
import json, sys, symgen
dyad = symgen.library(backend=sys.argv[1])["R.R.R 2D"]
zero = [0.0, 0.0, 0.0]
found = dyad.position(
    k1=zero, k2=[1.0, 0.0, 0.0], f_j1_k1=zero, f_j1_b1=zero, f_j2_b1=[0.8, 0.0, 0.0],
    f_j2_b2=[0.6, 0.0, 0.0], f_j3_k2=zero, f_j3_b2=zero, branch=0)
print(json.dumps({"status": found.status.name, "angle": float(found.b1[2]), "sympy": "sympy" in sys.modules}))
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("c", marks=pytest.mark.compiler)])
def test_the_installed_wheel_solves_with_a_solved_type_and_loads_no_sympy(
    backend: str, installed: Path, tmp_path: Path
) -> None:
    answer = json.loads(_in_wheel(installed, ["-c", _SOLVE, backend], tmp_path))
    assert answer["status"] == "OK"
    assert answer["angle"] == pytest.approx(math.atan2(0.48, 0.64), rel=1e-14)  # a dozen roundings
    assert answer["sympy"] is False


def test_the_installed_wheel_generates_what_the_checkout_holds(
    installed: Path, repository: Path, tmp_path: Path
) -> None:
    _in_wheel(installed, ["-m", "symgen", "generate", "dyad_rrr", "--out", "new"], tmp_path)
    committed = repository / "generated" / "dyad_rrr"
    for path in sorted((tmp_path / "new" / "dyad_rrr").iterdir()):
        assert path.read_bytes() == (committed / path.name).read_bytes(), path.name


_SIMULATE = """
import json, symgen, numpy as np
tree = {"schema": "symgen/mechanism/1", "name": "pendulum", "space": "planar", "gravity": [0, -9.81],
        "bodies": {"rod": {"mass": 1.0, "inertia": 0.1, "com": [0.5, 0]}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "rod"], "at": [0, 0]}}}
found = symgen.simulate(symgen.Mechanism.from_dict(tree), until=0.5, step=1e-3, method="riccati")
print(json.dumps({"rows": len(found.times), "drift": found.drift}))
"""


@pytest.mark.compiler
def test_the_installed_wheel_simulates_with_its_engines(installed: Path, tmp_path: Path) -> None:
    answer = json.loads(_in_wheel(installed, ["-c", _SIMULATE], tmp_path))
    assert answer["rows"] > 2
    assert answer["drift"] < 1e-6  # of 10 J: the scheme's own error


def test_the_installed_wheel_solves_without_a_closed_form(installed: Path, repository: Path, tmp_path: Path) -> None:
    file = repository / "examples" / "stewart_forward" / "mechanism.toml"
    solved = _in_wheel(
        installed, ["-m", "symgen", "solve", str(file), "--to", "0.1", "--steps", "2", "--json"], tmp_path
    )
    assert json.loads(solved)["status"] == "OK"
