"""Motion of a body frame over time, in world axes; from the planar ports of the library and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from symgen.model.brief import Brief
from symgen.poses import Array, matrix, multiply, rotate

if TYPE_CHECKING:
    from symgen.library.adapt import BodyMotion


@dataclass(frozen=True, eq=False, repr=False)
class BodyTrack(Brief):
    """Motion of a body over n times; NaN in rows that are not determined.

    Parameters
    ----------
    r : (n, 3) origin of the body frame [m, world].
    q : (n, 4) orientation, body to world; scalar first, unit, its sign continuous over time.
    v : (n, 3) velocity of the origin [m/s, world].
    omega : (n, 3) angular velocity [rad/s, world].
    a : (n, 3) acceleration of the origin [m/s^2, world].
    alpha : (n, 3) angular acceleration [rad/s^2, world].
    """

    r: Array
    q: Array
    v: Array
    omega: Array
    a: Array
    alpha: Array

    @property
    def pose(self) -> Array:
        """[r, q], (n, 7)."""
        return np.concatenate([self.r, self.q], axis=-1)

    def carry(self, lever: Array) -> tuple[Array, Array, Array]:
        """Return place, velocity and acceleration of the point at `lever` (n, 3) [m, world axes] from the origin."""
        turning = np.cross(self.omega, lever)
        a = self.a + np.cross(self.alpha, lever) + np.cross(self.omega, turning)
        return self.r + lever, self.v + turning, a

    def attached(self, place: Array) -> BodyTrack:
        """Return the motion of a frame that is fixed in this one at `place` (7,)."""
        r, v, a = self.carry(rotate(self.q, place[:3]))
        q = multiply(self.q, np.broadcast_to(place[3:], self.q.shape))
        return BodyTrack(r, q, v, self.omega, a, self.alpha)


def resting(rows: int) -> BodyTrack:
    """Return the ground over `rows` times."""
    still = np.zeros((rows, 3))
    return BodyTrack(still, np.tile([1.0, 0.0, 0.0, 0.0], (rows, 1)), still, still, still, still)


def track_of(motion: BodyMotion, space: str, towards: Array) -> BodyTrack:
    """Return the motion that a group's ports describe.

    Parameters
    ----------
    towards : quaternion (4,) whose half of the sphere the first orientation is given in.
    """
    rest = np.zeros((*motion.pose.shape[:-1], 6 if space == "spatial" else 3))
    twist = rest if motion.twist is None else motion.twist
    acceleration = rest if motion.acceleration is None else motion.acceleration
    pose = spatial_pose(motion.pose, space)
    q = continuous_sign(pose[..., 3:], towards)
    if space == "spatial":
        return BodyTrack(pose[..., :3], q, twist[..., :3], twist[..., 3:], acceleration[..., :3], acceleration[..., 3:])
    v, omega = _lift(twist)
    a, alpha = _lift(acceleration)
    return BodyTrack(pose[..., :3], q, v, omega, a, alpha)


def spatial_pose(pose: Array, space: str) -> Array:
    """Return poses of ports, spatial (..., 7) or planar [x, y, phi] (..., 3), as [r, q] (..., 7)."""
    if space == "spatial":
        return pose
    zero = 0.0 * pose[..., 2]  # NaN where the pose is
    half = 0.5 * pose[..., 2]
    parts = [pose[..., 0], pose[..., 1], zero, np.cos(half), zero, zero, np.sin(half)]
    return np.stack(parts, axis=-1)


def frame_points(motion: BodyMotion, space: str, size: float) -> tuple[Array, Array, Array]:
    """Return four points of a body, its origin and the tips of its axes at `size` [m], with their rates: (..., 4, 3).

    They tell bodies apart that differ in place, in orientation, or in both.
    """
    pose = spatial_pose(motion.pose, space)
    rest = np.zeros((*motion.pose.shape[:-1], 6 if space == "spatial" else 3))
    twist = rest if motion.twist is None else motion.twist
    acceleration = rest if motion.acceleration is None else motion.acceleration
    if space == "spatial":
        v, omega, a, alpha = twist[..., :3], twist[..., 3:], acceleration[..., :3], acceleration[..., 3:]
    else:
        (v, omega), (a, alpha) = _lift(twist), _lift(acceleration)
    # The columns of the rotation matrix are the axes.
    arms = size * np.swapaxes(matrix(pose[..., 3:]), -1, -2)
    turning = np.cross(omega[..., None, :], arms)
    bending = np.cross(alpha[..., None, :], arms) + np.cross(omega[..., None, :], turning)
    r, v, a = pose[..., None, :3], v[..., None, :], a[..., None, :]
    place, rate, second = (
        np.concatenate([np.broadcast_to(one, (*tip.shape[:-2], 1, 3)), tip], axis=-2)
        for one, tip in ((r, r + arms), (v, v + turning), (a, a + bending))
    )
    return place, rate, second


def continuous_sign(q: Array, towards: Array) -> Array:
    """Return quaternions (n, 4) with signs that make each row follow the last finite one, the first `towards`."""
    rows = np.flatnonzero(np.all(np.isfinite(q), axis=-1))
    if not rows.size:
        return q
    seen = q[rows]
    before = np.concatenate([np.asarray(towards)[None], seen[:-1]])
    flips = np.where(np.sum(seen * before, axis=-1) < 0.0, -1.0, 1.0)
    signed = q.copy()
    signed[rows] = seen * np.cumprod(flips)[:, None]
    return signed


def _lift(planar: Array) -> tuple[Array, Array]:
    """Return linear and angular part of a planar twist or acceleration as vectors in space."""
    zero = 0.0 * planar[..., 2]
    linear = np.stack([planar[..., 0], planar[..., 1], zero], axis=-1)
    return linear, np.stack([zero, zero, planar[..., 2]], axis=-1)
