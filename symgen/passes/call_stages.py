"""Let a function that gives everything call those of the stages, where that costs little.

Position, velocity and acceleration in one call share some values that the three calculate again each: beside a search
for the zeros of a polynomial that is little, and to NumPy a long text is dear. The text of all three stages would stand
in the file a second time. Where the stages share their geometry, C hands it over: `symgen.passes.call_parts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from symgen.algebra import symbol
from symgen.ir.nodes import Call, Let, LoopAssemblies, Output, Routine, Samples, Stage, Zeros
from symgen.ir.verify import verify

_STAGES: tuple[Stage, ...] = ("position", "velocity", "acceleration")


#: Below this many steps there is no long text.
_LONG = 64


def call_stages(routines: Sequence[Routine], *, for_numpy: bool) -> tuple[Routine, ...]:
    """Return the routines of a module; those of stage "all" call the stages if that costs little."""
    by_name = {(r.level, r.arrangement, r.stage): r for r in routines}
    found = []
    for routine in routines:
        stages = [by_name.get((routine.level, routine.arrangement, stage)) for stage in _STAGES]
        parts = [stage for stage in stages if stage is not None]
        steps = sum(isinstance(s, Let) for s in routine.body)
        dear = for_numpy and steps > _LONG
        if routine.stage == "all" and steps and len(parts) == len(_STAGES) and (dear or is_searched(parts[0])):
            routine = _calling(routine, parts)
        found.append(routine)
    return tuple(found)


def is_searched(routine: Routine) -> bool:
    """Tell whether a routine, or one that it calls, takes zeros of a polynomial or searches assemblies."""
    return any(
        isinstance(statement, (Zeros, Samples, LoopAssemblies))
        or (isinstance(statement, Call) and is_searched(statement.routine))
        for statement in routine.body
    )


def _calling(whole: Routine, stages: Sequence[Routine]) -> Routine:
    calls = []
    ports = {port.name: port.elements for port in whole.inputs}
    for stage in stages:
        inputs = tuple(tuple(map(symbol, ports[port.name])) for port in stage.inputs)
        outputs = tuple(output.port.elements for output in stage.outputs)
        ports |= {output.port.name: output.port.elements for output in stage.outputs}
        calls.append(Call(stage.stage, stage, inputs, outputs, f"{stage.stage.capitalize()}.", keep_singular=False))
    outputs_of_all = tuple(_output(output, ports) for output in whole.outputs)
    return verify(replace(whole, body=tuple(calls), outputs=outputs_of_all, finite=(), lost_by_stage=False))


def _output(output: Output, ports: Mapping[str, tuple[str, ...]]) -> Output:
    return replace(output, values=tuple(map(symbol, ports[output.port.name])))
