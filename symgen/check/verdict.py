"""Whether a printed formula equals a derived object: proved, refuted by exact numbers, or neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from symgen.algebra import Conditions, Expr, at, differs_from_zero, is_zero, symbol_names
from symgen.check.points import Relations, points
from symgen.check.values import Shape, Value, named

Word = Literal["holds", "fails", "undecided"]

#: Points at which both sides agree before a claim is left undecided.
_EVIDENCE = 24
_LONGEST_DIFFERENCE = 600


@dataclass(frozen=True)
class Counterexample:
    """Exact numbers for which the formula is wrong.

    Attributes
    ----------
    values : symbols of the object's arguments.
    place : of the entry; () for a scalar.
    """

    values: Mapping[str, Expr]
    place: tuple[int, ...]
    printed: str
    derived: str


@dataclass(frozen=True)
class Finding:
    """What was found of a formula.

    Attributes
    ----------
    difference : printed less derived, of the first entry that differs; or why sizes do not fit.
    evidence : how it was decided, or what there is to know where it was not.
    """

    verdict: Word
    evidence: str
    difference: str = ""
    counterexample: Counterexample | None = None


def compare(printed: Value[Expr], derived: Value[Expr], relations: Relations) -> Finding:
    """Decide whether two values are equal wherever the conditions hold and both are defined.

    Raises
    ------
    ValueError
        The conditions contradict each other.
    """
    if printed.shape != derived.shape:
        text = f"the printed formula is {named(printed.shape)}, the derived object {named(derived.shape)}"
        return Finding("fails", "sizes", text)
    conditions = Conditions(relations.zeros, relations.apart, relations.positive)
    pairs = list(zip(printed.entries, derived.entries, strict=True))
    differences = [a - b for a, b in pairs]
    open_places = []
    for k, difference in enumerate(differences):
        finding = conditions.finding(difference)
        if finding == "undefined":
            text = f"entry {_place(k, derived.shape)} has no value under the side conditions: it divides by zero"
            return Finding("undecided", text)
        if finding == "open":
            open_places.append(k)
    if not open_places:
        return _HOLDS
    found = counterexample(pairs, open_places, derived.shape, relations)
    if found is not None:
        k = place_number(found.place, derived.shape)
        return Finding("fails", "counterexample in exact numbers", _shown(conditions.reduced(differences[k])), found)
    open_places = [k for k in open_places if conditions.finding(differences[k], thorough=True) != "zero"]
    if not open_places:
        return _HOLDS
    first = _place(open_places[0], derived.shape)
    return Finding(
        "undecided",
        f"entry {first} is not shown to be equal, and no exact point was found at which it differs "
        f"({_agreeing(differences, relations)} points tried agree to 60 digits)",
    )


_HOLDS = Finding("holds", "normal form: every entry of the difference is zero modulo the side conditions")


def counterexample(
    pairs: Sequence[tuple[Expr, Expr]], places: Sequence[int], shape: Shape, relations: Relations
) -> Counterexample | None:
    """Return exact numbers for which an entry differs, simple ones if there are; None if none were found."""
    names = sorted({n for k in places for value in pairs[k] for n in symbol_names(value)})
    for point in points(names, relations):
        k = _differing(pairs, places, point)
        if k is None:
            continue
        point = _simplest(pairs, k, point, relations)
        a, b = (at(value, point) for value in pairs[k])
        used = {n for value in pairs[k] for n in symbol_names(value)}
        used |= {n for value in relations.zeros if used.intersection(symbol_names(value)) for n in symbol_names(value)}
        values = {name: value for name, value in sorted(point.items()) if name in used}
        return Counterexample(values, _tuple(k, shape), str(a), str(b))
    return None


def _differing(pairs: Sequence[tuple[Expr, Expr]], places: Sequence[int], point: Mapping[str, Expr]) -> int | None:
    for k in places:
        a, b = (at(value, point) for value in pairs[k])
        if a is not None and b is not None and differs_from_zero(a - b):
            return k
    return None


def _simplest(
    pairs: Sequence[tuple[Expr, Expr]], k: int, point: dict[str, Expr], relations: Relations
) -> dict[str, Expr]:
    """Return a counterexample with as many zeros and ones as single changes allow."""
    zero = pairs[k][0] - pairs[k][0]
    for name in sorted(point):
        for simple in (zero, zero + 1):
            if is_zero(point[name] - simple):
                break
            other = {**point, name: simple}
            if relations.hold(other) and _differing(pairs, [k], other) is not None:
                point = other
                break
    return point


def _agreeing(differences: Sequence[Expr], relations: Relations) -> int:
    names = sorted({n for value in differences for n in symbol_names(value)})
    return sum(1 for _ in islice(points(names, relations, plain=True), _EVIDENCE))


def place_number(place: tuple[int, ...], shape: Shape) -> int:
    """Return which entry, by rows, a place is."""
    if not place:
        return 0
    return place[0] if len(place) == 1 else place[0] * shape[1] + place[1]


def _tuple(k: int, shape: Shape) -> tuple[int, ...]:
    if not shape:
        return ()
    return (k,) if len(shape) == 1 else divmod(k, shape[1])


def _place(k: int, shape: Shape) -> str:
    return str(list(_tuple(k, shape))) if shape else "1"


def _shown(value: Expr) -> str:
    text = str(value)
    return text if len(text) <= _LONGEST_DIFFERENCE else f"{text[:_LONGEST_DIFFERENCE]} ..."
