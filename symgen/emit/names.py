"""The names of a routine: all may stand in C and Python; those it does not read are not unpacked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from symgen.algebra import FOLD_TOLERANCE, SINGULAR_TOLERANCE, TOLERANCES, Expr, symbol, symbol_names
from symgen.algebra.vector_forms import vector_names
from symgen.errors import IRError
from symgen.ir.nodes import Call, Flag, Guard, Let, LoopAssemblies, Routine, System, Zeros
from symgen.naming import check_identifier

#: Tolerances that the templates of a statement read.
_READ_BY_KERNELS = ((LoopAssemblies, FOLD_TOLERANCE), (System, SINGULAR_TOLERANCE))
#: So many entries make a matrix of what a part of others returns.
LARGE = 9


def check_names(routine: Routine) -> None:
    """Refuse a routine with a name that could not stand in every language.

    Raises
    ------
    InputError
        The first such name: of the routine, a port, a component or a step.
    """
    check_identifier(routine.name)
    for port in routine.ports:
        for name in (port.name, *port.elements):
            check_identifier(name)
    for statement in routine.body:
        for name in (*statement.own_names, *statement.sets):
            check_identifier(name)
        for called in statement.passed_on:
            check_names(called)


def inner_routines(routines: Iterable[Routine]) -> tuple[Routine, ...]:
    """Return the inner routines that others use, each once, those that others of them use first."""
    found: dict[str, Routine] = {}
    for routine in routines:
        for statement in routine.body:
            for part in statement.inner:
                for inner in (*inner_routines((part,)), part):
                    if found.setdefault(inner.name, inner) != inner:
                        raise IRError(f"{routine.name}: two inner routines are named {inner.name!r}")
    return tuple(found.values())


def parts_of_others(routines: Iterable[Routine]) -> frozenset[str]:
    """Return the names of the routines that a C compiler shall write into those that call them.

    One that calls a solver itself is long, and has little in common with its callers: it stays a function.
    """
    calls = [statement for routine in routines for statement in routine.body if isinstance(statement, Call)]
    inside = [call.routine for call in calls if call.is_inside]
    return frozenset(r.name for r in inside if not any(isinstance(s, Call) and not s.is_inside for s in r.body))


def searches(routines: Iterable[Routine]) -> tuple[LoopAssemblies, ...]:
    """Return the searches for assemblies, one for each kind of loop."""
    found: dict[str, LoopAssemblies] = {}
    for routine in routines:
        for statement in routine.body:
            if isinstance(statement, LoopAssemblies):
                found.setdefault(statement.parts.closure.name, statement)
    return tuple(found.values())


def bounds_zeros(routines: Iterable[Routine]) -> bool:
    """Tell whether zeros are wanted from some cosine on, so that the finder of the module takes one."""
    return any(isinstance(s, Zeros) and s.least is not None for routine in routines for s in routine.body)


def used_names(routine: Routine, arrays: Collection[tuple[str, ...]] = ()) -> frozenset[str]:
    """Return the names of all ports' components, steps and tolerances that a routine reads.

    Those that calls take, and results are, as one of `arrays` do not count.
    """
    return frozenset(name for value in _values(routine, arrays) for name in symbol_names(value))


def entries_in_place(routine: Routine, least: int = 1) -> frozenset[str]:
    """Return the steps that are only entries of results: their values may stand where the results are written.

    A constant may be several entries, everything else is one. `least`: entries a result has that counts.
    """
    matrices = [output.values for output in routine.outputs if output.port.shape and len(output.values) >= least]
    entries = Counter(name for values in matrices for name in plain_names(values))
    inside = used_names(replace(routine, outputs=tuple(o for o in routine.outputs if not o.port.shape)))
    return frozenset(
        target
        for let in routine.body
        if isinstance(let, Let)
        for target in let.targets
        if target not in inside and (entries[target] == 1 or (entries[target] and is_constant(let, target)))
    )


def is_constant(let: Let, target: str) -> bool:
    """Tell whether a step is a number that depends on nothing."""
    return not symbol_names(let.values[let.targets.index(target)])


def written(let: Let) -> tuple[Expr, ...]:
    """Return what stands in the code for the values of a step."""
    return let.forms or let.values


def written_left(check: Guard | Flag) -> Expr:
    """Return what stands in the code on the left side of a check."""
    return check.form if isinstance(check, Guard) and check.form is not None else check.left


def vectors_as_a_whole(routine: Routine) -> frozenset[str]:
    """Return the names of the vectors that the code reads as a whole somewhere."""
    forms = [form for let in routine.body if isinstance(let, Let) for form in let.forms]
    forms += [written_left(check) for guard in routine.body if isinstance(guard, Guard) for check in guard.checks]
    read = {name for form in forms for name in vector_names(form)}
    return frozenset(name for name, _ in routine.vectors if name in read)


def plain_names(values: Sequence[Expr]) -> tuple[str, ...]:
    """Return the names that values are, or nothing if one of them is more than a name."""
    names = tuple(name for value in values for name in symbol_names(value) if value == symbol(name))
    return names if len(names) == len(values) else ()


def used_tolerances(routine: Routine) -> tuple[str, ...]:
    """Return the tolerances that a routine itself reads, in the order of the table."""
    used = used_names(routine)
    return tuple(name for name in TOLERANCES if name in used)


def _values(routine: Routine, arrays: Collection[tuple[str, ...]] = ()) -> Iterator[Expr]:
    for statement in routine.body:
        if isinstance(statement, Call):
            for group in statement.inputs:
                yield from () if plain_names(group) in arrays else group
            continue
        yield from statement.reads
        yield from (tolerance for kind, tolerance in _READ_BY_KERNELS if isinstance(statement, kind))
    yield from routine.finite
    for output in routine.outputs:
        yield from output.values
