"""Where and how results are asked whether they are finite: behind the structural group that gives them.

One question at the end would keep the results of all groups waiting for it, and compilers move all that only results
need behind the last check: then everything is alive at once, which costs a controller its stack.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symgen.algebra import Expr, symbol, symbol_names
from symgen.ir.nodes import Flag, Let, Mark, Routine
from symgen.status import Status

#: Followed branches go on from a status of their own.
_STAGES = ("position", "all")
_FLAGGED = ("position", "inner")


def finite_results(routine: Routine) -> tuple[dict[int, tuple[Expr, ...]], tuple[Expr, ...]]:
    """Return what is asked before some statements, by their number in the body, and what is left for the end.

    Where branches meet, the position is returned all the same. What says that they meet has to be finite then:
    otherwise it says that something has overflowed.
    """
    finite = tuple(dict.fromkeys((*routine.finite, *_flagging(routine))))
    if not routine.marks or routine.stage not in _STAGES:
        return {}, finite
    asked: dict[int, tuple[Expr, ...]] = {}
    named: set[str] = set()
    waiting = list(finite)
    for number, statement in enumerate(routine.body):
        if isinstance(statement, Let):
            named.update(statement.targets)
        elif isinstance(statement, Mark) and statement.group:
            ready = [value for value in waiting if named.issuperset(symbol_names(value))]
            if ready:
                asked[number] = tuple(ready)
                waiting = [value for value in waiting if value not in ready]
    return asked, tuple(waiting)


def _flagging(routine: Routine) -> Iterator[Expr]:
    """Give the steps that a flag compares."""
    steps: set[str] = set()
    for statement in routine.body:
        if isinstance(statement, Let):
            steps.update(statement.targets)
        elif isinstance(statement, Flag) and statement.status is Status.SINGULAR and routine.stage in _FLAGGED:
            for name in (*symbol_names(statement.left), *symbol_names(statement.right)):
                if name in steps:
                    yield symbol(name)


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
