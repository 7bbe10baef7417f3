"""From a derivation to routines: the one border out of SymPy's world of choices.

A routine is a slice of a derivation. Walking backwards from the outputs, `lower` keeps the components that are
needed, stops at the inputs, and keeps the guards of the parts that the slice covers. In a slice that does not solve
positions, a step that says how to recover itself from a solved configuration does so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from symgen.algebra import TOLERANCES, Expr, symbol, symbol_names
from symgen.derive.derivation import Derivation
from symgen.derive.items import (
    AssembliesStep,
    CallStep,
    Check,
    Inner,
    Part,
    SamplesStep,
    SolveStep,
    Step,
    SystemStep,
    ZerosStep,
)
from symgen.errors import DerivationError
from symgen.ir.nodes import (
    Call,
    Flag,
    Guard,
    Kernel,
    Let,
    LoopAssemblies,
    LoopParts,
    Output,
    Routine,
    Samples,
    Solve,
    Stage,
    Statement,
    System,
    Zeros,
)
from symgen.status import Status


@dataclass(frozen=True)
class Slice:
    """Which parts a routine covers, and which results of others it takes as given."""

    stage: Stage
    parts: frozenset[Part]
    given: frozenset[Part]
    results: frozenset[Part]


SLICES: dict[Stage, Slice] = {
    "position": Slice("position", frozenset({"position"}), frozenset(), frozenset({"position"})),
    "velocity": Slice(
        "velocity", frozenset({"geometry", "velocity"}), frozenset({"position"}), frozenset({"velocity"})
    ),
    "acceleration": Slice(
        "acceleration",
        frozenset({"geometry", "acceleration"}),
        frozenset({"position", "velocity"}),
        frozenset({"acceleration"}),
    ),
    "all": Slice(
        "all",
        frozenset({"position", "geometry", "velocity", "acceleration"}),
        frozenset(),
        frozenset({"position", "velocity", "acceleration"}),
    ),
    "proof": Slice(
        "proof",
        frozenset({"position", "geometry", "velocity", "acceleration", "proof"}),
        frozenset(),
        frozenset({"proof"}),
    ),
    "condition": Slice(
        "condition", frozenset({"geometry", "condition"}), frozenset({"position"}), frozenset({"condition"})
    ),
}


def lower(derivation: Derivation, stage: Stage) -> Routine:
    """Cut the routine of one stage out of a derivation.

    Returns
    -------
    Routine
        Verified by `symgen.ir.verify`; inputs are the ports that are used, in the order of declaration.
    """
    cut = SLICES[stage]
    outputs = [p for name, p in derivation.outputs.items() if derivation.output_part[name] in cut.results]
    outputs.sort(key=lambda p: p.name.startswith(("q_", "qd_", "qdd_")))  # bodies first, then joint coordinates
    given = [p for name, p in derivation.outputs.items() if derivation.output_part[name] in cut.given]
    if not outputs:
        raise DerivationError(f"{derivation.name}: no result for stage {stage!r}")
    stop = {e for port in derivation.inputs.values() for e in port.elements} | {e for p in given for e in p.elements}
    needed = {e for port in outputs for e in port.elements}
    _walk_back(derivation, cut, needed, stop, frozenset())
    taken = frozenset(p.name for p in derivation.inputs.values() if needed.intersection(p.elements))
    body = _walk_back(derivation, cut, needed, stop, taken)
    inputs = [p for p in derivation.inputs.values() if needed.intersection(p.elements)]
    inputs += [replace(p, direction="in") for p in given if needed.intersection(p.elements)]
    has_branch = any(p.kind == "int" for p in inputs)
    prefix = f"{derivation.arrangement}_" if derivation.arrangement else f"{derivation.level}_"
    return Routine(
        name=f"{prefix}{stage}",
        title=derivation.title,
        level=derivation.level,
        arrangement=derivation.arrangement,
        stage=stage,
        inputs=tuple(inputs),
        body=tuple(body),
        outputs=tuple(Output(p, tuple(symbol(e) for e in p.elements)) for p in outputs),
        finite=tuple(symbol(e) for e in derivation.witnesses.get(stage, [e for p in outputs for e in p.elements])),
        branches=derivation.branches if has_branch else 1,
        lost_by_stage=derivation.lost_by_stage and has_branch,
    )


def _goes_on(call: CallStep, cut: Slice) -> bool:
    """Tell whether SINGULAR of a call becomes the status at the end: its results are there, and no rates follow."""
    return "velocity" not in cut.parts and not leaves_for_singular(_routine_of(call.routine))


def _routine_of(called: Routine | Inner) -> Routine:
    return _lower_inner(called) if isinstance(called, Inner) else called


@cache
def _lower_inner(inner: Inner) -> Routine:
    routine = replace(lower(inner.derivation, "position"), name=inner.name, stage="inner")
    if routine.inputs != inner.inputs:
        raise DerivationError(f"{inner.name}: a port is not needed")
    return routine


def _walk_back(
    derivation: Derivation, cut: Slice, needed: set[str], stop: set[str], taken: frozenset[str]
) -> list[Statement]:
    """Collect the statements that `needed` depends on, in reverse, and return them in order.

    `needed` grows by what is found; checks of ports come in for the ports `taken`.
    """
    body: list[Statement] = []
    cold: list[Statement] = []
    systems: set[str] = set()
    for item in reversed(derivation.items):
        if isinstance(item, Step):
            wanted = [k for k, target in enumerate(item.targets) if target in needed and target not in stop]
            if wanted:
                values = _values(item, cut)
                kept = tuple(values[k] for k in wanted)
                _need(kept, needed)
                unit = f" [{item.unit}]" if item.unit not in ("", "1") else ""
                targets = tuple(item.targets[k] for k in wanted)
                body.append(Let(item.name, targets, kept, f"{item.meaning}{unit}", turn=item.turn))
        elif isinstance(item, CallStep):
            names = {t for group in item.targets for t in group}
            if names & needed:
                for group in item.inputs:
                    _need(group, needed)
                body.append(
                    Call(
                        item.prefix,
                        _routine_of(item.routine),
                        item.inputs,
                        item.targets,
                        item.meaning,
                        keep_singular="velocity" not in cut.parts
                        and not leaves_for_singular(_routine_of(item.routine)),
                    )
                )
        elif isinstance(item, ZerosStep):
            if any(target in needed and target not in stop for target in item.targets):
                zeros = Zeros(item.name, item.targets, item.coefficients, item.rank, item.meaning, item.least)
                _need(zeros.reads, needed)
                body.append(zeros)
        elif isinstance(item, SamplesStep):
            if any(target in needed for target in item.targets):
                for group in item.inputs:
                    _need(group, needed)
                body.append(
                    Samples(item.name, _routine_of(item.routine), item.inputs, item.targets, item.count, item.meaning)
                )
        elif isinstance(item, AssembliesStep):
            if any(target in needed and target not in stop for target in item.targets):
                _need((*item.inputs, item.rank), needed)
                body.append(_assemblies(item, keep_singular="velocity" not in cut.parts))
        elif isinstance(item, SolveStep):
            if any(target in needed and target not in stop for target in item.targets):
                _need(item.right, needed)
                systems.add(item.system)
                body.append(Solve(item.name, item.system, item.targets, item.right, item.meaning))
        elif isinstance(item, SystemStep):
            if item.name in systems:
                for row in item.matrix:
                    _need(row, needed)
                body.append(System(item.name, item.matrix, item.meaning))
        elif (item.when == "used" and item.port in taken) or (item.part in cut.parts and _asked(item, cut)):
            _need((item.left, item.right), needed)
            guard = _check(item, keep_flag="velocity" not in cut.parts)
            body.append(guard)
            if item.when == "cold" and "position" in cut.parts and "velocity" in cut.parts:
                cold.append(guard)
    return _nested(body[::-1], cold)


def _assemblies(item: AssembliesStep, *, keep_singular: bool) -> LoopAssemblies:
    parts = LoopParts(*(_lower_inner(inner) for inner in item.parts))
    rest = item.inputs, item.rank, item.targets, item.degree, item.meaning
    return LoopAssemblies(item.name, parts, *rest, keep_singular)


def _asked(check: Check, cut: Slice) -> bool:
    solved = "position" in cut.parts
    return check.when in ("always", "cold") or (
        not solved if check.when == "given" else solved and "acceleration" in cut.parts
    )


def _values(step: Step, cut: Slice) -> tuple[Expr, ...]:
    """Return the form of a step that suits the slice."""
    if "position" not in cut.parts:
        return step.values if step.recovered is None else step.recovered
    return step.combined if "velocity" in cut.parts and step.combined is not None else step.values


def _nested(body: list[Statement], cold: list[Statement]) -> list[Statement]:
    """Ask a cold guard, and the weaker of two neighbours on the same value, only where the one after it fails."""
    merged: list[Statement] = []
    for statement in body:
        last = merged[-1] if merged else None
        covers = (
            isinstance(last, Guard)
            and isinstance(statement, Guard)
            and statement.left == last.left
            and statement.relation[0] == last.relation[0]  # a bound from the other side is none of the two
        )
        if isinstance(statement, Guard) and isinstance(last, Guard) and (covers or last in cold):
            merged[-1] = replace(statement, rather=(*last.rather, replace(last, rather=())))
        else:
            merged.append(statement)
    return merged


def _check(item: Check, *, keep_flag: bool) -> Guard | Flag:
    """Return the statement of a check; a flag becomes a guard where rates follow, which it leaves undetermined."""
    if item.kind == "flag" and keep_flag:
        return Flag(item.left, item.relation, item.right, item.status, item.meaning)
    if item.kind == "flag":
        opposite = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
        return Guard(item.left, opposite[item.relation], item.right, item.status, item.meaning)  # type: ignore[arg-type]
    return Guard(item.left, item.relation, item.right, item.status, item.meaning)


def _need(values: Iterable[Expr], needed: set[str]) -> None:
    for value in values:
        needed.update(name for name in symbol_names(value) if name not in TOLERANCES)


def statuses(routine: Routine) -> tuple[Status, ...]:
    """Return the statuses a routine can return, in the order of the table."""
    found = {Status.OK, Status.BAD_INPUT}
    for statement in routine.body:
        found.update(statement.own_statuses)
        for called in statement.passed_on:
            found.update(statuses(called))
    if routine.lost_by_stage:
        found.add(Status.BRANCH_LOST)
    return tuple(sorted(found))


def writes_for_singular(routine: Routine) -> bool:
    """Tell whether a routine can return SINGULAR with its results written: by a flag, or from a call that goes on."""
    return any(
        (isinstance(statement, Flag) and statement.status is Status.SINGULAR)
        or (isinstance(statement, (LoopAssemblies, Kernel)) and statement.keep_singular)
        or (isinstance(statement, Call) and statement.keep_singular and writes_for_singular(statement.routine))
        for statement in routine.body
    )


def leaves_for_singular(routine: Routine) -> bool:
    """Tell whether a routine can return SINGULAR without results: by a guard, a system, or from such a call."""
    for statement in routine.body:
        if isinstance(statement, Guard):
            if any(check.status is Status.SINGULAR for check in (statement, *statement.also, *statement.rather)):
                return True
        elif isinstance(statement, System) or (isinstance(statement, Call) and leaves_for_singular(statement.routine)):
            return True
    return False
