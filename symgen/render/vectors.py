"""What templates see of the functions of vectors: their C header, and the NumPy ones that a module calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from symgen.emit.vector_functions import c_parameters, c_value, called_in_numpy, numpy_value
from symgen.printers.vector_functions import FIELDS, TYPES, VECTOR_FUNCTIONS, VectorFunction

_MEANINGS = {2: "A vector in the plane.", 3: "A vector in space.", 4: "A quaternion."}


@dataclass(frozen=True)
class VectorTypeView:
    """A type of vector in C: its fields, declared; names of what takes it from an array, puts it there, adds it up."""

    name: str
    meaning: str
    fields: str
    size: int
    take: str
    taken: str
    put: str
    assignments: tuple[str, ...]
    add_up: str
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
    return tuple(map(_numpy_view, called_in_numpy(bodies)))


def _type_view(size: int) -> VectorTypeView:
    fields, name = FIELDS[size], TYPES[size]
    return VectorTypeView(
        name=name,
        meaning=_MEANINGS[size],
        fields=" ".join(f"real {field};" for field in fields),
        size=size,
        take=f"{name}_at",
        taken=f"{{{', '.join(f'array[{k}]' for k in range(size))}}}",
        put=f"put_{name}",
        assignments=tuple(f"array[{k}] = u.{field};" for k, field in enumerate(fields)),
        add_up=f"{name}_total",
        total=" + ".join(f"u.{field}" for field in fields),
    )


def _function_view(function: VectorFunction) -> VectorFunctionView:
    return VectorFunctionView(
        name=function.name,
        meaning=_sentence(function.meaning),
        parameters=c_parameters(function),
        result=TYPES[function.size] if function.size else "real",
        value=c_value(function),
        is_number=not function.size,
    )


def _numpy_view(function: VectorFunction) -> NumPyVectorFunctionView:
    return NumPyVectorFunctionView(
        name=f"_{function.name}",
        meaning=_sentence(function.meaning),
        parameters=", ".join(name for name, _ in function.arguments),
        value=numpy_value(function),
    )


def _sentence(text: str) -> str:
    return f"{text[0].upper() if text[1:2] not in ' _' else text[0]}{text[1:]}."
