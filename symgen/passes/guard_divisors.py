"""Divide by what a check has bounded from below: the sign of a divisor is multiplied in after the reciprocal.

A program that proves bounds (docs/export-embedded.md) knows of each value the least and the most that it can be. What
is beyond a bound on either side of zero it does not know: after `|x| > b` it still allows x = 0. So

    |x| > b, 1/x              becomes   x_size = |x|,  x_size > b,  (+1 or -1)/x_size
    x = s sqrt(y), 1/x        becomes   x_size = sqrt(y),  x = s x_size,  s/x_size     with the sign s of a branch

A sign changes no other bit of a quotient, so all results stay the same bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from symgen.algebra import (
    ONE,
    ZERO,
    Expr,
    chosen,
    inverted,
    is_branch_sign,
    is_symbol,
    name_of,
    sign_and_root,
    size_of_symbol,
    symbol,
    symbol_names,
)
from symgen.ir.nodes import Guard, Let, Routine, Statement
from symgen.ir.verify import verify
from symgen.passes.drop_unused_steps import names_of
from symgen.passes.inner_routines import with_inner_routines


def guard_divisors(routine: Routine) -> Routine:
    """Return the routine, and the inner routines that it uses, with divisors that are checked from one side."""
    body = with_inner_routines(routine, guard_divisors)
    values = _values(body)
    taken = {*values, *(element for port in routine.ports for element in (port.name, *port.elements))}
    signs = {name for name, value in values.items() if is_branch_sign(value)}
    roots: dict[str, tuple[str, str]] = {}  # s sqrt(y) by name: its sign, and the name of its root
    sizes: dict[str, str] = {}  # x by name: the name of |x|
    divided = {name for statement in body for name in _divisors(statement)}
    divided |= {_source(name, values) for name in divided}
    for name in sorted(divided & {*values}):
        found = sign_and_root(values[name])
        if found is not None and found[0] in signs and f"{name}_size" not in taken:
            roots[name] = found[0], f"{name}_size"
    guarded: set[str] = set()
    for statement in body:
        of = size_of_symbol(statement.left) if isinstance(statement, Guard) else None
        if of in divided and f"{of}_size" not in taken:
            guarded.add(of)
    made: list[Statement] = []
    for statement in body:
        if isinstance(statement, Guard):
            of = size_of_symbol(statement.left)
            if of is not None and _source(of, values) in roots:
                sizes[of] = roots[_source(of, values)][1]
            if of in guarded and of not in sizes and statement.relation in (">", ">="):
                sizes[of] = f"{of}_size"
                made.append(Let(sizes[of], (sizes[of],), (statement.left,), "its size"))
            if of in sizes:
                statement = replace(statement, left=symbol(sizes[of]), form=None)
        elif isinstance(statement, Let):
            name = statement.targets[0]
            if name in roots and len(statement.targets) == 1:
                sign, size = roots[name]
                root = sign_and_root(statement.values[0])
                assert root is not None  # noqa: S101 - narrows for mypy
                made.append(Let(size, (size,), (root[1],), f"{statement.comment}: its size"))
                statement = replace(statement, values=(symbol(sign) * symbol(size),), forms=())
            else:
                statement = _divided(statement, values, roots, sizes)
        made.append(statement)
    return verify(replace(routine, body=tuple(_without_idle(made, routine))))


def _divided(let: Let, values: dict[str, Expr], roots: dict[str, tuple[str, str]], sizes: dict[str, str]) -> Let:
    """Return a step that is a reciprocal, with the sign above and the size below."""
    of = inverted(let.values[0]) if len(let.values) == 1 else None
    if of is None:
        return let
    source = _source(of, values)
    if source in roots:
        sign, size = roots[source]
        return replace(let, values=(symbol(sign) * symbol(size) ** -1,), forms=())
    if of in sizes:
        sign_of = chosen(ZERO, symbol(of), ONE, -ONE)
        return replace(let, values=(sign_of * symbol(sizes[of]) ** -1,), forms=())
    return let


def _source(name: str, values: dict[str, Expr]) -> str:
    """Return the step that a name only repeats."""
    while name in values and is_symbol(values[name]):
        name = name_of(values[name])
    return name


def _values(body: Iterable[Statement]) -> dict[str, Expr]:
    lets = [statement for statement in body if isinstance(statement, Let)]
    return {target: value for let in lets for target, value in zip(let.targets, let.values, strict=True)}


def _divisors(statement: Statement) -> tuple[str, ...]:
    """Return what a step is the reciprocal of."""
    of = inverted(statement.values[0]) if isinstance(statement, Let) and len(statement.values) == 1 else None
    return () if of is None else (of,)


def _without_idle(body: list[Statement], routine: Routine) -> list[Statement]:
    """Drop the steps that only repeat another and that nothing reads now."""
    read = {name for statement in body for name in names_of(statement)}
    read |= {name for o in routine.outputs for value in o.values for name in symbol_names(value)}
    read |= {name for value in routine.finite for name in symbol_names(value)}
    return [
        each
        for each in body
        if not (isinstance(each, Let) and len(each.targets) == 1 and is_symbol(each.values[0]))
        or each.targets[0] in read
    ]
