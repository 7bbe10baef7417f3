"""The view of the solution of square linear systems in C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.ir.linear_system import SWEEPS
from symgen.ir.nodes import Assemblies, Routine, System
from symgen.printers.c99 import REAL_TYPE, Precision


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
    return any(isinstance(s, (System, Assemblies)) for routine in routines for s in routine.body)


def linear_solvers(routines: Sequence[Routine], precision: Precision) -> tuple[LinearSolverView, ...]:
    """Return the view, or nothing if no routine solves a linear system."""
    if not solves_systems(routines):
        return ()
    end, suffix = ("F", "f") if precision == "float" else ("", "")
    view = LinearSolverView(REAL_TYPE[precision], SWEEPS, f"0.0{end}", f"1.0{end}", f"fabs{suffix}", f"sqrt{suffix}")
    return (view,)
