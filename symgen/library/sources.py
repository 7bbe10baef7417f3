"""The C files of a module, read for the compiler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import InputError
from symgen.library.table_entries import table_declarations, table_entries
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.library.catalogue import Module

#: The header all modules share; beside the modules' folders or in each of them.
COMMON_HEADER = "symgen_status.h"


def sources_of(module: Module, precision: str) -> ModuleSources:
    """Return what has to be compiled for one module in one precision.

    Raises
    ------
    InputError
        The module was generated without this precision, or one of its files is missing.
    """
    manifest = module.manifest
    names = manifest.files.get(precision, ())
    units = [name for name in names if name.endswith(".c")]
    headers = [name for name in names if name.endswith(".h")]
    if not units or not headers or precision not in manifest.cdef:
        there = ", ".join(sorted(manifest.cdef)) or "none"
        raise InputError(f"module {manifest.id} has no C code in {precision!r} precision; it has: {there}")
    files = [_read(module, name, f"{manifest.id}/{name}") for name in names]
    files += _common_header(module)
    return ModuleSources(
        name=f"{manifest.id}_{precision}",
        cdef=status_declaration() + manifest.cdef[precision] + table_declarations(manifest, precision),
        header=headers[0],
        units=tuple(f"{manifest.id}/{name}" for name in units),
        include=(manifest.id,),
        files=tuple(files),
        preamble=table_entries(manifest, precision),
    )


def status_declaration() -> str:
    """Return the C declaration of the statuses as this symgen knows them."""
    values = ", ".join(f"SYMGEN_{status.name} = {status.value}" for status in Status)
    return f"typedef enum {{ {values} }} symgen_status;\n"


def _common_header(module: Module) -> list[SourceFile]:
    """Keep the common header where it is relative to the module, so that its ``#include`` lines are right."""
    beside, inside = module.folder.parent / COMMON_HEADER, module.folder / COMMON_HEADER
    found = []
    if beside.is_file():
        found.append(SourceFile(COMMON_HEADER, beside.read_bytes()))
    if inside.is_file():
        found.append(SourceFile(f"{module.manifest.id}/{COMMON_HEADER}", inside.read_bytes()))
    return found


def _read(module: Module, name: str, path: str) -> SourceFile:
    try:
        return SourceFile(path, (module.folder / name).read_bytes())
    except OSError as error:
        raise InputError(
            f"{module.folder / name}: {error.strerror or error}; the manifest lists it: generate the module again"
        ) from error
