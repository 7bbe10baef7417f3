"""PyDy: its C matrix generator, which runs cse on SymPy expressions."""

from __future__ import annotations

import time
from importlib.metadata import version

import sympy
from pydy.codegen.c_code import CMatrixGenerator

from benchmarks.native import Kernel, void_flat
from benchmarks.problems import Problem
from benchmarks.tools.sympy_tool import symbolic

TOOL = f"PyDy {version('pydy')}"


def entrants(problem: Problem) -> list[Kernel]:
    """Return the generated C."""
    started = time.perf_counter()
    symbols, results = symbolic(problem)
    _, source = CMatrixGenerator([symbols], [sympy.Matrix(results)]).doprint()
    made_in = time.perf_counter() - started
    return [void_flat(TOOL, "C matrix generator, -O3", source, "evaluate", made_in=made_in)]
