"""Loops in the recursion: rings, ladders, what is redundant, which wrenches are unique."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.model.mechanism import Mechanism
from symgen.simulate.start.initial import initial_state
from symgen.transfer.acceleration_result import AccelerationResult
from symgen.transfer.multipliers.method import solve_multiplier
from symgen.transfer.remainder import hinge_motions
from symgen.transfer.riccati.ports import pseudo_inverse
from symgen.transfer.riccati.recursion import refined, solve_riccati
from symgen.transfer.start import take_snapshot
from symgen.transfer.system.system import deduce

#: Rounding of a hundred bodies in a row; measured 1e-13.
ROUNDED = 1e-11
Pairs = list[tuple[str, str, str]]


def chain(count: int, kind: str = "S") -> Pairs:
    """Return a chain that hangs on the ground at both ends."""
    inner = [(kind, f"b{k}", f"b{k + 1}") for k in range(count - 1)]
    return [(kind, "ground", "b0"), *inner, (kind, f"b{count - 1}", "ground")]


def ladder(rungs: int) -> Pairs:
    """Return two rails of balls with rungs between; every rung closes a loop."""
    pairs: Pairs = [("S", "ground", "b0"), ("S", "ground", "b1")]
    for k in range(rungs):
        one, two = 2 * k, 2 * k + 1
        if k:
            pairs += [("S", f"b{one - 2}", f"b{one}"), ("S", f"b{two - 2}", f"b{two}")]
        pairs.append(("S", f"b{one}", f"b{two}"))
    return pairs


def at_rest(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without initial velocities."""
    return Mechanism.from_dict({key: value for key, value in mechanism.source.items() if key != "initial"})


def turning(mechanism: Mechanism) -> Mechanism:
    """Return a free mechanism that turns as one rigid body about the origin: what no joint hinders."""
    omega = np.array([0.7, -1.1, 0.4])
    centres = initial_state(at_rest(mechanism)).poses[:, :3]
    bodies = {
        body.id: {"v": np.cross(omega, place).tolist(), "omega": omega.tolist()}
        for body, place in zip(mechanism.bodies, centres, strict=True)
    }
    return Mechanism.from_dict({**mechanism.source, "initial": {"bodies": bodies}})


def compare(mechanism: Mechanism) -> AccelerationResult:
    """Check riccati against multiplier, and return what it found."""
    found, expected = (symgen.accelerations(mechanism, method) for method in ("riccati", "multiplier"))
    assert np.abs(found.table - expected.table).max() < ROUNDED * max(1.0, np.abs(expected.table).max())
    largest = max(1.0, *(float(np.abs(load.force).max()) for load in expected.joints.values()))
    for name, load in found.joints.items():
        assert load.unique == expected.joints[name].unique
        if load.unique:
            np.testing.assert_allclose(load.force, expected.joints[name].force, atol=ROUNDED * largest)
    assert found.redundant == expected.redundant
    assert found.residual < ROUNDED
    return found


@pytest.mark.parametrize(("count", "kind"), [(5, "S"), (100, "S"), (6, "R"), (30, "R")])
def test_chains_held_at_both_ends(systems: Any, count: int, kind: str) -> None:
    found = compare(at_rest(systems.linked(count, chain(count, kind), count)))
    # short ways: the cut is in the middle, or where it saves most
    assert len(found.loops) == 1


@pytest.mark.parametrize("count", [5, 30])
def test_free_rings_in_rotation(systems: Any, count: int) -> None:
    ring = [("S", f"b{k}", f"b{(k + 1) % count}") for k in range(count)]
    found = compare(turning(systems.linked(count, ring, count)))
    assert found.roots == ()
    assert (found.rows, found.rank) == (3, 3)


@pytest.mark.parametrize("rungs", [1, 2, 4, 8])
def test_ladders_whose_loops_are_open_at_once(systems: Any, rungs: int) -> None:
    found = compare(systems.linked(rungs, ladder(rungs), 2 * rungs))
    assert len(found.loops) == rungs
    assert found.rank == found.rows == 3 * rungs


def test_a_long_ladder(systems: Any) -> None:
    found = compare(at_rest(systems.linked(1, ladder(16), 32)))
    assert len(found.loops) == 16


def test_planar_four_bar_in_space_has_three_redundant_constraints() -> None:
    found = compare(_four_bar("spatial"))
    assert found.redundant == 3
    assert not any(joint.unique for joint in found.joints.values())
    planar = compare(_four_bar("planar"))
    assert planar.redundant == 0
    assert all(joint.unique for joint in planar.joints.values())
    assert np.abs(planar.table - found.table).max() < 1e-12


def test_a_body_welded_twice_shares_its_weight_in_no_unique_way() -> None:
    body = {"mass": 2.0, "com": [0.5, 0, 0], "inertia": [1, 1, 1, 0, 0, 0]}
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "space": "spatial", "gravity": [0, 0, -10.0],
        "bodies": {"a": body, "b": body, "c": body},
        "joints": {
            "A": {"type": "W", "bodies": ["ground", "a"], "at": [0, 0, 0]},
            "B": {"type": "W", "bodies": ["a", "b"], "at": [1, 0, 0]},
            "C": {"type": "W", "bodies": ["b", "ground"], "at": [0, 1, 0]},
            "D": {"type": "R", "bodies": ["b", "c"], "at": [0, 0, 1], "axis": [0, 1, 0]},
        },
    }  # fmt: skip
    found = compare(Mechanism.from_dict(tree))
    assert (found.rows, found.rank) == (6, 0)
    assert [name for name, joint in found.joints.items() if joint.unique] == ["D"]
    # together they carry all that hangs on them
    held = found.joints["A"].force - found.joints["C"].force
    np.testing.assert_allclose(held, np.array([0, 0, 2 * 2.0 * 10.0]) + found.joints["D"].force, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_the_recursion_is_right_before_it_is_refined(systems: Any, seed: int) -> None:
    mechanism = systems.random(200 + seed, 8, loops=1 + seed % 4, grounded=1 + seed % 3)
    now = take_snapshot(mechanism, initial_state(mechanism))
    found, expected = solve_riccati(now, deduce(mechanism), 1.0, refine=False), solve_multiplier(now, 1.0)
    # compliances are squares: half of the digits that a nearly singular loop costs are lost once more
    size = np.abs(expected.accelerations).max()
    np.testing.assert_allclose(found.accelerations, expected.accelerations, atol=1e-9 * size)
    largest = max(float(np.abs(wrench).max()) for wrench in expected.wrenches.values())
    for name, wrench in found.wrenches.items():
        if name not in expected.open:
            np.testing.assert_allclose(wrench, expected.wrenches[name], atol=1e-8 * largest)


def test_a_loop_may_pass_a_free_joint_of_which_one_freedom_is_driven(systems: Any) -> None:
    pairs = [("R", "ground", "b0"), ("F", "b0", "b1"), ("S", "b1", "b2"), ("U", "b2", "ground"), ("P", "b1", "b3")]
    tree = systems.linked(4, pairs, 4).to_dict()
    tree["joints"]["j1"]["driven"] = ["yaw"]
    tree["drives"] = {"j1.yaw": "0.2 + 0.7*t - 1.1*t**2"}
    mechanism = Mechanism.from_dict(tree)
    now = take_snapshot(mechanism, initial_state(mechanism))
    expected = solve_multiplier(now, 1.0)
    for cut in ("j0", "j1", "j2", "j3"):
        found = solve_riccati(now, deduce(mechanism, cuts=[cut]), 1.0, refine=False)
        np.testing.assert_allclose(found.accelerations, expected.accelerations, atol=1e-10)
        for name, wrench in found.wrenches.items():
            np.testing.assert_allclose(wrench, expected.wrenches[name], atol=1e-10)


def pins(places: dict[str, tuple[str, str, float, float]]) -> dict[str, Any]:
    """Return parallel pins: name -> (first body, second body, x, y)."""
    return {
        name: {"type": "R", "bodies": [one, two], "at": [x, y, 0], "axis": [0, 0, 1]}
        for name, (one, two, x, y) in places.items()
    }


def test_self_stresses_stay_in_the_loops_that_carry_them() -> None:
    # a ring of four and one of five parallel pins with a link in common, both on a body that hangs on a ball
    ring = {
        "A": ("a", "b", 1, 0), "B": ("b", "c", 2, 1), "C": ("c", "d", 1, 2), "D": ("d", "a", 0, 1),
        "E": ("c", "e", 3, 1.5), "F": ("e", "f", 4, 3), "G": ("f", "g", 3, 4), "H": ("g", "d", 1, 3.5),
    }  # fmt: skip
    bodies = {
        name: {"mass": 1.0 + 0.1 * k, "com": [0.3, 0.2 * k, 0.1], "inertia": [0.1, 0.2, 0.25, 0, 0, 0]}
        for k, name in enumerate("abcdefg")
    }
    joints = {"ball": {"type": "S", "bodies": ["ground", "a"], "at": [0, 0, 1]}} | pins(ring)
    found = compare(
        Mechanism.from_dict(
            {"schema": "symgen/mechanism/1", "space": "spatial", "gravity": [1, 2, -9.81], "bodies": bodies,
             "joints": joints, "initial": {"bodies": {"a": {"omega": [0.3, 0.2, 0.5]}}}}
        )
    )  # fmt: skip
    assert found.redundant == 6
    assert [name for name, joint in found.joints.items() if joint.unique] == ["ball"]


def test_of_the_multipliers_the_shortest_are_taken() -> None:
    generator = np.random.default_rng(5)
    half = generator.normal(size=(6, 3))
    inverse, rest = pseudo_inverse(half @ half.T, np.ones(6))
    np.testing.assert_allclose(inverse, np.linalg.pinv(half @ half.T), atol=1e-12)
    np.testing.assert_allclose(rest.T @ rest, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(half.T @ rest, 0, atol=1e-13)


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_whatever_a_solution_lacks_is_found_by_refining_it(systems: Any, seed: int) -> None:
    mechanism = systems.random(200 + seed, 8, loops=1 + seed % 4, grounded=1 + seed % 3)
    now, system = take_snapshot(mechanism, initial_state(mechanism)), deduce(mechanism)
    solution = solve_riccati(now, system, 1.0)
    generator = np.random.default_rng(seed)
    wrong = replace(
        solution,
        accelerations=solution.accelerations + generator.normal(size=solution.accelerations.shape),
        wrenches={name: wrench + generator.normal(size=6) for name, wrench in solution.wrenches.items()},
    )
    right = refined(now, system, hinge_motions(now, system), wrong)
    # one refinement of a system that is linear: some hundred roundings of numbers of order 10
    np.testing.assert_allclose(right.accelerations, solution.accelerations, atol=1e-10)
    for name, wrench in right.wrenches.items():
        if name not in solution.open:
            np.testing.assert_allclose(wrench, solution.wrenches[name], atol=1e-10)


def test_what_an_inner_loop_has_locked_gives_an_outer_loop_no_rank(systems: Any) -> None:
    # b1, b2, b3 hang on a triangle of balls and pins that is locked; a second joint to the ground finds nothing to move
    pairs = [("R", "ground", "b0"), ("R", "b0", "b1"), ("R", "b1", "ground"), ("R", "b1", "b2"), ("R", "b2", "ground")]
    found = compare(at_rest(systems.linked(9, pairs, 3)))
    assert found.rank == 3
    assert np.abs(found.table).max() < 1e-12


def _four_bar(space: str) -> Mechanism:
    places = {"A": [0, 0, 0], "B": [0.1, 0.25, 0], "C": [0.7, 0.4, 0], "D": [0.8, 0, 0]}
    ends = {"A": ["ground", "a"], "B": ["a", "b"], "C": ["b", "c"], "D": ["c", "ground"]}
    bodies = {
        name: {"mass": 1.0 + k, "com": [0.2 * k, 0.1, 0], "inertia": [0.1, 0.1, 0.2, 0, 0, 0]}
        for k, name in enumerate("abc")
    }
    joints = {name: {"type": "R", "bodies": ends[name], "at": at, "axis": [0, 0, 1]} for name, at in places.items()}
    initial = {"joints": {"A": {"rate": 1.3}}}
    return Mechanism.from_dict(
        {"schema": "symgen/mechanism/1", "space": space, "gravity": [0, -9.81, 0], "bodies": bodies, "joints": joints,
         "initial": initial}
    )  # fmt: skip
