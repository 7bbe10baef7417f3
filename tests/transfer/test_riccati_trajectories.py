"""The general engine of method riccati on trees, loops and ladders: reference trajectory, accelerations, tables."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.errors import SymgenError
from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.engine import RiccatiSettings
from symgen.simulate.articulated.loops import LoopTables, make_loops
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.request import Request
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.tables.spanning_tree import span


def _first_accelerations(mechanism: Mechanism, backend: str) -> SimulationResult:
    """Return a motion whose first row is the start."""
    return RiccatiSession(Request(mechanism, 1e-7, 1e-7, method="riccati", order=4, backend=backend)).result()


def _quaternion_gap(motion: SimulationResult, trajectory: Any) -> float:
    gaps = []
    for name, listed in trajectory["quaternion"].items():
        wanted, found = np.array(listed), motion.bodies[name].q
        sign = np.sign(np.sum(wanted * found, axis=1))[:, None]
        gaps.append(float(np.abs(wanted - sign * found).max()))
    return max(gaps)


@pytest.mark.compiler
def test_tree23_moves_as_its_reference(systems: Any) -> None:
    trajectory = systems.reference["trajectory"]
    start = next(each for each in systems.reference["states"] if each["label"].startswith("initial"))
    spacing = trajectory["t"][1]
    asked = Request(systems.tree23(start), 1.0, 1e-3, sample=spacing, method="riccati", order=4, backend="c")
    session = RiccatiSession(asked)
    equal = session.result()
    np.testing.assert_allclose(equal.times, trajectory["t"], atol=1e-12)
    assert _quaternion_gap(equal, trajectory) < 1e-7
    assert equal.drift < 1e-7 * equal.kinetic.max()
    chosen = session.result(replace(asked, step=None, tolerance=1e-10, order=8))
    assert _quaternion_gap(chosen, trajectory) < 1e-10  # the reference: relative tolerance 1e-11
    assert chosen.drift < 1e-9 * chosen.kinetic.max()


@pytest.mark.slow
@pytest.mark.compiler
def test_tree23_accelerates_as_its_reference(systems: Any) -> None:
    for state in systems.reference["states"]:
        motion = _first_accelerations(systems.tree23(state), "c")
        for name, wanted in state["acc_I1"].items():
            assert np.abs(motion.bodies[name].a[0] - wanted).max() < 1e-11
            assert np.abs(motion.bodies[name].alpha[0] - state["alpha"][name]).max() < 1e-11


@pytest.mark.slow
@pytest.mark.compiler
def test_halving_the_step_of_a_looped_tree_gains_its_order(systems: Any) -> None:
    mechanism = systems.tree23(more=["24:2-3.1"])  # closes a loop over eight bodies; its start is made to fit
    asked = Request(mechanism, 0.2, tolerance=1e-11, sample=0.05, method="riccati", order=8, backend="c")
    session = RiccatiSession(asked)
    assert session.problem.sizes["ROWS"] == 3
    fine = session.result()
    errors = []
    for step in (5e-3, 2.5e-3):
        motion = session.result(replace(asked, step=step, tolerance=None, order=4))
        errors.append(max(np.abs(motion.bodies[b].r - fine.bodies[b].r).max() for b in motion.bodies))
    assert 3.6 < np.log2(errors[0] / errors[1]) < 5.0
    assert fine.largest_violation < 1e-13
    assert fine.drift < 1e-8 * fine.kinetic.max()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_systems_accelerate_as_by_multipliers(systems: Any, seed: int) -> None:
    mechanism = systems.random(seed, 3 + seed % 5, loops=seed % 4, grounded=1 + seed % 2)
    wanted = symgen.accelerations(mechanism, "multiplier")
    motion = _first_accelerations(mechanism, "numpy")
    for name, body in wanted.bodies.items():
        for found, value in ((motion.bodies[name].a[0], body.a), (motion.bodies[name].alpha[0], body.alpha)):
            # rank decisions leave eps/1e-11 of what nearly dependent rows would do
            assert np.abs(found - value).max() < 1e-10 * (1.0 + np.abs(value).max())


@pytest.mark.slow
@pytest.mark.compiler
def test_the_c_sweeps_many_loops_at_once_as_multipliers_do(systems: Any) -> None:
    # a ladder: two chains from the ground, rungs between them, all loops open at a time
    count = 5
    chains = [("S", f"b{k - 2}" if k > 1 else "ground", f"b{k}") for k in range(2 * count)]
    rungs = [("R" if k % 2 else "U", f"b{2 * k}", f"b{2 * k + 1}") for k in range(count)]
    mechanism = systems.linked(3, [*chains, *rungs], 2 * count)
    wanted = symgen.accelerations(mechanism, "multiplier")
    motion = _first_accelerations(mechanism, "c")
    for name, body in wanted.bodies.items():
        assert np.abs(motion.bodies[name].a[0] - body.a).max() < 1e-10 * (1.0 + np.abs(body.a).max())


def _tables(mechanism: Mechanism) -> tuple[RiccatiSession, LoopTables]:
    session = RiccatiSession(Request(mechanism, 1.0, 1e-3, method="riccati", backend="numpy"))
    return session, make_loops(session.problem)


@pytest.mark.parametrize("seed", range(6))
def test_open_rows_lead_from_both_ends_to_where_they_meet(systems: Any, seed: int) -> None:
    session, tables = _tables(systems.random(20 + seed, 7, loops=3, grounded=2, types=("S", "U", "R", "C")))
    parents = session.problem.tables["BODY"]["parent"].tolist()
    count = len(parents)
    place = {body: k for k, body in enumerate(tables.sweep)}
    assert sorted(tables.sweep) == list(range(count))
    assert all(place[body] < place[parent] for body, parent in enumerate(parents) if parent < count)
    closed = [row for closing in tables.closings for row in closing.rows]
    assert sorted(closed) == list(range(session.problem.sizes["ROWS"]))
    for body, rows in enumerate(tables.open_rows):
        for row in rows[tables.closed[body] :]:
            if parents[body] < count:
                assert row in tables.open_rows[parents[body]]
    for closing in tables.closings:
        for row, entry in zip(closing.rows, closing.entries, strict=True):
            if closing.body < count:
                assert entry == tables.first_open[closing.body] + tables.open_rows[closing.body].index(row)
    # rows open at the same body never share a slot
    for rows in tables.open_rows:
        slots = [tables.slots[row] for row in rows]
        assert len(set(slots)) == len(slots)


def test_loops_one_after_the_other_use_their_slots_again(systems: Any) -> None:
    pairs = []
    for k in range(0, 12, 3):  # four-bars of balls and pins, each on the coupler of the last
        base = f"b{k - 1}" if k else "ground"
        pairs += [("S", base, f"b{k}"), ("R", base, f"b{k + 1}"), ("U", f"b{k}", f"b{k + 2}")]
        pairs += [("S", f"b{k + 1}", f"b{k + 2}")]
    _, tables = _tables(systems.linked(1, pairs, 12))
    assert len(tables.slots) >= 4 * 3
    assert max(tables.slots) + 1 <= 6  # a loop that closes at a coupler, and the one that the coupler is in


def test_the_overall_equation_moves_a_chain_as_the_recursion_does(systems: Any) -> None:
    mechanism = systems.linked(5, [("S", "b0", "ground"), ("S", "b1", "b0"), ("S", "b2", "b1")], 3)
    one, two = (
        symgen.simulate(mechanism, method=method, step=5e-3, until=0.02, backend="numpy")
        for method in ("transfer", "riccati")
    )
    assert one.run.method == "transfer"
    for name in one.bodies:
        assert np.abs(one.bodies[name].r - two.bodies[name].r).max() < 1e-12
        assert np.abs(one.bodies[name].alpha - two.bodies[name].alpha).max() < 1e-9


def test_the_overall_equation_refuses_what_it_refuses_at_rest(systems: Any) -> None:
    mechanism = systems.linked(5, [("S", "b0", "ground"), ("R", "b1", "b0"), ("S", "b2", "b1")], 3)
    with pytest.raises(SymgenError, match="riccati"):
        symgen.simulate(mechanism, method="transfer", step=5e-3, until=0.02)


def test_every_joint_of_the_tree_has_its_unknowns_in_the_sweep(systems: Any) -> None:
    session, _ = _tables(systems.random(2, 6, loops=1))
    first = [0, *session.problem.tables["BODY"]["end_unknown"].tolist()]
    branches = span(session.mechanism).branches
    assert [two - one for one, two in pairwise(first)] == [branch.unknowns for branch in branches]
    state = session.first_state(1e-3)
    settings = RiccatiSettings(EXPLICIT[4], 0.0, 1e-3, 1, 1, None)
    samples = session.engine.run(settings, state, np.zeros(0, dtype=np.int32))
    assert len(samples.poses) == 2
    assert state.steps == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("backend", [pytest.param("c", marks=pytest.mark.compiler), "numpy"])
def test_a_loop_whose_rows_are_all_redundant_does_nothing(backend: str) -> None:
    # a ring of plane, slide and plane, all in one plane: rows that the other joints keep cannot be told from rounding
    # by their own size
    inertia = [0.02, 0.03, 0.04, 0.003, -0.002, 0.001]
    bodies = {
        "one": {"mass": 1.0, "com": [0.1, 0.2, 0.05], "inertia": inertia, "pose": {"r": [0.3, 0.1, 0.2]}},
        "two": {"mass": 2.0, "com": [-0.1, 0.1, 0.02], "inertia": inertia, "pose": {"r": [0.7, 0.5, 0.2]}},
    }
    joints = {
        "A": {"type": "PL", "bodies": ["ground", "one"], "at": [0.3, 0.1, 0.2], "axis": [0, 0, 1]},
        "B": {"type": "P", "bodies": ["one", "two"], "at": [0.5, 0.3, 0.2], "axis": [0.6, 0.8, 0]},
        "C": {"type": "PL", "bodies": ["two", "ground"], "at": [0.7, 0.5, 0.2], "axis": [0, 0, 1]},
    }
    initial = {"bodies": {"one": {"v": [0.5, -0.2, 0.0], "omega": [0.0, 0.0, 2.0]}}}
    mechanism = Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "ring in a plane", "space": "spatial", "gravity": [1.0, -9.81, 0.0],
        "bodies": bodies, "joints": joints, "initial": initial,
    })  # fmt: skip
    wanted = symgen.accelerations(mechanism, "multiplier")
    motion = _first_accelerations(mechanism, backend)
    for name, body in wanted.bodies.items():
        assert np.abs(motion.bodies[name].a[0] - body.a).max() < 1e-11
        assert np.abs(motion.bodies[name].alpha[0] - body.alpha).max() < 1e-11
