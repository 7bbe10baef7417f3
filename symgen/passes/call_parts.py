"""Let a function that gives everything call the position, and what the stages after it are made of.

Velocity and acceleration begin with the same geometry (`symgen.passes.share_between_stages`). What follows it becomes
an inner routine too, so that `all` takes the geometry once, and each formula stands in the file once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symgen.algebra import symbol, symbol_names
from symgen.ir.nodes import Call, Output, Routine
from symgen.ir.verify import verify
from symgen.passes.drop_unused_steps import names_of

#: What the inner routine of a stage is called.
_PARTS = {"velocity": "rates", "acceleration": "accelerations"}


def call_parts(routines: Sequence[Routine]) -> tuple[Routine, ...]:
    """Return the routines of a module; those of a level whose stages share their geometry are made of parts."""
    found = {routine.name: routine for routine in routines}
    by_stage = {(r.level, r.arrangement, r.stage): r for r in routines}
    for whole in routines:
        level = whole.level, whole.arrangement
        position = by_stage.get((*level, "position"))
        stages = [by_stage.get((*level, "velocity")), by_stage.get((*level, "acceleration"))]
        calls = [_geometry(stage) for stage in stages if stage is not None]
        geometry = calls[0] if calls else None
        if whole.stage != "all" or position is None or geometry is None or calls != [geometry, geometry]:
            continue
        parts = [_part(stage, geometry) for stage in stages if stage is not None]
        for stage, part in zip(stages, parts, strict=True):
            assert stage is not None  # noqa: S101 - narrows for mypy
            found[stage.name] = _of_calls(stage, [geometry, _call(part)])
        found[whole.name] = _of_calls(whole, [_call(position), geometry, *map(_call, parts)])
    return tuple(found.values())


def _geometry(stage: Routine) -> Call | None:
    first = stage.body[0] if stage.body else None
    return first if isinstance(first, Call) and first.routine.stage == "inner" else None


def _part(stage: Routine, geometry: Call) -> Routine:
    """Return what a stage does after the geometry, which it is given."""
    values = [*stage.finite, *(value for output in stage.outputs for value in output.values)]
    read = {name for value in values for name in symbol_names(value)}
    read |= {name for statement in stage.body[1:] for name in names_of(statement)}
    given = [replace(output.port, direction="in") for output in geometry.routine.outputs]
    return verify(
        replace(
            stage,
            name=f"{stage.arrangement or stage.level}_{_PARTS[stage.stage]}",
            title=f"{_PARTS[stage.stage].capitalize()} from that geometry: {stage.title}",
            stage="inner",
            inputs=tuple(port for port in (*stage.inputs, *given) if read.intersection(port.elements)),
            body=stage.body[1:],
        )
    )


def _call(routine: Routine) -> Call:
    """Return the call of a routine whose arguments have the names of its ports' elements."""
    inputs = tuple(tuple(map(symbol, port.elements)) for port in routine.inputs)
    outputs = tuple(output.port.elements for output in routine.outputs)
    title = routine.title.partition(":")[0] if routine.stage == "inner" else routine.stage.capitalize()
    prefix = routine.name.rpartition("_")[2] if routine.stage == "inner" else routine.stage
    return Call(prefix, routine, inputs, outputs, title, keep_singular=False, trusting=True)


def _of_calls(routine: Routine, calls: Sequence[Call]) -> Routine:
    """Return a routine that does nothing but calls."""
    ports = {port.name: port.elements for call in calls for port in (o.port for o in call.routine.outputs)}
    outputs = tuple(_output(output, ports) for output in routine.outputs)
    return verify(replace(routine, body=tuple(calls), outputs=outputs, finite=()))


def _output(output: Output, ports: Mapping[str, tuple[str, ...]]) -> Output:
    return replace(output, values=tuple(map(symbol, ports[output.port.name])))
