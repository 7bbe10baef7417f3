"""Invariants of a routine; every pass is followed by `verify`."""

from __future__ import annotations

from collections.abc import Iterable

from symgen.algebra import TOLERANCES, Expr, foreign_symbols, symbol_names
from symgen.errors import IRError
from symgen.ir.nodes import Call, Guard, LoopAssemblies, Routine, Samples, Solve, Statement, System


def verify(routine: Routine) -> Routine:
    """Return the routine, or raise IRError.

    Every name is set once and before it is used; outputs are set; ports do not collide; a call passes what the
    called routine asks for.
    """
    known = set(TOLERANCES)
    systems: dict[str, int] = {}
    for port in routine.inputs:
        _define(routine, known, port.elements, f"port {port.name}")
    for statement in routine.body:
        _verify_fits(routine, systems, statement)
        if isinstance(statement, Guard):
            for check in statement.checks:
                _require(routine, known, (check.left, check.right), check.text)
        else:
            _require(routine, known, statement.reads, statement.text)
        _define(routine, known, statement.sets, statement.text)
    for output in routine.outputs:
        _require(routine, known, output.values, f"output {output.port.name}")
        if output.port.kind == "real" and len(output.values) != len(output.port.elements):
            raise IRError(f"{routine.name}: output {output.port.name} has {len(output.values)} values")
    arrays = {port.name for port in routine.ports if port.shape}
    clash = sorted(arrays & known)
    if clash:
        raise IRError(f"{routine.name}: {clash[0]!r} is both an array port and a component")
    names = [port.name for port in routine.ports]
    if len(set(names)) != len(names):
        raise IRError(f"{routine.name}: a port name is used twice in {names}")
    return routine


def _verify_fits(routine: Routine, systems: dict[str, int], statement: Statement) -> None:
    """Check what a statement passes against what takes it; note the size of a system."""
    if isinstance(statement, Call):
        if [len(p.elements) for p in statement.routine.inputs] != [len(group) for group in statement.inputs]:
            raise IRError(f"{routine.name}: {statement.text}: arguments do not fit the ports")
    elif isinstance(statement, Samples):
        _verify_samples(routine, statement)
    elif isinstance(statement, LoopAssemblies):
        _verify_assemblies(routine, statement)
    elif isinstance(statement, System):
        if statement.name in systems or any(len(row) != statement.size for row in statement.matrix):
            raise IRError(f"{routine.name}: {statement.text} is set again or not square")
        systems[statement.name] = statement.size
    elif isinstance(statement, Solve) and not (
        len(statement.right) == len(statement.targets) == systems.get(statement.system)
    ):
        raise IRError(f"{routine.name}: {statement.text} does not fit a system {statement.system!r}")


def _verify_samples(routine: Routine, samples: Samples) -> None:
    where, inner = samples.text, samples.routine
    shapes = [len(p.elements) for p in inner.inputs]
    if inner.stage != "inner" or shapes != [1, 1, *(len(group) for group in samples.inputs)]:
        raise IRError(f"{routine.name}: {where}: arguments do not fit the ports of {inner.name}")
    if [o.port.shape for o in inner.outputs] != [()] or samples.count < 2 * samples.degree + 3:
        raise IRError(
            f"{routine.name}: {where}: one value of {inner.name} is sampled, more often than twice its degree"
        )


def _verify_assemblies(routine: Routine, found: LoopAssemblies) -> None:
    where, parts, size = found.text, found.parts, found.size
    loop, at = len(found.inputs), len(found.targets)
    takes = {
        parts.polynomial: ([loop], [2 * found.degree + 1, 1]),
        parts.recovery: ([loop, 1, 1], [at]),
        parts.closure: ([loop, at], [size, size * size, 1, 1, 1]),
        parts.stepped: ([at, size], [at]),
        parts.displaced: ([loop, 1, 1], [loop]),
    }
    for part, (taken, given) in takes.items():
        ports = [len(p.elements) for p in part.inputs], [len(o.values) for o in part.outputs]
        if part.stage != "inner" or ports != (taken, given):
            raise IRError(f"{routine.name}: {where}: ports of {part.name} do not fit")


def _define(routine: Routine, known: set[str], names: Iterable[str], where: str) -> None:
    for name in names:
        if name in known:
            raise IRError(f"{routine.name}: {where} sets {name!r} again")
        known.add(name)


def _require(routine: Routine, known: set[str], values: Iterable[Expr], where: str) -> None:
    for value in values:
        foreign = foreign_symbols(value)
        if foreign:
            raise IRError(f"{routine.name}: {where} uses {foreign[0]!r}, which only looks like a port or a step")
        missing = [name for name in symbol_names(value) if name not in known]
        if missing:
            raise IRError(f"{routine.name}: {where} uses {missing[0]!r} before it is set")
