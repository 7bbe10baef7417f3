"""MuJoCo: `mj_forward` on hinges, slides and balls, several in one body where a hinge has more freedoms."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks.transfer.contestant import Contestant, LeftOutError, deviation
from benchmarks.transfer.mixed import SLIDES, TURNS, MixedChain, quaternion
from benchmarks.transfer.mujoco_tool import LONGEST
from benchmarks.transfer.systems import GRAVITY

_AXES = {"x": [1.0, 0.0, 0.0], "y": [0.0, 1.0, 0.0], "z": [0.0, 0.0, 1.0]}


def contestant(given: MixedChain) -> Contestant:
    """Return `mj_forward` on a chain; a body's frame is its joint's."""
    if given.bodies > LONGEST:
        raise LeftOutError(f"not run for a {given.name}")
    spec = mujoco.MjSpec()
    spec.option.gravity = GRAVITY
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    carrier, frame, place = spec.worldbody, np.eye(3), np.zeros(3)
    for k, kind in enumerate(given.kinds):
        now, at = given.frames[k], given.places[k]
        body = carrier.add_body(
            name=f"b{k}", pos=frame.T @ (at - place), quat=quaternion(frame.T @ now), mass=1.0,
            ipos=now.T @ (given.centres[k] - at), iquat=quaternion(now.T @ given.turns[k]), inertia=given.inertia,
        )  # fmt: skip
        body.explicitinertial = True
        if kind == "ball":
            body.add_joint(name=f"j{k}", type=mujoco.mjtJoint.mjJNT_BALL)
        else:
            for axis in SLIDES.get(kind, []):
                body.add_joint(name=f"j{k}slide{axis}", type=mujoco.mjtJoint.mjJNT_SLIDE, axis=_AXES[axis])
            for axis in TURNS.get(kind, []):
                body.add_joint(name=f"j{k}turn{axis}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=_AXES[axis])
        carrier, frame, place = body, now, at
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = np.concatenate(given.rates)

    def error(alpha: np.ndarray) -> float:
        mujoco.mj_forward(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        return deviation(np.array([data.body(f"b{k}").cacc[:3] for k in range(given.bodies)]), alpha)

    return Contestant("MuJoCo, mj_forward", lambda: mujoco.mj_forward(model, data), error)
