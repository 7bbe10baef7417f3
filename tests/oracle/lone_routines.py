"""Routines that no shipped module holds, in every backend: rendered, compiled strictly, loaded and called."""

from __future__ import annotations

import importlib.util
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import cffi
import numpy as np

from symgen.derive.derivation import Derivation
from symgen.ir.nodes import Routine
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.printers.c99 import Precision
from symgen.render.environment import render
from symgen.render.views import StatusHeaderView, c_module_view, numpy_module_view, status_views
from symgen.status import Status

WARNINGS = ("all", "extra", "pedantic", "shadow", "conversion", "float-equal", "double-promotion", "error")
STRICT = ("-std=c99", "-O2", *(f"-W{name}" for name in WARNINGS))


def lone_routine(derivation: Derivation, stage: Any) -> Routine:
    """Lower one stage of a derivation as the pipeline does."""
    return run_passes(lower(derivation, stage))


def _load(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class LoneRoutines:
    """A few routines as one module of each backend."""

    def __init__(self, name: str, routines: Sequence[Routine], folder: Path) -> None:
        self._name, self._routines = name, {r.name: r for r in routines}
        about = (name, "routines under test", ("For a test.",), "this test", (), ("For a test.",))
        header = render("c99/symgen_status.h.j2", StatusHeaderView((), status_views()))
        (folder / "symgen_status.h").write_text(header, encoding="utf-8")
        self._numpy = folder / f"{name}.py"
        self._numpy.write_text(render("numpy/module.py.j2", numpy_module_view(*about, routines)), encoding="utf-8")
        self._python = _load(name, self._numpy)
        self._native: dict[str, ModuleType] = {}
        for precision in ("double", "float"):
            self._native[precision] = self._compile(about, tuple(routines), precision, folder)  # type: ignore[arg-type]

    def _compile(self, about: Any, routines: Any, precision: Precision, folder: Path) -> ModuleType:
        view = c_module_view(*about, routines, precision)
        (folder / view.header).write_text(render("c99/module.h.j2", view), encoding="utf-8")
        source = folder / view.header.replace(".h", ".c")
        source.write_text(render("c99/module.c.j2", view), encoding="utf-8")
        strict = folder / f"{source.stem}.o"
        subprocess.run(["cc", *STRICT, "-c", source, "-o", strict, f"-I{folder}"], check=True)
        builder = cffi.FFI()
        builder.cdef("typedef int symgen_status;\n" + render("c99/_declarations.h.j2", view))
        extension = f"_{self._name}_{precision}"
        builder.set_source(
            extension, f'#include "{view.header}"', extra_objects=[str(strict)], include_dirs=[str(folder)],
            libraries=["m"],
        )  # fmt: skip
        return _load(extension, Path(builder.compile(tmpdir=str(folder))))

    def call(self, backend: str, name: str, values: Mapping[str, Any]) -> tuple[Status, dict[str, np.ndarray]]:
        """Call a routine; results are NaN where nothing is written."""
        routine = self._routines[name]
        if backend == "numpy":
            *results, status = getattr(self._python, name)(*(values[p.name] for p in routine.inputs))
            outputs = {o.port.name: np.asarray(r) for o, r in zip(routine.outputs, results, strict=True)}
            return Status(int(status)), outputs
        ffi, lib = self._native[backend].ffi, self._native[backend].lib
        real = backend
        given: list[Any] = []
        for port in routine.inputs:
            value = values[port.name]
            given.append(ffi.new(f"{real}[]", [float(v) for v in value]) if port.shape else value)
        found = [ffi.new(f"{real}[]", [float("nan")] * len(o.port.elements)) for o in routine.outputs]
        prefix = "symgenf" if backend == "float" else "symgen"
        status = getattr(lib, f"{prefix}_{self._name}_{name}")(*given, *found)
        shapes = [o.port.shape for o in routine.outputs]
        arrays = [np.array(list(f)).reshape(s) for f, s in zip(found, shapes, strict=True)]
        return Status(status), dict(zip((o.port.name for o in routine.outputs), arrays, strict=True))
