"""What each joint transmits: multipliers of the constraints from the forces that all joints together exert.

The resultant of the joints on every body is unique. Multipliers with G^T lambda = F_R are not where constraints are
redundant: the shortest are taken, and a joint counts as unique if no self-stress (null vector of G^T) loads it.

Source: corrected DIMCD, docs/dynamics.md; uniqueness: M. Wojtyra, J. Fraczek 2013.
"""

from __future__ import annotations

import numpy as np

from symgen.library.rotations import Array, matrix
from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.simulate.joint_rows import JointRows, RowElement
from symgen.simulate.result import JointReaction

_RANK, _LOADED = 1e-7, 1e-6
#: Of a body's twist [v, omega]: what a planar mechanism moves in.
_PLANAR = (0, 1, 5)


def joint_reactions(
    mechanism: Mechanism, rows: JointRows, times: Array, poses: Array, resultants: Array
) -> dict[str, JointReaction]:
    """Return force and moment of every joint.

    Of a planar mechanism they are in the plane: whether joints hold the links there is not asked.

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
    used = _PLANAR if mechanism.space == "planar" else tuple(range(6))
    columns = [6 * body + k for body in range(len(mechanism.bodies)) for k in used]
    for k in range(len(times)):
        elements = _elements(mechanism, rows, float(times[k]))
        found = rows.linearise(elements, poses[k])
        jacobian = np.zeros_like(found.jacobian)
        jacobian[:, columns] = found.jacobian[:, columns]
        kept = np.flatnonzero(np.abs(jacobian).max(axis=1, initial=0.0) > _RANK)
        multipliers, stresses = _multipliers(jacobian[kept], (resultants[k] * units).reshape(-1))
        owners = np.array([elements[e].joint.id for e in found.owner[kept]])
        for joint in mechanism.joints:
            mine = np.flatnonzero(owners == joint.id)
            to_joint = _to_joint(mechanism, rows, joint, jacobian[kept[mine]], poses[k])
            wrenches[joint.id][k] = to_joint @ multipliers[mine] / units
            loaded = float(np.abs(to_joint @ stresses[mine]).max(initial=0.0))
            if loaded > _LOADED * max(1.0, float(np.abs(to_joint).max(initial=0.0))):
                unique[joint.id] = False
    return {name: JointReaction(wrench[:, :3], wrench[:, 3:], unique=unique[name]) for name, wrench in wrenches.items()}


def _elements(mechanism: Mechanism, rows: JointRows, time: float) -> list[RowElement]:
    held = [
        rows.freedom_element(joint, freedom, float(mechanism.drives[(joint.id, freedom)].evaluate(time)[0]))
        for joint in mechanism.joints
        for freedom in joint.driven_freedoms or ()
    ]
    return rows.joint_elements() + held


def _multipliers(jacobian: Array, load: Array) -> tuple[Array, Array]:
    """Return the shortest multipliers (m,) that make the load, and a basis (m, s) of those that make none."""
    if not jacobian.size:
        return np.zeros(len(jacobian)), np.zeros((len(jacobian), 0))
    left, sizes, right = np.linalg.svd(jacobian.T, full_matrices=True)
    rank = int(np.sum(sizes > _RANK * sizes[0]))
    return right[:rank].T @ ((left[:, :rank].T @ load) / sizes[:rank]), right[rank:].T


def _to_joint(mechanism: Mechanism, rows: JointRows, joint: Joint, jacobian: Array, poses: Array) -> Array:
    """Return the matrix (6, m) from multipliers of a joint's rows to its wrench about the joint centre.

    Lengths are in sizes: a force comes as force times size.
    """
    first, second = joint.bodies
    on_second = second in rows.number
    body = rows.number[second if on_second else first]
    block = (1.0 if on_second else -1.0) * jacobian[:, 6 * body : 6 * body + 6].T
    lever = (poses[body, :3] - _centre_on_second(mechanism, rows, joint, poses)) / rows.size
    moved = block.copy()
    moved[3:] += np.cross(lever, block[:3].T).T
    return moved


def _centre_on_second(mechanism: Mechanism, rows: JointRows, joint: Joint, poses: Array) -> Array:
    """Return the place (3,) of the joint centre on the joint's second body."""
    if joint.frames is None:
        raise ValueError(f"joints.{joint.id}: has no geometry")
    at, second = np.array(joint.frames[1].at), joint.bodies[1]
    if second not in rows.number:
        return at
    k = rows.number[second]
    com = np.array(mechanism.bodies[k].com or (0.0, 0.0, 0.0))
    place: Array = poses[k, :3] + matrix(poses[k, 3:]) @ (at - com)
    return place
