"""The built wheel holds what it needs: installed elsewhere it loads a solved type and generates a new one."""

from __future__ import annotations

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
    assert "symgen/_generated/dyad_rrr/dyad_rrr.json" in names
    assert "symgen/_generated/newton_spatial/newton_spatial.c" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("licenses/symgen/draw/vendor/three/LICENSE") for name in names)
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


def test_the_installed_wheel_is_not_this_checkout(installed: Path, repository: Path, tmp_path: Path) -> None:
    place = _in_wheel(installed, ["-c", "import symgen; print(symgen.__file__)"], tmp_path).strip()
    assert not Path(place).is_relative_to(repository / "symgen")
    assert json.loads(_in_wheel(installed, ["-m", "symgen", "schema"], tmp_path))


# Links of 0.8 and 0.6 between pivots 1 apart: a right angle, the inner joint at (0.64, 0.48).
_SOLVE = """
import json, sys, symgen
dyad = symgen.library()["R.R.R 2D"]
zero = [0.0, 0.0, 0.0]
found = dyad.position(
    k1=zero, k2=[1.0, 0.0, 0.0], f_j1_k1=zero, f_j1_b1=zero, f_j2_b1=[0.8, 0.0, 0.0],
    f_j2_b2=[0.6, 0.0, 0.0], f_j3_k2=zero, f_j3_b2=zero, branch=0)
print(json.dumps({"status": found.status.name, "angle": float(found.b1[2]), "sympy": "sympy" in sys.modules}))
"""


def test_the_installed_wheel_solves_with_a_solved_type_and_loads_no_sympy(installed: Path, tmp_path: Path) -> None:
    answer = json.loads(_in_wheel(installed, ["-c", _SOLVE], tmp_path))
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
