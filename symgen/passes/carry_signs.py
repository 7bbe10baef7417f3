"""Carry the minus sign of a root along to where it is added or cancelled: signs that change cost operations and names.

A branch that is fixed makes the root of a link's length -sqrt(x). What is made of it by products and quotients has that
sign too, and often another step takes it back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from symgen.algebra import (
    Expr,
    fold,
    is_symbol,
    name_of,
    names_of_directions,
    operation,
    opposite,
    symbol,
    symbol_names,
)
from symgen.ir.nodes import Flag, Guard, Let, Mark, Routine, Statement
from symgen.passes.drop_unused_steps import names_of


def carry_signs(routine: Routine) -> Routine:
    """Return the routine with roots without signs; routines with loops inside stay as they are."""
    if not all(isinstance(statement, (Let, Guard, Flag, Mark)) for statement in routine.body):
        return routine
    routine = _turned_round(routine)
    known: dict[str, Expr] = {}
    taken = frozenset(target for each in routine.body if isinstance(each, Let) for target in each.targets)
    taken |= {element for port in routine.ports for element in (port.name, *port.elements)}
    body = [kept for statement in routine.body for kept in _carried(statement, known, taken)]
    if not known:
        return routine
    outputs = tuple(replace(o, values=tuple(fold(value, known) for value in o.values)) for o in routine.outputs)
    finite = tuple(fold(value, known) for value in routine.finite)
    return replace(routine, body=tuple(body), outputs=outputs, finite=finite)


def _turned_round(routine: Routine) -> Routine:
    """Return the routine without sums that only a step with their sign changed reads: it is the sum, then.

    b - a and -(a - b) differ in the sign of their zero, which the angle of a direction shows: pi or -pi. So what leads
    to such an angle stays as it is.
    """
    angled = _led_to_angles(routine)
    reads = Counter(name for statement in routine.body for name in names_of(statement))
    results = [*routine.finite, *(value for output in routine.outputs for value in output.values)]
    reads.update(name for value in results for name in symbol_names(value))
    sums: dict[str, Expr] = {}
    body: list[Statement] = []
    for statement in routine.body:
        if isinstance(statement, Let) and len(statement.values) == 1:
            (value,) = statement.values
            back = opposite(value)
            free = statement.targets[0] not in angled
            if free and back is not None and is_symbol(back) and name_of(back) in sums:
                statement = replace(statement, values=(-sums.pop(name_of(back)),))
                body = [s for s in body if not (isinstance(s, Let) and s.targets == (name_of(back),))]
            elif operation(value)[0] == "add" and reads[statement.targets[0]] == 1:
                sums[statement.targets[0]] = value
        body.append(statement)
    return replace(routine, body=tuple(body))


def _led_to_angles(routine: Routine) -> set[str]:
    """Return the names that an arc tangent is made of, through whatever steps: from the last to the first."""
    led = {name for output in routine.outputs for value in output.values for name in names_of_directions(value)}
    for statement in reversed(routine.body):
        if isinstance(statement, Let):
            for target, value in zip(statement.targets, statement.values, strict=True):
                led.update(symbol_names(value) if target in led else names_of_directions(value))
    return led


def _carried(statement: Statement, known: dict[str, Expr], taken: frozenset[str]) -> list[Statement]:
    """Return a statement in the names there are now, and remember what is something else with its sign changed."""
    if isinstance(statement, Guard):
        return [_check(statement, known)]
    if isinstance(statement, Flag):
        return [replace(statement, left=fold(statement.left, known), right=fold(statement.right, known))]
    if not isinstance(statement, Let):
        return [statement]
    concerned = {name for value in statement.values for name in symbol_names(value)} & known.keys()
    values = tuple(fold(value, known) for value in statement.values) if concerned else statement.values
    if len(values) != 1:
        return [replace(statement, values=values)]
    ((target,), (value,)) = statement.targets, values
    if concerned and is_symbol(value):
        known[target] = value
        return []
    positive = opposite(value)
    if positive is None or not (concerned or _is_root(positive)):
        return [replace(statement, values=values)]
    if is_symbol(positive):
        known[target] = value
        return []
    name = f"{target}_opposite"
    if name in taken:
        return [replace(statement, values=values)]
    known[target] = -symbol(name)
    return [Let(name, (name,), (positive,), _back(statement.comment))]


def _check(guard: Guard, known: Mapping[str, Expr]) -> Guard:
    return replace(
        guard,
        left=fold(guard.left, known),
        right=fold(guard.right, known),
        rather=tuple(_check(each, known) for each in guard.rather),
        also=tuple(_check(each, known) for each in guard.also),
    )


def _is_root(value: Expr) -> bool:
    kind, parts = operation(value)
    return kind == "pow" and is_symbol(parts[0]) and str(parts[1]) == "1/2"


def _back(comment: str) -> str:
    text, bracket, unit = comment.partition(" [")
    return f"{text}, with its sign changed{bracket}{unit}"
