"""Which values have to be finite so that all results are."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.algebra import Expr, is_symbol, shows, symbol_names
from symgen.ir.nodes import Let, Output, Statement


def witnesses(body: Sequence[Statement], outputs: Sequence[Output]) -> tuple[Expr, ...]:
    """Return results whose sum is finite only if all are: the last ones, and those that do not enter them.

    A NaN or infinity goes through sums, products, sines and cosines; whether it would through a root or a quotient
    is not asked.
    """
    steps: dict[str, Expr] = {}
    for statement in body:
        if isinstance(statement, Let):
            steps.update(zip(statement.targets, statement.values, strict=True))
    covered: set[str] = set()
    chosen: list[Expr] = []
    for value in [v for output in reversed(outputs) for v in output.values]:
        names = symbol_names(value)
        if not names or (is_symbol(value) and names[0] in covered):
            continue
        chosen.append(value)
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in covered:
                covered.add(name)
                waiting += shows(steps[name]) if name in steps else ()
    return tuple(dict.fromkeys(chosen))
