"""A solved type as the subject of an export: a group between known bodies, or a formula; all its ports as inputs and
results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symgen.derive.catalogue import derive_module
from symgen.emit.c99_signature import c_symbol
from symgen.errors import InputError
from symgen.export.instances import beyond, flat, random_inputs, random_instance
from symgen.export.ranges import with_ranges
from symgen.export.subject import (
    ExportStage,
    Input,
    PortWords,
    Result,
    Subject,
    Trial,
    c_names,
    elements_of,
    prefix_from,
    solver_id,
)
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Port, Routine
from symgen.library.catalogue import Entry
from symgen.model.nearest import did_you_mean
from symgen.passes.dependencies import dependencies
from symgen.passes.tangent import why_no_tangent
from symgen.pipeline.modules import ModulePart, generate_texts, lower_module
from symgen.printers.c99 import Math, Precision
from symgen.status import Status

#: Random instances of the self-test: solved as they are, and with bodies apart by some factor.
_SOLVED, _APART, _FACTOR = 24, 6, 9.0
#: Random inputs of a formula that are tried for them, and digits with which it is asked.
_TRIED, _DIGITS = 400, 20


@dataclass(frozen=True)
class TypeRequest:
    """What is asked of the export of a solved type; `branch` is a number or "input".

    With `tangent` it has its exact derivatives, if it can be differentiated.
    """

    prefix: str | None = None
    precision: Precision = "float"
    math: Math = "own"
    stage: ExportStage = "all"
    branch: str | None = None
    ranges: Mapping[str, tuple[float, float]] | None = None
    batch: bool = False
    command: str = "export TYPE --for embedded"
    tangent: bool = False


def type_subject(entry: Entry, request: TypeRequest) -> Subject:
    """Lay the export of a solved type out.

    Raises
    ------
    InputError
        A branch, range or prefix that is not allowed.
    """
    manifest, arrangement = entry.manifest, entry.arrangement
    prefix = prefix_from(request.prefix, manifest.id)
    name = solver_id(prefix)
    module = derive_module(manifest.id)
    routines = lower_module(module).routines
    is_formula = not arrangement.joints
    has_rates = any(each.level == "kernel" and each.stage == request.stage for each in routines)
    stage = request.stage if has_rates or not is_formula else "position"
    part = ModulePart(name, None if is_formula else arrangement.id, stage, request.command, request.batch)
    routine = part.of(routines)
    no_tangent = why_no_tangent(routine) if request.tangent else "they were not asked for"
    part = replace(part, tangent=not no_tangent)
    changes = part.tangent_of(routines) if part.tangent else None
    texts = generate_texts(manifest.id, precisions=(request.precision,), backends=("c",), math=request.math, part=part)
    inputs = with_ranges(_inputs(routine, prefix), request.ranges, request.precision)
    several = routine.has_branch and routine.branches > 1
    asked = _branch(request.branch, routine)
    chosen = asked if routine.has_branch else None
    stem = name + ("_f32" if request.precision == "float" else "")
    return Subject(
        prefix=prefix,
        title=module.title,
        about=(f"{routine.title}: {entry.key}", "", *module.summary),
        source=module.source,
        precision=request.precision,
        math=request.math,
        stage=stage,
        texts=texts,
        header=f"{stem}.h",
        symbol=c_symbol(name, routine, request.precision),
        routine=routine,
        inputs=inputs,
        results=_results(routine, inputs, prefix),
        branches=(routine.branches,) if routine.has_branch else (),
        chosen=chosen,
        following=None,
        by_law=False,
        trials=tuple(_trials_of_formula(routine, chosen) if is_formula else _trials(entry, routine, chosen)),
        batch=request.batch,
        notes=tuple(_notes(request.branch, chosen, several=several)),
        tangent=changes,
        tangent_symbol="" if changes is None else c_symbol(name, changes, request.precision),
        no_tangent=no_tangent or "",
        ports=tuple(_words(routine)),
        meanings={Status[name]: text for name, text in manifest.meanings.items()},
    )


def _branch(text: str | None, routine: Routine) -> tuple[int, ...] | None:
    if text == "input":
        return None
    try:
        number = 0 if text is None else int(text)
    except ValueError:
        hint = did_you_mean(text or "", ["input"])
        raise InputError(f"--branch {text}: for a type give a number or input{hint}") from None
    if not 0 <= number < routine.branches:
        if routine.branches == 1:
            raise InputError(f"--branch {text}: it has one branch, 0; leave it out")
        raise InputError(f"--branch {text}: it has branches 0 to {routine.branches - 1}, or give input")
    return (number,)


def _notes(text: str | None, chosen: tuple[int, ...] | None, *, several: bool) -> Iterator[str]:
    if several and chosen is not None:
        yield f"branch {chosen[0]} is compiled in; --branch selects another"
    elif text == "input" and not several:
        yield "--branch input: it has only one branch, so there is nothing to choose"


def _named(port: Port) -> list[tuple[str, str]]:
    """Return name and unit of each number of a port."""
    if not port.shape:
        return [(port.name, port.unit)]
    units = [unit.strip() for unit in port.unit.split(",")]
    size = len(port.elements)
    if len(units) == 2 and size == 7:  # a pose: place and quaternion
        units = [units[0]] * 3 + [units[1]] * 4
    elif len(units) != size:
        units = (units * size)[:size] if len(units) == 1 else [port.unit] * size
    return [(f"{port.name}[{k}]", unit) for k, unit in enumerate(units)]


def _words(routine: Routine) -> Iterator[PortWords]:
    """Yield what the ports mean whose names stand before an index."""
    ports = [*routine.inputs, *(output.port for output in routine.outputs)]
    for port in ports:
        if port.kind == "real":
            words = [port.meaning, *_parts(port), *(["in world axes"] if port.frame == "world" else [])]
            if routine.level == "kernel" and port.direction == "in" and port.range not in ("", "finite"):
                words.append(f"range: {port.range}")
            yield PortWords(port.name, len(port.elements), "; ".join(words))


def _parts(port: Port) -> Iterator[str]:
    """Yield what the numbers of a pose, a twist or an acceleration are, in order."""
    units = [unit.strip() for unit in port.unit.split(",")]
    if len(units) > 1:
        pose = units[0] == "m"
        if len(port.elements) == 3:
            yield "x, y, angle" if pose else "along x, along y, about z"
        else:
            yield "x, y, z, then the quaternion, its scalar first" if pose else "along x, y, z, then about x, y, z"


def _inputs(routine: Routine, prefix: str) -> tuple[Input, ...]:
    rows = [row for port in routine.inputs if port.kind == "real" for row in _named(port)]
    names = c_names(prefix, "IN", [name for name, _ in rows])
    return tuple(Input(name, c_name, unit) for (name, unit), c_name in zip(rows, names, strict=True))


def _results(routine: Routine, inputs: Sequence[Input], prefix: str) -> tuple[Result, ...]:
    ports = [output.port for output in routine.outputs if output.port.kind == "real"]
    rows = [row for port in ports for row in _named(port)]
    taken = [element for _, element in elements_of(routine.inputs, "in")]
    given = [element for _, element in elements_of(ports, "out")]
    reached = dependencies(routine)
    names = c_names(prefix, "OUT", [name for name, _ in rows])
    return tuple(
        Result(name, c_name, unit, tuple(i.name for i, e in zip(inputs, taken, strict=True) if e in reached[element]))
        for (name, unit), element, c_name in zip(rows, given, names, strict=True)
    )


def _trials(entry: Entry, routine: Routine, chosen: tuple[int, ...] | None) -> Iterator[Trial]:
    rng = np.random.default_rng(23)
    sizes = {port.name: len(port.elements) for port in routine.inputs if port.kind == "real"}
    found = [random_instance(entry.arrangement, entry.manifest.space, rng) for _ in range(_SOLVED)]
    places = 2 if entry.manifest.space == "planar" else 3
    for number, ports in enumerate(found):
        yield Trial(number == 0, flat(ports, sizes), "at random", _branch_of(number, routine, chosen))
    for number, ports in enumerate(found[:_APART]):  # places alone: the border to them is one of reach
        moved = {
            body: np.concatenate([_FACTOR * ports[body][:places], ports[body][places:]])
            for body in entry.arrangement.known
        }
        branch = _branch_of(number, routine, chosen)
        yield Trial(False, flat({**ports, **moved}, sizes), "known bodies far apart", branch)
    if routine.has_branch and chosen is None:
        yield Trial(False, flat(found[0], sizes), "no such branch", (routine.branches,))


def _trials_of_formula(routine: Routine, chosen: tuple[int, ...] | None) -> Iterator[Trial]:
    """Yield random inputs within their ranges, solved and not, and one beyond each range."""
    rng = np.random.default_rng(23)
    sizes = {port.name: len(port.elements) for port in routine.inputs if port.kind == "real"}
    counts = {True: 0, False: 0}
    branch = next((port.name for port in routine.inputs if port.kind == "int"), None)
    for _ in range(_TRIED):
        ports = random_inputs(routine.inputs, rng)
        number = counts[True]
        at = {} if branch is None else {branch: number % routine.branches if chosen is None else chosen[0]}
        given = {name: value.tolist() for name, value in ports.items()}
        is_solved = evaluate(routine, {**given, **at}, digits=_DIGITS)[0] is Status.OK
        counts[is_solved] += 1
        if counts[is_solved] <= (_SOLVED if is_solved else _APART):
            what = "at random" if is_solved else "at random, refused"
            yield Trial(number == 0 and is_solved, flat(ports, sizes), what, _branch_of(number, routine, chosen))
        if counts[True] >= _SOLVED:
            break
    for name in sizes:
        outside = beyond(routine.inputs, name, ports)
        if outside is not None:
            yield Trial(False, flat(outside, sizes), f"{name} out of its range", _branch_of(0, routine, chosen))
    if routine.has_branch and chosen is None:
        yield Trial(False, flat(ports, sizes), "no such branch", (routine.branches,))


def _branch_of(number: int, routine: Routine, chosen: tuple[int, ...] | None) -> tuple[int, ...]:
    """Return what the state holds: one branch after the other, if the caller chooses."""
    return (number % routine.branches,) if routine.has_branch and chosen is None else ()
