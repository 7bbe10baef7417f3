"""The compiled dynamics in minimal coordinates: one call a stretch of time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symgen.build.load import Copies
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.library.sources import status_declaration
from symgen.poses import Array
from symgen.simulate.calls import MILLION, at_least_one, pointer_of, set_tables, sources_of, watched
from symgen.simulate.contract import EngineSamples, StoppableProgress, empty_rows, samples_of
from symgen.simulate.explicit.schemes import ExplicitScheme
from symgen.simulate.manifest import FOLDER, DynamicsManifest
from symgen.simulate.minimal.module import ID
from symgen.simulate.minimal.tables import MinimalProblem, inputs_header
from symgen.simulate.stretches import MOST_STEPS
from symgen.simulate.tables.problem_text import DECLARATION, TablesAsData, tables_as_data
from symgen.status import Status


@dataclass(frozen=True)
class MinimalSettings:
    """How a stretch is integrated.

    Parameters
    ----------
    start, end : [s].
    samples : spans from one row to the next.
    every : steps of one length in such a span, where there is no tolerance.
    tolerance : of the error of a step [m or rad]; None for steps of one length.
    """

    scheme: ExplicitScheme
    start: float
    end: float
    samples: int
    every: int
    tolerance: float | None


@dataclass
class MinimalState:
    """Where a stretch starts, and after it where it ended.

    Parameters
    ----------
    vector : (2 f,) the state: coordinates, then their rates.
    angle : of each joint force's freedom.
    branch : (groups,) of each group.
    step : to try next [s].
    time : reached [s].
    steps, refused : taken, and tried again with a smaller step.
    group : number of the group that could not be solved, else 0.
    body : the engine's number of the body whose velocity jumps, else -1.
    crowded : whether that group's regions did not reach the next state.
    """

    vector: Array
    angle: Array
    branch: NDArray[np.int32]
    step: float
    time: float = 0.0
    steps: int = 0
    refused: int = 0
    group: int = 0
    body: int = -1
    crowded: bool = False


class MinimalEngine(Protocol):
    """What integrates a problem in minimal coordinates."""

    name: str

    def run(
        self,
        settings: MinimalSettings,
        state: MinimalState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """Integrate one stretch; `state` is that at its end afterwards."""


class CompiledMinimal:
    """A mechanism's engine in C; calls release the GIL."""

    name = "c"

    def __init__(self, minimal: MinimalProblem, manifest: DynamicsManifest) -> None:
        self._tables = tables_as_data(minimal.problem, common=False)
        self._copies = Copies(minimal_sources(minimal, self._tables, manifest))
        self._bodies = minimal.problem.sizes["BODIES"]
        with self._copies.one() as module:
            self._work = np.zeros(-(-int(module.lib.symgen_dynamics_minimal_workspace_size()) // 8))

    def run(
        self,
        settings: MinimalSettings,
        state: MinimalState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """See `MinimalEngine.run`."""
        with self._copies.one() as module:
            set_tables(module, self._tables)
            return self._run(module.ffi, module.lib, settings, state, active, progress)

    def _run(
        self,
        ffi: Any,
        lib: Any,
        settings: MinimalSettings,
        state: MinimalState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None,
    ) -> EngineSamples:
        scheme, pointer = settings.scheme, partial(pointer_of, ffi)
        arrays = empty_rows(settings.samples + 1, self._bodies, len(state.vector) // 2)
        tables = [scheme.nodes, scheme.slopes, scheme.fine, scheme.coarse, scheme.dense]
        held = [np.ascontiguousarray(table) for table in tables]
        chosen = ffi.new("symgen_dynamics_minimal_scheme *", [scheme.stages, scheme.width, *map(pointer, held)])
        set_ = ffi.new(
            "symgen_dynamics_minimal_settings *",
            [settings.start, settings.end, settings.tolerance or 0.0, settings.samples, settings.every, MOST_STEPS],
        )
        vector, angle = at_least_one(state.vector), at_least_one(state.angle)
        given = ffi.new(
            "symgen_dynamics_minimal_state *",
            [
                pointer(vector),
                pointer(angle),
                ffi.from_buffer("int32_t[]", state.branch),
                state.step,
                0.0,
                0,
                0,
                0,
                -1,
                0,
            ],
        )
        out = ffi.new("symgen_dynamics_minimal_samples *", list(map(pointer, map(at_least_one, arrays))))
        reached = np.zeros(2, dtype=np.int64)
        switches = np.ascontiguousarray(at_least_one(active), dtype=np.int32)
        kept = [*arrays, *held, vector, angle, switches, state.branch, self._work]
        arguments: tuple[Any, ...] = (
            ffi.cast("symgen_dynamics_minimal_workspace *", pointer(self._work)), chosen, set_, given,
            ffi.from_buffer("int32_t[]", switches), out, ffi.from_buffer("int64_t[]", reached),
        )  # fmt: skip
        run = lib.symgen_dynamics_run_minimal
        status = Status(watched(lambda: int(run(*arguments)), reached, progress, MILLION, kept))
        state.vector, state.angle = vector[: len(state.vector)], angle[: len(state.angle)]
        state.step, state.time = float(given.step), float(given.time)
        state.steps, state.refused = state.steps + int(given.steps), state.refused + int(given.refused)
        state.group, state.body, state.crowded = int(given.group), int(given.body), bool(given.crowded)
        return samples_of(arrays, status, int(given.steps))


def minimal_sources(minimal: MinimalProblem, tables: TablesAsData, manifest: DynamicsManifest) -> ModuleSources:
    """Return what has to be compiled for a mechanism: its groups are a part of the code, masses and forces are not."""
    engine = sources_of(tables, manifest)
    own = {"inputs.h": inputs_header(minimal).encode()}
    own |= {name: minimal.module.text(name) for name in (f"{ID}.c", f"{ID}.h")}
    return replace(
        engine,
        name="dynamics_minimal",
        cdef=status_declaration() + manifest.cdef_minimal + DECLARATION,
        header="dynamics_minimal.h",
        units=(f"{FOLDER}/dynamics_minimal.c", f"{FOLDER}/{ID}.c"),
        files=(*engine.files, *(SourceFile(f"{FOLDER}/{name}", text) for name, text in own.items())),
    )
