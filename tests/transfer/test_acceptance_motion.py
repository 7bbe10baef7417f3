"""A7: trajectories with steps of 1 ms against references of another method, energies, loops that stay closed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transfer.oracle_motion import Motion
from transfer.oracle_multibody import State, rotation
from transfer.spec_systems import REFERENCES, chain3_ball, reference, tree23

import symgen
from symgen.model.mechanism import Mechanism

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"
pytestmark = pytest.mark.extension


def stored(name: str) -> dict[str, Any]:
    """Return a reference motion."""
    return json.loads((REFERENCES / f"{name}.json").read_text(encoding="utf-8"))


def example(name: str) -> Mechanism:
    """Return an example."""
    return symgen.load(EXAMPLES / name / "mechanism.toml")


def departure(motion: Any, bodies: list[str], rows: list[int], quaternions: Any) -> float:
    """Return the largest difference of quaternions (n bodies, n rows, 4), whatever their sign."""
    worst = 0.0
    for body, track in zip(bodies, np.asarray(quaternions), strict=True):
        found = motion.bodies[body].q[rows]
        sign = np.sign(np.sum(found * track, axis=1, keepdims=True))
        worst = max(worst, float(np.abs(sign * found - track).max()))
    return worst


def rows_at(motion: Any, times: Any) -> list[int]:
    """Return the rows of a motion at given times."""
    rows = [int(np.argmin(np.abs(motion.times - t))) for t in times]
    assert np.abs(motion.times[rows] - np.asarray(times)).max() < 1e-12
    return rows


def drift(motion: Any) -> float:
    """Return how far the energy strays, over the largest kinetic energy."""
    return float(np.ptp(motion.total) / motion.kinetic.max())


def gap(motion: Any, joints: tuple[str, ...] | None = None) -> float:
    """Return the largest residual of the joints at the last row, by the oracle's equations."""
    oracle = Motion(motion.mechanism).bodies
    tracks = [motion.bodies[name] for name in oracle.names]
    turn = np.array([rotation(track.q[-1]) for track in tracks])
    r = np.array([track.r[-1] for track in tracks]) + np.einsum("nij,nj->ni", turn, oracle.com)
    still = np.zeros_like(r)
    return float(np.abs(oracle.constraints(State(r, turn, still, still))[0]).max())


def test_the_tree_moves_as_in_the_reference() -> None:
    mechanism, trajectory = tree23(reference()["states"][3]), reference()["trajectory"]
    motion = symgen.simulate(mechanism, method="riccati", step=0.001, until=1.0)
    assert motion.ok
    rows = rows_at(motion, trajectory["t"])
    assert departure(motion, list(trajectory["quaternion"]), rows, list(trajectory["quaternion"].values())) < 1e-7
    assert drift(motion) < 1e-7
    assert gap(motion) < 1e-12  # joints of a tree cannot open


@pytest.mark.parametrize(("name", "until", "closeness"), [
    ("mixed24", 1.0, 1e-7), ("planar_mixed24", 1.0, 1e-7), ("large250", 0.25, 1e-6), ("chain3_ball", 2.0, 1e-7),
])  # fmt: skip
def test_motions_are_those_of_the_oracle(name: str, until: float, closeness: float) -> None:
    found = stored(name)
    mechanism = chain3_ball() if name == "chain3_ball" else example(name)
    # the short chain turns with 10 rad/s: half the step is 3e-8 off, the whole one 5e-7 (order 4)
    step = 0.0005 if name == "chain3_ball" else 0.001
    motion = symgen.simulate(mechanism, method="riccati", step=step, until=until)
    assert motion.ok
    quaternions = np.moveaxis(np.array(found["quaternion"]), 0, 1)
    assert departure(motion, found["bodies"], rows_at(motion, found["times"]), quaternions) < closeness
    assert drift(motion) < 1e-7
    assert gap(motion) < 1e-5  # a loop drifts by 1e-7 m a second where it is only held by accelerations


def test_the_direct_product_moves_the_tree_as_the_recursion_does() -> None:
    mechanism = tree23(reference()["states"][3])
    one, two = (symgen.simulate(mechanism, method=m, step=0.004, until=0.04) for m in ("riccati", "transfer"))
    for body in one.bodies:
        # the same scheme in other coordinates of the balls: steps of 4 ms are 1e-9 off either way
        np.testing.assert_allclose(one.bodies[body].q, two.bodies[body].q, rtol=0, atol=1e-8)


def test_the_adaptive_scheme_keeps_its_tolerance() -> None:
    found = stored("mixed24")
    motion = symgen.simulate(example("mixed24"), method="riccati", tolerance=1e-9, until=1.0, sample=0.1)
    quaternions = np.moveaxis(np.array(found["quaternion"]), 0, 1)
    assert departure(motion, found["bodies"], rows_at(motion, found["times"]), quaternions) < 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("name", ["robot_arm", "slider_crank"])
def test_machines_move_as_by_the_other_integrator(name: str) -> None:
    mechanism = example(name)
    one = symgen.simulate(mechanism, method="riccati", step=0.001, until=0.3, sample=0.1)
    two = symgen.simulate(mechanism, method="dimcd", step=0.0002, until=0.3, sample=0.1)
    for body in one.bodies:
        # dimcd has order two: 1e-5 at this step
        np.testing.assert_allclose(one.bodies[body].q, two.bodies[body].q, rtol=0, atol=2e-5)
