"""The tables of one mechanism for the dynamics engine: the C file ``problem.h`` with sizes, tree, joints, forces."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symgen.simulate.laws import laws_in_c
from symgen.simulate.problem import Problem

_WIDTH = 120


def problem_header(problem: Problem) -> str:
    """Return the text of ``problem.h``."""
    lines = ["/* One mechanism for the dynamics engine: sizes, tables, laws. Bodies in the order of its tree. */"]
    lines += ['#include "symgen_math.h"', ""]
    lines += [f"#define {name} {value}" for name, value in problem.sizes.items()]
    lines.append("")
    for name, table in problem.integers.items():
        lines += table_lines("int32_t", name, table, str)
    for name, numbers in problem.numbers.items():
        lines += table_lines("double", name, numbers, plain_number)
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
