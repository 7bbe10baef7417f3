"""The engine of central differences: how it is asked, and compiled: its C with a mechanism's tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symgen.build.load import Copies
from symgen.simulate.calls import at_least_one, pointer_of, set_tables, sources_of, watched
from symgen.simulate.contract import SCALARS, EngineSamples, EngineState, StoppableProgress
from symgen.simulate.manifest import DynamicsManifest
from symgen.simulate.tables.problem import Problem
from symgen.simulate.tables.problem_text import tables_as_data
from symgen.status import Status


@dataclass(frozen=True)
class Settings:
    """How a stretch is integrated.

    Parameters
    ----------
    start, step : [s].
    steps, every : how many steps, and how many of them to a sample.
    tolerance : of Newton's corrections [m or rad].
    most_iterations : of Newton, a step.
    fractions : of a step, for each stage of a variational composition; None for central differences.
    """

    start: float
    step: float
    steps: int
    every: int = 1
    tolerance: float = 1e-10
    most_iterations: int = 10
    fractions: tuple[float, ...] | None = None


class DynamicsEngine(Protocol):
    """What integrates a problem."""

    name: str

    def run(
        self,
        settings: Settings,
        state: EngineState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """Integrate one stretch; `state` is that at its end afterwards. One that `progress` stops is NOT_CONVERGED."""


class CompiledDynamics:
    """A mechanism's engine in C; calls release the GIL."""

    name = "c"

    def __init__(self, problem: Problem, manifest: DynamicsManifest) -> None:
        self.problem, self._tables = problem, tables_as_data(problem)
        self._copies = Copies(sources_of(self._tables, manifest))
        with self._copies.one() as module:
            self._work = np.zeros(-(-int(module.lib.symgen_dynamics_workspace_size()) // 8))

    def run(
        self,
        settings: Settings,
        state: EngineState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """Integrate one stretch; `state` is that at its end afterwards.

        Parameters
        ----------
        active : which forces and torques act.
        progress : called now and then.
        """
        with self._copies.one() as module:
            set_tables(module, self._tables)
            return self._run(module.ffi, module.lib, settings, state, active, progress)

    def _run(
        self,
        ffi: Any,
        lib: Any,
        settings: Settings,
        state: EngineState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None,
    ) -> EngineSamples:
        pointer = partial(pointer_of, ffi)
        rows, bodies = settings.steps // settings.every + 1, self.problem.sizes["BODIES"]
        arrays = [np.full((rows, bodies, size), np.nan) for size in (7, 6, 6, 6)]
        arrays += [np.full((rows, size), np.nan) for size in (self.problem.sizes["WATCHED"], SCALARS)]
        held = [state.coordinates, state.rate, state.twist, state.angle, state.watched]
        given = ffi.new("symgen_dynamics_state *", [*map(pointer, held), 0.0])
        out = ffi.new("symgen_dynamics_samples *", list(map(pointer, arrays)))
        chosen = ffi.new(
            "symgen_dynamics_settings *",
            [settings.start, settings.step, settings.tolerance, 1e-14, 1e-3, settings.steps, settings.every,
             settings.most_iterations],
        )  # fmt: skip
        reached = np.zeros(2, dtype=np.int64)
        switches = np.ascontiguousarray(at_least_one(active), dtype=np.int32)
        arguments: tuple[Any, ...] = (
            ffi.cast("symgen_dynamics_workspace *", pointer(self._work)), chosen, given,
            ffi.from_buffer("int32_t[]", switches), out, ffi.from_buffer("int64_t[]", reached),
        )  # fmt: skip
        run = lib.symgen_dynamics_run_central
        if settings.fractions is not None:
            run = lib.symgen_dynamics_run_variational
            arguments = (
                *arguments[:2],
                len(settings.fractions),
                ffi.new("double[]", settings.fractions),
                *arguments[2:],
            )
        kept = [*held, *arrays, switches, self._work]
        status = Status(watched(lambda: int(run(*arguments)), reached, progress, settings.steps, kept))
        done = int(reached[0])
        count = rows if status == Status.OK else done // settings.every + (1 if done % settings.every else 0)
        poses, twists, accelerations, reactions, angles, scalars = (array[:count] for array in arrays)
        return EngineSamples(
            poses, twists, accelerations, reactions, angles, scalars, status, done, float(given.correction)
        )
