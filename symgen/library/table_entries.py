"""Entries that take their pointers in one table: two arguments from Python instead of twenty.

Converting a pointer costs Python about 10 ns, more than the mathematics of a small
group. Beside each batch function the wrapper therefore has

    static int32_t <symbol>_table(int32_t n, void *const *table)

with the pointers to inputs, outputs and status in call order.
"""

from __future__ import annotations

from symgen.library.manifest import Function, Manifest, ManifestPort


def table_name(function: Function, precision: str) -> str:
    """Return the name of the entry of a function."""
    return f"{function.symbol[precision]}_table"


def table_declarations(manifest: Manifest, precision: str) -> str:
    """Return the declarations of all entries, for cffi."""
    return "".join(f"{_head(function, precision)};\n" for function in manifest.functions)


def table_entries(manifest: Manifest, precision: str) -> str:
    """Return the definitions of all entries, in C."""
    return "".join(_entry(function, precision) for function in manifest.functions)


def _head(function: Function, precision: str) -> str:
    return f"int32_t {table_name(function, precision)}(int32_t n, void *const *table)"


def _entry(function: Function, precision: str) -> str:
    arguments = [f"({pointer(port, precision)})table[{index}]" for index, port in enumerate(function.ports)]
    arguments.append(f"(int32_t *)table[{len(function.ports)}]")
    call = f"{function.symbol[precision]}_batch(n, {', '.join(arguments)})"
    return f"static {_head(function, precision)}\n{{\n    return (int32_t){call};\n}}\n"


def pointer(port: ManifestPort, precision: str) -> str:
    """Return the type of what points to the rows of a port."""
    kind = "int32_t" if port.kind == "int" else precision
    return f"const {kind} *" if port.direction == "in" else f"{kind} *"
