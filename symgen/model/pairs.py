"""Kinematic pair types: Table 3 of Celdran, Saura and Dopico (2022) as data, and the weld W.

Source: "Computational structural analysis of spatial multibody systems based on
mobility criteria", Mechanism and Machine Theory, 2022, Table 3: code, name, grade
(number of allowed relative degrees of freedom). The order of the rows is the order
of the types in the name of a structural group. The names and order of the freedoms
and the column `planar` are symgen's (mechanism file, section "Joint frames").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Space = Literal["spatial", "planar"]


@dataclass(frozen=True)
class PairType:
    """One kinematic pair type.

    Parameters
    ----------
    code : the type as written in a mechanism file, such as ``"R"``.
    name : the paper's name of it.
    grade : number of relative degrees of freedom it allows (0 for W).
    order : row of Table 3, from 1; 0 for W, which is not in the table.
    planar : True if planar mechanisms may use it.
    freedoms : names of its freedoms, `grade` of them, in the order of their coordinates;
        empty for a type that only the structural analysis knows (higher pairs but L, whose curve is a straight slot).
    """

    code: str
    name: str
    grade: int
    order: int
    planar: bool = False
    freedoms: tuple[str, ...] = ()

    @property
    def has_geometry(self) -> bool:
        """True if joint frames and coordinates are defined for this type."""
        return self.grade == 0 or bool(self.freedoms)


# code, name, grade, planar, freedoms; in the printed order
_TABLE_3: tuple[tuple[str, str, int, bool, str], ...] = (
    ("R", "Revolution", 1, True, "angle"),
    ("P", "Prismatic", 1, True, "slide"),
    ("H", "Helicoidal", 1, False, "angle"),
    ("CPEP", "Penta Punctual Contact", 1, False, ""),
    ("C", "Cylindrical", 2, False, "slide angle"),
    ("ER", "Slotted Spherical", 2, False, "angle1 angle2"),
    ("U", "Universal", 2, False, "angle1 angle2"),
    ("L", "Cam/point-curve/curve-curve", 2, True, "slide angle"),
    ("EO", "Ordinary Gear", 2, True, ""),
    ("EPI", "Epicyclic Gear", 2, True, ""),
    ("CTEP", "Tetra punctual Contact", 2, False, ""),
    ("RP", "Pure Rolling", 2, True, ""),
    ("RD", "Sliding Rolling", 2, True, ""),
    ("S", "Spheric", 3, False, "yaw pitch roll"),
    ("PL", "Planar", 3, False, "x y angle"),
    ("CR", "Slotted Cylindrical", 3, False, ""),
    ("CTRP", "Tri Punctual Contact", 3, False, ""),
    ("FP", "Free body Plane", 3, True, "x y angle"),
    ("SC", "Sphere-Cylinder", 4, False, ""),
    ("PC", "Plane-Cylinder", 4, False, ""),
    ("CBIP", "Bi Punctual Contact", 4, False, ""),
    ("SP", "Sphere-Plane", 5, False, ""),
    ("SPSP", "Sphere-Sphere", 5, False, ""),
    ("F", "Free body Spatial", 6, False, "x y z yaw pitch roll"),
)

WELD = PairType("W", "Welded", 0, 0, planar=True)
"""Holds two bodies together; structural analysis takes them as one."""

PAIR_TYPES: dict[str, PairType] = {
    **{
        code: PairType(code, name, grade, order, planar, tuple(freedoms.split()))
        for order, (code, name, grade, planar, freedoms) in enumerate(_TABLE_3, start=1)
    },
    "W": WELD,
}
"""All pair types by code: Table 3 in printed order, then W."""

SHARED_TYPES = ("R", "P", "H", "C", "S", "PL", "W")
"""Types that more than two bodies may share: relative motions form a group, so any spanning tree says the same."""

MOST_BODIES = 64
"""Bodies on one multiple joint."""

PAIR_WORDS: dict[str, str] = {
    **{pair.name.lower(): pair.code for pair in PAIR_TYPES.values()},
    **dict.fromkeys(("revolute", "hinge", "pin", "continuous", "rotation"), "R"),
    **dict.fromkeys(("slider", "sliding", "translation", "linear"), "P"),
    **dict.fromkeys(("screw", "helical"), "H"),
    **dict.fromkeys(("cardan", "hooke"), "U"),
    **dict.fromkeys(("spherical", "ball"), "S"),
    **dict.fromkeys(("fixed", "rigid", "weld"), "W"),
    **dict.fromkeys(("free", "floating"), "F"),
    **dict.fromkeys(("gear", "gears"), "EO"),
    **dict.fromkeys(("cam", "slot", "pin-in-slot"), "L"),
}
"""What people call the types -> code: for the answer to a wrong type, never accepted in its place."""


def pair_types(space: Space) -> tuple[PairType, ...]:
    """Return the types a mechanism of this space may use: grade at most B, and meaningful there."""
    return tuple(pair for pair in PAIR_TYPES.values() if space == "spatial" or pair.planar)
