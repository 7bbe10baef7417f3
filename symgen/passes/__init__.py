"""Passes over a routine, in the order in which they run; the routine is verified after each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from symgen.ir.nodes import (
    Assemblies,
    Call,
    Kernel,
    LoopParts,
    Routine,
    Samples,
    Statement,
)
from symgen.ir.verify import verify
from symgen.passes.carry_signs import carry_signs
from symgen.passes.drop_unused_steps import drop_unused_steps
from symgen.passes.name_power_bases import name_power_bases

PASSES: tuple[Callable[[Routine], Routine], ...] = (name_power_bases,)

#: For routines put together from others, where much of what those compute is not asked for.
WHOLE_PASSES = (drop_unused_steps, carry_signs, name_power_bases)


def _with_inner(statement: Statement) -> Statement:
    """Run the passes over the inner routine that a statement calls or samples."""
    if isinstance(statement, (Call, Samples)) and statement.routine.stage == "inner":
        return replace(statement, routine=run_passes(statement.routine))
    if isinstance(statement, Assemblies):
        return replace(statement, parts=LoopParts(*map(run_passes, statement.parts.routines)))
    if isinstance(statement, Kernel) and statement.function is not None:
        return replace(statement, function=run_passes(statement.function, WHOLE_PASSES))
    return statement


def run_passes(routine: Routine, passes: Sequence[Callable[[Routine], Routine]] = PASSES) -> Routine:
    """Run every pass and verify the routine before the first and after each."""
    parts = tuple(_with_inner(statement) for statement in routine.body)
    routine = verify(replace(routine, body=parts))
    for run in passes:
        routine = verify(run(routine))
    return routine
