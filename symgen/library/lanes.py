"""Batches in lanes: one function of a module compiled for rows side by side, when a large batch asks for it first.

The text is the module's own, compiled once more (``symgen_lanes.h``); what it gives in a row has the bits of the
scalar function, which also has the last word on rows that fail: its address is handed over when the code is loaded.
"""

from __future__ import annotations

from typing import Any

from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.library.catalogue import Module
from symgen.library.manifest import Function, ManifestPort
from symgen.library.sources import sources_of, status_declaration
from symgen.library.table_entries import pointer

#: Rows from which on a batch asks for lanes: fewer take less than a millisecond, compiling takes seconds.
LARGE = 1024
_DECLARED = """
void scalar_is(void *function);
int32_t rows_in_lanes(int32_t n, void *const *table);
int32_t columns_in_lanes(int32_t n, void *const *table);
"""


class LanesOf:
    """One function in lanes, loaded.

    Attributes
    ----------
    rows, columns : addresses of ``int32_t entry(int32_t n, void *const *table)``. The table of `rows` has a pointer for
        each port and one for the status; that of `columns` one for each column: of real inputs, of whole ones, of
        results, and the status.
    """

    def __init__(self, module: Module, precision: str, function: Function, scalar: int) -> None:
        extension = load_module(lanes_sources(module, precision, function))
        ffi, lib = extension.ffi, extension.lib
        lib.scalar_is(ffi.cast("void *", scalar))
        self.extension = extension
        self.rows = address(ffi, lib, "rows_in_lanes")
        self.columns = address(ffi, lib, "columns_in_lanes")


def address(ffi: Any, lib: Any, name: str) -> int:
    """Return where a compiled function is."""
    return int(ffi.cast("uintptr_t", ffi.addressof(lib, name)))


def lanes_sources(module: Module, precision: str, function: Function) -> ModuleSources:
    """Return what has to be compiled for one function in lanes.

    Raises
    ------
    InputError
        See `symgen.library.sources.sources_of`.
    """
    scalar = sources_of(module, precision)
    folder, _, unit = scalar.units[0].partition("/")
    text = f'#define SYMGEN_LANES 2\n#define SYMGEN_ONLY {function.lanes}\n#include "{unit}"\n'
    path = f"{folder}/lanes.c"
    return ModuleSources(
        name=f"{scalar.name}_lanes_{function.lanes}",
        cdef=status_declaration() + _DECLARED,
        header=scalar.header,
        units=(path,),
        include=scalar.include,
        files=(*scalar.files, SourceFile(path, text.encode())),
        preamble=_entries(function, precision),
    )


def _entries(function: Function, precision: str) -> str:
    """Return the C of the entries, and of the scalar function's place, which calls it by its address."""
    symbol = function.symbol[precision]
    types = [_type(port, precision) for port in function.ports]
    parameters = ", ".join(f"{kind}p{k}" for k, kind in enumerate(types))
    arguments = ", ".join(f"p{k}" for k in range(len(types)))
    rows = [f"({pointer(port, precision)})table[{k}]" for k, port in enumerate(function.ports)]
    given = sum(port.size for port in function.inputs if port.kind == "real")
    chosen = sum(port.size for port in function.inputs if port.kind == "int")
    found = sum(port.size for port in function.outputs)
    return f"""
static symgen_status (*scalar)({", ".join(types)});
static void scalar_is(void *function) {{ *(void **)&scalar = function; }}
symgen_status {symbol}({parameters}) {{ return scalar({arguments}); }}
static int32_t rows_in_lanes(int32_t n, void *const *table)
{{
    return (int32_t){symbol}_batch(n, {", ".join(rows)}, (int32_t *)table[{len(rows)}]);
}}
static int32_t columns_in_lanes(int32_t n, void *const *table)
{{
    return (int32_t){symbol}_columns(n, (const {precision} *const *)table, (const int32_t *const *)(table + {given}),
        ({precision} *const *)(table + {given + chosen}), NULL, (int32_t *)table[{given + chosen + found}]);
}}
"""


def _type(port: ManifestPort, precision: str) -> str:
    kind = "int32_t " if port.kind == "int" else f"{precision} "
    if port.direction == "in":
        return f"const {kind}*" if port.shape else kind
    return f"{kind}*"
