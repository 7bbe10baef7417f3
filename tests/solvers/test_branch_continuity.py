"""A branch is followed by its index: along a smooth motion, away from folds, its pose never jumps to another branch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from oracle.instances import random_instance
from oracle.modules import SOLVED, Arranged, call_batch

from symgen.status import Status

pytestmark = pytest.mark.kinds

Array = NDArray[Any]

STEPS = 2000
DURATION = 2.0
#: Poses of different branches are at least about 1/condition apart: far more than a step at this condition.
BEST_CONDITION = 50.0


def _path(pose: list[float], twist: list[float], times: Array, space: str) -> Array:
    """Return the poses of a body that moves with a constant twist (world axes, at its origin)."""
    start, rate = np.array(pose, dtype=float), np.array(twist, dtype=float)
    if space == "planar":
        return start + rate * times[:, None]
    w = rate[3:]
    half = 0.5 * np.linalg.norm(w) * times
    turn = np.concatenate([np.cos(half)[:, None], np.sin(half)[:, None] * w / np.linalg.norm(w)], axis=1)
    (a, *v), (b, *u) = turn.T, start[3:]
    vector, other = np.stack(v, axis=1), np.array(u)
    scalar = a * b - vector @ other
    q = np.concatenate([scalar[:, None], a[:, None] * other + b * vector + np.cross(vector, other)], axis=1)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return np.concatenate([start[:3] + rate[:3] * times[:, None], q], axis=1)


def _motion(arranged: Arranged, seed: int) -> tuple[dict[str, Any], float]:
    instance = random_instance(arranged.manifest, arranged.tree, seed)
    times = np.linspace(0.0, DURATION, STEPS)
    values: dict[str, Any] = dict(instance.ports)
    for body in arranged.tree["known"]:
        values[body] = _path(instance.ports[body], instance.ports[f"v_{body}"], times, instance.space)
        values[f"a_{body}"] = np.zeros_like(instance.ports[f"a_{body}"])
    for joint in arranged.tree["joints"]:
        if joint["driven"]:
            u, ud = (np.array(instance.ports[f"{kind}_{joint['name']}"]) for kind in ("u", "ud"))
            values[f"u_{joint['name']}"] = u + ud * times[:, None]
            values[f"udd_{joint['name']}"] = np.zeros_like(u)
    return values, float(times[1] - times[0])


def _step(space: str, poses: Array) -> Array:
    """Return how far each step moves: the origin, and the angle (through the quaternion, whose sign is free)."""
    moved = np.linalg.norm(np.diff(poses[:, : 2 if space == "planar" else 3], axis=0), axis=1)
    if space == "planar":
        turned = np.abs((np.diff(poses[:, 2]) + np.pi) % (2 * np.pi) - np.pi)
    else:
        q = poses[:, 3:]
        turned = 2 * np.arccos(np.clip(np.abs((q[1:] * q[:-1]).sum(axis=1)), 0.0, 1.0))
    return np.stack([moved, turned], axis=1)


#: Where branches are ranks, an index may pass to another branch; tests/solve/test_ranked_branches.py.
SIGNED = [arranged for arranged in SOLVED if arranged.manifest["branch_order"] == "signs"]


@pytest.mark.parametrize("arranged", SIGNED, ids=str)
def test_the_pose_of_a_branch_moves_no_further_than_its_velocity_says(arranged: Arranged) -> None:
    space, followed = arranged.manifest["space"], 0
    for seed in range(3):
        values, dt = _motion(arranged, seed)
        for branch in range(arranged.manifest["branches"]):
            ports = {**values, "branch": np.int32(branch)}
            _, status, found = call_batch("numpy", arranged.module, arranged.function("all"), ports, STEPS)
            ports |= found
            _, _, more = call_batch("numpy", arranged.module, arranged.function("condition"), ports, STEPS)
            good = (status == Status.OK) & (np.broadcast_to(more["condition"], STEPS) < BEST_CONDITION)
            pairs = good[1:] & good[:-1]
            followed += int(pairs.sum())
            for body in arranged.tree["bodies"]:
                v = found[f"v_{body}"]
                linear = np.linalg.norm(v[:, : 2 if space == "planar" else 3], axis=1)
                angular = np.abs(v[:, 2]) if space == "planar" else np.linalg.norm(v[:, 3:], axis=1)
                speed = np.stack([np.maximum(x[1:], x[:-1]) for x in (linear, angular)], axis=1)
                # twice the larger speed at both ends; arccos near 1 resolves 3e-8
                excess = _step(space, found[body]) - (2 * dt * speed + 1e-6)
                assert (excess[pairs] < 0).all(), (
                    seed,
                    branch,
                    body,
                    np.nonzero(pairs & (excess > 0).any(axis=1))[0][:3],
                )
    assert followed > STEPS // 4
