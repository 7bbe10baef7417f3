"""The spanning tree of a transfer system: which joint is the output of each body, which joints close loops.

Several trees are grown from the ground and the cheapest is taken: the work of a body grows with the rows of loops that
are open there, so short loops that close early are wanted, and cut joints with few rows.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint

GROUND = -1
#: Width of an acceleration or a wrench: what a body costs without loops.
_WIDTH = 6


@dataclass(frozen=True)
class Ways:
    """Output of each body: its joint and the body it leads to; (None, `GROUND`) for a free root.

    Parameters
    ----------
    output : body index -> (joint, parent).
    cut : the other joints, in file order.
    cost : of a recursion along these ways, for comparisons.
    idle : how many bodies without mass carry none that has any, and hang on a joint that moves.
    """

    output: Mapping[int, tuple[Joint | None, int]]
    cut: tuple[Joint, ...]
    cost: float
    idle: int

    @property
    def cut_ids(self) -> tuple[str, ...]:
        """Ids of the joints that are cut, which tell trees apart."""
        return tuple(joint.id for joint in self.cut)


def links_of(mechanism: Mechanism) -> dict[int, list[Joint]]:
    """Return the joints of each body, the ground included, in file order."""
    number = {body.id: k for k, body in enumerate(mechanism.bodies)}
    links: dict[int, list[Joint]] = {k: [] for k in (GROUND, *number.values())}
    for joint in mechanism.joints:
        for name in dict.fromkeys(joint.bodies):
            links[number.get(name, GROUND)].append(joint)
    return links


def grow(mechanism: Mechanism, links: Mapping[int, Sequence[Joint]], barred: frozenset[str]) -> list[Ways]:
    """Return the trees grown without the barred joints, which must leave every body reachable.

    They take joints near the root first, or joints with few free coordinates; where bodies have no mass, joints on
    these before all others too, so that they carry what they join.
    """
    start = GROUND if links[GROUND] else next((k for k in links if k not in (GROUND, *_massless(mechanism))), 0)
    light = _massless(mechanism)
    orders = [(by_level, frozenset[int]()) for by_level in (True, False)]
    if light:
        orders += [(by_level, light) for by_level in (True, False)]
    return [_grown(mechanism, links, barred, start, by_level=by_level, first=first) for by_level, first in orders]


def _massless(mechanism: Mechanism) -> frozenset[int]:
    """Return the bodies that are said to have no mass."""
    return frozenset(
        k for k, body in enumerate(mechanism.bodies) if body.mass == 0.0 and not any(body.inertia or (0.0,))
    )


def _grown(
    mechanism: Mechanism,
    links: Mapping[int, Sequence[Joint]],
    barred: frozenset[str],
    start: int,
    *,
    by_level: bool,
    first: frozenset[int],
) -> Ways:
    """Return the tree that takes joints near the root first, or joints with few free coordinates.

    Parameters
    ----------
    first : joints on these bodies come before all others.
    """
    number = {body.id: k for k, body in enumerate(mechanism.bodies)}
    order = {joint.id: k for k, joint in enumerate(mechanism.joints)}
    output: dict[int, tuple[Joint | None, int]] = {}
    level = {start: 0}
    waiting: list[tuple[bool, int, int, int, int, int]] = []

    def offer(place: int) -> None:
        for joint in links[place]:
            one, two = (number.get(name, GROUND) for name in joint.bodies)
            there = two if one == place else one
            if joint.id not in barred and there not in level:
                free = joint.grade - joint.driven
                key = (level[place], free) if by_level else (free, level[place])
                heapq.heappush(waiting, (first.isdisjoint((one, two)), *key, order[joint.id], there, place))

    if start != GROUND:
        output[start] = (None, GROUND)
    offer(start)
    while waiting:
        *_, k, there, place = heapq.heappop(waiting)
        if there not in level:
            level[there] = level[place] + 1
            output[there] = (mechanism.joints[k], place)
            offer(there)
    used = {joint.id for joint, _ in output.values() if joint is not None}
    cut = tuple(joint for joint in mechanism.joints if joint.id not in used)
    return Ways(output, cut, _cost(mechanism, output, cut), _idle(output, _massless(mechanism)))


def _idle(output: Mapping[int, tuple[Joint | None, int]], light: frozenset[int]) -> int:
    """Return how many massless bodies on joints that move carry none with mass."""
    moved = {body for heavy in output if heavy not in light for body in _way(output, heavy)}
    return sum(
        body not in moved and (joint is None or joint.grade > joint.driven) for body, (joint, _) in output.items()
    )


def heights(ways: Ways) -> dict[int, int]:
    """Return for each body the number of hinges to the farthest tip it carries."""
    found = dict.fromkeys(ways.output, 0)
    for body in ways.output:
        height, here = 0, body
        while (parent := ways.output[here][1]) != GROUND:
            height, here = height + 1, parent
            if found[here] >= height:
                break
            found[here] = height
    return found


def common_body(ways: Ways, one: int, two: int) -> int:
    """Return the first body whose subtree holds both, or `GROUND`."""
    above = set(_way(ways.output, one))
    return next((body for body in _way(ways.output, two) if body in above), GROUND)


def _way(output: Mapping[int, tuple[Joint | None, int]], body: int) -> list[int]:
    found = []
    while body != GROUND:
        found.append(body)
        body = output[body][1]
    return found


def _cost(mechanism: Mechanism, output: Mapping[int, tuple[Joint | None, int]], cut: Sequence[Joint]) -> float:
    """Return the sum over all bodies of the cubed width, open rows included; the ground's rows are solved at once."""
    number = {body.id: k for k, body in enumerate(mechanism.bodies)}
    open_rows = dict.fromkeys((GROUND, *output), 0)
    for joint in cut:
        rows = 6 - joint.grade + joint.driven
        one, two = (_way(output, number.get(name, GROUND)) for name in joint.bodies)
        shared = set(one) & set(two)
        for body in (*one, *two):
            if body not in shared:
                open_rows[body] += rows
        meeting = next((body for body in one if body in shared), GROUND)
        open_rows[meeting] += rows
    return float(sum((_WIDTH + rows) ** 3 for rows in open_rows.values()))
