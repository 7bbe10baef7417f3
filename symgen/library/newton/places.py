"""Places of bodies whose orientations are given: of all places the nearest to the given ones that close the joints.

With orientations held, joint centres coincide (R, U, S), or do so along axes of the first joint frame (P, C, H, PL, L),
where linear equations in the places hold. They are solved by least squares: so slides are never drawn, and bodies far
away are started from where they are.

Source: A. Bjoerck, "Numerical Methods for Least Squares Problems" (1996), 1.2 (solution nearest to a given point).
"""

from __future__ import annotations

import numpy as np

from symgen.library.group_joints import GroupJoint
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.library.newton.problem import slides_along_x
from symgen.model.pairs import PAIR_TYPES
from symgen.poses import Array, matrix, multiply

#: Directions seen less than this part of the best seen one count as not seen: the squares would be rounding.
_UNSEEN = 1e-9


def free_axes(space: str, joint: GroupJoint) -> str:
    """Return the axes of the first joint frame along which the pair lets the origins part."""
    if joint.type == "H":
        return "z"
    free = "".join(name for name in PAIR_TYPES[joint.type].freedoms if name in ("x", "y", "z"))
    if "slide" in PAIR_TYPES[joint.type].freedoms:
        free += "x" if slides_along_x(space, joint.type) else "z"
    return free


def held_axes(plan: SolverPlan, index: int) -> list[tuple[int, int | None]]:
    """Return the axes (0..2) along which a joint holds its origins, each with the number of the drive that moves it."""
    joint, space = plan.problem.joints[index], plan.problem.space
    driven = {
        element.kind[-1]: number
        for number, element in enumerate(plan.drives)
        if element.joint == index and element.slides
    }
    free = free_axes(space, joint)
    axes = "xy" if space == "planar" else "xyz"
    return [("xyz".index(axis), driven.get(axis)) for axis in axes if axis not in free or axis in driven]


def solve_places(plan: SolverPlan, inputs: Inputs, known: Array, poses: Array, frames: Array) -> Array:
    """Return the poses with places that close the joints as far as they can.

    Parameters
    ----------
    known : (known, 7) poses of known bodies.
    poses : (n, bodies, 7), in the solver's order; only places change.
    frames : (joints, 2, 7).
    """
    count, bodies, _ = poses.shape
    number = {plan.problem.bodies[k]: place for place, k in enumerate(plan.order)}
    number |= {body: bodies + k for k, body in enumerate(plan.problem.known)}
    every = np.concatenate([poses, np.broadcast_to(known, (count, *known.shape))], axis=1)
    left: list[Array] = []
    right: list[Array] = []
    for index, joint in enumerate(plan.problem.joints):
        ends = [number[body] for body in joint.bodies]
        origins = [
            every[:, end, :3] + matrix(every[:, end, 3:]) @ frame[:3]
            for end, frame in zip(ends, frames[index], strict=True)
        ]
        first = every[:, ends[0], 3:]
        axes = matrix(multiply(first, np.broadcast_to(frames[index, 0, 3:], first.shape)))
        for axis, drive in held_axes(plan, index):
            along = axes[:, :, axis]
            row = np.zeros((count, bodies, 3))
            for end, sign in zip(ends, (-1.0, 1.0), strict=True):
                if end < bodies:
                    row[:, end] += sign * along
            value = 0.0 if drive is None else float(inputs.drives[0, drive, 0])
            left.append(row.reshape(count, 3 * bodies))
            right.append(value - np.sum(along * (origins[1] - origins[0]), axis=-1))
    found = poses.copy()
    if left:
        matrices, values = np.stack(left, axis=1), np.stack(right, axis=1)
        step = (np.linalg.pinv(matrices, rcond=_UNSEEN) @ values[..., None])[..., 0]
        found[..., :3] += step.reshape(count, bodies, 3)
    return found
