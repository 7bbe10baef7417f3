"""Parts of one routine that are alike, such as the legs of a platform: each is a lane in C, a row of arrays in NumPy.

Several calls of one inner routine in a row, with one meaning (`Derivation.call_each`), of which none takes what another
gives, become a loop without a branch: where a check does not hold, a part notes its status and goes on (``NOTE`` in
``symgen_lanes.h``), and what failed first is looked at behind the loop. Every operation rounds as it does in a call by
itself, so the bits are the same. In NumPy one call solves all of them, along a first axis of its arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from symgen.algebra import Expr, symbol_names
from symgen.emit.lanes import runs_in_lanes
from symgen.emit.names import plain_names, used_names
from symgen.ir.nodes import Call, Flag, Port, Routine, Statement
from symgen.status import Status


@dataclass(frozen=True)
class SidePlaces:
    """Arguments of which each number is read, or written, by one part alone; in lanes a part does so where it lies.

    Otherwise all numbers of a row were read before the first part, and all results waited for the last one: more than
    the registers hold.

    Parameters
    ----------
    given : inputs, by name.
    found : results, by name.
    """

    given: frozenset[str] = frozenset()
    found: frozenset[str] = frozenset()


#: No argument is one of these.
NO_PLACES = SidePlaces()

#: So many numbers fill a register of 32 bytes; fewer parts are not worth the way into lanes and back.
FEWEST = 4


def runs_of_like_calls(routine: Routine) -> dict[int, tuple[Call, ...]]:
    """Return the calls of a routine that run side by side, by the number of the first statement of each run."""
    runs: dict[int, tuple[Call, ...]] = {}
    start = 0
    while start < len(routine.body):
        run = _like_calls(routine.body, start)
        if len(run) >= FEWEST and _is_counted(routine, run) and not _shares_rows(routine, run):
            runs[start] = run
        start += max(len(run), 1)
    return runs


def rows_of(elements: Sequence[str], groups: Sequence[Sequence[Expr]]) -> bool:
    """Tell whether what the parts take are the rows of one argument, in order."""
    names = [plain_names(group) for group in groups]
    return all(names) and tuple(name for each in names for name in each) == tuple(elements)


def rows_of_arrays(runs: Iterable[Sequence[Call]], arrays: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return what like calls take out of arguments by rows, so that nobody else need unpack it."""
    rows: list[tuple[str, ...]] = []
    known = list(arrays)
    for calls in runs:
        for groups in zip(*(call.inputs for call in calls), strict=True):
            if any(rows_of(elements, groups) for elements in known):
                rows += map(plain_names, groups)
    return rows


def side_places(routine: Routine) -> SidePlaces:
    """Return the arguments of a routine that its parts side by side read and write by themselves."""
    runs = runs_of_like_calls(routine).values()
    rows = rows_of_arrays(runs, [port.elements for port in routine.inputs])
    used = used_names(routine, rows)
    given = {
        port.name
        for port in routine.inputs
        if port.kind == "real" and port.shape and not port.shared and used.isdisjoint(port.elements)
        for takes in [
            [taken.shape for calls in runs for taken, groups in _taken(calls) if rows_of(port.elements, groups)]
        ]
        if takes and all(takes)  # not as single numbers anywhere
    }
    found = {port.name for calls in runs for ports in results_of_sides(routine, calls) for port in ports}
    return SidePlaces(frozenset(given), frozenset(found))


def results_of_sides(routine: Routine, calls: Sequence[Call]) -> list[tuple[Port, ...]]:
    """Return for each result of like calls the results of the routine that these are, a port for each call, or none."""
    ports = {plain_names(o.values): o.port for o in routine.outputs if o.port.kind == "real" and o.port.shape}
    own = [[ports.get(call.outputs[number]) for call in calls] for number in range(len(calls[0].outputs))]
    return [tuple(port for port in each if port is not None) if None not in each else () for each in own]


def _taken(calls: Sequence[Call]) -> list[tuple[Port, tuple[tuple[Expr, ...], ...]]]:
    """Return the inputs of a part, each with what like calls take for it."""
    return list(zip(calls[0].routine.inputs, zip(*(call.inputs for call in calls), strict=True), strict=True))


def title_of_all(calls: Sequence[Call]) -> str:
    """Return what a comment says of like calls."""
    return f"{calls[0].comment} ({len(calls)} side by side)"


def name_of_all(calls: Sequence[Call]) -> str:
    """Return what the names of a run begin with: what the names of its calls have in common."""
    return calls[0].prefix.removesuffix("1")


def has_sides(routine: Routine) -> bool:
    """Tell whether a routine has parts that run side by side, itself or in what is written into it."""
    return bool(runs_of_like_calls(routine)) or any(has_sides(part) for s in routine.body for part in s.inner)


def run_side_by_side(routines: Iterable[Routine]) -> frozenset[str]:
    """Return the names of the inner routines that run side by side somewhere, or are called by one that does."""
    found: set[str] = set()
    left = [run[0].routine for routine in routines for run in runs_of_like_calls(routine).values()]
    while left:
        routine = left.pop()
        found.add(routine.name)
        left += [inner for statement in routine.body for inner in statement.inner]
    return frozenset(found)


def _like_calls(body: Sequence[Statement], start: int) -> tuple[Call, ...]:
    """Return the like calls from a statement on; nothing if none begin there."""
    first = body[start]
    if not isinstance(first, Call) or not _may_be_a_side(first):
        return ()
    run: list[Call] = []
    given: set[str] = set()
    for call in body[start:]:
        if not isinstance(call, Call) or (call.routine, call.comment) != (first.routine, first.comment):
            break
        if given.intersection(name for value in call.reads for name in symbol_names(value)):
            break
        run.append(call)
        given.update(call.sets)
    return tuple(run)


def _may_be_a_side(call: Call) -> bool:
    """Tell whether a part is straight, of real numbers, and has one status: what a guard says, not a flag behind it."""
    part = call.routine
    names = {port.name for port in part.ports}
    return (
        part.stage == "inner"
        and runs_in_lanes(part)
        and all(port.kind == "real" for port in part.ports)
        and not any(f"{name}_{word}" in names for name in names for word in ("sides", "places"))  # arrays are called so
        and not (call.keep_singular and _may_be_singular(part))
        and not _has_flags(part)
    )


def _may_be_singular(routine: Routine) -> bool:
    own = {status for statement in routine.body for status in statement.own_statuses}
    return Status.SINGULAR in own or any(_may_be_singular(r) for s in routine.body for r in s.passed_on)


def _has_flags(routine: Routine) -> bool:
    flags = any(isinstance(s, Flag) or (isinstance(s, Call) and s.keep_singular) for s in routine.body)
    return flags or any(_has_flags(part) for s in routine.body for part in s.passed_on)


def _is_counted(routine: Routine, calls: Sequence[Call]) -> bool:
    """Tell whether the names of calls are counted from 1, and nothing else begins with what they have in common."""
    name, prefixes = name_of_all(calls), [call.prefix for call in calls]
    others = {name for port in routine.ports for name in (port.name, *port.elements)}
    others |= {name for s in routine.body for name in (*s.own_names, *s.sets)}.difference(prefixes)
    counted = prefixes == [f"{name}{number}" for number in range(1, len(calls) + 1)]
    return counted and not any(other == name or other.startswith(f"{name}_") for other in others)


def _shares_rows(routine: Routine, calls: Sequence[Call]) -> bool:
    """Tell whether another argument or call takes a row that these read where it is, and would want its names."""
    arrays = [port.elements for port in routine.inputs if port.shape]
    rows: set[str] = set()
    others: list[Expr] = []
    for groups in zip(*(call.inputs for call in calls), strict=True):
        if any(rows_of(elements, groups) for elements in arrays):
            rows.update(name for group in groups for name in plain_names(group))
        else:
            others += [value for group in groups for value in group]
    others += [value for s in routine.body if isinstance(s, Call) and s not in calls for value in s.reads]
    return any(rows.intersection(symbol_names(value)) for value in others)
