"""Guards for what ports of somebody's own derivation say of their ranges: the header promises BAD_INPUT outside."""

from __future__ import annotations

from dataclasses import replace
from math import inf, isinf
from typing import Literal, cast

from symgen.algebra import ONE, UNIT_TOLERANCE, ZERO, Expr, absolute, exactly, number, symbol
from symgen.derive.derivation import Derivation
from symgen.derive.items import CallStep, Check, Inner, inner_parts
from symgen.derive.ranges import UNIT, bounds_of
from symgen.errors import DerivationError
from symgen.ir.nodes import Port
from symgen.status import Status


def guarded(derivation: Derivation) -> Derivation:
    """Return a derivation that refuses inputs out of their ranges before anything else, as do its inner parts.

    Raises
    ------
    DerivationError
        A range is a text that says no bounds, or bounds between which no number lies.
    """
    d = derivation.copied()
    before, d.items = d.items, []
    done = {item.port for item in before if isinstance(item, Check) and item.when == "used"}
    for port in d.inputs.values():
        if port.kind == "int" or port.range in ("finite", "") or port.name in done:
            continue
        if port.range in UNIT:
            _guard_length(d, port)
        else:
            _guard_bounds(d, port)
    parts = {part: Inner(part.name, guarded(part.derivation)) for part in inner_parts(derivation)}
    for item in before:
        if isinstance(item, CallStep) and isinstance(item.routine, Inner):
            d.items.append(replace(item, routine=parts[item.routine]))
        else:
            d.items.append(item)
    return d


def _guard_length(d: Derivation, port: Port) -> None:
    elements = port.elements[-4:] if port.range == "q unit" else port.elements
    squared: Expr = ZERO
    for name in elements:
        squared = squared + symbol(name) * symbol(name)
    off = absolute(squared - ONE)
    d.guard(
        off, "<=", UNIT_TOLERANCE, Status.BAD_INPUT, f"{port.name} is not of unit length", when="used", port=port.name
    )


def _guard_bounds(d: Derivation, port: Port) -> None:
    bounds = bounds_of(port.range)
    if not bounds:
        raise DerivationError(
            f'{d.name}: input {port.name!r}: range {port.range!r} says no bounds; allowed are "finite", "> 0" and '
            'other bounds (>=, <, <=), "-1.5 .. 1.5" with blanks, "unit", "q unit"; what else there is to say belongs '
            "into the meaning"
        )
    if any(isinf(bound.value) for bound in bounds):
        raise DerivationError(
            f"{d.name}: input {port.name!r}: range {port.range!r} has a bound that no number reaches; leave it out"
        )
    least = max((bound.value for bound in bounds if ">" in bound.relation), default=-inf)
    most = min((bound.value for bound in bounds if "<" in bound.relation), default=inf)
    if least > most or (least == most and {bound.relation for bound in bounds} & {">", "<"}):
        raise DerivationError(
            f"{d.name}: input {port.name!r}: no number lies in the range {port.range!r}; are its bounds the wrong way "
            "round?"
        )
    for element in port.elements:
        for bound in bounds:
            limit = number(int(bound.value)) if bound.value.is_integer() else exactly(bound.value)
            relation = cast(Literal[">", ">=", "<", "<="], bound.relation)
            text = f"{port.name} is out of its range, {port.range}"
            d.guard(symbol(element), relation, limit, Status.BAD_INPUT, text, when="used", port=port.name)
