"""The compiled dynamics by the Riccati form of the transfer matrices: one call a stretch of time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from symgen.build.load import Copies
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import InputError
from symgen.library.sources import status_declaration
from symgen.poses import Array
from symgen.resources import generated_folder
from symgen.simulate.articulated.loops import loop_rows, make_loops
from symgen.simulate.articulated.sizes import SIZES, modes_header
from symgen.simulate.calls import MILLION, at_least_one, pointer_of, set_tables, sources_of, watched
from symgen.simulate.contract import EngineSamples, StoppableProgress, empty_rows, samples_of
from symgen.simulate.explicit.schemes import ExplicitScheme
from symgen.simulate.manifest import FOLDER, DynamicsManifest
from symgen.simulate.stretches import MOST_STEPS
from symgen.simulate.tables.problem import Problem
from symgen.simulate.tables.problem_text import DECLARATION, TablesAsData, tables_as_data
from symgen.status import Status

TRANSFER = "transfer"


@dataclass(frozen=True)
class RiccatiSettings:
    """How a stretch is integrated.

    Parameters
    ----------
    start, end : [s].
    samples : spans from one row to the next.
    every : steps of one length in such a span, where there is no tolerance.
    tolerance : of the error of a step [m or rad]; None for steps of one length.
    recall : rate [1/s] at which open loops are called back; 0: they are not.
    project : whether loops are closed after every step.
    """

    scheme: ExplicitScheme
    start: float
    end: float
    samples: int
    every: int
    tolerance: float | None
    recall: float = 0.0
    project: bool = True


@dataclass
class RiccatiState:
    """Where a stretch starts, and after it where it ended.

    Parameters
    ----------
    vector : the state: values of the tree's motions, turns of its balls (4 each), rates of the unknowns.
    angle : of each joint force's freedom.
    watched : of the joints, to tell in which turn they are.
    rank : of each closing of loops how many rows are independent at the start; -1: to be found.
    step : to try next [s].
    time : reached [s].
    opened : how far loops were open before they were closed, where that failed.
    steps, refused : taken, and tried again with a smaller step.
    body : the engine's number of the body whose joint moves no mass, else -1.
    reason : why it stopped, where the engine can say.
    """

    vector: Array
    angle: Array
    watched: Array
    rank: NDArray[np.int32]
    step: float
    time: float = 0.0
    opened: float = 0.0
    steps: int = 0
    refused: int = 0
    body: int = -1
    reason: str = ""


class RiccatiEngine(Protocol):
    """What integrates a problem by articulated inertias."""

    name: str

    def run(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """Integrate one stretch; `state` is that at its end afterwards."""


class _Manifest(msgspec.Struct):
    files_riccati: list[str]
    cdef_riccati: str
    cdef_riccati_beams: str


class CompiledRiccati:
    """A mechanism's engine in C; calls release the GIL."""

    name = "c"

    def __init__(self, problem: Problem, manifest: DynamicsManifest) -> None:
        self._problem, self._tables = problem, riccati_tables(problem)
        self._copies = Copies(riccati_sources(problem, self._tables, manifest))
        with self._copies.one() as module:
            self._work = np.zeros(-(-int(module.lib.symgen_transfer_workspace_size()) // 8))

    def run(
        self,
        settings: RiccatiSettings,
        state: RiccatiState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None = None,
    ) -> EngineSamples:
        """See `RiccatiEngine.run`."""
        with self._copies.one() as module:
            set_tables(module, self._tables)
            return self._run(module.ffi, module.lib, settings, state, active, progress)

    def _run(
        self,
        ffi: Any,
        lib: Any,
        settings: RiccatiSettings,
        state: RiccatiState,
        active: NDArray[np.int32],
        progress: StoppableProgress | None,
    ) -> EngineSamples:
        scheme, sizes, pointer = settings.scheme, self._problem.sizes, partial(pointer_of, ffi)
        arrays = empty_rows(settings.samples + 1, sizes["BODIES"], sizes["WATCHED"], sizes.get("MODES", 0))
        held = [
            np.ascontiguousarray(table)
            for table in (scheme.nodes, scheme.slopes, scheme.fine, scheme.coarse, scheme.dense)
        ]
        chosen = ffi.new("symgen_transfer_scheme *", [scheme.stages, scheme.width, *map(pointer, held)])
        set_ = ffi.new(
            "symgen_transfer_settings *",
            [settings.start, settings.end, settings.tolerance or 0.0, self._problem.unit, settings.recall,
             int(settings.project), settings.samples, settings.every, MOST_STEPS],
        )  # fmt: skip
        own = [at_least_one(each.copy()) for each in (state.vector, state.angle, state.watched)]
        rank = ffi.from_buffer("int32_t[]", at_least_one(state.rank))
        given = ffi.new("symgen_transfer_state *", [*map(pointer, own), rank, state.step, 0.0, 0.0, 0, 0, -1])
        out = ffi.new("symgen_transfer_samples *", list(map(pointer, map(at_least_one, arrays))))
        reached = np.zeros(2, dtype=np.int64)
        switches = np.ascontiguousarray(at_least_one(active), dtype=np.int32)
        kept = [*arrays, *held, *own, switches, state.rank, self._work]
        arguments: tuple[Any, ...] = (
            ffi.cast("symgen_transfer_workspace *", pointer(self._work)), chosen, set_, given,
            ffi.from_buffer("int32_t[]", switches), out, ffi.from_buffer("int64_t[]", reached),
        )  # fmt: skip
        run = lib.symgen_transfer_run
        status = Status(watched(lambda: int(run(*arguments)), reached, progress, MILLION, kept))
        state.vector, state.angle, state.watched = (
            array[: len(old)] for array, old in zip(own, (state.vector, state.angle, state.watched), strict=True)
        )
        state.step, state.time, state.opened = float(given.step), float(given.time), float(given.opened)
        state.steps, state.refused = state.steps + int(given.steps), state.refused + int(given.refused)
        state.body = int(given.body)
        return samples_of(arrays, status, int(given.steps))


@lru_cache(maxsize=1)
def _manifest() -> _Manifest:
    text = (generated_folder() / TRANSFER / f"{TRANSFER}.json").read_bytes()
    return msgspec.json.decode(text, type=_Manifest)


def riccati_files() -> dict[str, bytes]:
    """Return the own files of the engine by name.

    Raises
    ------
    InputError
        A file of the engine is missing.
    """
    folder, found = generated_folder() / TRANSFER, {}
    for name in _manifest().files_riccati:
        try:
            found[name] = (folder / name).read_bytes()
        except OSError as error:
            message = f"{folder / name}: {error.strerror or error}: symgen is not fully installed"
            raise InputError(message) from error
    return found


def riccati_tables(problem: Problem) -> TablesAsData:
    """Return the tables of a problem in the coordinates of its tree, and of its loops, as data."""
    sizes, tables = loop_rows(problem, make_loops(problem))
    return tables_as_data(problem, tables, sizes)


def riccati_sources(problem: Problem, tables: TablesAsData, manifest: DynamicsManifest) -> ModuleSources:
    """Return what has to be compiled for mechanisms that an engine in the coordinates of their tree has room for."""
    engine = sources_of(tables, manifest)
    declared = _manifest().cdef_riccati_beams if problem.sizes.get("BEAMS") else _manifest().cdef_riccati
    own = {
        **riccati_files(),
        "loops.h": b"/* Tables of loops are in problem.h. */\n",
        SIZES: modes_header(problem).encode(),
    }
    return replace(
        engine,
        name=TRANSFER,
        cdef=status_declaration() + declared + DECLARATION,
        header="transfer.h",
        units=(f"{FOLDER}/transfer.c",),
        files=(*engine.files, *(SourceFile(f"{FOLDER}/{name}", content) for name, content in own.items())),
    )
