"""Give a name to a sum that is squared, so that printers never repeat it."""

from __future__ import annotations

from dataclasses import replace

from symgen.algebra import Expr, powers_of_sums, replace_parts, symbol
from symgen.ir.nodes import Let, Routine, Statement


def name_power_bases(routine: Routine) -> Routine:
    """Replace `(sum)**n`, n >= 2, by a named sum and its power."""
    body: list[Statement] = []
    for statement in routine.body:
        if isinstance(statement, Let):
            before, values = _split(statement)
            body += [*before, replace(statement, values=values)]
        else:
            body.append(statement)
    return replace(routine, body=tuple(body))


def _split(let: Let) -> tuple[list[Let], tuple[Expr, ...]]:
    named: dict[Expr, Expr] = {}
    before: list[Let] = []
    for value in let.values:
        for base in powers_of_sums(value):
            if base not in named:
                name = f"{let.name}_base{len(named) or ''}"
                named[base] = symbol(name)
                before.append(Let(name, (name,), (base,), f"{let.comment}: squared below"))
    return before, tuple(replace_parts(v, named) for v in let.values)
