"""The summary of ``symgen solve`` for people."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from symgen.status import Status

if TYPE_CHECKING:
    from rich.console import Console

    from symgen.solve.result import GroupTrack, MotionResult

_MOST_ROWS = 200


def print_result(result: MotionResult, seconds: float, written: Sequence[Path], *, error_stream: bool = False) -> None:
    """Print groups with branches and statuses, the time it took, and the files written.

    Parameters
    ----------
    error_stream : print on standard error, because standard output holds the CSV.
    """
    from symgen.cli.console import table_console

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
    for path in written:
        console.print(f"written: {path}")
    if not written and not error_stream:
        console.print("nothing was written; --output FILE.csv keeps the motion, --animate FILE.html shows it")


def print_groups(console: Console, groups: Sequence[GroupTrack]) -> None:
    """Print a table of groups; without a terminal it takes the room it needs and nothing is cut off."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("group", "level"):
        table.add_column(title, justify="right", no_wrap=True)
    for title in ("bodies", "signature", "solver", "branch", "statuses"):
        table.add_column(title, overflow="fold")
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
        table.add_row(*map(Text, cells))
    console.print()
    console.print(table)
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
