"""Whether a printed formula equals a derived object: proved, refuted by exact numbers, or neither."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from symgen.algebra import Conditions, Expr, at, differs_from_zero, is_symbol, is_zero, name_of, symbol_names
from symgen.check.points import Relations, points
from symgen.check.values import Shape, Value, named, plain

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

    @property
    def text(self) -> str:
        """What is wrong for which numbers, as people read it."""
        entry = f"entry {list(self.place)} " if self.place else ""
        others = [f"{name} = {value}" for name, value in self.values.items() if str(value) != "0"]
        zeros = len(self.values) - len(others)
        said = ", ".join([*others, *(["all others 0" if others else "all letters 0"] if zeros else [])])
        return f"{entry}is {self.derived}, printed {self.printed}{f', for {said}' if said else ''}"


@dataclass(frozen=True)
class FormulaFinding:
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


def compare(printed: Value[Expr], derived: Value[Expr], relations: Relations) -> FormulaFinding:
    """Decide whether two values are equal wherever the conditions hold and both are defined.

    Raises
    ------
    ContradictionError
        The conditions contradict each other.
    """
    if plain(printed.shape) != plain(derived.shape):
        text = f"the printed formula is {named(printed.shape)}, the derived object {named(derived.shape)}"
        return FormulaFinding("fails", "sizes", text)
    roots = [name_of(value) for function, value in relations.domain if function in ("sqrt", "log") and is_symbol(value)]
    conditions = Conditions(relations.zeros, relations.apart, relations.positive, roots)
    pairs = list(zip(printed.entries, derived.entries, strict=True))
    differences = [a - b for a, b in pairs]
    findings = [conditions.finding(difference) for difference in differences]
    open_places = [k for k, finding in enumerate(findings) if finding == "open"]
    found = counterexample(pairs, open_places, derived.shape, relations) if open_places else None
    if found is not None:
        k = place_number(found.place, derived.shape)
        return FormulaFinding(
            "fails", "counterexample in exact numbers", _shown(conditions.reduced(differences[k])), found
        )
    findings = [conditions.finding(difference, thorough=True) for difference in differences]
    if "undefined" in findings:
        entry = _place(findings.index("undefined"), derived.shape)
        return FormulaFinding("undecided", f"{entry} has no value under the side conditions: it divides by zero")
    if "open" not in findings:
        return HOLDS if _is_somewhere(pairs, relations) else FormulaFinding("undecided", _NOWHERE)
    entry = _place(findings.index("open"), derived.shape)
    tried, agreeing = _agreeing(pairs, relations)
    evidence = (
        f"{agreeing} of {tried} points tried, at which both have a value, agree to 60 digits"
        if tried
        else ("no point was found at which both have a value")
    )
    return FormulaFinding("undecided", f"{entry} is neither shown to be equal nor to differ; {evidence}")


_NOWHERE = "the difference is zero, but no point was found at which the conditions hold and both sides have a value"
HOLDS = FormulaFinding("holds", "normal form: every entry of the difference is zero modulo the side conditions")


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
        return Counterexample(values, _tuple(k, shape), _text(a), _text(b))
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


def _agreeing(pairs: Sequence[tuple[Expr, Expr]], relations: Relations) -> tuple[int, int]:
    """Return at how many points both sides have a value, and at how many of these they agree."""
    names = sorted({n for pair in pairs for value in pair for n in symbol_names(value)})
    tried = agreeing = 0
    for point in islice(points(names, relations, plain=True), _EVIDENCE):
        values = [(at(a, point), at(b, point)) for a, b in pairs]
        known = [(a, b) for a, b in values if a is not None and b is not None]
        if len(known) == len(values):
            tried += 1
            agreeing += not any(differs_from_zero(a - b) for a, b in known)
    return tried, agreeing


def _is_somewhere(pairs: Sequence[tuple[Expr, Expr]], relations: Relations) -> bool:
    """Tell whether there is a real point at which the conditions hold and both sides have a value."""
    if not (relations.zeros or relations.positive or relations.apart or relations.domain):
        return True
    names = sorted({n for pair in pairs for value in pair for n in symbol_names(value)})
    return any(all(at(v, point) is not None for pair in pairs for v in pair) for point in points(names, relations))


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
    return f"entry {list(_tuple(k, shape))}" if shape else "it"


def _text(value: Expr | None) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no numbers of more than some thousand digits
        return "a number of thousands of digits"


def _shown(value: Expr) -> str:
    text = _text(value)
    return text if len(text) <= _LONGEST_DIFFERENCE else f"{text[:_LONGEST_DIFFERENCE]} ..."
