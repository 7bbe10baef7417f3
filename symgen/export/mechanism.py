"""A whole mechanism as the subject of an export: its drives become inputs, what is asked of it becomes results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.emit.c99_signature import c_symbol
from symgen.errors import InputError
from symgen.export.ranges import with_ranges
from symgen.export.subject import (
    ExportStage,
    Following,
    Input,
    Result,
    Subject,
    Trial,
    c_names,
    elements_of,
    prefix_from,
    solver_id,
)
from symgen.ir.nodes import Routine, Stage
from symgen.library.solved_type import Library
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import did_you_mean
from symgen.passes.dependencies import dependencies
from symgen.pipeline import generate_whole_texts
from symgen.pipeline.whole import lower_whole
from symgen.printers.c99 import Math, Precision
from symgen.printers.newton import ROUNDS
from symgen.topology.joint_motions import JOINT_MOTIONS
from symgen.whole.asked import RESULTS, Checks
from symgen.whole.layout import Drives, Layout
from symgen.whole.module import WholeModule, unchecked_lines, whole_module

#: How a branch is chosen: by the reference configuration, followed, by the caller, or numbers.
WAYS = ("reference", "follow", "input")
_RATES = (("", ""), (".rate", "/s"), (".acc", "/s^2"))
#: Steps of the self-test along the laws, and behind failures; at random, and far off; how far beyond the motion.
_ALONG, _LATER, _SPREAD, _FAR, _BEYOND = 24, 3, 8, 6, 12.0
#: Time between those steps where nothing is followed [s].
_APART = 0.043


@dataclass(frozen=True)
class MechanismRequest:
    """What is asked of the export of a mechanism.

    Parameters
    ----------
    drives : "inputs" takes values, rates and accelerations; "laws" takes the time.
    branch : one of `WAYS`, or numbers separated by commas, one for each group.
    period : time between two steps [s], where branches are followed.
    ranges : input -> least and greatest value.
    iterative : how many steps Newton's method may take; None refuses groups without a closed form.
    begin, assembly : as of `symgen.whole.module.whole_module`.
    """

    prefix: str | None = None
    precision: Precision = "float"
    math: Math = "own"
    stage: ExportStage = "all"
    drives: Drives = "inputs"
    results: Sequence[str] = RESULTS
    checks: Checks = "needed"
    branch: str = "reference"
    period: float = 1e-3
    ranges: Mapping[str, tuple[float, float]] | None = None
    iterative: int | None = None
    batch: bool = False
    begin: float = 0.0
    assembly: int | None = None


def mechanism_subject(mechanism: Mechanism, library: Library, request: MechanismRequest) -> Subject:
    """Take a mechanism apart and lay its export out.

    Raises
    ------
    StructureError, MechanismError, UnsolvedTypeError
        As `symgen.whole.module.whole_module`.
    InputError
        A result, range, branch or prefix that is not allowed; nothing tells which branch; a group that iterates.
    """
    prefix = prefix_from(request.prefix, mechanism.name)
    module = whole_module(
        mechanism,
        library,
        module_id=solver_id(prefix),
        drives=request.drives,
        results=request.results,
        checks=request.checks,
        time=request.begin,
        assembly=request.assembly,
    )
    layout = module.layout
    if not layout.drives:
        raise InputError(f"{mechanism.file or mechanism.name}: no freedom is driven, so there is nothing to step")
    _check_iterative(module, request.iterative)
    chosen = _branches(module, request.branch)
    follows = chosen == "follow"
    stage: Stage = "follow" if follows else request.stage
    if follows and request.stage == "position":
        raise InputError("--stages position: a followed branch needs rates; leave it out, or give --branch numbers")
    wanted: tuple[Stage, ...] = ("follow", "begin") if follows else (stage,)
    if follows and module.beginning is None:
        raise InputError(
            f"nothing tells where to begin: {module.doubt or f'it is not solved at t = {request.begin:g} s'}; "
            "--assembly K with --at T0 does, or laws for all drives"
        )
    routine, *others = lower_whole(module, wanted)
    texts = generate_whole_texts(
        module,
        precisions=(request.precision,),
        backends=("c",),
        math=request.math,
        stages=wanted,
        batches=request.batch,
        rounds=request.iterative or ROUNDS,
    )
    files = {name: text for name, text in texts.items() if name.endswith((".c", ".h"))}
    stem = module.id + ("_f32" if request.precision == "float" else "")
    following = None
    if follows and module.beginning is not None:
        symbol = c_symbol(module.id, others[0], request.precision)
        following = Following(layout.state_size, symbol, others[0], module.beginning.time, request.period)
    inputs = _inputs(mechanism, module, request, prefix)
    several = max(layout.branches) > 1 and any(port.name == "branch" for port in routine.inputs)
    return Subject(
        prefix=prefix,
        title=module.title,
        about=(*module.overview, *unchecked_lines([routine])),
        source=module.source,
        precision=request.precision,
        math=request.math,
        stage=request.stage,
        texts=files,
        header=f"{stem}.h",
        symbol=c_symbol(module.id, routine, request.precision),
        routine=routine,
        inputs=inputs,
        results=_results(mechanism, layout, routine, inputs, prefix),
        branches=layout.branches if several else (),
        chosen=chosen if isinstance(chosen, tuple) else None,
        following=following,
        by_law=layout.by_law,
        trials=tuple(_trials(mechanism, module, request, inputs, follows)),
        batch=request.batch,
        notes=tuple(_notes(module, chosen)),
    )


def _check_iterative(module: WholeModule, most: int | None) -> None:
    iterated = [each.number for each in module.layout.iterated]
    if iterated and most is None:
        words = ", ".join(f"{n} ({module.groups[n - 1].group.signature})" for n in iterated)
        raise InputError(
            f"group {words} has no closed form: Newton's method solves it, in as many steps as it takes; "
            "--allow-iterative N allows N of them in a call, then NOT_CONVERGED"
        )


def _branches(module: WholeModule, text: str) -> tuple[int, ...] | str:
    """Return the branches that are compiled in, or "follow" or "input".

    Raises
    ------
    InputError
        The text is none of these, or there are no such branches.
    """
    layout = module.layout
    iterated = [str(each.number) for each in layout.iterated]
    changing = iterated + [str(each.number) for each in layout.followed if each.ranked]
    if text == "follow":
        return "follow" if layout.followed else tuple(0 for _ in layout.branches)
    if text == "reference":
        if changing:
            return "follow"
        if module.branch is None and max(layout.branches) > 1:
            raise InputError(
                f"the reference configuration does not tell the branches: {module.doubt}; give --branch K,K,..., one "
                "number for each group, or --assembly K"
            )
        return module.branch or tuple(0 for _ in layout.branches)
    if iterated:
        raise InputError(
            f"--branch {text}: group {', '.join(iterated)} has no closed form, so no branches with numbers; give follow"
        )
    if text == "input":
        return "input"
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InputError(
            f"--branch {text}: give {', '.join(WAYS)} or numbers as in 0,1{did_you_mean(text, WAYS)}"
        ) from None
    counts = layout.branches
    if len(numbers) != len(counts):
        raise InputError(f"--branch {text}: {len(numbers)} numbers for {len(counts)} groups; give one for each group")
    for group, (number, count) in enumerate(zip(numbers, counts, strict=True), start=1):
        if not 0 <= number < count:
            allowed = f"0 to {count - 1}" if count > 1 else "0"
            raise InputError(f"--branch {text}: group {group} has no branch {number}, only {allowed}")
    return numbers


def _unit(mechanism: Mechanism, key: tuple[str, str]) -> str:
    joint = next(joint for joint in mechanism.joints if joint.id == key[0])
    return next(motion.unit for motion in JOINT_MOTIONS[joint.type] if motion.freedom == key[1])


def _inputs(mechanism: Mechanism, module: WholeModule, request: MechanismRequest, prefix: str) -> tuple[Input, ...]:
    rows: list[tuple[str, str, float | None]] = []
    if module.layout.by_law:
        rows.append(("t", "s", request.begin))
    else:
        rates = _RATES if request.stage == "all" else _RATES[:1]
        for key in module.layout.drives:
            law = mechanism.drives.get(key)
            at = None if law is None else law.evaluate(request.begin)
            unit = _unit(mechanism, key)
            rows += [
                (f"{'.'.join(key)}{end}", f"{unit}{per}", None if at is None else float(at[k]))
                for k, (end, per) in enumerate(rates)
            ]
    names = [name for name, _, _ in rows]
    found = [
        Input(name, c_name, unit, start)
        for (name, unit, start), c_name in zip(rows, c_names(prefix, "IN", names), strict=True)
    ]
    return with_ranges(found, request.ranges)


def _names_of_results(layout: Layout, mechanism: Mechanism) -> dict[str, list[tuple[str, str]]]:
    """Return name and unit of each element, by port."""
    pose: tuple[tuple[str, str], ...]
    twist: tuple[tuple[str, str], ...]
    rates: tuple[tuple[str, str], ...]
    if layout.planar:
        pose = (("x", "m"), ("y", "m"), ("phi", "rad"))
        twist = (("vx", "m/s"), ("vy", "m/s"), ("wz", "rad/s"))
        rates = (("ax", "m/s^2"), ("ay", "m/s^2"), ("alz", "rad/s^2"))
    else:
        pose = (*((a, "m") for a in "xyz"), *((f"q{k}", "1") for k in range(4)))
        twist = (*((f"v{a}", "m/s") for a in "xyz"), *((f"w{a}", "rad/s") for a in "xyz"))
        rates = (*((f"a{a}", "m/s^2") for a in "xyz"), *((f"al{a}", "rad/s^2") for a in "xyz"))
    found = {
        name: [(f"{body}.{end}", unit) for body in layout.bodies for end, unit in ends]
        for name, ends in (("poses", pose), ("twists", twist), ("accelerations", rates))
    }
    for name, (end, per) in zip(("q", "qd", "qdd"), _RATES, strict=True):
        keys = layout.coordinates
        found[name] = [(f"{'.'.join(key)}{end}", f"{_unit(mechanism, key)}{per}") for key in keys]
    axes = "xy" if layout.planar else "xyz"
    for name, letter, unit in (
        ("points", "", "m"),
        ("point_velocities", "v", "m/s"),
        ("point_accelerations", "a", "m/s^2"),
    ):
        found[name] = [(f"{body}.{point}.{letter}{a}", unit) for body, point, _ in layout.points for a in axes]
    return found


def _results(
    mechanism: Mechanism, layout: Layout, routine: Routine, inputs: Sequence[Input], prefix: str
) -> tuple[Result, ...]:
    named = _names_of_results(layout, mechanism)
    ports = [port for port in routine.ports if port.direction == "out" and port.name in named]
    pairs = [pair for port in ports for pair in named[port.name]]
    elements = [element for _, element in elements_of(ports, "out")]
    reached = dependencies(routine)
    of_element = _inputs_by_element(layout, inputs)
    names = [name for name, _ in pairs]
    return tuple(
        Result(name, c_name, unit, _in_order(inputs, {of_element[e] for e in reached[element] if e in of_element}))
        for (name, unit), element, c_name in zip(pairs, elements, c_names(prefix, "OUT", names), strict=True)
    )


def _in_order(inputs: Sequence[Input], names: set[str]) -> tuple[str, ...]:
    return tuple(each.name for each in inputs if each.name in names)


def _inputs_by_element(layout: Layout, inputs: Sequence[Input]) -> dict[str, str]:
    """Return which input an element of the solver's ports is."""
    if layout.by_law:
        return {"t": "t"}
    names = [each.name for each in inputs]
    rates = len(names) // len(layout.drives)
    return {
        f"{port}_{k + 1}": names[rates * k + order]
        for k in range(len(layout.drives))
        for order, port in enumerate(("u", "ud", "udd")[:rates])
    }


def _notes(module: WholeModule, chosen: tuple[int, ...] | str) -> Iterator[str]:
    if isinstance(chosen, tuple) and max(module.layout.branches) > 1:
        yield (
            f"branches {','.join(map(str, chosen))} are compiled in: right until the motion meets another branch "
            "(a change point); --branch follow goes smoothly through these"
        )
    if module.left_out:
        listed = ", ".join(str(number) for number, _ in module.left_out)
        yield f"group {listed} leads to no result and is left out, with its checks; --checks all makes them"
    if module.layout.alone:
        listed = ", ".join(map(str, module.layout.alone))
        yield f"of group {listed} only coordinates are asked for: checks are left out; --checks all keeps them"


def _trials(
    mechanism: Mechanism, module: WholeModule, request: MechanismRequest, inputs: Sequence[Input], follows: bool
) -> Iterator[Trial]:
    """Choose steps along the motion, at random, far off; those between what can be and cannot are added later."""
    rng = np.random.default_rng(17)
    every = _rows_along(mechanism, module, request, request.period if follows else _APART)
    rows, later = every[:_ALONG], every[_ALONG:]
    for number, row in enumerate(rows):
        yield Trial(number == 0, tuple(row), "along the motion")
    drawn = np.array(rows)
    middle, size = drawn.mean(axis=0), np.ptp(drawn, axis=0) + 0.1
    for number in range(_SPREAD + _FAR):
        far = number >= _SPREAD
        row = middle + (_BEYOND if far else 1.0) * size * rng.uniform(-1.0, 1.0, len(inputs))
        yield Trial(False, tuple(map(float, row)), "far off" if far else "at random")
    for row in later:
        yield Trial(False, tuple(row), "the motion goes on")


def _rows_along(
    mechanism: Mechanism, module: WholeModule, request: MechanismRequest, period: float
) -> list[list[float]]:
    """Return the inputs along the laws of the drives; about where they are without laws, slowly."""
    times = request.begin + period * np.arange(_ALONG + _LATER)
    if module.layout.by_law:
        return [[float(t)] for t in times]
    columns: list[np.ndarray] = []
    rates = 3 if request.stage == "all" else 1
    for number, key in enumerate(module.layout.drives):
        law = mechanism.drives.get(key)
        if law is None:
            phase = times + number
            columns += [0.2 * np.sin(phase), 0.2 * np.cos(phase), -0.2 * np.sin(phase)][:rates]
        else:
            columns += list(law.evaluate(times))[:rates]
    return [list(map(float, row)) for row in np.stack(columns, axis=1)]
