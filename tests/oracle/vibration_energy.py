"""Oracle of vibrations: masses and stiffness of a mechanism from its energies alone, in coordinates of its joints.

Poses are products of homogeneous matrices, velocities and gradients complex steps, second derivatives differences of
these; the eigenvalues are those of a dense problem, by Cholesky. Loops are constraints with multipliers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = Any
_STEP = 1e-30
#: Central differences of complex-step gradients: truncation 1e-10, rounding 1e-16/1e-5.
_DIFFERENCE = 1e-5

MOTIONS = {
    "R": [("turn", 2)], "P": [("slide", 2)], "H": [("screw", 2)], "C": [("slide", 2), ("turn", 2)],
    "U": [("turn", 2), ("turn", 0)], "S": [("turn", 2), ("turn", 1), ("turn", 0)],
    "PL": [("slide", 0), ("slide", 1), ("turn", 2)],
    "F": [("slide", 0), ("slide", 1), ("slide", 2), ("turn", 2), ("turn", 1), ("turn", 0)], "W": [],
}  # fmt: skip


def quaternion_matrix(q: Sequence[float]) -> Array:
    """Return the rotation matrix of a quaternion, scalar first."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def frame(at: Sequence[float], q: Sequence[float]) -> Array:
    """Return the homogeneous matrix of a frame."""
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = quaternion_matrix(q), at
    return found


def motion(kind: str, axis: int, value: Any, pitch: float) -> Array:
    """Return the homogeneous matrix of a motion along or about an axis."""
    found = np.eye(4, dtype=complex)
    if kind in ("slide", "screw"):
        found[axis, 3] = value * (pitch if kind == "screw" else 1.0)
    if kind in ("turn", "screw"):
        c, s = np.cos(value), np.sin(value)
        i, j = (axis + 1) % 3, (axis + 2) % 3
        found[i, i] = found[j, j] = c
        found[i, j], found[j, i] = -s, s
    return found


@dataclass
class OracleJoint:
    """A joint: pair, bodies (-1: ground), frames (4, 4) on both, pitch; springs by freedom (stiffness, rest, value)."""

    type: str
    first: int
    second: int
    frames: tuple[Array, Array]
    pitch: float = 0.0
    springs: dict[int, tuple[float, float, float]] = field(default_factory=dict)


@dataclass
class OracleModel:
    """A tree: body k is the second of joint k; `loops` close it. `ties`: (body, point, body, point, k, length)."""

    joints: list[OracleJoint]
    masses: list[tuple[float, Array, Array]]
    gravity: Array
    ties: list[tuple[int, Array, int, Array, float, float]] = field(default_factory=list)
    loops: list[tuple[int, Array, int, Array]] = field(default_factory=list)

    def poses(self, q: Array) -> list[Array]:
        """Return the homogeneous matrices of the bodies."""
        found: list[Array] = []
        first = 0
        for joint in self.joints:
            here = (np.eye(4) if joint.first < 0 else found[joint.first]) @ joint.frames[0]
            for kind, axis in MOTIONS[joint.type]:
                here = here @ motion(kind, axis, q[first], joint.pitch)
                first += 1
            found.append(here @ np.linalg.inv(joint.frames[1]))
        return found

    @property
    def freedoms(self) -> int:
        """Number of coordinates of the tree."""
        return sum(len(MOTIONS[joint.type]) for joint in self.joints)

    def potential(self, q: Array) -> Any:
        """Return the potential energy."""
        poses = self.poses(q)
        total = 0.0
        for (mass, com, _), pose in zip(self.masses, poses, strict=True):
            total = total - mass * (self.gravity @ (pose @ np.append(com, 1.0))[:3])
        k = 0
        for joint in self.joints:
            for place in range(len(MOTIONS[joint.type])):
                if place in joint.springs:
                    stiffness, rest, value = joint.springs[place]
                    total = total + 0.5 * stiffness * (q[k] - rest) ** 2 - value * q[k]
                k += 1
        for one, p, two, r, stiffness, length in self.ties:
            way = self._point(poses, two, r) - self._point(poses, one, p)
            total = total + 0.5 * stiffness * (np.sqrt(way @ way) - length) ** 2
        return total

    def closure(self, q: Array) -> Array:
        """Return what the loops close: points that coincide (ball joints)."""
        poses = self.poses(q)
        gaps = [self._point(poses, one, p) - self._point(poses, two, r) for one, p, two, r in self.loops]
        return np.concatenate(gaps) if gaps else np.zeros(0, dtype=complex)

    @staticmethod
    def _point(poses: list[Array], body: int, point: Array) -> Array:
        return np.asarray(point, dtype=complex) if body < 0 else (poses[body] @ np.append(point, 1.0))[:3]

    def mass(self, q: Array) -> Array:
        """Return the mass matrix: velocities of points and axes are complex steps."""
        slopes = _slopes(lambda x: np.array(self.poses(x)), q)
        poses = np.real(np.array(self.poses(q)))
        found = np.zeros((len(q), len(q)))
        for k, (mass, com, inertia) in enumerate(self.masses):
            turn = poses[k][:3, :3]
            v = np.array([(s[k] @ np.append(com, 1.0))[:3] for s in slopes])
            spin = np.array([_axial(s[k][:3, :3] @ turn.T) for s in slopes])
            found += mass * v @ v.T + spin @ (turn @ inertia @ turn.T) @ spin.T
        return found

    def eigenvalues(self, q: Array) -> Array:
        """Return all eigenvalues w^2, ascending, at a place of rest."""
        q = np.asarray(q, dtype=float)
        jacobian = np.array(_slopes(self.closure, q)).T.reshape(-1, len(q))
        gradient = gradient_of(self.potential, q)
        multipliers = -np.linalg.lstsq(jacobian.T, gradient, rcond=None)[0] if len(jacobian) else np.zeros(0)

        def lagrangian(x: Array) -> Any:
            return self.potential(x) + (multipliers @ self.closure(x) if len(multipliers) else 0.0)

        stiffness = np.empty((len(q), len(q)))
        for k in range(len(q)):
            step = np.zeros(len(q))
            step[k] = _DIFFERENCE
            stiffness[k] = (gradient_of(lagrangian, q + step) - gradient_of(lagrangian, q - step)) / (2 * _DIFFERENCE)
        free = np.eye(len(q))
        if len(jacobian):
            _, values, vectors = np.linalg.svd(jacobian)
            free = vectors[int((values > 1e-9 * values[0]).sum()) :].T
        return dense_eigenvalues(free.T @ (stiffness + stiffness.T) @ free / 2, free.T @ self.mass(q) @ free)


def dense_eigenvalues(stiffness: Array, mass: Array) -> Array:
    """Return the eigenvalues of K x = w^2 M x, by Cholesky of M."""
    lower = np.linalg.inv(np.linalg.cholesky(mass))
    return np.linalg.eigvalsh(lower @ stiffness @ lower.T)


def gradient_of(function: Callable[[Array], Any], q: Array) -> Array:
    """Return the gradient by complex steps."""
    return np.array(_slopes(function, q), dtype=float)


def _slopes(function: Callable[[Array], Any], q: Array) -> list[Array]:
    found = []
    for k in range(len(q)):
        moved = np.asarray(q, dtype=complex).copy()
        moved[k] += 1j * _STEP
        found.append(np.imag(function(moved)) / _STEP)
    return found


def _axial(matrix: Array) -> Array:
    return 0.5 * np.array([matrix[2, 1] - matrix[1, 2], matrix[0, 2] - matrix[2, 0], matrix[1, 0] - matrix[0, 1]])
