"""Passes over a routine, in the order in which they run; the routine is verified after each."""

from __future__ import annotations

from collections.abc import Callable

from symgen.ir.nodes import Routine
from symgen.ir.verify import verify
from symgen.passes.name_power_bases import name_power_bases

PASSES: tuple[Callable[[Routine], Routine], ...] = (name_power_bases,)


def run_passes(routine: Routine) -> Routine:
    """Run every pass and verify the routine before the first and after each."""
    routine = verify(routine)
    for run in PASSES:
        routine = verify(run(routine))
    return routine
