"""``symgen analyse MECH``: structural groups, order, types, mobility; findings if it is not determined."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from symgen.cli.options.couplings import load_uncounted
from symgen.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from symgen.draw.structure_svg import Picture
    from symgen.topology.structure import Group, Structure

    Solved = Callable[[Group], tuple[bool, str | None]]

_MOST_ROWS = 200
_EXIT_NO = 1
_STATUS_WORDS = {
    "determined": "determined: the inputs fix every body",
    "underdetermined": "underdetermined: some bodies lack constraints or inputs",
    "overdetermined": "overdetermined: some bodies carry too many constraints or inputs",
    "singular": "singular: the counts agree, but there is no geometry for which the inputs fix every body",
}


@click.command(name="analyse", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/structure/1).")
@click.option(
    "--order",
    type=click.Choice(["strict", "pass"]),
    default="strict",
    show_default=True,
    help="Numbering of the groups: canonical, or the paper's passes over single bodies.",
)
@click.option("--fix-idle", is_flag=True, help="Replace one S by U in every leg that can spin between two S joints.")
@click.option(
    "--tables",
    is_flag=True,
    help="Also print the tables of the paper: pairs as 20&1R.18&21S., and the matrix Results_SA.",
)
@click.option("--draw", metavar="FILE.svg", help="Write the structure as a picture.")
@click.option(
    "--picture",
    type=click.Choice(["graph", "diagram", "both"]),
    help="What --draw shows: bodies and joints (structural graph), groups and their dependencies (diagram), or both. "
    " [default: both]",
)
def command(
    mechanism: str, as_json: bool, order: str, fix_idle: bool, tables: bool, draw: str | None, picture: Picture | None
) -> None:
    """Divide a mechanism into structural groups.

    MECH is a mechanism file, TOML or JSON; bodies, joint types and driven
    freedoms are enough. The exit status is 1 if it is not kinematically
    determined.
    """
    from symgen.cli.options.deriving import derivable
    from symgen.library.solutions import solutions_of
    from symgen.topology.analysis import analyse

    if picture is not None and draw is None:
        raise InputError(f"--picture {picture} selects what --draw shows; add --draw FILE.svg, or omit --picture")
    if draw is not None:
        from symgen.cli.terminal.files import check_target

        check_target("--draw", draw, (".svg",))
    loaded = load_uncounted(mechanism)
    if fix_idle:
        from symgen.topology.idle import fix_idle_rotations

        loaded, fixed = fix_idle_rotations(loaded)
        click.echo(f"idle rotations removed: {', '.join(fixed) or 'none'} (S became U)", err=True)
    structure = analyse(loaded, order=order)
    if draw is not None:
        from symgen.cli.terminal.files import tell_written
        from symgen.draw.structure_svg import write_structure

        write_structure(structure, draw, picture or "both")
        tell_written(draw)
    solved = solutions_of(structure, derivable())
    if as_json:
        click.echo(json.dumps(structure.to_dict(solved)))
    else:
        _print_structure(structure, solved, tables=tables)
    if structure.status != "determined":
        raise SystemExit(_EXIT_NO)


def _print_structure(structure: Structure, solved: Solved, *, tables: bool) -> None:
    from symgen.cli.tables.counts import count
    from symgen.cli.terminal.console import table_console

    console = table_console()
    console.print(
        f"{structure.mechanism.name}: {structure.space}, {count(structure.bodies, 'body', 'bodies')} with the frame, "
        f"{count(structure.joints, 'joint')}"
    )
    console.print(f"mobility {structure.mobility}, inputs {structure.driven}")
    _print_instantaneous(console, structure)
    _print_lacking(console, structure)
    idle = sum(finding.kind == "idle" for finding in structure.diagnosis)
    but = f" but for {count(idle, 'idle rotation')}" if idle else ""
    console.print(_STATUS_WORDS[structure.status] + but, style="green" if structure.status == "determined" else "red")
    for joint in structure.multiple_joints:
        pairs = ", ".join("-".join(pair.bodies) for pair in structure.mechanism.joints if pair.multiple == joint.id)
        console.print(f"joint {joint.id} of {len(joint.bodies)} bodies is represented by {joint.type} pairs {pairs}")
    if structure.groups:
        _print_groups(console, structure, solved)
    if tables:
        from symgen.cli.tables.structure import print_tables

        print_tables(console, structure)
    for finding in structure.diagnosis:
        console.print(f"- {finding.kind.replace('_', ' ')}: {finding.advice}.")


def _print_lacking(console: Console, structure: Structure) -> None:
    """Say what a drawing that is there in part still lacks to be solved; structure alone is no drawing."""
    from symgen.model.nearest import list_names

    joints = [joint for joint in structure.mechanism.joints if joint.type != "W"]
    lacking = {joint.multiple or joint.id: joint.lacking for joint in joints if joint.lacking}
    if lacking and any(not joint.lacking for joint in joints):
        each = list_names(f"{name} ({', '.join(fields)})" for name, fields in lacking.items())
        console.print(f"the geometry is not complete (needed for solving): joints {each}")


def _print_instantaneous(console: Console, structure: Structure) -> None:
    found = structure.instantaneous
    if found is None:
        return
    if isinstance(found, str):
        console.print(f"instantaneous mobility not computed: {found}")
        return
    more = found.mobility - structure.mobility
    sure = "exact" if found.exact else f"gap {found.gap:.0e}"
    text = f"instantaneous mobility in the reference configuration {found.mobility} (rank {found.rank}, {sure})"
    if more:
        text += (
            f": {abs(more)} {'more' if more > 0 else 'fewer'} than counted. {found.redundant} loop equations follow "
            "from the others there: the mechanism moves because of special proportions, or the configuration is "
            "singular (the first order cannot distinguish these)"
        )
    if found.remaining:
        text += f"; {found.remaining} remain with the inputs held"
        idle = sum(finding.kind == "idle" for finding in structure.diagnosis)
        if found.remaining <= idle:
            text += ": idle rotations, no fault"
        elif structure.status == "determined":
            text += ": the inputs do not hold the mechanism in this configuration, which is singular for them"
    console.print(text)


def _print_groups(console: Console, structure: Structure, solved: Solved) -> None:
    from symgen.cli.tables.counts import count
    from symgen.cli.tables.table import numbers, print_table, texts
    from symgen.model.nearest import list_names

    rows = []
    for group in structure.groups[:_MOST_ROWS]:
        is_solved, method = solved(group)
        cells = (
            str(group.number),
            str(group.level),
            list_names(group.bodies),
            group.type,
            group.signature,
            (method or "yes") if is_solved else "no",
            list_names(map(str, group.depends_on)) if group.depends_on else "frame",
        )
        rows.append(cells)
    console.print()
    columns = [*numbers("group", "level"), *texts("bodies", "type", "signature", "solved", "depends on")]
    print_table(console, columns, rows)
    console.print()
    more = len(structure.groups) - _MOST_ROWS
    if more > 0:
        console.print(f"... and {count(more, 'more group')}; --json lists all.")
