"""Ask whether angles are within what our own sine and cosine take: beyond it they are NaN, which other checks meet."""

from __future__ import annotations

from dataclasses import replace

from symgen.algebra import LARGEST_ANGLE, Expr, absolute, angle_parts, angles_in, symbol_names
from symgen.ir.nodes import Assemblies, Call, Guard, Kernel, Let, LoopParts, Routine, Samples, Statement
from symgen.ir.verify import verify
from symgen.status import Status

_COMMENT = "an angle is beyond what symgen_sin and symgen_cos take"


def check_angles(routine: Routine) -> Routine:
    """Return the routine with a check before each sine or cosine of an angle that no arctangent has given."""
    body: list[Statement] = []
    asked: set[Expr] = set()
    within: set[str] = set()
    for statement in routine.body:
        if isinstance(statement, Let):
            for angle in [each for value in statement.values for each in angles_in(value)]:
                if angle not in asked and not within.issuperset(symbol_names(angle)):
                    asked.add(angle)
                    body.append(Guard(absolute(angle), "<=", LARGEST_ANGLE, Status.BAD_INPUT, _COMMENT))
            pairs = zip(statement.targets, statement.values, strict=True)
            within.update(target for target, value in pairs if angle_parts(value) is not None)
        body.append(_with_inner(statement))
    return verify(replace(routine, body=tuple(body)))


def _with_inner(statement: Statement) -> Statement:
    if isinstance(statement, (Call, Samples)) and statement.routine.stage == "inner":
        return replace(statement, routine=check_angles(statement.routine))
    if isinstance(statement, Assemblies):
        return replace(statement, parts=LoopParts(*map(check_angles, statement.parts.routines)))
    if isinstance(statement, Kernel) and statement.function is not None:
        return replace(statement, function=check_angles(statement.function))
    return statement
