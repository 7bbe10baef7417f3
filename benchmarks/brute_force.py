"""The search of Celdran, Saura, Dopico 2022, Section 3.4, in our own words: Eq. (3)/(5) by trial.

Again and again the smallest set of bodies is sought, single bodies first, whose active pairs
(both ends in the set, or one there and the other solved) impose just B constraints a body. Sets are
drawn from the bodies without a group (erratum: the paper draws from all moving bodies).
Cost: exponential in the size of the largest group. Baseline of the benchmarks, oracle of the tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


class TooLongError(Exception):
    """The search has looked at as many sets as it was allowed to."""


def search_groups(
    freedoms: int, bodies: int, pairs: Sequence[tuple[int, int, int]], most_sets: int | None = None
) -> list[tuple[int, ...]]:
    """Return the structural groups in the order in which the search finds them, as far as it finds any.

    Parameters
    ----------
    freedoms : B, 3 or 6.
    bodies : frame, number 0, included.
    pairs : body, body, number of constraints.
    most_sets : sets to look at before it gives up; None: as many as there are.

    Raises
    ------
    TooLongError
        If it has given up.
    """
    ends = [(1 << i | 1 << j, units) for i, j, units in pairs]
    solved, left = 1, list(range(1, bodies))
    groups: list[tuple[int, ...]] = []
    looked_at = 0
    while left:
        open_ = [(mask, units) for mask, units in ends if mask & ~solved]
        for size in range(1, len(left) + 1):
            wanted = freedoms * size
            for chosen in combinations(left, size):
                looked_at += 1
                if most_sets is not None and looked_at > most_sets:
                    raise TooLongError(f"{most_sets} sets looked at")
                inside = solved
                for body in chosen:
                    inside |= 1 << body
                if wanted == sum([units for mask, units in open_ if not mask & ~inside]):
                    break
            else:
                continue
            break
        else:
            return groups
        groups.append(chosen)
        solved = inside
        left = [body for body in left if body not in chosen]
    return groups
