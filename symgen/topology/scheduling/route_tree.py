"""Solving routes laid out to be looked at: the tree of all routes, or the lattice of ideals they walk through.

In the tree every walk from the root to a leaf is a route, as in Fig. 7 of the paper; in the lattice routes that have
solved the same groups meet again, so it stays small where the tree does not. Interchangeable groups are drawn once.

Source: A. Celdran, M. Saura, D. Dopico, 2022, Fig. 7; R. P. Stanley, Enumerative Combinatorics 1, section 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from symgen.topology.scheduling.routes import RouteLattice, State

Steps = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class RouteNode:
    """A step of a route in the tree, and all that may follow it.

    Attributes
    ----------
    tasks : solved in this step, ascending; none at the root.
    costs : of the steps up to this one.
    promise : least cost of a route that begins like this, and the fewest steps at that cost.
    ways : number of beginnings that differ from this one by interchangeable tasks only, itself included.
    is_best : the best route begins like this.
    children : next steps, those of the best routes first; none where the route ends.
    """

    tasks: tuple[int, ...]
    costs: tuple[float, ...]
    promise: tuple[float, int]
    ways: int
    is_best: bool
    children: tuple[RouteNode, ...]

    @property
    def cost(self) -> float:
        """Cost of the steps up to this one; at a leaf of the whole route."""
        return math.fsum(self.costs)

    def leaves(self) -> Iterator[RouteNode]:
        """Yield the ends of all routes, topmost first."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()


@dataclass(frozen=True, slots=True)
class Ideal:
    """A set of tasks that may be solved at some moment.

    Attributes
    ----------
    tasks : ascending; of interchangeable tasks the lowest.
    ways : number of such sets that differ by interchangeable tasks only, itself included.
    routes : number of routes that pass through one of them.
    best : least cost of such a route.
    is_best : the best route passes through it.
    following : place, in the lattice, of each ideal with one task more, and that task.
    """

    tasks: tuple[int, ...]
    ways: int
    routes: int
    best: float
    is_best: bool
    following: tuple[tuple[int, int], ...]


def route_tree(lattice: RouteLattice, cores: int, most: int, longest: int) -> RouteNode | None:
    """Return the tree of routes in steps of at most `cores` tasks, or None if it is too large.

    Parameters
    ----------
    most : leaves.
    longest : steps of the longest route, one task at a time.
    """
    if lattice.states is None or sum(lattice.sizes) > longest or lattice.too_many_steps(cores):
        return None
    if _leaves(lattice, cores) > most:
        return None
    to_go = lattice.to_go(cores)
    best = lattice.best(cores, 1)[0].steps

    def grow(
        state: State, tasks: tuple[int, ...], costs: tuple[float, ...], ways: int, line: Steps | None
    ) -> RouteNode:
        children = []
        for after, step, choices in lattice.steps(state, cores):
            chosen = _tasks_of(lattice, state, step)
            follows = line[1:] if line and line[0] == chosen else None
            children.append(grow(after, chosen, (*costs, lattice.step_cost(step)), ways * choices, follows))
        children.sort(key=lambda node: (node.promise, not node.is_best, node.tasks))
        left, steps = to_go[state]
        return RouteNode(
            tasks, costs, (math.fsum((*costs, left)), len(costs) + steps), ways, line is not None, tuple(children)
        )

    return grow(lattice.states[0], (), (), 1, best)


def ideal_lattice(lattice: RouteLattice, cores: int, most: int, longest: int) -> tuple[Ideal, ...] | None:
    """Return the ideals by number of tasks, or None if there are too many.

    Parameters
    ----------
    cores : most tasks a step for the routes that are counted and compared.
    most : ideals.
    longest : number of tasks.
    """
    states = lattice.states
    if states is None or len(states) > most or sum(lattice.sizes) > longest or lattice.too_many_steps(cores):
        return None
    to_go = lattice.to_go(cores)
    spent = dict.fromkeys(states, math.inf) | {states[0]: 0.0}
    here = dict.fromkeys(states, 0) | {states[0]: 1}
    ahead = dict.fromkeys(states, 0) | {states[-1]: 1}
    for state in states:
        for after, step, ways in lattice.steps(state, cores):
            here[after] += here[state] * ways
            spent[after] = min(spent[after], spent[state] + lattice.step_cost(step))
    for state in reversed(states):
        ahead[state] += sum(ahead[after] * ways for after, _, ways in lattice.steps(state, cores))
    passed: set[int] = set()
    on_best: set[tuple[int, ...]] = {()}
    for chosen in lattice.best(cores, 1)[0].steps:
        passed.update(chosen)
        on_best.add(tuple(sorted(passed)))
    place = {state: number for number, state in enumerate(states)}
    found = []
    for state in states:
        tasks = _tasks_of(lattice, (0,) * len(state), tuple(enumerate(state)))
        following = [(place[after], _tasks_of(lattice, state, step)[0]) for after, step, _ in lattice.steps(state, 1)]
        ways = math.prod(map(math.comb, lattice.sizes, state))
        found.append(
            Ideal(
                tasks,
                ways,
                here[state] * ahead[state],
                spent[state] + to_go[state][0],
                tasks in on_best,
                tuple(following),
            )
        )
    return tuple(found)


def _tasks_of(lattice: RouteLattice, state: State, step: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Return the tasks of a step; of interchangeable tasks the lowest come first."""
    return tuple(sorted(t for n, count in step for t in lattice.classes[n][state[n] : state[n] + count]))


def _leaves(lattice: RouteLattice, cores: int) -> int:
    """Return the number of routes that differ by more than interchangeable tasks."""
    states = lattice.states or ()
    routes = dict.fromkeys(states, 0)
    routes[states[0]] = 1
    for state in states:
        for after, _, _ in lattice.steps(state, cores):
            routes[after] += routes[state]
    return routes[states[-1]]
