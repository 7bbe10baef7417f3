"""A solution of a group at one time, found near a prediction; how far the next solution is away at least."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from symgen.library.newton.between import InputsAt
from symgen.library.newton.bounds import curvature
from symgen.library.newton.chart import motion_of, samples_of
from symgen.library.newton.engine import Engine, kinds_by_name, read_engine
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.numpy_engine import NumpyEngine
from symgen.library.newton.plan import SolverPlan
from symgen.library.smooth import MotionSamples, evaluate
from symgen.poses import Array

#: Reports: length of the residual, condition, whether a root is certified, radius in which it is the only one, sign of
#: the determinant.
RESIDUAL, CONDITION, CERTIFIED, ALONE, SIGN = 0, 1, 2, 4, 5


@dataclass(frozen=True)
class NewtonState:
    """A solution: arrays (bodies, numbers) of the solver, its report.

    Parameters
    ----------
    near : no other solution is nearer than this, by the smallest singular value of the Jacobian.
    speed : how fast bodies and inputs move, [1/s] in units of the group's size and rad: 1/speed is the time in which
        things change.
    """

    time: float
    poses: Array
    twists: Array
    accelerations: Array
    report: Array = field(repr=False)
    near: float
    speed: float

    @property
    def condition(self) -> float:
        """Condition of the Jacobian."""
        return float(self.report[CONDITION])

    @property
    def distance(self) -> float:
        """One over the condition: how far it is from being singular."""
        return 1.0 / self.condition

    @property
    def sign(self) -> int:
        """Sign of the determinant, 0 where it has none."""
        return int(self.report[SIGN])


def samples(states: Sequence[NewtonState]) -> MotionSamples:
    """Return some states as samples of one motion."""
    return samples_of(
        [each.time for each in states],
        np.stack([each.poses for each in states]),
        np.stack([each.twists for each in states]),
        np.stack([each.accelerations for each in states]),
    )


class Finder:
    """Finds solutions of one group at any time.

    Parameters
    ----------
    inputs_at : known bodies and driven freedoms at any time.
    """

    def __init__(self, engine: Engine, plan: SolverPlan, inputs_at: InputsAt) -> None:
        self.engine, self.plan, self.inputs_at = engine, plan, inputs_at
        manifest = read_engine(plan.problem.space)
        self._kinds, self._dense = kinds_by_name(manifest), NumpyEngine(manifest)

    @property
    def bodies(self) -> int:
        """Number of unknown bodies."""
        return len(self.plan.problem.bodies)

    def at(self, time: float, expected: Array) -> NewtonState | None:
        """Return the solution that Newton's method finds from the expected poses, or None."""
        inputs = self.inputs_at(np.array([time]))
        if not all(
            np.all(np.isfinite(each)) for each in (inputs.known, inputs.twists, inputs.accelerations, inputs.drives)
        ):
            return None
        found = self.engine.track(self.plan, inputs, np.array([time]), expected)
        if found.done == 0 or not np.all(np.isfinite(found.accelerations[0])):
            return None
        return self.state(time, inputs, found.poses[0], found.twists[0], found.accelerations[0], found.report[0])

    def state(
        self, time: float, inputs: Inputs, poses: Array, twists: Array, accelerations: Array, report: Array
    ) -> NewtonState:
        """Return a solution that was found, with the inputs of its time (one row)."""
        near = float(report[ALONE]) if report[CERTIFIED] == 1.0 else self._near(inputs, poses)
        rates = max(float(np.linalg.norm(each)) for each in (twists, inputs.twists, inputs.drives[..., 1]))
        seconds = max(
            float(np.linalg.norm(each)) for each in (accelerations, inputs.accelerations, inputs.drives[..., 2])
        )
        return NewtonState(time, poses, twists, accelerations, report, near, max(rates, float(np.sqrt(seconds))))

    def _near(self, inputs: Inputs, poses: Array) -> float:
        """Return 2 s/L: two solutions x, y have s |x - y| <= |J(x) (x - y)| <= L |x - y|^2/2.

        s is the smallest singular value of the Jacobian J at x, L bounds its change (docs/certified-newton.md).
        """
        values = np.linalg.svd(self._dense.linear(self.plan, inputs, poses[None]).jacobian[0], compute_uv=False)
        bend = float(curvature(self.plan, self._kinds, inputs, poses[None])[0])
        return min(1.0, 2.0 * float(values[-1]) / bend) if bend > 0.0 else 1.0

    def expected(self, nodes: Sequence[NewtonState], time: float) -> Array:
        """Return the poses at a time as the polynomial through some states has them."""
        poses, _, _ = motion_of(evaluate(samples(nodes), np.array([time])), self.bodies)
        found: Array = poses[0]
        return found


def apart(one: Array, other: Array) -> float:
    """Return how far apart two sets of poses (bodies, places) are: lengths, and angles as long as they are small."""
    gap = one - other
    if one.shape[-1] == 3:
        return float(np.linalg.norm(gap))
    sign = np.where(np.sum(one[:, 3:] * other[:, 3:], axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    turn = 2.0 * (one[:, 3:] - sign * other[:, 3:])
    return float(np.hypot(np.linalg.norm(gap[:, :3]), np.linalg.norm(turn)))
