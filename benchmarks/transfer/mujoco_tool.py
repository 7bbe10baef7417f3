"""MuJoCo: `mj_forward` on ball joints, without contacts and constraints."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks.transfer.contestant import Contestant, LeftOutError, deviation
from benchmarks.transfer.systems import GRAVITY, System, relative_in_child

#: Longest chain that is asked for: its mass matrix is filled, and factorised with n^3 operations.
LONGEST = 250
_MOST = 10_000


def contestant(given: System) -> Contestant:
    """Return `mj_forward` on a system."""
    if given.bodies > (LONGEST if given.name.startswith("chain") else _MOST):
        raise LeftOutError(f"not run for a {given.name}")
    spec = mujoco.MjSpec()  # a document of nested elements may not be so deep
    spec.option.gravity = GRAVITY
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    bodies = []
    for k, parent in enumerate(given.parent.tolist()):
        carrier = bodies[parent] if parent >= 0 else spec.worldbody
        place = given.input[k] - given.output[parent] if parent >= 0 else given.input[k]
        body = carrier.add_body(name=f"b{k}", pos=place, mass=float(given.mass[k]), ipos=-given.output[k])
        body.inertia, body.explicitinertial = given.inertia[k], True
        body.add_joint(name=f"j{k}", type=mujoco.mjtJoint.mjJNT_BALL)
        bodies.append(body)
    model = spec.compile()
    data = mujoco.MjData(model)
    joints = [model.joint(f"j{k}") for k in range(given.bodies)]
    rates = np.einsum("nji,nj->ni", given.turns, given.relative(given.omega))
    for joint, turn, rate in zip(joints, given.relative_turns(), rates, strict=True):
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, turn.reshape(9))
        data.qpos[joint.qposadr[0] : joint.qposadr[0] + 4] = quaternion
        data.qvel[joint.dofadr[0] : joint.dofadr[0] + 3] = rate

    def error(alpha: np.ndarray) -> float:
        mujoco.mj_forward(model, data)
        found = np.array([data.qacc[joint.dofadr[0] : joint.dofadr[0] + 3] for joint in joints])
        return deviation(found, relative_in_child(given, alpha))

    return Contestant("MuJoCo, mj_forward", lambda: mujoco.mj_forward(model, data), error)
