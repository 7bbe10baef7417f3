"""What each joint transmits: multipliers of the constraints from the forces that all joints together exert.

The resultant of the joints on every body is unique. Multipliers with G^T lambda = F_R are not where constraints are
redundant: the shortest are taken, and a joint counts as unique if no self-stress (null vector of G^T) loads it.

Source: corrected DIMCD, docs/dynamics.md; uniqueness: M. Wojtyra, J. Fraczek 2013.
"""

from __future__ import annotations

import numpy as np

from symgen.library.rotations import Array, matrix
from symgen.model.mechanism import Mechanism
from symgen.simulate.joint_rows import JointRows, RowElement
from symgen.simulate.result import JointReaction

_RANK, _LOADED = 1e-7, 1e-6


def joint_reactions(
    mechanism: Mechanism, rows: JointRows, times: Array, poses: Array, resultants: Array
) -> dict[str, JointReaction]:
    """Return force and moment of every joint.

    Parameters
    ----------
    poses : (T, n, 7) of the centres of mass, in the order of ``mechanism.bodies``.
    resultants : (T, n, 6) force [N] and torque [N m] of all joints at the centre of mass.

    Returns
    -------
    dict
        Joint -> what its first body exerts on its second, about the joint centre on the second, world axes.
    """
    wrenches = {joint.id: np.zeros((len(times), 6)) for joint in mechanism.joints}
    unique = dict.fromkeys(wrenches, True)
    units = np.array([rows.size] * 3 + [1.0] * 3)  # of forces, as twists are in sizes
    for k in range(len(times)):
        elements = _elements(mechanism, rows, float(times[k]))
        found = rows.linearise(elements, poses[k])
        left, sizes, right = np.linalg.svd(found.jacobian.T, full_matrices=True)
        rank = int(np.sum(sizes > _RANK * sizes[0])) if sizes.size else 0
        load = (resultants[k] * units).reshape(-1)
        multipliers = right[:rank].T @ ((left[:, :rank].T @ load) / sizes[:rank])
        stresses = right[rank:].T
        for e, element in enumerate(elements):
            joint = element.joint
            mine = np.flatnonzero(found.owner == e)
            to_joint, place = _transport(mechanism, rows, joint, found.jacobian[mine], poses[k])
            wrenches[joint.id][k] += to_joint @ multipliers[mine] / units
            # a weld or slot has several elements: each must be free of stress, which is a little more than needed
            if stresses.shape[1] and np.abs(to_joint @ stresses[mine]).max(initial=0.0) > _LOADED * place:
                unique[joint.id] = False
    return {name: JointReaction(wrench[:, :3], wrench[:, 3:], unique=unique[name]) for name, wrench in wrenches.items()}


def _elements(mechanism: Mechanism, rows: JointRows, time: float) -> list[RowElement]:
    held = [
        rows.freedom_element(joint, freedom, float(mechanism.drives[(joint.id, freedom)].evaluate(time)[0]))
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]
    return rows.joint_elements() + held


def _transport(
    mechanism: Mechanism, rows: JointRows, joint: object, jacobian: Array, poses: Array
) -> tuple[Array, float]:
    """Return the matrix (6, rows) from multipliers to the wrench about the joint centre, and a scale of it.

    Lengths are in sizes: a force comes as force times size.
    """
    first, second = joint.bodies  # type: ignore[attr-defined]
    frames = joint.frames  # type: ignore[attr-defined]
    on_second = second in rows.number
    body = rows.number[second if on_second else first]
    sign = 1.0 if on_second else -1.0
    block = sign * jacobian[:, 6 * body : 6 * body + 6].T
    pose = poses[body]
    centre = _centre_on_second(mechanism, rows, second, np.array(frames[1].at), poses)
    lever = (pose[:3] - centre) / rows.size  # from the joint centre to the centre of mass
    moved = block.copy()
    moved[3:] += np.cross(lever, block[:3].T).T
    return moved, max(1.0, float(np.abs(moved).max(initial=0.0)))


def _centre_on_second(mechanism: Mechanism, rows: JointRows, second: str, at: Array, poses: Array) -> Array:
    if second not in rows.number:
        return at
    k = rows.number[second]
    com = np.array(mechanism.bodies[k].com or (0.0, 0.0, 0.0))
    place: Array = poses[k, :3] + matrix(poses[k, 3:]) @ (at - com)
    return place
