"""The special engines in C, called with tables: one compiled module serves every tree of its kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import InputError, SolveError
from symgen.library.sources import COMMON_HEADER, status_declaration
from symgen.poses import Array
from symgen.resources import generated_folder
from symgen.simulate.calls import MILLION, watched
from symgen.simulate.contract import StoppableProgress
from symgen.simulate.explicit.schemes import EXPLICIT, ExplicitScheme
from symgen.simulate.special.loops import make_strands
from symgen.simulate.special.tree import Kind, SpecialTree
from symgen.simulate.stretches import MOST_STEPS
from symgen.status import Status

FOLDER, MANIFEST = "transfer", "transfer.json"
#: In the place of a body: the first loop; the second is one less, and so on.
LOOP = -2
#: Numbers a body: state, pose, twist and acceleration as the engines know them.
STATE: dict[Kind, int] = {"ball": 7, "planar": 2}
_POSE: dict[Kind, int] = {"ball": 7, "planar": 3}
_TWIST: dict[Kind, int] = {"ball": 6, "planar": 3}


class SpecialModule(msgspec.Struct):
    """Files and declarations of one special engine."""

    files: list[str]
    cdef: str


class SpecialManifest(msgspec.Struct):
    """The manifest of transfer matrices, as far as the special engines need it."""

    special: dict[str, SpecialModule]


@dataclass(frozen=True)
class SpecialSettings:
    """How a trajectory is integrated.

    Parameters
    ----------
    start, end : [s].
    samples : spans from one row to the next.
    every : steps of one length in such a span, where there is no tolerance.
    tolerance : of the error of a step [rad, rad/s]; None for steps of one length.
    step : to try first, with a tolerance [s].
    """

    start: float
    end: float
    samples: int
    every: int = 1
    tolerance: float | None = None
    step: float = 1e-3
    scheme: ExplicitScheme = field(default_factory=lambda: EXPLICIT[4])


@dataclass(frozen=True)
class SpecialMotion:
    """Rows of a trajectory, those that were reached; bodies in the order of the tree, as the engine knows them.

    Parameters
    ----------
    poses : (rows, n, 7) centre of mass and quaternion; planar (rows, n, 3) and angle.
    twists, accelerations : (rows, n, 6); planar (rows, n, 3).
    state : (n, 7) or (n, 2) at the end.
    body : at whose joint the recursion failed, else -1; from `LOOP` down a loop.
    """

    poses: Array
    twists: Array
    accelerations: Array
    state: Array
    time: float
    steps: int
    refused: int
    step: float
    status: Status
    body: int


class SpecialEngine:
    """A tree with its tables, ready to be evaluated and integrated; calls release the GIL.

    Raises
    ------
    BuildError
        The engine cannot be compiled.
    InputError
        The tables hold what is not finite, or a mass below zero.
    """

    name = "c"

    def __init__(self, tree: SpecialTree, *, wrenches: Array | None = None) -> None:
        module = load_module(_sources(tree.kind))
        self.tree, self._ffi = tree, module.ffi
        prefix = f"symgen_transfer_{tree.kind}"
        self._call = {
            name: getattr(module.lib, f"{prefix}_{name}")
            for name in ("workspace_size", "check", "accelerations", "sample", "run")
        }
        self._records = _records(tree, module.ffi, prefix)
        self._wrenches = None if wrenches is None else np.ascontiguousarray(wrenches, dtype=np.float64)
        held = module.ffi.NULL if self._wrenches is None else self._pointer(self._wrenches)
        self._loops = _loop_tables(tree, module.ffi)
        pointers = [
            module.ffi.cast(f"{kind} *", module.ffi.from_buffer(table))
            for kind, table in zip(_LOOP_TABLES, self._loops, strict=True)
        ]
        self._system = module.ffi.new(
            f"{prefix}_system *",
            [module.ffi.cast(f"{prefix}_body *", module.ffi.from_buffer(self._records)), held, tree.gravity.tolist(),
             tree.bodies, [*pointers, len(tree.loops)]],
        )  # fmt: skip
        self._work = self._workspace(0, False)
        self._failed = module.ffi.new("int32_t *")
        status = Status(self._call["check"](self._system, self._bytes(self._work), self._failed))
        if status != Status.OK:
            raise InputError(f"body {self._failed[0]} of the tree: a number is not finite, or the mass is negative")

    @property
    def rows(self) -> int:
        """Numbers of a state, a body."""
        return STATE[self.tree.kind]

    def rates(self, state: Array) -> Array:
        """Return the rates of a state, of the same shape (n, 7) or (n, 2); see `SpecialTree` for the order.

        Raises
        ------
        SolveError
            A body has no inertia about its joint, or the state is not finite; the message holds its number.
        """
        given = np.ascontiguousarray(state, dtype=np.float64)
        if given.shape != (self.tree.bodies, self.rows):
            raise ValueError(f"state: shape {given.shape}, expected {(self.tree.bodies, self.rows)}")
        found = np.empty_like(given)
        status = self.evaluate(given, found)
        if status != Status.OK:
            raise SolveError(_reason(status, int(self._failed[0])), status)
        return found

    def evaluate(self, state: Array, rate: Array) -> Status:
        """Write rates into an array: `rates` without a check of shapes, for callers in a hurry."""
        return Status(
            self._call["accelerations"](
                self._system, self._pointer(state), self._pointer(rate), self._bytes(self._work), self._failed
            )
        )

    def bound_call(self, state: Array, rate: Array) -> Callable[[], int]:
        """Return a call of the engine without arguments, for measurements: it gives the status."""
        arguments = (
            self._system, self._pointer(state), self._pointer(rate), self._bytes(self._work), self._failed,
        )  # fmt: skip
        return lambda: int(self._call["accelerations"](*arguments))  # holds the engine, whose workspace it uses

    def motion(self, state: Array, rate: Array) -> tuple[Array, Array, Array]:
        """Return poses, twists and accelerations of the centres of mass of a state with its rates."""
        arrays = self._empty(1)
        self._call["sample"](
            self._system, self._pointer(np.ascontiguousarray(state)), self._pointer(np.ascontiguousarray(rate)),
            *map(self._pointer, arrays),
        )  # fmt: skip
        poses, twists, accelerations = arrays
        return poses[0], twists[0], accelerations[0]

    def run(self, settings: SpecialSettings, state: Array, progress: StoppableProgress | None = None) -> SpecialMotion:
        """Integrate from a state (n, 7) or (n, 2)."""
        ffi, scheme, tolerance = self._ffi, settings.scheme, settings.tolerance or 0.0
        chosen = settings.tolerance is not None
        vector, arrays = np.array(state, dtype=np.float64), self._empty(settings.samples + 1)
        work = self._workspace(scheme.width, chosen)
        tables = [scheme.nodes, scheme.slopes, scheme.fine, scheme.coarse, scheme.dense]
        held = [np.ascontiguousarray(table) for table in tables]
        reached = np.zeros(2, dtype=np.int64)
        run = ffi.new("symgen_transfer_special_run *", [self._pointer(vector), settings.step, 0.0, 0, 0, -1])
        arguments: tuple[Any, ...] = (
            self._system,
            ffi.new("symgen_transfer_special_scheme *", [scheme.stages, scheme.width, *map(self._pointer, held)]),
            ffi.new(
                "symgen_transfer_special_settings *",
                [
                    settings.start,
                    settings.end,
                    tolerance,
                    settings.samples,
                    settings.every,
                    MOST_STEPS,
                ],
            ),
            run,
            ffi.new("symgen_transfer_special_samples *", list(map(self._pointer, arrays))),
            self._bytes(work),
            ffi.from_buffer("int64_t[]", reached),
        )
        kept = [*arrays, *held, vector, work, self._records, self._wrenches, self._loops, self._system]
        status = Status(watched(lambda: int(self._call["run"](*arguments)), reached, progress, MILLION, kept))
        count = int(np.sum(np.cumprod(np.isfinite(arrays[0][:, 0, 0]))))
        poses, twists, accelerations = (array[:count] for array in arrays)
        return SpecialMotion(
            poses, twists, accelerations, vector, float(run.time), int(run.steps), int(run.refused), float(run.step),
            status, int(run.body),
        )  # fmt: skip

    def _empty(self, rows: int) -> list[Array]:
        kind, bodies = self.tree.kind, self.tree.bodies
        return [np.full((rows, bodies, size), np.nan) for size in (_POSE[kind], _TWIST[kind], _TWIST[kind])]

    def _workspace(self, width: int, chosen: bool) -> Array:
        size = int(self._call["workspace_size"](self._system, width, int(chosen)))
        return np.empty(-(-size // 8))

    def _pointer(self, array: Array) -> Any:
        return self._ffi.from_buffer("double[]", array, require_writable=False)

    def _bytes(self, work: Array) -> Any:
        return self._ffi.cast("void *", self._pointer(work))


def _reason(status: Status, failed: int) -> str:
    if failed <= LOOP:
        return f"loop {LOOP - failed}: here it adds no constraint to those of the other joints"
    what = "the state is not finite" if status == Status.BAD_INPUT else "it has no inertia about its joint"
    return f"body {failed} of the tree: {what}"


def _records(tree: SpecialTree, ffi: Any, prefix: str) -> Any:
    """Return the engine's records of the bodies, (n,)."""
    size = tree.output.shape[1]
    inertia = ("inertia", np.float64, tree.inertia.shape[1:])
    layout = np.dtype(
        [("mass", np.float64), inertia, ("output", np.float64, (size,)), ("input", np.float64, (size,)),
         ("parent", np.int32), ("inputs", np.int32)]
    )  # fmt: skip
    if layout.itemsize != ffi.sizeof(f"{prefix}_body"):
        raise ValueError(f"{prefix}_body has {ffi.sizeof(f'{prefix}_body')} bytes here, expected {layout.itemsize}")
    records = np.zeros(tree.bodies, dtype=layout)
    for name in ("mass", "inertia", "output", "input", "parent", "inputs"):
        records[name] = getattr(tree, name)
    return records


_LOOP_TABLES = ("symgen_transfer_special_loop", "symgen_transfer_special_strand", "int32_t")
_LOOP = np.dtype([("point", np.float64, (2, 3)), ("body", np.int32, (2,))])
_STRAND = np.dtype(
    [("loop", np.int32), ("source", np.int32, (2,)), ("input", np.int32, (2,)), ("closes", np.int32)]
)  # fmt: skip


def _loop_tables(tree: SpecialTree, ffi: Any) -> tuple[Any, Any, Any]:
    """Return the engine's records of loops, strands, and where those of each body begin; never empty."""
    found = make_strands(tree.parent, tree.loops)
    loops = np.zeros(max(len(tree.loops), 1), dtype=_LOOP)
    for record, loop in zip(loops, tree.loops, strict=False):
        for end, point in enumerate(loop.points):
            record["point"][end, : len(point)] = point
        record["body"] = loop.bodies
    strands = np.zeros(max(len(found.strands), 1), dtype=_STRAND)
    for record, strand in zip(strands, found.strands, strict=False):
        record["loop"], record["closes"] = strand.loop, strand.closes
        record["source"], record["input"] = strand.source, strand.input
    for name, table in zip(_LOOP_TABLES, (loops, strands), strict=False):
        if ffi.sizeof(name) != table.dtype.itemsize:
            raise ValueError(f"{name} has {ffi.sizeof(name)} bytes here, expected {table.dtype.itemsize}")
    return loops, strands, found.first.astype(np.int32)


@lru_cache(maxsize=1)
def read_special() -> SpecialManifest:
    """Return the manifest of the special engines."""
    return msgspec.json.decode((generated_folder() / FOLDER / MANIFEST).read_bytes(), type=SpecialManifest)


@lru_cache(maxsize=2)
def _sources(kind: Kind) -> ModuleSources:
    engine, folder = read_special().special[kind], generated_folder() / FOLDER
    files = []
    for name in (*engine.files, COMMON_HEADER):
        try:
            files.append(SourceFile(f"{FOLDER}/{name}", (folder / name).read_bytes()))
        except OSError as error:
            raise InputError(f"{folder / name}: {error.strerror or error}: symgen is not fully installed") from error
    return ModuleSources(
        name=f"transfer_{kind}",
        cdef=status_declaration() + engine.cdef,
        header=f"transfer_{kind}.h",
        units=(f"{FOLDER}/transfer_{kind}.c",),
        include=(FOLDER,),
        files=tuple(files),
    )
