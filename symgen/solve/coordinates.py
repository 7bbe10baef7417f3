"""Joint coordinates read off poses: where nothing solved for them.

Two uses. The values of driven freedoms in the reference configuration, to find
the branch that it lies on; there a joint need not close, and what it cannot follow is
left out. And the freedoms of any pair with rates and accelerations, from the motion of its
bodies: those of F and FP pairs without a constraint, which belong to no group, and all of a simulation.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symgen.library.joint_coordinates import spherical_coordinates
from symgen.model.pairs import PAIR_TYPES
from symgen.poses import Array, compose, inverse, matrix, rotate
from symgen.solve.tracks import BodyTrack


def measure(code: str, first: Array, second: Array) -> dict[str, Array]:
    """Return the coordinates of a joint from the world poses (..., 7) of its two joint frames.

    Parameters
    ----------
    code : pair type, with frames as the model has them (a P slides along z, in the plane too, an L along x).

    Returns
    -------
    dict of str to ndarray
        Freedom -> (...) [rad or m], angles in [-pi, pi]; exact where the joint closes.
    """
    relative = compose(inverse(first), second)
    place, turn = relative[..., :3], matrix(relative[..., 3:])
    about_z = np.arctan2(turn[..., 1, 0] - turn[..., 0, 1], turn[..., 0, 0] + turn[..., 1, 1])
    readers: dict[str, Callable[[], Array]] = {
        "angle": lambda: about_z,
        "slide": lambda: place[..., 0 if code == "L" else 2],
        "x": lambda: place[..., 0],
        "y": lambda: place[..., 1],
        "z": lambda: place[..., 2],
        # F_j = F_i Rz(angle1) Rx(angle2)
        "angle1": lambda: np.arctan2(turn[..., 1, 0], turn[..., 0, 0]),
        "angle2": lambda: np.arctan2(turn[..., 2, 1], turn[..., 2, 2]),
        # F_j = F_i Rz(yaw) Ry(pitch) Rx(roll)
        "yaw": lambda: np.arctan2(turn[..., 1, 0], turn[..., 0, 0]),
        "pitch": lambda: np.arctan2(-turn[..., 2, 0], np.hypot(turn[..., 0, 0], turn[..., 1, 0])),
        "roll": lambda: np.arctan2(turn[..., 2, 1], turn[..., 2, 2]),
    }
    return {freedom: readers[freedom]() for freedom in PAIR_TYPES[code].freedoms}


def measure_motion(code: str, bodies: tuple[BodyTrack, BodyTrack], frames: tuple[Array, Array]) -> dict[str, Array]:
    """Return coordinates with rates and accelerations of a pair; exact where it closes.

    The relative turn is read as Rz(yaw) Ry(pitch) Rx(roll): of an R, H, C, PL or L only the yaw is not zero, which is
    its angle; of a U or ER yaw and roll are its two angles.

    Parameters
    ----------
    bodies : motion of first and second body.
    frames : joint frames (7,) in them, or (n, 7): one for each row.

    Returns
    -------
    dict of str to ndarray
        Freedom -> (n, 3): value, rate, acceleration.
    """
    one, two = bodies
    lever = tuple(rotate(body.q, frame[..., :3]) for body, frame in zip(bodies, frames, strict=True))
    centre = [body.carry(arm) for body, arm in zip(bodies, lever, strict=True)]
    gap, gap_v, gap_a = (after - before for before, after in zip(*centre, strict=True))
    axes = np.swapaxes(matrix(compose(one.pose, np.broadcast_to(frames[0], one.pose.shape))[..., 3:]), -1, -2)
    # In the axes of the first frame, which turn with omega: the relative derivatives.
    seen_v = gap_v - np.cross(one.omega, gap)
    seen_a = gap_a - np.cross(one.alpha, gap) - np.cross(one.omega, np.cross(one.omega, gap))
    seen_a = seen_a - 2.0 * np.cross(one.omega, seen_v)
    rows = [(axes @ each[..., None])[..., 0] for each in (gap, seen_v, seen_a)]
    found = {name: np.stack([row[..., k] for row in rows], axis=-1) for k, name in enumerate("xyz")}
    found |= spherical_coordinates((one.q, two.q), frames, (one.omega, two.omega), (one.alpha, two.alpha))
    found |= {"angle": found["yaw"], "angle1": found["yaw"], "angle2": found["roll"]}
    found["slide"] = found["x" if code == "L" else "z"]
    return {freedom: found[freedom] for freedom in PAIR_TYPES[code].freedoms}


def frame_pose(body: Array, frame: Array) -> Array:
    """Return the world pose of a joint frame (7,) in a body of pose (..., 7)."""
    return compose(body, np.broadcast_to(frame, (*body.shape[:-1], 7)))
