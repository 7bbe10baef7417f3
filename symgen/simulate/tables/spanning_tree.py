"""The spanning tree of a mechanism: which joint carries each body, and the motions along it.

Joints with few free coordinates go into the tree first, near the ground before far from it: fewer unknowns, shorter
ways. A joint that is passed from its second body to its first has its motions in reverse. Bodies without a way to the
ground get all six freedoms.

Source: W. Jerkovsky 1978 (spanning trees); R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 4.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint

GROUND = -1
#: Pair type -> its motions (kind, freedom) in order, as the contract's joint frames have it.
_MOTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "W": (),
    "R": (("turn_z", "angle"),),
    "P": (("slide_z", "slide"),),
    "H": (("screw_z", "angle"),),
    "C": (("slide_z", "slide"), ("turn_z", "angle")),
    "U": (("turn_z", "angle1"), ("turn_x", "angle2")),
    "ER": (("turn_z", "angle1"), ("turn_x", "angle2")),
    "S": (("turn_z", "yaw"), ("turn_y", "pitch"), ("turn_x", "roll")),
    "L": (("slide_x", "slide"), ("turn_z", "angle")),
    "PL": (("slide_x", "x"), ("slide_y", "y"), ("turn_z", "angle")),
    "FP": (("slide_x", "x"), ("slide_y", "y"), ("turn_z", "angle")),
    "F": (
        ("slide_x", "x"), ("slide_y", "y"), ("slide_z", "z"),
        ("turn_z", "yaw"), ("turn_y", "pitch"), ("turn_x", "roll"),
    ),
}  # fmt: skip
_ATTITUDE = {"yaw", "pitch", "roll"}


@dataclass(frozen=True)
class ModalJoint(Joint):
    """What holds the far end of a flexible beam, a body of its own, at the other: not a pair, but the beam's modes.

    Parameters
    ----------
    modes : their names; the coordinates.
    """

    modes: tuple[str, ...] = ()

    @property
    def grade(self) -> int:
        """Less than that of any pair: the tree passes a beam as soon as it has reached it."""
        return -1


@dataclass(frozen=True)
class Motion:
    """One motion of a tree joint: a turn, slide or screw about an axis of the frame reached so far, a ball, or a mode.

    Parameters
    ----------
    kind : "turn_x" ... "slide_z", "screw_z", "ball" or, of a beam, "mode".
    sign : -1 where the joint is passed from its second body to its first, and its coordinate counts the other way.
    freedom : the joint's freedom, "" for a ball.
    driven : whether it follows a law.
    """

    kind: str
    sign: int
    freedom: str
    driven: bool

    @property
    def unknowns(self) -> int:
        """How many unknowns it has."""
        return 0 if self.driven else 3 if self.kind == "ball" else 1


@dataclass(frozen=True)
class Branch:
    """One body with the joint that carries it.

    Parameters
    ----------
    body : index of the body in the mechanism.
    parent : index of the carrying body, `GROUND` for the ground.
    joint : the joint, or None for a body that nothing holds.
    reverse : whether the body is the joint's first.
    motions : in the order in which they are passed.
    """

    body: int
    parent: int
    joint: Joint | None
    reverse: bool
    motions: tuple[Motion, ...]

    @property
    def unknowns(self) -> int:
        """How many unknowns its joint has."""
        return sum(motion.unknowns for motion in self.motions)


@dataclass(frozen=True)
class SpanningTree:
    """Branches, each after the one that carries it, and the joints that are cut."""

    branches: tuple[Branch, ...]
    cut: tuple[Joint, ...]


def motions_of(joint: Joint, *, reverse: bool) -> tuple[Motion, ...]:
    """Return the motions of a joint; an attitude of which nothing is driven is a ball."""
    if isinstance(joint, ModalJoint):
        return tuple(Motion("mode", 1, name, driven=False) for name in joint.modes)
    driven = set(joint.driven_freedoms or ())
    listed = _MOTIONS[joint.type]
    found: list[Motion] = []
    for kind, freedom in listed:
        if freedom in _ATTITUDE and not driven & _ATTITUDE:
            if freedom == "yaw":
                found.append(Motion("ball", 1, "", driven=False))
            continue
        found.append(Motion(kind, -1 if reverse else 1, freedom, driven=freedom in driven))
    return tuple(reversed(found)) if reverse else tuple(found)


def span(mechanism: Mechanism) -> SpanningTree:
    """Return the spanning tree of a mechanism whose pair types all have motions."""
    number = {body.id: k for k, body in enumerate(mechanism.bodies)}
    around: dict[int, list[Joint]] = {k: [] for k in (GROUND, *number.values())}
    for joint in mechanism.joints:
        for body in joint.bodies:
            around[number.get(body, GROUND)].append(joint)
    order = {joint.id: k for k, joint in enumerate(mechanism.joints)}
    branches: list[Branch] = []
    used: set[str] = set()
    depth = {GROUND: 0}
    waiting: list[tuple[int, int, int, bool]] = []

    def offer(body: int) -> None:
        for joint in around[body]:
            for side in (0, 1):
                if number.get(joint.bodies[side], GROUND) == body and joint.id not in used:
                    free = joint.grade - joint.driven
                    heapq.heappush(waiting, (free, depth[body] + 1, order[joint.id], side == 1))

    offer(GROUND)
    while len(branches) < len(number):
        if not waiting:
            lone = next(k for k in number.values() if k not in depth)
            ball = (
                *(Motion(f"slide_{axis}", 1, "", driven=False) for axis in "xyz"),
                Motion("ball", 1, "", driven=False),
            )
            branches.append(Branch(lone, GROUND, None, reverse=False, motions=ball))
            depth[lone] = 1
            offer(lone)
            continue
        _, level, index, reverse = heapq.heappop(waiting)
        joint = mechanism.joints[index]
        ends = [number.get(name, GROUND) for name in joint.bodies]
        parent, child = reversed(ends) if reverse else ends
        if child in depth or joint.id in used:
            continue
        used.add(joint.id)
        depth[child] = level
        branches.append(Branch(child, parent, joint, reverse, motions_of(joint, reverse=reverse)))
        offer(child)
    return SpanningTree(tuple(branches), tuple(joint for joint in mechanism.joints if joint.id not in used))
