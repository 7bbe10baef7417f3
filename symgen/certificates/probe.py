"""What a module's functions give at points that anyone can repeat: statuses, bits, branches, C against NumPy.

The points follow from the manifest alone: random numbers within the ranges of the ports, seeded by the function's name,
and some that are to fail (not a number, a branch that does not exist, zeros, centres that coincide, lengths far apart).
Functions that start from solved positions get those of the function that solves all.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.library.backends import INTEGER, REAL, Backend, open_backend
from symgen.library.catalogue import Module
from symgen.library.manifest import Function, ManifestPort
from symgen.status import Status

Array = NDArray[Any]

#: Random points of a function; of those, the rest are to fail.
POINTS = 96
#: By how much lengths are stretched where they are to be out of reach.
_FAR = 16.0
_PRECISIONS = ("double", "float")
#: Digits of a digest of results: 64 bits tell a change, if not one made to be hidden; files have whole ones.
_DIGEST = 16
#: Solutions nearer than this part of their size are the same one.
_SAME = 1e-6


@dataclass(frozen=True)
class ProbeRows:
    """Inputs of a function and what it gave for them.

    Parameters
    ----------
    inputs, outputs : of the ports in their order, (rows, *shape).
    status : (rows,) int32.
    """

    inputs: list[Array]
    outputs: list[Array]
    status: Array


def run(backend: Backend, function: Function, inputs: Sequence[Array], precision: str) -> ProbeRows:
    """Run a function on rows; what it does not write is NaN."""
    real = REAL[precision]
    given = [
        np.ascontiguousarray(array, dtype=INTEGER if port.kind == "int" else real)
        for port, array in zip(function.inputs, inputs, strict=True)
    ]
    count = len(given[0])
    outputs = [unwritten(count, port, real) for port in function.outputs]
    status = np.empty(count, dtype=INTEGER)
    backend.bind(function, given, outputs, status)()
    return ProbeRows(given, outputs, status)


def unwritten(count: int, port: ManifestPort, real: np.dtype[Any]) -> Array:
    """Return rows of an output as they are where the function writes nothing: NaN, of whole numbers 0."""
    if port.kind == "int":
        return np.zeros((count, *port.shape), dtype=INTEGER)
    return np.full((count, *port.shape), np.nan, dtype=real)


class Probe:
    """A module and its points: inputs that every function is asked with.

    Parameters
    ----------
    module : its C has to be there in double, or can be compiled.
    """

    def __init__(self, module: Module) -> None:
        self.module = module
        self.name = module.manifest.id
        self.folder = module.folder
        self.functions = module.manifest.functions
        self.proofs: tuple[str, ...] = tuple(
            " ".join(
                [proof.level, *([proof.arrangement] if proof.arrangement else []), f"{proof.name}: {proof.method}"]
            )
            for proof in module.manifest.proofs
        )
        self._solved: dict[str, tuple[dict[str, Array], Array]] = {}

    def run(
        self, function: Function, inputs: Sequence[Array], precision: str = "double", backend: str = "c"
    ) -> ProbeRows:
        """Run a function on rows."""
        return run(open_backend(self.module, precision, backend), function, inputs, precision)

    def routines(self) -> Mapping[str, Any]:
        """Derive the module again and return its routines by name."""
        from symgen.derive.catalogue import derive_module
        from symgen.pipeline import routines_of

        return {routine.name: routine for routine in routines_of(derive_module(self.name))}

    def texts(self) -> Mapping[str, str]:
        """Derive and prove the module again, and return its files by name."""
        from symgen.derive.catalogue import derive_module
        from symgen.pipeline.modules import generate_texts, lower_module, module_texts

        manifest = self.module.manifest
        precisions = [each for each in _PRECISIONS if each in manifest.files]
        backends = [*(["c"] if precisions else []), *(["numpy"] if "numpy" in manifest.files else [])]
        choice: dict[str, Any] = {"precisions": precisions, "backends": backends, "math": self._math()}
        if not manifest.origin:
            return generate_texts(self.name, **choice)
        from symgen.derivations.meanings import meanings_of

        lowered = lower_module(derive_module(self.name))
        derivations = (lowered.module.kernel, *(each.derivation for each in lowered.arrangements))
        about = {"origin": dict(manifest.origin), "meanings": meanings_of(derivations, lowered.routines)}
        return module_texts(lowered, self._request(), about=about, **choice)

    def _math(self) -> Any:
        tree = json.loads((self.folder / f"{self.name}.json").read_text(encoding="utf-8"))
        return tree.get("math", "own")

    def _request(self) -> str:
        """Return what symgen was asked for, as the files say; it stands in a comment only."""
        names = [name for names in self.module.manifest.files.values() for name in names]
        text = (self.folder / names[0]).read_text(encoding="utf-8")
        found = re.search(r"run: symgen generate (.*)$", text, re.M)
        return found[1] if found else ""

    def solved_first(self, function: Function) -> tuple[Function, Array] | None:
        """Return the function whose results a function starts from, and which of its points it solves."""
        solver = self.solver(function)
        return None if solver is None else (solver, self.solved(solver)[1])

    def solver(self, function: Function) -> Function | None:
        """Return the function whose results a function starts from: all stages; None if it solves positions itself."""
        if function.stage in ("position", "all"):
            return None
        own = function.level, function.arrangement
        alike = (f for f in self.module.manifest.functions if (f.level, f.arrangement) == own)
        return next((f for f in alike if f.stage == "all"), None)

    def solved(self, solver: Function) -> tuple[dict[str, Array], Array]:
        """Return inputs and results of the points that a function solves, by port, and which points these are."""
        if solver.name not in self._solved:
            rows = self.run(solver, self.points(solver))
            (found,) = np.nonzero(rows.status == Status.OK)
            ports = (*solver.inputs, *solver.outputs)
            values = {p.name: a[found] for p, a in zip(ports, (*rows.inputs, *rows.outputs), strict=True)}
            self._solved[solver.name] = values, found
        return self._solved[solver.name]

    def points(self, function: Function) -> list[Array]:
        """Return the points at which a function is asked: arrays of its input ports, (rows, *shape)."""
        arrays = self._random_points(function)
        solver = self.solver(function)
        if solver is not None:
            values, solved = self.solved(solver)
            if len(solved):
                named = zip(function.inputs, arrays, strict=True)
                arrays = [values.get(port.name, array[: len(solved)]) for port, array in named]
        more = _to_fail(function, arrays)
        return [np.concatenate([array, *rows]) for array, rows in zip(arrays, more, strict=True)]

    def _random_points(self, function: Function) -> list[Array]:
        rng = random.Random(f"{self.module.manifest.id} {function.name}")  # noqa: S311 - reproducible, not secret
        branches = self.module.manifest.branches
        rows = [[random_value(port, rng, branches) for port in function.inputs] for _ in range(POINTS)]
        return [np.array([row[k] for row in rows]) for k in range(len(function.inputs))]

    def measure(self, function: Function) -> dict[str, Any]:
        """Return what anyone can measure of a function again without deriving it.

        Returns
        -------
        dict
            `statuses` (in double, of all points), `bits` (digest of statuses and results, by precision), `numpy_ulp`
            (worst difference of NumPy from C, the next power of 2), `branches` (how many points have how many
            assemblies).
        """
        inputs = self.points(function)
        files = self.module.manifest.files
        rows = {precision: self.run(function, inputs, precision) for precision in _PRECISIONS if precision in files}
        double = rows["double"]
        counts = Counter(Status(int(code)).name for code in double.status)
        found: dict[str, Any] = {
            "statuses": {status.name: counts[status.name] for status in Status if counts[status.name]},
            "bits": {precision: digest_of(each) for precision, each in rows.items()},
        }
        if "numpy" in files:
            found["numpy_ulp"], found["numpy_statuses"] = apart(double, self.run(function, inputs, backend="numpy"))
        if function.stage in ("position", "all") and self.module.manifest.branches > 1:
            found["branches"] = self._branches(function, inputs)
        return found

    def _branches(self, function: Function, inputs: Sequence[Array]) -> dict[str, Any]:
        """Count the assemblies of each random point, over all branches, and tell whether they are distinct."""
        (place,) = (k for k, port in enumerate(function.inputs) if port.kind == "int")
        count = self.module.manifest.branches
        every = [np.repeat(array[:POINTS], count, axis=0) for array in inputs]
        every[place] = np.tile(np.arange(count), POINTS)
        rows = self.run(function, every)
        solved = (rows.status == Status.OK).reshape(POINTS, count)
        results = [array.reshape(POINTS, count, -1) for array in rows.outputs if array.dtype != INTEGER]
        histogram = Counter(int(n) for n in solved.sum(axis=1))
        return {
            "of": count,
            "assemblies": {str(n): histogram[n] for n in sorted(histogram)},
            "distinct": all(_distinct([each[k][solved[k]] for each in results]) for k in range(POINTS)),
        }


def random_value(port: ManifestPort, rng: random.Random, branches: int) -> Any:
    """Return a random value for an input: of its range, lengths and numbers of order one."""
    if port.kind == "int":
        return rng.randrange(max(branches, 1))
    values = np.array([rng.uniform(-1.0, 1.0) for _ in range(port.size)])
    if port.range.startswith("> "):
        values = np.abs(values) + 0.5
    if port.range == "unit":
        values = values / _length(values)
    if port.range == "q unit":
        values[3:] = values[3:] / _length(values[3:])
    return values.reshape(port.shape) if port.shape else values[0]


def _length(values: Array) -> Any:
    """Return the length, summed in order: the same bits on every machine."""
    total = 0.0
    for value in values:
        total += float(value) * float(value)
    return np.sqrt(total)


def _to_fail(function: Function, arrays: Sequence[Array]) -> list[list[Array]]:
    """Return rows that are to fail for each port: one after the other, of the first random point."""
    first = [array[:1].copy() for array in arrays]
    nan, branch, zero, same, far = ([array.copy() for array in first] for _ in range(5))
    alike: dict[tuple[int, ...], Array] = {}
    for k, port in enumerate(function.inputs):
        if port.kind == "int":
            branch[k][:] = 2**30
            continue
        nan[k][:] = np.nan
        if port.range == "finite":
            zero[k][:] = 0.0
            same[k] = alike.setdefault(port.shape, same[k]).copy()
            far[k] *= _FAR
    return [[each[k] for each in (nan, branch, zero, same, far)] for k in range(len(first))]


def digest_of(rows: ProbeRows) -> str:
    """Return a digest of the bits of statuses and results."""
    found = hashlib.sha256()
    for array in (rows.status, *rows.outputs):
        # NaN has many bits, and which ones an operation makes is the machine's choice.
        plain = np.where(np.isnan(array), np.nan, array).astype(array.dtype) if array.dtype != INTEGER else array
        found.update(plain.astype(plain.dtype.newbyteorder("<")).tobytes())
    return found.hexdigest()[:_DIGEST]


def ulps(values: Sequence[Array], exact: Sequence[Array], rows: Array) -> float:
    """Return the worst difference of results in spacings of numbers, at the largest number of each result."""
    worst = 0.0
    for one, two in zip(values, exact, strict=True):
        if one.dtype == INTEGER or not rows.any():
            continue
        a, b = (x[rows].reshape(int(rows.sum()), -1) for x in (one, two))
        size = np.maximum(np.abs(b).max(axis=1), np.finfo(float).tiny)
        worst = max(worst, float((np.abs(a - b).max(axis=1) / size).max() / np.finfo(float).eps))
    return worst


def apart(c: ProbeRows, numpy: ProbeRows) -> tuple[int, int]:
    """Return the worst difference as the next power of 2, and how many statuses differ."""
    both = (c.status == Status.OK) & (numpy.status == Status.OK)
    worst = ulps(numpy.outputs, c.outputs, both)
    return 1 << max(int(np.ceil(np.log2(max(worst, 1.0)))), 0), int(np.sum(c.status != numpy.status))


def _distinct(results: Sequence[Array]) -> bool:
    """Tell whether any two solutions differ in one of the results, (solutions, numbers), beside what it is there."""
    for k in range(len(results[0])):
        for other in range(k):
            if not any(np.abs(r[k] - r[other]).max() > _SAME * max(np.abs(r[k]).max(), 1.0) for r in results):
                return False
    return True
