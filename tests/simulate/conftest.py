"""Motions to show: solved mechanisms as states of centre-of-mass frames, and bodies that spin in closed form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.model.mechanism import Mechanism
from symgen.simulate.results.records import Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.states import result_of_states
from symgen.solve.result import MotionResult

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUN = Run(method="dimcd", order=2, step=0.01, steps=60, iterations=np.full(60, 3, dtype=np.int32), seconds=0.01)


def massive(name: str) -> Mechanism:
    """Return an example with masses, and centres of mass away from the origins of the body frames."""
    mechanism = symgen.load(EXAMPLES / name / "mechanism.toml")
    tree: dict[str, Any] = {**mechanism.source, "bodies": dict(mechanism.source["bodies"])}
    for k, body in enumerate(mechanism.bodies):
        com = [0.02 + 0.01 * k, -0.03, 0.0 if mechanism.space == "planar" else 0.05]
        inertia = [1e-3, 2e-3, 2.5e-3, 1e-4, -2e-4, 3e-4]
        tree["bodies"][body.id] = {**tree["bodies"].get(body.id, {}), "mass": 1.0 + k, "com": com, "inertia": inertia}
    return Mechanism.from_dict(tree)


def states_of(motion: MotionResult) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return poses, twists and accelerations of the centres of mass, by the kinematics of a rigid body."""
    poses, twists, accelerations = [], [], []
    for body in motion.mechanism.bodies:
        track, com = motion.bodies[body.id], np.array(body.com)
        w, x, y, z = track.q.T
        columns = [
            [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
            [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
        ]
        arm = sum(com[k] * np.stack(np.broadcast_arrays(*columns[k]), axis=-1) for k in range(3))
        turning = np.cross(track.omega, arm)
        poses.append(np.concatenate([track.r + arm, track.q], axis=-1))
        twists.append(np.concatenate([track.v + turning, track.omega], axis=-1))
        a = track.a + np.cross(track.alpha, arm) + np.cross(track.omega, turning)
        accelerations.append(np.concatenate([a, track.alpha], axis=-1))
    return np.stack(poses, axis=1), np.stack(twists, axis=1), np.stack(accelerations, axis=1)


@pytest.fixture(scope="session")
def solved_and_simulated() -> Callable[[str], tuple[MotionResult, SimulationResult]]:
    """Solve an example, and rebuild the motion from the states of its centres of mass."""
    known: dict[str, tuple[MotionResult, SimulationResult]] = {}
    library = symgen.library(backend="numpy")

    def make(name: str) -> tuple[MotionResult, SimulationResult]:
        if name not in known:
            motion = symgen.solve(massive(name), np.linspace(0.0, 1.0, 61), library=library)
            result = result_of_states(
                motion.mechanism, motion.times, *states_of(motion), run=RUN, violation=np.full(61, 1e-15)
            )
            known[name] = motion, result
        return known[name]

    return make


def gyroscope(spin: float = 40.0, nod: float = 0.4, rate: float = 3.0, times: Any = None, **changes: Any) -> Any:
    """Return a free symmetric body in regular precession, in closed form.

    Orientation Rz(rate t) Rx(nod) Rz(spin t): omega = rate ez + spin axis, its derivative rate ez x omega.
    """
    t = np.linspace(0.0, 2.0, 201) if times is None else times
    tree: dict[str, Any] = {
        "schema": "symgen/mechanism/1",
        "name": "gyroscope",
        "space": "spatial",
        "gravity": [0.0, 0.0, -9.81],
        "bodies": {
            "top": {
                "mass": 2.0,
                "com": [0.0, 0.0, 0.0],
                "inertia": [0.03, 0.03, 0.05, 0, 0, 0],
                "points": {"P": [0, 0, 0.3]},
            }
        },
        "joints": {"J": {"type": "S", "bodies": ["ground", "top"], "at": [0.0, 0.0, 0.0]}},
        **changes,
    }
    about_z, about_x, about_own = _turn(rate * t, 2), _turn(np.full_like(t, nod), 0), _turn(spin * t, 2)
    q = _times(_times(about_z, about_x), about_own)
    axis = np.stack([np.sin(nod) * np.sin(rate * t), -np.sin(nod) * np.cos(rate * t), np.full_like(t, np.cos(nod))], -1)
    up = np.array([0.0, 0.0, 1.0])
    omega = rate * up + spin * axis
    alpha = np.cross(np.broadcast_to(rate * up, omega.shape), omega)
    still = np.zeros((len(t), 3))
    states = (
        np.concatenate([still, q], -1)[:, None],
        np.concatenate([still, omega], -1)[:, None],
        np.concatenate([still, alpha], -1)[:, None],
    )
    return result_of_states(Mechanism.from_dict(tree), t, *states, run=RUN)


def _turn(angle: np.ndarray, axis: int) -> np.ndarray:
    q = np.zeros((len(angle), 4))
    q[:, 0], q[:, 1 + axis] = np.cos(angle / 2), np.sin(angle / 2)
    return q


def _times(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    scalar = p[:, :1] * q[:, :1] - np.sum(p[:, 1:] * q[:, 1:], axis=-1, keepdims=True)
    return np.concatenate([scalar, p[:, :1] * q[:, 1:] + q[:, :1] * p[:, 1:] + np.cross(p[:, 1:], q[:, 1:])], axis=-1)


@pytest.fixture(scope="session")
def spinning() -> Callable[..., SimulationResult]:
    return gyroscope
