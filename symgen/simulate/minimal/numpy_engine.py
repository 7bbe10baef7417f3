"""The dynamics in minimal coordinates without a compiler; see templates/c99/dynamics, step for step the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.simulate.constants import constant
from symgen.simulate.engine import Samples, Told
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.minimal.engine import MinimalSettings, MinimalState, empty_rows, samples_of
from symgen.simulate.minimal.explicit_steps import MOST_STEPS, NEARLY, SHORTEST, StepControl, WithinStep, error_of_step
from symgen.simulate.minimal.numpy_motion import MinimalMotion, MotionFinder
from symgen.simulate.minimal.numpy_regions import StopError
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
        told: Told | None = None,
    ) -> Samples:
        """See `MinimalEngine.run`."""
        out = empty_rows(settings.samples + 1, self._count, self._free)
        state.time, status, before = settings.start, Status.OK, state.steps
        with np.errstate(all="ignore"):
            try:
                self._find.start(state.branch)
                now = self._find.motion(state.time, state.place, state.angle, active)
                state.angle = now.angle
                self._find.record(out, 0, now)
                run = self._equal if settings.tolerance is None else self._chosen
                run(settings, state, now, active, out, told or (lambda _: False))
            except StopError as stop:
                status, state.group, state.body, state.crowded = stop.status, stop.group, stop.body, stop.crowded
        return samples_of(out, status, state.steps - before)

    def _slopes(
        self,
        settings: MinimalSettings,
        state: MinimalState,
        h: float,
        slopes: list[Array],
        last: int,
        active: NDArray[np.int32],
    ) -> tuple[Array, MinimalMotion]:
        """Add slopes up to the last; return the place and the motion there."""
        scheme = settings.scheme
        while True:
            s = len(slopes)
            place = state.place + h * (scheme.slopes[s, :s] @ np.array(slopes))
            motion = self._find.motion(state.time + scheme.nodes[s] * h, place, state.angle, active)
            slopes.append(motion.slope)
            if s == last:
                return place, motion

    def _jump(self, one: MinimalMotion, two: MinimalMotion, h: float) -> int:
        """Return the body whose velocity jumps where a driven freedom turned back, else -1; see `find_jump` in C."""
        if not np.any(one.rates * two.rates <= 0.0):
            return -1
        gap = two.twist - one.twist - h / 2 * (one.acceleration + two.acceleration)
        for body in range(self._count):
            for part in (slice(0, 3), slice(3, 6)):
                size = np.sqrt(np.sum(one.twist[body, part] ** 2) + np.sum(two.twist[body, part] ** 2))
                if np.linalg.norm(gap[body, part]) > _JUMP * size + _LEAST_JUMP:
                    return body
        return -1

    def _fastest(self, now: MinimalMotion) -> int:
        """Return the body that unit rates of coordinates move fastest."""
        scale = np.array([1.0 / self._minimal.reach] * 3 + [1.0] * 3)
        return int(np.argmax(np.sum((now.columns * scale) ** 2, axis=(0, 2)))) if self._free else -1

    def _equal(
        self,
        settings: MinimalSettings,
        state: MinimalState,
        now: MinimalMotion,
        active: NDArray[np.int32],
        out: list[Array],
        told: Told,
    ) -> None:
        steps = settings.samples * settings.every
        h = (settings.end - settings.start) / steps
        for n in range(1, steps + 1):
            place, after = self._slopes(settings, state, h, [now.slope], settings.scheme.stages, active)
            jump = self._jump(now, after, h)
            if jump >= 0:
                raise StopError(Status.BRANCH_LOST, 0, jump)
            state.branch = after.branch
            state.place, state.angle, now = place, after.angle, after
            state.time = settings.start + n * h if n < steps else settings.end
            state.steps += 1
            if n % settings.every == 0:
                self._find.record(out, n // settings.every, now)
            if told(n / steps) and n < steps:
                raise StopError(Status.NOT_CONVERGED)

    def _chosen(
        self,
        settings: MinimalSettings,
        state: MinimalState,
        now: MinimalMotion,
        active: NDArray[np.int32],
        out: list[Array],
        told: Told,
    ) -> None:
        span, row, control = settings.end - settings.start, 1, StepControl()
        lost: tuple[float, StopError | None] = -np.inf, None
        kept = self._find.follower.here
        for _ in range(MOST_STEPS):
            left = settings.end - state.time
            last = not state.step < NEARLY * left
            h = left if last else state.step
            slopes = [now.slope]
            stop: StopError | None = None
            error = np.inf
            try:
                place, after = self._slopes(settings, state, h, slopes, settings.scheme.stages, active)
                error = self._error(settings, state, h, np.array(slopes[:-1]))
                jump = self._jump(now, after, h) if error <= 1.0 else -1
                if jump >= 0:
                    raise StopError(Status.BRANCH_LOST, int(self._minimal.groups[jump]) + 1)
            except StopError as found:
                stop, lost = found, (state.time, found)
            if stop is None and error <= 1.0:
                state.branch, kept = after.branch, self._find.follower.here
                if last:
                    self._find.record(out, settings.samples, after)
                row = self._sample(settings, state, h, slopes, place, active, out, row)
                state.place, state.angle, now = place, after.angle, after
                state.time = settings.end if last else state.time + h
                state.steps += 1
                stopped = told((state.time - settings.start) / span)
                state.step = control.accepted(state.step, h, error, last=last)
                if last:
                    return
                if stopped:
                    raise StopError(Status.NOT_CONVERGED)
                continue
            self._find.follower.here = kept  # stages too far ahead may have lost it
            state.step = control.refused(h, error)
            state.refused += 1
            if not state.step > SHORTEST * (span + abs(state.time)):
                near = lost[1] if state.time - lost[0] < _LATELY * span else None
                raise stop or near or StopError(Status.NOT_CONVERGED, 0, self._fastest(now))
        raise StopError(Status.NOT_CONVERGED)

    def _error(self, settings: MinimalSettings, state: MinimalState, h: float, slopes: Array) -> float:
        """Return the error of a step over the tolerance; see `find_error` in the engine's C."""
        free = self._free
        scale = np.ones(2 * free)
        scale[free:] = np.maximum(1.0, np.abs(state.place[free:]))
        scale *= settings.tolerance or 0.0
        return error_of_step(settings.scheme, h, slopes, scale)

    def _sample(
        self,
        settings: MinimalSettings,
        state: MinimalState,
        h: float,
        slopes: list[Array],
        end: Array,
        active: NDArray[np.int32],
        out: list[Array],
        row: int,
    ) -> int:
        """Record the samples within a step; return the next row."""
        scheme = settings.scheme
        span = (settings.end - settings.start) / settings.samples
        within: WithinStep | None = None
        while row < settings.samples and settings.start + row * span <= state.time + h:
            if within is None:
                self._slopes(settings, state, h, slopes, scheme.width - 1, active)
                within = WithinStep(scheme, h, state.place, end, slopes)
            time = settings.start + row * span
            place = state.place + within.moved((time - state.time) / h)
            self._find.record(out, row, self._find.motion(time, place, state.angle, active))
            row += 1
        return row
