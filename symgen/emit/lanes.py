"""Rows side by side: which routines can be solved in lanes of vector registers, and the texts that say how.

The text of a solver is compiled twice (``symgen_lanes.h``): by itself, where a guard that does not hold returns, and
for lanes, where it notes a status and goes on. So the whole body is one block with one way out, and the compiler's
vectoriser takes a loop over rows around it. Nothing is calculated in another way: addition, multiplication, division
and sqrt round by themselves in every lane, and our own sine, cosine and atan2 are made of those.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from symgen.algebra import machine_functions_in, symbol_names
from symgen.emit.names import written, written_left
from symgen.ir.nodes import Call, Flag, Guard, Let, Mark, Port, Routine


@dataclass(frozen=True)
class LaneTexts:
    """What the macros of ``symgen_lanes.h`` are told of a function: its rows as columns, numbered in port order.

    Parameters
    ----------
    sizes : numbers of real inputs, of whole inputs, of results, of whole results.
    fits : whether the whole inputs of a row are in range.
    waits : whether the result with number `k` is written when all is done; parts side by side write theirs at once.
    arguments : of the solver, out of the arrays `given`, `chosen`, `found` and `told`.
    takes, gives : how rows become columns, and results rows.
    reads : how a lane reads its numbers out of rows or out of those columns.
    """

    sizes: str
    fits: str
    waits: str
    arguments: tuple[str, ...]
    takes: tuple[str, ...]
    reads: tuple[str, ...]
    gives: tuple[str, ...]


@lru_cache(maxsize=4096)
def runs_in_lanes(routine: Routine) -> bool:
    """Tell whether a routine is a straight way from inputs to results: steps, checks, and calls of such routines.

    One that iterates, picks a pivot or a root by rank takes as many turns as its row needs; rows beside it would wait.
    A row's whole numbers are single ones (``CHOOSE`` and ``TELL`` in ``symgen_lanes.h``), vectors of them are shared.
    """
    has_rows = any(port.kind == "real" and not port.shared for port in routine.inputs)
    has_whole_rows = any(port.kind == "int" and port.shape and not port.shared for port in routine.ports)
    return has_rows and not has_whole_rows and all(map(_is_straight, routine.body))


def _is_straight(statement: object) -> bool:
    if isinstance(statement, Call):
        values = [value for group in statement.inputs for value in group]
        return runs_in_lanes(statement.routine) and not any(map(machine_functions_in, values))
    if isinstance(statement, Let):
        return not any(map(machine_functions_in, written(statement)))
    if isinstance(statement, Guard):
        return not any(machine_functions_in(value) for c in statement.checks for value in (written_left(c), c.right))
    return isinstance(statement, (Flag, Mark))


def numbers_in_lanes(routines: Sequence[Routine]) -> dict[str, int]:
    """Return the numbers of those of a module's functions that run in lanes, by name; they count from 1."""
    return {routine.name: number for number, routine in enumerate(routines, 1) if runs_in_lanes(routine)}


def widths_of_rows(routines: Sequence[Routine]) -> tuple[int, ...]:
    """Return the widths of rows of results for which a module's batches have functions of their own, each once."""
    outputs = [
        port for routine in routines if runs_in_lanes(routine) for port in routine.ports if port.direction == "out"
    ]
    widths = {port.shape[0] for port in outputs if port.kind == "real" and port.shape}
    return tuple(sorted(width for width in widths if _TURNED <= width <= _WIDEST))


@lru_cache(maxsize=4096)
def _numbers_read(routine: Routine) -> frozenset[str]:
    """Return the names of a routine's numbers that something is made of, also in the routines that it calls."""
    values = [value for output in routine.outputs for value in output.values]
    for statement in routine.body:
        if isinstance(statement, Call):
            read = _numbers_read(statement.routine)
            groups = zip(statement.routine.inputs, statement.inputs, strict=True)
            values += [v for port, group in groups for e, v in zip(port.elements, group, strict=True) if e in read]
        else:
            values += statement.reads
    return frozenset(name for value in values for name in symbol_names(value))


#: Rows of so many numbers the vectoriser reads where they are, if it needs all of them: to be vectors, the last rows
#: of a block must not be read beyond their last number, so with one that nothing needs they would be solved singly.
_NARROW = 4

#: Rows of so many results or more are turned in registers (``SYMGEN_TURNS``); up to so many by a function for each
#: width, whose code grows with it: of 48 numbers it is as quick as the function for all widths.
_TURNED, _WIDEST = 4, 48

#: The numbers of a row, in the order that the macros take their counts in.
_ARRAYS = {("in", "real"): "given", ("in", "int"): "chosen", ("out", "real"): "found", ("out", "int"): "told"}


def _others(numbers: Sequence[int], count: int) -> str:
    """Return the condition in C that `k` is none of some numbers below `count`; they are in order."""
    ends = [n for n in numbers if n - 1 not in numbers], [n + 1 for n in numbers if n + 1 not in numbers]
    if len(numbers) == count:
        return "false"
    return " && ".join(f"(k < {first} || k >= {last})" for first, last in zip(*ends, strict=True)) or "true"


def lane_texts(routine: Routine, batch_name: Mapping[Port, str], in_place: Collection[str] = ()) -> LaneTexts:
    """Return what the macros are told of a routine that runs in lanes.

    Parameters
    ----------
    batch_name : port -> what its rows are called in the batch function.
    in_place : names of ports whose numbers the solver reads or writes where they lie (`SidePlaces`).
    """
    counts = dict.fromkeys(_ARRAYS, 0)
    arguments, takes, reads, gives, fits = [], [], [], [], []
    at_once: list[int] = []
    for port in routine.ports:
        kind = (port.direction, port.kind)
        array, start, width, name = _ARRAYS[kind], counts[kind], port.shape[0] if port.shape else 1, batch_name[port]
        counts[kind] += width
        is_place = port.shape or port.direction == "out"
        if port.name in in_place:
            at_once += range(start, start + width) if kind == ("out", "real") else ()
            array = f"{array}_at"
        place = f"{array} + {start}" if start else array
        arguments.append(place if is_place else f"{array}[{start}]")
        if kind == ("out", "real"):
            give = "GIVE" if width < _TURNED else "GIVE_TURNED" if width <= _WIDEST else "GIVE_WIDE"
            gives.append(f"{give}({start}, {width}, {name})")
        elif kind == ("out", "int"):
            gives.append(f"TELL({start}, {name})")
        elif kind == ("in", "real"):
            as_it_lies = width <= _NARROW and not port.shared and _numbers_read(routine).issuperset(port.elements)
            take = "SHARE" if port.shared else "TAKE" if as_it_lies else "TAKE_TURNED"
            takes.append(f"{take}({start}, {width}, {name})")
            reads.append(f"{'READ' if as_it_lies else 'READ_TURNED'}({start}, {width})")
        elif port.shared:
            takes.append(f"SHARE_CHOICE({start}, {width}, {name})")
        else:
            takes.append(f"CHOOSE({start}, {name})")
            fits.append(f"chosen[{start}] >= 0 && chosen[{start}] < {routine.branches}")
    return LaneTexts(
        sizes=", ".join(map(str, counts.values())),
        fits=" && ".join(fits) or "true",
        waits=_others(at_once, counts["out", "real"]),
        arguments=tuple(arguments),
        takes=tuple(takes),
        reads=tuple(reads),
        gives=tuple(gives),
    )
