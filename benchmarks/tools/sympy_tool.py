"""SymPy alone: C code generation with and without common subexpressions, and lambdify."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
import sympy

from benchmarks.entrant import ROWS, Discipline, Entrant
from benchmarks.native import Kernel, flat
from benchmarks.problems import Problem
from benchmarks.python_loop import python_entrant

TOOL = f"SymPy {sympy.__version__}"


def symbolic(problem: Problem) -> tuple[list[sympy.Symbol], list[Any]]:
    """Return the problem's arguments and results as SymPy expressions."""
    symbols = list(sympy.symbols(f"x0:{problem.size_in}", real=True))
    return symbols, problem.equations(symbols, sympy)


def c_source(problem: Problem, symbol: str, *, cse: bool) -> str:
    """Return a flat C function printed by SymPy's own printer."""
    symbols, results = symbolic(problem)
    steps: list[tuple[Any, Any]] = []
    if cse:
        steps, results = sympy.cse(results, symbols=sympy.numbered_symbols("t"), list=True, order="none")
    lines = [f"const double {s} = x[{k}];" for k, s in enumerate(symbols)]
    lines += [f"const double {name} = {sympy.ccode(value)};" for name, value in steps]
    lines += [f"y[{k}] = {sympy.ccode(value)};" for k, value in enumerate(results)]
    body = "\n    ".join(lines)
    return f"#include <math.h>\nint {symbol}(const double *x, double *y)\n{{\n    {body}\n    return 0;\n}}\n"


def entrants(problem: Problem) -> list[Entrant | Kernel]:
    """Return printed C with and without common subexpressions, lambdify for one row and for a batch."""
    found: list[Entrant | Kernel] = []
    for form, cse in (("C printed after cse, -O3", True), ("C printed without cse, -O3", False)):
        started = time.perf_counter()
        source = c_source(problem, "from_sympy", cse=cse)
        found.append(flat(TOOL, form, source, "from_sympy", made_in=time.perf_counter() - started))
    return [*found, _lambdify(problem, "math", "python"), _lambdify(problem, "numpy", "batch")]


def _lambdify(problem: Problem, module: str, discipline: Discipline) -> Entrant:
    started = time.perf_counter()
    symbols, results = symbolic(problem)
    function = sympy.lambdify(symbols, results, modules=module, cse=True)
    made_in = time.perf_counter() - started
    instances = problem.instances(ROWS[discipline])
    columns = [float(value) for value in instances[0]] if module == "math" else list(np.ascontiguousarray(instances.T))

    def answers() -> np.ndarray:
        return np.column_stack([np.atleast_1d(value) for value in function(*columns)])

    form = f"lambdify({module}, cse)"
    return python_entrant(TOOL, form, discipline, partial(function, *columns), answers, made_in)
