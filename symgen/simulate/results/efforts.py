"""What drives have to do: force or torque along each driven freedom, from the reactions of its joint.

The first body exerts force F and moment M on the second, about the joint centre there. A rate of one of the joint's
freedoms alone moves that centre with v and turns the second body with w, relative to the first: F.v + M.w is the effort
along it. All efforts times their rates are the power that the drive puts in.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array, matrix, multiply
from symgen.simulate.results.records import JointReaction
from symgen.solve.rigid import frame_array
from symgen.solve.tracks import BodyTrack, resting
from symgen.solve.trajectory import JointTrack

_ALONG = {"x": 0, "y": 1, "z": 2}


def drive_efforts(
    mechanism: Mechanism,
    bodies: Mapping[str, BodyTrack],
    joints: Mapping[str, JointTrack],
    reactions: Mapping[str, JointReaction],
) -> dict[tuple[str, str], Array]:
    """Return (joint, driven freedom) -> effort (n,) [N or N m], of joints with known reactions.

    Forces of the file that act in the same joint (springs, dampers, actuators) are no part of it.
    """
    found: dict[tuple[str, str], Array] = {}
    for joint in mechanism.joints:
        if joint.id not in reactions or joint.frames is None:
            continue
        reaction = reactions[joint.id]
        for freedom in joint.driven_freedoms or ():
            v, w = _motion(joint, freedom, bodies, joints[joint.id].coordinates)
            found[joint.id, freedom] = np.sum(reaction.force * v + reaction.moment * w, axis=-1)
    return found


def _motion(
    joint: Joint, freedom: str, bodies: Mapping[str, BodyTrack], coordinates: Mapping[str, Array]
) -> tuple[Array, Array]:
    """Return velocity and angular velocity of the second body at a unit rate of one freedom, (n, 3), world axes."""
    rows = len(coordinates[freedom])
    first, second = (_axes(joint, side, bodies, rows) for side in (0, 1))
    none = np.zeros((rows, 3))
    if freedom in _ALONG:
        return first[..., _ALONG[freedom]], none
    if freedom == "slide":
        return first[..., 0 if joint.type == "L" else 2], none
    if freedom in ("angle2", "roll"):
        return none, second[..., 0]
    if freedom == "pitch":  # F_j = F_i Rz(yaw) Ry(pitch) Rx(roll)
        yaw = coordinates["yaw"][:, None]
        return none, np.cos(yaw) * first[..., 1] - np.sin(yaw) * first[..., 0]
    turn = first[..., 2]
    return (joint.pitch * turn if joint.pitch is not None else none), turn


def _axes(joint: Joint, side: int, bodies: Mapping[str, BodyTrack], rows: int) -> Array:
    """Return the axes of a joint's frame on one side as columns (n, 3, 3), world."""
    if joint.frames is None:  # the caller looks
        raise ValueError(f"joints.{joint.id}: has no geometry")
    q = bodies[joint.bodies[side]].q if joint.bodies[side] in bodies else resting(rows).q
    return matrix(multiply(q, np.broadcast_to(frame_array(joint.frames[side])[3:], q.shape)))
