"""Vectors and quaternions as tuples of floats: the little that reading a mechanism needs, without NumPy.

Quaternions are scalar first, unit, active; frames right-handed.
"""

from __future__ import annotations

import math
from typing import TypeAlias

Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]

ORIGIN: Vector3 = (0.0, 0.0, 0.0)
IDENTITY: Quaternion = (1.0, 0.0, 0.0, 0.0)
X_AXIS: Vector3 = (1.0, 0.0, 0.0)
Y_AXIS: Vector3 = (0.0, 1.0, 0.0)
Z_AXIS: Vector3 = (0.0, 0.0, 1.0)


def dot(a: Vector3, b: Vector3) -> float:
    """Return a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector3, b: Vector3) -> Vector3:
    """Return a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def difference(a: Vector3, b: Vector3) -> Vector3:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def direction(a: Vector3) -> Vector3:
    """Return a / |a|; a must not be zero."""
    size = math.hypot(*a)
    return (a[0] / size, a[1] / size, a[2] / size)


def normal_part(a: Vector3, axis: Vector3) -> Vector3:
    """Return the part of `a` normal to the unit vector `axis`."""
    along = dot(a, axis)
    return (a[0] - along * axis[0], a[1] - along * axis[1], a[2] - along * axis[2])


def conjugate(q: Quaternion) -> Quaternion:
    """Return the inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def product(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the rotation q followed by p."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def rotate(q: Quaternion, v: Vector3) -> Vector3:
    """Return v rotated by the unit quaternion q."""
    u = (q[1], q[2], q[3])
    twice = cross(u, v)
    twice = (2.0 * twice[0], 2.0 * twice[1], 2.0 * twice[2])
    again = cross(u, twice)
    return (
        v[0] + q[0] * twice[0] + again[0],
        v[1] + q[0] * twice[1] + again[1],
        v[2] + q[0] * twice[2] + again[2],
    )


def normalised(q: Quaternion) -> Quaternion:
    """Return q / |q|, exactly q where its length is 1 to the last bit or two."""
    size = math.hypot(*q)
    return q if abs(size - 1.0) < 4e-16 else (q[0] / size, q[1] / size, q[2] / size, q[3] / size)


def frame_quaternion(z: Vector3, x: Vector3) -> Quaternion:
    """Return the quaternion that takes the unit vectors Z to `z` and X to `x`; they must be orthonormal.

    The sign is chosen so that the first component that is not zero is positive. The largest of the four
    components is found first (Shepperd, J. Guidance and Control 1, 1978), so no small number is divided by.
    """
    y = cross(z, x)
    trace = x[0] + y[1] + z[2]
    sizes = (trace, x[0], y[1], z[2])
    largest = sizes.index(max(sizes))
    if largest == 0:
        q = (1.0 + trace, y[2] - z[1], z[0] - x[2], x[1] - y[0])
    elif largest == 1:
        q = (y[2] - z[1], 1.0 + 2.0 * x[0] - trace, x[1] + y[0], z[0] + x[2])
    elif largest == 2:
        q = (z[0] - x[2], x[1] + y[0], 1.0 + 2.0 * y[1] - trace, y[2] + z[1])
    else:
        q = (x[1] - y[0], z[0] + x[2], y[2] + z[1], 1.0 + 2.0 * z[2] - trace)
    return positive(normalised(q))


def positive(q: Quaternion) -> Quaternion:
    """Return q or -q, the one whose first component that is not zero is positive."""
    lead = next((part for part in q if part != 0.0), 1.0)
    if lead > 0.0:
        return (q[0] + 0.0, q[1] + 0.0, q[2] + 0.0, q[3] + 0.0)  # + 0.0 makes -0.0 to 0.0
    return (0.0 - q[0], 0.0 - q[1], 0.0 - q[2], 0.0 - q[3])


def perpendicular(axis: Vector3) -> Vector3:
    """Return a unit vector normal to the unit vector `axis`, by a fixed rule.

    The world (or body) axis with the smallest share in `axis` (the first of x, y, z if equal) is made normal to
    `axis`. So z has x, x has y and y has x.
    """
    shares = (abs(axis[0]), abs(axis[1]), abs(axis[2]))
    least = (X_AXIS, Y_AXIS, Z_AXIS)[shares.index(min(shares))]
    return direction(normal_part(least, axis))
