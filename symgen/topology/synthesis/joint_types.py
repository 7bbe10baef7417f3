"""Pair types on the pairs of a chain: all assignments, of symmetric ones the first.

An assignment is kept if the chain has, with these types, the mobility it was
counted with (exact generic rank) and no pair of it stands still. So of the
four-bars with R and P there remain R R R R, R R R P, R R P P and R P R P: with
three sliders the one hinge cannot turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from symgen.errors import InputError
from symgen.model.nearest import did_you_mean
from symgen.model.pairs import PAIR_TYPES, Space, pair_types
from symgen.topology.rank.twists import has_rows
from symgen.topology.synthesis.chains import Chain, ChainFamily
from symgen.topology.synthesis.loop_mobility import loop_mobility
from symgen.topology.synthesis.small_graphs import symmetries


@dataclass(frozen=True, slots=True)
class TypedChain:
    """A chain with the type of each of its joints, and the symmetries (link -> link) that keep the types."""

    chain: Chain
    types: tuple[str, ...]
    symmetries: tuple[tuple[int, ...], ...]


def check_types(types: Sequence[str], space: Space) -> None:
    """Refuse pair types that are unknown, not for this space, or of which the twists are not known.

    Raises
    ------
    InputError
        names the type, what is allowed and the nearest.
    """
    allowed = [pair.code for pair in pair_types(space) if pair.grade and has_rows(space, pair.code)]
    for code in types:
        if code not in allowed:
            hint = did_you_mean(code, allowed) or f"; allowed in {space} mechanisms are {', '.join(allowed)}"
            raise InputError(f"pair type {code[:20]!r} cannot be used here{hint}")
    if len(set(types)) < len(types):
        raise InputError(f"pair types {', '.join(types)}: one is given twice")
    if not types:
        raise InputError(f"no pair type is given; allowed in {space} mechanisms are {', '.join(allowed)}")


def grade_of(types: Sequence[str]) -> int:
    """Return the common grade of the types of a chain.

    Raises
    ------
    InputError
        if they have several.
    """
    grades = {code: PAIR_TYPES[code].grade for code in types}
    if len(set(grades.values())) > 1:
        found = ", ".join(f"{code} has {grade}" for code, grade in grades.items())
        raise InputError(f"the pairs of a chain must all have one number of freedoms: {found}")
    return grades[types[0]]


def assign_types(
    chain: Chain, family: ChainFamily, types: Sequence[str], at_most: Mapping[str, int] | None = None
) -> Iterator[TypedChain]:
    """Yield the assignments of types to the joints of a chain, each once up to symmetry.

    Parameters
    ----------
    family : the chain's; types must be of its grade.
    types : in the order of preference.
    at_most : largest number of joints of a type; no bound for types that are not in it.
    """
    group = symmetries(chain.graph)
    number = {joint: k for k, joint in enumerate(chain.joints)}
    moves = [tuple(number[min(s[a], s[b]), max(s[a], s[b])] for a, b in chain.joints) for s in group]
    bounds = {types.index(code): most for code, most in (at_most or {}).items() if code in types}
    for choice in product(range(len(types)), repeat=len(chain.joints)):
        if any(choice.count(k) > most for k, most in bounds.items()):
            continue
        kept = _keeping(choice, moves, group)
        if kept is None:
            continue
        codes = tuple(types[k] for k in choice)
        if len(types) == 1 and family.space == "planar" and types[0] == "R":
            yield TypedChain(chain, codes, kept)  # counting is exact for hinges in the plane (Tay 1984)
            continue
        found = loop_mobility(chain.graph, codes, family.space)
        if found.mobility == family.mobility and (family.rigid_parts or not family.mobility or not found.still):
            yield TypedChain(chain, codes, kept)


def _keeping(
    choice: tuple[int, ...], moves: Sequence[tuple[int, ...]], group: Sequence[tuple[int, ...]]
) -> tuple[tuple[int, ...], ...] | None:
    """Return the symmetries that keep an assignment, or None if it is not the first of those symmetric to it."""
    kept = []
    for move, symmetry in zip(moves, group, strict=True):
        image = tuple([choice[k] for k in move])
        if image < choice:
            return None
        if image == choice:
            kept.append(symmetry)
    return tuple(kept)
