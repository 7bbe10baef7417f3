"""Poses of bodies as numbers that move smoothly, with their rates, for polynomials through several times; and back.

A turn is given by its quaternion times two, with one sign over time: differences of it are angles, as those of places
are lengths.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symgen.library.smooth import MotionSamples
from symgen.poses import Array, multiply


def samples_of(times: Sequence[float] | Array, poses: Array, twists: Array, accelerations: Array) -> MotionSamples:
    """Return the samples of a motion: arrays (n, bodies, numbers)."""
    count = len(times)
    if poses.shape[-1] == 3:
        parts = (poses, twists, accelerations)
    else:
        q = poses[..., 3:].copy()
        for k in range(1, count):
            q[k] *= np.where(np.sum(q[k] * q[k - 1], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        w, g = _pure(twists[..., 3:]), _pure(accelerations[..., 3:])
        rate = multiply(w, q)
        growth = multiply(g, q) + 0.5 * multiply(w, rate)
        parts = (
            np.concatenate([poses[..., :3], 2.0 * q], -1),
            np.concatenate([twists[..., :3], rate], -1),
            np.concatenate([accelerations[..., :3], growth], -1),
        )
    return MotionSamples(np.asarray(times, dtype=float), *(np.reshape(part, (count, -1)) for part in parts))


def motion_of(samples: MotionSamples, bodies: int) -> tuple[Array, Array, Array]:
    """Return poses, twists and accelerations, (n, bodies, numbers)."""
    value, rate, second = (
        each.reshape(len(samples), bodies, -1) for each in (samples.value, samples.rate, samples.second)
    )
    if value.shape[-1] == 3:
        return value, rate, second
    p, p_dot, p_ddot = 0.5 * value[..., 3:], 0.5 * rate[..., 3:], 0.5 * second[..., 3:]
    size = np.sum(p * p, axis=-1, keepdims=True)
    back = p * np.array([1.0, -1.0, -1.0, -1.0])
    w = 2.0 * multiply(p_dot, back)[..., 1:] / size
    g = 2.0 * multiply(p_ddot, back)[..., 1:] / size - 2.0 * np.sum(p * p_dot, axis=-1, keepdims=True) / size * w
    # d/dt of w = 2 p_dot p*/|p|^2; the part p_dot p_dot* is a number
    return (
        np.concatenate([value[..., :3], p / np.sqrt(size)], -1),
        np.concatenate([rate[..., :3], w], -1),
        np.concatenate([second[..., :3], g], -1),
    )


def _pure(vector: Array) -> Array:
    return np.concatenate([np.zeros((*vector.shape[:-1], 1)), vector], axis=-1)
