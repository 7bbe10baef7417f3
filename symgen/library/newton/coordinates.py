"""Joint coordinates with rates and accelerations from the motions of the two bodies a joint connects.

In the axes of the first joint frame, which turn with w_1, let p be the place of the second frame's origin, and w the
angular velocity of the second frame relative to the first. Then

    slides   components of p = E^T d,   p' = E^T c  with c = d' - w_1 x d,
             p'' = E^T (d'' - w_1' x d - w_1 x (w_1 x d) - 2 w_1 x c)
    R, C, L, PL angle about z: angle' = w_z
    H        angle = slide / pitch, which counts full turns
    U, ER    w = angle1' z + angle2' (cos angle1, sin angle1, 0), for F_j = F_i Rz(angle1) Rx(angle2)
    S        `symgen.library.joint_coordinates`

Source: elementary; freedoms as in a mechanism file.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symgen.library.adapt import BodyMotion
from symgen.library.joint_coordinates import spherical_coordinates
from symgen.library.newton.problem import GroupProblem
from symgen.model.pairs import PAIR_TYPES
from symgen.poses import Array, matrix, multiply


def joint_coordinates(
    problem: GroupProblem,
    motions: Mapping[str, BodyMotion],
    drives: Mapping[tuple[str, str], Array],
) -> dict[str, dict[str, Array]]:
    """Return joint -> freedom -> (..., 3) value, rate, acceleration; driven ones as they were given."""
    found = {}
    for joint in problem.joints:
        ends = [motions[body] for body in joint.bodies]
        frames = problem.frames[joint.name]
        if problem.space == "planar":
            every = _planar(ends, frames, joint.type)
        else:
            every = _spatial(ends, frames, joint.type, problem.pitches.get(joint.name))
        rows = np.broadcast_shapes(*(each.shape for each in every.values())) if every else (3,)
        for freedom in joint.driven:
            every[freedom] = np.broadcast_to(np.asarray(drives[joint.name, freedom]), rows)
        found[joint.name] = {name: every[name] for name in PAIR_TYPES[joint.type].freedoms}
    return found


def _rates(motion: BodyMotion, size: int) -> tuple[Array, Array]:
    rest = np.zeros((*np.shape(motion.pose)[:-1], size))
    twist = rest if motion.twist is None else np.asarray(motion.twist)
    return twist, rest if motion.acceleration is None else np.asarray(motion.acceleration)


def _spatial(ends: list[BodyMotion], frames: tuple[Array, Array], code: str, pitch: float | None) -> dict[str, Array]:
    poses = [np.asarray(end.pose) for end in ends]
    rates = [_rates(end, 6) for end in ends]
    origins = [_carried(pose, *both, frame[:3]) for pose, both, frame in zip(poses, rates, frames, strict=True)]
    d, v, a = (after - before for before, after in zip(*origins, strict=True))
    turns = [
        multiply(pose[..., 3:], np.broadcast_to(frame[3:], pose[..., 3:].shape))
        for pose, frame in zip(poses, frames, strict=True)
    ]
    first, second = (matrix(turn) for turn in turns)
    back = np.swapaxes(first, -1, -2)
    w1, g1 = rates[0][0][..., 3:], rates[0][1][..., 3:]
    w2, g2 = rates[1][0][..., 3:], rates[1][1][..., 3:]
    seen = v - np.cross(w1, d)
    place = _apply(back, d), _apply(back, seen)
    growth = _apply(back, a - np.cross(g1, d) - np.cross(w1, np.cross(w1, d)) - 2.0 * np.cross(w1, seen))
    slides = np.stack(np.broadcast_arrays(*place, growth), axis=-1)  # (..., 3, 3): axis, order
    across = w2 - w1
    w, w_dot = _apply(back, across), _apply(back, g2 - g1 - np.cross(w1, across))
    relative = back @ second
    if code in ("S", "F"):
        turning = spherical_coordinates((poses[0][..., 3:], poses[1][..., 3:]), frames, (w1, w2), (g1, g2))
    elif code in ("U", "ER"):
        turning = _cross_angles(relative, w, w_dot)
    else:
        about_z = np.arctan2(relative[..., 1, 0] - relative[..., 0, 1], relative[..., 0, 0] + relative[..., 1, 1])
        turning = {"angle": np.stack(np.broadcast_arrays(about_z, w[..., 2], w_dot[..., 2]), axis=-1)}
    if code == "H" and pitch is not None:
        turning["angle"] = slides[..., 2, :] / pitch
    found = {
        "x": slides[..., 0, :],
        "y": slides[..., 1, :],
        "z": slides[..., 2, :],
        "slide": slides[..., 0 if code == "L" else 2, :],
    }
    return {name: (found | turning)[name] for name in PAIR_TYPES[code].freedoms}


def _cross_angles(relative: Array, w: Array, w_dot: Array) -> dict[str, Array]:
    one = np.arctan2(relative[..., 1, 0], relative[..., 0, 0])
    two = np.arctan2(relative[..., 2, 1], relative[..., 2, 2])
    c, s = np.cos(one), np.sin(one)
    rates = w[..., 2], c * w[..., 0] + s * w[..., 1]
    growth = w_dot[..., 2], c * w_dot[..., 0] + s * w_dot[..., 1]
    return {
        name: np.stack(np.broadcast_arrays(angle, rate, second), axis=-1)
        for name, angle, rate, second in zip(("angle1", "angle2"), (one, two), rates, growth, strict=True)
    }


def _apply(rotation: Array, vector: Array) -> Array:
    result: Array = (rotation @ vector[..., None])[..., 0]
    return result


def _carried(pose: Array, twist: Array, second: Array, at: Array) -> tuple[Array, Array, Array]:
    lever = _apply(matrix(pose[..., 3:]), at)
    w, g = twist[..., 3:], second[..., 3:]
    turning = np.cross(w, lever)
    return pose[..., :3] + lever, twist[..., :3] + turning, second[..., :3] + np.cross(g, lever) + np.cross(w, turning)


def _planar(ends: list[BodyMotion], frames: tuple[Array, Array], code: str) -> dict[str, Array]:
    """The same in the plane, where P and L slide along x."""
    lifted = []
    for end in ends:
        pose = np.asarray(end.pose)
        lifted.append(BodyMotion(_lift_pose(pose), *(_lift(each) for each in _rates(end, 3))))
    one, two = (_lift_pose(np.asarray(frame)) for frame in frames)
    every = _spatial(lifted, (one, two), "PL", None)
    every["slide"] = every["x"]
    return {name: every[name] for name in PAIR_TYPES[code].freedoms}


def _lift_pose(pose: Array) -> Array:
    zero, half = 0.0 * pose[..., 2], 0.5 * pose[..., 2]
    return np.stack([pose[..., 0], pose[..., 1], zero, np.cos(half), zero, zero, np.sin(half)], axis=-1)


def _lift(planar: Array) -> Array:
    zero = 0.0 * planar[..., 2]
    return np.stack([planar[..., 0], planar[..., 1], zero, zero, zero, planar[..., 2]], axis=-1)
