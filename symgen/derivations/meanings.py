"""What statuses mean for a derivation of somebody's own: the words of its guards and flags.

Of symgen's types a status means the same everywhere (`symgen.status.MEANING`); a guard that somebody wrote means what
they wrote of it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from symgen.derive.derivation import Derivation
from symgen.derive.items import Check, Inner, inner_parts
from symgen.ir.nodes import Call, Flag, Guard, Routine
from symgen.lower import statuses, writes_for_singular
from symgen.status import MEANING, Status

_RETURNED = "the position is returned, rates are not determined"
_NOTHING = "nothing is written"


def meanings_of(derivations: Sequence[Derivation], routines: Sequence[Routine]) -> dict[str, str]:
    """Return the statuses that guards and flags give a meaning of their own, by name.

    Parameters
    ----------
    derivations : kernel and arrangements of a module.
    routines : its functions; what they find without a guard has the common meaning, which is then told besides.
    """
    parts = _all_parts(derivations)
    meanings: dict[Status, list[str]] = {}
    for item in (item for d in (*derivations, *(part.derivation for part in parts)) for item in d.items):
        if isinstance(item, Check) and item.part != "proof" and item.when != "used":
            meanings.setdefault(item.status, []).append(item.meaning)
    known = {*(routine.name for routine in routines), *(part.name for part in parts)}
    also = {Status.BAD_INPUT, *(status for routine in routines for status in _unguarded(routine, known))}
    found = {}
    for status in sorted(meanings):
        words = "; or ".join(dict.fromkeys([*meanings[status], *([MEANING[status]] if status in also else [])]))
        if status is Status.SINGULAR and status not in also:
            written = any(r.stage == "position" and writes_for_singular(r) for r in routines)
            words += f": {_RETURNED if written else _NOTHING}"
        found[status.name] = words
    return found


def _all_parts(derivations: Sequence[Derivation]) -> tuple[Inner, ...]:
    """Return the inner parts that derivations call, and those that these call, each once."""
    own = dict.fromkeys(part for d in derivations for part in inner_parts(d))
    return tuple(dict.fromkeys([*own, *(_all_parts([part.derivation for part in own]) if own else ())]))


def _unguarded(routine: Routine, names: Collection[str]) -> set[Status]:
    """Return the statuses that a routine finds otherwise than by a guard, a flag, or a call of one of these names."""
    body = tuple(
        statement
        for statement in routine.body
        if not isinstance(statement, (Guard, Flag))
        and not (isinstance(statement, Call) and statement.routine.name in names)
    )
    return set(statuses(replace(routine, body=body))) - {Status.OK, Status.BAD_INPUT}
