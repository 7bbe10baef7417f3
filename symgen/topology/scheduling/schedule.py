"""The solving schedule of a mechanism: levels, critical path, routes, and the groups on k cores.

Source: A. Celdran, M. Saura, D. Dopico, 2022: structural diagram, sequential
and parallel routes (Fig. 7); group costs decide which route is best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from symgen.errors import InputError, StructureError
from symgen.topology.scheduling.core_schedule import CoreSchedule, schedule_on
from symgen.topology.scheduling.group_costs import GroupCosts, check_complete
from symgen.topology.scheduling.routes import Route, RouteCounts, RouteLattice
from symgen.topology.scheduling.task_graph import TaskGraph, task_graph

if TYPE_CHECKING:
    from symgen.topology.structure import Group, Structure

SCHEMA = "symgen/schedule/1"

#: Core counts compared: 1, 2, ... up to the widest level, but no more than this.
MOST_COMPARED = 8
_MOST_CORES, _MOST_ROUTES = 4096, 1000


@dataclass(frozen=True)
class Schedule:
    """How the groups of a mechanism can be solved one after, and beside, another. Tasks count from 0: group - 1.

    Attributes
    ----------
    structure : what was taken apart.
    costs : of its groups.
    graph : groups as tasks.
    levels : group numbers by level.
    chosen : the schedule on the number of cores asked for.
    compared : schedules on 1, 2, ... cores, up to the widest level or `chosen`.
    counts : how many routes there are.
    best : the best routes in steps on the cores of `chosen`, the best first.
    lattice : the ideals the routes walk through.
    """

    structure: Structure
    costs: GroupCosts
    graph: TaskGraph
    levels: tuple[tuple[int, ...], ...]
    chosen: CoreSchedule
    compared: tuple[CoreSchedule, ...]
    counts: RouteCounts
    best: tuple[Route, ...]
    lattice: RouteLattice = field(compare=False, repr=False)

    def speed_up(self, makespan: float) -> float:
        """Return how many times quicker than on one core; 1 if nothing costs anything."""
        return self.graph.total / makespan if makespan > 0.0 else 1.0

    @property
    def critical_groups(self) -> tuple[int, ...]:
        """Numbers of the groups on the critical path, in solving order."""
        return tuple(task + 1 for task in self.graph.critical_path)

    def slack(self, group: Group) -> float:
        """Return by how much a group may be late without the critical path's end being late."""
        task = group.number - 1
        return max(0.0, self.graph.critical_cost - self.graph.earliest[task] - self.graph.tail[task])

    def to_dict(self, solved: Callable[[Group], tuple[bool, str | None]] | None = None) -> dict[str, Any]:
        """Return the document symgen/schedule/1 as JSON data.

        Parameters
        ----------
        solved : as for `Structure.to_dict`.
        """
        structure, graph = self.structure, self.graph
        return {
            "schema": SCHEMA,
            "mechanism": structure.mechanism.name,
            "space": structure.space,
            "status": structure.status,
            "reason": refusal_of(structure),
            "diagnosis": [finding.to_dict() for finding in structure.diagnosis],
            "unit": self.costs.unit,
            "notices": list(self.costs.notices),
            "groups": [self._group(group, solved) for group in structure.groups],
            "levels": [list(level) for level in self.levels],
            "total": graph.total,
            "critical_path": {"groups": list(self.critical_groups), "cost": graph.critical_cost},
            "best_speed_up": self.speed_up(graph.critical_cost),
            "cores": [self._cores(schedule) for schedule in self.compared],
            "schedule": {
                **self._cores(self.chosen),
                "groups": [
                    {"group": p.task + 1, "core": p.core + 1, "start": p.start, "end": p.end}
                    for p in self.chosen.placements
                ],
            },
            "routes": {
                "ideals": self.counts.ideals,
                "sequential": self.counts.sequential,
                "parallel": self.counts.parallel,
                "on_cores": self.counts.on_cores,
            },
            "best_routes": [
                {
                    "cost": route.cost,
                    "speed_up": self.speed_up(route.cost),
                    "ways": route.ways,
                    "steps": [[task + 1 for task in step] for step in route.steps],
                }
                for route in self.best
            ],
        }

    def _group(self, group: Group, solved: Callable[[Group], tuple[bool, str | None]] | None) -> dict[str, Any]:
        cost = self.costs.of[group.number]
        return {
            "number": group.number,
            "level": group.level,
            "bodies": list(group.bodies),
            "signature": group.signature,
            "depends_on": list(group.depends_on),
            "solved": solved(group)[0] if solved else None,
            "cost": cost.value,
            "cost_from": cost.source,
            "earliest": self.graph.earliest[group.number - 1],
            "slack": self.slack(group),
            "critical": group.number in self.critical_groups,
        }

    def _cores(self, schedule: CoreSchedule) -> dict[str, Any]:
        speed_up = self.speed_up(schedule.makespan)
        return {
            "cores": schedule.cores,
            "makespan": schedule.makespan,
            "speed_up": speed_up,
            "efficiency": speed_up / schedule.cores,
            "lower_bound": schedule.lower_bound,
            "optimal": schedule.optimal,
        }


def refusal_of(structure: Structure) -> str | None:
    """Return in words why a mechanism has no schedule, or none of all its bodies; None if it has one."""
    if structure.status == "determined":
        return None if structure.groups else "has nothing to solve: welds hold all bodies to the frame"
    if not structure.groups:
        return f"is {structure.status}, and no group can be solved; `symgen analyse` shows what is missing"
    return f"is {structure.status}; `symgen analyse` shows why. These are the groups that were found"


def empty_schedule(structure: Structure) -> dict[str, Any]:
    """Return the document symgen/schedule/1 of a mechanism without any group: nothing to schedule, and why."""
    return {
        "schema": SCHEMA,
        "mechanism": structure.mechanism.name,
        "space": structure.space,
        "status": structure.status,
        "reason": refusal_of(structure),
        "diagnosis": [finding.to_dict() for finding in structure.diagnosis],
        "unit": None,
        "notices": [],
        "groups": [],
        "levels": [],
        "total": None,
        "critical_path": None,
        "best_speed_up": None,
        "cores": [],
        "schedule": None,
        "routes": None,
        "best_routes": [],
    }


def plan_schedule(structure: Structure, costs: GroupCosts, *, cores: int = 2, routes: int = 3) -> Schedule:
    """Return the schedule of the groups that were found.

    Parameters
    ----------
    structure : a mechanism taken apart.
    costs : a cost for every group.
    cores : number of equal cores.
    routes : how many of the best routes to return.

    Raises
    ------
    StructureError
        There is no group to solve.
    InputError
        `cores` or `routes` is out of range, or a group has no cost.
    """
    if not 1 <= cores <= _MOST_CORES:
        raise InputError(f"cores = {cores}; allowed are 1 to {_MOST_CORES}")
    if not 0 <= routes <= _MOST_ROUTES:
        raise InputError(f"routes = {routes}; allowed are 0 to {_MOST_ROUTES}")
    if not structure.groups:
        raise StructureError(f"{structure.mechanism.name or 'the mechanism'} {refusal_of(structure)}")
    check_complete(costs, structure.groups)
    graph = task_graph(structure.groups, costs.values)
    levels: list[list[int]] = [[] for _ in range(max(group.level for group in structure.groups))]
    for group in structure.groups:
        levels[group.level - 1].append(group.number)
    widest = max(map(len, levels))
    compared = tuple(schedule_on(graph, k) for k in range(1, min(widest, MOST_COMPARED) + 1))
    chosen = next((each for each in compared if each.cores == cores), None) or schedule_on(graph, cores)
    if chosen not in compared:
        compared = (*compared, chosen)
    lattice = RouteLattice(graph)
    return Schedule(
        structure,
        costs,
        graph,
        tuple(map(tuple, levels)),
        chosen,
        compared,
        lattice.counts(cores),
        lattice.best(cores, routes),
        lattice,
    )
