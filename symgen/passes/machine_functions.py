"""Which functions of ``<math.h>`` a routine calls that have other bits on other machines, and none of our own."""

from __future__ import annotations

from symgen.algebra import machine_functions_in
from symgen.ir.nodes import Assemblies, Call, Kernel, Let, Routine, Samples


def functions_of_the_machine(routine: Routine) -> tuple[str, ...]:
    """Return their names in C, sorted; those of inner routines are among them."""
    found: set[str] = set()
    for statement in routine.body:
        inner: tuple[Routine, ...] = ()
        if isinstance(statement, Let):
            found |= {name for value in statement.values for name in machine_functions_in(value)}
        elif isinstance(statement, (Call, Samples)):
            inner = (statement.routine,)
        elif isinstance(statement, Assemblies):
            inner = statement.parts.routines
        elif isinstance(statement, Kernel) and statement.function is not None:
            inner = (statement.function,)
        found |= {name for each in inner for name in functions_of_the_machine(each)}
    return tuple(sorted(found))
