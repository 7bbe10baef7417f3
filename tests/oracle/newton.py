"""All assemblies of a group by Newton's method on absolute coordinates from many random starts.

Written apart from the derivations: the unknowns are the poses of the bodies (planar x, y, phi; spatial r and a
quaternion held to unit length), the equations are those of each joint, with elements of the relative pose
F_i^-1 F_j. Everything is polynomial (or sin, cos), so the Jacobian by complex step is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from oracle.instances import Instance, other_ball

Array = NDArray[Any]

_STEP = 1e-40
_ITERATIONS = 40
_CONVERGED = 1e-11
#: Two poses closer than this (entries of matrices, order 1) are one; branches of random instances are further apart.
_SAME = 1e-6


def matrices(poses: Array, space: str) -> Array:
    """Return 4 x 4 matrices of poses [x, y, phi] or [r, q] (leading axes kept; complex values welcome)."""
    m = np.zeros((*poses.shape[:-1], 4, 4), dtype=poses.dtype)
    m[..., 3, 3] = 1
    if space == "planar":
        c, s = np.cos(poses[..., 2]), np.sin(poses[..., 2])
        m[..., 0, 0], m[..., 0, 1], m[..., 1, 0], m[..., 1, 1] = c, -s, s, c
        m[..., 2, 2] = 1
        m[..., :2, 3] = poses[..., :2]
        return m
    w, x, y, z = np.moveaxis(poses[..., 3:], -1, 0)
    rows = (
        (w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)),
        (2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)),
        (2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z),
    )
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            m[..., i, j] = value
    m[..., :3, 3] = poses[..., :3]
    return m


def inverse(m: Array) -> Array:
    """Return the inverse of rigid motions; for quaternions off unit length, of what Newton still has to mend."""
    out = np.zeros_like(m)
    turned = np.swapaxes(m[..., :3, :3], -1, -2)
    out[..., :3, :3] = turned
    out[..., :3, 3] = -(turned @ m[..., :3, 3, None])[..., 0]
    out[..., 3, 3] = 1
    return out


def _turned_by(sine: Array, cosine: Array, angle: float) -> Array:
    """Vanish where (sine, cosine) points along the angle or against it."""
    return sine * np.cos(angle) - cosine * np.sin(angle)


def _equations(joint: Mapping[str, Any], drive: Mapping[str, float], t: Array, space: str) -> list[Array]:
    """Return the constraint equations of a joint in its relative pose."""
    at, r = t[..., :3, 3], t[..., :3, :3]
    kind = joint["type"]
    if space == "planar":
        rows = {
            "R": [at[..., 0], at[..., 1]],
            "P": [at[..., 1], r[..., 1, 0]],
            "L": [at[..., 1]],
            "FP": [],
        }[kind]
        rows += [_turned_by(r[..., 1, 0], r[..., 0, 0], drive["angle"])] if "angle" in drive else []
        places = {"slide": 0, "x": 0, "y": 1}
    else:
        point, tilt = [at[..., 0], at[..., 1], at[..., 2]], [r[..., 0, 2], r[..., 1, 2]]
        rows = {
            "R": point + tilt,
            "P": [*point[:2], *tilt, r[..., 1, 0]],
            "C": point[:2] + tilt,
            "U": [*point, r[..., 2, 0]],
            "S": point,
            "PL": [point[2], *tilt],
        }[kind]
        rows += [_turned_by(r[..., 1, 0], r[..., 0, 0], drive["angle"])] if "angle" in drive else []
        rows += [_turned_by(r[..., 1, 0], r[..., 0, 0], drive["angle1"])] if "angle1" in drive else []
        rows += [_turned_by(r[..., 2, 1], r[..., 2, 2], drive["angle2"])] if "angle2" in drive else []
        places = {"slide": 2}
    rows += [at[..., place] - drive[name] for name, place in places.items() if name in drive]
    return rows


def _true_side(joint: Mapping[str, Any], drive: Mapping[str, float], t: Array, space: str) -> Array:
    """Tell the assemblies of the joint from those with an axis or an angle turned round, which its equations admit."""
    r = t[..., :3, :3]
    kind = joint["type"]
    good = np.ones(t.shape[:-2], dtype=bool)
    if kind == "P":
        good &= r[..., 0, 0] > 0
    if kind in ("R", "C", "P", "PL") and space == "spatial":
        good &= r[..., 2, 2] > 0
    if "angle" in drive:
        good &= r[..., 0, 0] * np.cos(drive["angle"]) + r[..., 1, 0] * np.sin(drive["angle"]) > 0
    if "angle1" in drive:
        good &= r[..., 0, 0] * np.cos(drive["angle1"]) + r[..., 1, 0] * np.sin(drive["angle1"]) > 0
    if "angle2" in drive:
        good &= r[..., 2, 2] * np.cos(drive["angle2"]) + r[..., 2, 1] * np.sin(drive["angle2"]) > 0
    return good


class Assembler:
    """The equations of one instance."""

    def __init__(self, instance: Instance) -> None:
        self.instance, self.space = instance, instance.space
        self.size = 3 if self.space == "planar" else 7
        self.bodies = list(instance.arrangement["bodies"])
        self.unknowns = self.size * len(self.bodies)
        self._known = {k: self._fixed(k) for k in instance.arrangement["known"]}
        self._frames = {name: self._fixed(name) for j in instance.arrangement["joints"] for name in j["frames"]}
        self._drives = {
            j["name"]: dict(zip(j["driven"], map(float, instance.ports.get(f"u_{j['name']}", ())), strict=True))
            for j in instance.arrangement["joints"]
        }

    def _fixed(self, port: str) -> Array:
        return matrices(np.array([float(x) for x in self.instance.ports[port]]), self.space)

    def poses(self, x: Array) -> dict[str, Array]:
        """Return the pose matrices of the unknown bodies."""
        n = self.size
        return {b: matrices(x[..., n * k : n * (k + 1)], self.space) for k, b in enumerate(self.bodies)}

    def _relative(self, x: Array) -> list[tuple[Mapping[str, Any], Array]]:
        bodies = {**self._known, **self.poses(x)}
        found = []
        for joint in self.instance.arrangement["joints"]:
            (first, second), (frame_1, frame_2) = joint["bodies"], joint["frames"]
            t = inverse(bodies[first] @ self._frames[frame_1]) @ (bodies[second] @ self._frames[frame_2])
            found.append((joint, t))
        return found

    def residual(self, x: Array) -> Array:
        """Return all equations at x (leading axes kept)."""
        rows = [e for j, t in self._relative(x) for e in _equations(j, self._drives[j["name"]], t, self.space)]
        rows += [self._spin(t, line) for line, t in self._rods(x)]
        if self.space == "spatial":
            for k in range(len(self.bodies)):
                q = x[..., 7 * k + 3 : 7 * k + 7]
                rows.append((q * q).sum(axis=-1) - 1)
        return np.stack(np.broadcast_arrays(*rows), axis=-1)

    def _rods(self, x: Array) -> list[tuple[Array, Array]]:
        """Return for a rod between two balls its line in the frame of the last ball, and how that frame is turned."""
        found = []
        for joint, t in self._relative(x):
            other = other_ball(self.instance.arrangement, joint)
            if other is not None:
                line = (inverse(self._frames[joint["frames"][1]]) @ self._frames[other])[:3, 3]
                found.append((line / np.linalg.norm(line), t[..., :3, :3]))
        return found

    @staticmethod
    def _spin(r: Array, line: Array) -> Array:
        """Vanish where a rotation's axis is at a right angle to a line: it is the smallest one that moves it there."""
        axis = (r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1])
        return axis[0] * line[0] + axis[1] * line[1] + axis[2] * line[2]

    def jacobian(self, x: Array) -> Array:
        """Return d residual / d x at real x, exact by complex step."""
        moved = x[:, None, :] + 1j * _STEP * np.eye(self.unknowns)
        return np.swapaxes(self.residual(moved).imag / _STEP, -1, -2)

    def is_true(self, x: Array) -> Array:
        """Tell which solutions are assemblies of the joints as they are."""
        checks = [_true_side(j, self._drives[j["name"]], t, self.space) for j, t in self._relative(x)]
        # half turns about other axes have no skew part either: the cosine of the smallest rotation is that of the line
        for line, r in self._rods(x):
            cosine = line @ r @ line
            checks.append(np.abs(np.trace(r, axis1=-2, axis2=-1) - 1 - 2 * cosine) < _SAME)
        return np.logical_and.reduce(np.broadcast_arrays(*checks))

    def starts(self, rng: np.random.Generator, count: int) -> Array:
        """Return random start points around the known bodies."""
        x = rng.uniform(-3, 3, (count, self.unknowns))
        for k in range(len(self.bodies)):
            if self.space == "planar":
                x[:, 3 * k + 2] = rng.uniform(-np.pi, np.pi, count)
            else:
                q = rng.normal(size=(count, 4))
                x[:, 7 * k + 3 : 7 * k + 7] = q / np.linalg.norm(q, axis=1, keepdims=True)
        return x

    def solve(self, x: Array) -> Array:
        """Run Newton with bounded steps; return those that converged to true assemblies."""
        f, ended = self.residual(x), [x[:0]]
        for _ in range(_ITERATIONS):
            jacobian = self.jacobian(x)
            # Levenberg's small term keeps steps finite where the Jacobian is singular, and dies with the residual.
            damping = 1e-3 * np.minimum((f * f).sum(axis=-1), 1.0)
            transposed = np.swapaxes(jacobian, -1, -2)
            normal = transposed @ jacobian + damping[:, None, None] * np.eye(self.unknowns)
            step = np.linalg.solve(normal + 1e-15 * np.eye(self.unknowns), (transposed @ f[..., None]))[..., 0]
            length = np.linalg.norm(step, axis=-1, keepdims=True)
            x = x - step * np.minimum(1.0, 2.0 / np.maximum(length, 1e-300))
            had_converged, f = np.abs(f).max(axis=-1) < _CONVERGED, self.residual(x)
            going = ~had_converged & (np.abs(f).max(axis=-1) < 1e6)
            ended.append(x[had_converged])  # with one step more
            x, f = x[going], f[going]
            if not len(x):
                break
        every = np.concatenate([*ended, x])
        kept = every[np.abs(self.residual(every)).max(axis=-1) < _CONVERGED]
        return kept[self.is_true(kept)]


def flat_poses(poses: Mapping[str, Array]) -> Array:
    """Return the first three rows of all matrices as one vector, to compare configurations by."""
    return np.concatenate([m[..., :3, :].reshape(*m.shape[:-2], 12) for m in poses.values()], axis=-1)


def distinct(configurations: Array) -> Array:
    """Return one of each configuration."""
    kept: list[Array] = []
    for candidate in configurations:
        if all(np.abs(candidate - k).max() > _SAME for k in kept):
            kept.append(candidate)
    return np.array(kept).reshape(-1, configurations.shape[-1])
