"""Which inputs a value of a routine is calculated from."""

from __future__ import annotations

from collections.abc import Iterable

from symgen.algebra import symbol_names
from symgen.ir.nodes import Let, Routine, Solve, System
from symgen.passes.drop_unused_steps import names_of


def dependencies(routine: Routine) -> dict[str, frozenset[str]]:
    """Return, for each element of an output, the elements of inputs that its value is calculated from.

    What a call or a kernel gives depends on all that it takes. Checks decide whether there is a value, not which.
    """
    known: dict[str, frozenset[str]] = {e: frozenset((e,)) for port in routine.inputs for e in port.elements}

    def of(names: Iterable[str]) -> frozenset[str]:
        return frozenset().union(*(known.get(name, frozenset()) for name in names))

    systems: dict[str, frozenset[str]] = {}
    for statement in routine.body:
        if isinstance(statement, Let):
            for target, value in zip(statement.targets, statement.values, strict=True):
                known[target] = of(symbol_names(value))
        elif isinstance(statement, System):
            systems[statement.name] = of(names_of(statement))
        else:
            taken = of(names_of(statement))
            if isinstance(statement, Solve):
                taken |= systems[statement.system]
            known |= dict.fromkeys(statement.sets, taken)
    return {
        element: of(symbol_names(value))
        for output in routine.outputs
        if output.port.kind == "real"
        for element, value in zip(output.port.elements, output.values, strict=True)
    }
