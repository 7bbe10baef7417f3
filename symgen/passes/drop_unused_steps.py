"""Drop steps, and input ports, that no result and no check needs."""

from __future__ import annotations

from dataclasses import replace

from symgen.algebra import symbol_names
from symgen.ir.nodes import Let, Routine, Statement


def drop_unused_steps(routine: Routine) -> Routine:
    """Return the routine without dead steps and array ports.

    Checks stay: they say whether there is a result. The time stays, so that a law that becomes a constant changes no
    signature.
    """
    needed = {name for o in routine.outputs for value in o.values for name in symbol_names(value)}
    needed.update(name for value in routine.finite for name in symbol_names(value))
    body: list[Statement] = []
    for statement in reversed(routine.body):
        if isinstance(statement, Let):
            kept = [k for k, target in enumerate(statement.targets) if target in needed]
            if not kept:
                continue
            values = tuple(statement.values[k] for k in kept)
            needed.update(name for value in values for name in symbol_names(value))
            body.append(replace(statement, targets=tuple(statement.targets[k] for k in kept), values=values))
            continue
        needed.update(names_of(statement))
        body.append(statement)
    fixed = routine.stage == "inner"  # a kernel calls it: what it takes does not depend on what it needs
    inputs = tuple(p for p in routine.inputs if fixed or not p.shape or needed.intersection(p.elements))
    return replace(routine, body=tuple(reversed(body)), inputs=inputs)


def names_of(statement: Statement) -> set[str]:
    """Return the names that a statement reads."""
    return {name for value in statement.reads for name in symbol_names(value)}
