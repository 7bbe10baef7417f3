"""What each joint transmits: constraint wrenches from the forces that all joints together exert on the bodies.

Along the spanning tree every joint transmits what all that hangs on it needs, less what cut joints give. Cut joints
give what lets no tree joint transmit along its freedoms. So a mechanism without loops needs no equations, and one with
loops has as many unknowns as its cut joints can transmit, however many bodies it has.

The resultant of the joints on every body is unique. What single joints transmit is not where constraints are redundant:
then the sum over all joints of |F|^2 + |M|^2 / l^2 is made least, F and M about the joint centre on the joint's second
body, l the size of the mechanism. A joint, or a part of its wrench, counts as unique
if no self-stress loads it.

All times are solved in stacks: the matrices are small, and one call for each would cost more than what it solves.

Source: corrected DIMCD, docs/dynamics.md; uniqueness: M. Wojtyra, J. Fraczek 2013.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from symgen.model.mechanism import Mechanism
from symgen.model.parts import Joint
from symgen.poses import Array, matrix
from symgen.simulate.results.records import JointReaction, unique_components
from symgen.simulate.tables.joint_rows import JointRows, RowElement
from symgen.simulate.tables.spanning_tree import GROUND, SpanningTree, span

_RANK, _LOADED = 1e-7, 1e-6
#: A self-stress, whose cut joints give an amount of 1, loads all joints by 1 or more; a column of zeros by nothing.
_STRESSED = 0.5
#: Of a wrench [F, M] or of a body's twist [v, omega]: what a planar mechanism has.
_PLANAR = (0, 1, 5)
#: Numbers of the matrices of one stack: what a processor keeps near.
_STACK = 2_000_000


@dataclass(frozen=True)
class _Transmission:
    """What a joint can transmit in all rows; lengths are in sizes, so that a force comes as force times size.

    Parameters
    ----------
    wrenches : (T, 6, k) about the joint centre on the second body, orthonormal or zero.
    loads : (T, 6, k) with which these load the first and the second body, about their centres of mass.
    centre : (T, 3) of the joint on the second body.
    """

    wrenches: Array
    loads: tuple[Array, Array]
    centre: Array


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
    found, open_ = np.zeros((len(times), len(names), 6)), np.zeros((len(names), 6), dtype=bool)
    tree = span(mechanism)
    elements, held = _elements(mechanism, rows, times)
    stack = max(1, _STACK // (18 * (len(names) + 1) * (1 + 6 * len(tree.cut))))
    for part in (slice(k, k + stack) for k in range(0, len(times), stack)):
        transmissions = _transmissions(mechanism, rows, elements, poses[part], held[part])
        along, across = _along_tree(mechanism, rows, tree, transmissions, poses[part], resultants[part] * units)
        wrenches, loaded = _least(along, across)
        found[part] = wrenches / units
        open_ |= ~(loaded <= _LOADED)
        if progress is not None:
            progress(min(part.stop, len(times)) / len(times))
    return {
        name: JointReaction(
            found[:, k, :3], found[:, k, 3:], unique=not open_[k].any(), components=unique_components(open_[k].tolist())
        )
        for k, name in enumerate(names)
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


def _transmissions(
    mechanism: Mechanism, rows: JointRows, elements: Sequence[RowElement], poses: Array, held: Array
) -> dict[str, _Transmission]:
    """Return for each joint what its pair and its drives can transmit."""
    blocks = rows.blocks(elements, poses, held)
    unseen = [k for k in range(6) if mechanism.space == "planar" and k not in _PLANAR]
    mine: dict[str, list[tuple[Array, Array]]] = {joint.id: [] for joint in mechanism.joints}
    for element, block in zip(elements, blocks, strict=True):
        mine[element.joint.id].append(block)
    nothing = np.zeros((len(poses), 0, 6))
    found = {}
    for joint in mechanism.joints:
        first, second = (
            np.concatenate([nothing, *(block[side] for block in mine[joint.id])], axis=1) for side in (0, 1)
        )
        first[..., unseen] = second[..., unseen] = 0.0
        centre = _centre_on_second(mechanism, rows, joint, poses)
        moved = _to_joint(rows, joint, (first, second), centre, poses)
        left, sizes, right = np.linalg.svd(moved, full_matrices=False)
        kept = sizes > _RANK
        most = int(kept.sum(axis=-1).max(initial=0))
        weights = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)[:, :most]
        amounts = np.swapaxes(right, 1, 2)[..., :most] * weights[:, None]
        loads = np.swapaxes(first, 1, 2) @ amounts, np.swapaxes(second, 1, 2) @ amounts
        found[joint.id] = _Transmission(left[..., :most] * kept[:, None, :most], loads, centre)
    return found


def _along_tree(
    mechanism: Mechanism,
    rows: JointRows,
    tree: SpanningTree,
    transmissions: dict[str, _Transmission],
    poses: Array,
    load: Array,
) -> tuple[Array, Array]:
    """Return what joints transmit along what they constrain, and across it, (T, joints, 6, 1 + c).

    The first column is for cut joints that give nothing, each of the others the change by one of their c amounts.
    Across: what a tree joint would have to transmit along its freedoms, which is to vanish.

    Parameters
    ----------
    load : (T, n, 6) wrenches of all joints on the bodies, about the centres of mass.
    """
    number = {joint.id: k for k, joint in enumerate(mechanism.joints)}
    width = 1 + sum(transmissions[joint.id].wrenches.shape[-1] for joint in tree.cut)
    carried = np.zeros((*load.shape, width))
    carried[..., 0] = load
    if mechanism.space == "planar":
        carried[:, :, [k for k in range(6) if k not in _PLANAR]] = 0.0
    along, across = (np.zeros((len(poses), len(number), 6, width)) for _ in range(2))
    first = 1
    for joint in tree.cut:
        given = transmissions[joint.id]
        mine = slice(first, first + given.wrenches.shape[-1])
        first = mine.stop
        along[:, number[joint.id], :, mine] = given.wrenches
        for body, loads in zip(joint.bodies, given.loads, strict=True):
            if body in rows.number:
                carried[:, rows.number[body], :, mine] -= loads
    for branch in reversed(tree.branches):
        on_body, centre = carried[:, branch.body], poses[:, branch.body, :3]
        if branch.parent != GROUND:
            carried[:, branch.parent] += _moved(on_body, (centre - poses[:, branch.parent, :3]) / rows.size)
        if branch.joint is None:  # nothing holds this body: all that loads it is in balance
            continue
        given = transmissions[branch.joint.id]
        on_second = (-1.0 if branch.reverse else 1.0) * _moved(on_body, (centre - given.centre) / rows.size)
        k = number[branch.joint.id]
        along[:, k] = given.wrenches @ (np.swapaxes(given.wrenches, 1, 2) @ on_second)
        across[:, k] = on_second - along[:, k]
    return along, across


def _least(along: Array, across: Array) -> tuple[Array, Array]:
    """Return the least wrenches (T, joints, 6) with nothing across, and how much self-stress loads them (joints, 6).

    As the wrenches of each cut joint are orthonormal, those of all joints are measured alike.
    """
    count, joints, _, width = along.shape
    whole, stray = (each.reshape(count, 6 * joints, width) for each in (along, across))
    wrenches, loaded = whole[..., 0], np.zeros((joints, 6))
    if width == 1:
        return wrenches.reshape(count, joints, 6), loaded
    scale = np.sqrt((whole[..., 1:] ** 2 + stray[..., 1:] ** 2).sum(axis=1)).max(axis=-1)
    left, sizes, right = np.linalg.svd(stray[..., 1:], full_matrices=False)
    kept = sizes > _RANK * scale[:, None]
    weights = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)
    amounts = np.swapaxes(right, 1, 2) @ (weights[..., None] * (np.swapaxes(left, 1, 2) @ stray[..., :1]))
    wrenches = wrenches - (whole[..., 1:] @ amounts)[..., 0]
    slack = ~kept.all(axis=-1)
    if slack.any():
        free = np.swapaxes(right[slack], 1, 2) * ~kept[slack][:, None]
        stresses, strengths, _ = np.linalg.svd(whole[slack][..., 1:] @ free, full_matrices=False)
        stresses = stresses * (strengths > _STRESSED)[:, None]
        part = np.swapaxes(stresses, 1, 2) @ wrenches[slack][..., None]
        wrenches[slack] -= (stresses @ part)[..., 0]
        loaded = np.abs(stresses).max(axis=(0, 2)).reshape(joints, 6)
    return wrenches.reshape(count, joints, 6), loaded


def _to_joint(rows: JointRows, joint: Joint, jacobian: tuple[Array, Array], centre: Array, poses: Array) -> Array:
    """Return the matrices (T, 6, m) from multipliers of a joint's rows to its wrench about the joint centre.

    Lengths are in sizes: a force comes as force times size.
    """
    first, second = joint.bodies
    on_second = second in rows.number
    body = rows.number[second if on_second else first]
    lever = (poses[:, body, :3] - centre) / rows.size
    return _moved(np.swapaxes(jacobian[1] if on_second else -jacobian[0], 1, 2), lever)


def _moved(wrenches: Array, lever: Array) -> Array:
    """Return wrenches (T, 6, k) about a point from which the old one is at `lever` (T, 3)."""
    force, moment = wrenches[:, :3], wrenches[:, 3:]
    return np.concatenate([force, moment + np.cross(lever[:, :, None], force, axis=1)], axis=1)


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
