"""The smallest sub-chain that is stiffer than rigid, and whether a joint or an input makes it so.

Pebble game of A. Lee and I. Streinu, 2008, with B pebbles a body and B + 1 asked for each constraint: a constraint
is accepted if it is independent of those before (multigraphs of Tay, 1984). Joints come first, then inputs, each in
the order of its bodies in the file, so that an input is blamed only if the joints alone are sound. The bodies from
which a refused constraint could not draw a pebble are the smallest rigid chain that holds its two bodies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from symgen.topology.graph import PairGraph


@dataclass(frozen=True, slots=True)
class Blame:
    """A constraint that is one too many.

    Attributes
    ----------
    vertices : the smallest chain that is rigid without it, ascending.
    excess : constraints inside the chain beyond those that make it rigid.
    pair : whose constraint was refused.
    is_input : it is an input; the joints of the chain alone are sound.
    """

    vertices: tuple[int, ...]
    excess: int
    pair: int
    is_input: bool


def find_blame(graph: PairGraph, part: Sequence[int]) -> Blame | None:
    """Return the first constraint inside a set of vertices that is one too many, or None."""
    game = _Game(graph.freedoms, part)
    for pair, is_input in _constraints(graph, part):
        first, second = graph.end[2 * pair], graph.end[2 * pair + 1]
        if not game.insert(first, second):
            chain = game.reach(first, second)
            inside = {a // 2 for v in chain for a in graph.incident[v] if graph.end[a ^ 1] in chain}
            excess = sum(graph.units[p] for p in inside) - graph.freedoms * (len(chain) - 1)
            return Blame(tuple(sorted(chain)), excess, pair, is_input)
    return None


def _constraints(graph: PairGraph, part: Sequence[int]) -> Iterator[tuple[int, bool]]:
    """Yield the pair of each constraint inside the part: those of the joints first, then inputs."""
    inside = set(part)
    own = (a for v in part for a in graph.incident[v] if graph.end[a ^ 1] in inside)
    ends = {a // 2: sorted((graph.end[a], graph.end[a ^ 1])) for a in own}
    pairs = sorted(ends, key=lambda p: (ends[p], p))
    for is_input in (False, True):
        for p in pairs:
            driven = graph.joints[p].driven
            for _ in range(driven if is_input else graph.units[p] - driven):
                yield p, is_input


class _Game:
    """Pebbles of each body, and arcs of accepted constraints out of the body whose pebble covers them."""

    def __init__(self, freedoms: int, vertices: Sequence[int]) -> None:
        self.freedoms = freedoms
        self.free = dict.fromkeys(vertices, freedoms)
        self.arcs: dict[int, dict[int, int]] = {v: {} for v in vertices}

    def insert(self, first: int, second: int) -> bool:
        """Accept a constraint between two bodies if B + 1 pebbles can be gathered on them."""
        while self.free[first] + self.free[second] <= self.freedoms:
            if not (self._draw(first, second) or self._draw(second, first)):
                return False
        giver, other = (first, second) if self.free[first] else (second, first)
        self.free[giver] -= 1
        self.arcs[giver][other] = self.arcs[giver].get(other, 0) + 1
        return True

    def _draw(self, goal: int, kept: int) -> bool:
        """Bring a pebble to `goal` from a body other than `kept`, turning the arcs on the way."""
        if self.free[goal] >= self.freedoms:
            return False
        before: dict[int, int] = {goal: goal, kept: kept}
        stack = [goal]
        while stack:
            v = stack.pop()
            for u in self.arcs[v]:
                if u in before:
                    continue
                before[u] = v
                if self.free[u]:
                    self.free[u] -= 1
                    self.free[goal] += 1
                    while u != goal:
                        v = before[u]
                        self._turn(v, u)
                        u = v
                    return True
                stack.append(u)
        return False

    def _turn(self, v: int, u: int) -> None:
        self.arcs[v][u] -= 1
        if not self.arcs[v][u]:
            del self.arcs[v][u]
        self.arcs[u][v] = self.arcs[u].get(v, 0) + 1

    def reach(self, first: int, second: int) -> set[int]:
        """Return all bodies that arcs lead to from two bodies."""
        seen = {first, second}
        stack = [first, second]
        while stack:
            for u in self.arcs[stack.pop()]:
                if u not in seen:
                    seen.add(u)
                    stack.append(u)
        return seen
