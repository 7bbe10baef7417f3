"""The tables of one mechanism for the dynamics engine: the C file ``problem.h`` with sizes, tree, joints, forces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.simulate.laws import laws_in_c, literal
from symgen.simulate.problem import Problem

_MOST_COLUMNS = 10


def problem_header(problem: Problem) -> str:
    """Return the text of ``problem.h``."""
    lines = ["/* One mechanism for the dynamics engine: sizes, tables, laws. Bodies in the order of its tree. */", ""]
    lines += [f"#define {name} {value}" for name, value in problem.sizes.items()]
    lines.append("")
    for name, table in problem.integers.items():
        lines += table_lines("int32_t", name, table, str)
    for name, numbers in problem.numbers.items():
        lines += table_lines("double", name, numbers, literal)
    lines += ["", "/* The laws of drives and forces at a time. */", "static void find_laws(double t, double *law)", "{"]
    body = laws_in_c(problem.laws)
    if not any(" t" in line or "(t" in line for line in body):
        lines.append("    (void)t;")
    if not body:
        lines.append("    (void)law;")
    return "\n".join([*lines, *(f"    {line}" for line in body), "}", ""])


def table_lines(kind: str, name: str, values: NDArray[Any], write: Callable[[Any], str]) -> list[str]:
    """Return the lines of one constant table; an empty one has a single zero, as C has no empty arrays."""
    array = values if values.size else np.zeros((1, *values.shape[1:]), dtype=values.dtype)
    shape = "".join(f"[{size}]" for size in array.shape)
    if array.ndim == 1:
        rows = _wrapped([write(value) for value in array.tolist()])
    else:
        rows = [f"{{{', '.join(write(value) for value in row)}}}" for row in array.tolist()]
    return [f"static const {kind} {name}{shape} = {{", *_closed(rows), "};"]


def _wrapped(texts: Sequence[str]) -> list[str]:
    return [", ".join(texts[k : k + _MOST_COLUMNS]) for k in range(0, len(texts), _MOST_COLUMNS)]


def _closed(rows: Iterable[str]) -> list[str]:
    listed = list(rows)
    return [f"    {row}{',' if k + 1 < len(listed) else ''}" for k, row in enumerate(listed)]
