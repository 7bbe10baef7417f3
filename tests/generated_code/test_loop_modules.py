"""Loop constraints in C: compile without a word, agree with NumPy (which agrees with solved motions)."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracle.compilers import COMPILERS, LANGUAGES, WARNINGS, need, run
from oracle.loop_modules import call, load_numpy, write_loops

import symgen

NAMES = ("jansen_leg", "spatial_four_bar")


@pytest.fixture(scope="module", params=NAMES)
def generated(request: pytest.FixtureRequest, repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp(request.param)
    mechanism = symgen.load(repository / "examples" / request.param / "mechanism.toml")
    return folder, write_loops(mechanism, "some_loops", folder, order=3, backends=("c", "numpy"))


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("stem", ["some_loops", "some_loops_f32"])
def test_loops_compile_without_a_word(generated: Any, compiler: str, language: str, stem: str) -> None:
    folder, _ = generated
    run(need(compiler), *WARNINGS, *LANGUAGES[language], "-fsyntax-only", folder / f"{stem}.c")


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_c_and_numpy_give_the_same(generated: Any, compiler: str, tmp_path: Path) -> None:
    folder, manifest = generated
    library = tmp_path / "loops.so"
    run(need(compiler), "-std=c99", "-O1", "-shared", "-fPIC", folder / "some_loops.c", "-o", library, "-lm")
    code, module = ctypes.CDLL(str(library)), load_numpy(folder, "some_loops")
    rng = np.random.default_rng(7)
    count = len(manifest["coordinates"])
    given = {name: 0.5 * rng.standard_normal(count) for name in ("q", "qd", "qdd")}
    every = {port: np.array(values) for port, values in manifest["reference"].items()} | given
    for function in manifest["functions"]:
        expected = call(module, manifest, function["name"], **given)
        arrays = [every[p["name"]] for p in function["ports"] if p["direction"] == "in"]
        found = {p["name"]: np.full(p["shape"], np.nan) for p in function["ports"] if p["direction"] == "out"}
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in (*arrays, *found.values())]
        assert getattr(code, function["symbol"]["double"])(*pointers) == 0
        for name, values in found.items():
            # the same operations in the same order; only the C library's sin and cos may differ in the last place
            scale = 1.0 + np.max(np.abs(expected[name]))
            assert np.max(np.abs(values - expected[name])) < 1e-13 * scale, name
