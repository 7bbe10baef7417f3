"""Which values have to be finite so that all results are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.algebra import Expr, is_symbol, shows, symbol, symbol_names
from symgen.ir.nodes import Let, Output, Statement
from symgen.printers.tolerances import TOLERANCE_VALUE


def witnesses(body: Sequence[Statement], outputs: Sequence[Output], settled: Sequence[Expr] = ()) -> tuple[Expr, ...]:
    """Return results whose sum is finite only if all are: the last ones, and those that do not enter them.

    NaN would have failed the checks of the values in `settled`, which are not made: the inputs that these values come
    from are among the witnesses, unless a result shows them.

    A NaN or infinity goes through sums, products, sines and cosines; whether it would through a root or a quotient
    is not asked.
    """
    steps: dict[str, Expr] = {}
    for statement in body:
        if isinstance(statement, Let):
            steps.update(zip(statement.targets, statement.values, strict=True))
    covered: set[str] = set()
    chosen: list[Expr] = []
    looked_at = [symbol(name) for name in _inputs_of(settled, steps)]
    for value in [*(v for output in reversed(outputs) for v in output.values), *looked_at]:
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


def _inputs_of(values: Sequence[Expr], steps: Mapping[str, Expr]) -> tuple[str, ...]:
    """Return the names of the real inputs that values come from, in order."""
    seen: set[str] = set()
    waiting = [name for value in values for name in symbol_names(value)]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += symbol_names(steps[name]) if name in steps else ()
    return tuple(n for n in sorted(seen) if n not in steps and n not in TOLERANCE_VALUE and not n.startswith("branch_"))
