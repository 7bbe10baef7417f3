"""Loop constraints generated for a test: texts into a folder, the NumPy file loaded, Jacobians put together."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.model.mechanism import Mechanism
from symgen.pipeline import generate_loop_texts
from symgen.printers.c99 import Precision
from symgen.topology.loops.coordinates import number_coordinates
from symgen.topology.loops.reference_configuration import reference_configuration, reference_values
from symgen.topology.loops.topological_graph import build_topological_graph

Array = NDArray[np.float64]


def write_loops(
    mechanism: Mechanism,
    name: str,
    folder: Path,
    *,
    order: int,
    backends: Sequence[str] = ("numpy",),
    precisions: Sequence[Precision] = ("double", "float"),
    **options: Any,
) -> dict[str, Any]:
    """Write the files of a mechanism's loops into a folder and return the manifest."""
    graph = build_topological_graph(mechanism, **options)
    coordinates = number_coordinates(graph)
    values = reference_values(reference_configuration(mechanism, graph, coordinates), graph, coordinates)
    folder.mkdir(parents=True, exist_ok=True)
    texts = generate_loop_texts(graph, name, order=order, reference=values, precisions=precisions, backends=backends)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    return json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))


def load_numpy(folder: Path, name: str) -> ModuleType:
    """Load the NumPy file of a generated module."""
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def call(module: ModuleType, manifest: dict[str, Any], name: str, **inputs: Array) -> dict[str, Array]:
    """Call a function by port names; geometry comes from the manifest. Every row must be OK."""
    (function,) = [f for f in manifest["functions"] if f["name"] == name]
    every = {port: np.array(values) for port, values in manifest["reference"].items()} | inputs
    ports = [p["name"] for p in function["ports"] if p["direction"] == "in"]
    *results, status = getattr(module, name)(*(every[port] for port in ports))
    assert not np.any(status), np.unique(status)
    return dict(zip([p["name"] for p in function["ports"] if p["direction"] == "out"], results, strict=True))


def assembled(manifest: dict[str, Any], entries: dict[str, Array], port: str, columns: str) -> Array:
    """Return the matrix (..., rows of all loops, coordinates) of a Jacobian given loop by loop."""
    count = len(manifest["coordinates"])
    blocks = []
    for number, loop in enumerate(manifest["loops"], start=1):
        if f"{port}_{number}" not in entries:
            continue
        block = entries[f"{port}_{number}"]
        block = block.reshape(*block.shape[:-1], -1, len(loop[columns]))
        full = np.zeros((*block.shape[:-1], count))
        full[..., [c - 1 for c in loop[columns]]] = block
        blocks.append(full)
    return np.concatenate(blocks, axis=-2)
