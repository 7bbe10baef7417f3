"""All pairs of one space as constraints: what the certified Newton solver and the dynamics are made of.

Pairs join two bodies by the joint frames on them. Residuals vanish where a pair closes; Jacobians take the twists
[v, omega] of both bodies' origins, world axes; rate and bias hold what else their derivatives have:

    f' = J_1 t_1 + J_2 t_2 + rate          f'' = J_1 t_1' + J_2 t_2' + bias

Rows are along joint axes: places and slides in metres, turns as cosines of angles that are right where the pair closes.

Source: A. Mueller 2015.
"""

from __future__ import annotations

from dataclasses import dataclass

from symgen.derive.constraints.pairs import DRIVES, PAIRS, Space, derive_bias, derive_constraint, row_count
from symgen.derive.constraints.rows import SOURCE
from symgen.derive.derivation import Derivation
from symgen.derive.module import overview

ENGINES: dict[str, Space] = {"newton_spatial": "spatial", "newton_planar": "planar"}


@dataclass(frozen=True)
class ElementKind:
    """One kind of element: code, name, rows, derivations, and which of its rows bend.

    `points`, `slides`: whether it has such rows; `turns`: how many axes of the second frame its turns hold; `helices`.
    """

    code: int
    name: str
    rows: int
    constraint: Derivation
    bias: Derivation
    points: int
    slides: int
    turns: int
    helices: int


@dataclass(frozen=True)
class ConstraintModule:
    """All pairs and driven freedoms of one space."""

    id: str
    title: str
    space: Space
    source: str
    summary: tuple[str, ...]
    kinds: tuple[ElementKind, ...]


def derive_constraints(module_id: str) -> ConstraintModule:
    """Derive the pairs of the space that a solver's id names (`ENGINES`)."""
    space = ENGINES[module_id]
    names = (*PAIRS[space], *DRIVES[space])
    return ConstraintModule(
        module_id,
        f"certified Newton for {space} groups",
        space,
        SOURCE,
        overview(__doc__),
        tuple(_kind(space, code, name) for code, name in enumerate(names)),
    )


def _kind(space: Space, code: int, name: str) -> ElementKind:
    derivations = derive_constraint(space, name), derive_bias(space, name)
    if name in DRIVES[space]:
        slides = int(name.startswith("slide"))
        return ElementKind(code, name, 1, *derivations, 0, slides, 1 - slides, 0)
    places, turns, _ = PAIRS[space][name]
    points = int(places[0].isdigit())
    axes = len({turn[1] for turn in turns})
    return ElementKind(code, name, row_count(space, name), *derivations, points, 1 - points, axes, int(name == "H"))
