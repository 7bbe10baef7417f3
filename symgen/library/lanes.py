"""Batches in lanes: one function of a module compiled for rows side by side, when a large batch asks for it first.

The text is the module's own, compiled once more (``symgen_lanes.h``); what it gives in a row has the bits of the
scalar function, which also has the last word on rows that fail: its address is handed over when the code is loaded.
Batches of rows and batches of columns are compiled by themselves, each when it is first asked for.
"""

from __future__ import annotations

from typing import Any, Literal

from symgen.build.load import load_module
from symgen.build.recipe import ModuleSources, SourceFile
from symgen.library.catalogue import Module
from symgen.library.manifest import Function, ManifestPort
from symgen.library.sources import sources_of, status_declaration
from symgen.library.table_entries import pointer

#: Rows from which on a batch asks for lanes: fewer take less than a millisecond, compiling takes seconds.
LARGE = 1024
Form = Literal["rows", "columns"]
FORMS: tuple[Form, ...] = ("rows", "columns")
_DECLARED = """
void scalar_is(void *function);
int32_t {form}_in_lanes(int32_t n, void *const *table);
"""
#: What ``SYMGEN_FORM`` is for each form of a batch.
_NUMBERS: dict[Form, int] = {"rows": 1, "columns": 2}
#: Columns may be overwritten where a row fails: `symgen.library.rows_call` gives those rows their values afterwards.
_DEFINED: dict[Form, str] = {"rows": "", "columns": "#define SYMGEN_OVERWRITE 1\n"}


class LanesOf:
    """One function in lanes, loaded, for batches of one form.

    Attributes
    ----------
    entry : address of ``int32_t entry(int32_t n, void *const *table)``. The table has a pointer for each port and one
        for the status; in columns one for each column: of real inputs, of whole ones, of results, and the status.
    """

    def __init__(self, module: Module, precision: str, function: Function, form: Form, scalar: int) -> None:
        extension = load_module(lanes_sources(module, precision, function, form))
        ffi, lib = extension.ffi, extension.lib
        lib.scalar_is(ffi.cast("void *", scalar))
        self.extension = extension
        self.entry = address(ffi, lib, f"{form}_in_lanes")


def address(ffi: Any, lib: Any, name: str) -> int:
    """Return where a compiled function is."""
    return int(ffi.cast("uintptr_t", ffi.addressof(lib, name)))


def lanes_sources(module: Module, precision: str, function: Function, form: Form) -> ModuleSources:
    """Return what has to be compiled for one function in lanes, for batches of one form.

    Raises
    ------
    InputError
        See `symgen.library.sources.sources_of`.
    """
    scalar = sources_of(module, precision)
    folder, _, unit = scalar.units[0].partition("/")
    defined = f"#define SYMGEN_LANES 2\n#define SYMGEN_ONLY {function.lanes}\n#define SYMGEN_FORM {_NUMBERS[form]}\n"
    text = f'{defined}{_DEFINED[form]}#include "{unit}"\n'
    path = f"{folder}/lanes.c"
    return ModuleSources(
        name=f"{scalar.name}_{form}_{function.lanes}",
        cdef=status_declaration() + _DECLARED.format(form=form),
        header=scalar.header,
        units=(path,),
        include=scalar.include,
        files=(*scalar.files, SourceFile(path, text.encode())),
        preamble=_entries(function, precision, form),
    )


def _entries(function: Function, precision: str, form: Form) -> str:
    """Return the C of the entry, and of the scalar function's place, which calls it by its address."""
    symbol = function.symbol[precision]
    types = [_type(port, precision) for port in function.ports]
    parameters = ", ".join(f"{kind}p{k}" for k, kind in enumerate(types))
    arguments = ", ".join(f"p{k}" for k in range(len(types)))
    call = (_call_of_rows if form == "rows" else _call_of_columns)(function, precision)
    return f"""
static symgen_status (*scalar)({", ".join(types)});
static void scalar_is(void *function) {{ *(void **)&scalar = function; }}
symgen_status {symbol}({parameters}) {{ return scalar({arguments}); }}
static int32_t {form}_in_lanes(int32_t n, void *const *table)
{{
    return (int32_t){symbol}_{call};
}}
"""


def _call_of_rows(function: Function, precision: str) -> str:
    rows = [f"({pointer(port, precision)})table[{k}]" for k, port in enumerate(function.ports)]
    return f"batch(n, {', '.join(rows)}, (int32_t *)table[{len(rows)}])"


def _call_of_columns(function: Function, precision: str) -> str:
    given = sum(port.size for port in function.inputs if port.kind == "real")
    chosen = sum(port.size for port in function.inputs if port.kind == "int")
    found = sum(port.size for port in function.outputs)
    return (
        f"columns(n, (const {precision} *const *)table, (const int32_t *const *)(table + {given}),\n"
        f"        ({precision} *const *)(table + {given + chosen}), NULL, (int32_t *)table[{given + chosen + found}])"
    )


def _type(port: ManifestPort, precision: str) -> str:
    kind = "int32_t " if port.kind == "int" else f"{precision} "
    if port.direction == "in":
        return f"const {kind}*" if port.shape else kind
    return f"{kind}*"
