"""Groups that are assembled by construction: forward kinematics from joint to joint, with numbers of our own.

Nothing here uses a solver. Joint coordinates and the motion of the first known body are smooth functions of time;
all other poses follow from them by multiplying 4 x 4 matrices, and all velocities and accelerations from poses at
neighbouring times.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.library.manifest import ManifestArrangement
from symgen.model.pairs import PAIR_TYPES

Matrix = NDArray[np.float64]

#: Of every helical pair [m/rad].
PITCH = 0.15

#: Step of the five-point differences below. With motions of order one the truncation is about h^4/30 = 3e-14 for
#: rates and h^4/90 for accelerations, rounding about 1e-16/h and 1e-16/h^2 = 1e-10.
STEP = 1e-3
_FIRST = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
_SECOND = np.array([-1.0, 16.0, -30.0, 16.0, -1.0]) / 12.0


def turn(axis: int, angle: float) -> Matrix:
    """Rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = np.eye(4)
    result[i, i] = result[j, j] = c
    result[j, i], result[i, j] = s, -s
    return result


def shift(*vector: float) -> Matrix:
    """Translation."""
    result = np.eye(4)
    result[:3, 3] = vector
    return result


def joint_motion(code: str, q: dict[str, float], planar: bool) -> Matrix:
    """Pose of a joint's second frame in its first, as the mechanism file defines the freedoms."""
    get = q.get
    place = shift(get("x", 0.0), get("y", 0.0), get("z", 0.0))
    attitude = turn(2, get("yaw", 0.0)) @ turn(1, get("pitch", 0.0)) @ turn(0, get("roll", 0.0))
    slide = get("slide", 0.0)
    along = shift(slide, 0.0, 0.0) if planar else shift(0.0, 0.0, slide)
    return {
        "R": turn(2, get("angle", 0.0)),
        "H": shift(0.0, 0.0, PITCH * get("angle", 0.0)) @ turn(2, get("angle", 0.0)),
        "P": along,
        "C": along @ turn(2, get("angle", 0.0)),
        "U": turn(2, get("angle1", 0.0)) @ turn(0, get("angle2", 0.0)),
        "ER": turn(2, get("angle1", 0.0)) @ turn(0, get("angle2", 0.0)),
        "S": attitude,
        "F": place @ attitude,
        "FP": place @ turn(2, get("angle", 0.0)),
        "L": shift(slide, 0.0, 0.0) @ turn(2, get("angle", 0.0)),
        "PL": place @ turn(2, get("angle", 0.0)),
    }[code]


def quaternion(rotation: Matrix) -> Matrix:
    """Quaternion of a rotation matrix: the eigenvector of Bar-Itzhack's symmetric matrix (J. Guidance 23, 2000)."""
    r = rotation[:3, :3]
    k = np.array(
        [
            [np.trace(r), r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [0.0, r[0, 0] - r[1, 1] - r[2, 2], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [0.0, 0.0, r[1, 1] - r[0, 0] - r[2, 2], r[1, 2] + r[2, 1]],
            [0.0, 0.0, 0.0, r[2, 2] - r[0, 0] - r[1, 1]],
        ]
    )
    q: Matrix = np.linalg.eigh(np.triu(k) + np.triu(k, 1).T)[1][:, -1]
    return q if q[0] >= 0 else -q


@dataclass(frozen=True)
class Motion:
    """Pose, twist and acceleration of a frame, from its poses at five times."""

    pose: Matrix
    twist: Matrix
    acceleration: Matrix


def motion_of(poses: list[Matrix]) -> Motion:
    """Differentiate poses at times -2h, ..., 2h."""
    stack = np.array(poses)
    first = np.tensordot(_FIRST, stack, 1) / STEP
    second = np.tensordot(_SECOND, stack, 1) / STEP**2
    rotation = poses[2][:3, :3]
    spin = first[:3, :3] @ rotation.T
    change = second[:3, :3] @ rotation.T + first[:3, :3] @ first[:3, :3].T
    twist = np.array([*first[:3, 3], *_axial(spin)])
    return Motion(poses[2], twist, np.array([*second[:3, 3], *_axial(change)]))


def _axial(skew: Matrix) -> Matrix:
    return np.array([skew[2, 1] - skew[1, 2], skew[0, 2] - skew[2, 0], skew[1, 0] - skew[0, 1]]) / 2


@dataclass(frozen=True)
class AssembledGroup:
    """An instance file's tree, and what it must come out as."""

    tree: dict[str, Any]
    bodies: dict[str, Motion]
    coordinates: dict[str, dict[str, list[float]]]


def assemble(arrangement: ManifestArrangement, space: str, seed: int, turned: tuple[bool, ...]) -> AssembledGroup:
    """Make a group of an arrangement's shape with random frames and motion.

    Parameters
    ----------
    turned : for each joint whether it is written with its bodies in the other order.
    """
    random, planar = np.random.default_rng(seed), space == "planar"
    names = {place: place.upper() for place in arrangement.known} | {
        place: f"body_{place}" for place in arrangement.bodies
    }
    written = [_written(joint, swap) for joint, swap in zip(arrangement.joints, turned, strict=True)]
    laws = [{name: _law(random) for name in _freedoms(joint.type)} for joint in arrangement.joints]
    frames = {(joint.name, body): _random_pose(random, planar) for joint in arrangement.joints for body in joint.bodies}
    base = [_law(random) for _ in range(6)]
    times = STEP * np.arange(-2, 3)

    poses: dict[str, list[Matrix]] = {place: [] for place in names}
    for t in times:
        x, y, z, yaw, pitch, roll = (law(t) for law in base)
        at = {arrangement.known[0]: shift(x, y, 0.0) @ turn(2, yaw)}
        if not planar:
            at = {arrangement.known[0]: shift(x, y, z) @ turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)}
        left = list(zip(arrangement.joints, written, laws, strict=True))
        while left:  # the next joint with a placed body
            joint, (one, two), law = left.pop(next(k for k, (_, ends, _) in enumerate(left) if {*ends} & at.keys()))
            step = joint_motion(joint.type, {name: each(t) for name, each in law.items()}, planar)
            step = frames[joint.name, one] @ step @ np.linalg.inv(frames[joint.name, two])
            if one in at:
                at[two] = at[one] @ step
            else:
                at[one] = at[two] @ np.linalg.inv(step)
        for place, pose in at.items():
            poses[place].append(pose)

    motions = {place: motion_of(each) for place, each in poses.items()}
    joints = {}
    coordinates = {}
    for joint, (one, two), law in zip(arrangement.joints, written, laws, strict=True):
        triples = {name: _triple([each(t) for t in times]) for name, each in law.items()}
        coordinates[joint.name] = triples
        joints[joint.name] = {
            "type": joint.type,
            "bodies": [names[one], names[two]],
            "frames": {names[body]: _frame_tree(frames[joint.name, body], planar) for body in (one, two)},
            "driven": {name: triples[name] for name in _turned_names(joint, (one, two) != joint.bodies)},
        }
        if joint.type == "H":
            joints[joint.name]["pitch"] = PITCH
    tree = {
        "schema": "symgen/group-instance/1",
        "space": space,
        "known": {names[place]: _motion_tree(motions[place], planar) for place in arrangement.known},
        "bodies": [names[place] for place in arrangement.bodies],
        "joints": joints,
    }
    return AssembledGroup(tree, {names[place]: motions[place] for place in arrangement.bodies}, coordinates)


def _written(joint: Any, swap: bool) -> tuple[str, str]:
    first, second = joint.bodies
    return (second, first) if swap else (first, second)


def _freedoms(code: str) -> tuple[str, ...]:
    return PAIR_TYPES[code].freedoms


def _turned_names(joint: Any, swap: bool) -> list[str]:
    """Freedoms that are driven, as they are called when the joint is written the other way round."""
    exchange = {"angle1": "angle2", "angle2": "angle1"} if swap else {}
    return [exchange.get(name, name) for name in joint.driven]


def _law(random: np.random.Generator) -> Callable[[float], float]:
    # Away from 0, pi/2 and pi, where axes line up and a random group would be nearly singular.
    start, rate, bend = random.uniform(0.3, 1.2) * random.choice([-1, 1]), *random.uniform(-1, 1, 2)
    return lambda t: float(start + rate * t + 0.5 * bend * t * t + 0.3 * t**3)


def _random_pose(random: np.random.Generator, planar: bool) -> Matrix:
    x, y, z, yaw, pitch, roll = random.uniform(-1, 1, 6)
    if planar:
        return shift(x, y, 0.0) @ turn(2, yaw)
    return shift(x, y, z) @ turn(2, yaw) @ turn(1, pitch) @ turn(0, roll)


def _triple(values: list[float]) -> list[float]:
    row = np.array(values)
    return [values[2], float(_FIRST @ row / STEP), float(_SECOND @ row / STEP**2)]


def _angle(pose: Matrix) -> float:
    return float(np.arctan2(pose[1, 0], pose[0, 0]))


def _frame_tree(pose: Matrix, planar: bool) -> dict[str, Any]:
    if planar:
        return {"at": pose[:2, 3].tolist(), "angle": _angle(pose)}
    return {"at": pose[:3, 3].tolist(), "q": quaternion(pose).tolist()}


def _motion_tree(motion: Motion, planar: bool) -> dict[str, Any]:
    pose, twist, acceleration = motion.pose, motion.twist.tolist(), motion.acceleration.tolist()
    if planar:
        place = {"r": pose[:2, 3].tolist(), "phi": _angle(pose)}
        return {**place, "v": twist[:2], "omega": twist[5], "a": acceleration[:2], "alpha": acceleration[5]}
    place = {"r": pose[:3, 3].tolist(), "q": quaternion(pose).tolist()}
    return {**place, "v": twist[:3], "omega": twist[3:], "a": acceleration[:3], "alpha": acceleration[3:]}
