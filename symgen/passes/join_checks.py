"""Ask neighbouring checks that have the same answer at once: all orientations of unit length, all lengths positive.

A number that only such a check reads is written into it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from symgen.algebra import powers_of_sums, symbol_names
from symgen.algebra import replace as replace_symbols
from symgen.ir.nodes import Guard, Let, Routine, Statement
from symgen.ir.verify import verify
from symgen.passes.drop_unused_steps import names_of
from symgen.passes.inner_routines import with_inner_routines

_VERBS = ("is", "has", "are")


def join_checks(routine: Routine) -> Routine:
    """Return the routine, and the inner routines that it uses, with joined checks."""
    reads = Counter(name for statement in routine.body for name in names_of(statement))
    results = [*routine.finite, *(value for output in routine.outputs for value in output.values)]
    reads.update(name for value in results for name in symbol_names(value))
    body: list[Statement] = []
    run: list[Guard] = []
    waiting: Let | None = None  # what only the next check may read
    for statement in [*with_inner_routines(routine, join_checks), None]:
        if isinstance(statement, Let) and len(statement.targets) == 1 and reads[statement.targets[0]] == 1:
            if waiting is not None:
                body += [*_joined(run), waiting]
                run = []
            waiting = statement
            continue
        if isinstance(statement, Guard) and not statement.rather:
            guard = _written_into(statement, waiting)
            if guard is None and waiting is not None:
                body += [*_joined(run), waiting]
                run = []
            guard, waiting = guard or statement, None
            if run and run[-1].status is not guard.status:
                body += _joined(run)
                run = []
            run.append(guard)
            continue
        body += _joined(run)
        body += [waiting] if waiting is not None else []
        run, waiting = [], None
        body += [statement] if statement is not None else []
    return verify(replace(routine, body=tuple(body)))


def _written_into(guard: Guard, let: Let | None) -> Guard | None:
    """Return the check with the number in it, if it is that one that reads it."""
    if let is None or let.targets[0] not in symbol_names(guard.left):
        return None
    left = replace_symbols(guard.left, {let.targets[0]: let.values[0]})
    return None if powers_of_sums(left) else replace(guard, left=left)


def _joined(run: Sequence[Guard]) -> Iterator[Statement]:
    if len(run) < 2:
        yield from run
        return
    yield replace(run[0], also=tuple(run[1:]), comment=_comment([guard.comment for guard in run]))


def _comment(texts: Sequence[str]) -> str:
    """Return what the comments have in common at their ends, or all of them."""
    different = list(dict.fromkeys(texts))
    words = [text.split() for text in different]
    shared = 0
    while shared < min(map(len, words)) and len({each[-1 - shared] for each in words}) == 1:
        shared += 1
    if len(different) == 1 or shared <= 2:
        return "; ".join(different)
    common = words[0][-shared:]
    return " ".join(["one of these", *common] if common[0] in _VERBS else ["one", *common])
