"""Singular configurations by second derivatives: self-stresses that do work along motions of first order.

Along assembled positions the constraints J keep their rank where the position is regular, so that a motion of first
order, J z = 0, goes on along any other, v, and for a self-stress N, N^T J = 0,

    N^T (dJ/dv) z = 0

In a singular configuration this is not so, for some N, v and z: either joints hold less than in positions nearby, or v
does not go on (a shaky structure, whose bars meet in a point or lie in one line: there is no position nearby). Asked
twice: of joints alone, and of joints and drives with v left by joints and z by all. The derivative is symmetric in v
and z, and a quarter of the bias at v + z less that at v - z; motions drawn at random do for all. A singularity of third
order is not seen by this.

Each 2-connected part is asked alone, by its form with cut loops: no matrix of the whole.

Source: R. Connelly, W. Whiteley 1996 (second-order rigidity: a stress resolves what first order leaves open).
"""

from __future__ import annotations

import numpy as np

from symgen.library.rotations import Array
from symgen.reactions.blocks import Block
from symgen.reactions.self_stress import SelfStresses
from symgen.reactions.wrenches import WrenchSystem
from symgen.simulate.joint_rows import JointRows

#: Work below this part of what it is the sum of is rounding.
_NONE = 1e-7
#: Work below this, of self-stresses of length one on motions whose largest part is one, is rounding.
_LEAST = 1e-11


def is_singular_to_second_order(stresses: SelfStresses, rows: JointRows, poses: Array) -> bool:
    """Tell whether some self-stress does work along motions of first order, at poses (n, 7) of the centres of mass."""
    random = np.random.default_rng(7)  # any motions do; the same in every run
    return any(
        _does_work(stresses.system, each.block, rows, poses, random) for each in stresses.blocks if each.null.shape[1]
    )


def _does_work(system: WrenchSystem, block: Block, rows: JointRows, poses: Array, random: np.random.Generator) -> bool:
    joints = block if all(source.freedom is None for source in block.sources) else block.undriven()
    way = joints.cut.motion(random)
    if not way.any():
        return False
    for each in {id(joints): joints, id(block): block}.values():
        null, other = each.cut.null.null, each.cut.motion(random)
        if null.shape[1] and other.any():
            bends = [sign * _bends(system, each, rows, poses, way + sign * other) for sign in (1.0, -1.0)]
            bent = (bends[0] + bends[1]) / 4.0
            work, parts = np.abs(null.T @ bent), np.abs(null.T) @ np.abs(bent)
            if np.any(work > _NONE * parts + _LEAST):
                return True
    return False


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
