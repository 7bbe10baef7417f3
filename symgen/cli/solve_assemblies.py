"""``symgen solve MECH --assemblies`` and ``--all-branches``: every way to put a mechanism together."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.terminal.files import write_whole
from symgen.errors import InputError
from symgen.status import MEANING, Status

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from symgen.library.open import Library
    from symgen.model.mechanism import Mechanism
    from symgen.solve.assemblies import Assemblies, Assembly
    from symgen.solve.branches import Choice
    from symgen.solve.result import MotionResult
    from symgen.solve.walk import Progress

_EXIT_NO = 1
_MOST_ROWS = 200


def list_assemblies(
    mechanism: Mechanism,
    time: float,
    library: Library,
    most: int | None,
    branch: Choice,
    progress: Progress,
    picture: Path | None,
    *,
    as_json: bool,
) -> None:
    """Print all assemblies at one time and draw them; exit status 1 if there is none."""
    from symgen.solve.assemblies import MOST, assemblies

    found = assemblies(mechanism, time, branch=branch, library=library, most=most or MOST, progress=progress)
    if as_json:
        click.echo(json.dumps(found.to_dict(), allow_nan=False))
    else:
        _print(found)
    if not found:
        click.echo(f"there is no assembly at t = {time:g} s: {MEANING[found.reason]}", err=True)
        raise SystemExit(_EXIT_NO)
    if picture is not None:
        from symgen.cli.terminal.files import tell_written, write_text
        from symgen.draw.assemblies_svg import assemblies_svg

        write_text(picture, assemblies_svg(found))
        tell_written(picture)


def one_assembly(mechanism: Mechanism, time: float, library: Library, most: int | None, number: int) -> Assembly:
    """Return an assembly by its number in the list."""
    from symgen.solve.assemblies import MOST, assemblies

    found = assemblies(mechanism, time, library=library, most=most or MOST)
    if number > len(found):
        count = f"{len(found)} assembl{'y' if len(found) == 1 else 'ies'}"
        raise InputError(f"--assembly {number}: there are {count} at t = {time:g} s; --assemblies lists them")
    return found[number - 1]


def _print(found: Assemblies) -> None:
    from symgen.cli.tables.assembly_places import telling_places
    from symgen.cli.tables.table import Column, numbers, print_table, texts
    from symgen.cli.terminal.console import table_console

    console = table_console(sys.stdout)
    count = len(found)
    console.print(f"{found.mechanism.name}: {count} assembl{'y' if count == 1 else 'ies'} at t = {found.time:g} s")
    searched = [name for name, search in zip(found.groups, found.searched, strict=True) if search]
    if searched:
        console.print(
            f"found by a search from many starts, so there may be more (complete: false): {'; '.join(searched)}",
            highlight=False,
            soft_wrap=True,
        )
    several = [k for k, branches in enumerate(found.counts) if branches > 1]
    places = telling_places(found)
    columns = [
        *numbers("assembly"),
        *texts("branches of groups " + ", ".join(str(k + 1) for k in several), "status"),
        *(Column(f"{name} [m]") for name, _ in places),
    ]
    rows = []
    for number, each in enumerate(found.every[:_MOST_ROWS]):
        words = each.status.name + (f" (group {', '.join(map(str, each.singular))})" if each.singular else "")
        branches = ", ".join(str(each.branches[k]) for k in several) or "-"
        rows.append((each.number, branches, words, *(shown[number] for _, shown in places)))
    console.print()
    if count:
        print_table(console, columns, rows)
        console.print()
    if count > _MOST_ROWS:
        console.print(f"... and {count - _MOST_ROWS} more; --json lists all.")
    for name, ended, reason in zip(found.groups, found.ended, found.reasons, strict=True):
        if ended:
            words = "none or infinitely many solutions" if reason is Status.DEGENERATE else "no real solution"
            console.print(f"{name}: {words} for {ended} of the assemblies of the groups before it")


def solve_all_branches(
    mechanism: Mechanism,
    times: NDArray[np.float64],
    library: Library,
    most: int | None,
    branch: Choice,
    targets: Mapping[str, Path],
    progress: Progress,
    *,
    as_json: bool,
) -> None:
    """Follow every assembly; write a file for each, its number before the suffix. Exit status 1 if a time fails."""
    from symgen.cli.terminal.files import tell_written
    from symgen.solve.assemblies import follow_assemblies

    if "--plot" in targets:
        raise InputError("--all-branches writes --output and --animate for each assembly, not --plot")
    motions: list[dict[str, object]] = []
    failures: list[str] = []
    following = follow_assemblies(mechanism, times, branch=branch, library=library, most=most or 64, progress=progress)
    for assembly, result in following:
        for option, path in targets.items():
            tell_written(_write(result, option, path, assembly.number))
        failure = result.first_failure()
        if failure is not None:
            failures.append(f"assembly {assembly.number}: {failure}")
        if as_json:
            motions.append({"number": assembly.number, "branches": list(assembly.branches), "motion": result.to_dict()})
        else:
            counts = ", ".join(f"{status.name} {count}" for status, count in result.counts().items())
            click.echo(f"assembly {assembly.number}, branches {', '.join(map(str, assembly.branches))}: {counts}")
            for note in result.notes:
                click.echo(f"  note: {note}")
    if as_json:
        click.echo(json.dumps({"schema": "symgen/motions/1", "motions": motions}, allow_nan=False))
    if failures:
        for line in failures:
            click.echo(f"first failure of {line}", err=True)
        raise SystemExit(_EXIT_NO)


def _write(result: MotionResult, option: str, path: Path, number: int) -> Path:
    from symgen.cli.terminal.files import write_text
    from symgen.solve.document import write_csv

    target = path.with_name(f"{path.stem}-{number}{path.suffix}")
    if option == "--animate":
        from symgen.draw.animate import animate

        write_text(target, animate(result, target.suffix.lower()))
    else:
        write_whole(target, lambda stream: write_csv(result, stream))
    return target
