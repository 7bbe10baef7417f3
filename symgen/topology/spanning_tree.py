"""Spanning trees of a topological graph: one by a fixed rule, or the one that is left when chosen joints are cut.

Bodies and joints are numbers here; body 0 is the root.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

Ends = tuple[int, int]

#: Joint numbers of the tree: entry b is the joint that leads from body b towards the root, -1 for the root
#: and for bodies that are not reached.
Parents = list[int]


def tree_by_rank(bodies: int, ends: Sequence[Ends], rank: Sequence[int]) -> Parents:
    """Grow a tree from the root, breadth first, joints in their order; a joint of higher rank only if need be.

    Parameters
    ----------
    rank : of each joint; the tree uses as few joints of high rank as any does.
    """
    parents = [-1] * bodies
    reached = [0]
    for limit in sorted(set(rank)):
        _grow(parents, reached, bodies, ends, [joint for joint in range(len(ends)) if rank[joint] <= limit])
    return parents


def tree_without(bodies: int, ends: Sequence[Ends], cut: frozenset[int]) -> Parents:
    """Grow a tree from the root over the joints that are not cut."""
    parents = [-1] * bodies
    _grow(parents, [0], bodies, ends, [joint for joint in range(len(ends)) if joint not in cut])
    return parents


def other_end(ends: Ends, body: int) -> int:
    """Return the body across a joint."""
    return ends[1] if ends[0] == body else ends[0]


def towards_root(parents: Parents, ends: Sequence[Ends], body: int) -> list[int]:
    """Return the bodies from `body` to the root, both included."""
    found = [body]
    while parents[found[-1]] >= 0:
        found.append(other_end(ends[parents[found[-1]]], found[-1]))
    return found


def _grow(parents: Parents, reached: list[int], bodies: int, ends: Sequence[Ends], joints: list[int]) -> None:
    around: list[list[int]] = [[] for _ in range(bodies)]
    for joint in joints:
        for body in ends[joint]:
            around[body].append(joint)
    known = set(reached)
    queue = deque(reached)
    while queue:
        body = queue.popleft()
        for joint in around[body]:
            new = other_end(ends[joint], body)
            if new not in known:
                known.add(new)
                reached.append(new)
                parents[new] = joint
                queue.append(new)
