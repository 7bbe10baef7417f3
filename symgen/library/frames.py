"""Joint frames and poses of the model as the library's ports take them."""

from __future__ import annotations

import math

import numpy as np

from symgen.model.parts import JointFrame, Pose
from symgen.model.quaternions import Z_AXIS, rotate
from symgen.poses import Array


def port_frame(code: str, frame: JointFrame, space: str) -> Array:
    """Return a joint frame as a port holds it.

    Parameters
    ----------
    code : pair type. In the plane a P slides along x of the port's frame, while the model's frame has its z there.
    frame : centre [m] and orientation of the joint frame in its body.
    space : ``"spatial"`` or ``"planar"``.

    Returns
    -------
    ndarray
        Spatial [at, q] (7,) [m, -]; planar [x, y, angle] (3,) [m, m, rad].
    """
    if space == "spatial":
        return np.array([*frame.at, *frame.q])
    if code == "P":
        along = rotate(frame.q, Z_AXIS)
        angle = math.atan2(along[1], along[0])
    else:
        angle = 2.0 * math.atan2(frame.q[3], frame.q[0])
    return np.array([frame.at[0], frame.at[1], math.remainder(angle, math.tau)])


def port_pose(pose: Pose, space: str) -> Array:
    """Return a body's pose as a port holds it: spatial [r, q] (7,), planar [x, y, phi] (3,)."""
    if space == "spatial":
        return np.array([*pose.r, *pose.q])
    phi = 2.0 * math.atan2(pose.q[3], pose.q[0])
    return np.array([pose.r[0], pose.r[1], math.remainder(phi, math.tau)])
