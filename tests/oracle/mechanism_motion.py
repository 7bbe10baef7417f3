"""A solved mechanism judged by 4 x 4 matrices: joints close, rates are the derivatives of positions.

Nothing of symgen's solving is used: poses come in as numbers, joint frames from the mechanism's own fields.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Five-point differences of a function at -2h, -h, 0, h, 2h: first and second derivative.
FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0


def matrices(r: Any, q: Any) -> Array:
    """Return (n, 4, 4) of places (n, 3) and quaternions (n, 4)."""
    r, q = np.atleast_2d(r), np.atleast_2d(q)
    w, x, y, z = q.T
    out = np.zeros((len(q), 4, 4))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z
    out[:, :3, 3], out[:, 3, 3] = r, 1.0
    return out


def relative_frames(result: Any) -> dict[str, Array]:
    """Return for each joint F_i^-1 F_j over time, (n, 4, 4)."""
    rows = len(result.times)
    bodies = {name: matrices(track.r, track.q) for name, track in result.bodies.items()}
    bodies[result.mechanism.ground] = np.tile(np.eye(4), (rows, 1, 1))
    found = {}
    for joint in result.mechanism.joints:
        one, two = (
            bodies[body] @ matrices([frame.at], [frame.q])
            for body, frame in zip(joint.bodies, joint.frames, strict=True)
        )
        found[joint.id] = np.linalg.inv(one) @ two
    return found


def gap(code: str, step: Array) -> float:
    """Return how far F_i^-1 F_j is from what the joint allows, from the matrices alone."""
    place, turn = step[:, :3, 3], step[:, :3, :3]
    x, y, z = place.T
    along_z = [turn[:, 2, 2] - 1.0, turn[:, 0, 2], turn[:, 1, 2]]
    no_turn = [turn[:, i, j] - (1.0 if i == j else 0.0) for i in range(3) for j in range(3)]
    residuals = {
        "R": [x, y, z, *along_z],
        "P": [x, y, *no_turn],
        "C": [x, y, *along_z],
        "U": [x, y, z, turn[:, 2, 0]],
        "ER": [x, y, z, turn[:, 2, 0]],
        "S": [x, y, z],
        "PL": [z, *along_z],
        "W": [x, y, z, *no_turn],
        "F": [0.0 * x],
        "FP": [z, *along_z],
    }[code]
    return float(np.max(np.abs(residuals)))


def motion_of(code: str, values: dict[str, Array]) -> Array:
    """Return F_i^-1 F_j (n, 4, 4) for the values of the freedoms, as the mechanism file defines them."""
    rows = len(next(iter(values.values())))
    out = np.tile(np.eye(4), (rows, 1, 1))
    for k, name in enumerate(("x", "y", "z")):
        if name in values:
            out[:, k, 3] = values[name]
    if "slide" in values:
        out[:, 2, 3] = values["slide"]
    for name, axis in (("angle", 2), ("yaw", 2), ("angle1", 2), ("pitch", 1), ("roll", 0), ("angle2", 0)):
        if name in values:
            out = out @ _turn(axis, values[name])
    return out


def _turn(axis: int, angle: Array) -> Array:
    out = np.tile(np.eye(4), (len(angle), 1, 1))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    out[:, i, i] = out[:, j, j] = np.cos(angle)
    out[:, j, i], out[:, i, j] = np.sin(angle), -np.sin(angle)
    return out


def stencil(times: Any, h: float) -> Array:
    """Return each time with its four neighbours, (5 m,)."""
    return (np.asarray(times)[:, None] + h * np.arange(-2, 3)).ravel()


def derivatives(values: Array, h: float) -> tuple[Array, Array, Array]:
    """Return value, first and second derivative at the middle of each five rows of a stencil."""
    five = values.reshape(-1, 5, *values.shape[1:])
    first, second = (np.tensordot(weights, five, (0, 1)) for weights in (FIRST, SECOND))
    return five[:, 2], first / h, second / h**2


def spins(rotation: Array, h: float) -> tuple[Array, Array]:
    """Return angular velocity and acceleration from rotation matrices on a stencil: the skew parts of R'R^T, R''R^T."""
    now, first, second = derivatives(rotation, h)
    back = np.swapaxes(now, -1, -2)
    return _axial(first @ back), _axial(second @ back)


def _axial(m: Array) -> Array:
    parts = [m[:, 2, 1] - m[:, 1, 2], m[:, 0, 2] - m[:, 2, 0], m[:, 1, 0] - m[:, 0, 1]]
    return np.stack(parts, axis=-1) / 2.0
