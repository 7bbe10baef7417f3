"""The two ways to run a module: compiled C through cffi, or its NumPy file."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symgen.build.errors import DeclarationError
from symgen.build.load import is_built, is_loaded, key_of_module, load_module
from symgen.build.notices import say_once
from symgen.errors import BuildError, InputError
from symgen.library.catalogue import Module
from symgen.library.lanes import LARGE, Form, LanesOf, address, lanes_sources
from symgen.library.manifest import Function, ManifestPort
from symgen.library.python_files import load_python
from symgen.library.sources import read_file, sources_of
from symgen.library.table_entries import table_name
from symgen.status import Status

#: Runs a function on rows that are already in place; returns the first status that is not OK, else OK.
Run = Callable[[], int]

#: What it means that NumPy takes the place of C. It computes in double whatever was asked for, and libm may differ.
NUMPY_INSTEAD = (
    "the same formulas in double, equal to C except for the last digits (float is rounded); single calls are slower"
)

REAL: dict[str, np.dtype[Any]] = {"double": np.dtype(np.float64), "float": np.dtype(np.float32)}
INTEGER: np.dtype[Any] = np.dtype(np.int32)


class Backend(Protocol):
    """What can run the functions of one module."""

    name: str

    def bind(
        self, function: Function, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]], status: NDArray[Any]
    ) -> Run:
        """Return a call without arguments that reads `inputs` and writes `outputs` and `status`.

        Every array is C-contiguous, of the port's dtype and shape ``(rows, *port.shape)``; rows that the
        function does not write keep what they held. The arrays are kept alive by the returned call.
        """


class _HeldCall(functools.partial[int]):
    """A C call with its arguments, and the arrays that must live as long as it."""

    arrays: tuple[Any, ...]


class CBackend:
    """The compiled module; calls release the GIL."""

    name = "c"

    def __init__(self, module: Module, precision: str) -> None:
        extension = load_module(sources_of(module, precision))
        self._ffi, self._lib = extension.ffi, extension.lib
        self._module, self._precision = module, precision
        self._in_lanes: dict[tuple[str, Form], LanesOf | None] = {}
        self._not_built: dict[tuple[str, Form], str] = {}
        for status in Status:  # cffi takes an enum's values from the compiled header, whatever its declaration says
            found = getattr(self._lib, f"SYMGEN_{status.name}")
            if found != status.value:
                raise DeclarationError(
                    f"module {module.manifest.id}: its header says SYMGEN_{status.name} = {found}, "
                    f"this symgen says {status.value}: generate it again"
                )

    def entry(self, function: Function) -> int:
        """Return the address of the function that takes a table of pointers (`symgen.library.table_entries`)."""
        return address(self._ffi, self._lib, table_name(function, self._precision))

    def entry_in_lanes(self, function: Function, form: Form, *, compiles: bool = True) -> int | None:
        """Return the address of a function's entry in lanes, 0 if it has none; None if it may be asked again.

        See `lanes_of`.
        """
        lanes = self.lanes_of(function, form, compiles=compiles)
        if lanes is not None:
            return lanes.entry
        return None if function.lanes and (function.name, form) not in self._in_lanes else 0

    def bind(
        self,
        function: Function,
        inputs: Sequence[NDArray[Any]],
        outputs: Sequence[NDArray[Any]],
        status: NDArray[Any],
        *,
        may_use_lanes: bool = True,
    ) -> Run:
        """See `Backend.bind`; without lanes nothing is compiled for it."""
        lanes = self.lanes_of(function, "rows") if may_use_lanes and len(status) >= LARGE else None
        ffi, lib = (self._ffi, self._lib) if lanes is None else (lanes.extension.ffi, lanes.extension.lib)
        call = getattr(lib, table_name(function, self._precision) if lanes is None else "rows_in_lanes")
        pointers = [ffi.from_buffer(array) for array in inputs]
        pointers += [ffi.from_buffer(array, require_writable=True) for array in (*outputs, status)]
        run = _HeldCall(call, len(status), ffi.new("void *[]", pointers))
        run.arrays = tuple(pointers)
        return run

    def lanes_of(self, function: Function, form: Form, *, compiles: bool = True) -> LanesOf | None:
        """Return a function in lanes, loaded; None if it has none.

        Parameters
        ----------
        compiles : whether it is compiled on first use; otherwise None if nobody has compiled it before. The cache is
            looked up once; from then on only this process is asked whether it has loaded the function.
        """
        if not function.lanes:
            return None
        wanted = function.name, form
        if wanted not in self._in_lanes:
            try:
                if not compiles and not self._is_there(function, form):
                    return None
                scalar = address(self._ffi, self._lib, function.symbol[self._precision])
                self._in_lanes[wanted] = LanesOf(self._module, self._precision, function, form, scalar)
            except BuildError as error:
                say_once(
                    f"lanes {type(error).__name__}",
                    f"{error}\nsymgen: batches go row by row instead: the same results, more slowly",
                )
                self._in_lanes[wanted] = None
        return self._in_lanes[wanted]

    def _is_there(self, function: Function, form: Form) -> bool:
        """Tell whether a function in lanes is compiled; a file is touched by the first question only."""
        wanted = function.name, form
        if wanted in self._not_built:
            return is_loaded(self._not_built[wanted])
        sources = lanes_sources(self._module, self._precision, function, form)
        if is_built(sources):
            return True
        self._not_built[wanted] = key_of_module(sources)
        return False


class NumpyBackend:
    """The module's NumPy file; it computes in double and is rounded to float where that was asked for."""

    name = "numpy"

    def __init__(self, module: Module) -> None:
        self._python = _import_file(module)

    def bind(
        self, function: Function, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]], status: NDArray[Any]
    ) -> Run:
        """See `Backend.bind`."""
        call = getattr(self._python, function.name)

        def run() -> int:
            *values, found = call(
                *(_in_double(array, port) for array, port in zip(inputs, function.inputs, strict=True))
            )
            status[...] = found
            for array, value in zip(outputs, values, strict=True):
                written = ~np.isnan(value)  # rows that are not written hold NaN
                np.copyto(array, value, where=written, casting="same_kind")
            failed = status[status != 0]
            return int(failed[0]) if len(failed) else 0

        return run


#: How far a squared length may be from 1: as UNIT_TOLERANCE of the generated code in float.
UNIT_IN_FLOAT = 1e-5


def _in_double(array: NDArray[Any], port: ManifestPort) -> NDArray[Any]:
    """Return an input as NumPy solves it; what is a unit vector in float is one in double, too."""
    if array.dtype == INTEGER or array.dtype == np.float64:
        return array
    found = array.astype(np.float64)
    if port.range in ("unit", "q unit"):
        part = found[..., 3:] if port.range == "q unit" else found
        square = (part * part).sum(axis=-1, keepdims=True)
        is_unit = np.abs(square - 1.0) <= UNIT_IN_FLOAT
        np.divide(part, np.sqrt(square), out=part, where=is_unit)
    return found


def _import_file(module: Module) -> ModuleType:
    names = module.manifest.files.get("numpy", ())
    if not names:
        raise InputError(
            f"module {module.manifest.id} was generated without its NumPy file: generate it with --backend c,numpy"
        )
    read_file(module, names[0])
    return load_python(f"symgen_generated_{module.manifest.id}", module.folder / names[0])


def open_backend(module: Module, precision: str, backend: str) -> Backend:
    """Return the backend that was asked for; ``"auto"`` is C where it can be built, else NumPy (said once).

    A module that was generated without C in this precision is run by NumPy without a word.

    Raises
    ------
    BuildError
        `backend` is ``"c"`` and the module cannot be compiled.
    """
    has_c = precision in module.manifest.files
    if backend == "numpy" or (backend == "auto" and not has_c):
        return NumpyBackend(module)
    try:
        return CBackend(module, precision)
    except BuildError as error:
        if backend == "c":
            raise
        say_once(
            f"backend {type(error).__name__}",
            f"{error}\nsymgen: using NumPy instead: {NUMPY_INSTEAD} (`symgen doctor` explains why)",
        )
        return NumpyBackend(module)
