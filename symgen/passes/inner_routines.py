"""Passes that go on in the inner routines of a routine."""

from __future__ import annotations

from collections.abc import Callable

from symgen.ir.nodes import Kernel, Routine, Statement


def with_inner_routines(routine: Routine, change: Callable[[Routine], Routine]) -> list[Statement]:
    """Return the body with the inner routines changed that it calls, samples or searches with.

    What a kernel is given stays as it is: it is a function by itself and goes through the passes alone.
    """
    return [each if isinstance(each, Kernel) else each.with_inner(change) for each in routine.body]
