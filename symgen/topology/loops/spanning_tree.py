"""Spanning trees of a topological graph: one by a fixed rule, or the one that is left when chosen joints are cut.

Bodies and joints are numbers here; body 0 is the root.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

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


def forest(bodies: int, ends: Sequence[Ends]) -> tuple[Parents, int]:
    """Grow a tree over all joints from the root and one from each body that is then not reached, ascending.

    Returns
    -------
    parents : of all trees.
    trees : their number.
    """
    parents = [-1] * bodies
    reached: list[int] = []
    around = _around(bodies, ends, range(len(ends)))
    known: set[int] = set()
    trees = 0
    for root in range(bodies):
        if root not in known:
            trees += 1
            known.add(root)
            _spread(parents, reached, known, ends, around, [root])
    return parents, trees


def other_end(ends: Ends, body: int) -> int:
    """Return the body across a joint."""
    return ends[1] if ends[0] == body else ends[0]


def towards_root(parents: Parents, ends: Sequence[Ends], body: int) -> list[int]:
    """Return the bodies from `body` to the root, both included."""
    found = [body]
    while parents[found[-1]] >= 0:
        found.append(other_end(ends[parents[found[-1]]], found[-1]))
    return found


def fork(parents: Parents, ends: Sequence[Ends], one: int, two: int) -> tuple[list[int], list[int]]:
    """Return the bodies from the last common body of the ways from the root to two bodies, it included, to each."""
    to_one, to_two = towards_root(parents, ends, one)[::-1], towards_root(parents, ends, two)[::-1]
    common = 0
    while common < min(len(to_one), len(to_two)) and to_one[common] == to_two[common]:
        common += 1
    return to_one[common - 1 :], to_two[common - 1 :]


def _grow(parents: Parents, reached: list[int], bodies: int, ends: Sequence[Ends], joints: Sequence[int]) -> None:
    _spread(parents, reached, set(reached), ends, _around(bodies, ends, joints), list(reached))


def _around(bodies: int, ends: Sequence[Ends], joints: Iterable[int]) -> list[list[int]]:
    around: list[list[int]] = [[] for _ in range(bodies)]
    for joint in joints:
        for body in ends[joint]:
            around[body].append(joint)
    return around


def _spread(
    parents: Parents,
    reached: list[int],
    known: set[int],
    ends: Sequence[Ends],
    around: Sequence[Sequence[int]],
    start: list[int],
) -> None:
    queue = deque(start)
    while queue:
        body = queue.popleft()
        for joint in around[body]:
            new = other_end(ends[joint], body)
            if new not in known:
                known.add(new)
                reached.append(new)
                parents[new] = joint
                queue.append(new)
