"""Drake: time derivatives of a continuous `MultibodyPlant` with ball joints (roll, pitch and yaw)."""

from __future__ import annotations

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BallRpyJoint, FixedOffsetFrame, SpatialInertia, UnitInertia

from benchmarks.transfer.contestant import Contestant, LeftOutError, deviation
from benchmarks.transfer.systems import GRAVITY, System, relative_in_parent

_MOST = 1000


def contestant(given: System) -> Contestant:
    """Return the evaluation of a system's derivatives; the state is set anew before each, so that nothing is cached."""
    if given.bodies > _MOST:
        raise LeftOutError(f"not run beyond {_MOST} bodies")
    plant = MultibodyPlant(time_step=0.0)
    plant.mutable_gravity_field().set_gravity_vector(GRAVITY)
    bodies, joints = [], []
    for k, parent in enumerate(given.parent.tolist()):
        mass, place = float(given.mass[k]), -given.output[k]
        central = UnitInertia(*(given.inertia[k] / mass))
        inertia = SpatialInertia.MakeFromCentralInertia(mass, place, central * mass)
        body = plant.AddRigidBody(f"b{k}", inertia)
        carrier = bodies[parent].body_frame() if parent >= 0 else plant.world_frame()
        at = given.input[k] - given.output[parent] if parent >= 0 else given.input[k]
        seat = plant.AddFrame(FixedOffsetFrame(f"f{k}", carrier, RigidTransform(at)))
        joints.append(plant.AddJoint(BallRpyJoint(f"j{k}", seat, body.body_frame())))
        bodies.append(body)
    plant.Finalize()
    context = plant.CreateDefaultContext()
    carrying = np.where((given.parent >= 0)[:, None, None], given.turns[given.parent], np.eye(3))
    rates = np.einsum("nji,nj->ni", carrying, given.relative(given.omega))
    for joint, turn, rate in zip(joints, given.relative_turns(), rates, strict=True):
        joint.set_angles(context, RollPitchYaw(RotationMatrix(turn)).vector())
        joint.set_angular_velocity(context, rate)
    state = plant.GetPositionsAndVelocities(context).copy()

    def call() -> object:
        plant.SetPositionsAndVelocities(context, state)
        return plant.EvalTimeDerivatives(context)

    def error(alpha: np.ndarray) -> float:
        call()
        found = plant.EvalTimeDerivatives(context).get_generalized_velocity().CopyToVector()
        starts = [joint.velocity_start() for joint in joints]
        return deviation(np.array([found[start : start + 3] for start in starts]), relative_in_parent(given, alpha))

    return Contestant("Drake, EvalTimeDerivatives", call, error)
