"""The solver compiled: once for every group of a space."""

from __future__ import annotations

from typing import Any

import numpy as np

from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import InputError
from symgen.library.newton.engine import REPORT, EngineManifest, Rows, Tracked
from symgen.library.newton.numbers import Inputs
from symgen.library.newton.plan import SolverPlan
from symgen.library.sources import COMMON_HEADERS, MATH_HEADER, status_declaration
from symgen.poses import Array
from symgen.resources import Place, generated_folder


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
