"""Whether a solution closes its joints: asked of every branch of a group instance before it is given to a user.

A closed form is derived for geometry in general. Where assemblies share what its elimination keeps, as in symmetric
geometry, it may lose digits, up to poses that are none. The joints themselves tell, whatever the derivation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from symgen.library.adapt import GroupMotion
from symgen.library.group_joints import GroupJoint
from symgen.library.instance import GroupInstance
from symgen.poses import Array, matrix

#: Of the size of what is given: far above rounding off folds, and above what a fold costs (half the digits).
_LOOSE = 1e-6
_LOOSE_FLOAT = 3e-2
#: Of the size of the solution, which may lie far away.
_FAR = 1e-10
#: Rows of the first frame's axes along which the origins may differ, and pairs of axes that are alike or normal.
_FREE = {"R": "", "P": "z", "C": "z", "H": "z", "U": "", "ER": "", "S": "", "PL": "xy"}
_ALIKE = {"R": "z", "P": "xyz", "C": "z", "H": "z", "PL": "z"}


def closes(instance: GroupInstance, motion: GroupMotion, precision: str) -> bool:
    """Tell whether every joint of a solved instance closes; driven values are not looked at."""
    given = [float(np.abs(known.pose[:2]).max()) for known in instance.known.values()]
    given += [float(np.abs(side[:2]).max()) for sides in instance.frames.values() for side in sides]
    loose = _LOOSE_FLOAT if precision == "float" else _LOOSE
    poses = {name: known.pose for name, known in instance.known.items()}
    poses |= {name: body.pose for name, body in motion.bodies.items()}
    far = max(float(np.abs(body.pose[:3]).max()) for body in motion.bodies.values())
    allowed = loose * max([1e-300, *given]) + (_FAR * far if precision != "float" else _LOOSE_FLOAT * far)
    gaps = open_joints(instance.space, instance.joints, poses, instance.frames)
    return all(apart <= allowed and turned <= loose for apart, turned in gaps)


def open_joints(
    space: str,
    joints: Iterable[GroupJoint],
    poses: Mapping[str, Array],
    frames: Mapping[str, tuple[Array, Array]],
) -> list[tuple[float, float]]:
    """Return by how much origins [m] and axes [1] of each joint's frames are wrong; driven values are not looked at.

    Parameters
    ----------
    poses : body -> pose (7,), planar (3,), as ports take it.
    frames : joint -> joint frames on its first and second body, as ports take them.
    """
    gap = _planar_gap if space == "planar" else _spatial_gap
    found = []
    for joint in joints:
        first, second = zip((poses[body] for body in joint.bodies), frames[joint.name], strict=True)
        found.append(gap(joint.type, first, second))
    return found


def driven_value(
    space: str, code: str, freedom: str, first: tuple[Array, Array], second: tuple[Array, Array]
) -> float | None:
    """Return a driven slide [m] or angle [rad] as the poses have it; None of freedoms that are not read off here.

    Parameters
    ----------
    first, second : pose of the body and joint frame on it, as ports take them.
    """
    if freedom not in ("slide", "angle"):
        return None
    if space == "planar":
        (at_1, angle_1), (at_2, angle_2) = (_placed_in_plane(*side) for side in (first, second))
        along = np.array([np.cos(angle_1), np.sin(angle_1)])
        return float((at_2 - at_1) @ along if freedom == "slide" else angle_2 - angle_1)
    if code not in ("R", "P", "C"):
        return None
    (at_1, axes_1), (at_2, axes_2) = (_placed(*side) for side in (first, second))
    if freedom == "slide":
        return float(axes_1[:, 2] @ (at_2 - at_1))
    turn = axes_1.T @ axes_2
    return float(np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]))


def _spatial_gap(code: str, first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[float, float]:
    """Return by how much the origins [m] and the axes [1] of a joint's frames are wrong."""
    if code not in _FREE:
        return 0.0, 0.0
    (at_1, axes_1), (at_2, axes_2) = (_placed(*side) for side in (first, second))
    apart = axes_1.T @ (at_2 - at_1)
    wrong = [abs(apart["xyz".index(axis)]) for axis in "xyz" if axis not in _FREE[code]]
    turned = [float(np.abs(axes_1[:, k] - axes_2[:, k]).max()) for k in map("xyz".index, _ALIKE.get(code, ""))]
    if code in ("U", "ER"):
        turned.append(abs(float(axes_1[:, 2] @ axes_2[:, 0])))
    return float(max(wrong, default=0.0)), max(turned, default=0.0)


def _placed(pose: Array, side: Array) -> tuple[Array, Array]:
    turn = matrix(pose[3:])
    return pose[:3] + turn @ side[:3], turn @ matrix(side[3:])


def _planar_gap(code: str, first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[float, float]:
    if code not in ("R", "P", "L"):
        return 0.0, 0.0
    (at_1, angle_1), (at_2, angle_2) = (_placed_in_plane(*side) for side in (first, second))
    apart = at_2 - at_1
    if code == "R":
        return float(np.abs(apart).max()), 0.0
    across = abs(float(apart @ np.array([-np.sin(angle_1), np.cos(angle_1)])))
    return across, abs(float(np.sin(0.5 * (angle_2 - angle_1)))) if code == "P" else 0.0


def _placed_in_plane(pose: Array, side: Array) -> tuple[Array, float]:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return pose[:2] + np.array([c * side[0] - s * side[1], s * side[0] + c * side[1]]), float(pose[2] + side[2])
