"""The kernels of an engine and their points: each is asked alone, as its engine calls it.

Engines call their kernels as static functions that trust their arguments. Here they are compiled once more, each behind
a declaration of its own; the rest of an engine is loops, which its tests compare with other methods.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.certificates.probe import POINTS, Array, ProbeRows, apart, digest_of, random_value
from symgen.errors import InputError
from symgen.library.backends import INTEGER, REAL
from symgen.library.generated_numpy import load_routines
from symgen.library.manifest import Function, ManifestPort
from symgen.library.sources import COMMON_HEADERS, status_declaration
from symgen.resources import Place
from symgen.status import Status

#: Engine -> precision -> what is included to have its kernels.
_HOLDING: dict[str, dict[str, tuple[str, ...]]] = {
    "dynamics": {"double": ("symgen_status.h", "dynamics_kernels.h")},
    "transfer": {"double": ("symgen_status.h", "transfer_elements.h")},
    "newton_planar": {"double": ("newton_planar.c",), "float": ("newton_planar_f32.c",)},
    "newton_spatial": {"double": ("newton_spatial.c",), "float": ("newton_spatial_f32.c",)},
}


class KernelProbe:
    """An engine of the installation and the points of its kernels.

    Parameters
    ----------
    folder : of its generated files; named as the engine.

    Raises
    ------
    InputError
        The manifest is missing or cannot be read.
    """

    def __init__(self, folder: Place) -> None:
        self.name = folder.name
        self.folder = folder
        place = folder / f"{self.name}.json"
        try:
            tree = json.loads(place.read_text(encoding="utf-8"))
            listed = tree["functions"] if "functions" in tree else [f for k in tree["kinds"] for f in k["functions"]]
            self.functions: tuple[Function, ...] = tuple(_function(each) for each in listed)
            self.proofs: tuple[str, ...] = tuple(
                f"{proof['element']} {proof['name']}: {proof['method']}" for proof in tree.get("proofs", ())
            )
            self._in_numpy = "numpy" in tree["files"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{place}: cannot be read: {error}") from error

    def routines(self) -> Mapping[str, Any]:
        """Derive the engine again and return the routines of its kernels by name."""
        from symgen.pipeline import routines_of_engine

        return {routine.name: routine for routine in routines_of_engine(self.name)}

    def texts(self) -> Mapping[str, str]:
        """Derive and prove the engine again, and return its files by name."""
        from symgen.pipeline import generate_engine_texts

        return generate_engine_texts(self.name)

    def points(self, function: Function) -> list[Array]:
        """Return the points at which a kernel is asked: arrays of its input ports, (rows, *shape)."""
        rng = random.Random(f"{self.name} {function.name}")  # noqa: S311 - reproducible, not secret
        rows = [[random_value(port, rng, 0) for port in function.inputs] for _ in range(POINTS)]
        return [np.array([row[k] for row in rows]) for k in range(len(function.inputs))]

    def solved_first(self, function: Function) -> None:
        """Return None: a kernel starts from no results of another one."""
        return None

    def run(self, function: Function, inputs: Sequence[Array], precision: str = "double") -> ProbeRows:
        """Run a kernel in C on rows."""
        module = self._compiled[precision]
        call, new = getattr(module.lib, f"solve_{function.name}"), module.ffi.new
        kind = f"{'float' if precision == 'float' else 'double'}[]"
        real = REAL[precision]
        outputs = [np.full((len(inputs[0]), *port.shape), np.nan, dtype=real) for port in function.outputs]
        status = np.empty(len(inputs[0]), dtype=INTEGER)
        results = [new(kind, port.size) for port in function.outputs]
        for row in range(len(status)):
            given = [
                new(kind, array[row].astype(real).tolist()) if port.shape else float(array[row])
                for port, array in zip(function.inputs, inputs, strict=True)
            ]
            status[row] = call(*given, *results)
            for array, result, port in zip(outputs, results, function.outputs, strict=True):
                values = np.array([result[k] for k in range(port.size)], dtype=real)
                array[row] = values.reshape(port.shape) if port.shape else values[0]
        return ProbeRows([array.astype(real) for array in inputs], outputs, status)

    def measure(self, function: Function) -> dict[str, Any]:
        """Return what anyone can measure of a kernel again without deriving it; see `Probe.measure`."""
        inputs = self.points(function)
        rows = {precision: self.run(function, inputs, precision) for precision in _HOLDING[self.name]}
        double = rows["double"]
        found: dict[str, Any] = {
            "statuses": {status.name: int(np.sum(double.status == status)) for status in Status
                         if np.any(double.status == status)},
            "bits": {precision: digest_of(each) for precision, each in rows.items()},
        }  # fmt: skip
        if self._in_numpy:
            found["numpy_ulp"], found["numpy_statuses"] = apart(double, self._run_numpy(function, inputs))
        return found

    def _run_numpy(self, function: Function, inputs: Sequence[Array]) -> ProbeRows:
        *outputs, status = getattr(load_routines(self.name, f"{self.name}.py"), function.name)(*inputs)
        return ProbeRows(list(inputs), list(outputs), np.asarray(status))

    @cached_property
    def _compiled(self) -> Mapping[str, ModuleType]:
        return {precision: load_module(self._sources(precision)) for precision in _HOLDING[self.name]}

    def _sources(self, precision: str) -> ModuleSources:
        names = [place.name for place in self.folder.iterdir() if place.name.endswith((".c", ".h"))]
        files = [SourceFile(f"{self.name}/{name}", (self.folder / name).read_bytes()) for name in sorted(names)]
        if isinstance(self.folder, Path):  # what is shipped as an archive has the common header in each module
            for beside in (self.folder.parent / name for name in COMMON_HEADERS):
                files += [SourceFile(beside.name, beside.read_bytes())] if beside.is_file() else []
        real = "float" if precision == "float" else "double"
        first, *more = _HOLDING[self.name][precision]
        return ModuleSources(
            name=f"kernels_of_{self.name}_{precision}",
            cdef=status_declaration() + "".join(_declaration(function, real) for function in self.functions),
            header=first,
            preamble="".join(f'#include "{name}"\n' for name in more),
            units=(),
            include=(self.name,),
            files=tuple(files),
        )


def _function(tree: Mapping[str, Any]) -> Function:
    ports = tuple(
        ManifestPort(
            name=_identifier(port["name"]),
            direction=port["direction"],
            kind="real",
            shape=tuple(map(int, port.get("shape", ()))),
            range=port.get("range", ""),
        )
        for port in tree["ports"]
    )
    name = _identifier(tree["name"])
    return Function(name=name, level="kernel", stage="all", ports=ports, operations=tree.get("operations", {}))


def _identifier(text: Any) -> str:
    if not (isinstance(text, str) and text.isascii() and text.isidentifier()):
        raise ValueError(f"{text!r} is no name of a function or port")
    return text


def _declaration(function: Function, real: str) -> str:
    """Return the C declaration of a kernel: scalars by value, the others, and all results, as arrays."""
    given = [f"const {real} *{port.name}" if port.shape else f"{real} {port.name}" for port in function.inputs]
    found = [f"{real} *{port.name}_out" for port in function.outputs]
    return f"symgen_status solve_{function.name}({', '.join([*given, *found])});\n"
