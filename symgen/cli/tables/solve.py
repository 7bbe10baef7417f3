"""The summary of ``symgen solve`` for people."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symgen.cli.tables.table import numbers, print_table, texts
from symgen.status import Status

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.solve.result import GroupTrack, MotionResult

_MOST_ROWS = 200


def print_result(result: MotionResult, seconds: float, *, error_stream: bool = False) -> None:
    """Print groups with branches and statuses, and the time it took.

    Parameters
    ----------
    error_stream : print on standard error, because standard output holds the CSV.
    """
    from symgen.cli.terminal.console import table_console

    stream = sys.stderr if error_stream else sys.stdout
    console = table_console(stream)
    console.print(
        f"{result.mechanism.name}: {len(result.times)} times from {result.times[0]:g} s to {result.times[-1]:g} s"
    )
    print_groups(console, result.groups)
    words = ", ".join(f"{status.name} {count}" for status, count in result.counts().items())
    console.print(f"statuses: {words}", style="green" if result.ok else "red")
    console.print(f"took {seconds:.3g} s, loading (and on first use compiling) the solvers included")
    for note in result.notes:
        console.print(f"note: {note}")


def print_groups(console: Console, groups: Sequence[GroupTrack]) -> None:
    """Print a table of groups."""
    rows = []
    for group in groups[:_MOST_ROWS]:
        cells = (
            str(group.number),
            str(group.level),
            ", ".join(group.bodies),
            group.signature,
            group.module,
            _branches(group),
            _words(group.counts()),
        )
        rows.append(cells)
    console.print()
    print_table(
        console, [*numbers("group", "level"), *texts("bodies", "signature", "solver", "branch", "statuses")], rows
    )
    console.print()
    if len(groups) > _MOST_ROWS:
        console.print(f"... and {len(groups) - _MOST_ROWS} more groups; --json lists all.")


def _branches(group: GroupTrack) -> str:
    """Return the branches that the group is on, in the order in which it comes to them."""
    if group.branches == 1:
        return "-"
    taken = dict.fromkeys(int(branch) for branch in group.branch_rows if branch >= 0)
    return f"{', '.join(map(str, taken)) or 'unknown'} of {group.branches}"


def _words(counts: Mapping[Status, int]) -> str:
    return ", ".join(f"{status.name} {count}" for status, count in counts.items())
