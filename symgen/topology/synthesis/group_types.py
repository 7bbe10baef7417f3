"""Structural groups with types: every signature of so many bodies from a list of pairs, each once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, product

from symgen.errors import InputError
from symgen.model.mechanism import Mechanism
from symgen.model.pairs import PAIR_TYPES, Space
from symgen.topology.analysis import analyse
from symgen.topology.signatures import Bond, GroupShape, signature_of, type_name
from symgen.topology.synthesis.files import group_tree
from symgen.topology.synthesis.group_weights import Weights, find_weights
from symgen.topology.synthesis.joint_types import check_types

MOST_BODIES = 6


@dataclass(frozen=True, slots=True)
class GroupFamily:
    """What groups are wanted.

    Parameters
    ----------
    bodies : number of bodies.
    pairs : pair types that may occur.
    space : "planar" or "spatial".
    inputs : largest number of driven freedoms in the group; None for any.
    """

    bodies: int
    pairs: tuple[str, ...]
    space: Space = "spatial"
    inputs: int | None = 0


@dataclass(frozen=True, slots=True)
class FoundGroup:
    """One structural group.

    Attributes
    ----------
    shape : its bodies and pairs.
    signature : its name.
    type : the paper's count name.
    regular : True if the constraints have full rank for generic geometry (test L3).
    rigid_parts : True if its joints alone hold several of its bodies rigidly together: these can be merged.
    """

    shape: GroupShape
    signature: str
    type: str
    regular: bool
    rigid_parts: bool


def find_groups(family: GroupFamily) -> Iterator[FoundGroup]:
    """Yield all groups of a family, each once, in a fixed order.

    Raises
    ------
    InputError
        if sizes are out of range or a pair type is not known.
    """
    if not 1 <= family.bodies <= MOST_BODIES:
        raise InputError(f"{family.bodies} bodies: allowed are 1 to {MOST_BODIES}")
    if family.inputs is not None and family.inputs < 0:
        raise InputError(f"{family.inputs} inputs: must not be negative")
    check_types(family.pairs, family.space)
    freedoms = 3 if family.space == "planar" else 6
    options = _options(family, freedoms)
    around = _around(options, freedoms * family.bodies, family.inputs)
    if not options:
        return
    for weights in find_weights(family.bodies, freedoms, sorted(options), sorted(around)):
        for shape in _typed(weights, options, around, family):
            yield _found(shape, freedoms)


def _options(family: GroupFamily, freedoms: int) -> dict[int, list[Bond]]:
    """Return the pairs by the number of constraints they impose; those that impose none belong to no group."""
    options: dict[int, list[Bond]] = {}
    for code in sorted(family.pairs, key=lambda code: PAIR_TYPES[code].order):
        grade = PAIR_TYPES[code].grade
        for driven in range(grade, -1, -1):
            load = freedoms - grade + driven
            if load and (family.inputs is None or driven <= family.inputs):
                options.setdefault(load, []).append(Bond(code, driven))
    return options


def _around(options: dict[int, list[Bond]], most: int, inputs: int | None) -> dict[int, list[tuple[Bond, ...]]]:
    """Return the multisets of outer pairs a body may have, by the number of constraints together."""
    loads = [(load, bond) for load, bonds in options.items() for bond in bonds]
    loads.sort(key=lambda entry: entry[1].key)
    found: dict[int, list[tuple[Bond, ...]]] = {}
    # pairs chosen so far, their constraints and inputs, the first pair that may follow
    waiting: list[tuple[tuple[Bond, ...], int, int, int]] = [((), 0, 0, 0)]
    while waiting:
        bonds, load, driven, first = waiting.pop()
        found.setdefault(load, []).append(bonds)
        for k in range(len(loads) - 1, first - 1, -1):
            more, bond = loads[k]
            if load + more <= most and (inputs is None or driven + bond.driven <= inputs):
                waiting.append(((*bonds, bond), load + more, driven + bond.driven, k))
    return found


def _typed(
    weights: Weights, options: dict[int, list[Bond]], around: dict[int, list[tuple[Bond, ...]]], family: GroupFamily
) -> Iterator[GroupShape]:
    """Yield all ways to put pairs to the weights, of symmetric ones the first."""
    number = {edge: k for k, edge in enumerate(weights.edges)}
    moves = [(s, tuple(number[min(s[a], s[b]), max(s[a], s[b])] for a, b in weights.edges)) for s in weights.symmetries]
    outer_sites, inner_sites = [around[o] for o in weights.outer], [options[c] for c in weights.inner]
    count = len(weights.outer)
    counts = [*map(len, outer_sites), *map(len, inner_sites)]
    for choice in product(*map(range, counts)):
        outer, inner = choice[:count], choice[count:]
        # sites of equal weight have equal lists, so numbers compare across bodies
        if any((tuple([outer[u] for u in s]), tuple([inner[k] for k in m])) < (outer, inner) for s, m in moves):
            continue
        outside = tuple(site[k] for site, k in zip(outer_sites, outer, strict=True))
        between = tuple((a, b, site[k]) for (a, b), site, k in zip(weights.edges, inner_sites, inner, strict=True))
        driven = sum(bond.driven for bonds in outside for bond in bonds) + sum(bond.driven for *_, bond in between)
        if family.inputs is None or driven <= family.inputs:
            yield GroupShape(family.space, outside, between)


def _found(shape: GroupShape, freedoms: int) -> FoundGroup:
    signature = signature_of(shape)
    structure = analyse(Mechanism.from_dict(group_tree(shape, "")))
    types = [bond.type for bonds in shape.outer for bond in bonds] + [bond.type for *_, bond in shape.inner]
    return FoundGroup(
        shape=shape,
        signature=signature,
        type=type_name(types, shape.space),
        regular=structure.status == "determined",
        rigid_parts=_has_rigid_part(shape, freedoms),
    )


def _has_rigid_part(shape: GroupShape, freedoms: int) -> bool:
    for count in range(2, len(shape.outer) + 1):
        for part in combinations(range(len(shape.outer)), count):
            load = sum(freedoms - PAIR_TYPES[bond.type].grade for a, b, bond in shape.inner if a in part and b in part)
            if load >= freedoms * (count - 1):
                return True
    return False
