"""Singular configurations of mechanisms of any size, by second derivatives.

`symgen.simulate.start.second_order` says why.

Each 2-connected part is asked alone, by its form with cut loops: no matrix of the whole.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from symgen.poses import Array
from symgen.reactions.blocks import Block
from symgen.reactions.self_stress import SelfStresses
from symgen.reactions.wrenches import WrenchSystem
from symgen.simulate.start.second_order import does_work
from symgen.simulate.tables.joint_rows import JointRows

#: Rows shorter than this, in sizes, are none.
_NONE = 1e-7


def does_work_in_a_part(stresses: SelfStresses, rows: JointRows, poses: Array) -> bool:
    """Tell whether some self-stress does work along motions of first order, at poses (n, 7) of the centres of mass."""
    random = np.random.default_rng(7)  # any motions do; the same in every run
    return any(
        _does_work(stresses.system, each.block, rows, poses, random) for each in stresses.blocks if each.null.shape[1]
    )


def _does_work(system: WrenchSystem, block: Block, rows: JointRows, poses: Array, random: np.random.Generator) -> bool:
    driven = any(source.freedom is not None for source in block.sources)
    joints = block.undriven() if driven else block
    way = joints.cut.motion(random)
    return any(
        does_work(each.cut.null.null, partial(_bends, system, each, rows, poses), way, each.cut.motion(random))
        for each in ([joints, block] if driven else [block])
    )


def _bends(system: WrenchSystem, block: Block, rows: JointRows, poses: Array, motion: Array) -> Array:
    """Return what the constraints of a block, in its scaled amounts, bend by at a motion (bodies, width) of it."""
    twists = np.zeros((len(poses), 6))
    for body, twist in zip(block.members, motion, strict=True):
        if body:  # the ground is the first of a block, at rest
            full = np.zeros(6)
            full[list(system.parts)] = twist
            lever = poses[body - 1, :3] - block.middle
            twists[body - 1, :3] = (block.unit * full[:3] + np.cross(full[3:], lever)) / system.size
            twists[body - 1, 3:] = full[3:]
    elements = [element for source in block.sources for element in source.elements]
    biases = iter(rows.biases(elements, poses, twists))
    found = []
    for source, load in zip(block.sources, block.loads, strict=True):
        own = np.concatenate([next(biases) for _ in source.elements])
        if load.shape[1]:
            found.append(source.basis.T @ (np.linalg.pinv(source.rows.T, rcond=_NONE) @ own))
    return np.concatenate(found) / block.lengths
