"""The table of ``symgen transform`` for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from symgen.cli.tables.counts import count
from symgen.cli.tables.table import numbers, print_table, texts
from symgen.model.nearest import list_names

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.topology.transformations.records import RankedChoice, Transformations


def print_transformations(result: Transformations, limit: int, *, singular_too: bool) -> None:
    """Print what was looked at, the best, the first rows, and the present inputs beside them.

    Parameters
    ----------
    limit : number of rows.
    singular_too : singular choices are among the rows; tell them from the regular ones.
    """
    from symgen.cli.terminal.console import table_console

    console = table_console()
    console.print(f"{result.mechanism}: {result.space}, {count(result.inputs, 'freedom')} to drive")
    for line in _summary(result):
        console.print(line)
    if not result.choices:
        console.print(f"no choice is left to rank: {result.reason}", style="red")
        return
    _print_rows(console, result, limit, singular_too)
    console.print(_comparison(result))


def inputs_text(inputs: Mapping[str, int]) -> str:
    """Return driven joints separated by commas, with the number of freedoms where it is not one."""
    return ", ".join(joint if w == 1 else f"{joint}={w}" for joint, w in inputs.items()) or "none"


def _summary(result: Transformations) -> list[str]:
    vectors = f"{count(result.vectors, 'way')} to choose them"
    if result.method == "search":
        return [
            f"{vectors}; too many valid choices to examine all: an exchange search from several starts found "
            f"{count(result.valid, 'local optimum', 'local optima')}, not proved to be the best"
        ]
    lines = [f"{vectors}; by count {result.valid} fix every body, {result.regular} of them for almost every geometry"]
    if result.narrowed:
        lines.append(
            f"{count(result.ranked, 'choice')} ranked, in {count(result.classes, 'class', 'classes')} under the "
            "symmetries of the stored run, which had fewer preferences"
        )
    elif result.classes < result.ranked:
        lines.append(f"{count(result.ranked, 'choice')} ranked, {result.classes} that differ by more than a symmetry")
    return lines


def _print_rows(console: Console, result: Transformations, limit: int, singular_too: bool) -> None:
    columns = [
        *numbers("row"),
        *texts("inputs"),
        *numbers("groups", "largest", "levels", "solved", "alike", *(("regular",) if singular_too else ())),
        *texts(""),
    ]
    rows = list(result.choices[:limit])
    left = result.classes - len(rows)
    cells: list[tuple[str, ...]] = [_cells(row, singular_too) for row in rows]
    styles = ["green" if row.is_current else None for row in rows]
    if result.current is not None and not any(row.is_current for row in rows):
        cells += [("...", *[""] * (len(columns) - 1)), _cells(result.current, singular_too)]
        styles += [None, "green"]
        left -= result.current.number is not None
    console.print()
    print_table(console, columns, cells, styles=styles)
    console.print()
    if left > 0:
        console.print(f"{left} more rows; --limit N shows more, --json has the signatures of the groups")


def _cells(row: RankedChoice, singular_too: bool) -> tuple[str, ...]:
    return (
        "-" if row.number is None else str(row.number),
        inputs_text(row.inputs),
        str(row.groups),
        str(row.largest),
        str(row.levels),
        "-" if row.solved is None else f"{row.solved} of {row.groups}",
        str(row.alike),
        *((("yes" if row.regular else "no"),) if singular_too else ()),
        "present inputs" if row.is_current else "",
    )


def _comparison(result: Transformations) -> str:
    best, now = result.choices[0], result.current
    text = f"best by {', '.join(result.by)}: {_figures(best)} ({count(result.best, 'choice')})"
    if now is None:
        return f"{text}; the present inputs do not fix every body, see `symgen analyse`"
    if now.number == 1:
        return f"{text}; the present inputs are one of the best"
    if not now.regular:
        return f"{text}; the present inputs are singular for every geometry: {_figures(now)}"
    place = f"row {now.number}" if now.number is not None else "not among the choices ranked"
    return f"{text}; the present inputs: {_figures(now)} ({place})"


def _figures(row: RankedChoice) -> str:
    figures = f"{count(row.groups, 'group')}, the largest of {count(row.largest, 'body', 'bodies')}"
    if row.solved is None:
        return figures
    unsolved = f" (not {list_names(row.unsolved)})" if row.unsolved else ""
    return f"{figures}, {row.solved} solved{unsolved}"
