"""Write what the rates, the accelerations and the condition of a level have in common once, as an inner routine.

They all begin with the frames of the joints, the columns of the system of rates and its inverse. Handing those over
costs some nanoseconds, so short functions, as those of the dyads, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from symgen.algebra import TOLERANCES, Expr, symbol, symbol_names
from symgen.ir.nodes import Call, Guard, Let, Output, Port, Routine, Statement
from symgen.ir.verify import verify
from symgen.passes.drop_unused_steps import names_of

_STAGES = ("velocity", "acceleration", "condition")
#: Fewer steps in common are not worth a function.
_LEAST = 24
#: Local arrays of the results begin with this.
_PREFIX = "at"


@dataclass(frozen=True)
class _Common:
    """Components by name, and checks, that all of some routines have."""

    values: dict[str, Expr]
    guards: tuple[Guard, ...]


def share_between_stages(routines: Sequence[Routine]) -> tuple[Routine, ...]:
    """Return the routines of a module; the stages of a level share an inner routine if it is long."""
    found = {routine.name: routine for routine in routines}
    for level, arrangement in dict.fromkeys((r.level, r.arrangement) for r in routines):
        stages = [r for r in routines if (r.level, r.arrangement) == (level, arrangement) and r.stage in _STAGES]
        without_condition = [stage for stage in stages if stage.stage != "condition"]
        for routine in max((_shared(stages), _shared(without_condition)), key=_saved):
            found[routine.name] = routine
    return tuple(found.values())


def _shared(stages: Sequence[Routine]) -> tuple[Routine, ...]:
    if len(stages) < 2:
        return tuple(stages)
    common = _common(stages)
    body = _body(stages[0], common)
    if sum(isinstance(statement, Let) for statement in body) < _LEAST:
        return tuple(stages)
    names = {target for statement in body if isinstance(statement, Let) for target in statement.targets}
    rests = [tuple(_rest(stage, common)) for stage in stages]
    wanted = {name for stage, rest in zip(stages, rests, strict=True) for name in _read(stage, rest)} & names
    inner = _inner(stages[0], body, wanted)
    return tuple(_calling(stage, inner, rest) for stage, rest in zip(stages, rests, strict=True))


def _saved(stages: Sequence[Routine]) -> int:
    """Return how many steps less stand in the file than before the stages shared an inner routine."""
    calls = [stage.body[0] for stage in stages if stage.body]
    inner = [call.routine for call in calls if isinstance(call, Call) and call.routine.stage == "inner"]
    return (len(inner) - 1) * len(inner[0].body) if inner else 0


def _common(stages: Sequence[Routine]) -> _Common:
    """Return what all stages have; checks only as long as they are the first, so that none comes out of turn."""
    tables = [
        {t: v for s in stage.body if isinstance(s, Let) for t, v in zip(s.targets, s.values, strict=True)}
        for stage in stages
    ]
    asked = [[s for s in stage.body if not isinstance(s, Let)] for stage in stages]
    guards: list[Guard] = []
    for each in zip(*asked, strict=False):
        if not isinstance(each[0], Guard) or any(one != each[0] for one in each):
            break
        guards.append(each[0])
    known = {element for port in stages[0].inputs for element in port.elements} | {*TOLERANCES}
    for stage in stages[1:]:
        known &= {element for port in stage.inputs for element in port.elements} | {*TOLERANCES}
    values: dict[str, Expr] = {}
    for name, value in tables[0].items():  # in order: what it reads has been seen
        if all(table.get(name) == value for table in tables) and known.issuperset(symbol_names(value)):
            values[name] = value
            known.add(name)
    kept = []
    for guard in guards:
        if not known.issuperset(names_of(guard)):
            break
        kept.append(guard)
    return _Common(values, tuple(kept))


def _body(stage: Routine, common: _Common) -> list[Statement]:
    body: list[Statement] = []
    for statement in stage.body:
        if isinstance(statement, Let):
            kept = [k for k, target in enumerate(statement.targets) if target in common.values]
            body += [_part(statement, kept)] if kept else []
        elif isinstance(statement, Guard) and statement in common.guards:
            body.append(statement)
    return body


def _rest(stage: Routine, common: _Common) -> Iterable[Statement]:
    for statement in stage.body:
        if isinstance(statement, Let):
            kept = [k for k, target in enumerate(statement.targets) if target not in common.values]
            if kept:
                yield _part(statement, kept)
        elif not (isinstance(statement, Guard) and statement in common.guards):
            yield statement


def _part(let: Let, kept: Sequence[int]) -> Let:
    return replace(let, targets=tuple(let.targets[k] for k in kept), values=tuple(let.values[k] for k in kept))


def _read(stage: Routine, rest: Iterable[Statement]) -> set[str]:
    """Return the names that the rest of a stage reads."""
    values = [*stage.finite, *(value for output in stage.outputs for value in output.values)]
    names = {name for statement in rest for name in names_of(statement)}
    return names | {name for value in values for name in symbol_names(value)}


def _inner(stage: Routine, body: Sequence[Statement], wanted: set[str]) -> Routine:
    """Return the routine of the common steps; each step that others read is a result."""
    outputs = []
    taken = {port.name for port in stage.inputs} | {e for port in stage.inputs for e in port.elements}
    taken |= {target for statement in body if isinstance(statement, Let) for target in statement.targets}
    for statement in body:
        if not isinstance(statement, Let):
            continue
        elements = tuple(target for target in statement.targets if target in wanted)
        if not elements:
            continue
        alone = len(elements) == 1
        name = elements[0] if alone else statement.name
        while not alone and name in taken:
            name += "_s"
        taken.add(name)
        shape = () if alone else (len(elements),)
        port = Port(name, "out", "real", shape, elements, "", "", statement.comment)
        outputs.append(Output(port, tuple(map(symbol, elements))))
    read = {name for statement in body for name in names_of(statement)}
    return verify(
        Routine(
            name=f"{stage.arrangement or 'kernel'}_geometry",
            title=f"What velocity, acceleration and condition have in common: {stage.title}",
            level=stage.level,
            arrangement=stage.arrangement,
            stage="inner",
            inputs=tuple(port for port in stage.inputs if read.intersection(port.elements)),
            body=tuple(body),
            outputs=tuple(outputs),
            finite=(),
            branches=1,
            lost_by_stage=False,
        )
    )


def _calling(stage: Routine, inner: Routine, rest: Sequence[Statement]) -> Routine:
    inputs = tuple(tuple(map(symbol, port.elements)) for port in inner.inputs)
    outputs = tuple(output.port.elements for output in inner.outputs)
    call = Call(_PREFIX, inner, inputs, outputs, "What the stages have in common", keep_singular=False)
    return verify(replace(stage, body=(call, *rest)))
