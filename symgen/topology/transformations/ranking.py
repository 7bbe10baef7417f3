"""Choices in order: by the objectives the user names, in lexicographic order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean, show
from symgen.topology.transformations.evaluation import ChoiceStructure

Solved = Callable[[str], bool]
"""Tells of a signature whether the library solves it."""

OBJECTIVES: dict[str, str] = {
    "groups": "as many groups as possible",
    "largest": "the largest group as small as possible",
    "levels": "as few levels as possible: groups of one level can be solved at the same time",
    "solved": "as large a share of the groups as possible solved by the library",
}
"""Objective -> what it asks for."""

DEFAULT = ("groups", "largest", "solved")


@dataclass(frozen=True, slots=True)
class Order:
    """An order of structures by objectives.

    Attributes
    ----------
    by : objectives, the first one first.
    solved : what the library solves; None if no library is at hand.
    regular_first : put singular choices behind all others.
    """

    by: tuple[str, ...]
    solved: Solved | None
    regular_first: bool

    def key(self, structure: ChoiceStructure) -> tuple[Any, ...]:
        """Return what sorts structures, the best first."""
        values = tuple(self._cost(name, structure) for name in self.by)
        return (not structure.regular, *values) if self.regular_first else values

    def solved_groups(self, structure: ChoiceStructure) -> int | None:
        """Return how many groups the library solves; None if no library is at hand."""
        return sum(map(self.solved, structure.signatures)) if self.solved is not None else None

    def _cost(self, name: str, structure: ChoiceStructure) -> float:
        if name == "groups":
            return -structure.groups
        if name == "solved":
            return -(self.solved_groups(structure) or 0) / structure.groups
        return structure.largest if name == "largest" else structure.levels


def read_order(by: Sequence[str] | None, solved: Solved | None, *, regular_first: bool) -> Order:
    """Return the order by these objectives; without any, by those of `DEFAULT` that can be answered.

    Raises
    ------
    InputError
        an unknown objective, one named twice, none, or ``solved`` without a library.
    """
    if by is None:
        return Order(tuple(name for name in DEFAULT if name != "solved" or solved), solved, regular_first)
    names = tuple(by)
    for name in names:
        if name not in OBJECTIVES:
            near = did_you_mean(name, OBJECTIVES)
            raise InputError(f"objective {show(name)}: allowed are {', '.join(OBJECTIVES)}{near}")
        if names.count(name) > 1:
            raise InputError(f"objective {show(name)} is named twice")
        if name == "solved" and solved is None:
            raise InputError(
                'objective "solved" asks what the library solves; give `solved`, a function of the signature'
            )
    if not names:
        raise InputError(f"no objective is named; allowed are {', '.join(OBJECTIVES)}")
    return Order(names, solved, regular_first)
