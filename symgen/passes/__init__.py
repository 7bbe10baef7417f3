"""Passes over a routine, in the order in which they run; the routine is verified after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from symgen.ir.nodes import Kernel, Routine
from symgen.ir.verify import verify
from symgen.passes.carry_signs import carry_signs
from symgen.passes.drop_unused_steps import drop_unused_steps
from symgen.passes.name_power_bases import name_power_bases

PASSES: tuple[Callable[[Routine], Routine], ...] = (name_power_bases,)

#: For routines put together from others, where much of what those compute is not asked for.
WHOLE_PASSES = (drop_unused_steps, carry_signs, name_power_bases)


def run_passes(routine: Routine, passes: Sequence[Callable[[Routine], Routine]] = PASSES) -> Routine:
    """Run every pass and verify the routine before the first and after each."""
    parts = tuple(
        statement.with_inner(_run_whole if isinstance(statement, Kernel) else run_passes) for statement in routine.body
    )
    routine = verify(replace(routine, body=parts))
    for run in passes:
        routine = verify(run(routine))
    return routine


def _run_whole(routine: Routine) -> Routine:
    """Run the passes over what a kernel is given: it is put together from others too."""
    return run_passes(routine, WHOLE_PASSES)
