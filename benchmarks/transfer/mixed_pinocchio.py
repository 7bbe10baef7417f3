"""Pinocchio: the articulated-body algorithm on revolute, universal, spherical and prismatic joints and a composite."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from benchmarks.transfer.contestant import Contestant, LeftOutError, deviation
from benchmarks.transfer.mixed import MixedChain
from benchmarks.transfer.pinocchio_tool import ROOM
from benchmarks.transfer.systems import GRAVITY

_Z, _X = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])


def contestant(given: MixedChain) -> Contestant:
    """Return `aba` on a chain; every joint frame is that of the chain."""
    if given.bodies > ROOM:
        raise LeftOutError(f"its data grow as n^3: several GB beyond {ROOM} bodies")
    model = pin.Model()
    model.gravity.linear = GRAVITY
    joint, seat = 0, pin.SE3.Identity()
    joints = []
    for k, kind in enumerate(given.kinds):
        frame = pin.SE3(given.frames[k], given.places[k])
        joint = model.addJoint(joint, _joint(kind), seat.actInv(frame), f"j{k}")
        joints.append(joint)
        body = pin.SE3(given.turns[k], given.centres[k])
        model.appendBodyToJoint(joint, pin.Inertia(1.0, np.zeros(3), np.diag(given.inertia)), frame.actInv(body))
        seat = frame
    data = model.createData()
    q, v, idle = pin.neutral(model), np.concatenate(given.rates), np.zeros(model.nv)

    def error(alpha: np.ndarray) -> float:
        found = np.array(pin.aba(model, data, q, v, idle))
        pin.forwardKinematics(model, data, q, v, found)
        spatial = [pin.getAcceleration(model, data, each, pin.LOCAL_WORLD_ALIGNED) for each in joints]
        return deviation(np.array([each.angular for each in spatial]), alpha)

    return Contestant("Pinocchio, aba", lambda: pin.aba(model, data, q, v, idle), error)


def _joint(kind: str) -> object:
    if kind == "cylindrical":
        composite = pin.JointModelComposite(pin.JointModelPZ())
        composite.addJoint(pin.JointModelRZ(), pin.SE3.Identity())
        return composite
    made = {
        "revolute": pin.JointModelRZ, "prismatic": pin.JointModelPZ, "ball": pin.JointModelSpherical,
        "universal": lambda: pin.JointModelUniversal(_Z, _X),
    }  # fmt: skip
    return made[kind]()
