"""Ranking what a database holds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from symgen.errors import InputError
from symgen.topology.transformations.database import Inputs, Store, open_store
from symgen.topology.transformations.evaluation import ChoiceStructure
from symgen.topology.transformations.ground_set import count_bounded
from symgen.topology.transformations.preferences import Preferences, read_preferences
from symgen.topology.transformations.ranking import Order, Solved, read_order
from symgen.topology.transformations.records import RankedChoice, Transformations

#: Rows of a table.
LIMIT = 20


@dataclass(frozen=True, slots=True)
class _StoredJoint:
    id: str
    type: str
    grade: int


def read_transformations(
    database: str | os.PathLike[str],
    *,
    must: Mapping[str, int] | Iterable[str] = (),
    may_not: Iterable[str] = (),
    only: Iterable[str] | None = None,
    by: Sequence[str] | None = None,
    regular: bool = True,
    solved: Solved | None = None,
    limit: int | None = LIMIT,
) -> Transformations:
    """Rank what a database of `transform` holds; preferences narrow it further.

    Parameters
    ----------
    database : the file.
    must, may_not, only, by, regular, solved, limit : as in `symgen.topology.transformations.transform.transform`.

    Raises
    ------
    InputError
        if it is no such database, or its run has not come to an end.
    """
    with open_store(database, new=False) as store:
        if store.fact("stage") != "evaluating" or store.open_classes(1):
            raise InputError(
                f"{os.fspath(database)}: the run that fills this database did not finish; repeat it with the same "
                "options, and it continues where it stopped"
            )
        rows = store.joints()
        joints = [_StoredJoint(name, kind, highest) for _, name, kind, _, _, _, highest in rows]
        order = read_order(by, solved, regular_first=False)
        preferences = read_preferences(joints, must, may_not, only)
        found = rank_store(store, order, preferences, regular=regular, limit=limit)
        lowest = [max(low, preferences.lowest.get(name, 0)) for _, name, _, _, _, low, _ in rows]
        highest = [preferences.highest[joint.id] for joint in joints]
        narrowed = lowest != [row[5] for row in rows] or highest != [row[6] for row in rows]
        return replace(found, vectors=count_bounded(lowest, highest, found.inputs), narrowed=narrowed)


def rank_store(
    store: Store, order: Order, preferences: Preferences, *, regular: bool, limit: int | None
) -> Transformations:
    """Rank the choices of a database whose structures are all known."""
    current = store.current()
    members, current_class = _members(store, preferences, current)
    structures = store.structures_of(members)
    valid = sum(count for count, _ in members.values())
    regular_count = sum(count for leader, (count, _) in members.items() if structures[leader].regular)
    keys = {
        leader: (order.key(structures[leader]), leader)
        for leader in members
        if structures[leader].regular or not regular
    }
    ranked = sorted(keys, key=keys.__getitem__)

    def record(place: int) -> RankedChoice:
        leader = ranked[place]
        count, inputs = members[leader]
        is_current = leader == current_class
        shown = current[0] if is_current and current is not None else inputs
        return _record(order, structures[leader], place + 1, shown, count, is_current)

    best = [leader for leader in ranked if keys[leader][0] == keys[ranked[0]][0]] if ranked else []
    return Transformations(
        mechanism=store.fact("mechanism") or "",
        space=store.fact("space") or "spatial",
        inputs=store.fact_number("inputs"),
        vectors=store.fact_number("vectors"),
        method=_method(store),
        valid=valid,
        regular=regular_count,
        classes=len(ranked),
        ranked=sum(members[leader][0] for leader in ranked),
        by=order.by,
        best=sum(members[leader][0] for leader in best),
        current=record(ranked.index(current_class)) if current_class in keys else _outside(order, current),
        choices=tuple(map(record, range(len(ranked) if limit is None else min(limit, len(ranked))))),
        reason=None if ranked else _reason(valid),
    )


def _reason(valid: int) -> str:
    if valid:
        return "all are singular for every geometry (--no-regular shows them); drive other joints"
    return "none satisfies the preferences"


def _method(store: Store) -> Literal["enumeration", "search"]:
    return "search" if store.fact("method") == "search" else "enumeration"


def _members(
    store: Store, preferences: Preferences, current: tuple[Inputs, ChoiceStructure] | None
) -> tuple[dict[int, tuple[int, Inputs]], int | None]:
    """Return class -> number of its choices within the preferences and the first of them; class of the current one."""
    members: dict[int, tuple[int, Inputs]] = {}
    current_class = None
    for leader, inputs in store.choices():
        if not preferences.allow(inputs):
            continue
        count, first = members.get(leader, (0, inputs))
        members[leader] = (count + 1, first)
        if current is not None and inputs == current[0]:
            current_class = leader
    return members, current_class


def _outside(order: Order, current: tuple[Inputs, ChoiceStructure] | None) -> RankedChoice | None:
    """Return the mechanism's own inputs if they are no part of the order: against the preferences, or singular."""
    if current is None:
        return None
    inputs, structure = current
    return _record(order, structure, None, inputs, 1, True)


def _record(
    order: Order, structure: ChoiceStructure, number: int | None, inputs: Inputs, alike: int, is_current: bool
) -> RankedChoice:
    unsolved = None
    if order.solved is not None:
        unsolved = tuple(name for name in dict.fromkeys(structure.signatures) if not order.solved(name))
    return RankedChoice(
        number=number,
        inputs=dict(inputs),
        alike=alike,
        groups=structure.groups,
        largest=structure.largest,
        levels=structure.levels,
        regular=structure.regular,
        signatures=structure.signatures,
        unsolved=unsolved,
        solved=order.solved_groups(structure),
        is_current=is_current,
    )
