"""One input more here, one less there: changes of a choice that keep every body at B constraint units.

A unit that is added makes its body too full by one: units wander along a shortest
path to a body that can give one away. A unit that is taken leaves a hole, which
wanders likewise. Every step is one search through the pair graph, so a change
costs far less than a new assignment.

Source: C. Berge, 1957 (augmenting paths); the exchange law of matroids in its constructive form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symgen.topology.graph import FRAME, PairGraph


class Matching:
    """A choice of inputs with an assignment of all constraint units to bodies.

    Attributes
    ----------
    inputs : driven freedoms of each pair.
    held : units that the body at each half-edge holds of its pair.
    load : units that each vertex holds.
    """

    __slots__ = ("graph", "held", "inputs", "load")

    def __init__(self, graph: PairGraph, inputs: list[int], held: list[int], load: list[int]) -> None:
        self.graph, self.inputs, self.held, self.load = graph, inputs, held, load

    def copy(self) -> Matching:
        """Return a matching that can be changed on its own."""
        return Matching(self.graph, self.inputs[:], self.held[:], self.load[:])

    @property
    def is_complete(self) -> bool:
        """Whether every moving body holds B units."""
        return all(load == self.graph.freedoms for load in self.load[1:])

    def drive(self, p: int) -> bool:
        """Drive one freedom more of pair p, if the bodies have room for it."""
        graph, load, full = self.graph, self.load, self.graph.freedoms
        a = self._add(p)
        path = _search(graph.end[a], graph, self.held, 0, lambda v: load[v] < full)
        if path is None:
            self._take(a)
            return False
        last = self._move(path, graph.end[a], 0)
        load[last] += 1
        return True

    def raise_one(self, p: int, lowest: Sequence[int], after: int) -> bool:
        """Drive one freedom more of pair p and one less of a pair with a number above `after`, if that is valid."""
        graph, held, inputs = self.graph, self.held, self.inputs

        def gives(v: int) -> bool:
            return any(held[a] and a // 2 > after and inputs[a // 2] > lowest[a // 2] for a in graph.incident[v])

        a = self._add(p)
        path = _search(graph.end[a], graph, held, 0, gives)
        if path is None:
            self._take(a)
            return False
        v = self._move(path, graph.end[a], 0)
        self._take(next(a for a in graph.incident[v] if held[a] and a // 2 > after and inputs[a // 2] > lowest[a // 2]))
        return True

    def lower_one(self, p: int, highest: Sequence[int], after: int) -> bool:
        """Drive one freedom less of pair p and one more of a pair with a number above `after`, if that is valid."""
        graph, inputs = self.graph, self.inputs

        def takes(v: int) -> bool:
            return any(a // 2 > after and inputs[a // 2] < highest[a // 2] for a in graph.incident[v])

        a = 2 * p if self.held[2 * p] else 2 * p + 1
        self._take(a)
        path = _search(graph.end[a], graph, self.held, 1, takes)
        if path is None:
            self._put(a)
            return False
        v = self._move(path, graph.end[a], 1)
        self._put(next(a for a in graph.incident[v] if a // 2 > after and inputs[a // 2] < highest[a // 2]))
        return True

    def exchange(self, less: int, more: int) -> bool:
        """Drive one freedom less of one pair and one more of the other, if that is valid; bounds are not looked at."""
        end = self.graph.end
        a = 2 * less if self.held[2 * less] else 2 * less + 1
        goals = {end[2 * more], end[2 * more + 1]}
        self._take(a)
        path = _search(end[a], self.graph, self.held, 1, goals.__contains__)
        if path is None:
            self._put(a)
            return False
        v = self._move(path, end[a], 1)
        self._put(2 * more if end[2 * more] == v else 2 * more + 1)
        return True

    def partners(self, less: int) -> set[int]:
        """Return the pairs that can take over one driven freedom of a pair: with it, all exchanges are known."""
        graph, held = self.graph, self.held
        a = 2 * less if held[2 * less] else 2 * less + 1
        self._take(a)
        reached = {graph.end[a]}
        stack = [graph.end[a]]
        found: set[int] = set()
        while stack:
            for b in graph.incident[stack.pop()]:
                found.add(b // 2)
                u = graph.end[b ^ 1]
                if held[b ^ 1] and u not in reached:
                    reached.add(u)
                    stack.append(u)
        self._put(a)
        return found

    def move_to(self, choice: Sequence[int]) -> None:
        """Go to another valid choice of the same sum, pair by pair; what the two have in common stays."""
        graph, held, inputs, load = self.graph, self.held, self.inputs, self.load
        for p, (now, then) in enumerate(zip(inputs, choice, strict=True)):
            for _ in range(now - then):
                a = 2 * p if held[2 * p] else 2 * p + 1
                self._take(a)
                load[graph.end[a]] -= 1
        for p, (now, then) in enumerate(zip(inputs, choice, strict=True)):
            for _ in range(then - now):
                if not self.drive(p):
                    raise ValueError(f"no valid choice: {tuple(choice)}")

    def _add(self, p: int) -> int:
        a = 2 * p if self.graph.end[2 * p] != FRAME else 2 * p + 1
        self._put(a)
        return a

    def _put(self, a: int) -> None:
        self.held[a] += 1
        self.inputs[a // 2] += 1

    def _take(self, a: int) -> None:
        self.held[a] -= 1
        self.inputs[a // 2] -= 1

    def _move(self, path: list[int], v: int, side: int) -> int:
        """Hand a unit over each half-edge of the path; return the vertex where it ends."""
        for a in path:
            self.held[a ^ side] -= 1
            self.held[a ^ 1 ^ side] += 1
            v = self.graph.end[a ^ 1]
        return v


def _search(
    source: int, graph: PairGraph, held: Sequence[int], side: int, is_goal: Callable[[int], bool]
) -> list[int] | None:
    """Return the half-edges of a shortest path from the source to a goal, or None.

    Parameters
    ----------
    side : 0, a body hands on a unit it holds; 1, a body with a hole takes a unit from the body across.
    """
    if is_goal(source):
        return []
    end, incident = graph.end, graph.incident
    came: dict[int, int] = {source: -1}
    layer = [source]
    for v in layer:  # grows while it is walked
        for a in incident[v]:
            if not held[a ^ side]:
                continue
            u = end[a ^ 1]
            if u == FRAME or u in came:
                continue
            came[u] = a
            if is_goal(u):
                path = []
                while came[u] >= 0:
                    path.append(came[u])
                    u = end[came[u]]
                return path[::-1]
            layer.append(u)
    return None
