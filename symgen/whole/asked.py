"""What is asked of a whole mechanism: results by kind or by name, and the groups that lead to them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from symgen.algebra import exactly
from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.model.nearest import did_you_mean, show
from symgen.model.pairs import PAIR_TYPES
from symgen.solve.newton import NewtonPlan
from symgen.solve.plan import GroupPlan, Plan
from symgen.whole.bodies import Values

RESULTS = ("bodies", "joints", "points")
#: Also allowed, in the place of "joints": without those that have to be read off the bodies (free S, F, FP).
FEWER = "coordinates"
#: Which groups are solved: those that results need, or all, so that each one's checks are made.
Checks = Literal["needed", "all"]
CHECKS: tuple[Checks, ...] = ("needed", "all")

#: (body, name, place in the body).
Point = tuple[str, str, Values]


@dataclass(frozen=True)
class RequestedResults:
    """What comes out, each in the order of the file.

    Parameters
    ----------
    coordinates : (joint, freedom).
    """

    bodies: tuple[str, ...]
    coordinates: tuple[tuple[str, str], ...]
    points: tuple[Point, ...]


def asked_of(plan: Plan, results: Sequence[str]) -> RequestedResults:
    """Return what is asked for.

    Parameters
    ----------
    results : kinds (`RESULTS`, `FEWER`) and names: a moving body, a joint, ``joint.freedom``, ``body.point``; where a
        name has two meanings with the kind before it, as in ``bodies.shoulder``.

    Raises
    ------
    InputError
        A word is neither, or has two meanings; or the mechanism has nothing of what is asked for.
    """
    mechanism = plan.mechanism
    bodies = [body.id for body in mechanism.bodies]
    coordinates = list(_coordinates(plan))
    points = list(_points(mechanism))
    given = {key for group in plan.groups for key in given_coordinates(group)}
    named_coordinates = {".".join(key): [key] for key in coordinates}
    for joint, _ in coordinates:
        named_coordinates[joint] = [key for key in coordinates if key[0] == joint]
    named: tuple[Mapping[str, Sequence[object]], ...] = (
        {body: [body] for body in bodies},
        named_coordinates,
        {f"{body}.{name}": [(body, name)] for body, name, _ in points},
    )
    every: tuple[Sequence[object], ...] = (bodies, coordinates, [point[:2] for point in points])
    taken: tuple[set[object], ...] = (set(), set(), set())
    for word in results:
        if word in RESULTS:
            taken[RESULTS.index(word)].update(every[RESULTS.index(word)])
        elif word == FEWER:
            taken[1].update(key for key in coordinates if key in given)
        else:
            number, name = _meaning(word, named)
            taken[number].update(named[number][name])
    asked = RequestedResults(
        tuple(body for body in bodies if body in taken[0]),
        tuple(key for key in coordinates if key in taken[1]),
        tuple(point for point in points if point[:2] in taken[2]),
    )
    if not (asked.bodies or asked.coordinates or asked.points):
        raise InputError("results: the mechanism has none of the results requested; choose bodies, joints or points")
    return asked


def _meaning(word: str, named: Sequence[Mapping[str, object]]) -> tuple[int, str]:
    """Return which kind of result a name is of, and the name without the kind that may stand before it."""
    kind, _, rest = word.partition(".")
    if kind in RESULTS and rest in named[RESULTS.index(kind)]:
        return RESULTS.index(kind), rest
    found = [number for number, names in enumerate(named) if word in names]
    if len(found) == 1:
        return found[0], word
    if found:
        choices = " or ".join(f"{RESULTS[number]}.{word}" for number in found)
        raise InputError(f"results: {show(word)} has two meanings; write {choices}")
    kinds = ", ".join((*RESULTS, FEWER))
    known = [*RESULTS, FEWER, *(name for names in named for name in names)]
    raise InputError(
        f"results: {show(word)} is neither a kind of result ({kinds}) nor the name of one: a moving body, a joint, "
        f"JOINT.FREEDOM or BODY.POINT{did_you_mean(word, known)}"
    )


def needed_groups(plan: Plan, asked: RequestedResults) -> dict[int, frozenset[tuple[str, str]] | None]:
    """Return the numbers of the groups that lead to what is asked for, in solving order, with what is asked of each.

    That is its (joint, freedom) where nothing else needs the group, and None where its bodies are needed.
    """
    leader = plan.rigid.leader
    wanted = {leader[body] for body in asked.bodies} | {leader[body] for body, _, _ in asked.points}
    coordinates = set(asked.coordinates)
    needed: list[tuple[int, frozenset[tuple[str, str]] | None]] = []
    read = coordinates - {key for group in plan.groups for key in given_coordinates(group)}
    for joint in plan.mechanism.joints:
        if any(key[0] == joint.id for key in read):  # read off its two bodies
            wanted.update(plan.rigid.ends(joint))
    for number, group in reversed(list(enumerate(plan.groups, start=1))):
        own = coordinates.intersection(given_coordinates(group))
        if wanted & {*group.bodies} or own:
            needed.append((number, None if wanted & {*group.bodies} else frozenset(own)))
            wanted.update(group.known)
    return dict(reversed(needed))


def _coordinates(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the (joint, freedom) of all joints in the order of the file."""
    for joint in plan.mechanism.joints:
        for freedom in PAIR_TYPES[joint.type].freedoms:
            yield joint.id, freedom


def given_coordinates(group: GroupPlan | NewtonPlan) -> tuple[tuple[str, str], ...]:
    """Return the (joint, freedom) that a group gives, driven ones included; not those of a free S."""
    if isinstance(group, NewtonPlan):
        return tuple(
            (joint.name, freedom)
            for joint in group.joints
            for freedom in (joint.driven if joint.type in ("S", "F") else PAIR_TYPES[joint.type].freedoms)
        )
    return tuple(
        (fitted.joint.name, fitted.freedom(freedom))
        for fitted in group.adapter.fit.joints
        for freedom in (*fitted.slot.driven, *(() if fitted.slot.type == "S" else fitted.slot.freedoms))
    )


def _points(mechanism: Mechanism) -> Iterator[Point]:
    size = 2 if mechanism.space == "planar" else 3
    for body in mechanism.bodies:
        for name, place in body.points.items():
            yield body.id, name, tuple(exactly(float(part)) for part in place[:size])
