"""Reactions of all rows at once: the same as one by one, told as they are found, found once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
import symgen.simulate.joint_reactions as found_at
from symgen.simulate.joint_reactions import joint_reactions
from symgen.simulate.joint_rows import JointRows
from symgen.simulate.scale import size_of_mechanism

TABLE = {
    "schema": "symgen/mechanism/1", "name": "crank and rod", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
    "bodies": {
        "crank": {"mass": 1.0, "com": [0.1, 0.0, 0.0], "inertia": [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]},
        "rod": {"mass": 2.0, "inertia": [0.01, 0.05, 0.05, 0.0, 0.0, 0.0], "pose": {"r": [0.2, 0.0, 0.0]}},
        "slider": {"mass": 1.0, "inertia": [0.01, 0.01, 0.01, 0.0, 0.0, 0.0], "pose": {"r": [0.7, 0.0, 0.1]}},
    },
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0], "driven": 1},
        "B": {"type": "S", "bodies": ["crank", "rod"], "at": [0.2, 0.0, 0.0]},
        "C": {"type": "U", "bodies": ["rod", "slider"], "at": [0.7, 0.0, 0.1], "axis": [0.0, 1.0, 0.0],
              "axis2": [0.0, 0.0, 1.0]},
        "D": {"type": "P", "bodies": ["ground", "slider"], "at": [0.7, 0.0, 0.1], "axis": [1.0, 0.0, 0.0]},
    },
    "drives": {"A": "3*t"},
}  # fmt: skip


def _motion(**more: Any) -> Any:
    return symgen.simulate(
        symgen.Mechanism.from_dict(TABLE), method="riccati", step=0.01, until=0.2, reactions=True, backend="numpy",
        **more,
    )  # fmt: skip


def _states(motion: Any) -> tuple[Any, Any]:
    """Return poses of the centres of mass and resultants."""
    mechanism = motion.mechanism
    poses = np.stack(
        [
            np.hstack([motion.bodies[body.id].carry(np.tile(body.com or (0.0,) * 3, (len(motion.times), 1)))[0],
                       motion.bodies[body.id].q])
            for body in mechanism.bodies
        ], axis=1,
    )  # fmt: skip
    return poses, np.stack([motion.resultants[body.id] for body in mechanism.bodies], axis=1)


def test_every_row_has_the_reactions_that_it_has_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = _motion()
    poses, resultants = _states(motion)
    mechanism = motion.mechanism
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    monkeypatch.setattr(found_at, "_STACK", 20_000)  # several stacks
    together = joint_reactions(mechanism, rows, motion.times, poses, resultants)
    for k in range(len(motion.times)):
        part = slice(k, k + 1)
        alone = joint_reactions(mechanism, rows, motion.times[part], poses[part], resultants[part])
        for name, reaction in together.items():
            # the same operations on the same numbers: equal but for how a library sums
            np.testing.assert_allclose(reaction.force[k], alone[name].force[0], rtol=1e-11, atol=1e-11)
            np.testing.assert_allclose(reaction.moment[k], alone[name].moment[0], rtol=1e-11, atol=1e-11)


def test_joints_and_weight_balance_every_body_in_every_row() -> None:
    """Force of all joints on the slider and of its weight: mass times acceleration."""
    motion = _motion()
    on_slider = motion.reactions["C"].force + motion.reactions["D"].force
    expected = 1.0 * (motion.bodies["slider"].a - np.array([0.0, 0.0, -9.81]))
    np.testing.assert_allclose(on_slider, expected, atol=1e-7)  # loops are closed to 1e-12, rates to rounding


def test_progress_goes_on_while_reactions_are_found_and_ends_at_one() -> None:
    told: list[float] = []
    motion = _motion(progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1.0
    assert motion.run.reactions_seconds > 0.0
    assert motion.to_dict()["reactions_seconds"] == motion.run.reactions_seconds


@pytest.mark.slow
def test_steps_that_are_only_tried_find_no_reactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coarse step loses the energy of a double pendulum: symgen looks for one that does not."""
    calls = []
    real = joint_reactions
    monkeypatch.setattr(found_at, "joint_reactions", lambda *given: calls.append(1) or real(*given))
    arm = {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [0.01, 0.1, 0.1, 0.0, 0.0, 0.0]}
    pendulum = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "pendulum", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
        "bodies": {"one": arm, "two": arm | {"pose": {"r": [1.0, 0.0, 0.0]}}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "one"], "at": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]},
            "B": {"type": "R", "bodies": ["one", "two"], "at": [1.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]},
        },
    })  # fmt: skip
    motion = symgen.simulate(pendulum, method="riccati", step=0.25, until=3.0, reactions=True, backend="numpy")
    assert any("a step of" in warning for warning in motion.run.warnings)
    assert len(calls) == 1
