"""The compiled dynamics of one mechanism: the engine's C with the mechanism's tables, one call a stretch of time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import ModuleType
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from symgen.build.load import Copies
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import InputError
from symgen.library.sources import COMMON_HEADER, status_declaration
from symgen.poses import Array
from symgen.resources import generated_folder
from symgen.simulate.manifest import FOLDER, DynamicsManifest
from symgen.simulate.problem import Problem
from symgen.simulate.tables import DECLARATION, TablesAsData, tables_as_data
from symgen.status import Status

SCALARS = 5
#: Time between two looks at how far a call is [s].
_LOOK = 0.1
Told: TypeAlias = Callable[[float], bool]
"""Is told the part done of a stretch, 0 to 1; answers whether to stop there."""


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


@dataclass
class State:
    """Where a stretch starts, and after it where it ended; bodies in the order of the engine.

    Parameters
    ----------
    place : values and balls of the tree, or poses.
    rate : of the unknowns.
    twist : (bodies, 6).
    angle : of each joint force's freedom.
    watched : of the joints, to tell in which turn they are.
    """

    place: Array
    rate: Array
    twist: Array
    angle: Array
    watched: Array


@dataclass(frozen=True)
class Samples:
    """Rows of one stretch, from its start on; bodies in the order of the engine.

    `scalars` are kinetic and potential energy, violation, iterations, last correction; `modes` (rows, 3, modes) values,
    rates and second rates of the modes of beams.
    """

    poses: Array
    twists: Array
    accelerations: Array
    reactions: Array
    angles: Array
    scalars: Array
    status: Status
    steps_done: int
    correction: float
    modes: Array = field(default_factory=lambda: np.empty((0, 3, 0)))


class DynamicsEngine(Protocol):
    """What integrates a problem."""

    name: str

    def run(self, settings: Settings, state: State, active: NDArray[np.int32], told: Told | None = None) -> Samples:
        """Integrate one stretch; `state` is that at its end afterwards. One that `told` stops is NOT_CONVERGED."""


class CompiledDynamics:
    """A mechanism's engine in C; calls release the GIL."""

    name = "c"

    def __init__(self, problem: Problem, manifest: DynamicsManifest) -> None:
        self.problem, self._tables = problem, tables_as_data(problem)
        self._copies = Copies(sources_of(self._tables, manifest))
        with self._copies.one() as module:
            self._work = np.zeros(-(-int(module.lib.symgen_dynamics_workspace_size()) // 8))

    def run(self, settings: Settings, state: State, active: NDArray[np.int32], told: Told | None = None) -> Samples:
        """Integrate one stretch; `state` is that at its end afterwards.

        Parameters
        ----------
        active : which forces and torques act.
        told : called now and then.
        """
        with self._copies.one() as module:
            set_tables(module, self._tables)
            return self._run(module.ffi, module.lib, settings, state, active, told)

    def _run(
        self, ffi: Any, lib: Any, settings: Settings, state: State, active: NDArray[np.int32], told: Told | None
    ) -> Samples:
        pointer = partial(pointer_of, ffi)
        rows, bodies = settings.steps // settings.every + 1, self.problem.sizes["BODIES"]
        arrays = [np.full((rows, bodies, size), np.nan) for size in (7, 6, 6, 6)]
        arrays += [np.full((rows, size), np.nan) for size in (self.problem.sizes["WATCHED"], SCALARS)]
        held = [state.place, state.rate, state.twist, state.angle, state.watched]
        given = ffi.new("symgen_dynamics_state *", [*map(pointer, held), 0.0])
        out = ffi.new("symgen_dynamics_samples *", list(map(pointer, arrays)))
        chosen = ffi.new(
            "symgen_dynamics_settings *",
            [settings.start, settings.step, settings.tolerance, 1e-14, 1e-3, settings.steps, settings.every,
             settings.most_iterations],
        )  # fmt: skip
        progress = np.zeros(2, dtype=np.int64)
        switches = np.ascontiguousarray(active if active.size else np.zeros(1), dtype=np.int32)
        arguments: tuple[Any, ...] = (
            ffi.cast("symgen_dynamics_workspace *", pointer(self._work)), chosen, given,
            ffi.from_buffer("int32_t[]", switches), out, ffi.from_buffer("int64_t[]", progress),
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
        status = Status(watched(lambda: int(run(*arguments)), progress, told, settings.steps, kept))
        done = int(progress[0])
        reached = rows if status == Status.OK else done // settings.every + (1 if done % settings.every else 0)
        poses, twists, accelerations, reactions, angles, scalars = (array[:reached] for array in arrays)
        return Samples(poses, twists, accelerations, reactions, angles, scalars, status, done, float(given.correction))


def pointer_of(ffi: Any, array: Array) -> Any:
    """Return where C finds the numbers of an array."""
    return ffi.from_buffer("double[]", array, require_writable=True)


def set_tables(module: ModuleType, tables: TablesAsData) -> None:
    """Give a copy of a compiled engine the tables of a mechanism."""
    ffi = module.ffi
    module.lib.symgen_set_tables(
        ffi.from_buffer("int32_t[]", tables.integers), ffi.from_buffer("double[]", tables.numbers)
    )


def watched(
    call: Callable[[], int], progress: NDArray[np.int64], told: Told | None, whole: float, held: Sequence[Any]
) -> int:
    """Make a long call in a thread of its own, and tell how far it is; it has ended whenever this returns or raises.

    Parameters
    ----------
    progress : [0] how far the call is, [1] set where it is to stop.
    whole : what progress is at the end.
    held : what C writes into: the thread itself keeps it, so that nothing is freed under it whatever is raised here.
    """
    found: list[int] = []
    ended, begun = threading.Event(), threading.Lock()

    def work(_held: Sequence[Any]) -> None:
        try:
            if begun.acquire(blocking=False):  # else it was given up before it began
                found.append(call())
        finally:
            ended.set()

    worker = threading.Thread(target=work, args=(held,), name="symgen engine")
    try:
        worker.start()
        while not ended.wait(_LOOK):
            if told is not None and told(int(progress[0]) / max(whole, 1)):
                progress[1] = 1
    except BaseException:
        _end(progress, ended, begun)
        raise
    worker.join()
    return found[0]


def _end(progress: NDArray[np.int64], ended: threading.Event, begun: threading.Lock) -> None:
    """Have a call stop and wait until it has, however often that is interrupted.

    A thread's `join` does not do: once interrupted, the next one returns at once though the thread still runs (Python
    before 3.13).
    """
    while True:
        try:
            progress[1] = 1
            if begun.acquire(blocking=False):  # it has not begun, and will not
                return
            ended.wait()
            return
        except KeyboardInterrupt:
            continue


def sources_of(tables: TablesAsData, manifest: DynamicsManifest) -> ModuleSources:
    """Return what has to be compiled for mechanisms of one shape.

    Raises
    ------
    InputError
        A file of the engine is missing.
    """
    folder = generated_folder()
    paths = {f"{FOLDER}/{name}": folder / FOLDER / name for name in (*manifest.files["double"], COMMON_HEADER)}
    files = []
    for name, path in paths.items():
        try:
            files.append(SourceFile(name, path.read_bytes()))
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}: symgen is not fully installed") from error
    files.append(SourceFile(f"{FOLDER}/problem.h", tables.header.encode()))
    return ModuleSources(
        name="dynamics",
        cdef=status_declaration() + manifest.cdef + DECLARATION,
        header="dynamics.h",
        preamble=DECLARATION,
        units=(f"{FOLDER}/dynamics.c",),
        include=(FOLDER,),
        files=tuple(files),
    )
