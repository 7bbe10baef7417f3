"""The best of more choices than can be looked at: exchange local search from several starts.

From a random vertex of the base polytope, go to a better choice one exchange
away until there is none. All choices can be reached by single exchanges, but the
number of groups is no convex function on them: what is found is a local optimum,
good in practice and not proved to be the best.

Deterministic: the starts follow from their numbers.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from symgen.topology.transformations.evaluation import ChoiceStructure, Evaluator
from symgen.topology.transformations.exchange import Matching
from symgen.topology.transformations.ground_set import Choice, GroundSet, first_matching

#: Number of starts.
STARTS = 20

# Bodies of all choices evaluated from one start before it ends where it stands.
_EFFORT = 2_000_000

Key = Callable[[ChoiceStructure], Any]
"""Sorts structures, the best first."""


def climb(ground: GroundSet, evaluator: Evaluator, key: Key, start: int) -> Choice:
    """Return the local optimum reached from the start of this number; there must be a valid choice.

    Raises
    ------
    ValueError
        if no choice is valid.
    """
    draw = random.Random(start)  # noqa: S311 - a reproducible order is wanted, not a secret
    order = list(range(len(ground.lowest)))
    draw.shuffle(order)
    here = first_matching(ground, order)
    if here is None:
        raise ValueError("no choice is valid")
    best = key(evaluator.evaluate(tuple(here.inputs)))
    seen = {tuple(here.inputs)}
    effort = max(200, _EFFORT // ground.graph.bodies)
    while len(seen) < effort:
        for less, more in _exchanges(ground, here, draw):
            there = list(here.inputs)
            there[less] -= 1
            there[more] += 1
            choice = tuple(there)
            if choice in seen:
                continue
            seen.add(choice)
            found = key(evaluator.evaluate(choice))
            if found < best:
                best = found
                here.exchange(less, more)
                break
            if len(seen) >= effort:
                break
        else:
            break
    return tuple(here.inputs)


def _exchanges(ground: GroundSet, here: Matching, draw: random.Random) -> list[tuple[int, int]]:
    """Return the valid exchanges (pair driven less, pair driven more) in random order."""
    found = [
        (less, more)
        for less, w in enumerate(here.inputs)
        if w > ground.lowest[less]
        for more in sorted(here.partners(less))
        if more != less and here.inputs[more] < ground.highest[more]
    ]
    draw.shuffle(found)
    return found
