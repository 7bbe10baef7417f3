"""The tables of one mechanism for the dynamics engine: the C file ``problem.h`` with sizes, tree, joints, forces.

As constants they make an engine for one mechanism, which is exported; as data they are handed to an engine that was
compiled for the shape of the mechanism, so that other masses, dimensions or springs need no compiler.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.simulate.tables.laws import laws_in_c
from symgen.simulate.tables.problem import Problem

_WIDTH = 120


def problem_header(problem: Problem) -> str:
    """Return the text of ``problem.h`` for one mechanism: sizes, constant tables, laws."""
    lines = _sizes(problem)
    for name, table in problem.integers.items():
        lines += table_lines("int32_t", name, table, str)
    for name, numbers in problem.numbers.items():
        lines += table_lines("double", name, numbers, plain_number)
    return "\n".join([*lines, *_laws(laws_in_c(problem.laws))])


@dataclass(frozen=True)
class TablesAsData:
    """The tables of a mechanism apart from the engine's code, which then fits every mechanism of the same shape.

    Parameters
    ----------
    header : the text of ``problem.h``: sizes, room for the tables, `DECLARATION`, laws without their numbers.
    integers, numbers : what goes into the tables, one after the other.
    """

    header: str
    integers: NDArray[np.int32]
    numbers: NDArray[np.float64]


#: Of the function that fills the tables of a compiled engine.
DECLARATION = "void symgen_set_tables(const int32_t *integers, const double *numbers);"


def tables_as_data(problem: Problem) -> TablesAsData:
    """Return the tables of a problem as data, and the text that takes them."""
    constants: list[float] = []

    def constant(value: float) -> str:
        constants.append(value)
        return f"LAW_NUMBER[{len(constants) - 1}]"

    laws = laws_in_c(problem.laws, constant)
    numbers = {name: each + 0.0 for name, each in problem.numbers.items()}  # zeros without a sign, as in the text
    numbers["LAW_NUMBER"] = np.array(constants, dtype=np.float64)
    tables: list[tuple[str, str, NDArray[Any]]] = [("int32_t", name, each) for name, each in problem.integers.items()]
    tables += [("double", name, each) for name, each in numbers.items()]
    lines = ["#include <string.h>", "", *_sizes(problem)]
    lines += [f"static {kind} {name}{_shape(each)};" for kind, name, each in tables]
    lines += ["", DECLARATION, "", DECLARATION.removesuffix(";"), "{"]
    for kind, source in (("int32_t", "integers"), ("double", "numbers")):
        first = 0
        for own, name, each in tables:
            if own == kind:
                lines.append(f"    memcpy({name}, {source} + {first}, sizeof {name});")
                first += _filled(each).size
    return TablesAsData(
        "\n".join([*lines, "}", *_laws(laws)]),
        _joined(list(problem.integers.values()), np.dtype(np.int32)),
        _joined(list(numbers.values()), np.dtype(np.float64)),
    )


def _sizes(problem: Problem) -> list[str]:
    """Return the first lines: what the text is, and the sizes."""
    lines = ["/* One mechanism for the dynamics engine: sizes, tables, laws. Bodies in the order of its tree. */"]
    lines += ['#include "symgen_math.h"', ""]
    return [*lines, *(f"#define {name} {value}" for name, value in problem.sizes.items()), ""]


def _laws(body: Sequence[str]) -> list[str]:
    """Return the lines of the function of time."""
    lines = ["", "/* The laws of drives and forces at a time. */", "static void find_laws(double t, double *law)", "{"]
    if not any(" t" in line or "(t" in line for line in body):
        lines.append("    (void)t;")
    if not body:
        lines.append("    (void)law;")
    return [*lines, *(f"    {line}" for line in body), "}", ""]


def _filled(values: NDArray[Any]) -> NDArray[Any]:
    """Return a table with at least one row: C has no empty arrays."""
    return values if values.size else np.zeros((1, *values.shape[1:]), dtype=values.dtype)


def _shape(values: NDArray[Any]) -> str:
    return "".join(f"[{size}]" for size in _filled(values).shape)


def _joined(tables: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.concatenate([np.zeros(0, dtype=dtype), *(_filled(each).reshape(-1).astype(dtype) for each in tables)])


def table_lines(kind: str, name: str, values: NDArray[Any], write: Callable[[Any], str]) -> list[str]:
    """Return the lines of one constant table; an empty one has a single zero, as C has no empty arrays."""
    array, shape = _filled(values), _shape(values)
    rows = array.reshape(1, -1) if array.ndim == 1 else array
    listed = [", ".join(write(value) for value in row) for row in rows.tolist()]
    text = listed if array.ndim == 1 else [f"{{{row}}}{',' * (k + 1 < len(listed))}" for k, row in enumerate(listed)]
    return [f"static const {kind} {name}{shape} = {{", *(line for row in text for line in wrapped(row)), "};"]


def plain_number(value: float) -> str:
    """Return a number as a C literal of the same value, zeros without a sign."""
    return repr(float(value) + 0.0)


def wrapped(text: str) -> list[str]:
    """Return the lines of listed numbers, none wider than the rest of the C."""
    return textwrap.wrap(
        text,
        _WIDTH - 4,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def initialised(head: str, values: Sequence[float]) -> list[str]:
    """Return the lines of a local array, on one if it fits."""
    text = ", ".join(plain_number(value) for value in values)
    line = f"    {head}[{len(values)}] = {{{text}}};"
    if len(line) <= _WIDTH:
        return [line]
    return [f"    {head}[{len(values)}] = {{", *(f"    {line}" for line in wrapped(text)), "    };"]
