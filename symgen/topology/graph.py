"""The pair graph of a mechanism: vertices are bodies (welded ones together), edges are pairs with their units.

Vertex 0 is the frame. A pair of grade k with w driven freedoms imposes B - k + w
scalar constraints ("units"), B = 6 in space and 3 in the plane.

Every pair p has two half-edges 2p and 2p + 1, one an end; `end[a]` is the vertex
of half-edge a and `end[a ^ 1]` the one across.

Source: Celdran, Saura, Dopico, "Computational structural analysis of spatial
multibody systems based on mobility criteria", 2022, Eq. (2), (3), (5).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from symgen.model.pairs import PAIR_TYPES

if TYPE_CHECKING:
    from symgen.model.mechanism import Joint
    from symgen.model.pairs import Space

FRAME = 0
WELD = "W"


class PairSource(Protocol):
    """What the structural analysis reads of a mechanism; the ground is the first body."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    @property
    def space(self) -> Space:
        """Whether it moves in space or in a plane."""
        ...

    @property
    def body_ids(self) -> Sequence[str]:
        """Ids of all bodies, the ground first."""
        ...

    @property
    def joints(self) -> Sequence[Joint]:
        """Its joints, in the order of the file."""
        ...


@dataclass(frozen=True)
class PairGraph:
    """Pairs between rigid bodies, by number.

    Attributes
    ----------
    freedoms : B, freedoms of a free body: 6 or 3.
    members : for each vertex the ids of its bodies, in the order of the file; vertex 0 holds the ground.
    joints : the joints that became pairs, in the order of the file; pair p is ``joints[p]``.
    end : vertex of each half-edge, length 2 * len(joints).
    units : number of scalar constraints of each pair.
    incident : for each vertex its half-edges, in the order of the file.
    inner : joints whose two ends lie on the same rigid (welded) body; they are no pairs.
    reduced : redundant constraints are left out of `units`, which then do not follow from type and inputs.
    """

    freedoms: int
    members: Sequence[tuple[str, ...]]
    joints: Sequence[Joint]
    end: Sequence[int]
    units: Sequence[int]
    incident: Sequence[Sequence[int]]
    inner: tuple[Joint, ...]
    reduced: bool = False

    @property
    def bodies(self) -> int:
        """Number of rigid bodies, frame included."""
        return len(self.members)

    @cached_property
    def kinds(self) -> Sequence[tuple[str, int]]:
        """Type and number of driven freedoms of each pair; equal kinds are the same object."""
        known: dict[tuple[str, int], tuple[str, int]] = {}
        return [known.setdefault(kind, kind) for kind in ((joint.type, joint.driven) for joint in self.joints)]

    @cached_property
    def named(self) -> Mapping[int, tuple[str, ...]]:
        """Driven freedoms of the pairs of which some, not all, are driven and the file says which."""
        return {
            p: names
            for p, joint in enumerate(self.joints)
            if (names := joint.driven_freedoms) and len(names) == joint.driven < joint.grade
        }

    @cached_property
    def shared(self) -> Mapping[int, int]:
        """Number of the joint of several bodies for each pair that stands for one: these pairs have one place."""
        numbers: dict[str, int] = {}
        return {
            p: numbers.setdefault(joint.multiple, len(numbers))
            for p, joint in enumerate(self.joints)
            if joint.multiple is not None
        }

    @property
    def mobility(self) -> int:
        """Return f of Eq. (2): freedoms of the moving bodies less the constraints of the undriven joints."""
        counts = Counter(type_ for type_, _ in self.kinds)
        counts.update(joint.type for joint in self.inner)
        lost = sum(count * (self.freedoms - PAIR_TYPES[type_].grade) for type_, count in counts.items())
        return self.freedoms * (self.bodies - 1) - lost

    @property
    def driven(self) -> int:
        """Number of driven freedoms."""
        return sum(driven for _, driven in self.kinds) + sum(joint.driven for joint in self.inner)


def build_graph(mechanism: PairSource) -> PairGraph:
    """Merge welded bodies and number bodies and pairs."""
    freedoms = 3 if mechanism.space == "planar" else 6
    members = _welded(mechanism)
    vertex = {body: number for number, group in enumerate(members) for body in group}
    joints: list[Joint] = []
    inner: list[Joint] = []
    end: list[int] = []
    for joint in mechanism.joints:
        if joint.type == WELD:
            continue
        one, other = joint.bodies
        first, second = vertex[one], vertex[other]
        if first == second:
            inner.append(joint)
        else:
            end += (first, second)
            joints.append(joint)
    units = [freedoms - PAIR_TYPES[joint.type].grade + joint.driven for joint in joints]
    return PairGraph(freedoms, members, tuple(joints), end, units, list_incident(len(members), end), tuple(inner))


def rigid_leaders(mechanism: PairSource) -> dict[str, str]:
    """Return for each body the first of those welded to it."""
    return {body: members[0] for members in build_graph(mechanism).members for body in members}


def list_incident(bodies: int, end: Sequence[int]) -> list[list[int]]:
    """Return for each vertex its half-edges, ascending."""
    incident: list[list[int]] = [[] for _ in range(bodies)]
    for a, v in enumerate(end):
        incident[v].append(a)
    return incident


def _welded(mechanism: PairSource) -> tuple[tuple[str, ...], ...]:
    """Return the rigid bodies: each a tuple of body ids held together by welds; the one of the ground first."""
    if all(joint.type != WELD for joint in mechanism.joints):
        return tuple((body,) for body in mechanism.body_ids)
    leader = {body: body for body in mechanism.body_ids}
    rank = {body: number for number, body in enumerate(mechanism.body_ids)}

    def find(body: str) -> str:
        while leader[body] != body:
            leader[body] = leader[leader[body]]
            body = leader[body]
        return body

    for joint in mechanism.joints:
        if joint.type == WELD:
            first, second = sorted(map(find, joint.bodies), key=rank.__getitem__)
            leader[second] = first
    members: dict[str, list[str]] = {}
    for body in mechanism.body_ids:
        members.setdefault(find(body), []).append(body)
    return tuple(map(tuple, members.values()))
