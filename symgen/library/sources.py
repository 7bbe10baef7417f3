"""The C files of a module, read for the compiler."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from symgen.build.notices import say_once
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.errors import InputError
from symgen.library.table_entries import table_declarations, table_entries
from symgen.resources import Place
from symgen.status import Status

if TYPE_CHECKING:
    from symgen.library.catalogue import Module

#: The header all modules share; beside the modules' folders or in each of them.
COMMON_HEADER = "symgen_status.h"
#: What the C of modules of the library includes besides, if it serves both precisions.
COMMON_HEADERS = (COMMON_HEADER, "symgen_real.h", "symgen_vectors.h")
#: And what it includes where it calls our own elementary functions.
MATH_HEADER = "symgen_math.h"
#: Explicit steps, of the engines.
STEPS_HEADER = "symgen_steps.h"
#: What it includes where batches may run in lanes.
LANES_HEADER = "symgen_lanes.h"
#: What it includes where rows of a batch, or zeros of a polynomial, may lie side by side in vector registers.
MACHINES_HEADER = "symgen_machines.h"
#: Python calls batches in columns as they are compiled in lanes alone (`symgen.library.lanes`).
_COLUMNS = re.compile(r"symgen_status \w+_columns\([^)]*\);\n")


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
    if not units or not headers:
        there = ", ".join(sorted(set(manifest.files) - {"numpy"})) or "none"
        raise InputError(f"module {manifest.id} has no C code in {precision!r} precision; it has: {there}")
    files = [SourceFile(f"{manifest.id}/{name}", read_file(module, name)) for name in names]
    declared = declarations(files[names.index(headers[-1])].text.decode())
    if headers[-1] != headers[0]:  # a header for float takes what it declares from that for double
        declared = declarations_in_float(declared, manifest.id)
    files += _common_headers(module)
    return ModuleSources(
        name=f"{manifest.id}_{precision}",
        cdef=status_declaration() + declared + table_declarations(manifest, precision),
        header=headers[0],
        units=(f"{manifest.id}/{units[0]}",),  # it includes the others
        include=(manifest.id,),
        files=tuple(files),
        preamble=table_entries(manifest, precision),
    )


def status_declaration() -> str:
    """Return the C declaration of the statuses as this symgen knows them."""
    values = ", ".join(f"SYMGEN_{status.name} = {status.value}" for status in Status)
    return f"typedef enum {{ {values} }} symgen_status;\n"


def declarations(header: str) -> str:
    """Return what a header declares, but for columns: without comments, preprocessor, and what C++ is told."""
    lines = re.sub(
        r"/\*.*?\*/", "", re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", header, flags=re.DOTALL), flags=re.DOTALL
    )
    declared = "".join(line + "\n" for line in lines.splitlines() if line.strip() and not line.startswith("#"))
    return _COLUMNS.sub("", declared)


def declarations_in_float(text: str, module: str) -> str:
    """Return what the header for float of a module declares, from what that for double does."""
    return re.sub(rf"\bsymgen_{module}_", f"symgenf_{module}_", re.sub(r"\bdouble\b", "float", text))


def _common_headers(module: Module) -> list[SourceFile]:
    """Keep the common headers where they are relative to the module, so that its ``#include`` lines are right."""
    found = []
    for name in (*COMMON_HEADERS, MACHINES_HEADER, LANES_HEADER, MATH_HEADER):
        places: list[tuple[str, Place]] = [(f"{module.manifest.id}/{name}", module.folder / name)]
        if isinstance(module.folder, Path):  # what is shipped as an archive has them in each module
            places.append((name, module.folder.parent / name))
        found += [SourceFile(path, place.read_bytes()) for path, place in places if place.is_file()]
    return found


def changed_files(module: Module) -> list[Place]:
    """Return the files of a module that are not as they were generated, or are missing."""
    found = []
    for name, written in module.manifest.sha256.items():
        place = module.folder / name
        try:
            is_as_written = hashlib.sha256(place.read_bytes()).hexdigest() == written
        except OSError:
            is_as_written = False
        found += [] if is_as_written else [place]
    return found


def read_file(module: Module, name: str) -> bytes:
    """Return a file of a module; say once a process if it is not as it was generated.

    Raises
    ------
    InputError
        The file is missing.
    """
    place = module.folder / name
    try:
        content = place.read_bytes()
    except OSError as error:
        raise InputError(
            f"{place}: {error.strerror or error}; the manifest lists it: generate the module again"
        ) from error
    written = module.manifest.sha256.get(name)
    if written is not None and hashlib.sha256(content).hexdigest() != written:
        origin = ", ".join(module.manifest.origin.values())
        again = f"`symgen generate {'...' if origin else module.manifest.id} --force --out {module.folder.parent}`"
        say_once(
            f"edited {place}",
            f"{place} was changed after it was generated: its results are those of the changed file. {again} writes it "
            f"again{f', from {origin}' if origin else ''}",
        )
    return content
