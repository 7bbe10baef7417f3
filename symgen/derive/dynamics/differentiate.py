"""Derivatives of steps for coordinates, carried forward step by step, so that they stay as short as the steps are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symgen.algebra import ONE, ZERO, Expr, derivative, is_number, is_symbol, is_zero, symbol_names
from symgen.derive.derivation import Derivation
from symgen.derive.dynamics.matrices import Matrix
from symgen.derive.items import Step


def jacobian(d: Derivation, values: Sequence[Expr], coordinates: Sequence[str], prefix: str = "d") -> Matrix:
    """Name the derivatives of all steps that values depend on; return one row of derivatives for each value.

    Parameters
    ----------
    coordinates : names of ports' elements; the derivative of step `s` for the k-th is called `<prefix><k>_s`.
    """
    steps = {
        target: value
        for item in d.items
        if isinstance(item, Step)
        for target, value in zip(item.targets, item.values, strict=True)
    }
    wanted = _reached(values, steps)
    slopes: dict[tuple[str, int], Expr] = {(name, k): ONE for k, name in enumerate(coordinates)}
    for target in [name for name in steps if name in wanted]:
        for k, slope in enumerate(_slopes(steps[target], slopes, len(coordinates))):
            if is_zero(slope):
                continue
            plain = is_number(slope) or is_symbol(slope)
            name = f"{prefix}{k}_{target}"
            slopes[target, k] = slope if plain else d.scalar(name, slope, f"derivative of {target}")
    return Matrix(tuple(_slopes(value, slopes, len(coordinates)) for value in values))


def _slopes(value: Expr, slopes: Mapping[tuple[str, int], Expr], count: int) -> tuple[Expr, ...]:
    """Return the derivatives of an expression by the chain rule."""
    partial = {name: derivative(value, name) for name in symbol_names(value)}
    found = []
    for k in range(count):
        total = ZERO
        for name, slope in partial.items():
            total = total + slope * slopes.get((name, k), ZERO)
        found.append(total)
    return tuple(found)


def _reached(values: Sequence[Expr], steps: Mapping[str, Expr]) -> set[str]:
    """Return the names of the steps that values depend on."""
    found: set[str] = set()
    stack = [name for value in values for name in symbol_names(value)]
    while stack:
        name = stack.pop()
        if name in steps and name not in found:
            found.add(name)
            stack += symbol_names(steps[name])
    return found
