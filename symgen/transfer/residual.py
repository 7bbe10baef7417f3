"""How well accelerations and joint wrenches fit: every body's equations of motion, every joint's accelerations."""

from __future__ import annotations

import numpy as np

from symgen.library.rotations import Array
from symgen.transfer.hinges import hinge_motion
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.tree import GROUND

#: Of a twist [v, omega]: what a planar mechanism moves in.
_PLANAR = (0, 1, 5)


def residual(snapshot: Snapshot, solution: Solution) -> float:
    """Return the largest misfit, relative to the terms it is made of.

    Parameters
    ----------
    snapshot : in SI units.
    """
    return max(_motion_misfit(snapshot, solution), _joint_misfit(snapshot, solution))


def _motion_misfit(snapshot: Snapshot, solution: Solution) -> float:
    """Return by how much m a and J alpha + omega x J omega differ from all that acts on a body."""
    omega = snapshot.omega[:-1]
    momentum = (snapshot.inertia[:-1] @ omega[..., None])[..., 0]
    turning = np.cross(omega, momentum)
    growing = (snapshot.inertia[:-1] @ solution.accelerations[:, 3:, None])[..., 0]
    inertial = np.hstack([snapshot.mass[:-1, None] * solution.accelerations[:, :3], growing + turning])
    rest = np.hstack([snapshot.force, snapshot.moment])[:-1] - inertial
    sizes = np.maximum(np.abs(inertial), np.hstack([np.abs(snapshot.force), np.abs(snapshot.moment)])[:-1])
    for joint in snapshot.mechanism.joints:
        wrench, at = solution.wrenches[joint.id], snapshot.frames[joint.id].centres[1]
        for name, sign in zip(joint.bodies, (-1.0, 1.0), strict=True):
            body = snapshot.index[name]
            if body != GROUND:
                turned = np.cross(at - snapshot.centre[body], wrench[:3])
                rest[body] += sign * np.concatenate([wrench[:3], wrench[3:] + turned])
                each = np.concatenate([np.abs(wrench[:3]), np.abs(wrench[3:]) + np.abs(turned)])
                sizes[body] = np.maximum(sizes[body], each)
    if snapshot.mechanism.space == "planar":
        rest, sizes = rest[:, _PLANAR], sizes[:, _PLANAR]
    half = sizes.shape[1] // 2 + sizes.shape[1] % 2  # forces, then moments: each is measured by the largest of its kind
    return max(_relative(rest[:, :half], sizes[:, :half]), _relative(rest[:, half:], sizes[:, half:]))


def _joint_misfit(snapshot: Snapshot, solution: Solution) -> float:
    """Return by how much relative accelerations leave what joints and drives allow."""
    planar = snapshot.mechanism.space == "planar"
    accelerations = np.vstack([solution.accelerations, np.zeros(6)])
    largest = worst = 0.0
    for joint in snapshot.mechanism.joints:
        motion = hinge_motion(snapshot, joint, reverse=False)
        one, two = (snapshot.index[name] for name in joint.bodies)
        ends = _at(snapshot, accelerations, one, motion.inboard), _at(snapshot, accelerations, two, motion.outboard)
        gap = motion.locked(planar=planar).T @ (ends[1] - motion.x @ ends[0] - motion.eta)
        worst = max(worst, float(np.abs(gap).max(initial=0.0)))
        largest = max(largest, *(float(np.abs(end).max()) for end in ends), float(np.abs(motion.eta).max()))
    return worst / largest if largest else 0.0


def _at(snapshot: Snapshot, accelerations: Array, body: int, place: Array) -> Array:
    """Return the acceleration (6,) of a point of a body."""
    lever, omega = place - snapshot.centre[body], snapshot.omega[body]
    found: Array = accelerations[body].copy()
    found[:3] += np.cross(found[3:], lever) + np.cross(omega, np.cross(omega, lever))
    return found


def _relative(rest: Array, sizes: Array) -> float:
    largest = float(sizes.max(initial=0.0))
    return float(np.abs(rest).max(initial=0.0)) / largest if largest else 0.0
