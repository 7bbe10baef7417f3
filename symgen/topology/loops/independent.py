"""Independent loops of a mechanism: one for each joint beside a spanning tree of the rigid bodies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symgen.topology.graph import rigid_leaders
from symgen.topology.loops.spanning_tree import forest, fork

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.model.parts import Joint


@dataclass(frozen=True, slots=True)
class Loops:
    """Loops as signed joints.

    Attributes
    ----------
    members : for each loop its (joint, sign); sign 1 if the loop runs through the joint from first to second body.
    floating : number of connected sets of bodies without the frame.
    """

    members: tuple[tuple[tuple[str, int], ...], ...]
    floating: int

    @property
    def count(self) -> int:
        """Number of independent loops."""
        return len(self.members)


def find_loops(mechanism: Mechanism, joints: list[Joint]) -> Loops:
    """Return the loops of the joints beside a breadth-first tree from the frame, and from every floating part."""
    leaders = rigid_leaders(mechanism)
    place = {leader: k for k, leader in enumerate(dict.fromkeys(leaders[body] for body in mechanism.body_ids))}
    ends = [(place[leaders[joint.bodies[0]]], place[leaders[joint.bodies[1]]]) for joint in joints]
    parents, trees = forest(len(place), ends)
    used = frozenset(parents)
    members = []
    for number, joint in enumerate(joints):
        if number not in used:
            before, after = fork(parents, ends, *ends[number])
            down = [(joints[parents[b]].id, 1 if ends[parents[b]][1] == b else -1) for b in before[1:]]
            back = [(joints[parents[b]].id, 1 if ends[parents[b]][0] == b else -1) for b in after[:0:-1]]
            members.append((*down, (joint.id, 1), *back))
    return Loops(tuple(members), trees - 1)
