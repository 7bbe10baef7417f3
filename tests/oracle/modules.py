"""The shipped modules as the tests see them: manifests, functions to call in every backend, 50-digit routines."""

from __future__ import annotations

import importlib.util
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import numpy as np

from symgen.build.load import load_module
from symgen.ir.nodes import Routine
from symgen.library.catalogue import Module, modules_in
from symgen.library.manifest import read_manifest
from symgen.library.sources import sources_of
from symgen.resources import generated_folder
from symgen.status import Status

Tree = dict[str, Any]
Values = Mapping[str, Any]

#: Written into every output before a call in C: what it still holds afterwards was not written.
SENTINEL = -987654.25

BACKENDS = ("numpy", "double", "float")
DTYPE = {"numpy": np.float64, "double": np.float64, "float": np.float32}
#: Spacing of numbers at 1.
EPSILON = {"numpy": 2.0**-52, "double": 2.0**-52, "float": 2.0**-23}


#: Modules that are made on first use are tested where this names a folder that holds them: `make check` does.
TESTED = Path(os.environ.get("SYMGEN_TESTED_MODULES") or generated_folder())


def home(module: str) -> Path:
    """Return the folder of a module."""
    return next(folder / module for folder in (TESTED, generated_folder()) if (folder / module).is_dir())


@cache
def manifest(module: str) -> Tree:
    """Return a module's manifest as a JSON tree, the ports in their functions as the library reads them."""
    path = home(module) / f"{module}.json"
    tree: Tree = json.loads(path.read_text(encoding="utf-8"))
    functions = json.loads(msgspec.json.encode(read_manifest(path).functions))
    return {**tree, "functions": functions}


#: Whatever is generated is tested; a new module needs no new line here.
MODULES: tuple[str, ...] = tuple(module.manifest.id for module in modules_in(TESTED))


@dataclass(frozen=True)
class Arranged:
    """One arrangement of a module."""

    module: str
    id: str

    @property
    def manifest(self) -> Tree:
        return manifest(self.module)

    @property
    def tree(self) -> Tree:
        return next(a for a in self.manifest["arrangements"] if a["id"] == self.id)

    @property
    def is_driven(self) -> bool:
        """Whether nothing is to be solved: one body, every freedom driven."""
        return all(not j["freedoms"] for j in self.tree["joints"])

    def function(self, stage: str) -> str:
        return f"{self.id}_{stage}"

    def __str__(self) -> str:
        return f"{self.module}-{self.id}"


ARRANGEMENTS: tuple[Arranged, ...] = tuple(Arranged(m, a["id"]) for m in MODULES for a in manifest(m)["arrangements"])
SOLVED = tuple(a for a in ARRANGEMENTS if not a.is_driven)


def _kernel(module: str) -> str:
    return json.dumps([f for f in manifest(module)["functions"] if f["level"] == "kernel"]).replace(module, "")


#: One module of those that share a kernel (a driven freedom is outside of it).
KERNELS: tuple[str, ...] = tuple(
    {_kernel(module): module for module in sorted(MODULES, key=len, reverse=True)}.values()
)


def function(module: str, name: str) -> Tree:
    """Return the manifest's entry of a function."""
    return next(f for f in manifest(module)["functions"] if f["name"] == name)


def inputs_of(entry: Tree) -> list[Tree]:
    return [p for p in entry["ports"] if p["direction"] == "in"]


def outputs_of(entry: Tree) -> list[Tree]:
    return [p for p in entry["ports"] if p["direction"] == "out"]


@cache
def numpy_module(module: str) -> ModuleType:
    """Import a module's NumPy file."""
    spec = importlib.util.spec_from_file_location(f"shipped_{module}", home(module) / f"{module}.py")
    assert spec is not None
    assert spec.loader is not None
    python = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(python)
    return python


@cache
def _library() -> dict[str, Module]:
    return {m.manifest.id: m for folder in (generated_folder(), TESTED) for m in modules_in(folder)}


@cache
def native(module: str, precision: str) -> ModuleType:
    """Compile (through the cache of this run) and load a module."""
    return load_module(sources_of(_library()[module], precision))


@cache
def routines(module: str) -> dict[str, Routine]:
    """Derive and lower a module again: what `symgen.ir.evaluate` runs with 50 digits."""
    from symgen.derive.catalogue import derive_module
    from symgen.pipeline import routines_of

    return {r.name: r for r in routines_of(derive_module(module))}


def call(backend: str, module: str, name: str, values: Values) -> tuple[Status, dict[str, Any]]:
    """Call a function once; outputs that were not written hold NaN (NumPy) or the sentinel (C)."""
    entry = function(module, name)
    if backend == "numpy":
        arguments = [values[p["name"]] for p in inputs_of(entry)]
        *results, status = getattr(numpy_module(module), name)(*arguments)
        named = {p["name"]: np.asarray(r) for p, r in zip(outputs_of(entry), results, strict=True)}
        return Status(int(status)), named
    extension = native(module, backend)
    ffi = extension.ffi
    arguments, buffers = [], {}
    for port in entry["ports"]:
        if port["direction"] == "out":
            size = port["shape"][0] if port["shape"] else 1
            buffers[port["name"]] = array = np.full(size, SENTINEL, dtype=DTYPE[backend])
            arguments.append(ffi.from_buffer(f"{backend}[]", array, require_writable=True))
        elif port["kind"] == "int":
            arguments.append(int(values[port["name"]]))
        elif port["shape"]:
            array = np.ascontiguousarray(values[port["name"]], dtype=DTYPE[backend])
            arguments.append(ffi.from_buffer(f"{backend}[]", array))
        else:
            arguments.append(float(values[port["name"]]))
    status = getattr(extension.lib, entry["symbol"][backend])(*arguments)
    results = {p["name"]: buffers[p["name"]] if p["shape"] else buffers[p["name"]][0] for p in outputs_of(entry)}
    return Status(int(status)), results


def call_batch(
    backend: str, module: str, name: str, values: Values, rows: int
) -> tuple[int, np.ndarray[Any, Any], dict[str, Any]]:
    """Call the batch twin on arrays with a leading axis; returns its return value, statuses and outputs.

    NumPy has no return value of its own: the first status that is not OK, as C says it.
    """
    entry = function(module, name)
    if backend == "numpy":
        *results, status = getattr(numpy_module(module), name)(*(values[p["name"]] for p in inputs_of(entry)))
        failed = status[status != 0]
        named = {p["name"]: r for p, r in zip(outputs_of(entry), results, strict=True)}
        return (int(failed[0]) if failed.size else 0), status, named
    extension = native(module, backend)
    ffi = extension.ffi
    kept: list[Any] = []
    arguments, buffers = [], {}
    for port in entry["ports"]:
        kind = "int32_t" if port["kind"] == "int" else backend
        dtype = np.int32 if port["kind"] == "int" else DTYPE[backend]
        shape = (rows, *port["shape"])
        if port["direction"] == "out":
            array = buffers[port["name"]] = np.full(shape, SENTINEL, dtype=dtype)
        else:
            array = np.ascontiguousarray(np.broadcast_to(np.asarray(values[port["name"]]), shape), dtype=dtype)
        kept.append(array)
        arguments.append(ffi.from_buffer(f"{kind}[]", array, require_writable=port["direction"] == "out"))
    status = np.full(rows, -1, dtype=np.int32)
    arguments.append(ffi.from_buffer("int32_t[]", status, require_writable=True))
    worst = getattr(extension.lib, entry["symbol"][backend] + "_batch")(rows, *arguments)
    return int(worst), status, buffers


def is_unwritten(backend: str, value: Any) -> bool:
    """Tell whether every number of an output is what it was before the call."""
    array = np.asarray(value)
    return bool(np.isnan(array).all() if backend == "numpy" else (array == DTYPE[backend](SENTINEL)).all())
