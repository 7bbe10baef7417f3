"""Coordinates of joints that are more than a change of sign away from what a solver gives.

A planar pair PL read from its other body: F_j = F_i T(p) Rz(angle) means F_i = F_j T(-Rz(-angle) p) Rz(-angle), so
with J the quarter turn

    p_turned   = -Rz(-angle) p
    p_turned'  = -Rz(-angle) (p' - angle' J p)
    p_turned'' = -Rz(-angle) (p'' - 2 angle' J p' - angle'' J p - angle'^2 p)

Solvers leave the orientation of an S free of coordinates; its yaw, pitch and roll are
only read off afterwards, from the motion of its two bodies: F_j = F_i Rz(yaw) Ry(pitch)
Rx(roll), with F_i and F_j the joint frames of the first and second body.

With w the angular velocity of F_j relative to F_i, in the axes of F_i, and s, c sine
and cosine:

    w = ( -s_yaw pitch' + c_yaw c_pitch roll',
           c_yaw pitch' + s_yaw c_pitch roll',
           yaw' - s_pitch roll' )

which is solved for the rates where c_pitch is not zero; differentiated once more it
gives the accelerations with the same matrix.

Source: elementary; the z-y-x angles of a mechanism file (mechanism file, "Joint frames").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array, matrix, multiply

#: Cosine of the pitch below which yaw and roll turn about one axis: their rates are not determined.
#: Rates carry an error of about rounding/cos(pitch), so at this bound half of the digits are lost.
GIMBAL_LOCK = 1e-8


def turned_plane(values: Mapping[str, Array]) -> dict[str, Array]:
    """Return the coordinates of a PL with its two bodies exchanged.

    Parameters
    ----------
    values : ``x``, ``y`` [m] and ``angle`` [rad], arrays (..., 3) of value, rate and acceleration.

    Returns
    -------
    dict of str to ndarray
        The same of the motion of the first body as seen from the second.
    """
    place = np.stack([values["x"], values["y"]], axis=-1)  # (..., 3, 2)
    angle, rate, growth = (values["angle"][..., k, None] for k in range(3))
    p, p_dot, p_ddot = (place[..., k, :] for k in range(3))
    moved = (
        p,
        p_dot - rate * _quarter_turn(p),
        p_ddot - 2.0 * rate * _quarter_turn(p_dot) - growth * _quarter_turn(p) - rate * rate * p,
    )
    c, s = np.cos(angle), np.sin(angle)
    back = np.stack([s * _quarter_turn(each) - c * each for each in moved], axis=-2)
    return {"x": back[..., 0], "y": back[..., 1], "angle": 0.0 - values["angle"]}


def _quarter_turn(p: Array) -> Array:
    return np.stack([-p[..., 1], p[..., 0]], axis=-1)


def spherical_coordinates(
    orientation: tuple[Array, Array],
    frames: tuple[Array, Array],
    omega: tuple[Array, Array],
    alpha: tuple[Array, Array],
) -> dict[str, Array]:
    """Return yaw, pitch and roll with rates and accelerations.

    Parameters
    ----------
    orientation : quaternions (..., 4) of first and second body, body to world.
    frames : joint frames [at, q] (..., 7) on first and second body.
    omega : angular velocities (..., 3) [rad/s], world axes.
    alpha : angular accelerations (..., 3) [rad/s^2], world axes.

    Returns
    -------
    dict of str to ndarray
        ``yaw``, ``pitch``, ``roll``: arrays (..., 3) of value [rad], rate and acceleration. In gimbal lock
        roll is set to zero and rates and accelerations are NaN.
    """
    first = matrix(multiply(orientation[0], frames[0][..., 3:]))
    second = matrix(multiply(orientation[1], frames[1][..., 3:]))
    back = np.swapaxes(first, -1, -2)
    relative = back @ second
    turning = omega[1] - omega[0]
    w = _apply(back, turning)
    w_dot = _apply(back, alpha[1] - alpha[0] - np.cross(omega[0], turning))
    c_pitch = np.hypot(relative[..., 0, 0], relative[..., 1, 0])
    locked = c_pitch < GIMBAL_LOCK
    angles = _angles(relative, c_pitch, locked)
    determined = np.where(locked, np.nan, c_pitch)
    rates = _solve(angles, determined, w)
    accelerations = _solve(angles, determined, w_dot - _bias(angles, c_pitch, rates))
    return {
        name: np.stack(np.broadcast_arrays(angles[..., k], rates[..., k], accelerations[..., k]), axis=-1)
        for k, name in enumerate(("yaw", "pitch", "roll"))
    }


def _apply(rotation: Array, vector: Array) -> Array:
    result: Array = (rotation @ vector[..., None])[..., 0]
    return result


def _angles(relative: Array, c_pitch: Array, locked: NDArray[Any]) -> Array:
    yaw = np.where(
        locked,
        np.arctan2(-relative[..., 0, 1], relative[..., 1, 1]),
        np.arctan2(relative[..., 1, 0], relative[..., 0, 0]),
    )
    pitch = np.arctan2(-relative[..., 2, 0], c_pitch)
    roll = np.where(locked, 0.0, np.arctan2(relative[..., 2, 1], relative[..., 2, 2]))
    return np.stack([yaw, pitch, roll], axis=-1)


def _solve(angles: Array, c_pitch: Array, w: Array) -> Array:
    """Solve the three equations above for the rates (or accelerations)."""
    s_yaw, c_yaw = np.sin(angles[..., 0]), np.cos(angles[..., 0])
    roll = (c_yaw * w[..., 0] + s_yaw * w[..., 1]) / c_pitch
    pitch = c_yaw * w[..., 1] - s_yaw * w[..., 0] + 0.0 * roll  # NaN in gimbal lock, as the others
    yaw = w[..., 2] + np.sin(angles[..., 1]) * roll
    return np.stack([yaw, pitch, roll], axis=-1)


def _bias(angles: Array, c_pitch: Array, rates: Array) -> Array:
    """Return the part of the derivative of w that holds no accelerations."""
    s_yaw, c_yaw, s_pitch = np.sin(angles[..., 0]), np.cos(angles[..., 0]), np.sin(angles[..., 1])
    yaw, pitch, roll = np.moveaxis(rates, -1, 0)
    x = -c_yaw * yaw * pitch - s_yaw * c_pitch * yaw * roll - c_yaw * s_pitch * pitch * roll
    y = -s_yaw * yaw * pitch + c_yaw * c_pitch * yaw * roll - s_yaw * s_pitch * pitch * roll
    return np.stack([x, y, -c_pitch * pitch * roll], axis=-1)
