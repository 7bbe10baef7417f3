"""``symgen generate types``: derive structural groups and write their solver modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from symgen.cli.generate.destination import Destination, destination_options, math_option
from symgen.cli.generate.processes import Choice, generate_modules, jobs_option
from symgen.cli.options.own import know, own_option

if TYPE_CHECKING:
    from symgen.printers.c99 import Math

_EXIT_NO = 1


@click.command(name="types")
@click.argument("types", metavar="[TYPE]...", nargs=-1)
@click.option(
    "--mechanism", metavar="MECH", help="Generate the solvers that the structural groups of this mechanism need."
)
@click.option("--all", "everything", is_flag=True, help="Generate every type that symgen can derive.")
@math_option
@own_option
@destination_options()
@jobs_option
def command(
    destination: Destination,
    types: tuple[str, ...],
    mechanism: str | None,
    everything: bool,
    math: Math,
    own: tuple[str, ...],
    jobs: int | None,
) -> None:
    """Derive structural groups and write their solvers.

    A TYPE is a module (dyad_rrr) or a signature ("R.R.R 2D"): one of the library,
    or any spatial chain with a free S or three turns ("R.P.C*slide.S 3D"), which is
    derived on demand; or a derivation of your own, FILE.py:NAME (NAME is "derive"
    if it is left out; the file is run), or one that an installed package offers, by
    its name (docs/own-derivations.md). A module that is up to date is kept. The
    exit status is 1 if only a part of MECH could be divided into groups.
    """
    from symgen import pipeline
    from symgen.cli.generate.chosen_types import derivations_among, separated, types_chosen

    know(own)
    if everything and (types or mechanism is not None):
        raise click.UsageError("--all takes every type: give neither TYPE nor --mechanism beside it")
    known = pipeline.known_modules()
    others = derivations_among(types, known)
    ours = tuple(text for text in types if text not in others)
    modules: list[str] = []
    lacking: list[str] = []
    if ours or everything or mechanism is not None or not others:
        chosen, lacking = types_chosen(known, ours, mechanism, everything)
        modules, others = separated(chosen, others, own)
    every = [*modules, *(each.module.id for each in others.values())]
    destination.claim(every)
    files = []
    if modules or not others:
        files = generate_modules(modules, destination, Choice(**destination.forms, math=math), jobs)
    if others:
        from symgen.cli.generate.own_types import generate_own

        files = sorted([*files, *generate_own([*others.values()], destination, math)])
    destination.report(every, files)
    if lacking:
        click.echo(f"{mechanism}: solvers were written only for the groups that could be found:", err=True)
        for words in lacking:
            click.echo(f"- {words}.", err=True)
        raise SystemExit(_EXIT_NO)
