"""Random geometry for the float versions: instances of an arrangement as arrays, built forwards so that they assemble.

Lengths are of order 1 m: known bodies within 1, joint frames within 0.6, slides within 1.4 (angles too). Everything
comes from one seeded generator, and from the manifest alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from symgen.library.manifest import ManifestArrangement, ManifestJoint
from symgen.poses import Array, matrix

Ports = dict[str, Array]

#: Freedoms of a pair, in order: what it does (P slides, R turns) and along which axis of the first joint frame.
_CHAINS: dict[str, list[tuple[str, int, str]]] = {
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
_KNOWN, _FRAME, _COORDINATE = 1.0, 0.6, 1.4


def random_ports(space: str, arrangement: ManifestArrangement, rows: int, seed: int) -> Ports:
    """Return the inputs of all stages of an arrangement, each with `rows` rows."""
    rng = np.random.default_rng(seed)
    degrees = 3 if space == "planar" else 6
    ports: Ports = {}
    bodies: dict[str, Array] = {}
    for name in arrangement.known:
        ports[name] = _random_pose(rng, space, rows, _KNOWN)
        bodies[name] = placed(ports[name])
        for level in ("v", "a"):
            ports[f"{level}_{name}"] = rng.uniform(-1, 1, (rows, degrees))
    waiting = list(arrangement.joints)
    while waiting:  # in order, but for pairs between bodies that are both not placed yet
        joint = next(j for j in waiting if not bodies.keys().isdisjoint(j.bodies))
        waiting.remove(joint)
        _close(rng, space, joint, bodies, ports, rows)
    return ports


def _close(
    rng: np.random.Generator, space: str, joint: ManifestJoint, bodies: dict[str, Array], ports: Ports, rows: int
) -> None:
    """Choose a joint's coordinates and frames; place the body that is not placed, or fit the first frame."""
    chain = [("P", 0, "slide")] if space == "planar" and joint.type == "P" else _CHAINS[joint.type]
    values = {freedom: rng.uniform(-_COORDINATE, _COORDINATE, rows) for _, _, freedom in chain}
    if joint.driven:
        ports[f"u_{joint.name}"] = np.stack([values[freedom] for freedom in joint.driven], axis=-1)
        for level in ("ud", "udd"):
            ports[f"{level}_{joint.name}"] = rng.uniform(-1, 1, (rows, len(joint.driven)))
    motion = np.broadcast_to(np.eye(4), (rows, 4, 4))
    if joint.type == "H":
        pitch = ports[f"pitch_{joint.name}"] = rng.uniform(-_COORDINATE, _COORDINATE, rows)
        motion = _elementary("P", 2, pitch * values["angle"])
    for kind, axis, freedom in chain:
        motion = motion @ _elementary(kind, axis, values[freedom])
    first, second = joint.bodies
    name_1, name_2 = joint.frames
    ports[name_2] = _random_pose(rng, space, rows, _FRAME)
    frame_2 = placed(ports[name_2])
    if first in bodies and second in bodies:
        fitted = _inverse(bodies[first]) @ bodies[second] @ frame_2 @ _inverse(motion)
        ports[name_1] = _pose(fitted, space)
        return
    ports[name_1] = _random_pose(rng, space, rows, _FRAME)
    frame_1 = placed(ports[name_1])
    if second in bodies:
        bodies[first] = bodies[second] @ frame_2 @ _inverse(motion) @ _inverse(frame_1)
    else:
        bodies[second] = bodies[first] @ frame_1 @ motion @ _inverse(frame_2)


def _random_pose(rng: np.random.Generator, space: str, rows: int, size: float) -> Array:
    if space == "planar":
        return np.concatenate([rng.uniform(-size, size, (rows, 2)), rng.uniform(-np.pi, np.pi, (rows, 1))], axis=1)
    q = rng.normal(size=(rows, 4))
    return np.concatenate([rng.uniform(-size, size, (rows, 3)), q / np.linalg.norm(q, axis=1, keepdims=True)], axis=1)


def placed(pose: Array) -> Array:
    """Return the matrices (..., 4, 4) of poses [x, y, phi] or [r, q]."""
    m = np.zeros((*pose.shape[:-1], 4, 4))
    m[..., 3, 3] = 1.0
    if pose.shape[-1] == 3:
        c, s = np.cos(pose[..., 2]), np.sin(pose[..., 2])
        m[..., 0, 0], m[..., 0, 1], m[..., 1, 0], m[..., 1, 1], m[..., 2, 2] = c, -s, s, c, 1.0
        m[..., :2, 3] = pose[..., :2]
    else:
        m[..., :3, :3], m[..., :3, 3] = matrix(pose[..., 3:]), pose[..., :3]
    return m


def _elementary(kind: str, axis: int, value: Array) -> Array:
    m = np.tile(np.eye(4), (*value.shape, 1, 1))
    if kind == "P":
        m[..., axis, 3] = value
        return m
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s = np.cos(value), np.sin(value)
    m[..., i, i], m[..., i, j], m[..., j, i], m[..., j, j] = c, -s, s, c
    return m


def _inverse(m: Array) -> Array:
    turned = np.swapaxes(m[..., :3, :3], -1, -2)
    back = m.copy()
    back[..., :3, :3] = turned
    back[..., :3, 3] = -np.einsum("...ij,...j->...i", turned, m[..., :3, 3])
    return back


def _pose(m: Array, space: str) -> Array:
    """Return the poses of matrices; quaternions by their largest component (Shepperd 1978)."""
    if space == "planar":
        return np.stack([m[..., 0, 3], m[..., 1, 3], np.arctan2(m[..., 1, 0], m[..., 0, 0])], axis=-1)
    diagonal = np.stack([m[..., k, k] for k in range(3)], axis=-1)
    total = diagonal.sum(axis=-1)
    squares = np.stack([1 + total, *(1 + 2 * diagonal[..., k] - total for k in range(3))], axis=-1)
    a, b, c = (m[..., i, j] - m[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    x, y, z = (m[..., i, j] + m[..., j, i] for i, j in ((1, 0), (0, 2), (2, 1)))
    table: list[list[Any]] = [
        [squares[..., 0], a, b, c],
        [a, squares[..., 1], x, y],
        [b, x, squares[..., 2], z],
        [c, y, z, squares[..., 3]],
    ]
    rows = np.stack([np.stack(row, axis=-1) for row in table], axis=-2)
    best = np.argmax(squares, axis=-1)
    q = np.take_along_axis(rows, best[..., None, None], axis=-2)[..., 0, :]
    return np.concatenate([m[..., :3, 3], q / np.linalg.norm(q, axis=-1, keepdims=True)], axis=-1)
