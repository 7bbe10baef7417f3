"""SymEngine: its own expressions compiled by LLVM, on a batch and called from Python."""

from __future__ import annotations

import time
from functools import partial

import numpy as np
import symengine

from benchmarks.entrant import ROWS, Entrant, LeftOutError
from benchmarks.problems import Problem
from benchmarks.python_loop import python_entrant

TOOL = f"SymEngine {symengine.__version__}"


def entrants(problem: Problem) -> list[Entrant]:
    """Return LLVM-compiled evaluation of a batch and of one row."""
    if not getattr(symengine, "have_llvm", False):
        raise LeftOutError("this build has no LLVM")
    started = time.perf_counter()
    symbols = list(symengine.symbols(f"x0:{problem.size_in}"))
    results = problem.equations(symbols, symengine)
    function = symengine.Lambdify(symbols, results, backend="llvm", cse=True)
    made_in = time.perf_counter() - started
    many = np.ascontiguousarray(problem.instances(ROWS["batch"]))
    out = np.zeros((len(many), problem.size_out))
    one, single = problem.instances(1)[0].copy(), np.zeros(problem.size_out)

    def answer() -> np.ndarray:
        function.unsafe_real(one, single)
        return single[np.newaxis].copy()

    return [
        python_entrant(
            TOOL, "Lambdify(llvm, cse)", "batch", partial(function, many, out=out), lambda: function(many), made_in
        ),
        python_entrant(
            TOOL, "Lambdify(llvm, cse)", "python", partial(function.unsafe_real, one, single), answer, made_in
        ),
    ]
