"""Say in vectors what a routine says in components: `arm = s - a`, `v = cross(omega, arm)`.

The components of ports and steps that belong together (`arm_x`, `arm_y`, `arm_z`) are named as one vector. A step
whose components are a vector expression of such vectors gets it as its form, a number with products of vectors in it
gets those. The values stay as they are: a form is equal to them, which `verify_forms` checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symgen.algebra import Expr, symbol
from symgen.algebra.vector_forms import (
    ROTATIONS,
    components_of,
    in_components,
    is_same,
    is_vector_form,
)
from symgen.algebra.vector_matching import VectorMatcher
from symgen.errors import IRError
from symgen.ir.nodes import Call, Guard, Let, Routine
from symgen.passes.inner_routines import with_inner_routines

#: Endings of components, by what they are of; a quaternion's may stand beside a position of the same name.
_ENDINGS = (
    (("_x", "_y", "_z"), ""),
    (("_0", "_1", "_2", "_3"), ""),
    (("_q0", "_q1", "_q2", "_q3"), "_q"),
    (("_x", "_y"), ""),
)


def write_in_vectors(routine: Routine) -> Routine:
    """Return the routine, and the inner routines that it uses, with vectors and forms."""
    body = with_inner_routines(routine, write_in_vectors)
    taken = _names(routine)
    vectors: dict[str, tuple[str, ...]] = {}
    matcher = VectorMatcher({})

    def learn(elements: Sequence[str]) -> None:
        for name, components in _groups(elements, taken):
            vectors[name] = components
            matcher.learn(name, tuple(map(symbol, components)))

    for port in routine.inputs:
        if port.kind == "real" and port.shape:
            learn(port.elements)
    for index, statement in enumerate(body):
        if isinstance(statement, Let):
            is_vector = [components for _, components in _groups(statement.targets, taken)] == [statement.targets]
            body[index] = replace(statement, forms=_forms(statement, matcher, is_vector=is_vector))
            if is_vector:
                learn(statement.targets)
        elif isinstance(statement, Call):
            for targets in statement.outputs:
                learn(targets)
        elif isinstance(statement, Guard):
            body[index] = _in_vectors(statement, matcher)
    return verify_forms(replace(routine, body=tuple(body), vectors=tuple(vectors.items())))


def verify_forms(routine: Routine) -> Routine:
    """Return the routine, or raise IRError if a form is not equal to the values that it stands for."""
    known = {name: tuple(map(symbol, components)) for name, components in routine.vectors}
    for let in routine.body:
        for check in let.checks if isinstance(let, Guard) else ():
            if check.form is not None and not is_same(in_components(check.form, known), check.left):
                raise IRError(f"{routine.name}: the check {check.comment!r} is not what it is in vectors")
        if not isinstance(let, Let) or not let.forms:
            continue
        if is_vector_form(let.forms[0]):
            found = components_of(let.forms[0], known)
        else:
            found = tuple(in_components(form, known) for form in let.forms)
        if len(found) != len(let.values) or not all(
            is_same(form, value) for form, value in zip(found, let.values, strict=True)
        ):
            raise IRError(f"{routine.name}: step {let.name} is not what it is in vectors: {let.forms}")
    return routine


def _in_vectors(guard: Guard, matcher: VectorMatcher) -> Guard:
    also, rather = (tuple(_in_vectors(each, matcher) for each in part) for part in (guard.also, guard.rather))
    return replace(guard, form=matcher.number(guard.left), also=also, rather=rather)


def _forms(let: Let, matcher: VectorMatcher, *, is_vector: bool) -> tuple[Expr, ...]:
    whole = matcher.vector(let.values) if is_vector else None
    if whole is not None and (len(let.values) < 4 or isinstance(whole, ROTATIONS)):
        return (whole,)
    return tuple(matcher.number(value) for value in let.values)


def _groups(elements: Sequence[str], taken: frozenset[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the vectors among components that stand in a row, each with a name that nothing else has."""
    found, start = [], 0
    while start < len(elements):
        for endings, tail in _ENDINGS:
            part = tuple(elements[start : start + len(endings)])
            stem = part[0].removesuffix(endings[0])
            if part == tuple(stem + ending for ending in endings) and stem + tail not in taken:
                found.append((stem + tail, part))
                start += len(endings)
                break
        else:
            start += 1
    return found


def _names(routine: Routine) -> frozenset[str]:
    """Return the names in a routine that a vector may not have: of numbers, and of the arrays of its calls."""
    return frozenset(_taken(routine))


def _taken(routine: Routine) -> Iterator[str]:
    for port in routine.ports:
        yield from port.elements
        if not port.shape:
            yield port.name
    for statement in routine.body:
        if isinstance(statement, Call):
            yield f"{statement.prefix}_status"
            for port in statement.routine.ports:
                if port.direction == "in" or not port.shape:
                    yield f"{statement.prefix}_{port.name}"
        else:
            yield from statement.sets
