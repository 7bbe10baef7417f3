"""Give a name to what is squared or inverted more than trivially, so that printers never repeat a sum."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import sympy

from symgen.algebra import Expr
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
    named: dict[sympy.Expr, sympy.Symbol] = {}
    before: list[Let] = []
    for value in let.values:
        for power in sorted(cast(sympy.Expr, value).atoms(sympy.Pow), key=sympy.default_sort_key):
            base = power.base
            if power.exp.is_Integer and power.exp > 1 and not base.is_Symbol and base not in named:
                name = f"{let.name}_base{len(named) or ''}"
                named[base] = sympy.Symbol(name, real=True)
                before.append(Let(name, (name,), (cast(Expr, base),), f"{let.comment}: squared below"))
    return before, tuple(cast(Expr, cast(sympy.Expr, v).xreplace(named)) for v in let.values)
