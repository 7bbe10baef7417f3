"""Numbers of derived objects with 50 digits: their steps, one after the other, as far as the arguments go."""

from __future__ import annotations

from typing import Any

import mpmath
from mpmath import mpf

from symgen.algebra import symbol_names
from symgen.derive.derived_object import DerivedObject
from symgen.derive.dynamics.objects import objects
from symgen.derive.items import Step
from symgen.ir.evaluate import value_of


def value(name: str, **arguments: Any) -> Any:
    """Return an object's entries: a list, or a matrix where it has rows and columns."""
    found = objects()[name]
    env = _environment(found, arguments)
    entries = [value_of(entry, env) for entry in found.entries]
    if len(found.shape) == 2:
        rows, columns = found.shape
        return mpmath.matrix([entries[columns * k : columns * k + columns] for k in range(rows)])
    return entries


def _environment(found: DerivedObject, arguments: Any) -> dict[str, Any]:
    env: dict[str, Any] = {}
    for argument in found.arguments:
        given = arguments[argument.name]
        values = list(given) if argument.shape else [given]
        env.update(zip(argument.elements, (mpf(v) for v in values), strict=True))
    for item in found.derivation.items:
        if isinstance(item, Step) and all(name in env for v in item.values for name in symbol_names(v)):
            env.update(zip(item.targets, [value_of(v, env) for v in item.values], strict=True))
    return env
