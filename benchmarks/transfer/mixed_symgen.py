"""symgen: the general engine (6 x 6, any hinge), compiled for the chain. It integrates; an evaluation is its share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import symgen
from benchmarks.transfer.contestant import Contestant, deviation
from benchmarks.transfer.mixed import MixedChain, quaternion
from benchmarks.transfer.systems import GRAVITY
from symgen.model.mechanism import Mechanism
from symgen.simulate.articulated.engine import RiccatiSettings
from symgen.simulate.articulated.simulation import RiccatiSession
from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.request import Request

#: Steps of a run, four evaluations each, and their length [s]: it goes nowhere.
STEPS, STEP = 200, 1e-8
_TYPES = {"revolute": "R", "universal": "U", "ball": "S", "prismatic": "P", "cylindrical": "C"}
_NAMES = {"R": ["angle"], "U": ["angle1", "angle2"], "S": ["roll", "pitch", "yaw"], "P": ["slide"],
          "C": ["slide", "angle"]}  # fmt: skip


def mechanism_of(given: MixedChain) -> Mechanism:
    """Return the chain as a mechanism."""
    bodies, joints, rates = {}, {}, {}
    for k, kind in enumerate(given.kinds):
        frame, place = given.frames[k], given.places[k]
        bodies[f"b{k}"] = {
            "pose": {"r": given.centres[k].tolist(), "q": quaternion(given.turns[k]).tolist()},
            "mass": 1.0, "com": [0.0, 0.0, 0.0], "inertia": [*given.inertia.tolist(), 0.0, 0.0, 0.0],
        }  # fmt: skip
        sides = {}
        for name, at, turn in _sides(given, k):
            sides[name] = {"at": (turn.T @ (place - at)).tolist(), "q": quaternion(turn.T @ frame).tolist()}
        code = _TYPES[kind]
        joints[f"j{k}"] = {"type": code, "bodies": list(sides), "frames": sides}
        rates[f"j{k}"] = {"rate": dict(zip(_NAMES[code], given.rates[k].tolist(), strict=True))}
    return Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": given.name, "space": "spatial", "gravity": GRAVITY.tolist(),
        "bodies": bodies, "joints": joints, "initial": {"joints": rates},
    })  # fmt: skip


def _sides(given: MixedChain, k: int) -> list[tuple[str, np.ndarray, np.ndarray]]:
    before = ("ground", np.zeros(3), np.eye(3)) if k == 0 else (f"b{k - 1}", given.centres[k - 1], given.turns[k - 1])
    return [before, (f"b{k}", given.centres[k], given.turns[k])]


def contestant(given: MixedChain) -> Contestant:
    """Return the engine on a chain."""
    session = RiccatiSession(Request(mechanism_of(given), STEPS * STEP, step=STEP, method="riccati", backend="c"))
    start = session.first_state(STEP)
    settings = RiccatiSettings(EXPLICIT[4], 0.0, STEPS * STEP, 1, STEPS, None)
    active = np.zeros(0, dtype=np.int32)

    def call() -> object:
        return session.engine.run(settings, replace(start), active)

    def error(alpha: np.ndarray) -> float:
        rows = session.engine.run(settings, replace(start), active)
        found = np.empty((given.bodies, 3))
        found[list(session.problem.order)] = rows.accelerations[0].reshape(-1, 6)[:, 3:]
        return deviation(found, alpha)

    return Contestant("symgen", call, error, evaluations=4 * STEPS)


def angular_accelerations(given: MixedChain) -> np.ndarray:
    """Return angular accelerations (n, 3) by the recursion in NumPy, which multipliers confirm in the tests."""
    return np.asarray(symgen.accelerations(mechanism_of(given)).table[:, 3:])
