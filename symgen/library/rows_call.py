"""A compiled function on rows: arrays that are as it wants them go straight to it, through C of our own.

cffi takes a microsecond for every six pointers, which for small batches is more than the mathematics. So arrays are
looked at and handed on by an extension module (``rows.c``), compiled on first use like every other. What it does not
take as it is, is left to `symgen.library.arguments`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import InputError
from symgen.library.arguments import INT32, argument_name
from symgen.library.backends import INTEGER, CBackend
from symgen.library.lanes import LARGE
from symgen.library.manifest import Function, ManifestPort

#: Operations that are worth a thread of their own, in lanes: to start one takes as long as half of them.
_OF_A_THREAD = 2_000_000
#: An operation of a function that has no lanes, since it iterates, takes as long as so many in lanes, or longer.
_WITHOUT_LANES = 20
#: After so many operations a batch looks whether a signal has come, such as Ctrl-C: every 20 to 400 milliseconds.
_BETWEEN_SIGNALS = 200_000_000
#: How the extension module is called, as in ``rows.c``.
_NAME = "rows"
_FILES = ("rows.c", "solver.c", "solver.h", "threads.c", "threads.h")


class RowsCall:
    """One function of compiled code.

    Parameters
    ----------
    real : dtype of real ports.
    result : the named tuple of the output arrays and the status.
    compiles_lanes : whether a large batch compiles its function in lanes, or uses it only where it is compiled already.

    Attributes
    ----------
    compiled : what `calling` asks to run a batch with one leading axis.
    """

    def __init__(
        self, function: Function, backend: CBackend, real: np.dtype[Any], result: Any, *, compiles_lanes: bool = True
    ) -> None:
        ports = [*((port, _dtype(port, real)) for port in function.ports)]
        self._operations = max(1, sum(function.operations.values()) * (1 if function.lanes else _WITHOUT_LANES))
        self._result = result._make
        kinds = tuple((dtype.num, port.shape[0] if port.shape else 0) for port, dtype in ports)
        self.compiled = _extension().Rows(
            result,
            partial(backend.entry_in_lanes, function, compiles=compiles_lanes),
            backend.entry(function),
            LARGE,
            _BETWEEN_SIGNALS // self._operations,
            tuple(argument_name(port) for port in function.inputs),
            (*kinds, (INTEGER.num, 0)),
        )

    def shared(self, given: tuple[Any, ...], named: dict[str, Any], out: object, threads: int) -> Any:
        """Return the result of a batch, or None; `threads` share the rows if there are enough for each to do."""
        return self.compiled.share(out, min(threads, sys.maxsize), _OF_A_THREAD // self._operations, *given, **named)

    def run(
        self, inputs: Sequence[NDArray[Any]], outputs: Sequence[NDArray[Any]], status: NDArray[Any], threads: int = 1
    ) -> None:
        """Write outputs and status of rows (n, ...) that are in place, whatever the outputs held.

        Parameters
        ----------
        threads : how many share the rows.
        """
        if self.shared(tuple(inputs), {}, self._result((*outputs, status)), threads) is not None:
            return
        if len(status) > INT32.max:
            raise InputError(f"a batch of {len(status)} rows: at most {INT32.max} are solved at once")
        raise InputError("a batch whose arrays are not apart, or not in rows")


def calling(functions: type) -> Any:
    """Return a compiled ``__call__`` for a class: it runs `RowsCall.compiled`, its instances' `_compiled`.

    Where there is none, or arguments do not lie as it takes them, it calls their `_call` with the same arguments.
    """
    return _extension().calling(functions)


@lru_cache(maxsize=1)
def _extension() -> Any:
    """Return the extension module; it is compiled for this NumPy."""
    return load_module(rows_sources())


def rows_sources() -> ModuleSources:
    """Return what has to be compiled to hand arrays on."""
    here = Path(__file__).parent
    return ModuleSources(
        name=_NAME,
        cdef="",
        header="",
        units=tuple(name for name in _FILES if name.endswith(".c")),
        include=(),
        files=tuple(SourceFile(name, (here / name).read_bytes()) for name in _FILES),
        system=(np.get_include(),),
        versions=("numpy", np.__version__),
    )


def _dtype(port: ManifestPort, real: np.dtype[Any]) -> np.dtype[Any]:
    return INTEGER if port.kind == "int" else real
