"""What ``symgen simulate`` says when it is done: files, a summary for people, or one JSON document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click
import numpy as np

from symgen.cli.terminal.motion_files import STANDARD_OUTPUT, column_names, tell_files, write_motion
from symgen.errors import InputError
from symgen.model.nearest import nearest, show

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.simulate.results.records import Run
    from symgen.simulate.results.result import SimulationResult

_EXIT_NO = 1
_MOST_WARNINGS = 20


def check_columns(mechanism: Mechanism, columns: str | None, *, reactions: bool = False) -> None:
    """Refuse ``--columns`` that the result will not have, before the work.

    Parameters
    ----------
    reactions : the result will hold resultants and reactions.

    Raises
    ------
    InputError
        With the nearest name, or with the option that the column needs.
    """
    names = column_names(columns)
    if names is None:
        return
    from symgen.draw.plot_svg import check_names
    from symgen.simulate.articulated.beam_result import empty_result

    try:
        check_names(empty_result(mechanism, reactions=reactions), names)
    except InputError:
        if not reactions:
            _check_reactions(mechanism, names)
        raise


def _check_reactions(mechanism: Mechanism, names: Sequence[str]) -> None:
    """Refuse columns that there would be, or nearly would be, with ``--reactions``."""
    from symgen.draw.plot_svg import parts_of_names
    from symgen.simulate.articulated.beam_result import empty_result
    from symgen.solve.columns import columns

    known, more = (list(columns(empty_result(mechanism, reactions=each), every=True)) for each in (False, True))
    for name in [part for found in parts_of_names(names).values() for part in found]:
        meant = name if name in more else nearest(name, more)
        if name not in known and meant is not None and meant not in known:
            wrong = "" if meant == name else f"no column {show(name)}; did you mean "
            raise InputError(
                f"--columns: {wrong}{show(meant)}{'? It' * bool(wrong)} needs the reactions of joints, which are found "
                "only if they are asked for: add --reactions"
            )


def finish(
    result: SimulationResult,
    targets: Mapping[str, Path],
    *,
    columns: str | None = None,
    output: str | None = None,
    as_json: bool = False,
    every: bool = False,
    seconds: float | None = None,
    exit_status: int = _EXIT_NO,
) -> None:
    """Write files, print the summary or the document, and end with `exit_status` if the simulation ended half-way.

    Parameters
    ----------
    targets : as `symgen.cli.terminal.motion_files.motion_targets` returns them.
    columns, output : what the user gave with ``--columns`` and ``--output``.
    every : resultants and reactions are columns of the CSV too.
    seconds : that everything took, compiling included; for the summary.
    """
    from symgen.solve.columns import write_rows

    written = write_motion(result, targets, columns, lambda stream: write_rows(stream, result.table(every=every)))
    if output == STANDARD_OUTPUT:
        write_rows(sys.stdout, result.table(every=every))
    if as_json:
        # a table that went into a file is not printed again
        document = result.to_dict(rows="--output" not in targets)
        document["files"] = {option.removeprefix("--"): str(path) for option, path in targets.items()}
        click.echo(json.dumps(document, allow_nan=False))
    else:
        print_simulation(result, seconds=seconds, error_stream=output == STANDARD_OUTPUT)
    tell_files(written, output, as_json=as_json)
    if result.run.failure is not None:
        rows = len(result.times)
        kept = f"; the {rows} rows before it are kept" if rows > 1 else "; the row at the start is kept" if rows else ""
        click.echo(f"stopped {result.run.failure}{kept}", err=True)
        raise SystemExit(exit_status)


def print_simulation(result: SimulationResult, *, seconds: float | None = None, error_stream: bool = False) -> None:
    """Print how a motion was integrated and how well.

    Parameters
    ----------
    error_stream : print on standard error, because standard output holds the CSV.
    """
    from symgen.cli.tables.counts import count

    stream = sys.stderr if error_stream else sys.stdout
    span = f" from {result.times[0]:g} s to {result.times[-1]:g} s" if len(result.times) else ""
    print(f"{result.mechanism.name}: {count(len(result.times), 'time')}{span}\n", file=stream)
    facts = list(_facts(result, seconds))
    if stream.isatty():
        _print_table(facts, stream)
    else:  # without loading what draws tables on terminals
        width = max(len(name) for name, _ in facts)
        stream.writelines(f"{name:{width}}  {words}\n" for name, words in facts)
    print(file=stream)
    for warning in result.run.warnings[:_MOST_WARNINGS]:
        click.secho(f"warning: {warning}", fg="yellow", file=stream)
    if len(result.run.warnings) > _MOST_WARNINGS:
        print(f"... and {len(result.run.warnings) - _MOST_WARNINGS} more warnings; --json lists all", file=stream)


def _print_table(facts: Sequence[tuple[str, str]], stream: TextIO) -> None:
    from symgen.cli.tables.table import Column, print_table, texts
    from symgen.cli.terminal.console import table_console

    print_table(table_console(stream), [Column(), *texts("")], facts)


def _facts(result: SimulationResult, seconds: float | None) -> Iterator[tuple[str, str]]:
    from symgen.simulate.results.energies import conserves_energy

    run = result.run
    yield "method", f"{run.method}, order {run.order}"
    if run.advice:
        yield "chosen", run.advice
    if run.coordinates is not None:
        yield "coordinates", ", ".join(run.coordinates) or "none, all freedoms are driven"
    yield "steps", f"{run.steps} of {run.step:g} s"
    if run.iterations.size:
        yield "iterations", f"{run.iterations.mean():.2f} a step, {int(run.iterations.max())} at most"
    if len(result.times):
        total = result.total
        if conserves_energy(result.mechanism):
            # drifts are compared: always so many digits, never a rounded zero
            yield "energy", f"{total[0]:.6g} J, drift at most {result.drift:.3g} J"
        else:
            yield (
                "energy",
                (
                    f"{total[0]:.6g} J at the start, {total[-1]:.6g} J at the end; forces or drives do work on the "
                    "mechanism"
                ),
            )
        if len(result.work):
            known = np.isfinite(result.energy_error)
            off = (
                (f"{result.energy_error:.2g} of the energy that moves")
                if known
                else "unknown: the rows are too far apart"
            )
            yield "account", f"off by {off}" if known else off
    open_ = [
        f"{name} ({' '.join(part for part, unique in found.components.items() if not unique)})"
        for name, found in result.reactions.items()
        if not found.unique
    ]
    if open_:
        yield "reactions", f"not unique in {', '.join(open_)}: redundant constraints; the smallest are given"
    worst = result.largest_violation
    if worst == worst:  # not NaN
        yield "violation", f"{worst:.2g} at most"
    yield "took", _times(run, seconds)


def _times(run: Run, seconds: float | None) -> str:
    """Say what the parts took that are measured, and what everything took."""
    words = f"{run.seconds:.3g} s"
    if run.reactions_seconds:
        words += f" to integrate, {run.reactions_seconds:.3g} s to find the reactions"
    return words if seconds is None else f"{words}; {seconds:.3g} s in all, with loading and, on first use, compiling"
