"""``symgen transform MECH``: which joints to drive; all choices of inputs, ranked and compared."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.options.couplings import load_uncounted
from symgen.cli.options.name_lists import names_of
from symgen.cli.options.numbers import WholeNumber
from symgen.cli.terminal.files import check_target, tell_written, write_text
from symgen.errors import InputError, StructureError

if TYPE_CHECKING:
    from symgen.model.mechanism import Mechanism
    from symgen.topology.transformations.ranking import Solved
    from symgen.topology.transformations.records import Transformations

_EXIT_NO = 1
_SUFFIXES = (".toml", ".json")


@click.command(name="transform", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="[MECH]", required=False)
@click.option("--must", metavar="A,B=2,...", help="Joints that must be driven; =N: at least N of their freedoms.")
@click.option("--may-not", metavar="C,...", help="Joints that may not be driven.")
@click.option("--only", metavar="A,B,...", help="Joints with actuators: no others may be driven.")
@click.option(
    "--by",
    metavar="groups,largest,levels,solved",
    help="Objectives in order of priority: most groups, smallest largest group, fewest levels, largest share of "
    "groups solved by the library.  [default: groups,largest,solved]",
)
@click.option(
    "--limit", metavar="N", type=WholeNumber("rows", 1), default=20, show_default=True, help="Rows of the table."
)
@click.option(
    "--regular/--no-regular",
    default=True,
    show_default=True,
    help=(
        "Leave out, or show, singular choices: the counts agree, but there is no geometry for which they fix the "
        "mechanism."
    ),
)
@click.option(
    "--most",
    metavar="N",
    type=click.IntRange(0),
    default=1_000_000,
    show_default=True,
    help="Examine all choices if there are no more than N, otherwise search for good ones.",
)
@click.option("--database", metavar="FILE.sqlite", help="Keep the results; a stopped run continues where it was.")
@click.option("--show", is_flag=True, help="Show the choices in --database, without MECH; preferences narrow them.")
@click.option("--write", metavar="FILE.toml|FILE.json", help="Write the mechanism with the inputs of a row.")
@click.option("--choice", metavar="K", type=click.IntRange(1), help="The row that --write takes.  [default: 1]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/transformations/1).")
def command(
    mechanism: str | None,
    must: str | None,
    may_not: str | None,
    only: str | None,
    by: str | None,
    limit: int,
    regular: bool,
    most: int,
    database: str | None,
    show: bool,
    write: str | None,
    choice: int | None,
    as_json: bool,
) -> None:
    """Find which joints to drive so that the structural groups become small.

    MECH is a mechanism file; bodies and joint types are enough. symgen examines
    every choice of as many driven freedoms as the mechanism has. It ranks the
    choices that determine the mechanism and compares them with the inputs of
    the file. The exit status is 1 if there is none.
    """
    _check_usage(mechanism, database, show, write)
    if choice is not None and write is None:
        raise InputError(f"--choice {choice} selects the row that --write takes; add --write FILE, or omit --choice")
    row = choice or 1
    target = None if write is None else _check_written(write, mechanism)
    wanted, refused, actuated = read_must(must), read_names("--may-not", may_not), read_names("--only", only)
    objectives = None if by is None else read_names("--by", by)
    rows = max(limit, row)
    solved = _library_predicate()
    if mechanism is None:
        from symgen.topology.transformations.stored import read_transformations

        result = read_transformations(
            database or "", must=wanted, may_not=refused or (), only=actuated, by=objectives, regular=regular,
            solved=solved, limit=rows,
        )  # fmt: skip
    else:
        from symgen.cli.terminal.progress import progress_bar
        from symgen.model.split_joints import split_multiple_joints
        from symgen.topology.multiple_joints import choose_trees
        from symgen.topology.transformations.transform import transform

        # Joints of several bodies become the pairs that are best for the inputs of the file.
        loaded = split_multiple_joints(choose_trees(load_uncounted(mechanism)))
        try:
            with progress_bar("transforming", quiet=as_json) as progress:
                result = transform(
                    loaded, must=wanted, may_not=refused or (), only=actuated, by=objectives, regular=regular,
                    solved=solved, limit=rows, most=most, database=database, progress=progress.at,
                )  # fmt: skip
        except StructureError as error:
            if as_json:  # "no" is an answer too: a document, beside the words on standard error
                click.echo(json.dumps(_refusal(loaded, str(error))))
            raise
    if result.choices and target is not None and row > len(result.choices):
        raise InputError(f"--choice {row}: there are {len(result.choices)} rows")
    if as_json:
        click.echo(json.dumps(result.to_dict()))
    else:
        from symgen.cli.tables.transform import print_transformations

        print_transformations(result, limit, singular_too=not regular)
    if not result.choices:
        raise SystemExit(_EXIT_NO)
    if target is not None and mechanism is not None:
        _write(loaded, result, row, target)


def _refusal(mechanism: Mechanism, reason: str) -> dict[str, object]:
    """Return the document of a mechanism that has no valid choice of inputs."""
    from symgen.topology.analysis import analyse
    from symgen.topology.transformations.records import no_choice

    return no_choice(mechanism.name, mechanism.space, reason, analyse(mechanism).diagnosis)


def read_names(option: str, text: str | None) -> list[str] | None:
    """Return the names of a list separated by commas; None if the option is not given."""
    if text is None:
        return None
    names = names_of(text)
    if not names:
        raise InputError(f"{option}: no name is given; separate several by commas")
    return names


def read_must(text: str | None) -> dict[str, int]:
    """Return the joints that must be driven, with the least number of their freedoms.

    Raises
    ------
    InputError
        if a number is none, or a joint is named twice.
    """
    wanted: dict[str, int] = {}
    for word in read_names("--must", text) or ():
        name, equals, count = word.partition("=")
        if equals and not (count.strip().isdecimal() and len(count.strip()) < 3):
            raise InputError(f"--must {word!r}: write JOINT or JOINT=N, N a number of freedoms")
        if name.strip() in wanted:
            raise InputError(f"--must {word!r}: joint {name.strip()} is named twice")
        wanted[name.strip()] = int(count) if equals else 1
    return wanted


def _check_usage(mechanism: str | None, database: str | None, show: bool, write: str | None) -> None:
    if show and database is None:
        raise InputError("--show shows what a database holds; name it with --database FILE.sqlite")
    if show and mechanism is not None:
        raise InputError("--show needs no MECH: the database knows its mechanism; omit one of the two")
    if mechanism is None and not show:
        raise InputError("give a mechanism file, or --show to show what --database FILE.sqlite holds")
    if write is not None and mechanism is None:
        raise InputError("--write changes the inputs of a mechanism file; give MECH instead of --show")


def _check_written(name: str, mechanism: str | None) -> Path:
    path = check_target("--write", name, _SUFFIXES)
    if mechanism is not None and path.exists() and os.path.exists(mechanism) and path.samefile(mechanism):
        raise InputError(f"--write {name}: this is the mechanism file itself; choose another name")
    return path


def _library_predicate() -> Solved:
    from symgen.library.catalogue import solution_of

    return lru_cache(maxsize=None)(lambda signature: solution_of(signature)[0])


def _write(mechanism: Mechanism, result: Transformations, number: int, target: Path) -> None:
    """Write the mechanism with the inputs of a row."""
    from symgen.model.change_inputs import change_inputs
    from symgen.model.mechanism import Mechanism
    from symgen.model.write import write_tree

    tree, notices = change_inputs(mechanism, result.choices[number - 1].inputs)
    Mechanism.from_dict(tree, str(target))
    write_text(target, write_tree(tree, ".json" if target.suffix.lower() == ".json" else ".toml"))
    tell_written(target, f" with the inputs of row {number}; comments are not kept")
    for notice in notices:
        click.echo(f"- {notice}", err=True)
