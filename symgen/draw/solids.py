"""What stands for a body that has mass but hardly a shape: the block of the same mass and inertia."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symgen.model.parts import Body
from symgen.model.quaternions import Vector3, frame_quaternion
from symgen.poses import Array


@dataclass(frozen=True)
class Cuboid:
    """A block in a body.

    Parameters
    ----------
    at : (3,) its middle [m, body frame].
    q : (4,) its axes to those of the body, scalar first.
    sides : (3,) lengths [m].
    """

    at: Array
    q: Array
    sides: Array


def equal_block(body: Body) -> Cuboid | None:
    """Return the homogeneous block with the body's mass, centre of mass and inertia; None if it has none.

    With principal moments A = m (b^2 + c^2)/12 and so on, the side along the first axis is
    a^2 = 6 (B + C - A)/m; it is not negative for a body that can exist.
    """
    if not body.mass or body.inertia is None:
        return None
    xx, yy, zz, xy, xz, yz = body.inertia
    moments, axes = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    sides = np.sqrt(np.maximum(6.0 * (moments.sum() - 2.0 * moments) / body.mass, 0.0))
    q = frame_quaternion(_pointed(axes[:, 2]), _pointed(axes[:, 0]))
    return Cuboid(np.array(body.com or (0.0, 0.0, 0.0)), np.array(q), sides)


def _pointed(axis: Array) -> Vector3:
    """Return an axis, the larger part of it along the positive axes: which way it points is left to chance."""
    x, y, z = map(float, axis if axis[np.argmax(np.abs(axis))] > 0.0 else -axis)
    return x, y, z
