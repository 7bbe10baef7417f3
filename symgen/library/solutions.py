"""How the structural groups of a mechanism are solved: in closed form, else by certified Newton."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from symgen.library.catalogue import solution_of

if TYPE_CHECKING:
    from symgen.topology.structure import Group, Structure

#: As `symgen.library.newton.problem.METHOD` and its table, which need NumPy.
NEWTON = "certified Newton"
_WITH_FRAMES = {
    "spatial": frozenset({"R", "P", "H", "C", "U", "ER", "S", "PL", "FP", "F", "W"}),
    "planar": frozenset({"R", "P", "FP", "W"}),
}


def solutions_of(structure: Structure) -> Callable[[Group], tuple[bool, str | None]]:
    """Return a function that tells whether a group of this mechanism is solved, and by which method.

    Each type is looked up once. Only groups with a pair that has no joint frames (a higher pair) are not solved.
    """
    known: dict[str, tuple[bool, str | None]] = {}
    types = _WITH_FRAMES[structure.space]

    def solved(group: Group) -> tuple[bool, str | None]:
        if group.signature not in known:
            found = solution_of(group.signature)
            if not found[0] and {pair.type for pair in (*group.external, *group.internal)} <= types:
                found = True, NEWTON
            known[group.signature] = found
        return known[group.signature]

    return solved
