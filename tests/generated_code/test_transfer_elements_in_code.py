"""Elements of transfer matrices as emitted: strict C and C++, the numbers of NumPy, of C and of 50 digits agree."""

from __future__ import annotations

import importlib.util
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import cffi
import numpy as np
import pytest
from oracle.compilers import COMPILERS, LANGUAGES, WARNINGS, need, run
from oracle.transfer_elements import Elements

from symgen.derive.transfer.kernels import transfer_kernels
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.printers.operations import count_operations
from symgen.render.views import function_texts
from symgen.resources import generated_folder
from symgen.status import Status

FOLDER = generated_folder() / "transfer"
#: Additions and multiplications of what a recursion calls for every body.
MOST_OPERATIONS = {
    "riccati_body": 100,
    "riccati_input": 155,
    "riccati_shift": 100,
    "riccati_hinge_1": 250,
    "riccati_hinge_2": 470,
    "riccati_hinge_3": 770,
    "ball_body": 105,
    "ball_input": 95,
    "ball_close": 145,
    "ball_back": 18,
    "ball_input_back": 33,
    "pin_body": 20,
    "pin_input": 24,
    "pin_close": 13,
}


@pytest.fixture(scope="module")
def routines() -> dict[str, Routine]:
    return {
        kernel.name: replace(lower(kernel.derivation, "position"), name=kernel.name, stage="element", finite=())
        for kernel in transfer_kernels()
    }


def _arguments(routine: Routine, seed: int) -> dict[str, Any]:
    """Return random arguments of order one; matrices that have to be definite are."""
    rng = np.random.default_rng(seed)
    values = {}
    for port in routine.inputs:
        size = len(port.elements)
        values[port.name] = rng.uniform(0.5, 2) if not port.shape else rng.uniform(-1, 1, size)
        if port.name in ("ps", "d_block", "ll"):
            side = int(np.sqrt(2 * size))
            root = rng.uniform(-1, 1, (side, side))
            matrix = (root @ root.T + np.eye(side)) * (1 if port.name == "ll" else -1)
            values[port.name] = matrix[np.tril_indices(side)] if port.shape else float(matrix[0, 0])
    return values


def test_headers_say_ports_units_and_conventions() -> None:
    text = (FOLDER / "transfer_elements.h").read_text(encoding="utf-8")
    manifest = json.loads((FOLDER / "transfer.json").read_text(encoding="utf-8"))
    assert manifest["schema"] == "symgen/transfer/1"
    assert "z = [rdd, wd, m, q, 1]" in text
    assert "tau acts on the outboard" in " ".join(text.replace("*", " ").split())
    for function in manifest["functions"]:
        body = text.split(f"solve_{function['name']}(")[0].rpartition("\n/* ")[2]
        for port in function["ports"]:
            told = rf" {port['name']}(_out)?( \(|[,;.]|\n)"
            assert re.search(told, body), (function["name"], port["name"])
    proved = {proof["element"] for proof in manifest["proofs"]}
    assert {"body_transfer_spatial", "hinge_universal", "riccati_hinge_3", "far_side_ball"} <= proved


@pytest.mark.slow
def test_elements_are_cheap_and_divide_once_a_freedom(routines: dict[str, Routine]) -> None:
    for name, most in MOST_OPERATIONS.items():
        counts = count_operations(routines[name])
        assert counts["add"] + counts["mul"] <= most, (name, counts)
        assert counts["div"] <= (int(name[-1]) if name[-1].isdigit() else 3), name
        assert counts["sqrt"] == 0, name


@pytest.mark.parametrize("seed", [1, 2])
def test_numpy_agrees_with_many_digits(routines: dict[str, Routine], seed: int) -> None:
    for name, routine in routines.items():
        values = _arguments(routine, seed)
        results = getattr(Elements(), name)(*values.values())
        flat = np.concatenate([np.ravel(r) for r in ([results] if len(routine.outputs) == 1 else results)])
        given = {k: [float(x) for x in v] if np.ndim(v) else float(v) for k, v in values.items()}
        status, found = evaluate(routine, given, digits=50)
        assert status is Status.OK
        exact = np.array([float(v) for o in routine.outputs for v in found[o.port.name]])
        # sums of up to some hundred products of order one; pivots of random matrices are not below 1e-3
        assert np.abs(flat - exact).max() < 1e-11 * max(1.0, np.abs(exact).max()), name


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_it_compiles_without_a_word_as_c_and_as_cpp(compiler: str, tmp_path: Path) -> None:
    unit = tmp_path / "unit.c"
    unit.write_text('#include "transfer_elements.h"\nextern int used;\nint used = 0;\n', encoding="utf-8")
    for flags in LANGUAGES.values():
        run(need(compiler), *WARNINGS, *flags, "-O1", "-I", FOLDER, "-c", unit, "-o", tmp_path / "made.o")


@pytest.mark.slow
@pytest.mark.extension
def test_c_gives_the_numbers_of_numpy(routines: dict[str, Routine], tmp_path: Path) -> None:
    texts = [function_texts("transfer", routine, "double") for routine in routines.values()]
    builder = cffi.FFI()
    builder.cdef("typedef int symgen_status;\n" + "\n".join(
        f"symgen_status {text.solver}({text.parameters});" for text in texts))  # fmt: skip
    builder.set_source("_elements", '#include "transfer_elements.h"', include_dirs=[str(FOLDER)],
                       extra_compile_args=["-O1"], libraries=["m"])  # fmt: skip
    spec = importlib.util.spec_from_file_location("_elements", builder.compile(tmpdir=str(tmp_path)))
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    for (name, routine), text in zip(routines.items(), texts, strict=True):
        values = _arguments(routine, 3)
        given = [made.ffi.new("double[]", list(v)) if np.ndim(v) else float(v) for v in values.values()]
        results = [made.ffi.new("double[]", [float("nan")] * len(o.port.elements)) for o in routine.outputs]
        assert getattr(made.lib, text.solver)(*given, *results) == 0
        flat = np.concatenate([list(r) for r in results])
        numpy = getattr(Elements(), name)(*values.values())
        numpy = np.concatenate([np.ravel(r) for r in ([numpy] if len(routine.outputs) == 1 else numpy)])
        # the same operations in the same order; only the compiler's contraction of a*b + c may differ
        assert np.abs(flat - numpy).max() <= 1e-12 * max(1.0, np.abs(numpy).max()), name
