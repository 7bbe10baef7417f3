"""``symgen generate loops``: the loop constraints of one mechanism."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.generate.destination import Destination, destination_options, math_option, mechanism_argument
from symgen.cli.options.name_lists import names_of
from symgen.cli.options.numbers import WholeNumber
from symgen.cli.terminal.publishing import tell_module
from symgen.errors import MechanismError

if TYPE_CHECKING:
    from symgen.printers.c99 import Math


@click.command(name="loops")
@mechanism_argument
@click.option(
    "--order",
    metavar="N",
    type=WholeNumber("derivatives", 1, 8),
    default=2,
    show_default=True,
    help="Highest derivative of the closure.",
)
@click.option("--cotree", metavar="A,B,...", help="Joints outside the spanning tree; see symgen graph.")
@click.option("--reverse", metavar="A,B,...", help="Joints whose coordinates change sign.")
@click.option("--name", metavar="ID", help="Name of the module.  [default: from the name of MECH]")
@math_option
@destination_options()
def command(
    destination: Destination,
    mechanism: str,
    order: int,
    cotree: str | None,
    reverse: str | None,
    name: str | None,
    math: Math,
) -> None:
    """Write the loop constraints of MECH: closure and its derivatives.

    The manifest holds the values of the geometry ports if MECH has its joint
    frames.
    """
    from symgen.model.load import load
    from symgen.naming import module_name
    from symgen.pipeline import generate_loop_texts
    from symgen.topology.loops.coordinates import number_coordinates
    from symgen.topology.loops.reference_configuration import reference_configuration, reference_values
    from symgen.topology.loops.topological_graph import build_topological_graph

    loaded = load(mechanism)
    loaded.require_uncoupled("generating loop constraints")
    module = module_name(name, loaded.name or Path(mechanism).stem, "loops")
    outside = None if cotree is None else names_of(cotree)
    graph = build_topological_graph(loaded, cotree=outside, turned=names_of(reverse or ""))
    destination.claim([module])
    started = time.perf_counter()
    try:
        coordinates = number_coordinates(graph)
        reference = reference_values(reference_configuration(loaded, graph, coordinates), graph, coordinates)
    except MechanismError:  # structure alone: the code is the same, its user brings the numbers
        reference = None
    files = destination.write(
        (each, generate_loop_texts(graph, each, order=order, reference=reference, **destination.forms, math=math))
        for each in [module]
    )
    tell_module(module, destination.out, time.perf_counter() - started)
    if reference is None:
        click.echo("the mechanism has no joint frames: the manifest has no values for the geometry ports", err=True)
    destination.report([module], files)
