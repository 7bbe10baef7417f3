"""Of the joint wrenches that fit, the least: one answer where redundant constraints leave the reactions open.

Reactions are what constraints and drives transmit, without springs, dampers and actuators. States of self-stress, which
load joints against each other and move nothing, may be added to them. Those reactions are taken whose

    sum over all joints of |F|^2 + |M|^2 / l^2

is least: F and M about the joint centre on the joint's second body, l the size of the mechanism. So every method gives
the same numbers, wherever it cut the loops; `symgen.simulate.results.joint_reactions` takes the same measure.

Source: least-norm reactions: F. E. Udwadia, R. E. Kalaba 1992; uniqueness: M. Wojtyra, J. Fraczek 2013.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from symgen.errors import MechanismError
from symgen.library.generated_numpy import load_routines
from symgen.model.parts import Joint
from symgen.poses import Array
from symgen.simulate.central.numpy_spaces import Routines
from symgen.simulate.manifest import FOLDER
from symgen.simulate.tables.scale import size_of_mechanism
from symgen.transfer.snapshot import Snapshot
from symgen.transfer.solution import Solution
from symgen.transfer.system.tree import GROUND

#: A self-stress loads a joint that it gives more than this part of itself.
_LOADED = 1e-6
#: Of a wrench [F M]: what a planar mechanism has.
_PLANAR = (0, 1, 5)


def with_least_reactions(snapshot: Snapshot, solution: Solution, stresses: Mapping[str, Array]) -> Solution:
    """Return a solution with the least reactions and the joints whose share is open.

    Parameters
    ----------
    solution : in the units of the snapshot.
    stresses : joint -> (6, s) what s independent states of self-stress make it transmit, [F M] as in the solution.
    """
    joints = snapshot.mechanism.joints
    units = np.ones(6)
    units[3:] = snapshot.unit / size_of_mechanism(snapshot.mechanism)
    seen = list(_PLANAR if snapshot.mechanism.space == "planar" else range(6))
    columns = np.vstack([(stresses[joint.id] * units[:, None])[seen] for joint in joints])
    if not columns.shape[1]:
        return replace(solution, open={})
    base = np.linalg.qr(columns / np.linalg.norm(columns, axis=0))[0]
    reactions = np.concatenate(
        [((solution.wrenches[joint.id] - force_in(snapshot, joint)) * units)[seen] for joint in joints]
    )
    shares = np.split(base, len(joints))
    amounts = base.T @ reactions
    wrenches = dict(solution.wrenches)
    for joint, share in zip(joints, shares, strict=True):
        wrenches[joint.id] = wrenches[joint.id].copy()
        wrenches[joint.id][seen] -= share @ amounts / units[seen]
    loaded: dict[str, tuple[bool, ...]] = {}
    for joint, share in zip(joints, shares, strict=True):
        parts = np.zeros(6, dtype=bool)
        parts[seen] = np.abs(share).max(axis=1) > _LOADED
        if parts.any():
            loaded[joint.id] = tuple(parts.tolist())
    return replace(solution, wrenches=wrenches, open=loaded)


def force_in(snapshot: Snapshot, joint: Joint) -> Array:
    """Return the wrench (6,) [F M] of springs, dampers and actuators in a joint, at its centre on the second body.

    Each acts along the gradient of its coordinate.
    """
    found = np.zeros(6)
    for (name, freedom), value in snapshot.joint_forces.items():
        if name == joint.id and value:
            found += value * _along(snapshot, joint, freedom)
    return found


def _along(snapshot: Snapshot, joint: Joint, freedom: str) -> Array:
    pair = {"ER": "U", "FP": "PL"}.get(joint.type, joint.type).lower()
    do = Routines(load_routines(FOLDER, f"{FOLDER}.py"))
    _, *rows = do.call(f"freedom_{pair}_{freedom}", *_side(snapshot, joint, 0), *_side(snapshot, joint, 1))
    on_second = snapshot.index[joint.bodies[1]] != GROUND
    body = snapshot.index[joint.bodies[1 if on_second else 0]]
    wrench = (1.0 if on_second else -1.0) * np.asarray(rows[1 if on_second else 0]).reshape(6)
    lever = snapshot.centre[body] - snapshot.frames[joint.id].centres[1]
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(lever, wrench[:3])])


def _side(snapshot: Snapshot, joint: Joint, side: int) -> tuple[Array, Array]:
    k = snapshot.index[joint.bodies[side]]
    pose = np.concatenate([snapshot.centre[k], snapshot.q[k]])
    if joint.frames is None:
        raise MechanismError("has no geometry", file=snapshot.mechanism.file, field=f"joints.{joint.id}")
    frame = joint.frames[side]
    return pose, np.concatenate([(np.array(frame.at) - snapshot.coms[k]) / snapshot.unit, np.array(frame.q)])
