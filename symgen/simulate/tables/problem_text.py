"""The tables of one mechanism for the dynamics engine: the C file ``problem.h`` with sizes, tree, joints, forces.

As constants they make an engine for one mechanism, which is exported; as data they are handed to an engine that has
room for them (`symgen.simulate.tables.shapes`), so that another mechanism needs no compiler.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.build.recipe import FileOnDemand, digest
from symgen.engine_tables import BY_NAME, LISTS
from symgen.render.problem import PROBLEM_TEMPLATE, DataTableView, LayoutView, ProblemView, SizeView
from symgen.resources import source_path, templates_folder
from symgen.simulate.tables.law_rows import laws_in_rows
from symgen.simulate.tables.laws import laws_in_c
from symgen.simulate.tables.mechanism_tables import Table
from symgen.simulate.tables.problem import Problem
from symgen.simulate.tables.shapes import FIXED, MOST_AT_ONCE, UNUSED, common_room

_WIDTH = 120


def problem_header(problem: Problem) -> str:
    """Return the text of ``problem.h`` for one mechanism: sizes, constant tables, laws."""
    lines = _sizes(problem)
    for name, table in problem.tables.items():
        lines += table_lines(name, table)
    return "\n".join([*lines, *_laws(laws_in_c(problem.laws))])


@dataclass(frozen=True)
class TablesAsData:
    """The tables of a mechanism apart from the engine's code, which then fits every mechanism that it has room for.

    Parameters
    ----------
    view : of ``problem.h``: room for the tables, `DECLARATION`; see `header_of`.
    sizes : how many there are of everything, in the order of the text.
    rows : what goes into the tables, one after the other.
    """

    view: ProblemView
    sizes: NDArray[np.int32]
    rows: bytes


#: Of the function that fills the tables of a compiled engine.
DECLARATION = "void symgen_set_tables(const int32_t *sizes, const char *rows);"
#: Tables of numbers alone -> how many rows they have.
_ROWS_OF_LISTS = {each.name: each.rows for each in LISTS}


def tables_as_data(
    problem: Problem,
    more: Mapping[str, Table] | None = None,
    sizes: Mapping[str, int] | None = None,
    *,
    common: bool = True,
) -> TablesAsData:
    """Return the tables of a problem as data, and what takes them.

    Parameters
    ----------
    more, sizes : tables beside those of the problem, and their sizes.
    common : whether an engine may serve that has room for more than this mechanism.
    """
    laws = laws_in_rows(problem.laws)
    tables = {**problem.tables, **(more or {})}
    tables |= {"LAW_RUN": laws.runs, "LAW_STEP": laws.steps, "LAW_VALUE": laws.values, "LAW_RESULT": laws.results}
    every = {**problem.sizes, **(sizes or {}), "LAW_RUNS": len(laws.runs), "LAW_STEPS": len(laws.steps)}
    every["LAW_VALUES"] = len(laws.values)
    room = common_room(every) if common else None
    if room is not None and "AT_ONCE" in every:
        every["AT_ONCE"] = MOST_AT_ONCE
    given = tuple(name for name in every if room is not None and name not in (*FIXED, *UNUSED))
    views = []
    for name, table in tables.items():
        counted = BY_NAME[name].rows if name in BY_NAME else _ROWS_OF_LISTS[name]
        if counted is not None and len(table) != every[counted]:
            raise ValueError(f"{name} has {len(table)} rows instead of {every[counted]}")
        if room is None or counted is None:
            shape, filled = _shape(_filled(table)), f"sizeof {name}"
        else:
            shape, filled = f"[ROOM_{counted}]", f"(size_t){counted}*sizeof {name}[0]"
        views.append(DataTableView(name, _c_type(name, table), shape, filled))
    view = ProblemView(
        fixed=tuple(SizeView(name, value) for name, value in every.items() if name not in (*given, *UNUSED)),
        room=tuple(SizeView(f"ROOM_{name}", max(1, most)) for name, most in (room or {}).items()),
        given=given,
        tables=tuple(views),
        layouts=tuple(
            LayoutView(f"layout_of_{name.lower()}", _c_type(name, table), table.itemsize)
            for name, table in tables.items()
            if table.dtype.names
        ),
        declaration=DECLARATION,
        head=DECLARATION.removesuffix(";"),
    )
    data = tables.values() if room is not None else map(_filled, tables.values())
    return TablesAsData(
        view, np.array([every[name] for name in given] or [0], dtype=np.int32), b"".join(map(_bytes, data))
    )


def header_of(view: ProblemView, path: str) -> FileOnDemand:
    """Return ``problem.h`` for tables as data; its template is filled only where an engine is compiled."""

    def write() -> str:
        from symgen.render.environment import render

        return render(PROBLEM_TEMPLATE, view)

    template = templates_folder().joinpath(*PROBLEM_TEMPLATE.split("/")).read_bytes()
    options = source_path("symgen.render.environment").read_bytes()  # of Jinja, which is not needed for it
    return FileOnDemand(path, digest([template, options, repr(view).encode()]).encode(), write)


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
