"""The coordinates of all joints in one list, and the order in which a path or a cycle passes them.

Passing an arc along its direction passes the joint's motions one after the other; against it, in reverse order and
with the sign of each coordinate changed, since (M_1 M_2)^-1 = M_2^-1 M_1^-1. An arc that is turned against the file
has the coordinates of the file with their signs changed, so it is passed like the inverse of the file's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symgen.errors import InputError
from symgen.topology.loops.joint_motions import JOINT_MOTIONS, JointMotion
from symgen.topology.loops.topological_graph import Arc, Signed, TopologicalGraph


@dataclass(frozen=True, slots=True)
class Coordinate:
    """One joint coordinate: its number (from 1, joints in the order of the file) and its motion."""

    number: int
    joint: str
    motion: JointMotion

    @property
    def name(self) -> str:
        """Joint and freedom, for people."""
        return f"{self.joint}.{self.motion.freedom}"


Passage = tuple[Coordinate, int]


@dataclass(frozen=True)
class LoopCoordinates:
    """All coordinates; `by_joint` holds those of each joint, none for a weld and for a higher pair."""

    every: tuple[Coordinate, ...]
    by_joint: Mapping[str, tuple[Coordinate, ...]]
    arcs: Mapping[str, Arc]

    def passages(self, steps: Iterable[Signed]) -> tuple[Passage, ...]:
        """Return (coordinate, sign) in the order in which (joint, sign) steps pass them.

        Raises
        ------
        InputError
            A step is a higher pair, which has no motions; it must be in the cotree.
        """
        found: list[Passage] = []
        for joint, sign in steps:
            arc = self.arcs[joint]
            if arc.type not in JOINT_MOTIONS:
                raise InputError(
                    f"joints.{joint}: the motion of a higher pair ({arc.type}) is not a product of exponentials; "
                    "choose a cotree that contains it"
                )
            own = self.by_joint[joint]
            along = own[::-1] if (sign < 0) != arc.turned else own
            found += [(coordinate, sign) for coordinate in along]
        return tuple(found)


def number_coordinates(graph: TopologicalGraph) -> LoopCoordinates:
    """Number the coordinates of all joints in the order of the file."""
    every: list[Coordinate] = []
    by_joint: dict[str, tuple[Coordinate, ...]] = {}
    for arc in graph.arcs:
        motions = JOINT_MOTIONS.get(arc.type, ())
        own = tuple(Coordinate(len(every) + k, arc.joint, motion) for k, motion in enumerate(motions, start=1))
        by_joint[arc.joint] = own
        every += own
    return LoopCoordinates(tuple(every), by_joint, {arc.joint: arc for arc in graph.arcs})
