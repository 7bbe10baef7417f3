"""The view of the solution of square linear systems in C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.ir.linear_system import SWEEPS
from symgen.ir.nodes import LoopAssemblies, Routine, System
from symgen.printers.c99 import REAL_WORDS, Written


@dataclass(frozen=True)
class LinearSolverView:
    """Numbers, types and functions in one precision."""

    real: str
    sweeps: int
    literal_0: str
    literal_1: str
    absolute: str
    sqrt: str


def solves_systems(routines: Sequence[Routine]) -> bool:
    """Tell whether any routine solves a linear system."""
    return any(isinstance(s, (System, LoopAssemblies)) for routine in routines for s in routine.body)


def linear_solvers(routines: Sequence[Routine], precision: Written) -> tuple[LinearSolverView, ...]:
    """Return the view, or nothing if no routine solves a linear system."""
    if not solves_systems(routines):
        return ()
    words = REAL_WORDS[precision]
    view = LinearSolverView(
        words.real, SWEEPS, words.literal("0.0"), words.literal("1.0"), words.function("fabs"), words.function("sqrt")
    )
    return (view,)
