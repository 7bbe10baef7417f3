"""``symgen accelerations MECH``: accelerations and joint forces in the initial state."""

from __future__ import annotations

import json

import click

from symgen.cli.options.couplings import load_without, without_couplings
from symgen.cli.options.name_lists import names_given

_EXIT_NO = 1


@click.command(name="accelerations", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option(
    "--method",
    type=click.Choice(["riccati", "transfer", "multiplier", "dca"]),
    default="riccati",
    show_default=True,
    help="riccati: recursion over the bodies, any mechanism; transfer: overall transfer equation, short systems with "
    "equal hinges; multiplier: Newton-Euler equations with multipliers, all at once; dca: divide and conquer, chains "
    "and trees.",
)
@click.option("--root", metavar="JOINT", help="Root the tree only at this joint to the ground.")
@click.option("--cut", "cuts", metavar="A,B,...", multiple=True, help="Joints that close the loops, all of them.")
@click.option("--strict", is_flag=True, help="Refuse initial velocities that do not fit the joints.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/accelerations/1).")
@without_couplings
def command(
    mechanism: str, method: str, root: str | None, cuts: tuple[str, ...], strict: bool, as_json: bool, left_out: bool
) -> None:
    """Find accelerations and joint forces of a mechanism in its initial state, at t = 0.

    MECH is a mechanism file with geometry, masses and inertias. Accelerations are those of the origins of the body
    frames; force and moment are what a joint's first body exerts on its second, about the joint centre on the
    second; all in world axes. The exit status is 1 in a singular position, or if no accelerations satisfy the
    constraints.
    """
    from symgen.errors import AccuracyError
    from symgen.transfer.acceleration_result import refused_document
    from symgen.transfer.accelerations import accelerations

    loaded = load_without(mechanism, left_out)
    try:
        result = accelerations(loaded, method, root=root, cuts=names_given("--cut", cuts), strict=strict)
    except AccuracyError as refused:
        if as_json:  # the answer is "no": that is a document, too
            click.echo(json.dumps(refused_document(loaded, method, str(refused)), allow_nan=False))
        raise
    if as_json:
        click.echo(json.dumps(result.to_dict(), allow_nan=False))
    else:
        from symgen.cli.tables.accelerations import print_accelerations

        print_accelerations(result)
    if not result.ok:
        click.echo(f"{result.status.name}: {result.warnings[-1]}", err=True)
        raise SystemExit(_EXIT_NO)
