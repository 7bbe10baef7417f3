"""CasADi: SX expressions with cse, as generated C, as a batch map and called from Python."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

import casadi
import numpy as np

from benchmarks.entrant import ROWS, Entrant
from benchmarks.native import Kernel
from benchmarks.problems import Problem
from benchmarks.python_loop import python_entrant

TOOL = f"CasADi {casadi.__version__}"


def _function(problem: Problem) -> casadi.Function:
    x = casadi.SX.sym("x", problem.size_in)
    results = problem.equations([x[k] for k in range(problem.size_in)], casadi)
    return casadi.Function("from_casadi", [x], [casadi.cse(casadi.vertcat(*results))])


def _kernel(function: casadi.Function) -> Kernel:
    generator = casadi.CodeGenerator("kernel.c")
    generator.add(function)
    work = max(1, function.sz_w())
    return Kernel(
        TOOL,
        "C after cse, -O3",
        generator.dump(),
        "from_casadi",
        "arg[0] = x; res[0] = y; from_casadi(arg, res, 0, work, 0);",
        "int from_casadi(const double **, double **, long long *, double *, int);",
        before=f"const double *arg[{function.sz_arg()}]; double *res[{function.sz_res()}]; double work[{work}];",
    )


def entrants(problem: Problem) -> list[Entrant | Kernel]:
    """Return generated C, a map over a batch in CasADi's virtual machine, and one buffered call from Python."""
    started = time.perf_counter()
    kernel = _kernel(_function(problem))
    found: list[Entrant | Kernel] = [replace(kernel, made_in=time.perf_counter() - started)]

    started = time.perf_counter()
    function = _function(problem)
    made_in = time.perf_counter() - started
    buffer, call = function.buffer()
    one, out = problem.instances(1)[0].copy(), np.zeros(problem.size_out)
    buffer.set_arg(0, memoryview(one))
    buffer.set_res(0, memoryview(out))

    # `call` holds neither the buffer nor the arrays it points to.
    def answer(_alive: tuple[object, ...] = (function, buffer, one)) -> np.ndarray:
        call()
        return out[np.newaxis].copy()

    found.append(python_entrant(TOOL, "buffered call", "python", call, answer, made_in))

    rows = ROWS["batch"]
    mapped = function.map(rows)
    many = casadi.DM(problem.instances(rows).T)
    found.append(
        python_entrant(
            TOOL, "map, interpreted", "batch", partial(mapped, many), lambda: np.array(mapped(many)).T, made_in
        )
    )
    return found
