"""Routes and schedules against brute force over all orders, and the laws any schedule obeys."""

from __future__ import annotations

import math
import random
from itertools import combinations, pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanisms_for_structure import reference, reference_mechanism

from symgen.errors import InputError, MechanismError, StructureError
from symgen.topology.analysis import analyse
from symgen.topology.scheduling.core_schedule import list_schedule, schedule_on
from symgen.topology.scheduling.group_costs import GroupCost, GroupCosts, costs_of, estimated_operations, load_costs
from symgen.topology.scheduling.route_tree import ideal_lattice, route_tree
from symgen.topology.scheduling.routes import RouteLattice
from symgen.topology.scheduling.schedule import plan_schedule
from symgen.topology.scheduling.task_graph import TaskGraph


@st.composite
def task_graphs(draw, most=6):
    """Small posets with small whole costs: sums are exact, ties are common, zero is among them."""
    count = draw(st.integers(1, most))
    before = tuple(tuple(j for j in range(k) if draw(st.integers(0, 2)) == 0) for k in range(count))
    return TaskGraph(before, tuple(float(draw(st.integers(0, 4))) for _ in range(count)))


def linear_extensions(graph):
    """All orders in which every task comes after those it needs, by trying all permutations."""
    for order in permutations(range(len(graph))):
        place = {task: k for k, task in enumerate(order)}
        if all(place[other] < place[task] for task in order for other in graph.before[task]):
            yield order


def step_routes(graph, most):
    """All sequences of non-empty sets of at most `most` ready tasks, by recursion over plain sets."""

    def extend(done):
        left = [task for task in range(len(graph)) if task not in done]
        if not left:
            yield ()
        ready = [task for task in left if set(graph.before[task]) <= done]
        for size in range(1, min(most, len(ready)) + 1):
            for step in combinations(ready, size):
                for rest in extend(done | set(step)):
                    yield (step, *rest)

    yield from extend(frozenset())


def ideals(graph):
    tasks = range(len(graph))
    subsets = (set(chosen) for size in range(len(graph) + 1) for chosen in combinations(tasks, size))
    return sum(all(set(graph.before[task]) <= chosen for task in chosen) for chosen in subsets)


def shortest(graph, cores):
    """The least makespan: every linear extension, each task as early as it fits between those placed before it."""
    best = math.inf
    for order in linear_extensions(graph):
        spans = {}
        for task in order:
            ready = max((spans[other][1] for other in graph.before[task]), default=0.0)
            cost = graph.cost[task]
            for start in sorted({ready, *(end for _, end in spans.values() if end > ready)}):
                moments = [start, *(a for a, _ in spans.values() if start < a < start + cost)]
                if all(sum(a <= t < b for a, b in spans.values()) < cores for t in moments) or not cost:
                    spans[task] = (start, start + cost)
                    break
        best = min(best, max(end for _, end in spans.values()))
    return best


@given(task_graphs(5), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_the_tree_has_every_route_once_and_the_best_on_top(graph, cores):
    lattice = RouteLattice(graph)
    tree = route_tree(lattice, cores, most=10_000, longest=9)
    walks = []

    def walk(node, steps):
        if not node.children:
            walks.append((steps, node))
        for child in node.children:
            walk(child, (*steps, child.tasks))

    walk(tree, ())
    every = set(step_routes(graph, cores))
    assert {steps for steps, _ in walks} <= every
    assert sum(node.ways for _, node in walks) == len(every)
    assert len({steps for steps, _ in walks}) == len(walks)
    for steps, node in walks:
        assert node.cost == sum(max(graph.cost[task] for task in step) for step in steps)
    (best,) = lattice.best(cores, 1)
    assert walks[0][0] == best.steps
    assert [node.is_best for _, node in walks] == [True] + [False] * (len(walks) - 1)
    assert tree.promise == (best.cost, len(best.steps))
    assert walks[0][1].ways == best.ways
    assert route_tree(lattice, cores, most=len(walks) - 1, longest=9) is None


@given(task_graphs(5), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_the_lattice_knows_how_many_routes_pass_and_the_best_of_them(graph, cores):
    lattice = RouteLattice(graph)
    found = ideal_lattice(lattice, cores, most=100, longest=9)
    costs = {}
    for steps in step_routes(graph, cores):
        cost = sum(max(graph.cost[task] for task in step) for step in steps)
        for end in range(len(steps) + 1):
            costs.setdefault(tuple(sorted(sum(steps[:end], ()))), []).append(cost)
    assert sum(each.ways for each in found) == ideals(graph)
    for each in found:
        here = costs.get(each.tasks, [])  # on one core all sets are passed, on several too: one at a time is allowed
        assert (each.routes, each.best) == (len(here) * each.ways, min(here))
        for place, task in each.following:
            assert set(found[place].tasks) >= set(each.tasks)
            assert len(found[place].tasks) == len(each.tasks) + 1
            assert task not in each.tasks
    passed = [each.tasks for each in found if each.is_best]
    steps = lattice.best(cores, 1)[0].steps
    assert passed == [tuple(sorted(sum(steps[:end], ()))) for end in range(len(steps) + 1)]


@given(task_graphs(), st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_routes_are_counted_as_enumeration_counts_them(graph, cores):
    counts = RouteLattice(graph).counts(cores)
    assert counts.ideals == ideals(graph)
    assert counts.sequential == sum(1 for _ in linear_extensions(graph))
    assert counts.parallel == sum(1 for _ in step_routes(graph, len(graph)))
    assert counts.on_cores == sum(1 for _ in step_routes(graph, cores))


@given(task_graphs(5), st.integers(1, 3))
@settings(max_examples=100, deadline=None)
def test_the_best_routes_are_the_best_of_all(graph, cores):
    every = sorted(
        (sum(max(graph.cost[task] for task in step) for step in route), len(route))
        for route in step_routes(graph, cores)
    )
    found = RouteLattice(graph).best(cores, 1000)
    # Each listed route stands for `ways` routes of the same cost and number of steps, and together they are all.
    assert [(route.cost, len(route.steps)) for route in found for _ in range(route.ways)] == every
    assert {route.steps for route in found} <= set(step_routes(graph, cores))
    assert RouteLattice(graph).best(cores, 2) == found[:2]


def check_valid(graph, schedule):
    assert sorted(p.task for p in schedule.placements) == list(range(len(graph)))
    end = {p.task: p.end for p in schedule.placements}
    last: dict[int, float] = {}
    for p in schedule.placements:
        assert 0 <= p.core < schedule.cores
        assert p.end == p.start + graph.cost[p.task]
        assert p.start >= max((end[other] for other in graph.before[p.task]), default=0.0)
        assert p.start >= last.get(p.core, 0.0)
        last[p.core] = p.end
    assert schedule.makespan == max(end.values())


@given(task_graphs(), st.integers(1, 3))
@settings(max_examples=150, deadline=None)
def test_a_schedule_is_valid_and_the_shortest(graph, cores):
    schedule = schedule_on(graph, cores)
    check_valid(graph, schedule)
    assert schedule.optimal
    assert schedule.makespan == schedule.lower_bound == shortest(graph, cores)


@pytest.mark.slow
@given(task_graphs(40), st.integers(1, 5))
@settings(max_examples=100, deadline=None)
def test_bounds_hold_for_larger_schedules(graph, cores):
    schedule = schedule_on(graph, cores, most_nodes=50)
    check_valid(graph, schedule)
    floor = max(graph.critical_cost, graph.total / cores)
    assert floor <= schedule.lower_bound <= schedule.makespan
    # Graham's bound for any list schedule.
    assert max(p.end for p in list_schedule(graph, cores)) <= (2 - 1 / cores) * floor + 1e-9
    path = graph.critical_path
    assert sum(graph.cost[task] for task in path) == graph.critical_cost
    assert all(a in graph.before[b] for a, b in pairwise(path))


def test_waiting_although_a_task_is_ready_can_be_better_and_is_found():
    better = []
    draw = random.Random(3)
    gains = 0
    for _ in range(400):
        count = draw.randint(4, 6)
        before = tuple(tuple(j for j in range(k) if draw.random() < 0.35) for k in range(count))
        better.append(TaskGraph(before, tuple(float(draw.randint(1, 7)) for _ in range(count))))
    for each in better:
        found = schedule_on(each, 2)
        greedy = max(p.end for p in list_schedule(each, 2))
        assert found.makespan <= greedy
        gains += found.makespan < greedy
    assert gains > 0


def test_known_counts():
    chain = TaskGraph(((), (0,), (1,), (2,)), (1.0,) * 4)
    assert RouteLattice(chain).counts(2).parallel == 1
    free = TaskGraph(((),) * 8, (1.0,) * 8)
    counts = RouteLattice(free).counts(8)
    # Ordered set partitions (Fubini numbers), permutations, subsets.
    assert (counts.parallel, counts.sequential, counts.ideals) == (545835, math.factorial(8), 2**8)
    # The 2 x n ladder order: Catalan numbers of standard Young tableaux.
    ladder = TaskGraph(
        tuple(tuple(j for j in (k - 2, k - 1 if k % 2 else -1) if j >= 0) for k in range(20)), (1.0,) * 20
    )
    assert RouteLattice(ladder).counts(2).sequential == math.comb(20, 10) // 11


def test_too_many_routes_are_said_to_be_too_many():
    draw = random.Random(1)
    before = tuple(tuple(sorted(draw.sample(range(k), 1))) if k > 40 else () for k in range(80))
    lattice = RouteLattice(TaskGraph(before, tuple(float(k) for k in range(80))))
    assert lattice.counts(2).sequential is None
    assert lattice.best(2, 3) == ()
    schedule = schedule_on(lattice.graph, 2)
    check_valid(lattice.graph, schedule)


def unit_costs(structure):
    return GroupCosts("", {group.number: GroupCost(1.0, "given") for group in structure.groups})


@pytest.mark.parametrize(
    ("name", "case", "levels"),
    [
        ("rotor", 0, [[1], [2, 3], [4], [5, 6], [7]]),
        ("rotor", 1, [[1, 2], [3, 4], [5, 6], [7], [8], [9]]),
        ("nine_bar", 0, [[1, 4], [2], [3], [5], [6]]),
        ("stewart", 1, [[1], [2, 3, 4, 5, 6, 7]]),
        ("spatial_four_bar", 0, [[1], [2]]),
    ],
)
def test_levels_are_those_of_the_paper_and_as_many_as_the_critical_path_at_unit_cost(name, case, levels):
    data = reference(name)
    structure = analyse(reference_mechanism(data, data["cases"][case]))
    plan = plan_schedule(structure, unit_costs(structure), cores=6)
    document = plan.to_dict()
    assert document["levels"] == levels
    assert document["critical_path"]["cost"] == len(levels)
    assert document["schedule"]["makespan"] == len(levels)
    assert document["best_routes"][0]["cost"] == len(levels)


def test_the_six_legs_of_the_inverse_stewart_platform_may_be_solved_in_any_order():
    data = reference("stewart")
    structure = analyse(reference_mechanism(data, data["cases"][1]))
    document = plan_schedule(structure, unit_costs(structure), cores=2).to_dict()
    assert document["routes"]["sequential"] == math.factorial(6)
    assert document["routes"]["parallel"] == 4683  # Fubini number of 6
    best = document["best_routes"][0]
    assert (best["steps"], best["ways"]) == ([[1], [2, 3], [4, 5], [6, 7]], 90)
    assert [row["makespan"] for row in document["cores"]] == [7.0, 4.0, 3.0, 3.0, 3.0, 2.0]


def test_costs_of_a_file_go_by_group_then_type_then_default(tmp_path):
    data = reference("nine_bar")
    groups = analyse(reference_mechanism(data, data["cases"][0])).groups
    tree = {"schema": "symgen/costs/1", "unit": "us", "types": {"R.R.R 2D": 4}, "groups": {"6": 5.5}, "default": 1}
    costs = costs_of(tree, groups)
    assert costs.values == {1: 1.0, 2: 1.0, 3: 1.0, 4: 1.0, 5: 4.0, 6: 5.5}
    file = tmp_path / "costs.toml"
    file.write_text('schema = "symgen/costs/1"\ndefault = 2.0\n', encoding="utf-8")
    assert set(load_costs(file, groups).values.values()) == {2.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "symgen/costs/2"}, "allowed is 'symgen/costs/1'"),
        ({"group": {}}, 'did you mean "groups"'),
        ({"groups": {"9": 1.0}}, "groups are 1 to 6"),
        ({"types": {"R* 2D": -1.0}}, "not negative"),
        ({"types": {"R* 2D": "1"}}, "a cost is a number"),
        ({"types": {"R* 2D": float("inf")}}, "finite"),
        ({"types": {"R* 2D": 10**400}}, "finite"),
        ({"default": 1e308}, "another unit"),
        ({"default": 1e-300}, "another unit"),
        ({"types": [1.0]}, "must be a table"),
        ({"unit": 3}, "short text"),
        ({"types": {"R* 2D": 1.0}}, r"no cost for group 5 \(R\.R\.R 2D\)"),
    ],
)
def test_costs_that_are_wrong_are_refused_with_what_is_allowed(change, message):
    data = reference("nine_bar")
    groups = analyse(reference_mechanism(data, data["cases"][0])).groups
    with pytest.raises(MechanismError, match=message):
        costs_of({"schema": "symgen/costs/1"} | change, groups)


def test_a_schedule_needs_groups_cores_and_costs():
    data = reference("nine_bar")
    structure = analyse(reference_mechanism(data, data["cases"][0]))
    with pytest.raises(InputError, match="allowed are 1 to"):
        plan_schedule(structure, unit_costs(structure), cores=0)
    with pytest.raises(InputError, match="no cost for group"):
        plan_schedule(structure, GroupCosts("", {}))
    nothing = analyse(reference_mechanism(data, {"driven": []}))
    with pytest.raises(StructureError, match="no group can be solved"):
        plan_schedule(nothing, unit_costs(nothing))
    with pytest.raises(InputError, match="lower number"):
        TaskGraph(((1,), ()), (1.0, 1.0))
    with pytest.raises(InputError, match="not negative"):
        TaskGraph(((),), (math.nan,))


def test_the_estimate_for_a_group_without_a_solver_grows_with_the_cube_of_its_size():
    assert estimated_operations(1, 6) < estimated_operations(2, 6) < estimated_operations(13, 6)
    assert 7.0 < estimated_operations(400, 6) / estimated_operations(200, 6) < 8.0


@pytest.mark.slow
def test_many_thousand_groups_are_scheduled():
    draw = random.Random(7)
    count = 30_000
    before = tuple(tuple({draw.randrange(max(0, k - 50), k) for _ in range(2)} if k else ()) for k in range(count))
    graph = TaskGraph(before, tuple(float(draw.randint(1, 9)) for _ in range(count)))
    schedule = schedule_on(graph, 4)
    assert schedule.makespan >= graph.lower_bound(4)
    assert RouteLattice(graph).counts(4).sequential is None


def test_the_largest_costs_that_a_file_may_give_have_finite_sums():
    data = reference("nine_bar")
    structure = analyse(reference_mechanism(data, data["cases"][0]))
    plan = plan_schedule(structure, costs_of({"schema": "symgen/costs/1", "default": 1e30}, structure.groups))
    assert plan.graph.total == pytest.approx(6e30)
    with pytest.raises(InputError, match="no finite number"):
        TaskGraph(((), ()), (1e308, 1e308))
