"""Pinocchio: the articulated-body algorithm on spherical joints. Its data hold tensors that grow with n^3."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from benchmarks.transfer.contestant import Contestant, LeftOutError, deviation
from benchmarks.transfer.systems import GRAVITY, System, relative_in_child

#: Most bodies whose data fit easily: of 3 n freedoms it keeps some (3 n)^3 numbers.
ROOM = 100


def contestant(given: System) -> Contestant:
    """Return `aba` on a system."""
    if given.bodies > ROOM:
        raise LeftOutError(f"its data grow as n^3: several GB beyond {ROOM} bodies")
    model = pin.Model()
    model.gravity.linear = GRAVITY
    joints: list[int] = []
    for k, parent in enumerate(given.parent.tolist()):
        place = given.input[k] - given.output[parent] if parent >= 0 else given.input[k]
        carrier = joints[parent] if parent >= 0 else 0
        joints.append(model.addJoint(carrier, pin.JointModelSpherical(), pin.SE3(np.eye(3), place), f"j{k}"))
        body = pin.Inertia(float(given.mass[k]), -given.output[k], np.diag(given.inertia[k]))
        model.appendBodyToJoint(joints[k], body, pin.SE3.Identity())
    data = model.createData()
    q, v, idle = np.empty(model.nq), np.empty(model.nv), np.zeros(model.nv)
    rates = np.einsum("nji,nj->ni", given.turns, given.relative(given.omega))
    for joint, turn, rate in zip(joints, given.relative_turns(), rates, strict=True):
        first, start = model.joints[joint].idx_q, model.joints[joint].idx_v
        q[first : first + 4] = pin.Quaternion(turn).coeffs()
        v[start : start + 3] = rate

    def error(alpha: np.ndarray) -> float:
        found = np.array(pin.aba(model, data, q, v, idle))
        places = [model.joints[joint].idx_v for joint in joints]
        return deviation(np.array([found[place : place + 3] for place in places]), relative_in_child(given, alpha))

    return Contestant("Pinocchio, aba", lambda: pin.aba(model, data, q, v, idle), error)
