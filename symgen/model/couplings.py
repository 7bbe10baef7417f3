"""Couplings between joint coordinates and limits of them, as a mechanism file gives them: read and checked.

Nothing uses them yet: who solves or simulates a mechanism refuses couplings (`Mechanism.require_uncoupled`), and says
which limits a motion passes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Freedom: TypeAlias = tuple[str, str]
"""Joint and name of a freedom of it."""

Mesh = Literal["external", "internal", "bevel"]
MESHES: tuple[Mesh, ...] = ("external", "internal", "bevel")


@dataclass(frozen=True)
class Relation:
    """An affine relation between joint coordinates: the sum of coefficient times coordinate, plus `offset`, is zero.

    Parameters
    ----------
    id : its name.
    terms : freedom -> coefficient, none of them zero, in the order of the text.
    offset : [rad or m, as the coordinates and coefficients have it].
    written : the text.
    """

    id: str
    terms: Mapping[Freedom, float] = field(hash=False)
    offset: float
    written: str = field(default="", compare=False)


@dataclass(frozen=True)
class Gear:
    """Two toothed wheels in mesh, each turning with a joint.

    Parameters
    ----------
    joints : of the two wheels; their `angle` counts.
    teeth : of the two wheels.
    mesh : external (they turn against each other), internal (the wheel with more teeth is the ring) or bevel.
    carrier : the body that holds both wheels; None where both joints have it anyway.
    """

    id: str
    joints: tuple[str, str]
    teeth: tuple[int, int]
    mesh: Mesh
    carrier: str | None = None


@dataclass(frozen=True)
class Rack:
    """A wheel that rolls along a rack: the `angle` of the first joint, the `slide` of the second; `radius` [m]."""

    id: str
    joints: tuple[str, str]
    radius: float


@dataclass(frozen=True)
class Belt:
    """Two pulleys under a belt that does not slip; `radii` [m]; `crossed` belts turn them against each other."""

    id: str
    joints: tuple[str, str]
    radii: tuple[float, float]
    crossed: bool = False


Coupling: TypeAlias = Relation | Gear | Rack | Belt
