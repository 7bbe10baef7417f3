"""Groups on k cores: a list schedule, made the best by branch and bound where there are few groups.

Each group runs on one core without a break, as soon as all groups it needs are
done. The list schedule gives a free core the ready group with the dearest chain
behind it; it is at most 2 - 1/k times the best (R. L. Graham, "Bounds on
multiprocessing timing anomalies", 1969). Branch and bound goes through the
groups in the order of their starts, so it finds schedules too in which a core
waits though a group is ready, which can be better.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from symgen.errors import InputError
from symgen.topology.scheduling.task_graph import TaskGraph

#: Branch and bound is tried for no more tasks than this, and gives up after so many nodes.
MOST_TASKS, MOST_NODES = 24, 20_000
# A schedule is as short as a bound if it is so up to rounding of the sums.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Placement:
    """A task on a core, cores counted from 0."""

    task: int
    core: int
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class CoreSchedule:
    """Tasks on cores.

    Attributes
    ----------
    cores : number of cores.
    placements : by start, then core.
    makespan : when the last task ends.
    lower_bound : no schedule on these cores is shorter.
    optimal : whether that was proved of this one.
    """

    cores: int
    placements: tuple[Placement, ...]
    makespan: float
    lower_bound: float
    optimal: bool


def schedule_on(graph: TaskGraph, cores: int, most_nodes: int = MOST_NODES) -> CoreSchedule:
    """Return a short schedule on identical cores; the shortest if it can be proved in `most_nodes` nodes.

    Raises
    ------
    InputError
        There is not even one core.
    """
    if cores < 1:
        raise InputError(f"cores = {cores}; at least 1 is needed")
    placements = list_schedule(graph, cores)
    makespan = _end(placements)
    bound = graph.lower_bound(cores)
    optimal = makespan <= bound * (1.0 + _ROUNDING)
    if not optimal and len(graph) <= MOST_TASKS:
        search = _ScheduleSearch(graph, cores, placements, most_nodes)
        placements, optimal = search.run()
        makespan = _end(placements)
    ordered = tuple(sorted(placements, key=lambda p: (p.start, p.core, p.end)))
    return CoreSchedule(cores, ordered, makespan, makespan if optimal else bound, optimal)


def list_schedule(graph: TaskGraph, cores: int) -> list[Placement]:
    """Return the schedule in which no core waits while a task is ready, the task with the dearest tail first."""
    waiting = [len(set(needs)) for needs in graph.before]
    ready = [(-graph.tail[task], task) for task, count in enumerate(waiting) if not count]
    heapq.heapify(ready)
    free = list(range(min(cores, max(1, len(graph)))))
    running: list[tuple[float, int, int]] = []  # end, core, task
    placements: list[Placement] = []
    now = 0.0
    while ready or running:
        while ready and free:
            _, task = heapq.heappop(ready)
            core = heapq.heappop(free)
            end = now + graph.cost[task]
            placements.append(Placement(task, core, now, end))
            heapq.heappush(running, (end, core, task))
        now = running[0][0]
        while running and running[0][0] == now:
            _, core, task = heapq.heappop(running)
            heapq.heappush(free, core)
            for other in graph.after[task]:
                waiting[other] -= 1
                if not waiting[other]:
                    heapq.heappush(ready, (-graph.tail[other], other))
    return placements


def _end(placements: list[Placement]) -> float:
    return max((placement.end for placement in placements), default=0.0)


class _ScheduleSearch:
    """Depth-first branch and bound over the orders of starts.

    Any schedule can be read as: take the tasks by their starts, put each on a core that is free by then, start it
    as soon as its needs are done and that core is free. Of the cores free in time the one free last is taken,
    which leaves the others to later tasks.
    """

    def __init__(self, graph: TaskGraph, cores: int, known: list[Placement], most_nodes: int) -> None:
        self.graph, self.cores, self.most_nodes = graph, cores, most_nodes
        self.needs = [sum(1 << other for other in set(needs)) for needs in graph.before]
        self.best = known
        self.least = _end(known)
        self.bound = graph.lower_bound(cores)
        self.seen: set[tuple[int, tuple[float, ...], tuple[float, ...]]] = set()

    def run(self) -> tuple[list[Placement], bool]:
        """Return the best schedule found, and whether none can be shorter."""
        nodes = 0
        stack: list[list[Placement]] = [[]]
        while stack:
            placed = stack.pop()
            nodes += 1
            if nodes > self.most_nodes:
                return self.best, False
            if len(placed) == len(self.graph):
                if _end(placed) < self.least:
                    self.best, self.least = placed, _end(placed)
                    if self.least <= self.bound * (1.0 + _ROUNDING):
                        return self.best, True
                continue
            stack += reversed(self._branches(placed))
        return self.best, True

    def _branches(self, placed: list[Placement]) -> list[list[Placement]]:
        """Return the schedules with one task more that may lead to a better end, the most promising first."""
        graph = self.graph
        done = sum(1 << p.task for p in placed)
        end = {p.task: p.end for p in placed}
        free = [0.0] * self.cores
        for p in placed:
            free[p.core] = max(free[p.core], p.end)
        last = placed[-1].start if placed else 0.0
        branches = []
        for task, needs in enumerate(self.needs):
            if done >> task & 1 or needs & ~done:
                continue
            ready = max((end[other] for other in graph.before[task]), default=0.0)
            start = max(ready, min(free), last)
            core = max((c for c in range(self.cores) if free[c] <= start), key=lambda c: (free[c], -c))
            placement = Placement(task, core, start, start + graph.cost[task])
            bound = self._bound(placed, placement, done, free)
            if bound < self.least * (1.0 - _ROUNDING) and self._is_new(placed, placement, done, free):
                branches.append((bound, -graph.tail[task], task, placement))
        return [[*placed, placement] for *_, placement in sorted(branches, key=lambda b: b[:3])]

    def _bound(self, placed: list[Placement], new: Placement, done: int, free: list[float]) -> float:
        """Return what the end cannot be before: chains behind the tasks left, and the room left on the cores."""
        graph = self.graph
        end = {p.task: p.end for p in placed} | {new.task: new.end}
        begin: dict[int, float] = {}
        longest, work = max(end.values()), 0.0
        for task, needs in enumerate(graph.before):
            if task in end:
                continue
            # Later tasks start no earlier than this one: that is the order they are taken in.
            begin[task] = max(
                (end[other] if other in end else begin[other] + graph.cost[other] for other in needs), default=0.0
            )
            begin[task] = max(begin[task], new.start)
            longest = max(longest, begin[task] + graph.tail[task])
            work += graph.cost[task]
        room = [max(new.end if core == new.core else f, new.start) for core, f in enumerate(free)]
        return max(longest, (sum(room) + work) / self.cores)

    def _is_new(self, placed: list[Placement], new: Placement, done: int, free: list[float]) -> bool:
        """Tell whether no branch has led to the same state: tasks done, cores free when, results ready when."""
        done |= 1 << new.task
        end = {p.task: p.end for p in placed} | {new.task: new.end}
        cores = tuple(sorted(max(new.end if core == new.core else f, new.start) for core, f in enumerate(free)))
        # Of tasks done only those count that something not done waits for, and only what lies ahead.
        open_ends = tuple(
            max(end[task], new.start)
            for task in sorted(end)
            if any(not done >> other & 1 for other in self.graph.after[task])
        )
        state = (done, cores, open_ends)
        if state in self.seen:
            return False
        self.seen.add(state)
        return True
