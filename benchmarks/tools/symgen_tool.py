"""symgen: generated code, found through its manifest: C kernel, batch twin, NumPy, and prepared calls from Python."""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import math
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import numpy as np

import symgen
from benchmarks.entrant import ROWS, Entrant, LeftOutError
from benchmarks.native import DEFAULT, O3, Kernel, branches
from benchmarks.problems import Problem
from benchmarks.python_loop import python_entrant
from benchmarks.tools.hand import ANGLES
from symgen.library.backends import REAL, Backend, open_backend
from symgen.library.catalogue import Module
from symgen.library.manifest import Function, ManifestPort, read_manifest
from symgen.library.prepared import PreparedCall
from symgen.resources import generated_folder

TOOL = f"symgen {symgen.__version__}"


@dataclass(frozen=True)
class Binding:
    """Where a problem's numbers are among a kernel's ports: port -> index of its first number."""

    inputs: Mapping[str, int]
    outputs: Mapping[str, int]


_RRR = Binding(
    {"a": 0, "b": 2, "l_a": 4, "l_b": 5, "v_a": 6, "v_b": 8, "a_a": 10, "a_b": 12},
    {"p": 0, "v_p": 2, "omega_1": 4, "omega_2": 5, "a_p": 6, "alpha_1": 8, "alpha_2": 9},
)
_LEGS = Binding(
    {"pose": 0, "twist": 7, "acceleration": 13, "base": 19, "top": 37}, {f"leg{k + 1}": 9 * k for k in range(6)}
)


@dataclass(frozen=True)
class Subject:
    """What is measured: a module's kernel for all stages together.

    angles : the caller adds the two arc tangents that the R.R.R kernel leaves out.
    derived : seconds that deriving and emitting took now, None for the committed module.
    """

    module: Module
    function: Function
    binding: Binding
    angles: bool
    derived: float | None

    @property
    def ports(self) -> tuple[ManifestPort, ...]:
        """Input ports without the branch, and output ports."""
        return tuple(p for p in (*self.function.inputs, *self.function.outputs) if p.name != "branch")

    @property
    def source(self) -> str:
        """C text in double."""
        return (self.module.folder / self.module.manifest.files["double"][0]).read_text(encoding="utf-8")


def entrants(problem: Problem) -> list[Entrant | Kernel]:
    """Return the C kernel under two sets of flags, batch, NumPy and the prepared call from Python."""
    subject = _subject(problem)
    ports = {port.name for port in subject.ports}
    if ports != {*subject.binding.inputs, *subject.binding.outputs}:
        raise LeftOutError(f"the kernel's ports are {sorted(ports)}")
    tail = " and the caller's two atan2" if subject.angles else ""
    kernels = [_kernel(subject, f"{form}{tail}", flags) for form, flags in (("default flags", DEFAULT), ("-O3", O3))]
    return [
        *kernels,
        _called(subject, problem, f"C batch twin, as the library builds it{tail}", ROWS["batch"]),
        _numpy(subject, problem, f"NumPy{tail}"),
        _called(subject, problem, f"library, prepared call{tail}", None),
    ]


_ANGLES = Binding(_RRR.inputs, {**_RRR.outputs, "phi_1": 10, "phi_2": 11})
_JACOBIAN = Binding(
    {"q": 0, "qd": 4, "qdd": 8, "inertia": 12, "moment": 18}, {"f": 0, "by_q": 3, "by_qd": 15, "by_qdd": 27}
)
#: Problems with derivations of their own: what derives them, where their numbers are.
_OWN = {
    "ups6": ("legs", _LEGS),
    "qjac": ("quaternion_jacobian", _JACOBIAN),
    "rrr": ("rrr_with_angles", _ANGLES),
}


def subject_of(problem: Problem) -> Subject:
    """Return the routine that gives all of a problem's numbers."""
    if problem.name in _OWN:
        name, binding = _OWN[problem.name]
        folder, derived = _derived(name)
        return Subject(*_whole(folder), binding, angles=False, derived=derived)
    return _subject(problem)


def _subject(problem: Problem) -> Subject:
    if problem.name in ("ups6", "qjac"):
        return subject_of(problem)
    return Subject(*_whole(generated_folder() / "dyad_rrr"), _RRR, angles=problem.name == "rrr", derived=None)


def _whole(folder: Path) -> tuple[Module, Function]:
    """Return a module and its kernel function for all stages."""
    module = Module(read_manifest(folder / f"{folder.name}.json"), folder)
    for function in module.manifest.functions:
        if function.level == "kernel" and function.stage == "all":
            return module, function
    raise LeftOutError(f"{folder.name} has no kernel function for all stages")


@cache
def _derived(name: str) -> tuple[Path, float]:
    """Derive, prove and emit a problem's own module into a folder that lasts as long as this process."""
    derivation = importlib.import_module(f"benchmarks.{name}")
    started = time.perf_counter()
    texts = derivation.generate_texts()
    taken = time.perf_counter() - started
    place = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    folder = Path(place) / derivation.MODULE
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder, taken


def _kernel(subject: Subject, form: str, flags: tuple[str, ...]) -> Kernel:
    arguments = []
    for port in subject.function.inputs:
        start = subject.binding.inputs.get(port.name)
        arguments.append("branch[i]" if start is None else f"x + {start}" if port.shape else f"x[{start}]")
    arguments += [f"y + {subject.binding.outputs[port.name]}" for port in subject.function.outputs]
    symbol = subject.function.symbol["double"]
    header = subject.module.manifest.files["double"][1]
    return Kernel(
        TOOL,
        form,
        subject.source,
        symbol,
        f"(void){symbol}({', '.join(arguments)});{ANGLES if subject.angles else ''}",
        f'#include <math.h>\n#include "{header}"',
        flags,
        subject.module.folder,
        made_in=subject.derived,
    )


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Let the library compile as if for the first time."""
    kept = os.environ.get("SYMGEN_CACHE")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SYMGEN_CACHE"] = folder
        try:
            yield
        finally:
            if kept is None:
                del os.environ["SYMGEN_CACHE"]
            else:
                os.environ["SYMGEN_CACHE"] = kept


@cache
def _compiled(folder: Path) -> tuple[Backend, float]:
    """Return the module as the library compiles and loads it, and the seconds that took."""
    started = time.perf_counter()
    with _empty_cache():
        backend = open_backend(_whole(folder)[0], "double", "c")
    return backend, time.perf_counter() - started


def _called(subject: Subject, problem: Problem, form: str, rows: int | None) -> Entrant:
    """Return the library's prepared call: one row, or the batch twin."""
    backend, loaded = _compiled(subject.module.folder)
    call = PreparedCall(subject.function, backend, REAL["double"], rows)
    made_in = (subject.derived or 0.0) + loaded
    count = 1 if rows is None else rows
    given = _split(subject, problem, count)
    for name, array in call.inputs.items():
        array[...] = given[name].reshape(array.shape)
    run: Callable[[], object] = call.run
    angles: list[np.ndarray] = []
    if subject.angles:
        run = partial(_with_arrays, call, angles) if rows else partial(_with_scalars, call, angles)

    def answers() -> np.ndarray:
        run()
        return _join(call.outputs, angles, subject, problem, count)

    return python_entrant(TOOL, form, "batch" if rows else "python", run, answers, made_in)


def _with_scalars(call: PreparedCall, angles: list[np.ndarray]) -> None:
    """Solve one row, then take both arc tangents."""
    call.run()
    x, y = call.outputs["p"].tolist()
    a_x, a_y = call.inputs["a"].tolist()
    b_x, b_y = call.inputs["b"].tolist()
    angles[:] = math.atan2(y - a_y, x - a_x), math.atan2(y - b_y, x - b_x)


def _with_arrays(call: PreparedCall, angles: list[np.ndarray]) -> None:
    """Solve all rows, then take both arc tangents of each."""
    call.run()
    angles[:] = _arc_tangents(call.outputs["p"], call.inputs["a"], call.inputs["b"])


def _arc_tangents(p: np.ndarray, a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
    u, w = p - a, p - b
    return [np.arctan2(u[:, 1], u[:, 0]), np.arctan2(w[:, 1], w[:, 0])]


def _split(subject: Subject, problem: Problem, rows: int) -> dict[str, np.ndarray]:
    """Return the problem's instances as one contiguous array for each input port."""
    instances = problem.instances(rows)
    arrays = {"branch": branches(problem, instances)}
    for port in subject.ports:
        if port.name in subject.binding.inputs:
            start, size = subject.binding.inputs[port.name], math.prod(port.shape)
            part = instances[:, start : start + size]
            arrays[port.name] = np.ascontiguousarray(part if port.shape else part[:, 0])
    return arrays


def _join(
    outputs: Mapping[str, np.ndarray], angles: list[np.ndarray], subject: Subject, problem: Problem, rows: int
) -> np.ndarray:
    """Return output ports as rows of the problem's numbers."""
    joined = np.full((rows, problem.size_out), np.nan)
    for name, start in subject.binding.outputs.items():
        part = np.asarray(outputs[name]).reshape(rows, -1)
        joined[:, start : start + part.shape[1]] = part
    if angles:
        joined[:, -2:] = np.reshape(np.array(angles).T, (rows, 2))
    return joined


def _numpy(subject: Subject, problem: Problem, form: str) -> Entrant:
    started = time.perf_counter()
    loaded = _imported(subject.module)
    made_in = (subject.derived or 0.0) + time.perf_counter() - started
    rows = ROWS["batch"]
    arrays = _split(subject, problem, rows)
    inputs = [arrays[port.name] for port in subject.function.inputs]
    names = [port.name for port in subject.function.outputs]
    function = getattr(loaded, subject.function.name)

    def solve() -> tuple[dict[str, np.ndarray], list[np.ndarray]]:
        *values, _status = function(*inputs)
        outputs = dict(zip(names, values, strict=True))
        return outputs, _arc_tangents(outputs["p"], arrays["a"], arrays["b"]) if subject.angles else []

    def answers() -> np.ndarray:
        return _join(*solve(), subject, problem, rows)

    return python_entrant(TOOL, form, "batch", solve, answers, made_in)


def _imported(module: Module) -> ModuleType:
    path = module.folder / module.manifest.files["numpy"][0]
    spec = importlib.util.spec_from_file_location(module.manifest.id, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded
