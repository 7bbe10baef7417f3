"""Which functions of ``<math.h>`` a routine calls that have other bits on other machines, and none of our own."""

from __future__ import annotations

from symgen.algebra import machine_functions_in
from symgen.ir.nodes import Routine


def functions_of_the_machine(routine: Routine) -> tuple[str, ...]:
    """Return their names in C, sorted; those of inner routines are among them."""
    found: set[str] = set()
    for statement in routine.body:
        found |= {name for value in statement.reads for name in machine_functions_in(value)}
        found |= {name for each in statement.calls for name in functions_of_the_machine(each)}
    return tuple(sorted(found))
