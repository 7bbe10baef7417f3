"""heyoka: compiled functions that use the machine's vector units over a batch."""

from __future__ import annotations

import time
from functools import partial

import heyoka
import numpy as np

from benchmarks.entrant import ROWS, Entrant
from benchmarks.problems import Problem
from benchmarks.python_loop import python_entrant

TOOL = f"heyoka {heyoka.__version__}"
heyoka.set_nthreads(1)  # of a batch of some thousand rows it would take one thread for each core


def entrants(problem: Problem) -> list[Entrant]:
    """Return compiled functions over a batch, with and without fast mathematics, and one call from Python."""
    return [_batch(problem, fast=True), _batch(problem, fast=False), _single(problem)]


def compiled(problem: Problem, *, fast: bool) -> tuple[heyoka.cfunc_dbl, float]:
    """Return a problem's function, and the seconds that took."""
    started = time.perf_counter()
    symbols = list(heyoka.make_vars(*(f"x{k}" for k in range(problem.size_in))))
    results = problem.equations(symbols, heyoka)
    function = heyoka.cfunc(results, symbols, fast_math=fast)
    return function, time.perf_counter() - started


def _batch(problem: Problem, *, fast: bool) -> Entrant:
    function, made_in = compiled(problem, fast=fast)
    many = np.ascontiguousarray(problem.instances(ROWS["batch"]).T)
    out = np.zeros((problem.size_out, many.shape[1]))

    def answers() -> np.ndarray:
        function(many, outputs=out)
        return out.T.copy()

    form = "cfunc, fast_math" if fast else "cfunc"
    return python_entrant(TOOL, form, "batch", partial(function, many, outputs=out), answers, made_in)


def _single(problem: Problem) -> Entrant:
    function, made_in = compiled(problem, fast=True)
    one, out = problem.instances(1)[0].copy(), np.zeros(problem.size_out)

    def answer() -> np.ndarray:
        function(one, outputs=out)
        return out[np.newaxis].copy()

    return python_entrant(TOOL, "cfunc, fast_math", "python", partial(function, one, outputs=out), answer, made_in)
