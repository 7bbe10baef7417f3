"""Modules of whole mechanisms generated for a test: their NumPy and compiled C, compared with `symgen.solve`."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import symgen
from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.model.mechanism import Mechanism
from symgen.pipeline import generate_whole_texts
from symgen.pipeline.texts import COMMON_HEADERS
from symgen.printers.c99 import Precision
from symgen.solve.result import MotionResult
from symgen.whole.module import whole_module

Array = NDArray[np.float64]


class Whole:
    """A generated module in a folder."""

    def __init__(
        self,
        folder: Path,
        mechanism: Mechanism,
        name: str,
        precisions: Sequence[Precision] = ("double", "float"),
        **options: Any,
    ) -> None:
        self.module = whole_module(mechanism, symgen.library(), module_id=name, **options)
        self.texts = generate_whole_texts(self.module, precisions=precisions)
        self.name, self.folder = name, folder
        folder.mkdir(parents=True, exist_ok=True)
        for file, text in self.texts.items():
            (folder / file).write_text(text, encoding="utf-8")
        self.manifest: dict[str, Any] = json.loads(self.texts[f"{name}.json"])

    def ports(self, function: str) -> list[dict[str, Any]]:
        (found,) = [f for f in self.manifest["functions"] if f["name"] == function]
        ports: list[dict[str, Any]] = found["ports"]
        return ports

    def given(self, function: str, inputs: dict[str, Any]) -> list[Any]:
        """Return the arguments: those named, else branch and geometry of the manifest."""
        pool = {**self.manifest["reference"], **inputs}
        return [pool[p["name"]] for p in self.ports(function) if p["direction"] == "in"]

    def numpy(self, function: str, **inputs: Any) -> dict[str, Any]:
        spec = importlib.util.spec_from_file_location(self.name, self.folder / f"{self.name}.py")
        assert spec is not None
        assert spec.loader is not None
        code = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(code)
        results = getattr(code, function)(*self.given(function, inputs))
        names = [p["name"] for p in self.ports(function) if p["direction"] == "out"]
        return dict(zip([*names, "status"], results, strict=True))

    def c(self, function: str, rows: int, precision: str = "double", **inputs: Any) -> dict[str, Any]:
        """Run the batch function of the compiled module."""
        source, header = self.manifest["files"][precision]
        kept = (source, header, *COMMON_HEADERS)
        sources = ModuleSources(
            name=f"{self.name}_{precision}",
            cdef="typedef int... symgen_status;\n" + self.manifest["cdef"][precision],
            header=header,
            units=(source,),
            include=(),
            files=tuple(SourceFile(file, self.texts[file].encode()) for file in kept if file in self.texts),
        )
        extension = load_module(sources)
        real = np.dtype(np.float64 if precision == "double" else np.float32)
        arrays: list[Any] = []
        for port, value in zip(
            [p for p in self.ports(function) if p["direction"] == "in"], self.given(function, inputs), strict=True
        ):
            kind = np.dtype(np.int32) if port["kind"] == "int" else real
            arrays.append(np.ascontiguousarray(value, dtype=kind))
        outputs = {
            p["name"]: np.full((rows, *p["shape"]), np.nan, dtype=real)
            if p["kind"] == "real"
            else np.full(rows, -1, np.int32)
            for p in self.ports(function)
            if p["direction"] == "out"
        }
        status = np.zeros(rows, dtype=np.int32)
        (symbol,) = [f["symbol"][precision] for f in self.manifest["functions"] if f["name"] == function]
        pointers = [extension.ffi.from_buffer(f"{_ctype(a)}[]", a) for a in (*arrays, *outputs.values(), status)]
        getattr(extension.lib, f"{symbol}_batch")(rows, *pointers)
        return {**outputs, "status": status}


def _ctype(array: NDArray[Any]) -> str:
    return {"float64": "double", "float32": "float", "int32": "int32_t"}[array.dtype.name]


def expected(whole: Whole, solved: MotionResult) -> dict[str, Array]:
    """Return what `symgen.solve` says in the order of the module's results."""
    layout, planar = whole.module.layout, whole.module.layout.planar
    found: dict[str, list[Array]] = {}

    def keep(name: str, *columns: Array) -> None:
        found.setdefault(name, []).extend(c.reshape(len(c), -1) for c in columns)

    for body in layout.bodies:
        track = solved.bodies[body]
        if planar:
            angle = 2.0 * np.arctan2(track.q[:, 3], track.q[:, 0])
            keep("poses", track.r[:, :2], angle)
            keep("twists", track.v[:, :2], track.omega[:, 2])
            keep("accelerations", track.a[:, :2], track.alpha[:, 2])
        else:
            keep("poses", track.r, track.q)
            keep("twists", track.v, track.omega)
            keep("accelerations", track.a, track.alpha)
    for joint, freedom in layout.coordinates:
        joints = solved.joints[joint]
        for name, table in zip(
            ("q", "qd", "qdd"), (joints.coordinates, joints.rates, joints.accelerations), strict=True
        ):
            keep(name, table[freedom])
    for body, point, _ in layout.points:
        place = solved.points[f"{body}.{point}"]
        width = 2 if planar else 3
        names = ("points", "point_velocities", "point_accelerations")
        for name, part in zip(names, (place.r, place.v, place.a), strict=True):
            keep(name, part[:, :width])
    return {name: np.concatenate(columns, axis=1) for name, columns in found.items()}


def difference(whole: Whole, name: str, found: Array, wanted: Array) -> float:
    """Return the largest difference relative to the size of the numbers; angles to a turn, quaternions to a sign."""
    gap = np.asarray(found, dtype=float) - wanted
    layout = whole.module.layout
    if name == "poses":
        width = 3 if layout.planar else 7
        for start in range(0, gap.shape[1], width):
            if layout.planar:
                gap[:, start + 2] = np.remainder(gap[:, start + 2] + np.pi, 2 * np.pi) - np.pi
            else:
                other = found[:, start + 3 : start + 7] + wanted[:, start + 3 : start + 7]
                turned = np.sum(other**2, axis=1) < 1.0
                gap[turned, start + 3 : start + 7] = other[turned]
    if name == "q":
        for column, (_, freedom) in enumerate(layout.coordinates):
            if freedom in ("angle", "angle1", "angle2", "yaw", "pitch", "roll"):
                gap[:, column] = np.remainder(gap[:, column] + np.pi, 2 * np.pi) - np.pi
    return float(np.max(np.abs(gap)) / max(1.0, float(np.max(np.abs(wanted)))))
