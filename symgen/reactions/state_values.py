"""Reactions in numbers at one state; where they are not unique, the least of those that fit.

The least: the sum over all joints of |F|^2 + |M|^2 / l^2, F and M about the joint centre on the joint's second body, l
the size of the mechanism, as `symgen.simulate.results.joint_reactions` and `symgen.transfer.self_stress` have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgen.errors import AccuracyError, MechanismError, SolveError
from symgen.model.brief import Brief
from symgen.model.mechanism import Mechanism
from symgen.poses import Array, matrix
from symgen.simulate.results.document import number, numbers
from symgen.simulate.results.records import JointReaction, Run
from symgen.simulate.results.result import SimulationResult
from symgen.simulate.results.states import result_of_states
from symgen.simulate.simulation import simulate
from symgen.simulate.start.initial import initial_state
from symgen.status import Status
from symgen.transfer.accelerations import accelerations
from symgen.transfer.self_stress import force_in
from symgen.transfer.start import take_snapshot

#: Error of the motion up to a later time [m or rad].
_TOLERANCE = 1e-10


@dataclass(frozen=True, eq=False, repr=False)
class ReactionValue(Brief):
    """Reaction of one joint: what its first body exerts on its second by constraints and drives, without springs.

    Parameters
    ----------
    force, moment : (3,) [N, N m] about the joint centre on the second body, world axes.
    unique : whether both are; `components` : of fx fy fz mx my mz each.
    """

    force: Array
    moment: Array
    unique: bool
    components: Mapping[str, bool]


@dataclass(frozen=True, eq=False, repr=False)
class ReactionValues(Brief):
    """Reactions of all joints at one time.

    Parameters
    ----------
    time : [s].
    joints : joint -> its reaction; the least where it is not unique.
    efforts : "joint.freedom" -> force or torque of a drive [N or N m].
    """

    time: float
    joints: Mapping[str, ReactionValue]
    efforts: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "time": self.time,
            "joints": {
                name: {
                    "force": numbers(each.force),
                    "moment": numbers(each.moment),
                    "unique": each.unique,
                    "components": dict(each.components),
                }
                for name, each in self.joints.items()
            },
            "efforts": {name: number(value) for name, value in self.efforts.items()},
        }


@dataclass(frozen=True, eq=False)
class MechanismState:
    """Poses (n, 7) of the centres of mass at a time, the reactions there, and whether these give its accelerations."""

    poses: Array
    values: ReactionValues
    in_equilibrium: bool
    messages: tuple[str, ...]


def state_at(mechanism: Mechanism, time: float) -> MechanismState:
    """Return poses and reactions of a mechanism with masses at a time: the initial one, or one of its motion.

    Raises
    ------
    MechanismError
        Masses or laws are lacking, or the joints do not close.
    SolveError
        The motion does not get there.
    """
    return _initial(mechanism) if time == 0.0 else _later(mechanism, time)


def _initial(mechanism: Mechanism) -> MechanismState:
    start = initial_state(mechanism)
    try:
        found = accelerations(mechanism)
    except AccuracyError:
        found = accelerations(mechanism, "multiplier")
    snapshot = take_snapshot(mechanism, start)
    reactions = {}
    for joint in mechanism.joints:
        load, own = found.joints[joint.id], force_in(snapshot, joint)
        reactions[joint.id] = JointReaction(
            (load.force - own[:3])[None], (load.moment - own[3:])[None], load.unique, load.components
        )
    still = np.zeros((1, len(mechanism.bodies), 6))
    row = result_of_states(
        mechanism, np.zeros(1), start.poses[None], still, still, run=Run("none", 0, 0.0, 0), reactions=reactions
    )
    fits = found.ok or found.residual < 1e-6
    return MechanismState(start.poses, _values(row, 0.0), fits, tuple(found.warnings))


def _later(mechanism: Mechanism, time: float) -> MechanismState:
    motion = simulate(
        mechanism, method="riccati", order=8, tolerance=_TOLERANCE, until=time, sample=time, reactions=True
    )
    failure = motion.run.failure
    if failure is not None:
        raise SolveError(
            f"the motion of {mechanism.name} does not reach t = {time:g} s: it ends {failure}",
            failure.status if failure.status is not None else Status.NOT_CONVERGED,
        )
    poses = []
    for body in mechanism.bodies:
        track = motion.bodies[body.id]
        com = matrix(track.q[-1]) @ np.array(body.com or (0.0, 0.0, 0.0))
        poses.append(np.concatenate([track.r[-1] + com, track.q[-1]]))
    return MechanismState(np.array(poses), _values(motion, time), True, motion.run.warnings)


def _values(motion: SimulationResult, time: float) -> ReactionValues:
    """Return the reactions of the last row."""
    joints = {
        name: ReactionValue(each.force[-1], each.moment[-1], each.unique, each.components)
        for name, each in motion.reactions.items()
    }
    efforts = {f"{joint}.{freedom}": float(rows[-1]) for (joint, freedom), rows in motion.efforts.items()}
    return ReactionValues(time, joints, efforts)


def has_masses(mechanism: Mechanism) -> bool:
    """Tell whether reactions can be given in numbers: every body has mass and inertia, every drive a law."""
    from symgen.simulate.start.started import require_masses

    try:
        require_masses(mechanism)
        mechanism.require_drives()
    except MechanismError:
        return False
    return True
