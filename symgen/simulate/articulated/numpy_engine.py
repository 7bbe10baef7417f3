"""The explicit integrator in the coordinates of the tree without a compiler; see templates/c99/transfer/riccati."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symgen.poses import Array
from symgen.simulate.articulated.engine import RiccatiSettings, RiccatiState
from symgen.simulate.articulated.numpy_motion import Accelerator, StopError, TreeMotion, TreeMotions
from symgen.simulate.constants import constant
from symgen.simulate.engine import Samples, Told
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.mechanism_tables import KINDS
from symgen.simulate.minimal.engine import empty_rows, samples_of
from symgen.simulate.minimal.explicit_steps import MOST_STEPS, NEARLY, SHORTEST, StepControl, WithinStep, error_of_step
from symgen.simulate.problem import Problem
from symgen.status import Status

_WILD = constant("WILD")


class NumpyRiccati:
    """See `symgen.simulate.articulated.engine.RiccatiEngine`.

    Parameters
    ----------
    accelerator : finds second rates in place of the sweep.
    """

    name = "numpy"

    def __init__(self, problem: Problem, manifest: DynamicsManifest, accelerator: Accelerator | None = None) -> None:
        self._problem = problem
        self._find = TreeMotions(problem, manifest, accelerator)
        self._unit = np.ones(self._find.places + problem.sizes["UNKNOWNS"])
        for m, (kind, unknown, _, _) in enumerate(problem.integers["MOTION"]):
            if (KINDS[kind] == "mode" or KINDS[kind].startswith("slide")) and unknown >= 0:
                self._unit[[m, self._find.places + unknown]] = problem.unit

    def run(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        active: NDArray[np.int32],
        told: Told | None = None,
    ) -> Samples:
        """See `RiccatiEngine.run`."""
        sizes = self._problem.sizes
        out = empty_rows(settings.samples + 1, sizes["BODIES"], sizes["WATCHED"], sizes.get("MODES", 0))
        state.time, status, before = settings.start, Status.OK, state.steps
        state.body, self._find.opened = -1, 0.0
        self._find.set_ranks(state.rank)
        with np.errstate(all="ignore"):
            try:
                now = self._find.motion(state.time, state.place, state.angle, active, settings.recall)
                state.angle = now.angle
                self._find.keep_ranks(state.rank)
                self._find.record(out, 0, now, state.watched)
                run = self._equal if settings.tolerance is None else self._chosen
                run(settings, state, now, active, out, told or (lambda _: False))
            except StopError as stop:
                status, state.body, state.reason = stop.status, stop.body, stop.reason
        state.opened = self._find.opened
        return samples_of(out, status, state.steps - before)

    def _slopes(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        h: float,
        slopes: list[Array],
        last: int,
        active: NDArray[np.int32],
    ) -> None:
        """Add slopes up to the last."""
        scheme = settings.scheme
        for s in range(len(slopes), last + 1):
            place = state.place + h * (scheme.slopes[s, :s] @ np.array(slopes))
            time = state.time + scheme.nodes[s] * h
            slopes.append(self._find.motion(time, place, state.angle, active, settings.recall).slope)

    def _finish(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        h: float,
        time: float,
        slopes: list[Array],
        active: NDArray[np.int32],
    ) -> tuple[Array, TreeMotion]:
        """Return the place at the end of a step, its loops closed, and the motion there, whose slope is added."""
        stages = settings.scheme.stages
        weights = settings.scheme.slopes[stages, :stages]
        place = self._find.unit(state.place + h * (weights @ np.array(slopes[:stages])))
        if self._problem.sizes["ROWS"] and settings.project:
            place = self._find.close(time, place)
        after = self._find.motion(time, place, state.angle, active, settings.recall)
        self._find.check()
        slopes.append(after.slope)
        return place, after

    def _equal(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        now: TreeMotion,
        active: NDArray[np.int32],
        out: list[Array],
        told: Told,
    ) -> None:
        steps = settings.samples * settings.every
        h = (settings.end - settings.start) / steps
        for n in range(1, steps + 1):
            time, slopes = settings.start + n * h if n < steps else settings.end, [now.slope]
            self._slopes(settings, state, h, slopes, settings.scheme.stages - 1, active)
            place, now = self._finish(settings, state, h, time, slopes, active)
            if not np.abs(h * place[self._find.places :]).max(initial=0.0) <= _WILD:
                raise StopError(Status.NOT_CONVERGED)
            self._accept(state, place, now, time)
            if n % settings.every == 0:
                self._find.record(out, n // settings.every, now, state.watched)
            if told(n / steps) and n < steps:
                raise StopError(Status.NOT_CONVERGED)

    def _accept(self, state: RiccatiState, place: Array, now: TreeMotion, time: float) -> None:
        state.watched = self._find.watch(now.now, state.watched)
        state.place, state.angle, state.time = place, now.angle, time
        state.steps += 1

    def _chosen(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        now: TreeMotion,
        active: NDArray[np.int32],
        out: list[Array],
        told: Told,
    ) -> None:
        span, row, control = settings.end - settings.start, 1, StepControl()
        lost = StopError(Status.NOT_CONVERGED)
        for _ in range(MOST_STEPS):
            left = settings.end - state.time
            last = not state.step < NEARLY * left
            h, time = (left, settings.end) if last else (state.step, state.time + state.step)
            slopes, error, good = [now.slope], np.inf, False
            try:
                self._slopes(settings, state, h, slopes, settings.scheme.stages - 1, active)
                error = self._error(settings, state, h, np.array(slopes))
                if error <= 1.0:
                    place, after = self._finish(settings, state, h, time, slopes, active)
                    good = True
            except StopError as found:
                lost, error = found, np.inf
            if good:
                if last:
                    self._find.record(out, settings.samples, after, self._find.watch(after.now, state.watched))
                row = self._sample(settings, state, h, slopes, place, active, out, row)
                self._accept(state, place, after, time)
                now = after
                stopped = told((state.time - settings.start) / span)
                state.step = control.accepted(state.step, h, error, last=last)
                if last:
                    return
                if stopped:
                    raise StopError(Status.NOT_CONVERGED)
                continue
            state.step = control.refused(h, error)
            state.refused += 1
            if not state.step > SHORTEST * (span + abs(state.time)):
                raise lost
        raise StopError(Status.NOT_CONVERGED)

    def _error(self, settings: RiccatiSettings, state: RiccatiState, h: float, slopes: Array) -> float:
        """Return the error of a step over the tolerance; see `find_error` in the engine's C."""
        places = self._find.places
        scale = np.full(len(state.place), settings.tolerance or 0.0)
        scale[places:] *= np.maximum(1.0, np.abs(self._unit * state.place)[places:])
        scale /= self._unit
        return error_of_step(settings.scheme, h, slopes, scale)

    def _sample(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
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
            place: Array = state.place + within.moved((time - state.time) / h)
            if self._problem.sizes["ROWS"] and settings.project:
                place = self._find.close(time, place)
            motion = self._find.motion(time, place, state.angle, active, settings.recall)
            self._find.record(out, row, motion, state.watched)
            row += 1
        return row
