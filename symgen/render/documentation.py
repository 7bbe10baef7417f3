"""The words of generated files: what arguments mean, which statuses come back, what holds for every function.

Everything here returns finished lines; text that a person wrote passes `free_text` on its way.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace

from symgen.emit.folding import INDENT, called
from symgen.ir.nodes import Port, Routine
from symgen.lower import leaves_for_singular, statuses, writes_for_singular
from symgen.naming import free_text
from symgen.printers.c99 import Precision
from symgen.printers.float_bounds import float_text
from symgen.printers.operations import bound_of_search, count_operations
from symgen.printers.tolerances import TOLERANCE_TEXT
from symgen.status import MEANING, Status

WIDTH = 110

STAGE_TITLES = {
    "position": "Position",
    "velocity": "Velocity, given the position",
    "acceleration": "Acceleration, given position and velocity",
    "all": "Position, velocity and acceleration in one call",
    "condition": "Condition of the system of rates, given the position",
    "inner": "Part of other functions",
    "follow": "Position, velocity and acceleration of the branch followed so far",
    "begin": "Where to begin",
    "poses": "Poses of all bodies by products of exponentials",
    "closure": "Closure of every loop, cut-body form",
    "jacobian": "Jacobian of the closure: instantaneous joint screws around every loop",
    "bias": "Bias of a higher derivative of the closure, by Lie brackets",
    "cut": "Closure of every loop, cut-joint form",
    "cut_jacobian": "Jacobian of the cut-joint constraints",
    "constraint": "Residual and Jacobian",
    "constraint_bias": "Rate and bias of the derivatives of the residual",
    "part": "Part of the dynamics",
    "element": "Element of transfer matrices",
    "tangent": "Change of all results for a small change of the inputs",
}

#: What SINGULAR returns depends on the stage; everything else means the same everywhere.
_SINGULAR = {
    "position": "branches meet here: outputs are written, but rates cannot be determined",
    "all": "branches meet here: rates are not determined, nothing is written",
    "follow": "branches meet here: outputs are the expected limit of the smooth motion",
}
_SINGULAR_REFUSED = "the results are not determined here, nothing is written"
_SINGULAR_RATES = "rates are not determined in this position, nothing is written"


def title_line(text: str) -> str:
    """Return a title as the beginning of a sentence."""
    title = free_text(text)
    return title[:1].upper() + title[1:]


def overview_line(line: str) -> str:
    """Return a line of a derivation's overview; its indentation and its columns are kept."""
    indent = " " * (len(line) - len(line.lstrip()))
    parts = re.split(r"( {2,})", line.strip())
    text = "".join(part if part.isspace() else free_text(part) for part in parts)
    return f"{indent}{text}" if text else ""


#: Frames and ranges that go without saying: `convention_lines` says them for all arguments.
_UNTOLD = ("", "world", "finite")


def port_lines(port: Port, name: str) -> list[str]:
    """Return the documentation of one argument: direction, size, unit, meaning, frame, range."""
    size = "x".join(str(n) for n in port.shape) or ("integer" if port.kind == "int" else "scalar")
    unit = f" [{free_text(port.unit)}]" if port.unit else ""
    frame = f"; frame: {free_text(port.frame)}" if port.frame not in _UNTOLD else ""
    allowed = f"; {free_text(port.range)}" if port.direction == "in" and port.range not in _UNTOLD else ""
    text = f"{port.direction} {name} ({size}){unit}: {free_text(port.meaning)}{frame}{allowed}."
    return textwrap.wrap(text, WIDTH - 4, subsequent_indent=INDENT)


def argument_lines(routines: Sequence[Routine], name_of: Callable[[Port], str]) -> tuple[tuple[str, ...], ...]:
    """Return the documentation of the arguments of each routine.

    What a routine of the same level has said of an argument is not said again: it is named instead.
    """
    said: dict[str, dict[str, tuple[Port, str]]] = {}
    return tuple(_argument_lines(routine, name_of, said.setdefault(routine.level, {})) for routine in routines)


def _argument_lines(
    routine: Routine, name_of: Callable[[Port], str], said: dict[str, tuple[Port, str]]
) -> tuple[str, ...]:
    lines: list[str] = []
    again: dict[str, dict[str, list[str]]] = {}
    for port in routine.ports:
        known, where = said.get(port.name, (port, ""))
        alike = replace(known, direction=port.direction, range=port.range) == port
        if where and alike:
            again.setdefault(where, {}).setdefault(port.direction, []).append(name_of(port))
        else:
            lines += port_lines(port, name_of(port))
            said[port.name] = (port, routine.name)
    for where, sides in again.items():
        text = "; ".join(f"{direction} {', '.join(names)}" for direction, names in sides.items())
        lines += textwrap.wrap(f"As for {where}: {text}.", WIDTH - 4, subsequent_indent=INDENT)
    return tuple(lines)


def status_lines(routine: Routine) -> tuple[str, ...]:
    """Return the table of the statuses that a routine can return, one line each."""
    found = statuses(routine)
    wide = max(len(status.name) for status in found)
    return tuple(f"{status.name:{wide}}  {_meaning(status, routine)}" for status in found)


def status_table(routines: Sequence[Routine], prefix: str) -> tuple[str, ...]:
    """Return the table of the statuses that routines can return; a line for each of its meanings."""
    found = sorted({status for routine in routines for status in statuses(routine)})
    wide = max(len(status.name) for status in found)
    rows: list[tuple[Status, str]] = []
    for status in found:
        returning = [routine for routine in routines if status in statuses(routine)]
        meanings: dict[str, str] = {_meaning(status, routine): routine.stage for routine in returning}
        if status is Status.SINGULAR and any(r.stage == "position" and leaves_for_singular(r) for r in returning):
            meanings = {_SINGULAR_REFUSED: ""}  # a guard of the position: no routine has results there
        if status is Status.BAD_INPUT:
            rows.append((status, max(meanings, key=len)))
        elif len(meanings) == 1:
            rows += [(status, meaning) for meaning in meanings]
        else:
            words = {meaning: "others" if meaning == _SINGULAR_RATES else stage for meaning, stage in meanings.items()}
            rows += [(status, f"{word}: {meaning}") for meaning, word in words.items()]
    return tuple(f"{prefix}{status.name:{wide}}  {text}" for status, text in rows)


def _meaning(status: Status, routine: Routine) -> str:
    """Return what a status means for this routine: what it returns, what can be wrong with its inputs."""
    if status is Status.SINGULAR:
        if routine.stage == "position" and not writes_for_singular(routine):
            return _SINGULAR_REFUSED
        return _SINGULAR.get(routine.stage, _SINGULAR_RATES)
    if status is Status.BAD_INPUT:
        branch = ", or no such branch" if routine.has_branch else ""
        return f"NaN or infinity in an input or a result, an input out of its range{branch}"
    return MEANING[status]


def operations_line(routine: Routine) -> str:
    """Return the operation counts of a routine."""
    counts = count_operations(routine)
    text = ", ".join(f"{number} {kind}" for kind, number in counts.items() if number) or "none"
    bound = bound_of_search(routine)
    if bound is None:
        return text
    what = "a polynomial" if bound.polynomials == 1 else f"{bound.polynomials} polynomials at most"
    return f"{text}, and {bound.zeros} zeros of {what}, in {bound.rounds} rounds at most"


def writes_singular(routine: Routine) -> bool:
    """Tell whether a routine can return SINGULAR and writes its results all the same."""
    if routine.stage == "position":
        return writes_for_singular(routine)
    return routine.stage == "follow" and Status.SINGULAR in statuses(routine)


#: Shape and units of a pose in space; seven coordinates of joints are none.
_POSE = {((7,), "m, 1"), ((7,), "m, m, m, 1, 1, 1, 1")}


def convention_lines(routines: Sequence[Routine], *, planar: bool | None = None) -> tuple[str, ...]:
    """Return the conventions of the arguments: units, and what a pose is in this module's space.

    Parameters
    ----------
    planar : the space; None where the ports tell it, by the units of a pose.
    """
    kinds = {(port.shape, port.unit) for routine in routines for port in routine.ports}
    text = "SI units, angles in rad, world axes unless a frame is named. Inputs are finite."
    if planar is False or (planar is None and not kinds.isdisjoint(_POSE)):
        text += (
            " Poses are [x, y, z, q0, q1, q2, q3]: the position of a frame's origin and its unit quaternion, scalar"
            " first, which takes components in the frame to the world (of a joint frame: to its body). Twists are the"
            " velocity of the origin, then the angular velocity; accelerations likewise. In a joint frame, z is the"
            " first axis of the pair (R, C and U turn about it, P and C slide along it) and x is the second."
        )
    elif planar or ((3,), "m, m, rad") in kinds:
        text += (
            " Poses are [x, y, phi]: the position of a frame's origin and its angle from the world's x axis (of a"
            " joint frame: from its body's). Twists are [vx, vy, omega], accelerations [ax, ay, alpha], of the origin."
            " A revolute pair turns about the origin of its joint frames, a prismatic pair slides along their x axis."
        )
    return tuple(textwrap.wrap(text, WIDTH))


_IN_COLUMNS = (
    "`_columns` functions do the same with a pointer to each column of numbers: of real inputs (`from`), of whole ones"
    " (`picked`), of results (`to`), of whole results (`tell`, NULL if there are none), in the order of the arguments."
    " symgen_lanes.h says how both run in vector registers, to the same bits (-DSYMGEN_OVERWRITE: columns of a row that"
    " failed may hold anything). "
)


def calling_lines(
    routines: Sequence[Routine], precision: Precision, *, with_batches: bool = True, with_lanes: bool = False
) -> tuple[str, ...]:
    """Return what holds for every call in C."""
    text = (
        "Inputs are const, outputs come last and must not overlap them. Outputs are written if the status is SYMGEN_OK,"
        " otherwise they keep their previous values; NaN and infinity are never written."
    )
    if any(writes_singular(routine) for routine in routines):
        bound = TOLERANCE_TEXT["FOLD_TOLERANCE"][precision].strip("()")
        text += (
            " Position functions write them for SYMGEN_SINGULAR too: the radicand that separates two branches is below"
            f" {bound} of its scale or below its rounding error, and the position is where the branches meet."
        )
    shared = list(dict.fromkeys(port.name for routine in routines for port in routine.ports if port.shared))
    rows = "Every function is re-entrant: no allocation, no state."
    if with_batches:
        rows = (
            "`_batch` functions take `rows` rows in contiguous arrays and write the status of each row; they return"
            f" the first of these that is not SYMGEN_OK, else SYMGEN_OK. {_one_for_all(shared, with_lanes=with_lanes)}"
            f"{_IN_COLUMNS if with_lanes else ''}{rows}"
        )
    return (*textwrap.wrap(text, WIDTH), *textwrap.wrap(rows, WIDTH))


def _one_for_all(shared: Sequence[str], *, with_lanes: bool) -> str:
    """Return what a batch of rows takes once."""
    if not shared:
        return ""
    listed = " and ".join([", ".join(shared[:-1]), shared[-1]] if len(shared) > 1 else shared)
    columns = f"; `_columns` functions take {'them' if len(shared) > 1 else 'it'} for each row" if with_lanes else ""
    return f"They take {listed} once for all rows{columns}. "


def accuracy_lines(module: str, routines: Sequence[Routine], precision: Precision) -> tuple[str, ...]:
    """Return how accurate a module of the library is in float."""
    of_library = precision == "float" and any(routine.level == "group" for routine in routines)
    accuracy = float_text(module) if of_library else ()
    return tuple(line for paragraph in accuracy for line in textwrap.wrap(paragraph, WIDTH))


def example_lines(
    routine: Routine, symbol: str, parameters: Sequence[str], arguments: Sequence[str]
) -> tuple[str, ...]:
    """Return a C function that calls a routine in its first branch and looks at the status.

    Parameters
    ----------
    routine : the routine that is called.
    symbol : its name in C.
    parameters, arguments : of the routine, in the order of its ports.
    """
    first = [port.kind == "int" and port.direction == "in" and not port.shape for port in routine.ports]
    kept = [text for text, is_branch in zip(parameters, first, strict=True) if not is_branch]
    passed = ["0" if is_branch else text for text, is_branch in zip(arguments, first, strict=True)]
    width = WIDTH - 4
    call = called(f"const symgen_status status = {symbol}", passed, ";", width - len(INDENT))
    return (
        *called("int example", kept, "", width),
        "{",
        *(INDENT + line for line in call),
        f"{INDENT}if (status != SYMGEN_OK) {{",
        f"{2 * INDENT}return 0; // see the table of statuses",
        f"{INDENT}}}",
        f"{INDENT}return 1; // outputs are written",
        "}",
    )
