"""Solving routes: every order in which the groups of a mechanism can be solved, counted and ranked exactly.

A set of groups that holds all groups its members need is an ideal of the order
of dependence. A sequential route adds one group at a time (a linear extension),
a parallel route adds at each step a non-empty set of groups that are all ready
before the step. Routes are walks through the ideals from the empty one to the
full one, so they are counted, and the best found, by dynamic programming over
ideals. Groups with the same needs, the same dependents and the same cost are
interchangeable: an ideal is a count of solved groups for each class of these,
and numbers of choices come in as binomials.

Source: A. Celdran, M. Saura, D. Dopico, 2022, Fig. 7 (the tree of sequential
and parallel routes); R. P. Stanley, Enumerative Combinatorics 1, section 3.5
(linear extensions as chains of ideals).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass

from symgen.topology.scheduling.task_graph import TaskGraph

#: Beyond so many classes of ideals, or of steps between them, routes are not counted.
MOST_STATES = 100_000
MOST_STEPS = 400_000
# Numbers held by all states together.
_MOST_CELLS = 4_000_000

State = tuple[int, ...]  # number of solved tasks of each class


@dataclass(frozen=True, slots=True)
class RouteCounts:
    """How many routes there are; None where there are too many ideals or steps to count.

    Attributes
    ----------
    ideals : sets of groups that may be solved at some moment, the empty and the full one among them.
    sequential : orders of the groups, one at a time.
    parallel : sequences of steps of any number of ready groups.
    on_cores : those with at most as many groups a step as there are cores.
    """

    ideals: int | None
    sequential: int | None
    parallel: int | None
    on_cores: int | None


@dataclass(frozen=True, slots=True)
class Route:
    """A route in steps: all cores wait for the slowest group of a step.

    Attributes
    ----------
    cost : sum over steps of the dearest task.
    steps : tasks of each step, ascending; of interchangeable tasks the lowest come first.
    ways : number of routes that differ from this one by interchangeable tasks only, itself included.
    """

    cost: float
    steps: tuple[tuple[int, ...], ...]
    ways: int


class RouteLattice:
    """The ideals of a task graph, by classes of interchangeable tasks.

    Parameters
    ----------
    graph : the tasks.
    most_states, most_steps : bounds on the work.
    """

    def __init__(self, graph: TaskGraph, most_states: int = MOST_STATES, most_steps: int = MOST_STEPS) -> None:
        self.graph = graph
        self._most_states, self._most_steps = most_states, most_steps
        members: dict[tuple[frozenset[int], frozenset[int], float], list[int]] = {}
        for task, needs in enumerate(graph.before):
            key = (frozenset(needs), frozenset(graph.after[task]), graph.cost[task])
            members.setdefault(key, []).append(task)
        self.classes = tuple(map(tuple, members.values()))
        self._class_of = {task: number for number, tasks in enumerate(self.classes) for task in tasks}
        # All tasks of a class have the same dependents, so a class is needed as a whole.
        self._needs = tuple(
            tuple(sorted({self._class_of[other] for other in graph.before[tasks[0]]})) for tasks in self.classes
        )
        self.sizes = tuple(map(len, self.classes))
        self._states = self._all_states()

    @property
    def states(self) -> tuple[State, ...] | None:
        """Classes of ideals in order of their number of tasks; None if there are too many."""
        return self._states

    def _all_states(self) -> tuple[State, ...] | None:
        start = (0,) * len(self.classes)
        most = min(self._most_states, _MOST_CELLS // max(1, len(self.classes)))
        found = {start: None}
        layer = [start]
        while layer:
            following: dict[State, None] = {}
            for state in layer:
                ready = self._ready(state)
                # What is ready can be solved in any part: so many states lie ahead.
                if len(ready) > most or math.prod(self.sizes[n] - state[n] + 1 for n in ready) > most:
                    return None
                for number in ready:
                    following[(*state[:number], state[number] + 1, *state[number + 1 :])] = None
                if len(found) + len(following) > most:
                    return None
            found.update(following)
            layer = list(following)
        return tuple(found)

    def _ready(self, state: State) -> list[int]:
        sizes = self.sizes
        return [
            number
            for number, needs in enumerate(self._needs)
            if state[number] < sizes[number] and all(state[other] == sizes[other] for other in needs)
        ]

    def steps(self, state: State, most: int | None) -> Iterator[tuple[State, tuple[tuple[int, int], ...], int]]:
        """Yield (state after, ((class, how many), ...), number of choices) for every step of at most `most` tasks."""
        ready = self._ready(state)
        left = [self.sizes[number] - state[number] for number in ready]
        for taken in _parts(left, sum(left) if most is None else most):
            after = list(state)
            ways = 1
            chosen = []
            for number, count, room in zip(ready, taken, left, strict=True):
                if count:
                    after[number] += count
                    ways *= math.comb(room, count)
                    chosen.append((number, count))
            if chosen:
                yield tuple(after), tuple(chosen), ways

    def too_many_steps(self, most: int | None) -> bool:
        """Return whether there are too many steps of at most `most` tasks to go through them all."""
        work = 0
        for state in self._states or ():
            left = [self.sizes[number] - state[number] for number in self._ready(state)]
            work += _part_count(left, sum(left) if most is None else most)
            if work > self._most_steps:
                return True
        return False

    def counts(self, cores: int) -> RouteCounts:
        """Count ideals and routes.

        Parameters
        ----------
        cores : most tasks a step for `RouteCounts.on_cores`.
        """
        if self._states is None:
            return RouteCounts(None, None, None, None)
        ideals = sum(math.prod(map(math.comb, self.sizes, state)) for state in self._states)
        return RouteCounts(ideals, self._count(1), self._count(None), self._count(cores))

    def _count(self, most: int | None) -> int | None:
        if self._states is None or self.too_many_steps(most):
            return None
        routes = dict.fromkeys(self._states, 0)
        routes[self._states[0]] = 1
        for state in self._states:  # in order of size: complete before it is used
            here = routes[state]
            for after, _, ways in self.steps(state, most):
                routes[after] += here * ways
        return routes[self._states[-1]]

    def best(self, cores: int, count: int) -> tuple[Route, ...]:
        """Return the best routes in steps of at most `cores` tasks, by cost, then by number of steps.

        Routes that differ by interchangeable tasks only are one. Empty if there are too many ideals or steps.
        """
        if self._states is None or self.too_many_steps(cores):
            return ()
        to_go = self.to_go(cores)
        start, full = self._states[0], self._states[-1]
        # Best first with the exact cost to go: of equal promise the one further on, then the one found earlier.
        queue: list[tuple[float, int, int, int, float, State, tuple[tuple[tuple[int, int], ...], ...]]] = []
        heapq.heappush(queue, (*to_go[start], 0, 0, 0.0, start, ()))
        found: list[Route] = []
        serial = 0
        while queue and len(found) < count:
            _, _, _, _, spent, state, chosen = heapq.heappop(queue)
            if state == full:
                found.append(self._route(chosen))
                continue
            for after, step, _ in self.steps(state, cores):
                serial += 1
                cost, steps = to_go[after]
                sofar = spent + self.step_cost(step)
                promise = (sofar + cost, len(chosen) + 1 + steps, -sum(after), serial)
                heapq.heappush(queue, (*promise, sofar, after, (*chosen, step)))
        return tuple(found)

    def to_go(self, cores: int) -> dict[State, tuple[float, int]]:
        """Return for each state the least cost to the end, and the fewest steps at that cost."""
        found: dict[State, tuple[float, int]] = {}
        for state in reversed(self._states or ()):
            best = None
            for after, step, _ in self.steps(state, cores):
                cost, steps = found[after]
                candidate = (cost + self.step_cost(step), steps + 1)
                if best is None or candidate < best:
                    best = candidate
            found[state] = best or (0.0, 0)
        return found

    def step_cost(self, step: tuple[tuple[int, int], ...]) -> float:
        """Return the cost of the dearest task of a step of (class, how many)."""
        return max(self.graph.cost[self.classes[number][0]] for number, _ in step)

    def _route(self, chosen: tuple[tuple[tuple[int, int], ...], ...]) -> Route:
        done = [0] * len(self.classes)
        steps = []
        ways = 1
        for step in chosen:
            tasks: list[int] = []
            for number, count in step:
                ways *= math.comb(self.sizes[number] - done[number], count)
                tasks += self.classes[number][done[number] : done[number] + count]
                done[number] += count
            steps.append(tuple(sorted(tasks)))
        cost = math.fsum(max(self.graph.cost[task] for task in step) for step in steps)
        return Route(cost, tuple(steps), ways)


def _parts(left: list[int], most: int) -> Iterator[tuple[int, ...]]:
    """Yield every choice of 0 ... left[k] from each class with a sum of at most `most`."""
    if not left:
        yield ()
        return
    for count in range(min(left[0], most) + 1):
        for others in _parts(left[1:], most - count):
            yield (count, *others)


def _part_count(left: list[int], most: int) -> int:
    """Return how many choices `_parts` yields."""
    by_sum = [1] + [0] * most
    for count in left:
        by_sum = [sum(by_sum[max(0, total - count) : total + 1]) for total in range(most + 1)]
    return sum(by_sum)
