"""Curves of solutions: recognised by following the kernel of the Jacobian, found where Newton's method cannot go.

A singular solution is a fold, where branches meet and which is alone, or a point of a curve of solutions (or of more).
Along the kernel of its Jacobian the residual of a fold grows with the square of the step, or another low power; on a
curve it can be brought back to rounding. The step is 0.03, in units of the group's size and radians: its square and
rounding are far apart.

Where a freedom is idle the Jacobian is singular everywhere, and no factors of it exist. There steps of least length are
taken, which leave it alone.

Source: E. L. Allgower, K. Georg, "Introduction to Numerical Continuation Methods" (1990), chapters 2 and 3 (predictor
along the kernel, corrector of least length).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from symgen.library.newton.bounds import extent_of
from symgen.library.newton.engine import read_engine
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.numpy_engine import NumpyEngine
from symgen.library.newton.plan import SolverPlan
from symgen.poses import Array, move

Flags = NDArray[np.bool_]

#: Step along the kernel. Residual that is rounding, times the extent: 1e4 operations at most are behind it.
STEP, ROUNDING = 0.03, 1e-12
#: Singular values, of the largest: below the first a direction is in the kernel (at a fold that Newton's method found,
#: half of the digits are right); below the second it is not moved along.
_KERNEL, _IDLE = 1e-6, 1e-9
#: A drawing closes if its residual is below this part of its extent: coordinates are written with some nine digits.
_DRAWN = 1e-8
#: Residual, of the extent, at which poses may be those of a solution: two steps bring 1e-4 down to rounding where they
#: converge, and float leaves 1e-6.
_NEAR = 1e-4
#: Corrections, of which each doubles the digits; steps of least length, halved as often at most, and given up where
#: they do not bring the residual down by a tenth.
_CORRECTIONS, _ROUNDS, _HALVINGS, _SLOW = 12, 60, 6, 0.9


def is_singular(plan: SolverPlan, inputs: Inputs, poses: Array) -> bool:
    """Tell whether poses (bodies, places) close in the first row, as well as drawings do, and are singular there."""
    first = inputs.rows(slice(0, 1))
    now = NumpyEngine(read_engine(plan.problem.space)).linear(plan, first, poses[None])
    if not now.length[0] <= _DRAWN * extent_of(first, poses[None])[0] or not np.all(np.isfinite(now.jacobian)):
        return False
    sizes = np.linalg.svd(now.jacobian[0], compute_uv=False)
    return bool(sizes[-1] <= _KERNEL * sizes[0])


class Continua:
    """Looks for curves of solutions of one group, in NumPy and double precision.

    Parameters
    ----------
    plan, inputs : the group; the first row of the inputs.
    """

    def __init__(self, plan: SolverPlan, inputs: Inputs) -> None:
        self._plan, self._inputs = plan, inputs.rows(slice(0, 1))
        self.engine = NumpyEngine(read_engine(plan.problem.space))

    def lie_on_curves(self, poses: Array) -> Flags:
        """Tell which of many singular solutions (n, bodies, places) are points of a curve of solutions, (n,) bool."""
        poses = self._polish(poses)
        jacobian = self.engine.linear(self._plan, self._inputs, poses).jacobian
        _, sizes, directions = np.linalg.svd(jacobian)
        unseen = np.zeros(directions.shape[:2], dtype=bool)
        unseen[:, : sizes.shape[1]] = sizes <= _KERNEL * sizes[:, :1]
        unseen[:, sizes.shape[1] :] = True
        found: Flags = np.zeros(len(poses), dtype=bool)
        for direction in _kernels(directions, unseen):
            rest = np.flatnonzero(~found & np.any(direction != 0.0, axis=1))
            if rest.size:
                found[rest] = self._follows(poses[rest], direction[rest])
        return found

    def are_near(self, poses: Array, residual: Array) -> Flags:
        """Tell which of many poses (n, bodies, places) close but for what two corrections remove, (n,) bool.

        Parameters
        ----------
        residual : (n,) lengths of the residual, negative where there is none.
        """
        found: Flags = (residual >= 0.0) & (residual <= _NEAR * extent_of(self._inputs, poses))
        return found

    def settle(self, starts: Array) -> Array:
        """Return the solutions (n, bodies, places) that steps of least length find, where Jacobians are singular."""
        poses, going = starts.copy(), np.arange(len(starts))
        now = self.engine.linear(self._plan, self._inputs, poses)
        length, facing = now.length, now.facing.copy()
        for _ in range(_ROUNDS):
            shape = (len(going), starts.shape[1], self._plan.problem.freedoms)
            step = _least(now.jacobian, -now.residual, _IDLE).reshape(shape)
            share = np.minimum(1.0, 1.0 / np.maximum(np.abs(step).max(axis=(1, 2)), 1e-300))
            for _ in range(_HALVINGS):
                trial = move(poses[going], share[:, None, None] * step)
                now = self.engine.linear(self._plan, self._inputs, trial)
                slow = ~(now.length < _SLOW * length[going])
                if not slow.any():
                    break
                share = np.where(slow, 0.5 * share, share)
            better = now.length < length[going]
            poses[going[better]] = trial[better]
            length[going[better]], facing[going[better]] = now.length[better], now.facing[better]
            going = going[~slow & ~(length[going] <= self._noise(poses[going]))]
            if not going.size:
                break
            now = self.engine.linear(self._plan, self._inputs, poses[going])
        found: Array = poses[(length <= self._noise(poses)) & (facing > _KERNEL)]
        return found

    def _polish(self, poses: Array) -> Array:
        """Bring solutions closer by steps of least length (those found in float are coarse)."""
        for _ in range(2):
            now = self.engine.linear(self._plan, self._inputs, poses)
            step = _least(now.jacobian, -now.residual, _KERNEL)
            poses = move(poses, step.reshape(len(poses), poses.shape[1], -1))
        return poses

    def _follows(self, poses: Array, direction: Array) -> Flags:
        """Tell whether a step along the direction (n, unknowns) can be corrected across it."""
        shape = (len(poses), poses.shape[1], self._plan.problem.freedoms)
        ahead = move(poses, STEP * direction.reshape(shape))
        for _ in range(_CORRECTIONS):
            now = self.engine.linear(self._plan, self._inputs, ahead)
            along = now.jacobian @ direction[..., None]
            step = _least(now.jacobian - along * direction[:, None, :], -now.residual, _IDLE)
            # a correction longer than the step left what it started from
            step *= np.minimum(1.0, STEP / np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-300))
            ahead = move(ahead, step.reshape(shape))
        now = self.engine.linear(self._plan, self._inputs, ahead)
        closed: Flags = (now.length <= self._noise(ahead)) & (now.facing > _KERNEL)
        return closed

    def _noise(self, poses: Array) -> Array:
        return ROUNDING * extent_of(self._inputs, poses)


def _kernels(directions: Array, unseen: Array) -> Iterator[Array]:
    """Yield directions (n, unknowns) of each kernel, zero where it has no more: from that seen least on.

    All of them: which basis of a kernel they are is rounding, and a curve may be normal to all but one.
    """
    for k in range(1, int(unseen.sum(axis=1).max(initial=0)) + 1):
        found: Array = np.where(unseen[:, -k, None], directions[:, -k], 0.0)
        yield found


def _least(matrices: Array, right: Array, unseen: float) -> Array:
    """Return the solutions of least length and squares, (n, unknowns)."""
    safe = np.where(np.isfinite(matrices), matrices, 0.0)
    found: Array = (np.linalg.pinv(safe, rcond=unseen) @ right[..., None])[..., 0]
    return found
