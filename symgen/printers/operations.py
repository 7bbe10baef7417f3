"""Count the operations that the printed text performs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import sympy

from symgen.algebra import symbol
from symgen.algebra.vector_forms import Components, components_of, in_components, is_vector_form
from symgen.ir.linear_system import SWEEPS
from symgen.ir.nodes import (
    Call,
    Guard,
    Kernel,
    Let,
    LoopAssemblies,
    Mark,
    Routine,
    Samples,
    Solve,
    System,
    Zeros,
)
from symgen.printers.expression import common_factors
from symgen.printers.zero_finder import DISPLACED_LOOPS, ROUNDS

_TRIG = (sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan, sympy.atan2, sympy.exp, sympy.log)


def count_operations(routine: Routine) -> dict[str, int]:
    """Return counts of add (and subtract), mul, div, sqrt and trig of a routine, calls included."""
    counts = {"add": 0, "mul": 0, "div": 0, "sqrt": 0, "trig": 0}
    for statement in routine.body:
        if isinstance(statement, Let):
            known = {name: tuple(map(symbol, elements)) for name, elements in routine.vectors}
            _count_step(statement, known, counts)
        elif isinstance(statement, Call):
            for group in statement.inputs:
                for value in group:
                    _count(value, counts)
            for kind, number in count_operations(statement.routine).items():
                counts[kind] += number
        elif isinstance(statement, (Zeros, Kernel)):  # finding them iterates; what leads there counts
            for value in statement.reads:
                _count(value, counts)
        elif isinstance(statement, Samples):
            for value in (v for group in statement.inputs for v in group):
                _count(value, counts)
            for kind, number in count_operations(statement.routine).items():
                counts[kind] += statement.count * number
            counts["trig"] += 2 * statement.count
            waves = statement.count * ((statement.count - 1) // 2)
            counts["add"] += 4 * waves
            counts["mul"] += 6 * waves
        elif isinstance(statement, LoopAssemblies):
            _count_assemblies(statement, counts)
        elif isinstance(statement, System):
            for value in (v for row in statement.matrix for v in row):
                _count(value, counts)
            _count_factors(statement.size, counts)
        elif isinstance(statement, Solve):
            for value in statement.right:
                _count(value, counts)
            size = len(statement.right)
            counts["add"] += size * (size - 1)
            counts["mul"] += size * (size + 1)
            counts["div"] += size
        elif not isinstance(statement, Mark):
            # what is asked only where a guard fails does not count
            for check in (statement, *statement.also) if isinstance(statement, Guard) else (statement,):
                _count(check.left, counts)
                _count(check.right, counts)
    return counts


def _count_step(step: Let, known: Components, counts: dict[str, int]) -> None:
    """Count a step; where a vector is divided by a number, the text divides once and multiplies each component."""
    for form in step.forms:
        if len(step.forms) < len(step.values) and isinstance(form, sympy.Mul):
            vector = next(part for part in form.args if is_vector_form(part))
            number = sympy.Mul(*(part for part in form.args if part != vector))
            if sympy.fraction(number)[1] != 1:
                for value in (in_components(number, known), *components_of(vector, known)):
                    _count(value, counts)
                counts["mul"] += len(step.values)
                return
    for value in step.values:
        _count(value, counts)


@dataclass(frozen=True)
class SearchBound:
    """What a search for zeros takes at most: polynomials, zeros of each, rounds for each."""

    polynomials: int
    zeros: int
    rounds: int = ROUNDS


def bound_of_search(routine: Routine) -> SearchBound | None:
    """Return how long a routine searches for zeros at most, calls included; None if it does not.

    Some ten rounds are the rule, and one polynomial; where it is doubtful how many assemblies a loop has, loops
    displaced a little are solved too.
    """
    found: list[SearchBound] = []
    for statement in routine.body:
        if isinstance(statement, Zeros):
            found.append(SearchBound(1, 2 * statement.degree))
        elif isinstance(statement, LoopAssemblies):
            found.append(SearchBound(1 + DISPLACED_LOOPS, 2 * statement.degree))
        elif isinstance(statement, Call):
            inner = bound_of_search(statement.routine)
            found += [] if inner is None else [inner]
        elif isinstance(statement, Kernel) and statement.kernel == "follow_branch" and statement.function is not None:
            inner = bound_of_search(statement.function)
            branches = dict(statement.integers)["sizes"][0]
            # all branches, and the one that is taken with a known body displaced
            found += [] if inner is None else [replace(inner, polynomials=(branches + 1) * inner.polynomials)]
    if not found:
        return None
    return SearchBound(sum(each.polynomials for each in found), max(each.zeros for each in found))


def _count_assemblies(found: LoopAssemblies, counts: dict[str, int]) -> None:
    """Count what leads to the polynomial, and one assembly: recovered, and closed in two rounds with one step."""
    for value in (*found.inputs, found.rank):
        _count(value, counts)
    parts = found.parts
    for routine in (parts.polynomial, parts.recovery, parts.closure, parts.closure, parts.stepped):
        for kind, number in count_operations(routine).items():
            counts[kind] += number
    for _ in range(2):
        _count_factors(found.size, counts)
    counts["add"] += found.size * (found.size - 1)
    counts["mul"] += found.size * (found.size + 1)
    counts["div"] += found.size


def _count_factors(size: int, counts: dict[str, int]) -> None:
    """Count LU with partial pivoting and the sweeps that scale the matrix before it."""
    inner = (size - 1) * size * (2 * size - 1) // 6
    counts["add"] += inner
    counts["mul"] += inner + 2 * SWEEPS * size * size
    counts["div"] += size * (size - 1) // 2 + 2 * SWEEPS * size
    counts["sqrt"] += 2 * SWEEPS * size


def _count(value: Any, counts: dict[str, int]) -> None:
    for kind, number in _operations_of(value):
        counts[kind] += number


@lru_cache(maxsize=2**15)
def _operations_of(value: Any) -> tuple[tuple[str, int], ...]:
    """Return the counts of one expression; each is asked for several times, by headers and by the manifest."""
    counts = {"add": 0, "mul": 0, "div": 0, "sqrt": 0, "trig": 0}
    _count_parts(value, counts)
    return tuple(counts.items())


def _count_parts(value: Any, counts: dict[str, int]) -> None:
    if isinstance(value, sympy.Add):
        groups = common_factors(value)
        counts["add"] += len(value.args) - 1
        for factor, members in groups:
            counts["mul"] += 1 if factor != 1 else 0
            for member in members:
                _count_parts(member, counts)
        return
    _count_node(value, counts)
    for part in getattr(value, "args", ()):
        _count_parts(part, counts)


def _count_node(node: Any, counts: dict[str, int]) -> None:
    if isinstance(node, sympy.Mul):
        coefficient, factors = node.as_coeff_mul()
        above = sum(1 for f in factors if not (f.is_Pow and f.exp.is_negative))
        below = len(factors) - above
        above += abs(coefficient) != 1
        counts["mul"] += max(above - 1, 0) + max(below - 1, 0)
        counts["div"] -= max(below - 1, 0)  # a/(b*c) divides once; each power counts below
    elif isinstance(node, sympy.Pow):
        if node.exp == sympy.Rational(1, 2):
            counts["sqrt"] += 1
        elif node.exp.is_negative:
            counts["mul"] += abs(int(node.exp)) - 1
            counts["div"] += 1
        else:
            counts["mul"] += int(node.exp) - 1
    elif isinstance(node, _TRIG):
        counts["trig"] += 1
