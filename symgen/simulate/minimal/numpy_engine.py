"""The dynamics in minimal coordinates without a compiler; see templates/c99/dynamics, step for step the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.simulate.constants import constant
from symgen.simulate.contract import EngineSamples, StoppableProgress, empty_rows, samples_of
from symgen.simulate.explicit.numpy_steps import ExplicitSteps, StepError
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.minimal.engine import MinimalSettings, MinimalState
from symgen.simulate.minimal.numpy_motion import MinimalMotion, MotionFinder
from symgen.simulate.minimal.numpy_regions import MinimalStopError
from symgen.simulate.minimal.tables import MinimalProblem
from symgen.status import Status

_JUMP, _LEAST_JUMP, _LATELY = constant("JUMP"), constant("LEAST_JUMP"), constant("LATELY")


class NumpyMinimal:
    """See `symgen.simulate.minimal.engine.MinimalEngine`."""

    name = "numpy"

    def __init__(self, minimal: MinimalProblem, manifest: DynamicsManifest) -> None:
        self._minimal = minimal
        self._find = MotionFinder(minimal, manifest)
        self._count, self._free = minimal.problem.sizes["BODIES"], minimal.problem.sizes["COORDINATES"]

    def run(
        self,
        settings: MinimalSettings,
        state: MinimalState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """See `MinimalEngine.run`."""
        out = empty_rows(settings.samples + 1, self._count, self._free)
        state.time, status, before = settings.start, Status.OK, state.steps
        with np.errstate(all="ignore"):
            try:
                self._find.start(state.branch)
                now = self._find.motion(state.time, state.vector, state.angle, active)
                state.angle = now.angle
                self._find.record(out, 0, now)
                _MinimalSteps(self._minimal, self._find, settings, state, active, out, progress).take(now)
            except MinimalStopError as stop:
                status, state.group, state.body, state.crowded = stop.status, stop.group, stop.body, stop.crowded
            except StepError as stop:
                status, state.group, state.body, state.crowded = stop.status, 0, -1, False
        return samples_of(out, status, state.steps - before)


class _MinimalSteps(ExplicitSteps[MinimalMotion]):
    def __init__(
        self,
        minimal: MinimalProblem,
        find: MotionFinder,
        settings: MinimalSettings,
        state: MinimalState,
        active: NDArray[np.int32],
        out: list[Array],
        progress: StoppableProgress | None,
    ) -> None:
        super().__init__(settings, state, progress)
        self._minimal, self._find, self._own, self._active, self._out = minimal, find, state, active, out
        self._chosen, self._span = settings.tolerance is not None, settings.end - settings.start
        self._free = minimal.problem.sizes["COORDINATES"]
        self._kept = find.follower.here
        self._lost: tuple[float, StepError | None] = -np.inf, None

    def motion(self, time: float, state: Array) -> MinimalMotion:
        return self._find.motion(time, state, self._own.angle, self._active)

    def allowed(self, state: Array, tolerance: float) -> Array:
        scale = np.ones(2 * self._free)
        scale[self._free :] = np.maximum(1.0, np.abs(state[self._free :]))
        return scale * tolerance

    def check(self, before: MinimalMotion, after: MinimalMotion, state: Array, h: float) -> None:
        jump = self._jump(before, after, h)
        if jump >= 0 and self._chosen:
            raise MinimalStopError(Status.BRANCH_LOST, int(self._minimal.groups[jump]) + 1)
        if jump >= 0:
            raise MinimalStopError(Status.BRANCH_LOST, 0, jump)

    def keep(self, after: MinimalMotion) -> None:
        self._own.branch, self._kept = after.branch, self._find.follower.here

    def accept(self, after: MinimalMotion) -> None:
        self._own.angle = after.angle

    def record(self, row: int, motion: MinimalMotion, *, at_end: bool) -> None:
        self._find.record(self._out, row, motion)

    def refuse(self, error: StepError | None) -> None:
        self._find.follower.here = self._kept  # stages too far ahead may have lost it
        if error is not None:
            self._lost = self._own.time, error

    def cause(self, now: MinimalMotion) -> StepError:
        when, error = self._lost
        lately = error if self._own.time - when < _LATELY * self._span else None
        return lately or MinimalStopError(Status.NOT_CONVERGED, 0, self._fastest(now))

    def _jump(self, one: MinimalMotion, two: MinimalMotion, h: float) -> int:
        """Return the body whose velocity jumps where a driven freedom turned back, else -1; see `find_jump` in C."""
        if not np.any(one.rates * two.rates <= 0.0):
            return -1
        gap = two.twist - one.twist - h / 2 * (one.acceleration + two.acceleration)
        for body in range(len(gap)):
            for part in (slice(0, 3), slice(3, 6)):
                size = np.sqrt(np.sum(one.twist[body, part] ** 2) + np.sum(two.twist[body, part] ** 2))
                if np.linalg.norm(gap[body, part]) > _JUMP * size + _LEAST_JUMP:
                    return body
        return -1

    def _fastest(self, now: MinimalMotion) -> int:
        """Return the body that unit rates of coordinates move fastest."""
        scale = np.array([1.0 / self._minimal.reach] * 3 + [1.0] * 3)
        return int(np.argmax(np.sum((now.columns * scale) ** 2, axis=(0, 2)))) if self._free else -1
