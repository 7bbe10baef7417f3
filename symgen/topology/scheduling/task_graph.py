"""Structural groups as tasks: which waits for which, how long each takes, and the longest chain of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.topology.structure import Group


@dataclass(frozen=True)
class TaskGraph:
    """Tasks 0 ... n - 1, each after those it needs.

    Parameters
    ----------
    before : for each task the tasks it needs, all of lower number.
    cost : for each task how long it takes, not negative, with a finite sum; any unit.
    """

    before: tuple[tuple[int, ...], ...]
    cost: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.before) != len(self.cost):
            raise InputError(f"{len(self.before)} tasks but {len(self.cost)} costs")
        for task, (needs, cost) in enumerate(zip(self.before, self.cost, strict=True)):
            if not all(0 <= other < task for other in needs):
                raise InputError(f"task {task} needs {needs}: a task may need only tasks of lower number")
            if not (math.isfinite(cost) and cost >= 0.0):
                raise InputError(f"task {task} costs {cost}; a cost is a finite number, not negative")
        if not math.isfinite(sum(self.cost)):
            raise InputError("the costs of all tasks together are no finite number; choose another unit")

    def __len__(self) -> int:
        return len(self.cost)

    @cached_property
    def after(self) -> tuple[tuple[int, ...], ...]:
        """For each task the tasks that need it, ascending."""
        found: list[list[int]] = [[] for _ in self.cost]
        for task, needs in enumerate(self.before):
            for other in dict.fromkeys(needs):
                found[other].append(task)
        return tuple(map(tuple, found))

    @cached_property
    def total(self) -> float:
        """Cost of all tasks, one after the other."""
        return math.fsum(self.cost)

    @cached_property
    def earliest(self) -> tuple[float, ...]:
        """When each task can start at the earliest, cores without number."""
        start: list[float] = []
        for needs in self.before:
            start.append(max((start[other] + self.cost[other] for other in needs), default=0.0))
        return tuple(start)

    @cached_property
    def tail(self) -> tuple[float, ...]:
        """Cost of the dearest chain from each task to an end, the task itself included."""
        found = [0.0] * len(self)
        for task in reversed(range(len(self))):
            found[task] = self.cost[task] + max((found[other] for other in self.after[task]), default=0.0)
        return tuple(found)

    @cached_property
    def critical_path(self) -> tuple[int, ...]:
        """The dearest chain of tasks; of equal ones the one with the lowest numbers from its start on."""
        if not self.cost:
            return ()
        starts = [task for task, needs in enumerate(self.before) if not needs]
        path = [max(starts, key=lambda task: (self.tail[task], -task))]
        while self.after[path[-1]]:
            path.append(max(self.after[path[-1]], key=lambda task: (self.tail[task], -task)))
        return tuple(path)

    @property
    def critical_cost(self) -> float:
        """Cost of the critical path: no number of cores does it in less."""
        return max(self.tail, default=0.0)

    def lower_bound(self, cores: int) -> float:
        """Return the larger of the critical path's cost and an even share of the total."""
        return max(self.critical_cost, self.total / cores)


def task_graph(groups: Sequence[Group], cost: Mapping[int, float]) -> TaskGraph:
    """Return the groups of a structure as tasks; task k is group k + 1.

    Parameters
    ----------
    groups : in solving order.
    cost : group number -> cost.
    """
    before = tuple(tuple(number - 1 for number in group.depends_on) for group in groups)
    return TaskGraph(before, tuple(float(cost[group.number]) for group in groups))
