"""``symgen reactions MECH``: which joint reactions of a rigid mechanism are unique."""

from __future__ import annotations

import json

import click

from symgen.cli.options.couplings import load_without, without_couplings

_EXIT_NO = 1


@click.command(name="reactions", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option(
    "--tool",
    type=click.Choice(["nullspace", "rank", "qr", "svd", "dca"]),
    default="nullspace",
    show_default=True,
    help="nullspace: null space of the equilibrium equations with loops cut; rank, qr, svd: the whole matrix, by "
    "ranks, pivoted orthogonalisation or singular values; dca: divide and conquer, as in the paper.",
)
@click.option(
    "--set",
    "sets",
    metavar="A,C",
    multiple=True,
    help=(
        "Ask whether the reactions of these joints (and drives, JOINT.freedom) are unique, each by itself and together."
    ),
)
@click.option(
    "--resultant",
    "resultants",
    metavar="BODY:A,C",
    multiple=True,
    help=(
        "Ask about the resultant wrench of these joints on a body, about its centre of mass; BODY.POINT:A,C about a "
        "named point."
    ),
)
@click.option(
    "--direction",
    "directions",
    metavar="A:x,y,z",
    multiple=True,
    help="Ask about the component of a joint's force along x y z in world axes; three more numbers select its moment.",
)
@click.option(
    "--time",
    metavar="T",
    type=float,
    help="Also compute the reactions at this time [s]: 0 is the initial state, later times are simulated.",
)
@click.option("--explain", is_flag=True, help="Explain step by step how the tool finds its answer.")
@click.option("--draw", metavar="FILE.svg|FILE.html", help="Draw the mechanism with unique joint reactions marked.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/reactions/1).")
@without_couplings
def command(
    mechanism: str,
    tool: str,
    sets: tuple[str, ...],
    resultants: tuple[str, ...],
    directions: tuple[str, ...],
    time: float | None,
    explain: bool,
    draw: str | None,
    as_json: bool,
    left_out: bool,
) -> None:
    """Show which joint reactions of a mechanism are unique.

    MECH is a mechanism file with geometry; all bodies are rigid. Where constraints are redundant, joints can be
    loaded against each other, and the equations of motion determine only some reactions, or parts of them. Which
    ones does not depend on masses, forces or speeds. The analysis is made at the initial position, or at that of
    --time. The exit status is 1 if ranks cannot be decided clearly, in a singular position, or if no reactions
    fit the state. Reactions that are not unique are no failure.
    """
    from symgen.cli.terminal.files import check_target, tell_written, write_text
    from symgen.reactions.uniqueness import reactions

    target = None if draw is None else check_target("--draw", draw, (".svg", ".html"))
    loaded = load_without(mechanism, left_out)
    result = reactions(loaded, tool=tool, sets=sets, resultants=resultants, directions=directions, time=time)
    if target is not None:
        from symgen.cli.tables.reactions import page, picture

        write_text(target, page(result) if target.suffix.lower() == ".html" else picture(result))
        tell_written(target)
    if as_json:
        click.echo(json.dumps(result.to_dict(), allow_nan=False))
    else:
        from symgen.cli.tables.reactions import print_reactions

        print_reactions(result, explain=explain)
    if not result.ok:
        click.echo(f"{result.status}: {result.warnings[-1] if result.warnings else ''}", err=True)
        raise SystemExit(_EXIT_NO)
