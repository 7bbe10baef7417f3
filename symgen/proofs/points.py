"""Random points at which a routine is asked, reproducible, within the ranges its ports declare."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

import mpmath

from symgen.derive.ranges import bounds_of
from symgen.errors import DerivationError
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Port, Routine
from symgen.status import Status

DIGITS = 50
POINTS = 8
_TRIES = 400


def solved_points(routine: Routine) -> Iterator[tuple[dict[str, Any], dict[str, list[Any]]]]:
    """Yield inputs and results of a routine at POINTS random points that it solves.

    Raises
    ------
    DerivationError
        If too few of the points tried are solved.
    """
    rng = random.Random(0)  # noqa: S311 - reproducible points, not secrets
    solved = 0
    for _ in range(_TRIES):
        inputs = _random_inputs(routine, rng)
        status, results = evaluate(routine, inputs, digits=DIGITS)
        if status is not Status.OK:
            continue
        yield inputs, results
        solved += 1
        if solved == POINTS:
            return
    raise DerivationError(
        f"{routine.name}: only {solved} of {_TRIES} random points are solved; inputs lie between -1 and 1, with a "
        'range "> 0" between 0.5 and 1.5, with "2 .. 3" between these, with range "unit" or "q unit" they '
        "are of unit length"
    )


def point_text(inputs: Mapping[str, Any]) -> str:
    """Return a point for people: six digits of each number."""

    def shown(value: Any) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(shown, value))}]"
        return str(mpmath.nstr(value, 6)) if isinstance(value, mpmath.mpf) else str(value)

    return ", ".join(f"{name} = {shown(value)}" for name, value in inputs.items())


def _random_inputs(routine: Routine, rng: random.Random) -> dict[str, Any]:
    """Return random inputs of a routine: port name -> number or list of numbers."""
    return {port.name: _random_value(port, rng, routine.branches) for port in routine.inputs}


def _random_value(port: Port, rng: random.Random, branches: int) -> Any:
    if port.kind == "int":
        return rng.randrange(branches)
    with mpmath.workdps(DIGITS):
        values = [mpmath.mpf(rng.uniform(-1, 1)) for _ in port.elements]
        bounds = bounds_of(port.range)
        if len(bounds) == 2:
            low, high = (mpmath.mpf(bound.value) for bound in bounds)
            values = [low + (high - low) * (v + 1) / 2 for v in values]
        elif bounds or port.range.startswith("> "):
            start, side = (bounds[0].value, bounds[0].relation) if bounds else (0, ">")
            values = [start + (abs(v) + mpmath.mpf(1) / 2) * (1 if side[0] == ">" else -1) for v in values]
        if port.range == "unit":
            values = _unit(values)
        if port.range == "q unit":
            values = values[:-4] + _unit(values[-4:])
    return values if port.shape else values[0]


def _unit(values: list[Any]) -> list[Any]:
    size = mpmath.sqrt(mpmath.fsum(v * v for v in values))
    return [v / size for v in values]
