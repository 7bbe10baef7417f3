"""Names, parameters and arguments of a routine in C."""

from __future__ import annotations

from collections.abc import Collection

from symgen.ir.nodes import (
    LoopAssemblies,
    Port,
    Routine,
)
from symgen.naming import check_identifier
from symgen.printers.c99 import Precision


def c_symbol(module: str, routine: Routine, precision: Precision) -> str:
    """Return the external name of a routine."""
    return f"symgen{'f' if precision == 'float' else ''}_{check_identifier(module)}_{routine.name}"


def solver_name(routine: Routine) -> str:
    """Return the name of the function inside that trusts its arguments."""
    return f"solve_{routine.name}"


def search_name(found: LoopAssemblies) -> str:
    """Return the name of the function that finds the assemblies of a loop."""
    return found.parts.closure.name.replace("_closure", "_assemblies")


def c_tolerance(name: str) -> str:
    """Return the macro of a tolerance."""
    return f"SYMGEN_{name}"


def parameter_name(port: Port) -> str:
    """Return the parameter's name; a scalar result is written through a pointer, which needs a name of its own."""
    return f"{port.name}_out" if port.direction == "out" and port.shape == () else port.name


def is_vector(port: Port) -> bool:
    """Tell whether a port's elements are just its components, which read well as `a[0]`."""
    return port.elements == tuple(f"{port.name}_{axis}" for axis in "xyz"[: len(port.elements)])


def array_name(port: Port, vectors: Collection[str]) -> str:
    """Return the name of a parameter in the function inside, where a vector may have that of the port."""
    if port.shape and port.name in vectors:
        return f"{port.name}_{port.direction}"
    return parameter_name(port)


def declared_inside(port: Port, real: str, vectors: Collection[str]) -> str:
    """Return the declaration of a parameter of the function inside."""
    text = declared(port, real)
    if port.shape and port.name in vectors:
        return text.replace(f"{port.name}[", f"{array_name(port, vectors)}[")
    return text


def declared(port: Port, real: str) -> str:
    """Return the declaration of a parameter."""
    if port.kind == "int":
        if port.direction == "out":
            return f"int32_t *{parameter_name(port)}"
        return f"const int32_t {port.name}[{port.shape[0]}]" if port.shape else f"int32_t {port.name}"
    if port.direction == "in":
        return f"const {real} {port.name}[{port.shape[0]}]" if port.shape else f"{real} {port.name}"
    return f"{real} {port.name}[{port.shape[0]}]" if port.shape else f"{real} *{parameter_name(port)}"


def declared_batch(port: Port, real: str) -> str:
    """Return the declaration of a parameter of the batch twin."""
    if port.kind == "int":
        return f"int32_t *{parameter_name(port)}" if port.direction == "out" else f"const int32_t *{port.name}"
    return f"const {real} *{port.name}" if port.direction == "in" else f"{real} *{parameter_name(port)}"


def batch_argument(port: Port) -> str:
    """Return what the batch twin hands on in a row."""
    if port.shape and port.shared:
        return port.name
    if port.shape:
        return f"{port.name} + {port.shape[0]}*row" if port.shape[0] > 1 else f"{port.name} + row"
    return f"{port.name}[row]" if port.direction == "in" else f"{parameter_name(port)} + row"


def as_argument(port: Port) -> str:
    """Return an input as `argument`: where it begins and how many it has."""
    return f"{{{port.name}, {port.shape[0]}}}" if port.shape else f"{{&{port.name}, 1}}"
