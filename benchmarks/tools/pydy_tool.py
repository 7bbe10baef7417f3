"""PyDy: its C matrix generator, which runs cse on SymPy expressions."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib.metadata import version

import sympy
from pydy.codegen.c_code import CMatrixGenerator

from benchmarks.entrant import Entrant
from benchmarks.native import compile_entrant, void_flat
from benchmarks.problems import Problem
from benchmarks.tools.sympy_tool import symbolic

TOOL = f"PyDy {version('pydy')}"


def entrants(problem: Problem) -> list[Entrant]:
    """Return the generated C."""
    started = time.perf_counter()
    symbols, results = symbolic(problem)
    _, source = CMatrixGenerator([symbols], [sympy.Matrix(results)]).doprint()
    entrant = compile_entrant(void_flat(TOOL, "C matrix generator, -O3", source, "evaluate"), problem)
    return [replace(entrant, made_in=time.perf_counter() - started)]
