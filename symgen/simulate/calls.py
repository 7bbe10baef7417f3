"""Calls of a compiled engine: its files, the tables of a mechanism, a call that can be watched and stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.build.recipe import FileOnDemand, ModuleSources, SourceFile
from symgen.errors import InputError
from symgen.library.sources import COMMON_HEADER, status_declaration
from symgen.poses import Array
from symgen.resources import generated_folder
from symgen.simulate.contract import StoppableProgress
from symgen.simulate.manifest import FOLDER, DynamicsManifest
from symgen.simulate.tables.problem_text import DECLARATION, TablesAsData, header_of

#: Time between two looks at how far a call is [s].
_LOOK = 0.1
#: Engines that choose their steps count how far they are in millionths of the span.
MILLION = 1_000_000


def pointer_of(ffi: Any, array: Array) -> Any:
    """Return where C finds the numbers of an array."""
    return ffi.from_buffer("double[]", array, require_writable=True)


def at_least_one(values: NDArray[Any]) -> NDArray[Any]:
    """Return an array, or a zero of its kind where it is empty: C has no empty arrays."""
    return values if values.size else np.zeros(1, dtype=values.dtype)


def set_tables(module: ModuleType, tables: TablesAsData) -> None:
    """Give a copy of a compiled engine the tables of a mechanism."""
    ffi = module.ffi
    module.lib.symgen_set_tables(ffi.from_buffer("int32_t[]", tables.sizes), ffi.from_buffer(tables.rows))


def watched(
    call: Callable[[], int],
    reached: NDArray[np.int64],
    progress: StoppableProgress | None,
    whole: float,
    held: Sequence[Any],
) -> int:
    """Make a long call in a thread of its own, and tell how far it is; it has ended whenever this returns or raises.

    Parameters
    ----------
    reached : [0] how far the call is, [1] set where it is to stop.
    progress : asked now and then whether to stop; None asks nobody.
    whole : what is reached at the end.
    held : what C writes into: the thread itself keeps it, so that nothing is freed under it whatever is raised here.
    """
    found: list[int] = []
    ended, begun = threading.Event(), threading.Lock()

    def work(_held: Sequence[Any]) -> None:
        try:
            if begun.acquire(blocking=False):  # else it was given up before it began
                found.append(call())
        finally:
            ended.set()

    worker = threading.Thread(target=work, args=(held,), name="symgen engine")
    try:
        worker.start()
        while not ended.wait(_LOOK):
            if progress is not None and progress(int(reached[0]) / max(whole, 1)):
                reached[1] = 1
    except BaseException:
        _end(reached, ended, begun)
        raise
    worker.join()
    return found[0]


def _end(reached: NDArray[np.int64], ended: threading.Event, begun: threading.Lock) -> None:
    """Have a call stop and wait until it has, however often that is interrupted.

    A thread's `join` does not do: once interrupted, the next one returns at once though the thread still runs (Python
    before 3.13).
    """
    while True:
        try:
            reached[1] = 1
            if begun.acquire(blocking=False):  # it has not begun, and will not
                return
            ended.wait()
            return
        except KeyboardInterrupt:
            continue


def sources_of(tables: TablesAsData, manifest: DynamicsManifest) -> ModuleSources:
    """Return what has to be compiled for mechanisms that an engine has room for.

    Raises
    ------
    InputError
        A file of the engine is missing.
    """
    folder = generated_folder()
    paths = {f"{FOLDER}/{name}": folder / FOLDER / name for name in (*manifest.files["double"], COMMON_HEADER)}
    files: list[SourceFile | FileOnDemand] = []
    for name, path in paths.items():
        try:
            files.append(SourceFile(name, path.read_bytes()))
        except OSError as error:
            raise InputError(f"{path}: {error.strerror or error}: symgen is not fully installed") from error
    files.append(header_of(tables.view, f"{FOLDER}/problem.h"))
    return ModuleSources(
        name="dynamics",
        cdef=status_declaration() + manifest.cdef + DECLARATION,
        header="dynamics.h",
        preamble=DECLARATION,
        units=(f"{FOLDER}/dynamics.c",),
        include=(FOLDER,),
        files=tuple(files),
    )
