"""The tables of one mechanism for the dynamics engine: the C file ``problem.h`` with sizes, tree, joints, forces.

As constants they make an engine for one mechanism, which is exported; as data they are handed to an engine that was
compiled for the shape of the mechanism, so that other masses, dimensions or springs need no compiler.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symgen.engine_tables import BY_NAME
from symgen.simulate.tables.laws import laws_in_c
from symgen.simulate.tables.mechanism_tables import Table
from symgen.simulate.tables.problem import Problem

_WIDTH = 120


def problem_header(problem: Problem) -> str:
    """Return the text of ``problem.h`` for one mechanism: sizes, constant tables, laws."""
    lines = _sizes(problem)
    for name, table in problem.tables.items():
        lines += table_lines(name, table)
    return "\n".join([*lines, *_laws(laws_in_c(problem.laws))])


@dataclass(frozen=True)
class TablesAsData:
    """The tables of a mechanism apart from the engine's code, which then fits every mechanism of the same shape.

    Parameters
    ----------
    header : the text of ``problem.h``: sizes, room for the tables, `DECLARATION`, laws without their numbers.
    rows : what goes into the tables, one after the other.
    """

    header: str
    rows: bytes


#: Of the function that fills the tables of a compiled engine.
DECLARATION = "void symgen_set_tables(const char *rows);"


def tables_as_data(problem: Problem) -> TablesAsData:
    """Return the tables of a problem as data, and the text that takes them."""
    constants: list[float] = []

    def constant(value: float) -> str:
        constants.append(value)
        return f"LAW_NUMBER[{len(constants) - 1}]"

    laws = laws_in_c(problem.laws, constant)
    tables = {**problem.tables, "LAW_NUMBER": np.array(constants, dtype=np.float64)}
    filled = {name: _filled(table) for name, table in tables.items()}
    lines = ["#include <string.h>", "", *_sizes(problem)]
    for name, table in filled.items():
        lines.append(f"static {_c_type(name, table)} {name}{_shape(table)};")
    lines += ["", "/* The caller lays rows out as this compiler does. */"]
    lines += [
        f"typedef char layout_of_{name.lower()}[sizeof({_c_type(name, table)}) == {table.itemsize} ? 1 : -1];"
        for name, table in filled.items()
        if table.dtype.names
    ]
    lines += ["", DECLARATION, "", DECLARATION.removesuffix(";"), "{"]
    first = 0
    for name, table in filled.items():
        lines.append(f"    memcpy({name}, rows + {first}, sizeof {name});")
        first += table.nbytes
    return TablesAsData("\n".join([*lines, "}", *_laws(laws)]), b"".join(_bytes(each) for each in filled.values()))


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


def _filled(table: Table) -> Table:
    """Return a table with at least one row: C has no empty arrays."""
    return table if table.size else np.zeros((1, *table.shape[1:]), dtype=table.dtype)


def _shape(table: Table) -> str:
    return "".join(f"[{size}]" for size in table.shape)


def _c_type(name: str, table: Table) -> str:
    if table.dtype.names:
        return BY_NAME[name].struct
    return "int32_t" if table.dtype.kind == "i" else "double"


def _bytes(table: Table) -> bytes:
    """Return the rows of a table; zeros have no sign, as in the text."""
    plain = table.copy()
    for part in [plain[name] for name in plain.dtype.names] if plain.dtype.names else [plain]:
        part += 0
    return plain.tobytes()


def table_lines(name: str, table: Table) -> list[str]:
    """Return the lines of one constant table; an empty one has a single zero, as C has no empty arrays."""
    array = _filled(table)
    alone = array.ndim == 1 and not array.dtype.names
    listed = [_value(value) for value in array.tolist()]
    text = [", ".join(listed)] if alone else [f"{row}{',' * (k + 1 < len(listed))}" for k, row in enumerate(listed)]
    lines = [line for row in text for line in wrapped(row)]
    return [f"static const {_c_type(name, array)} {name}{_shape(array)} = {{", *lines, "};"]


def _value(value: Any) -> str:
    """Return an entry of a table in C: a number, or a row of several."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return plain_number(value)
    return f"{{{', '.join(map(_value, value))}}}"


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
