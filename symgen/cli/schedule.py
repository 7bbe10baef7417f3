"""``symgen schedule MECH``: levels, critical path, solving routes, and the groups on several cores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from symgen.cli.options.couplings import load_uncounted
from symgen.cli.options.numbers import WholeNumber
from symgen.cli.terminal.files import check_target, tell_written, write_text
from symgen.cli.terminal.progress import progress_bar

if TYPE_CHECKING:
    from symgen.topology.scheduling.group_costs import GroupCosts
    from symgen.topology.structure import Structure

_EXIT_NO = 1


@click.command(name="schedule", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option(
    "--cores", metavar="K", type=WholeNumber("cores", 1, 4096), default=2, show_default=True, help="Equal cores."
)
@click.option(
    "--costs",
    metavar="operations|measure|FILE.json",
    default="operations",
    show_default=True,
    help="Cost of a group: operations of its solver as counted at generation, seconds measured now, or from a file.",
)
@click.option(
    "--routes",
    metavar="N",
    type=WholeNumber("routes", 0, 1000),
    default=3,
    show_default=True,
    help="Number of best routes to show.",
)
@click.option("--draw", metavar="FILE.svg", help="Write task graph, cores and routes as a picture.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/schedule/1).")
def command(mechanism: str, cores: int, costs: str, routes: int, draw: str | None, as_json: bool) -> None:
    """Plan the order in which groups are solved, in parallel on several cores.

    MECH is a mechanism file; bodies, joint types and driven freedoms are enough.
    The exit status is 1 if it is not kinematically determined.
    """
    from symgen.cli.options.deriving import derivable
    from symgen.library.solutions import solutions_of
    from symgen.topology.analysis import analyse
    from symgen.topology.scheduling.schedule import empty_schedule, plan_schedule, refusal_of

    target = check_target("--draw", draw, (".svg",)) if draw is not None else None
    structure = analyse(load_uncounted(mechanism))
    if as_json and not structure.groups:  # "no" is an answer too: a document, beside the words on standard error
        click.echo(json.dumps(empty_schedule(structure)))
    if structure.status == "determined" and not structure.groups and target is None:
        if not as_json:  # welds hold all bodies: nothing to do is no failure
            click.echo(f"{structure.mechanism.name or 'the mechanism'} {refusal_of(structure)}")
        return
    plan = plan_schedule(structure, _costs(structure, costs, quiet=as_json), cores=cores, routes=routes)
    if target is not None:
        from symgen.draw.schedule_svg import schedule_svg

        write_text(target, schedule_svg(plan))
        tell_written(target)
    document = plan.to_dict(solutions_of(structure, derivable()))
    if as_json:
        click.echo(json.dumps(document))
    else:
        from symgen.cli.tables.schedule import print_schedule

        print_schedule(document)
    if structure.status != "determined":
        raise SystemExit(_EXIT_NO)


def _costs(structure: Structure, text: str, *, quiet: bool) -> GroupCosts:
    """Return the costs that ``--costs`` asks for."""
    if text == "operations":
        from symgen.library.catalogue import load_catalogue
        from symgen.library.solver_costs import operation_costs

        return operation_costs(structure, load_catalogue())
    if text == "measure":
        return _measured(structure, quiet=quiet)
    from symgen.errors import InputError
    from symgen.model.nearest import did_you_mean
    from symgen.topology.scheduling.group_costs import load_costs

    if not text.endswith((".json", ".toml")):
        hint = did_you_mean(text, ("operations", "measure"))
        raise InputError(f"--costs {text}: allowed are operations, measure and a file .json or .toml{hint}")
    return load_costs(text, structure.groups)


def _measured(structure: Structure, *, quiet: bool) -> GroupCosts:
    import symgen
    from symgen.library.solver_costs import measured_costs

    library = symgen.library()
    types = {group.signature for group in structure.groups if group.signature in library}
    with progress_bar("measuring", len(types), quiet=quiet) as progress:
        return measured_costs(structure, library, progress.advance)
