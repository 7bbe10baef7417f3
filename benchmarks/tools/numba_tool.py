"""numba: the SymPy expressions after cse as Python source, compiled by LLVM; called from C, on a batch, from Python."""

from __future__ import annotations

import importlib.util
import tempfile
import time
from functools import partial
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import sympy
from sympy.printing.pycode import pycode

from benchmarks.entrant import ROWS, Entrant
from benchmarks.native import Kernel, compile_entrant
from benchmarks.problems import Problem
from benchmarks.python_loop import python_entrant
from benchmarks.tools.sympy_tool import symbolic

TOOL = f"numba {numba.__version__}"

_MODULE = """
import math
import numba

@numba.njit(error_model="numpy", inline="always")
def kernel(x, y):
    {body}

@numba.cfunc("void(CPointer(float64), CPointer(float64))", error_model="numpy")
def pointer(x, y):
    {body}

@numba.njit(error_model="numpy")
def single(x, y):
    {body}

@numba.njit(error_model="numpy")
def batch(x, y):
    for i in range(x.shape[0]):
        kernel(x[i], y[i])
"""


def _module(problem: Problem) -> ModuleType:
    symbols, results = symbolic(problem)
    steps, results = sympy.cse(results, symbols=sympy.numbered_symbols("t"), list=True, order="none")
    lines = [f"{name} = x[{k}]" for k, name in enumerate(symbols)]
    lines += [f"{name} = {pycode(value)}" for name, value in steps]
    lines += [f"y[{k}] = {pycode(value)}" for k, value in enumerate(results)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "from_numba.py"
        path.write_text(_MODULE.format(body="\n    ".join(lines)))
        spec = importlib.util.spec_from_file_location("from_numba", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return module


def entrants(problem: Problem) -> list[Entrant]:
    """Return a C callback, a loop over a batch, and one call from Python."""
    started = time.perf_counter()
    module = _module(problem)
    made_in = time.perf_counter() - started  # the C callback compiles when it is defined
    address = module.pointer.address
    called = Kernel(
        TOOL,
        "C callback",
        "",
        "",
        "kernel(x, y);",
        "typedef void (*callback)(const double *, double *);",
        before=f"const callback kernel = (callback)(intptr_t){address}LL;",
        made_in=made_in,
    )
    many = np.ascontiguousarray(problem.instances(ROWS["batch"]))
    out = np.zeros((len(many), problem.size_out))
    one, single_out = problem.instances(1)[0].copy(), np.zeros(problem.size_out)
    started = time.perf_counter()
    module.batch(many, out)
    batch_made = time.perf_counter() - started

    def answers() -> np.ndarray:
        module.batch(many, out)
        return out.copy()

    def answer() -> np.ndarray:
        module.single(one, single_out)
        return single_out[np.newaxis].copy()

    return [
        compile_entrant(called, problem),
        python_entrant(TOOL, "njit loop", "batch", partial(module.batch, many, out), answers, batch_made),
        python_entrant(TOOL, "njit", "python", partial(module.single, one, single_out), answer, made_in),
    ]
