"""Kinematics by matrices, written apart from symgen's derivations: the oracle of the solver tests.

Everything is 4 x 4 (planar problems too), in numbers of any kind that supports arithmetic; `mpmath` for differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import mpmath
from mpmath import mp, mpf

Matrix = Any

#: Freedoms of a pair, in order: kind and axis of each elementary motion from the first to the second joint frame.
CHAIN = {
    "R": [("R", 2, "angle")],
    "P": [("P", 2, "slide")],
    "H": [("R", 2, "angle")],
    "C": [("P", 2, "slide"), ("R", 2, "angle")],
    "U": [("R", 2, "angle1"), ("R", 0, "angle2")],
    "S": [("R", 2, "yaw"), ("R", 1, "pitch"), ("R", 0, "roll")],
    "PL": [("P", 0, "x"), ("P", 1, "y"), ("R", 2, "angle")],
    "F": [("P", 0, "x"), ("P", 1, "y"), ("P", 2, "z"), ("R", 2, "yaw"), ("R", 1, "pitch"), ("R", 0, "roll")],
    "FP": [("P", 0, "x"), ("P", 1, "y"), ("R", 2, "angle")],
    "L": [("P", 0, "slide"), ("R", 2, "angle")],
}


def chain(type_: str, space: str) -> list[tuple[str, int, str]]:
    """Return the elementary motions of a pair; a planar P slides along x."""
    return [("P", 0, "slide")] if space == "planar" and type_ == "P" else CHAIN[type_]


def translation(vector: Sequence[Any]) -> Matrix:
    m = mpmath.eye(4)
    for k in range(3):
        m[k, 3] = vector[k]
    return m


def turn(axis: int, angle: Any) -> Matrix:
    m = mpmath.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = mpmath.cos(angle), mpmath.sin(angle)
    m[i, i], m[i, j], m[j, i], m[j, j] = c, -s, s, c
    return m


def pair_motion(type_: str, space: str, values: Mapping[str, Any]) -> Matrix:
    """Return F_i^-1 F_j of a pair for the values of its freedoms; an H also has its pitch among them."""
    m = translation([0, 0, mpf(values["pitch"]) * mpf(values["angle"])]) if type_ == "H" else mpmath.eye(4)
    for kind, axis, freedom in chain(type_, space):
        value = mpf(values[freedom])
        unit = [mpf(int(k == axis)) * value for k in range(3)]
        m = m * (translation(unit) if kind == "P" else turn(axis, value))
    return m


def pose_matrix(pose: Sequence[Any], space: str) -> Matrix:
    """Return the matrix of a pose [x, y, phi] or [r, q]."""
    if space == "planar":
        return translation([pose[0], pose[1], 0]) * turn(2, mpf(pose[2]))
    q0, q1, q2, q3 = (mpf(x) for x in pose[3:7])
    m = translation([mpf(x) for x in pose[:3]])
    rows = [
        [q0 * q0 + q1 * q1 - q2 * q2 - q3 * q3, 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), q0 * q0 - q1 * q1 + q2 * q2 - q3 * q3, 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3],
    ]
    for i in range(3):
        for j in range(3):
            m[i, j] = rows[i][j]
    return m


def inverse(m: Matrix) -> Matrix:
    """Return the inverse of a rigid motion."""
    rotation = m[:3, :3].T
    out = mpmath.eye(4)
    back = -(rotation * m[:3, 3])
    for i in range(3):
        out[i, 3] = back[i]
        for j in range(3):
            out[i, j] = rotation[i, j]
    return out


def matrix_pose(m: Matrix, space: str) -> list[Any]:
    """Return the pose of a matrix; the quaternion by its largest component (Shepperd 1978)."""
    if space == "planar":
        return [m[0, 3], m[1, 3], mpmath.atan2(m[1, 0], m[0, 0])]
    t = m[0, 0] + m[1, 1] + m[2, 2]
    squares = [1 + t, 1 + 2 * m[0, 0] - t, 1 + 2 * m[1, 1] - t, 1 + 2 * m[2, 2] - t]
    k = max(range(4), key=lambda n: squares[n])
    a, b, c = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]
    x, y, z = m[1, 0] + m[0, 1], m[0, 2] + m[2, 0], m[2, 1] + m[1, 2]
    rows = [[squares[0], a, b, c], [a, squares[1], x, y], [b, x, squares[2], z], [c, y, z, squares[3]]]
    scale = 2 * mpmath.sqrt(squares[k])
    return [m[0, 3], m[1, 3], m[2, 3], *(value / scale for value in rows[k])]


def rotation_exp(vector: Sequence[Any]) -> Matrix:
    """Return the rotation by a rotation vector (Rodrigues)."""
    angle = mpmath.sqrt(sum(mpf(x) ** 2 for x in vector))
    m = mpmath.eye(4)
    if angle == 0:
        return m
    x, y, z = (mpf(v) / angle for v in vector)
    k = mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    r = mpmath.eye(3) + mpmath.sin(angle) * k + (1 - mpmath.cos(angle)) * (k * k)
    for i in range(3):
        for j in range(3):
            m[i, j] = r[i, j]
    return m


def rotation_log(m: Matrix) -> list[Any]:
    """Return the rotation vector of a small rotation: theta / (2 sin theta) times the skew part."""
    v = [(m[2, 1] - m[1, 2]) / 2, (m[0, 2] - m[2, 0]) / 2, (m[1, 0] - m[0, 1]) / 2]
    s = mpmath.sqrt(sum(x * x for x in v))
    factor = mpmath.asin(s) / s if s else mpf(1)
    return [x * factor for x in v]


def moved(pose: Sequence[Any], twist: Sequence[Any], acceleration: Sequence[Any], t: Any, space: str) -> list[Any]:
    """Return the pose after time t of a body with these derivatives at t = 0 (world axes, body origin)."""
    t = mpf(t)
    if space == "planar":
        return [mpf(p) + mpf(v) * t + mpf(a) * t * t / 2 for p, v, a in zip(pose, twist, acceleration, strict=True)]
    path = [mpf(v) * t + mpf(a) * t * t / 2 for v, a in zip(twist, acceleration, strict=True)]
    m = pose_matrix(pose, space)
    at = [m[k, 3] + path[k] for k in range(3)]
    for k in range(3):
        m[k, 3] = 0
    return matrix_pose(translation(at) * rotation_exp(path[3:]) * m, space)


def differences(before: Matrix, now: Matrix, after: Matrix, h: Any) -> tuple[list[Any], list[Any]]:
    """Return twist and acceleration of a body by central differences of its pose matrices at -h, 0, h."""
    h = mpf(h)
    v = [(after[k, 3] - before[k, 3]) / (2 * h) for k in range(3)]
    a = [(after[k, 3] - 2 * now[k, 3] + before[k, 3]) / (h * h) for k in range(3)]
    plus, minus = rotation_log(after * inverse(now)), rotation_log(before * inverse(now))
    # rotation vectors, so translations of the products above do not matter: only the 3 x 3 part is read
    omega = [(p - m) / (2 * h) for p, m in zip(plus, minus, strict=True)]
    alpha = [(p + m) / (h * h) for p, m in zip(plus, minus, strict=True)]
    return v + omega, a + alpha


mp.dps = 50
