"""The solver itself: compiled once for every group of a space, or in NumPy where there is no compiler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from symgen.build.load import load_module
from symgen.build.notices import say_once
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import BuildError, InputError
from symgen.library.sources import COMMON_HEADERS, MATH_HEADER, status_declaration
from symgen.poses import Array
from symgen.resources import Place, generated_folder

if TYPE_CHECKING:
    from symgen.library.newton.numbers import Inputs
    from symgen.library.newton.plan import SolverPlan

REPORT = 8
Rows = NDArray[np.int32]


class Port(msgspec.Struct):
    """An argument of a routine."""

    name: str
    direction: str


class Function(msgspec.Struct):
    """A routine of a kind."""

    name: str
    ports: list[Port]


class Kind(msgspec.Struct):
    """A kind of element; see `symgen.derive.constraints.module.Kind`."""

    code: int
    name: str
    rows: int
    points: int
    slides: int
    turns: int
    helices: int
    functions: list[Function]


class EngineManifest(msgspec.Struct):
    """What the solver's manifest says, as far as it is read here."""

    schema: str
    id: str
    space: str
    kinds: list[Kind]
    files: dict[str, list[str]]
    cdef: dict[str, str]

    @property
    def rows(self) -> dict[str, int]:
        """Kind -> number of rows, in the order of the codes."""
        return {kind.name: kind.rows for kind in self.kinds}


@dataclass(frozen=True)
class Tracked:
    """A solution followed over times: arrays with a leading axis of rows; NaN in rows that were not reached.

    Parameters
    ----------
    poses, twists, accelerations : (rows, bodies, numbers), of the solver's bodies.
    report : (rows, 8), see the solver's header.
    status : (rows,) int32.
    done : number of rows that are OK, from the first on.
    """

    poses: Array
    twists: Array
    accelerations: Array
    report: Array
    status: Rows
    done: int


class Engine(Protocol):
    """What solves a planned group; `epsilon` is the spacing at 1 of the numbers that it computes in."""

    name: str
    epsilon: float

    def track(self, plan: SolverPlan, inputs: Inputs, times: Array, start: Array, sign: int = 0) -> Tracked:
        """Follow the solution near `start` (bodies, places) over all rows of `inputs`, until one is not OK.

        `sign` is that of the determinant on the branch, 0 if it is not known.
        """

    def search(self, plan: SolverPlan, inputs: Inputs, starts: Array) -> tuple[Array, Array, Rows]:
        """Return poses, reports, statuses from many starts (starts, bodies, places), for the first row of `inputs`."""


@lru_cache(maxsize=4)
def read_engine(space: str) -> EngineManifest:
    """Return the manifest of the solver of a space."""
    name = f"newton_{space}"
    return msgspec.json.decode((generated_folder() / name / f"{name}.json").read_bytes(), type=EngineManifest)


def open_engine(space: str, precision: str = "double", backend: str = "auto") -> Engine:
    """Return the solver of a space; ``"auto"`` is C where it can be built, else NumPy (said once).

    Raises
    ------
    BuildError
        `backend` is ``"c"`` and the solver cannot be compiled.
    """
    if backend == "numpy":
        return _numpy_engine(space)
    try:
        return _c_engine(space, precision)
    except BuildError as error:
        if backend == "c":
            raise
        say_once(f"backend {type(error).__name__}", f"{error}\nsymgen: using NumPy instead, which is slower")
        return _numpy_engine(space)


@lru_cache(maxsize=8)
def _c_engine(space: str, precision: str) -> CEngine:
    return CEngine(read_engine(space), precision)


def _numpy_engine(space: str) -> Engine:
    from symgen.library.newton.numpy_engine import NumpyEngine

    return NumpyEngine(read_engine(space))


class CEngine:
    """The compiled solver; calls release the GIL."""

    name = "c"

    def __init__(self, manifest: EngineManifest, precision: str) -> None:
        module = load_module(_sources(manifest, precision))
        self._ffi, lib = module.ffi, module.lib
        prefix = f"symgen{'f' if precision == 'float' else ''}_{manifest.id}"
        self._track, self._search = getattr(lib, f"{prefix}_track"), getattr(lib, f"{prefix}_search")
        self._real = np.dtype(np.float32 if precision == "float" else np.float64)
        self._type = precision
        self.epsilon = 2.0**-23 if precision == "float" else 2.0**-52

    def track(self, plan: SolverPlan, inputs: Inputs, times: Array, start: Array, sign: int = 0) -> Tracked:
        """See `Engine.track`."""
        rows, (bodies, places) = len(times), start.shape
        out = [
            np.full((rows, bodies, size), np.nan, dtype=self._real)
            for size in (places, plan.problem.freedoms, plan.problem.freedoms)
        ]
        report, status = np.full((rows, REPORT), np.nan, dtype=self._real), np.full(rows, -1, dtype=np.int32)
        given = (times, inputs.frames, inputs.pitches, inputs.known, inputs.twists, inputs.accelerations)
        self._track(
            self._whole(plan.integers), rows, *map(self._in, (*given, inputs.drives, start)), sign, *self._space(plan),
            *map(self._out, (*out, report)), self._whole(status),
        )  # fmt: skip
        failed = np.flatnonzero(status != 0)
        done = int(failed[0]) if failed.size else rows
        found = [array.astype(np.float64) for array in (*out, report)]
        # Rows behind a failure, and rates of it, are what was last tried.
        found[0][done + (done < rows and int(status[done]) == 2) :] = np.nan
        found[1][done:] = found[2][done:] = np.nan
        return Tracked(found[0], found[1], found[2], found[3], status, done)

    def search(self, plan: SolverPlan, inputs: Inputs, starts: Array) -> tuple[Array, Array, Rows]:
        """See `Engine.search`."""
        rows = len(starts)
        poses = np.array(starts, dtype=self._real)
        report, status = np.zeros((rows, REPORT), dtype=self._real), np.zeros(rows, dtype=np.int32)
        given = (inputs.frames, inputs.pitches, inputs.known[:1], inputs.drives[:1])
        self._search(
            self._whole(plan.integers), rows, *map(self._in, given), *self._space(plan),
            self._out(poses), self._out(report), self._whole(status),
        )  # fmt: skip
        return poses.astype(np.float64), report.astype(np.float64), status

    def _space(self, plan: SolverPlan) -> tuple[Any, Any]:
        problem = plan.problem
        work = np.zeros(int(plan.integers[7]) + problem.places * len(problem.bodies), dtype=self._real)
        return self._out(work), self._whole(np.zeros(problem.freedoms * len(problem.bodies), dtype=np.int32))

    def _in(self, array: Array) -> Any:
        return self._ffi.from_buffer(f"{self._type}[]", np.ascontiguousarray(array, dtype=self._real))

    def _out(self, array: Array) -> Any:
        return self._ffi.from_buffer(f"{self._type}[]", array, require_writable=True)

    def _whole(self, array: Rows) -> Any:
        return self._ffi.from_buffer("int32_t[]", array)


def _sources(manifest: EngineManifest, precision: str) -> ModuleSources:
    names = manifest.files.get(precision, [])
    if not names or precision not in manifest.cdef:
        raise InputError(f"the solver {manifest.id} has no C code in {precision!r} precision")
    folder = generated_folder() / manifest.id
    unit = next(name for name in names if name.endswith(".c"))  # it includes the others
    return ModuleSources(
        name=f"{manifest.id}_{precision}",
        cdef=status_declaration() + manifest.cdef[precision],
        header=next(name for name in names if name.endswith("_engine.h")),
        units=(f"{manifest.id}/{unit}",),
        include=(manifest.id,),
        files=tuple(_file(folder, name, manifest.id) for name in (*names, *COMMON_HEADERS, MATH_HEADER)),
    )


def _file(folder: Place, name: str, module: str) -> SourceFile:
    try:
        return SourceFile(f"{module}/{name}", (folder / name).read_bytes())
    except OSError as error:
        raise InputError(f"{folder / name}: {error.strerror or error}: symgen is not fully installed") from error


def kinds_by_name(manifest: EngineManifest) -> Mapping[str, Kind]:
    """Return the kinds of elements by name."""
    return {kind.name: kind for kind in manifest.kinds}
