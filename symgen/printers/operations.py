"""Count the operations that the printed text performs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

import sympy

from symgen.algebra import Expr
from symgen.algebra.vector_forms import SCALAR_PRODUCTS, VECTOR_PRODUCTS, is_vector_form, size_of, vector_names
from symgen.ir.cosine_and_sine import cosine_and_sine
from symgen.ir.linear_system import SWEEPS
from symgen.ir.nodes import (
    Call,
    Flag,
    Guard,
    Kernel,
    Let,
    LoopAssemblies,
    Mark,
    Routine,
    Samples,
    Solve,
    Statement,
    System,
    Zeros,
)
from symgen.printers.expression import signed_parts
from symgen.printers.vector_functions import VECTOR_FUNCTIONS, function_name
from symgen.printers.zero_finder import DISPLACED_LOOPS, ROUNDS

_TRIG = (sympy.sin, sympy.cos, sympy.tan, sympy.asin, sympy.acos, sympy.atan, sympy.atan2, sympy.exp, sympy.log)


def count_operations(routine: Routine) -> dict[str, int]:
    """Return counts of add (and subtract), mul, div, sqrt and trig of a routine, calls included.

    They are those of the C that calls our own sine and cosine; what is asked of results at the end does not count.
    """
    counts = {"add": 0, "mul": 0, "div": 0, "sqrt": 0, "trig": 0}
    sizes = {name: len(elements) for name, elements in routine.vectors}
    before: Statement | None = None
    for statement in routine.body:
        if before is not None and cosine_and_sine(before, statement):  # the angle is given to one call
            counts["trig"] += 1
        elif isinstance(statement, Let):
            for form in statement.forms or statement.values:
                _count(form, counts, sizes)
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
                _count(_left(check), counts, sizes)
                _count(check.right, counts)
        before = statement
    return counts


def _left(check: Guard | Flag) -> Expr:
    return check.form if isinstance(check, Guard) and check.form is not None else check.left


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


def _count(value: Any, counts: dict[str, int], sizes: Mapping[str, int] | None = None) -> None:
    """Count an expression; one in vectors comes with how many components each vector has."""
    known = () if sizes is None else tuple((name, sizes[name]) for name in vector_names(value))
    for kind, number in _operations_of(value, known):
        counts[kind] += number


@lru_cache(maxsize=2**15)
def _operations_of(value: Any, known: tuple[tuple[str, int], ...] = ()) -> tuple[tuple[str, int], ...]:
    """Return the counts of one expression; each is asked for several times, by headers and by the manifest."""
    counts = {"add": 0, "mul": 0, "div": 0, "sqrt": 0, "trig": 0}
    _count_parts(value, dict(known), counts)
    return tuple(counts.items())


def _count_parts(node: Any, sizes: Mapping[str, int], counts: dict[str, int]) -> None:
    """Count as the printer walks: a number before a vector once, then a product for each component."""
    if isinstance(node, sympy.Add):
        width = size_of(node, sizes) if is_vector_form(node) else 1
        groups = signed_parts(node)
        counts["add"] += width * (len(groups) - 1)
        for _, factor, inner in groups:
            counts["mul"] += width if factor != 1 else 0
            _count_parts(inner, sizes, counts)
    elif isinstance(node, sympy.Mul) and is_vector_form(node):
        (vector,) = (part for part in node.args if is_vector_form(part))
        number = sympy.Mul(*(part for part in node.args if part != vector))
        counts["mul"] += size_of(vector, sizes) if number != -1 else 0
        _count_parts(number, sizes, counts)
        _count_parts(vector, sizes, counts)
    elif isinstance(node, (sympy.Mul, sympy.Pow)):
        _count_product(node, sizes, counts)
    else:
        if isinstance(node, (*SCALAR_PRODUCTS, *VECTOR_PRODUCTS)):
            for kind, number in _operations_of_function(function_name(node, sizes)):
                counts[kind] += number
        elif isinstance(node, _TRIG):
            counts["trig"] += 1
        for part in node.args:
            _count_parts(part, sizes, counts)


def _count_product(node: Any, sizes: Mapping[str, int], counts: dict[str, int]) -> None:
    """Count a product or a power; what is divided by is multiplied first, so that it divides once."""
    coefficient, factors = node.as_coeff_mul()
    above = below = 0
    for factor in factors:
        base, exponent = factor.as_base_exp()
        if exponent == sympy.Rational(1, 2):
            counts["sqrt"] += 1
            above += 1
        elif exponent > 0:
            above += int(exponent)
        else:
            below -= int(exponent)
        _count_parts(base, sizes, counts)
    size = abs(coefficient)
    is_exact = size.q & (size.q - 1) == 0
    above += int((size if is_exact else size.p) != 1)
    below += int(not is_exact)
    counts["mul"] += max(above - 1, 0) + max(below - 1, 0)
    counts["div"] += int(below > 0)


@cache
def _operations_of_function(name: str) -> tuple[tuple[str, int], ...]:
    """Return the counts of a function of vectors."""
    (function,) = (each for each in VECTOR_FUNCTIONS if each.name == name)
    counts = {"add": 0, "mul": 0, "div": 0, "sqrt": 0, "trig": 0}
    for value in function.values:
        _count(value, counts)
    return tuple(counts.items())
