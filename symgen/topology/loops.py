"""Independent loops of a mechanism: one for each joint beside a spanning tree of the rigid bodies."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symgen.topology.redundancy import rigid_leaders

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
    """Return the loops of the joints beside a breadth-first tree from the frame."""
    leaders = rigid_leaders(mechanism)
    around: dict[str, list[tuple[Joint, str, int]]] = {}
    for joint in joints:
        first, second = (leaders[body] for body in joint.bodies)
        around.setdefault(first, []).append((joint, second, 1))
        around.setdefault(second, []).append((joint, first, -1))
    above: dict[str, tuple[str, str, int] | None] = {}  # body -> (body above, joint, sign of the way down)
    depth: dict[str, int] = {}
    used: set[str] = set()
    roots = 0
    for root in dict.fromkeys(leaders[body] for body in mechanism.body_ids):
        if root in above:
            continue
        roots += 1
        above[root], depth[root] = None, 0
        queue = deque([root])
        while queue:
            body = queue.popleft()
            for joint, other, sign in around.get(body, ()):
                if other not in above:
                    above[other], depth[other] = (body, joint.id, sign), depth[body] + 1
                    used.add(joint.id)
                    queue.append(other)
    loops = []
    for joint in joints:
        if joint.id not in used:
            first, second = (leaders[body] for body in joint.bodies)
            loops.append(_loop(joint.id, first, second, above, depth))
    return Loops(tuple(loops), roots - 1)


def _loop(
    joint: str, first: str, second: str, above: dict[str, tuple[str, str, int] | None], depth: dict[str, int]
) -> tuple[tuple[str, int], ...]:
    """Through the joint from first to second, up from second and down to first."""
    loop = [(joint, 1)]
    while first != second:
        if depth[second] >= depth[first]:
            step = above[second]
            assert step is not None  # noqa: S101 - the deeper of two different bodies is no root
            second = step[0]
            loop.append((step[1], -step[2]))
        else:
            step = above[first]
            assert step is not None  # noqa: S101
            first = step[0]
            loop.append((step[1], step[2]))
    return tuple(loop)
