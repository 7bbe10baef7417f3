"""How large the terms are that a value is made of: what cancels to nothing is small beside them, what is tiny is not.

Rounding leaves of an exact zero a part of the size of its terms. So the size of a step is that of what was added to get
it, carried on from step to step; it is a measure for bounds, and no strict error bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import mpmath

from symgen.algebra import TOLERANCES, Expr, take_apart
from symgen.ir.evaluate import value_of
from symgen.ir.nodes import Let, Routine


def sizes(routine: Routine, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the size of the terms of each name of a routine.

    Parameters
    ----------
    values : of all names, as the routine was evaluated.
    """
    ports = {element for port in routine.inputs for element in port.elements}
    # What is solved for elsewhere is rounded to the order of one even where it is zero.
    found = {n: abs(v) if n in ports or n in TOLERANCES else max(abs(v), mpmath.mpf(1)) for n, v in values.items()}
    for statement in routine.body:
        if isinstance(statement, Let):
            for target, value in zip(statement.targets, statement.values, strict=True):
                found[target] = max(_size(value, values, found), abs(values[target]))
    return found


def _size(value: Expr, values: Mapping[str, Any], found: Mapping[str, Any]) -> Any:
    kind, parts = take_apart(value)
    if kind == "symbol":
        return found[parts[0]]
    if kind == "number":
        return abs(mpmath.mpf(parts[0]) / parts[1])
    if kind == "branch_sign":
        return mpmath.mpf(1)
    if kind == "power":
        return _of_power(value_of(parts[0], values), _size(parts[0], values, found), parts[1])
    inner = [_size(part, values, found) for part in parts]
    if kind in ("sqrt", "sin", "cos", "atan2"):
        return _of_function(kind, [value_of(part, values) for part in parts], inner)
    if kind == "mul":
        return prod(inner)
    if kind == "choose":
        return max(inner[2:])
    return sum(inner)  # add; abs and positive_part have one part


def _of_power(base: Any, size: Any, exponent: int) -> Any:
    return size**exponent if exponent > 0 else abs(base) ** exponent * size / abs(base)


def _of_function(kind: str, at: list[Any], size: list[Any]) -> Any:
    """Return the size by the slope: what moves the argument moves the value."""
    if kind == "sqrt":
        return mpmath.sqrt(size[0]) if not at[0] else size[0] / mpmath.sqrt(abs(at[0]))
    if kind == "atan2":
        (y, x), square = at, at[0] ** 2 + at[1] ** 2
        return (abs(x) * size[0] + abs(y) * size[1]) / square if square else mpmath.mpf(1)
    slope = mpmath.cos(at[0]) if kind == "sin" else mpmath.sin(at[0])
    return abs(slope) * size[0]
