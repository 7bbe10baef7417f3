"""Topological graphs: laws of tree, signs and cycles for any tree, direction and name; refusals name what is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mechanisms_for_structure import PlainJoint, PlainMechanism

import symgen
from symgen.errors import InputError
from symgen.topology.loops.topological_graph import TopologicalGraph, build_topological_graph

TYPES = {"spatial": ("R", "P", "U", "S", "C", "W"), "planar": ("R", "P", "W")}


@st.composite
def mechanisms(draw: st.DrawFn) -> PlainMechanism:
    """A connected mechanism: a random tree and some more joints, parallel ones among them."""
    space = draw(st.sampled_from(("spatial", "planar")))
    count = draw(st.integers(2, 9))
    pairs = [(draw(st.integers(0, body - 1)), body) for body in range(1, count)]
    more = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda p: p[0] != p[1])
    pairs += draw(st.lists(more, max_size=5))
    pairs = draw(st.permutations(pairs))
    joints = tuple(
        PlainJoint(f"j{k}", draw(st.sampled_from(TYPES[space])), (f"b{a}", f"b{b}")[:: draw(st.sampled_from((1, -1)))])
        for k, (a, b) in enumerate(pairs)
    )
    return PlainMechanism(space, tuple(f"b{k}" for k in range(count)), joints)


def any_tree(mechanism: PlainMechanism, seed: int) -> list[str]:
    """Return the cotree of a random spanning tree."""
    joints = list(mechanism.joints)
    random.Random(seed).shuffle(joints)
    leader = {body: body for body in mechanism.body_ids}

    def find(body: str) -> str:
        while leader[body] != body:
            body = leader[body]
        return body

    cotree = []
    for joint in joints:
        one, two = map(find, joint.bodies)
        if one == two:
            cotree.append(joint.id)
        leader[one] = two
    return cotree


def incidence(graph: TopologicalGraph) -> np.ndarray:
    """+1 where an arc ends at a body, -1 where it starts; rows are bodies."""
    matrix = np.zeros((len(graph.bodies), len(graph.arcs)), dtype=int)
    for column, arc in enumerate(graph.arcs):
        matrix[graph.bodies.index(arc.head), column] += 1
        matrix[graph.bodies.index(arc.tail), column] -= 1
    return matrix


@given(mechanisms(), st.integers(0, 10**6), st.data())
def test_signs_are_those_of_the_incidence_matrix(mechanism: PlainMechanism, seed: int, data: st.DataObject) -> None:
    """Paths lead from root to body, cycles lead nowhere: with D the incidence matrix, D P^T = [-1; I], D C^T = 0."""
    turned = data.draw(st.sets(st.sampled_from([j.id for j in mechanism.joints])))
    graph = build_topological_graph(mechanism, cotree=any_tree(mechanism, seed), turned=turned)
    d, paths = incidence(graph), np.array(graph.path_matrix()).reshape(-1, len(graph.arcs))
    bodies = len(graph.bodies)
    assert (d @ paths.T == np.vstack([-np.ones((1, bodies - 1)), np.eye(bodies - 1)])).all()
    cycles = np.array(graph.cycle_matrix(), dtype=int).reshape(-1, len(graph.arcs))
    assert not (d @ cycles.T).any()
    # fundamental: the cotree's columns are the unit matrix, so the cycles are independent; there are N - M + 1
    cut = [k for k, arc in enumerate(graph.arcs) if arc.joint in graph.cotree]
    assert (cycles[:, cut] == np.eye(len(cut))).all()
    assert len(graph.cycles) == len(graph.arcs) - bodies + 1


@given(mechanisms(), st.integers(0, 10**6))
def test_predecessors_lead_to_the_root(mechanism: PlainMechanism, seed: int) -> None:
    graph = build_topological_graph(mechanism, cotree=any_tree(mechanism, seed))
    for entry in graph.tree:
        path = graph.path(entry.body)
        assert path[-1] == (entry.joint, entry.sigma)
        before = graph.predecessor_joint(entry.joint)
        assert (path[-2][0] if len(path) > 1 else None) == before
        arc = graph.arc(entry.joint)
        assert (arc.tail, arc.head)[:: entry.sigma] == (entry.predecessor, entry.body)


@given(mechanisms(), st.integers(0, 10**6))
def test_cycles_are_walks_that_return_to_their_start(mechanism: PlainMechanism, seed: int) -> None:
    graph = build_topological_graph(mechanism, cotree=any_tree(mechanism, seed))
    for cycle in graph.cycles:
        body, visited = cycle.start, []
        for joint, sigma in cycle.steps:
            tail, head = (graph.arc(joint).tail, graph.arc(joint).head)[::sigma]
            assert tail == body
            visited.append(body)
            body = head
        assert body == cycle.start
        assert len(set(visited)) == len(visited)
        nearest = min(visited, key=lambda b: len(graph.path(b)))
        assert nearest == cycle.start


@given(mechanisms(), st.integers(0, 10**6), st.integers(0, 10**6))
def test_mobility_does_not_depend_on_the_tree_nor_on_directions(m: PlainMechanism, one: int, two: int) -> None:
    first = build_topological_graph(m, cotree=any_tree(m, one))
    second = build_topological_graph(m, cotree=any_tree(m, two), turned=[m.joints[0].id])
    # Grübler's count with bodies instead of loops: B (M - 1) - sum of lost freedoms
    b = 3 if m.space == "planar" else 6
    assert first.mobility == second.mobility == b * (len(m.body_ids) - 1) - sum(b - j.grade for j in m.joints)


@given(mechanisms(), st.integers(0, 10**6))
def test_names_do_not_matter(mechanism: PlainMechanism, seed: int) -> None:
    body = {b: f"x{k}" for k, b in enumerate(reversed(mechanism.body_ids))}
    joint = {j.id: f"z{k}" for k, j in enumerate(reversed(mechanism.joints))}
    other = PlainMechanism(
        mechanism.space,
        tuple(body[b] for b in mechanism.body_ids),
        tuple(PlainJoint(joint[j.id], j.type, (body[j.bodies[0]], body[j.bodies[1]])) for j in mechanism.joints),
    )
    cotree = any_tree(mechanism, seed)
    one = build_topological_graph(mechanism, cotree=cotree)
    two = build_topological_graph(other, cotree=[joint[j] for j in cotree])
    assert one.cycle_matrix() == two.cycle_matrix()
    assert one.path_matrix() == two.path_matrix()
    assert [body[b] for b in one.bodies] == list(two.bodies)


@given(mechanisms(), st.integers(0, 10**6))
def test_turning_an_arc_changes_the_signs_of_its_column(mechanism: PlainMechanism, seed: int) -> None:
    """In the cycle matrix a turned cotree joint turns its own cycle instead."""
    cotree = any_tree(mechanism, seed)
    turned = mechanism.joints[seed % len(mechanism.joints)].id
    one = build_topological_graph(mechanism, cotree=cotree)
    two = build_topological_graph(mechanism, cotree=cotree, turned=[turned])
    column = [arc.joint for arc in one.arcs].index(turned)
    flip = np.ones(len(one.arcs), dtype=int)
    flip[column] = -1
    assert (np.array(one.path_matrix()) * flip == np.array(two.path_matrix())).all()
    rows = np.array([-1 if cycle.joint == turned else 1 for cycle in one.cycles])[:, None]
    a = np.array(one.cycle_matrix()).reshape(-1, len(one.arcs))
    assert (rows * a * flip == np.array(two.cycle_matrix()).reshape(-1, len(one.arcs))).all()


@given(mechanisms(), st.integers(0, 10**6))
def test_tree_and_cotree_say_the_same(mechanism: PlainMechanism, seed: int) -> None:
    cotree = any_tree(mechanism, seed)
    tree = [joint.id for joint in mechanism.joints if joint.id not in cotree]
    by_cotree = build_topological_graph(mechanism, cotree=cotree)
    assert by_cotree == build_topological_graph(mechanism, tree=tree)


def manipulator(repository: Path) -> TopologicalGraph:
    mechanism = symgen.load(repository / "examples" / "graphs" / "parallel_manipulator.toml")
    return build_topological_graph(mechanism, cotree=["J11", "J12"])


def test_the_parallel_manipulator_has_the_counts_of_the_paper(repository: Path) -> None:
    """Müller 2015, Fig. 1: M = 11 bodies, N = 12 joints, gamma = 2 cycles, 3 freedoms; loops named after J11, J12."""
    graph = manipulator(repository)
    assert (len(graph.bodies), len(graph.arcs), len(graph.cycles), graph.mobility) == (11, 12, 2, 3)
    assert graph.cotree == ("J11", "J12")
    assert [(entry.body, entry.joint) for entry in graph.tree] == [(str(k), f"J{k}") for k in range(1, 11)]


def test_the_parallel_manipulator_step_by_step(repository: Path) -> None:
    """By hand from the arrangement of the example: limbs 1-2-3, 4-5-6, 7-8-9, platform 10 behind 9."""
    graph = manipulator(repository)
    before = {entry.joint: graph.predecessor_joint(entry.joint) for entry in graph.tree}
    assert before == {
        "J1": None, "J2": "J1", "J3": "J2", "J4": None, "J5": "J4", "J6": "J5",
        "J7": None, "J8": "J7", "J9": "J8", "J10": "J9",
    }  # fmt: skip
    assert graph.path("10") == (("J7", 1), ("J8", 1), ("J9", 1), ("J10", 1))
    back = (("J10", -1), ("J9", -1), ("J8", -1), ("J7", -1))
    one, two = graph.cycles
    assert one.steps == (("J1", 1), ("J2", 1), ("J3", 1), ("J11", 1), *back)
    assert two.steps == (("J4", 1), ("J5", 1), ("J6", 1), ("J12", 1), *back)


def test_a_limb_that_is_passed_backwards_is_the_inverse_of_the_limb(repository: Path) -> None:
    """Erratum of Müller 2015: his f_12 has D3 D2^-1 D1 where his sigma (-, +, -) makes it D3^-1 D2 D1^-1.

    Signs are by hand for limb 1-2-3 with the arc of J2 against it; the D are any displacements, here turns.
    """
    mechanism = symgen.load(repository / "examples" / "graphs" / "parallel_manipulator.toml")
    graph = build_topological_graph(mechanism, cotree=["J11", "J12"], turned=["J2", "J11"])
    assert graph.path("3") == (("J1", 1), ("J2", -1), ("J3", 1))
    backwards = graph.cycles[0].steps[-3:]
    assert backwards == (("J3", -1), ("J2", 1), ("J1", -1))
    turns = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3, 3)))[0]
    displacement = dict(zip(("J1", "J2", "J3"), turns, strict=True))

    def product(steps: tuple[tuple[str, int], ...]) -> np.ndarray:
        found = np.eye(3)
        for joint, sign in steps:
            found = found @ (displacement[joint] if sign > 0 else displacement[joint].T)
        return found

    # out along the limb and back again is no displacement; products of six orthogonal matrices: rounding only
    np.testing.assert_allclose(product((*graph.path("3"), *backwards)), np.eye(3), atol=1e-14)
    printed = (("J3", 1), ("J2", -1), ("J1", 1))
    assert np.abs(product((*graph.path("3"), *printed)) - np.eye(3)).max() > 0.1


def four_bar(*more: tuple[str, str, str, str]) -> PlainMechanism:
    pairs = [("A", "R", "0", "1"), ("B", "R", "1", "2"), ("C", "R", "2", "3"), ("D", "R", "0", "3"), *more]
    bodies = tuple(dict.fromkeys(["0", *(b for _, _, *ends in pairs for b in ends)]))
    return PlainMechanism("planar", bodies, tuple(PlainJoint(i, kind, (a, b)) for i, kind, a, b in pairs))


@pytest.mark.parametrize(
    ("mechanism", "options", "words"),
    [
        (four_bar(), {"cotree": ["A", "B"]}, "without A, B nothing holds 1 to 0; keep A or B in the tree"),
        (four_bar(), {"cotree": []}, "the joints C, B, A, D still close a loop"),
        (four_bar(), {"tree": ["A", "B"]}, "tree: its joints do not hold 3 to 0; add C or D to the tree"),
        (four_bar(), {"cotree": ["AA"]}, "no joint has the id 'AA'"),
        (four_bar(), {"turned": ["E"]}, "turned joints: no joint has the id 'E'"),
        (four_bar(), {"cotree": ["A"], "tree": ["B"]}, "not both"),
        (four_bar(), {"dimension": 5}, "cannot have g = 5; motion groups have 1, 2, 3"),
        (four_bar(), {"dimension": {"A": 2}}, "'A' closes no loop"),
        (four_bar(("E", "R", "4", "5")), {}, "no chain of joints leads from 4, 5 to 0"),
    ],
)
def test_a_choice_that_does_not_work_is_refused_by_name(mechanism: PlainMechanism, options: dict, words: str) -> None:
    with pytest.raises(InputError) as refusal:
        build_topological_graph(mechanism, **options)
    assert words in str(refusal.value)


def test_a_motion_group_of_lower_dimension_can_be_declared() -> None:
    """A parallelogram's links translate on circles: three freedoms are lost for one loop, or two of the group's."""
    assert build_topological_graph(four_bar()).mobility == 1
    assert build_topological_graph(four_bar(), dimension=2).mobility == 2
    assert build_topological_graph(four_bar(), cotree=["B"], dimension={"B": 2}).mobility == 2


def test_free_and_higher_pairs_stay_out_of_the_tree_where_they_can() -> None:
    graph = build_topological_graph(four_bar(("E", "FP", "0", "2"), ("F", "L", "1", "3")))
    assert {"E", "F"} <= set(graph.cotree)
