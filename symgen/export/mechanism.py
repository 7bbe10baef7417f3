"""A whole mechanism as the subject of an export: its drives become inputs, what is asked of it becomes results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from symgen.emit.c99_signature import c_symbol
from symgen.errors import InputError, MechanismError, SolveError
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
    moved_into_ranges,
    prefix_from,
    solver_id,
)
from symgen.ir.nodes import Kernel, Routine, Stage
from symgen.library.open import Library
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import did_you_mean
from symgen.model.pairs import PAIR_TYPES
from symgen.passes.dependencies import dependencies
from symgen.passes.machine_functions import functions_of_the_machine
from symgen.passes.tangent import why_no_tangent
from symgen.pipeline import generate_whole_texts
from symgen.pipeline.whole import lower_tangent, lower_whole
from symgen.printers.c99 import Math, Precision
from symgen.printers.newton import ROUNDS
from symgen.solve.branches import drawn_drives
from symgen.solve.motion import solve
from symgen.status import Status
from symgen.topology.loops.joint_motions import JOINT_MOTIONS
from symgen.whole.asked import RESULTS, Checks
from symgen.whole.layout import Drives, PortLayout
from symgen.whole.module import WholeModule, unchecked_lines, whole_module

#: Endings of the names of results.
_RATES_OF = ("rate", "acc")
_PLACE = ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az")
_TURN = ("phi", "q0", "q1", "q2", "q3", "wx", "wy", "wz", "alx", "aly", "alz")
#: So much of the file's own motion is looked at [s], in so many rows: does it leave the branches that are compiled in?
_WATCHED, _WATCHES = 1.0, 41
#: How a branch is chosen: by the reference configuration, followed, by the caller, or numbers.
WAYS = ("reference", "follow", "input")
_RATES = (("", ""), (".rate", "/s"), (".acc", "/s^2"))
#: Steps of the self-test along the laws; at random, and far off; how far beyond the motion; where branches meet.
_ALONG, _SPREAD, _FAR, _BEYOND, _MOST_MEETINGS = 24, 8, 6, 12.0, 2
#: Time between those steps where nothing is followed [s].
_APART = 0.043
#: Time between steps beside a meeting of branches [s].
_BESIDE = 1e-7
#: How near to where it begins a followed motion is taken up: radians, and parts of the mechanism's length.
_NEAR = 0.01
_LATEST = 1e9
_BYTES = {"double": 8, "float": 4}


@dataclass(frozen=True)
class MechanismRequest:
    """What is asked of the export of a mechanism.

    Parameters
    ----------
    drives : "inputs" takes values, rates and accelerations; "laws" takes the time.
    branch : one of `WAYS`, or numbers separated by commas, one for each group.
    period : time between two steps [s], where branches are followed; `own_period` if it was asked for.
    ranges : input -> least and greatest value; they take the place of those of the mechanism.
    iterative : how many steps Newton's method may take; None refuses groups without a closed form.
    command : what the files say that they are made by.
    tangent : with the exact derivatives of the step, if it can be differentiated.
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
    own_period: bool = False
    command: str = "export MECH --for embedded"
    begin: float = 0.0
    assembly: int | None = None
    tangent: bool = False


def mechanism_subject(mechanism: Mechanism, library: Library, request: MechanismRequest) -> Subject:
    """Take a mechanism apart and lay its export out.

    Raises
    ------
    StructureError, MechanismError, UnsolvedTypeError
        As `symgen.whole.module.whole_module`.
    InputError
        A result, range, branch or prefix that is not allowed; nothing tells which branch; a group that iterates.
    """
    if not (math.isfinite(request.begin) and abs(request.begin) <= _LATEST):
        raise InputError(f"--at {request.begin:g}: give a time in seconds, at most {_LATEST:g}")
    prefix = prefix_from(request.prefix, mechanism.name)
    _check_results(mechanism, request.results)
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
    _check_iterative(module, request.iterative, request.precision)
    chosen = _branches(module, request.branch)
    if request.assembly is not None and request.branch not in WAYS:
        raise InputError(
            f"--assembly {request.assembly}: --branch {request.branch} already gives the branches; omit one of the two"
        )
    follows = chosen == "follow"
    stage: Stage = "follow" if follows else request.stage
    if follows and request.stage == "position":
        raise InputError("--stages position: a followed branch needs rates; omit --stages, or give --branch numbers")
    wanted: tuple[Stage, ...] = ("follow", "begin") if follows else (stage,)
    if follows and module.beginning is None:
        raise InputError(
            f"nothing determines where to begin: {module.doubt or f'it is not solved at t = {request.begin:g} s'}; "
            "give --assembly K with --at T0, or laws for all drives"
        )
    fixed = chosen if isinstance(chosen, tuple) else None
    left = () if fixed is None else tuple(_left(mechanism, module, fixed, request.begin))
    if left and layout.by_law and request.branch == "reference":
        raise InputError(
            f"{mechanism.file or mechanism.name}: the motion of its laws leaves the branches in which it is drawn: "
            f"{_passages(left)}; give --branch follow, or --branch {','.join(map(str, chosen))} to stay in them"
        )
    module = replace(module, fixed=fixed, in_one=not follows and not layout.by_law)
    routine, *others = lower_whole(module, wanted)
    if request.math == "own":
        _check_own(mechanism, (routine, *others))
    no_tangent = why_no_tangent(routine) if request.tangent else "they were not asked for"
    changes = None if no_tangent else lower_tangent(routine)
    texts = generate_whole_texts(
        module,
        precisions=(request.precision,),
        backends=("c",),
        math=request.math,
        stages=wanted,
        batches=request.batch,
        rounds=request.iterative or ROUNDS,
        request=request.command,
        tangents=changes is not None,
    )
    files = {name: text for name, text in texts.items() if name.endswith((".c", ".h"))}
    stem = module.id + ("_f32" if request.precision == "float" else "")
    following = None
    if follows and module.beginning is not None:
        symbol = c_symbol(module.id, others[0], request.precision)
        near = () if layout.by_law else tuple(_near(mechanism, module))
        following = Following(layout.state_size, symbol, others[0], module.beginning.time, request.period, near)
    elif request.own_period:
        raise InputError("--period belongs to branches that are followed; omit it, or give --branch follow")
    if layout.by_law and request.own_period:
        raise InputError("--period belongs to drives that are inputs; laws get the time itself: omit it")
    inputs, dropped = _inputs(mechanism, module, request, prefix)
    if following is not None and not layout.by_law:
        _check_beginning(mechanism, inputs, following)
    several = max(layout.branches) > 1 and any(port.name == "branch" for port in routine.inputs)
    results = _results(mechanism, layout, routine, inputs, prefix)
    reached = {name for result in results for name in result.depends_on}
    motion = _motion(mechanism, layout, request, follows)
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
        results=results,
        branches=layout.branches if several else (),
        chosen=fixed,
        drawn=module.branch or (),
        following=following,
        by_law=layout.by_law,
        trials=tuple(_trials(mechanism, layout, routine, request, inputs, motion, follows)),
        motion=motion,
        checked=tuple(k for k, value in enumerate(inputs) if value.name not in reached),
        batch=request.batch,
        notes=(*_notes(module, request, chosen, left), *dropped, *moved_into_ranges(inputs)),
        tangent=changes,
        tangent_symbol="" if changes is None else c_symbol(module.id, changes, request.precision),
        no_tangent=no_tangent or "",
        steps=(request.iterative or ROUNDS) if layout.iterated else None,
    )


def _check_results(mechanism: Mechanism, words: Sequence[str]) -> None:
    """Refuse a part of a result by its name as the results have it, with what it is a part of."""
    joints = {f"{joint.id}.{freedom}" for joint in mechanism.joints for freedom in PAIR_TYPES[joint.type].freedoms}
    points = {f"{body.id}.{point}" for body in mechanism.bodies for point in body.points}
    bodies = {body.id for body in mechanism.bodies}
    for word in words:
        whole, dot, part = word.rpartition(".")
        kind, ends = (
            ("point", _PLACE) if whole in points
            else ("coordinate", _RATES_OF) if whole in joints
            else ("body", (*_PLACE, *_TURN)) if whole in bodies and word not in joints | points
            else ("", ())
        )  # fmt: skip
        if dot and part in ends:
            raise InputError(
                f"results: {word} is a part of the {kind} {whole}, whose numbers are written together: give {whole}"
            )


def _check_beginning(mechanism: Mechanism, inputs: Sequence[Input], following: Following) -> None:
    """Refuse ranges in which a motion that is followed cannot begin."""
    for k, near in following.near:
        value = inputs[k]
        if value.least is None or value.most is None or value.start is None:
            continue
        if not (value.least <= value.start + near and value.start - near <= value.most):
            raise InputError(
                f"{mechanism.file or mechanism.name}: the motion that is followed begins at {value.name} = "
                f"{value.start:g}, out of its range, {value.least:g} to {value.most:g}; give --at another time, or a "
                "wider range"
            )


def _check_iterative(module: WholeModule, most: int | None, precision: Precision) -> None:
    """Refuse groups without a closed form, unless it is said how many steps they may take; and to say it in vain."""
    iterated = [each.number for each in module.layout.iterated]
    if not iterated and most is not None:
        raise InputError(f"--allow-iterative {most}: no group iterates, because all have a closed form; omit it")
    if iterated and most is None:
        words = ", ".join(f"{n} ({module.groups[n - 1].group.signature})" for n in iterated)
        position: tuple[Stage, ...] = ("position",)
        (routine,) = lower_whole(module, position)
        kernels = [statement for statement in routine.body if isinstance(statement, Kernel)]
        held = sum(size * (4 if name == "pivots" else _BYTES[precision]) for k in kernels for name, size in k.scratch)
        raise InputError(
            f"group {words} has no closed form: Newton's method solves it, in as many steps as it takes, with "
            f"{held:,} B of stack for its arrays alone in {precision}. Use the inverse problem if that is enough "
            "(drive the bodies, ask for the joints: --results), or allow N of these steps in a call with "
            "--allow-iterative N; a call that needs more returns NOT_CONVERGED"
        )


def _check_own(mechanism: Mechanism, routines: Sequence[Routine]) -> None:
    """Refuse laws whose functions have other bits on other machines."""
    found = sorted({name for routine in routines for name in functions_of_the_machine(routine)})
    if found:
        raise InputError(
            f"{mechanism.file or mechanism.name}: the laws of its drives hold {', '.join(found)}, which only <math.h> "
            "has. Bits may differ between machines; give --drives inputs, or --math libm"
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
                f"the reference configuration does not determine the branches: {module.doubt}; give --branch K,K,..., "
                "one number for each group, or --assembly K"
            )
        return module.branch or tuple(0 for _ in layout.branches)
    if iterated:
        raise InputError(
            f"--branch {text}: group {', '.join(iterated)} has no closed form, so its branches have no numbers; give "
            "follow"
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


def _near(mechanism: Mechanism, module: WholeModule) -> Iterator[tuple[int, float]]:
    """Yield how far from the beginning the first step may be: no motion leads there that could be followed."""
    for number, key in enumerate(module.layout.drives):
        yield 3 * number, _NEAR if _unit(mechanism, key) == "rad" else _NEAR * module.size


def _inputs(
    mechanism: Mechanism, module: WholeModule, request: MechanismRequest, prefix: str
) -> tuple[tuple[Input, ...], list[str]]:
    """Return the inputs, and notes on ranges of the mechanism file that none of them has."""
    rows: list[tuple[str, str, float | None]] = []  # nothing begins at -0
    if module.layout.by_law:
        rows.append(("t", "s", request.begin + 0.0))
    else:
        rates = _RATES if request.stage == "all" else _RATES[:1]
        drawn = {key: (value, 0.0, 0.0) for key, value in drawn_drives(module.plan).items()}
        for key in module.layout.drives:
            law = mechanism.drives.get(key)
            at = drawn.get(key) if law is None else law.evaluate(request.begin)
            unit = _unit(mechanism, key)
            rows += [
                (f"{'.'.join(key)}{end}", f"{unit}{per}", None if at is None else float(at[k]) + 0.0)
                for k, (end, per) in enumerate(rates)
            ]
    names = [name for name, _, _ in rows]
    found = [
        Input(name, c_name, unit, start)
        for (name, unit, start), c_name in zip(rows, c_names(prefix, "IN", names), strict=True)
    ]
    names = [value.name for value in found]
    own = {name: pair for name, pair in mechanism.ranges.items() if name in names}
    dropped = [
        f"[ranges] {name} is not an input of this export, so it is not checked"
        for name in mechanism.ranges
        if name not in own
    ]
    return with_ranges(found, {**own, **(request.ranges or {})}, request.precision), dropped


def _names_of_results(layout: PortLayout, mechanism: Mechanism) -> dict[str, list[tuple[str, str]]]:
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
    mechanism: Mechanism, layout: PortLayout, routine: Routine, inputs: Sequence[Input], prefix: str
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


def _inputs_by_element(layout: PortLayout, inputs: Sequence[Input]) -> dict[str, str]:
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


def _left(
    mechanism: Mechanism, module: WholeModule, chosen: tuple[int, ...], begin: float
) -> Iterator[tuple[int, int, float]]:
    """Yield group, branch and time [s] where the motion of the file goes on in a branch that is not compiled in.

    A second of it is looked at; without laws for all drives there is no motion.
    """
    if max(module.layout.branches) == 1:
        return
    times = begin + np.linspace(0.0, _WATCHED, _WATCHES)
    try:
        found = solve(mechanism, times)
    except (MechanismError, SolveError):
        return
    for group in found.groups:
        if group.number not in module.layout.solved or module.layout.branches[group.number - 1] == 1:
            continue
        for time, branch, status in zip(times, group.branch_rows, group.status, strict=True):
            if status == Status.OK and branch != chosen[group.number - 1]:
                yield group.number, int(branch), float(time)
                break


def _passages(left: Sequence[tuple[int, int, float]]) -> str:
    return ", ".join(f"group {group} is in branch {branch} at t = {time:g} s" for group, branch, time in left)


def _notes(
    module: WholeModule,
    request: MechanismRequest,
    chosen: tuple[int, ...] | str,
    left: Sequence[tuple[int, int, float]],
) -> Iterator[str]:
    if request.branch in ("follow", "input") and max(module.layout.branches) == 1 and not module.layout.followed:
        to_do = "follow" if request.branch == "follow" else "choose"
        yield f"--branch {request.branch}: each group has only one branch, so there is nothing to {to_do}"
    if isinstance(chosen, tuple) and left:
        yield (
            f"branches {','.join(map(str, chosen))} are compiled in, but the motion of the file leaves them: "
            f"{_passages(left)}. There the results are those of another assembly; --branch follow continues smoothly"
        )
    elif isinstance(chosen, tuple) and max(module.layout.branches) > 1:
        yield (
            f"branches {','.join(map(str, chosen))} are compiled in: the results are right until the motion meets "
            "another branch (a change point); with --branch follow, an export with a memory passes change points "
            "smoothly"
        )
    if module.left_out:
        listed = ", ".join(str(number) for number, _ in module.left_out)
        one = len(module.left_out) == 1
        left_out = f"group {listed} leads to no result and is" if one else f"groups {listed} lead to no result and are"
        yield f"{left_out} left out, with {'its' if one else 'their'} checks; --checks all makes them"
    if module.layout.alone:
        listed = ", ".join(map(str, module.layout.alone))
        groups = f"group{'s' if len(module.layout.alone) > 1 else ''} {listed}"
        yield f"of {groups} only coordinates are requested, so checks are left out; --checks all keeps them"


def _trials(
    mechanism: Mechanism,
    layout: PortLayout,
    routine: Routine,
    request: MechanismRequest,
    inputs: Sequence[Input],
    motion: Callable[[float], tuple[float, ...]],
    follows: bool,
) -> Iterator[Trial]:
    """Choose steps along the motion, where branches meet, at random and far off; borders are added later."""
    rng = np.random.default_rng(17)
    caller = request.branch == "input" and any(port.name == "branch" for port in routine.inputs)

    def branch() -> tuple[int, ...]:
        return tuple(int(rng.integers(count)) for count in layout.branches) if caller else ()

    rows = [motion(number) for number in range(_ALONG)]
    for number, row in enumerate(rows):
        yield Trial(number == 0, row, "along the motion", branch())
    if not follows and not layout.by_law:
        yield from (Trial(False, row, "branches meet", branch()) for row in _meetings(mechanism, layout, request))
    drawn = np.array(rows)
    middle, size = drawn.mean(axis=0), np.ptp(drawn, axis=0) + 0.1
    for number in range(_FAR if follows else _SPREAD + _FAR):
        far = follows or number >= _SPREAD
        values = middle + (_BEYOND if far else 1.0) * size * rng.uniform(-1.0, 1.0, len(inputs))
        row = tuple(map(float, values))
        if not far:
            row = tuple(_drawn(value, x, rng) for value, x in zip(inputs, row, strict=True))
        yield Trial(False, row, "far off" if far else "at random", branch())
    if caller:
        yield Trial(False, rows[0], "no such branch", tuple(layout.branches))


def _drawn(value: Input, x: float, rng: np.random.Generator) -> float:
    """Return a number at random within the range of an input, or what was drawn without one."""
    if value.least is None or value.most is None:
        return x
    return float(rng.uniform(value.least, value.most))


def _meetings(mechanism: Mechanism, layout: PortLayout, request: MechanismRequest) -> list[tuple[float, ...]]:
    """Return the inputs at the first times at which branches meet along the laws, as `symgen.solve` finds them."""
    try:
        result = solve(mechanism, request.begin + _APART * np.arange(_ALONG))
    except (MechanismError, SolveError):  # it has no laws, or cannot be solved there
        return []
    times = [event.first for event in result.events if event.status is Status.SINGULAR][:_MOST_MEETINGS]
    # a meeting is known to some 1e-7 s, and what rounding hides around it may be narrower
    return [_law_row(mechanism, layout, request, time + _BESIDE * k) for time in times for k in range(-3, 4)]


def _law_row(mechanism: Mechanism, layout: PortLayout, request: MechanismRequest, time: float) -> tuple[float, ...]:
    """Return the inputs at a time by the laws of the drives; to and fro, slowly, without a law."""
    found: list[float] = []
    for number, key in enumerate(layout.drives):
        law = mechanism.drives.get(key)
        if law is None:
            phase = time + number
            row = [0.2 * math.sin(phase), 0.2 * math.cos(phase), -0.2 * math.sin(phase)]
        else:
            row = [float(part) for part in law.evaluate(time)]
        found += row if request.stage == "all" else row[:1]
    return tuple(found)


def _motion(
    mechanism: Mechanism, layout: PortLayout, request: MechanismRequest, follows: bool
) -> Callable[[float], tuple[float, ...]]:
    """Return the inputs of a step along the motion by its number."""
    period = request.period if follows else _APART

    def of(number: float) -> tuple[float, ...]:
        time = request.begin + period * number
        return (time,) if layout.by_law else _law_row(mechanism, layout, request, time)

    return of
