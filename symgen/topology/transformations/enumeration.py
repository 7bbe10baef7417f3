"""All valid choices, pair by pair, none twice and no dead end.

The first pair's driven freedoms are fixed, then the second's, and so on. Since the valid
choices are the integer points of a base polytope, the numbers a pair can have
once the pairs before it are fixed form an interval, and each of them can be
completed. The interval is found from any completion by single exchanges with
later pairs, each one search through the pair graph. The last free input is
placed everywhere at once: its hole reaches all pairs that can take it.

Choices come in descending lexicographic order, which does not depend on the
assignments found on the way; the enumeration can be taken up after any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from symgen.topology.transformations.exchange import Matching
from symgen.topology.transformations.ground_set import Choice, GroundSet, first_matching


def enumerate_choices(ground: GroundSet, after: Sequence[int] | None = None) -> Iterator[Choice]:
    """Yield the valid choices in descending lexicographic order.

    Parameters
    ----------
    after : a choice: only those that follow it.
    """
    for matching, places in _leaves(ground, tuple(after) if after is not None else None):
        choice = matching.inputs
        if places is None:
            yield tuple(choice)
            continue
        for p in places:
            choice[p] += 1
            yield tuple(choice)
            choice[p] -= 1


def count_choices(ground: GroundSet, at_most: int | None = None) -> int:
    """Return the number of valid choices, counting no further than one beyond `at_most`."""
    count = 0
    for _, places in _leaves(ground, None):
        count += 1 if places is None else len(places)
        if at_most is not None and count > at_most:
            return at_most + 1
    return count


def _leaves(ground: GroundSet, after: Choice | None) -> Iterator[tuple[Matching, list[int] | None]]:
    """Yield complete choices, or choices that lack one input with the pairs that can take it, ascending."""
    lowest, highest = ground.lowest, ground.highest
    first = first_matching(ground)
    if first is None:
        return
    pairs = [p for p, (low, high) in enumerate(zip(lowest, highest, strict=True)) if low < high]
    # A matching, how many of `pairs` are fixed, inputs still free in the others, and whether `after` begins so.
    stack = [(first, 0, sum(first.inputs) - sum(lowest), after is not None)]
    while stack:
        matching, depth, free, is_bound = stack.pop()
        if free == 0 or depth >= len(pairs) - 1:
            if after is None or not is_bound or tuple(matching.inputs) < after:
                yield matching, None
            continue
        if free == 1:
            places = _places(ground, matching, pairs[depth:])
            if is_bound and after is not None:
                places = [p for p in places if _with_one(matching.inputs, p) < after]
            if places:
                yield matching, places
            continue
        stack += _children(ground, matching, pairs[depth], depth, free, after if is_bound else None)


def _children(
    ground: GroundSet, matching: Matching, p: int, depth: int, free: int, after: Choice | None
) -> list[tuple[Matching, int, int, bool]]:
    """Return one completion for each number of driven freedoms that pair p can have, ascending; `after` cuts off."""
    lowest, highest = ground.lowest, ground.highest
    start = matching.copy()
    below: list[Matching] = []
    while start.inputs[p] > lowest[p] and start.lower_one(p, highest, p):
        below.append(start.copy())
    top = matching
    above: list[Matching] = []
    while top.inputs[p] < highest[p]:
        following = top.copy()
        if not following.raise_one(p, lowest, p):
            break
        above.append(following)
        top = following
    found = [*reversed(below), matching, *above]
    return [
        (each, depth + 1, free - each.inputs[p] + lowest[p], after is not None and each.inputs[p] == after[p])
        for each in found
        if after is None or each.inputs[p] <= after[p]
    ]


def _places(ground: GroundSet, matching: Matching, pairs: Sequence[int]) -> list[int]:
    """Take the one free input out of the matching and return the pairs that can have it, ascending."""
    last = next(p for p in pairs if matching.inputs[p] > ground.lowest[p])
    partners = matching.partners(last)
    matching.inputs[last] -= 1  # the matching is not used any more; only its inputs are read
    return [p for p in pairs if p in partners and matching.inputs[p] < ground.highest[p]]


def _with_one(choice: Sequence[int], p: int) -> Choice:
    return (*choice[:p], choice[p] + 1, *choice[p + 1 :])
