"""Where the results of a routine are asked whether they are finite: behind the structural group that gives them.

One question at the end would keep the results of all groups waiting for it, and compilers move all that only results
need behind the last check: then everything is alive at once, which costs a controller its stack.
"""

from __future__ import annotations

from symgen.algebra import Expr, symbol_names
from symgen.ir.nodes import Let, Mark, Routine

#: Followed branches go on from a status of their own.
_STAGES = ("position", "all")


def finite_results(routine: Routine) -> tuple[dict[int, tuple[Expr, ...]], tuple[Expr, ...]]:
    """Return what is asked before some statements, by their number in the body, and what is left for the end."""
    if not routine.marks or routine.stage not in _STAGES:
        return {}, routine.finite
    asked: dict[int, tuple[Expr, ...]] = {}
    named: set[str] = set()
    waiting = list(routine.finite)
    for number, statement in enumerate(routine.body):
        if isinstance(statement, Let):
            named.update(statement.targets)
        elif isinstance(statement, Mark) and statement.group:
            ready = [value for value in waiting if named.issuperset(symbol_names(value))]
            if ready:
                asked[number] = tuple(ready)
                waiting = [value for value in waiting if value not in ready]
    return asked, tuple(waiting)
