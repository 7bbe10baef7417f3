"""What templates see of the functions of vectors: their C header, and the NumPy ones that a module calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.algebra import Expr, symbol
from symgen.algebra.vector_forms import components_of, in_components
from symgen.emit.folding import INDENT, broken, enclosed
from symgen.printers.c99 import C99Printer
from symgen.printers.numpy import NumPyPrinter
from symgen.printers.vector_functions import FIELDS, TYPES, VECTOR_FUNCTIONS, VectorFunction

_WIDTH = 110
_MEANINGS = {2: "A vector in the plane.", 3: "A vector in space.", 4: "A quaternion."}


@dataclass(frozen=True)
class VectorTypeView:
    """A type of vector in C: its fields, what they are in an array, how they are put there, their sum."""

    name: str
    meaning: str
    fields: str
    size: int
    taken: str
    put: tuple[str, ...]
    total: str


@dataclass(frozen=True)
class VectorFunctionView:
    """A function of vectors in C: `result` is its type, `value` what it returns."""

    name: str
    meaning: str
    parameters: str
    result: str
    value: str
    is_number: bool


@dataclass(frozen=True)
class VectorHeaderView:
    """The common header of what is calculated in vectors."""

    preamble: tuple[str, ...]
    types: tuple[VectorTypeView, ...]
    functions: tuple[VectorFunctionView, ...]


@dataclass(frozen=True)
class NumPyVectorFunctionView:
    """A function of vectors in NumPy."""

    name: str
    meaning: str
    parameters: str
    value: str


def vector_header_view() -> VectorHeaderView:
    """Return the view of the common header."""
    return VectorHeaderView((), tuple(map(_type_view, FIELDS)), tuple(map(_function_view, VECTOR_FUNCTIONS)))


def numpy_vector_functions(bodies: Sequence[str]) -> tuple[NumPyVectorFunctionView, ...]:
    """Return the functions of vectors that bodies in NumPy call."""
    return tuple(
        _numpy_view(function) for function in VECTOR_FUNCTIONS if any(f"_{function.name}(" in body for body in bodies)
    )


def _type_view(size: int) -> VectorTypeView:
    fields = FIELDS[size]
    return VectorTypeView(
        name=TYPES[size],
        meaning=_MEANINGS[size],
        fields=", ".join(fields),
        size=size,
        taken=f"{{{', '.join(f'array[{k}]' for k in range(size))}}}",
        put=tuple(f"array[{k}] = u.{field};" for k, field in enumerate(fields)),
        total=" + ".join(f"u.{field}" for field in fields),
    )


def _components(function: VectorFunction) -> dict[str, tuple[Expr, ...]]:
    return {
        name: tuple(symbol(f"{name}_{field}") for field in FIELDS[size]) for name, size in function.arguments if size
    }


def _values(function: VectorFunction) -> tuple[Expr, ...]:
    """Return the result in components."""
    known = _components(function)
    return components_of(function.form, known) if function.size else (in_components(function.form, known),)


def _function_view(function: VectorFunction) -> VectorFunctionView:
    fields = [(n, field) for n, size in function.arguments if size for field in FIELDS[size]]
    names = {f"{name}_{field}": f"{name}.{field}" for name, field in fields}
    printer = C99Printer(names, {name: k for k, name in enumerate(names)}, "either")
    texts = [printer.print_expression(value) for value in _values(function)]
    value = f"{{{', '.join(texts)}}}" if function.size else texts[0]
    parameters = (f"{TYPES[size] if size else 'real'} {name}" for name, size in function.arguments)
    return VectorFunctionView(
        name=function.name,
        meaning=_sentence(function.meaning),
        parameters=", ".join(parameters),
        result=TYPES[function.size] if function.size else "real",
        value=f"\n{INDENT}".join(broken(value, _WIDTH - 30)),
        is_number=not function.size,
    )


def _numpy_view(function: VectorFunction) -> NumPyVectorFunctionView:
    fields = [(n, k, field) for n, size in function.arguments if size for k, field in enumerate(FIELDS[size])]
    names = {f"{name}_{field}": f"{name}[{k}]" for name, k, field in fields}
    printer = NumPyPrinter(names, {name: k for k, name in enumerate(names)})
    texts = [printer.print_expression(value) for value in _values(function)]
    text = f"return np.array([{', '.join(texts)}])" if function.size else f"return {texts[0]}"
    lines = [text] if len(text) <= _WIDTH else enclosed("return np.array", [f"[{', '.join(texts)}]"], "", _WIDTH)
    return NumPyVectorFunctionView(
        name=f"_{function.name}",
        meaning=_sentence(function.meaning),
        parameters=", ".join(name for name, _ in function.arguments),
        value=f"\n{INDENT}".join(lines),
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper() if text[1:2] not in ' _' else text[0]}{text[1:]}."
