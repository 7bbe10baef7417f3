"""Where and how results are asked whether they are finite: behind the structural group that gives them.

One question at the end would keep the results of all groups waiting for it, and compilers move all that only results
need behind the last check: then everything is alive at once, which costs a controller its stack.
"""

from __future__ import annotations

from collections.abc import Sequence

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


#: So many numbers are added one after the other.
_RUN = 4


def total(texts: Sequence[str]) -> str:
    """Return the sum of numbers, finite only if all of them are, by sums of few that do not wait for each other.

    One after the other, forty numbers took longer to add than to calculate: an addition waits for the one before it.
    """
    runs = [" + ".join(texts[start : start + _RUN]) for start in range(0, len(texts), _RUN)]
    return _in_halves(runs)


def _in_halves(runs: Sequence[str]) -> str:
    if len(runs) == 1:
        return runs[0]
    half = (len(runs) + 1) // 2
    sides = [_in_halves(side) for side in (runs[:half], runs[half:])]
    return " + ".join(f"({side})" if " + " in side else side for side in sides)
