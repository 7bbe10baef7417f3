"""Rotations and poses over arrays with leading batch axes.

A rotation is a quaternion (..., 4): scalar first, unit, active. A pose is ``[r, q]`` (..., 7): origin [m], then the
quaternion. Anyone may import this module; it imports NumPy alone.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.floating[Any]]

IDENTITY: Array = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])

#: Half turn about (1, 0, 1)/sqrt(2): exchanges z and x, turns y round.
EXCHANGE_Z_X: Array = np.array([0.0, np.sqrt(0.5), 0.0, np.sqrt(0.5)])


def multiply(p: Array, q: Array) -> Array:
    """Return the rotation q followed by p; both (..., 4)."""
    p0, p1, p2, p3 = np.moveaxis(p, -1, 0)
    q0, q1, q2, q3 = np.moveaxis(q, -1, 0)
    return np.stack(
        [
            p0 * q0 - p1 * q1 - p2 * q2 - p3 * q3,
            p0 * q1 + p1 * q0 + p2 * q3 - p3 * q2,
            p0 * q2 - p1 * q3 + p2 * q0 + p3 * q1,
            p0 * q3 + p1 * q2 - p2 * q1 + p3 * q0,
        ],
        axis=-1,
    )


def matrix(q: Array) -> Array:
    """Return the rotation matrix (..., 3, 3) of a quaternion (..., 4)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(np.broadcast_arrays(*row), axis=-1) for row in rows], axis=-2)


def rotate(q: Array, v: Array) -> Array:
    """Return vectors (..., 3) rotated by quaternions (..., 4)."""
    rotated: Array = (matrix(q) @ np.asarray(v)[..., None])[..., 0]
    return rotated


def compose(first: Array, second: Array) -> Array:
    """Return the pose of the frame that has the pose `second` in the frame of pose `first`."""
    r = first[..., :3] + rotate(first[..., 3:], second[..., :3])
    return np.concatenate([r, multiply(first[..., 3:], second[..., 3:])], axis=-1)


def inverse(pose: Array) -> Array:
    """Return the pose of the outer frame in the frame of `pose`."""
    back = pose[..., 3:] * np.array([1.0, -1.0, -1.0, -1.0])
    return np.concatenate([-rotate(back, pose[..., :3]), back], axis=-1)


def move(poses: Array, step: Array) -> Array:
    """Move bodies: origins by the step's first numbers, then a turn about the rotation vector behind them."""
    if poses.shape[-1] == 3:
        return poses + step
    half = 0.5 * step[..., 3:]
    angle = np.linalg.norm(half, axis=-1, keepdims=True)
    turn = np.concatenate([np.cos(angle), half * np.sinc(angle / np.pi)], axis=-1)
    q = multiply(np.broadcast_to(turn, poses[..., 3:].shape), poses[..., 3:])
    return np.concatenate([poses[..., :3] + step[..., :3], q / np.linalg.norm(q, axis=-1, keepdims=True)], axis=-1)
