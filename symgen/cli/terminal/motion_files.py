"""The files of a motion, solved or simulated: where they go, and all of them or none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

import click

from symgen.cli.options.name_lists import names_of
from symgen.cli.terminal.files import check_distinct, check_target, tell_written, write_text, write_whole
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.solve.trajectory import Trajectory

STANDARD_OUTPUT = "-"
_PICTURES = (".svg", ".html")


def motion_targets(
    output: str | None, plot: str | None, animate: str | None, columns: str | None, *, as_json: bool
) -> dict[str, Path]:
    """Return option -> file of what is to be written, checked before the work; standard output left out.

    Raises
    ------
    InputError
        A file cannot be written there, two are the same, or the options do not go together.
    """
    for option, name in (("--plot", plot), ("--animate", animate)):
        if name == STANDARD_OUTPUT:
            raise InputError(f"{option} -: pictures go into files; give a name")
    if as_json and output == STANDARD_OUTPUT:
        raise InputError("--json and --output - both write to standard output; choose one")
    targets = {
        option: check_target(option, name, suffixes)
        for option, name, suffixes in (
            ("--output", output, (".csv",)),
            ("--plot", plot, (".svg",)),
            ("--animate", animate, _PICTURES),
        )
        if name is not None and name != STANDARD_OUTPUT
    }
    check_distinct(targets)
    if columns is not None and plot is None:
        raise InputError("--columns selects what --plot FILE.svg shows; add --plot")
    return targets


def write_motion(
    motion: Trajectory, targets: Mapping[str, Path], columns: str | None, write_csv: Callable[[IO[str]], object]
) -> list[Path]:
    """Write what was asked for; all pictures are made before the first file is touched.

    Parameters
    ----------
    targets : as `motion_targets` returns them.
    columns : the words of ``--columns``, or None.
    write_csv : writes the table.
    """
    texts: dict[str, str] = {}
    if "--plot" in targets:
        from symgen.draw.plot_svg import plot_columns

        texts["--plot"] = plot_columns(motion, column_names(columns))
    if "--animate" in targets:
        from symgen.draw.animate import animate

        texts["--animate"] = animate(motion, targets["--animate"].suffix.lower())
    for option, path in targets.items():
        if option in texts:
            write_text(path, texts[option])
        else:
            write_whole(path, write_csv)
    return list(targets.values())


def tell_files(written: Sequence[Path], output: str | None, *, as_json: bool) -> None:
    """Say which files were written, or how to have some."""
    for path in written:
        tell_written(path)
    if not written and output is None and not as_json:
        click.echo("nothing was written; --output FILE.csv keeps the motion, --animate FILE.html shows it", err=True)


def column_names(columns: str | None) -> list[str] | None:
    """Return the names in the words of ``--columns``; None if there are none, for the default."""
    return None if columns is None else names_of(columns)
