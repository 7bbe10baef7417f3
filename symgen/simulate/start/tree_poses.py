"""Poses of an open tree from the coordinates of its joints: body by body from the ground, nothing to solve.

Coordinates that are not given keep their value of the reference configuration, so that what hangs behind a joint goes
with it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import IDENTITY, Array, compose, inverse
from symgen.simulate.tables.spanning_tree import GROUND, Branch, span
from symgen.solve.coordinates import measure
from symgen.solve.rigid import frame_array, moved
from symgen.topology.loops.joint_motions import JOINT_MOTIONS

#: A frame made of its coordinates that is farther off [sizes, or parts of a quaternion] is not told by them: the joint
#: is open or turned by half a turn, or yaw and roll have one axis.
_TOLD = 1e-9


def tree_poses(
    mechanism: Mechanism, poses: Array, targets: Mapping[tuple[str, str], float], size: float, closed: float
) -> Array | None:
    """Return the poses (n, 7) of the centres of mass with coordinates at their targets.

    Parameters
    ----------
    poses : of the reference configuration, closed.
    targets : (joint, freedom) -> coordinate [rad or m].
    size : of the mechanism [m].
    closed : what is nearer to its target is there [sizes or rad]: such bodies keep their poses.

    Returns
    -------
    ndarray or None
        None where this is no matter of a tree alone: joints close loops, bodies have no way to the ground, a joint
        without motions, a frame that its coordinates do not tell.
    """
    if any(joint.type not in JOINT_MOTIONS for joint in mechanism.joints):
        return None
    tree = span(mechanism)
    if tree.cut:
        return None
    frames = _Frames(mechanism)
    found, gone = poses.copy(), set()
    lengths = np.array([size] * 3 + [1.0] * 4)
    for branch in tree.branches:
        joint = branch.joint
        if joint is None:
            return None
        ends = frames.world(joint, 0, poses), frames.world(joint, 1, poses)
        given = {freedom: targets[joint.id, freedom] for freedom in joint.freedoms if (joint.id, freedom) in targets}
        before = compose(inverse(ends[0]), ends[1])
        after = _relative(joint, ends, before, given, lengths, closed)
        if after is None:
            return None
        if after is not before or branch.parent in gone:
            found[branch.body] = frames.carried(branch, joint, found, after)
            gone.add(branch.body)
    return found


def _relative(
    joint: Joint, ends: tuple[Array, Array], before: Array, targets: Mapping[str, float], lengths: Array, closed: float
) -> Array | None:
    """Return the second joint frame in the first with coordinates at their targets; `before` itself if they are there.

    None if coordinates do not tell the frame, so that it cannot be made of them.
    """
    values = {freedom: float(value) for freedom, value in measure(joint.type, *ends).items()}
    missing = {freedom: target - values[freedom] for freedom, target in targets.items()}
    turns = {motion.freedom for motion in JOINT_MOTIONS[joint.type] if motion.kind == "turn"}
    missing = {freedom: math.remainder(way, math.tau) if freedom in turns else way for freedom, way in missing.items()}
    if all(abs(way) <= closed * (1.0 if freedom in turns else lengths[0]) for freedom, way in missing.items()):
        return before
    again = _made(joint, values)
    sign = 1.0 if float(again[3:] @ before[3:]) >= 0.0 else -1.0
    if np.abs((again * np.array([1.0] * 3 + [sign] * 4) - before) / lengths).max() > _TOLD:
        return None
    return _made(joint, {**values, **targets})


def _made(joint: Joint, values: Mapping[str, float]) -> Array:
    """Return the second joint frame in the first from the coordinates."""
    frame: Array = IDENTITY
    for motion in JOINT_MOTIONS[joint.type]:
        frame = compose(frame, moved(motion, values[motion.freedom], joint.pitch or 0.0))
    return frame


class _Frames:
    """The joint frames of a mechanism, held by poses of centres of mass."""

    def __init__(self, mechanism: Mechanism) -> None:
        self._number = {body.id: k for k, body in enumerate(mechanism.bodies)}
        coms = {body.id: np.array(body.com or (0.0, 0.0, 0.0)) for body in mechanism.bodies}
        self._held: dict[tuple[str, int], Array] = {}
        for joint in mechanism.joints:
            for side, (body, frame) in enumerate(zip(joint.bodies, joint.frames or (), strict=True)):
                held = frame_array(frame)
                held[:3] -= coms.get(body, np.zeros(3))
                self._held[joint.id, side] = held

    def world(self, joint: Joint, side: int, poses: Array) -> Array:
        """Return the joint frame (7,) on one side in the world."""
        held, k = self._held[joint.id, side], self._number.get(joint.bodies[side], GROUND)
        return held if k == GROUND else compose(poses[k], held)

    def carried(self, branch: Branch, joint: Joint, poses: Array, relative: Array) -> Array:
        """Return the pose (7,) of a body from that of its carrier and the second joint frame in the first."""
        near, far = (1, 0) if branch.reverse else (0, 1)
        there = compose(self.world(joint, near, poses), inverse(relative) if branch.reverse else relative)
        found = compose(there, inverse(self._held[joint.id, far]))
        found[3:] /= np.linalg.norm(found[3:])
        return found
