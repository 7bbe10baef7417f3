"""The explicit integrator in the coordinates of the tree without a compiler; see templates/c99/transfer/riccati."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from symgen.engine_tables import MOTION_KINDS
from symgen.poses import Array
from symgen.simulate.articulated.engine import RiccatiSettings, RiccatiState
from symgen.simulate.articulated.numpy_motion import Accelerator, ArticulatedStopError, TreeMotion, TreeMotions
from symgen.simulate.constants import constant
from symgen.simulate.contract import EngineSamples, StoppableProgress, empty_rows, samples_of
from symgen.simulate.explicit.numpy_steps import ExplicitSteps, StepError
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.problem import Problem
from symgen.status import Status

_WILD = constant("WILD")


class NumpyRiccati:
    """See `symgen.simulate.articulated.engine.RiccatiEngine`.

    Parameters
    ----------
    accelerator : finds accelerations in place of the sweep.
    """

    name = "numpy"

    def __init__(self, problem: Problem, manifest: DynamicsManifest, accelerator: Accelerator | None = None) -> None:
        self._problem = problem
        self._find = TreeMotions(problem, manifest, accelerator)
        self._unit = np.ones(self._find.coordinates + problem.sizes["UNKNOWNS"])
        for m, (kind, unknown) in enumerate(problem.tables["MOTION"][["kind", "unknown"]].tolist()):
            if (MOTION_KINDS[kind] == "mode" or MOTION_KINDS[kind].startswith("slide")) and unknown >= 0:
                self._unit[[m, self._find.coordinates + unknown]] = problem.unit

    def run(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """See `RiccatiEngine.run`."""
        sizes = self._problem.sizes
        out = empty_rows(settings.samples + 1, sizes["BODIES"], sizes["WATCHED"], sizes.get("MODES", 0))
        state.time, status, before = settings.start, Status.OK, state.steps
        state.body, self._find.opened = -1, 0.0
        self._find.set_ranks(state.rank)
        with np.errstate(all="ignore"):
            try:
                now = self._find.motion(state.time, state.vector, state.angle, active, settings.recall)
                state.angle = now.angle
                self._find.keep_ranks(state.rank)
                self._find.record(out, 0, now, state.watched)
                _ArticulatedSteps(self._problem, self._find, self._unit, settings, state, active, out, progress).take(
                    now
                )
            except ArticulatedStopError as stop:
                status, state.body, state.reason = stop.status, stop.body, stop.reason
            except StepError as stop:
                status, state.body, state.reason = stop.status, -1, ""
        state.opened = self._find.opened
        return samples_of(out, status, state.steps - before)


class _ArticulatedSteps(ExplicitSteps[TreeMotion]):
    def __init__(
        self,
        problem: Problem,
        find: TreeMotions,
        unit: Array,
        settings: RiccatiSettings,
        state: RiccatiState,
        active: NDArray[np.int32],
        out: list[Array],
        progress: StoppableProgress | None,
    ) -> None:
        super().__init__(settings, state, progress)
        self._find, self._unit, self._active, self._out = find, unit, active, out
        self._recall, self._own, self._chosen = settings.recall, state, settings.tolerance is not None
        self._closes = bool(problem.sizes["ROWS"]) and settings.project
        self._lost = StepError(Status.NOT_CONVERGED)

    def motion(self, time: float, state: Array) -> TreeMotion:
        return self._find.motion(time, state, self._own.angle, self._active, self._recall)

    def corrected(self, time: float, state: Array, *, at_end: bool) -> Array:
        state = self._find.unit(state) if at_end else state
        return self._find.close(time, state) if self._closes else state

    def allowed(self, state: Array, tolerance: float) -> Array:
        coordinates = self._find.coordinates
        scale = np.full(len(state), tolerance)
        scale[coordinates:] *= np.maximum(1.0, np.abs(self._unit * state)[coordinates:])
        return scale / self._unit

    def check(self, before: TreeMotion, after: TreeMotion, state: Array, h: float) -> None:
        self._find.check()
        if not self._chosen and not np.abs(h * state[self._find.coordinates :]).max(initial=0.0) <= _WILD:
            raise StepError(Status.NOT_CONVERGED)

    def accept(self, after: TreeMotion) -> None:
        self._own.watched = self._find.watch(after.now, self._own.watched)
        self._own.angle = after.angle

    def record(self, row: int, motion: TreeMotion, *, at_end: bool) -> None:
        watched = self._own.watched
        self._find.record(self._out, row, motion, self._find.watch(motion.now, watched) if at_end else watched)

    def refuse(self, error: StepError | None) -> None:
        self._lost = error or self._lost

    def cause(self, now: TreeMotion) -> StepError:
        return self._lost
