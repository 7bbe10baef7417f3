"""The functions of vectors as texts of C and NumPy: each made of what it means in components."""

from __future__ import annotations

from collections.abc import Sequence

from symgen.emit.folding import INDENT, broken, enclosed
from symgen.printers.c99 import C99Printer
from symgen.printers.numpy import NumPyPrinter
from symgen.printers.vector_functions import FIELDS, TYPES, VECTOR_FUNCTIONS, VectorFunction

_WIDTH = 110


def c_parameters(function: VectorFunction) -> str:
    """Return the parameters of a function in C."""
    return ", ".join(f"{TYPES[size] if size else 'real'} {name}" for name, size in function.arguments)


def c_value(function: VectorFunction) -> str:
    """Return what a function returns, in C."""
    fields = [(n, field) for n, size in function.arguments if size for field in FIELDS[size]]
    names = {f"{name}_{field}": f"{name}.{field}" for name, field in fields}
    printer = C99Printer(names, {name: k for k, name in enumerate(names)}, "either")
    texts = [printer.print_expression(value) for value in function.values]
    value = f"{{{', '.join(texts)}}}" if function.size else texts[0]
    return f"\n{2 * INDENT}".join(broken(value, _WIDTH - 30, ""))


def numpy_value(function: VectorFunction) -> str:
    """Return the statement that returns the value of a function, in NumPy."""
    fields = [(n, k, field) for n, size in function.arguments if size for k, field in enumerate(FIELDS[size])]
    names = {f"{name}_{field}": f"{name}[{k}]" for name, k, field in fields}
    printer = NumPyPrinter(names, {name: k for k, name in enumerate(names)})
    texts = [printer.print_expression(value) for value in function.values]
    text = f"return np.array([{', '.join(texts)}])" if function.size else f"return {texts[0]}"
    lines = [text] if len(text) <= _WIDTH else enclosed("return np.array", [f"[{', '.join(texts)}]"], "", _WIDTH)
    return f"\n{INDENT}".join(lines)


def called_in_numpy(bodies: Sequence[str]) -> tuple[VectorFunction, ...]:
    """Return the functions that bodies in NumPy call."""
    return tuple(each for each in VECTOR_FUNCTIONS if any(f"_{each.name}(" in body for body in bodies))
