"""Ask whether angles are within what our own sine and cosine take: beyond it they are NaN, which other checks meet.

Angles are sums: of inputs, of numbers, of arctangents, which are small. What is asked is the part that inputs have in
one, once for all angles with that part; our functions take a little more than is asked for (`ANGLE_MARGIN`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symgen.algebra import (
    LARGEST_ANGLE,
    Expr,
    absolute,
    angles_in,
    sum_of_angles,
    symbol,
    symbol_names,
)
from symgen.ir.nodes import Guard, Let, Routine, Statement
from symgen.ir.verify import verify
from symgen.status import Status

_COMMENT = "an angle out of range"
#: What numbers and arctangents may add to what is asked for; below `symgen.printers.elementary.ANGLE_MARGIN`.
_SMALL = 49.0


def check_angles(routine: Routine) -> Routine:
    """Return the routine with a check of each sum of inputs: before all else, or once its parts are calculated."""
    first: list[Statement] = []
    body: list[Statement] = []
    known = _Known()
    inputs = {element for port in routine.inputs for element in port.elements}
    for statement in routine.body:
        if isinstance(statement, Let):
            for part in [each for value in statement.values for a in angles_in(value) for each in known.unasked(a)]:
                place = first if inputs.issuperset(symbol_names(part)) else body
                place.append(Guard(absolute(part), "<=", LARGEST_ANGLE, Status.BAD_INPUT, _COMMENT))
            for target, value in zip(statement.targets, statement.values, strict=True):
                known.hold(target, value)
        body.append(statement.with_inner(check_angles))
    return verify(replace(routine, body=(*first, *body)))


@dataclass
class _Known:
    """What names are made of, (name -> factor, how much is beside them), and which sums have been asked."""

    sums: dict[str, tuple[Mapping[str, float], float]] = field(default_factory=dict)
    asked: dict[tuple[tuple[str, float], ...], float] = field(default_factory=dict)

    def hold(self, target: str, value: Expr) -> None:
        """Remember what a name stands for, if it is a sum."""
        found = self._sum_of(value)
        if found is not None:
            self.sums[target] = found

    def unasked(self, angle: Expr) -> tuple[Expr, ...]:
        """Return what is still to be asked so that an angle is within the range; it counts as asked."""
        found = self._sum_of(angle)
        if found is None or found[1] > _SMALL:
            return (angle,)
        factors = {name: factor for name, factor in found[0].items() if factor}
        if not factors:
            return ()
        first = next(iter(factors.values()))
        key, scale = tuple((name, factor / first) for name, factor in factors.items()), abs(first)
        if self.asked.get(key, 0.0) >= scale:
            return ()
        self.asked[key] = scale if len(factors) > 1 else max(scale, 1.0)
        (name, *more) = factors
        return (angle,) if more or scale > 1.0 else (symbol(name),)

    def _sum_of(self, value: Expr) -> tuple[Mapping[str, float], float] | None:
        form = sum_of_angles(value)
        if form is None:
            return None
        factors: dict[str, float] = {}
        beside = form[1]
        for name, factor in form[0].items():
            parts, small = self.sums.get(name, ({name: 1.0}, 0.0))
            beside += abs(factor) * small
            for part, share in parts.items():
                factors[part] = factors.get(part, 0.0) + factor * share
        return dict(sorted(factors.items())), beside
