"""How a step calls the solver, in C: its state, what it refuses, its arguments, and the words of its header."""

from __future__ import annotations

import json
import textwrap
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from symgen.emit.folding import INDENT, folded
from symgen.export.subject import Subject
from symgen.ir.nodes import Port
from symgen.lower import statuses
from symgen.naming import free_text
from symgen.render.documentation import WIDTH, overview_line, title_line
from symgen.render.export import MemberView, NumberView, StepView, names_of
from symgen.status import MEANING, Status

#: Ports of the drives of a mechanism, where they are not one.
_DRIVES = ("u", "ud", "udd")
_PASSED = "state->since += state->period; /* its time has passed all the same */"
_LOST = (
    "the motion is lost: no branch goes on smoothly from the last step that was solved, or the way from there is too "
    "long to decide; begin anew"
)
_WRITES_SINGULAR = "for a followed branch: results are the expected limit of the smooth motion"


def abi(subject: Subject) -> int:
    """Return a number that changes with the names, the order or the type of inputs and results."""
    interface = [subject.prefix, subject.real, [v.name for v in subject.inputs], [v.name for v in subject.results]]
    return zlib.crc32(json.dumps(interface).encode())


def literal(value: float, real: str) -> str:
    """Return a number of a type in C, the shortest that gives it back."""
    return f"{np.float32(value)!s}F" if real == "float" else repr(float(value))


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(f" {line}" if line else "" for line in map(overview_line, texts))


def step_view(subject: Subject) -> StepView:
    """Return the view of the public header and of the functions behind it."""
    prefix, upper = subject.prefix, subject.prefix.upper()
    counts = (len(subject.inputs), len(subject.results))
    names = [(f"{prefix}_{end}", f"{upper}_{end}") for end in ("INPUTS", "RESULTS", "ABI")]
    given, call, taken = _call(subject)
    return StepView(
        preamble=(),
        title=title_line(subject.title),
        about=_lines(subject.about),
        source=free_text(subject.source),
        prefix=prefix,
        names=names_of(prefix),
        guard=f"{upper}_H",
        real=subject.real,
        abi=f"0x{abi(subject):08X}U",
        aliases=tuple(names) if prefix != upper else (),
        inputs=_numbers([(v.c_name, _input_words(v.name, v.unit, v.least, v.most)) for v in subject.inputs]),
        results=_numbers([(v.c_name, f"{v.name} [{v.unit}]") for v in subject.results]),
        input_count=counts[0],
        result_count=counts[1],
        statuses=_statuses(subject),
        state=_state(subject),
        usage=_lines(_usage(subject)),
        solver_header=subject.header,
        refused=tuple(refusals(subject)),
        begin=_begin(subject),
        given=given,
        symbol=subject.symbol,
        call=call,
        marks=subject.routine.marks,
        follows=subject.following is not None,
        taken=taken,
        refusing=(_PASSED,) if _passes(subject) else (),
        missed=_missed(subject),
    )


def refusals(subject: Subject) -> Iterator[str]:
    """Yield conditions in which a step is not taken: out of a range, not finite, not where the motion begins."""
    real, following = subject.real, subject.following
    largest = "FLT_MAX" if real == "float" else "DBL_MAX"
    for k, value in enumerate(subject.inputs):
        if value.least is not None and value.most is not None:
            low, high = literal(value.least, real), literal(value.most, real)
        elif k in subject.checked:  # the solver does not read it
            low, high = f"-{largest}", largest
        else:
            continue
        yield f"!(inputs[{value.c_name}] >= {low} && inputs[{value.c_name}] <= {high})"
    if following is not None and not subject.by_law:
        yield f"!(state->period > 0 && state->period <= {largest})"
        for k, near in following.near:
            value = subject.inputs[k]
            start, place = value.start or 0.0, f"inputs[{value.c_name}]"
            within = f"{place} >= {literal(start - near, real)} && {place} <= {literal(start + near, real)}"
            yield f"state->begun == 0 && !({within})"


def following_words(subject: Subject) -> tuple[str, ...]:
    """Return what a caller has to know of a branch that is followed, a paragraph each; nothing if none is."""
    following, prefix = subject.following, subject.prefix
    if following is None:
        return ()
    begun = (
        f"The branch is followed from one step to the next, from t = {following.time:g} s on; a step that is not solved"
        " leaves the motion where it was, and the next one is predicted from there."
    )
    if subject.by_law:
        return (begun, f"A motion that is lost (BRANCH_LOST, AMBIGUOUS) begins anew with {prefix}_init, at that time.")
    places = ", ".join(f"{subject.inputs[k].name} = {subject.inputs[k].begin:g}" for k, _ in following.near)
    return (
        begun,
        f"The first step has to be taken where the motion begins: {places}, to a hundredth (rad, or of the"
        " mechanism's length). Anywhere else it is BAD_INPUT.",
        "Inputs are known at the steps only: `period` of the state is the time between two of them, "
        f"{following.period:g} s unless you set it after {prefix}_init; above 0, and as short as the motion needs. "
        "Steps that were not solved count, even one whose inputs were NaN or infinite. A step that was refused "
        "because of a range does not count: if time went on, add it to `since`.",
        "Rates and accelerations have to be those of the values: a drive that moves with rates of 0, or stands still"
        " with its last rate, loses the branch.",
        f"After BRANCH_LOST or AMBIGUOUS most steps return the same status. Only {prefix}_init begins anew, and the "
        "step after it has to be where the motion begins: drive the mechanism back there first.",
    )


def _passes(subject: Subject) -> bool:
    """Tell whether a step that is not solved takes its time: a branch is followed, and the step is not told it."""
    return subject.following is not None and not subject.by_law


def _missed(subject: Subject) -> tuple[str, ...]:
    return ("else {", f"{INDENT}{_PASSED}", "}") if _passes(subject) else ()


def _input_words(name: str, unit: str, least: float | None, most: float | None) -> str:
    allowed = "" if least is None or most is None else f", {least:g} to {most:g}"
    return f"{name} [{unit}]{allowed}"


def _numbers(rows: Sequence[tuple[str, str]]) -> tuple[NumberView, ...]:
    last = len(rows) - 1
    return tuple(
        NumberView(name, f"{' = 0' if k == 0 else ''}{',' if k != last else ''}", free_text(words))
        for k, (name, words) in enumerate(rows)
    )


def meanings(subject: Subject) -> dict[Status, str]:
    """Return the statuses of a step, each with what it means to whoever takes it."""
    returned = {*statuses(subject.routine), Status.OK, Status.BAD_INPUT}
    words = {status: MEANING[status] for status in Status}
    words[Status.SINGULAR] = "branches meet here, rates are not determined: nothing is written"
    words[Status.BAD_INPUT] = f"an input is not finite, or out of its range; or {subject.prefix}_init was not called"
    if subject.following is not None and not subject.by_law:
        words[Status.BAD_INPUT] += "; or the first step is not where the motion begins"
    elif subject.routine.level == "group":
        words[Status.BAD_INPUT] += "; or a quaternion is not of unit length, or there is no such branch"
    elif subject.branch_is_input:
        words[Status.BAD_INPUT] += "; or there is no such branch"
    if subject.following is not None:
        words[Status.SINGULAR] = _WRITES_SINGULAR
        words[Status.BRANCH_LOST] = _LOST
        words[Status.AMBIGUOUS] = "several branches may be the one that goes on from the last step that was solved"
    elif subject.stage == "position":
        words[Status.SINGULAR] = "branches meet here: results are written, rates would not be determined"
    words.update((status, text) for status, text in subject.meanings.items() if status is not Status.BAD_INPUT)
    return {status: text for status, text in words.items() if status in returned}


def _statuses(subject: Subject) -> tuple[str, ...]:
    found = meanings(subject)
    wide = max(len(status.name) for status in found)
    return tuple(f"SYMGEN_{status.name:{wide}}  {text}" for status, text in found.items())


def _usage(subject: Subject) -> list[str]:
    prefix, upper = subject.prefix, subject.prefix.upper()
    also = " and SYMGEN_SINGULAR" if writes_singular(subject) else ""
    lines = [
        f"Results are written for SYMGEN_OK{also}, else they keep their values; NaN and infinity are never written. "
        "SI units, angles in rad. There is no heap and no data except what the caller passes: any number of "
        "mechanisms and threads.",
    ]
    lines += following_words(subject)
    if subject.ports:
        lines.append("What the names of inputs and results mean:")
        lines += (f"{each.name}: {each.meaning}" for each in subject.ports)
    if subject.branch_is_input:
        drawn = ",".join(map(str, subject.drawn)) if subject.drawn else "0"
        why = "in which it is drawn" if subject.drawn else "the drawing does not determine one"
        lines.append(
            f"{prefix}_init sets `branch` of the state to {drawn} ({why}); set it to the branch that you mean."
        )
    wrapped = [line for text in lines for line in _wrapped(text)]
    return [
        *wrapped,
        "",
        f"    {prefix}_state state;",
        f"    {subject.real} inputs[{upper}_INPUTS], results[{upper}_RESULTS];",
        f"    {prefix}_init(&state);",
        f"    inputs[{subject.inputs[0].c_name}] = ...;",
        f"    status = {prefix}_step(&state, inputs, results);",
    ]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH)


def _state(subject: Subject) -> tuple[MemberView, ...]:
    real, following = subject.real, subject.following
    members = [
        MemberView(
            "uint32_t abi;", (f"{subject.prefix.upper()}_ABI, by which {subject.prefix}_step recognises its own state")
        ),
        MemberView("symgen_status status;", "of the last step that was not BAD_INPUT"),
    ]
    if subject.routine.marks:
        members.append(MemberView("int32_t group;", "the structural group that could not be solved in it, 0: none"))
        members.append(MemberView("int32_t tried;", "the same of any step: the solver uses it"))
    if subject.branch_is_input:
        counts = subject.branches
        meant = ", ".join(f"group {k + 1} in [{k}]: 0 to {n - 1}" for k, n in enumerate(counts) if n > 1)
        members.append(MemberView(f"int32_t branch[{len(counts)}];", f"branches; {meant}"))
    if following is not None:
        if subject.by_law:
            members.append(MemberView(f"{real} time;", "of the last step that was solved [s]"))
        else:
            members.append(MemberView(f"{real} period;", "time between two steps [s]; yours to set"))
            members.append(MemberView(f"{real} since;", "time of steps that were not solved since one was [s]"))
            members.append(MemberView("int32_t begun;", "whether a step has been solved"))
        members.append(MemberView(f"{real} before[{following.state}];", "the motion that is followed"))
    return tuple(members)


def _begin(subject: Subject) -> tuple[str, ...]:
    following = subject.following
    lines = [f"state->abi = {subject.prefix.upper()}_ABI;", "state->status = SYMGEN_OK;"]
    if subject.routine.marks:
        lines += ["state->group = 0;", "state->tried = 0;"]
    if subject.branch_is_input:
        drawn = subject.drawn or (0,) * len(subject.branches)
        lines += [f"state->branch[{k}] = {number};" for k, number in enumerate(drawn)]
    if following is None:
        return (*lines, "return SYMGEN_OK;")
    if subject.by_law:
        lines.append(f"state->time = {literal(following.time, subject.real)};")
    else:
        lines += [
            f"state->period = {literal(following.period, subject.real)};",
            "state->since = 0;",
            "state->begun = 0;",
        ]
    known = {"state": "state->before", "group": "&state->group"}
    scratch = [p for p in following.begin_routine.ports if p.name not in known]
    declared = [f"{subject.real} {port.name}[{len(port.elements)}];" for port in scratch]
    arguments = [known.get(port.name, port.name) for port in following.begin_routine.ports]
    return (*declared, *lines, f"return {following.begin}({', '.join(arguments)});")


def _call(subject: Subject) -> tuple[tuple[str, ...], str, tuple[str, ...]]:
    """Return the declarations before the solver's call, its arguments, and what goes on from a step that was solved."""
    real, routine, following = subject.real, subject.routine, subject.following
    given: list[str] = []
    arguments: list[str] = []
    taken_inputs = taken_results = 0
    drives = len(subject.inputs) // (3 if subject.stage == "all" else 1)
    for port in routine.ports:
        name = port.name
        if port.direction == "in" and name in _DRIVES and routine.level == "mechanism":
            order = _DRIVES.index(name)
            stride = 3 if subject.stage == "all" else 1
            places = [f"inputs[{subject.inputs[stride * k + order].c_name}]" for k in range(drives)]
            given += _array(f"const {real} {name}[{drives}]", places)
            arguments.append(name)
        elif name == "branch":
            arguments.append(_branch(subject, port, given))
        elif name == "dt" and following is not None:
            passed = f"state->begun != 0 ? state->since + state->period : {zero(real)}"
            step = "inputs[0] - state->time" if subject.by_law else passed
            given.append(f"const {real} dt = {step};")
            arguments.append("dt")
        elif name == "before" and following is not None:
            arguments.append("state->before")
        elif name == "state" and following is not None:
            given.append(f"{real} reached[{following.state}];")
            arguments.append("reached")
        elif name == "group":
            arguments.append("&state->tried")  # not on the stack, which is short
        elif name == "certificates":
            given.append(f"{real} certificates[{len(port.elements)}];")
            arguments.append("certificates")
        elif port.direction == "in":
            arguments.append(f"inputs + {taken_inputs}" if port.shape else f"inputs[{taken_inputs}]")
            taken_inputs += len(port.elements)
        else:
            arguments.append(f"results + {taken_results}")
            taken_results += len(port.elements)
    arguments = [each.removesuffix(" + 0") for each in arguments]
    call = f"\n{2 * INDENT}".join(folded(arguments, WIDTH - 2 * len(INDENT)))
    return tuple(given), call, _taken(subject)


def tangent_call(subject: Subject) -> tuple[tuple[str, ...], str]:
    """Return declarations before a call of the exact derivatives, and its arguments.

    They are taken at `inputs` along `seed`, both in the order of the step's inputs, and written to `change` in the
    order of its results.
    """
    routine = subject.tangent
    if routine is None:
        return (), ""
    old = subject.routine
    mechanism = old.level == "mechanism" and not subject.by_law
    stride = 3 if subject.stage == "all" else 1
    offsets: dict[str, int] = {}
    for port in old.inputs:
        if port.kind == "real":
            offsets[port.name] = sum(len(p.elements) for p in old.inputs if p.kind == "real" and p.name in offsets)
    given: list[str] = []
    arguments: list[str] = []
    written = 0
    for port in routine.ports:
        name = port.name
        if port.kind == "int":
            if port.direction == "out":
                given.append("int32_t group = 0;")
                arguments.append("&group")
            else:
                arguments.append(_branch(subject, port, given))
        elif port.direction == "out":
            arguments.append(f"change + {written}")
            written += len(port.elements)
        else:
            source, base = ("inputs", name) if name in offsets else ("seed", name.removeprefix("d_"))
            if mechanism and base in _DRIVES:
                first = _DRIVES.index(base)
                places = [f"{source}[{stride * k + first}]" for k in range(len(port.elements))]
                given += _array(f"const {subject.real} {name}[{len(places)}]", places)
                arguments.append(name)
            else:
                arguments.append(f"{source} + {offsets[base]}" if port.shape else f"{source}[{offsets[base]}]")
    if not any("inputs" in text for text in (*given, *arguments)):
        given.append("(void)inputs;")
    if not any("seed" in text for text in (*given, *arguments)):
        given.append("(void)seed;")
    arguments = [each.removesuffix(" + 0") for each in arguments]
    return tuple(given), f"\n{2 * INDENT}".join(folded(arguments, WIDTH - 2 * len(INDENT)))


def writes_singular(subject: Subject) -> bool:
    """Tell whether a step writes results for SINGULAR: a position, or the limit of a motion that is followed."""
    singular = Status.SINGULAR in statuses(subject.routine)
    return singular and (subject.following is not None or subject.stage == "position")


def zero(real: str) -> str:
    """Return nothing, as a number of a type in C."""
    return "0.0F" if real == "float" else "0.0"


def _array(declaration: str, values: Sequence[str]) -> list[str]:
    lines = folded(values, WIDTH - 2 * len(INDENT))
    if len(lines) == 1:
        return [f"{declaration} = {{ {lines[0]} }};"]
    return [f"{declaration} = {{", *(f"{INDENT}{line}" for line in lines), "};"]


def _branch(subject: Subject, port: Port, given: list[str]) -> str:
    if subject.chosen is None:
        return "state->branch" if port.shape else "state->branch[0]"
    if not port.shape:
        return str(subject.chosen[0])
    given += _array(f"static const int32_t branch[{len(subject.chosen)}]", list(map(str, subject.chosen)))
    return "branch"


def _taken(subject: Subject) -> tuple[str, ...]:
    following = subject.following
    if following is None:
        return ()
    kept = ("state->time = inputs[0];",) if subject.by_law else ("state->since = 0;", "state->begun = 1;")
    return (
        f"for (int k = 0; k < {following.state}; ++k) {{", f"{INDENT}state->before[k] = reached[k];", "}", *kept,
    )  # fmt: skip
