"""``symgen generate engines``: what solves any group, any motion, from tables: certified Newton, dynamics, transfer."""

from __future__ import annotations

import click

from symgen.cli.generate.destination import Destination, destination_options
from symgen.cli.generate.processes import jobs_option


@click.command(name="engines")
@destination_options()
@jobs_option
def command(destination: Destination, jobs: int | None) -> None:
    """Write the engines, which any mechanism is passed to as tables.

    They are certified Newton for any group, planar and spatial, the integrators of
    the dynamics, and the transfer matrices. Their C has one form only, so there is
    no --math.
    """
    from symgen import pipeline
    from symgen.cli.generate.processes import Choice, generate_modules

    modules = [*pipeline.known_engines()]
    destination.claim(modules)
    files = generate_modules(modules, destination, Choice(**destination.forms), jobs)
    destination.report(modules, files)
