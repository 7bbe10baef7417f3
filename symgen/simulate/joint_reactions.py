"""What each joint transmits: multipliers of the constraints from the forces that all joints together exert.

The resultant of the joints on every body is unique. What single joints transmit is not where constraints are redundant:
then the sum over all joints of |F|^2 + |M|^2 / l^2 is made least, F and M about the joint centre on the joint's second
body, l the size of the mechanism. A joint, or a part of its wrench, counts as unique
if no self-stress loads it.

All times are solved in stacks: the matrices are small, and one call for each would cost more than what it solves.

Source: corrected DIMCD, docs/dynamics.md; uniqueness: M. Wojtyra, J. Fraczek 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array, matrix
from symgen.simulate.joint_rows import JointRows, RowElement
from symgen.simulate.records import JointReaction, unique_components

_RANK, _LOADED = 1e-7, 1e-6
#: Of a body's twist [v, omega]: what a planar mechanism moves in.
_PLANAR = (0, 1, 5)
#: Numbers of the matrices of one stack: what a processor keeps near.
_STACK = 2_000_000


def joint_reactions(
    mechanism: Mechanism,
    rows: JointRows,
    times: Array,
    poses: Array,
    resultants: Array,
    progress: Callable[[float], None] | None = None,
) -> dict[str, JointReaction]:
    """Return force and moment of every joint.

    Of a planar mechanism they are in the plane: whether joints hold the links there is not asked.

    Parameters
    ----------
    poses : (T, n, 7) of the centres of mass, in the order of ``mechanism.bodies``.
    resultants : (T, n, 6) force [N] and torque [N m] of all joints at the centre of mass.
    progress : is told the part of the times that is done.

    Returns
    -------
    dict
        Joint -> what its first body exerts on its second, about the joint centre on the second body, world axes.
    """
    units = np.array([rows.size] * 3 + [1.0] * 3)  # of forces, as twists are in sizes
    names = [joint.id for joint in mechanism.joints]
    wrenches = {name: np.zeros((len(times), 6)) for name in names}
    open_ = {name: np.zeros(6, dtype=bool) for name in names}
    elements, held = _elements(mechanism, rows, times)
    width = 6 * len(mechanism.bodies)
    stack = max(1, _STACK // (width * max(width, 6 * len(names))))
    for part in (slice(k, k + stack) for k in range(0, len(times), stack)):
        columns = _columns(mechanism, rows, elements, poses[part], held[part])
        load = (resultants[part] * units).reshape(-1, width)
        for name, (wrench, loaded) in zip(names, _least(columns, load), strict=True):
            wrenches[name][part] = wrench / units
            open_[name] |= ~(loaded <= _LOADED)
        if progress is not None:
            progress(min(part.stop, len(times)) / len(times))
    return {
        name: JointReaction(
            wrench[:, :3],
            wrench[:, 3:],
            unique=not open_[name].any(),
            components=unique_components(open_[name].tolist()),
        )
        for name, wrench in wrenches.items()
    }


def _elements(mechanism: Mechanism, rows: JointRows, times: Array) -> tuple[list[RowElement], Array]:
    """Return the elements of pairs and drives, and what they are held at, (T, elements)."""
    pairs = rows.joint_elements()
    driven = [(joint, freedom) for joint in mechanism.joints for freedom in joint.driven_freedoms or ()]
    elements = pairs + [rows.freedom_element(joint, freedom, 0.0) for joint, freedom in driven]
    held = np.tile([each.value for each in elements], (len(times), 1))
    for k, (joint, freedom) in enumerate(driven, start=len(pairs)):
        law = mechanism.drives[(joint.id, freedom)]
        held[:, k] = law.evaluate(times)[0]
    return elements, held


def _columns(
    mechanism: Mechanism, rows: JointRows, elements: Sequence[RowElement], poses: Array, held: Array
) -> list[tuple[Array, Array]]:
    """Return for each joint orthonormal wrenches (T, 6, k) it can transmit, and what they load all bodies with.

    Wrenches are about the joint centre on the second body, loads (T, 6 n, k) about centres of mass; lengths are in
    sizes, so that a force comes as force times size.
    """
    found = rows.linearise(elements, poses, held)
    used = _PLANAR if mechanism.space == "planar" else tuple(range(6))
    seen = [6 * body + k for body in range(len(mechanism.bodies)) for k in used]
    jacobian = np.zeros_like(found.jacobian)
    jacobian[..., seen] = found.jacobian[..., seen]
    owners = np.array([elements[e].joint.id for e in found.owner], dtype=np.str_)
    columns = []
    for joint in mechanism.joints:
        mine = jacobian[:, owners == joint.id]
        left, sizes, right = np.linalg.svd(_to_joint(mechanism, rows, joint, mine, poses), full_matrices=False)
        kept = sizes > _RANK
        most = int(kept.sum(axis=-1).max(initial=0))
        weights = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)[:, :most]
        loads = np.swapaxes(mine, 1, 2) @ (np.swapaxes(right, 1, 2)[..., :most] * weights[:, None])
        columns.append((left[..., :most] * kept[:, None, :most], loads))
    return columns


def _least(columns: Sequence[tuple[Array, Array]], load: Array) -> list[tuple[Array, Array]]:
    """Return of each joint the least wrench (T, 6) with which all make the load (T, 6 n), and its self-stress (6,).

    As the wrenches of each joint are orthonormal, the shortest amounts are the least wrenches.
    """
    loads = np.concatenate([each for _, each in columns], axis=-1)
    if not loads.shape[-1]:
        return [(np.zeros((len(load), 6)), np.zeros(6)) for _ in columns]
    left, sizes, right = np.linalg.svd(loads, full_matrices=loads.shape[-1] > loads.shape[-2])
    kept = sizes > _RANK * sizes[:, :1]
    weights = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)
    count = sizes.shape[-1]
    amounts = np.swapaxes(right[:, :count], 1, 2) @ (
        weights[..., None] * (np.swapaxes(left, 1, 2)[:, :count] @ load[..., None])
    )
    stresses = np.swapaxes(right, 1, 2).copy()
    stresses[..., :count] *= ~kept[:, None]
    found: list[tuple[Array, Array]] = []
    first = 0
    for wrenches, each in columns:
        mine = slice(first, first + each.shape[-1])
        first = mine.stop
        loaded = np.abs(wrenches @ stresses[:, mine]).max(axis=(0, 2), initial=0.0)
        found.append(((wrenches @ amounts[:, mine])[..., 0], loaded))
    return found


def _to_joint(mechanism: Mechanism, rows: JointRows, joint: Joint, jacobian: Array, poses: Array) -> Array:
    """Return the matrices (T, 6, m) from multipliers of a joint's rows to its wrench about the joint centre.

    Lengths are in sizes: a force comes as force times size.
    """
    first, second = joint.bodies
    on_second = second in rows.number
    body = rows.number[second if on_second else first]
    moved = (1.0 if on_second else -1.0) * jacobian[..., 6 * body : 6 * body + 6]
    lever = (poses[:, body, :3] - _centre_on_second(mechanism, rows, joint, poses)) / rows.size
    moved[..., 3:] += np.cross(lever[:, None], moved[..., :3])
    return np.swapaxes(moved, 1, 2)


def _centre_on_second(mechanism: Mechanism, rows: JointRows, joint: Joint, poses: Array) -> Array:
    """Return the place (T, 3) of the joint centre on the joint's second body."""
    if joint.frames is None:
        raise ValueError(f"joints.{joint.id}: has no geometry")
    at, second = np.array(joint.frames[1].at), joint.bodies[1]
    if second not in rows.number:
        return np.broadcast_to(at, (len(poses), 3))
    k = rows.number[second]
    com = np.array(mechanism.bodies[k].com or (0.0, 0.0, 0.0))
    place: Array = poses[:, k, :3] + (matrix(poses[:, k, 3:]) @ (at - com)[:, None])[..., 0]
    return place
