"""``symgen reactions MECH``: which joint reactions of a rigid mechanism are unique."""

from __future__ import annotations

import json

import click

from symgen.cli.couplings import load_without, without_couplings

_EXIT_NO = 1


@click.command(name="reactions", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option(
    "--tool",
    type=click.Choice(["nullspace", "rank", "qr", "svd", "dca"]),
    default="nullspace",
    show_default=True,
    help="nullspace: null space of the equilibrium with loops cut; rank, qr, svd: the whole matrix, by ranks, pivoted "
    "orthogonalisation, singular values; dca: divide and conquer, as the paper does it.",
)
@click.option(
    "--set",
    "sets",
    metavar="A,C",
    multiple=True,
    help="Ask of joints (and drives, JOINT.freedom) together: is each reaction known, is what they do as a whole.",
)
@click.option(
    "--resultant",
    "resultants",
    metavar="BODY:A,C",
    multiple=True,
    help="Ask for the wrench of these joints on a body, about its centre of mass; BODY.POINT:A,C about a named point.",
)
@click.option(
    "--direction",
    "directions",
    metavar="A:x,y,z",
    multiple=True,
    help="Ask for the part of a joint's force along x y z in world axes; three more numbers for its moment.",
)
@click.option(
    "--time",
    metavar="T",
    type=float,
    help="Give the reactions in numbers too, at this time [s]: 0 is the initial state, later ones are simulated.",
)
@click.option("--explain", is_flag=True, help="Tell step by step how the tool comes to its answer.")
@click.option("--draw", metavar="FILE.svg|FILE.html", help="Write the mechanism with unique and other joints marked.")
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
    """Tell which joint reactions of a mechanism can be known at all.

    MECH is a mechanism file with geometry; all bodies are rigid. Where constraints are redundant, joints can be loaded
    against each other, and only some reactions, or parts of them, follow from the equations of motion: those do not
    depend on masses, forces or speeds. Asked is the initial position, or that of --time. Exit status 1 if ranks are
    ill-decided, in a singular position, or if no reactions fit the state; joints that are not unique are no
    failure.
    """
    from symgen.cli.files import check_target, tell_written, write_text
    from symgen.reactions.uniqueness import reactions

    target = None if draw is None else check_target("--draw", draw, (".svg", ".html"))
    loaded = load_without(mechanism, left_out)
    result = reactions(loaded, tool=tool, sets=sets, resultants=resultants, directions=directions, time=time)
    if target is not None:
        from symgen.cli.reaction_tables import page, picture

        write_text(target, page(result) if target.suffix.lower() == ".html" else picture(result))
        tell_written(target)
    if as_json:
        click.echo(json.dumps(result.to_dict(), allow_nan=False))
    else:
        from symgen.cli.reaction_tables import print_reactions

        print_reactions(result, explain=explain)
    if not result.ok:
        click.echo(f"{result.status}: {result.warnings[-1] if result.warnings else ''}", err=True)
        raise SystemExit(_EXIT_NO)
