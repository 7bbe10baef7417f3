"""Jansen's leg in lanes beside the kernels of its groups by themselves.

The yardstick is the sum of the kernels of its groups, each in lanes, columns: R* of the crank, and R.R.R for each dyad.
What the whole adds: sine and cosine of the crank, directions of bodies, and joint frames that are numbers of the row
instead of lengths and centres.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from cffi import FFI

import symgen
from benchmarks.entrant import LeftOutError
from benchmarks.native import COMPILER, DEFAULT, STRICT
from symgen.pipeline import generate_whole_texts
from symgen.whole.module import whole_module

NAME = "jansen"
EXAMPLE = Path(__file__).resolve().parent.parent / "examples" / "jansen_leg" / "mechanism.toml"
#: Joint frames differ by so much from row to row, in metres and radians: every row is assembled.
SPREAD = 1e-5


class Leg:
    """The generated module: its function for positions, velocities and accelerations, row by row and in lanes.

    Parameters
    ----------
    geometry : "parameters": every row has dimensions of its own; "constants": they are folded into the text.
    """

    def __init__(self, folder: Path, geometry: Literal["constants", "parameters"]) -> None:
        module = whole_module(
            symgen.load(EXAMPLE),
            symgen.library(),
            module_id=NAME,
            geometry=geometry,
            drives="inputs",
            results=("points",),
        )
        for name, text in generate_whole_texts(module, precisions=("double",), backends=("c",)).items():
            (folder / name).write_text(text, encoding="utf-8")
        manifest = json.loads((folder / f"{NAME}.json").read_text(encoding="utf-8"))
        (function,) = (each for each in manifest["functions"] if each["name"] == "motion")
        self.ports: list[dict[str, Any]] = function["ports"]
        self.reference: dict[str, Any] = manifest["reference"]
        self.dyads = sum(group["module"] == "dyad_rrr" for group in manifest["groups"])
        flags = (COMPILER, *STRICT, *DEFAULT, "-fPIC", f"{NAME}.c")
        for name, more in (
            ("rows.so", ("-shared",)),
            ("scalar.o", ("-c", "-DSYMGEN_LANES=1")),
            ("lanes.so", ("-shared", "-DSYMGEN_LANES=2", "-DSYMGEN_OVERWRITE", "scalar.o")),
        ):
            subprocess.run([*flags, *more, "-lm", "-o", name], check=True, cwd=folder)
        symbol = f"{function['symbol']['double']}_columns"
        self._ffi = FFI()
        self._ffi.cdef(
            f"int32_t {symbol}(int32_t, void *const *, void *const *, void *const *, void *const *, void *);"
        )
        self._libraries = {name: self._ffi.dlopen(str(folder / name)) for name in ("rows.so", "lanes.so")}
        self._symbol = symbol

    def runs(self, rows: int) -> list[tuple[str, Callable[[], Any]]]:
        """Return both ways to solve the same rows.

        Raises
        ------
        LeftOutError
            A row fails, or lanes give other bits.
        """
        given = self._rows(rows)
        status = np.full(rows, -1, dtype=np.int32)
        found, results = [], []
        for form, name in (("C, row by row", "rows.so"), ("C in lanes, columns", "lanes.so")):
            outputs = {
                port["name"]: np.zeros((_size(port), rows), dtype=np.int32 if port["kind"] == "int" else np.float64)
                for port in self.ports
                if port["direction"] == "out"
            }
            arrays = {**given, **outputs}
            sides = (("in", "real"), ("in", "int"), ("out", "real"), ("out", "int"))
            tables = [
                self._table([arrays[port["name"]] for port in self.ports if (port["direction"], port["kind"]) == side])
                for side in sides
            ]
            entry = getattr(self._libraries[name], self._symbol)
            arguments = rows, *tables, self._ffi.cast("void *", status.ctypes.data)
            run = partial(_call, entry, arguments, (self, given, outputs, status))
            run()
            if status.any():
                raise LeftOutError("rows of the leg fail")
            results.append(b"".join(each.tobytes() for each in outputs.values()))
            found.append((form, run))
        if results[0] != results[1]:
            raise LeftOutError("the leg has other bits in lanes")
        return found

    def _rows(self, rows: int) -> dict[str, np.ndarray]:
        random = np.random.default_rng(17)
        geometry = np.repeat(np.array(self.reference.get("geometry", ()))[:, None], rows, axis=1)
        rates = {"u": np.linspace(0.0, 6.28, rows), "ud": np.ones(rows), "udd": np.zeros(rows)}
        return {
            **{name: values[None, :] for name, values in rates.items()},
            "geometry": geometry + SPREAD * random.uniform(-1.0, 1.0, geometry.shape),
            "branch": np.repeat(np.array(self.reference["branch"], dtype=np.int32)[:, None], rows, axis=1),
        }

    def _table(self, arrays: list[np.ndarray]) -> Any:
        """Return pointers to every column of some arrays."""
        pointers = [self._ffi.cast("void *", column.ctypes.data) for array in arrays for column in array]
        return self._ffi.new("void *[]", pointers or [self._ffi.NULL])


def _size(port: dict[str, Any]) -> int:
    return int(np.prod(port["shape"], dtype=int))


def _call(function: Any, arguments: tuple[Any, ...], keep: object) -> None:
    """Call a function whose pointers point into what is kept."""
    function(*arguments)
