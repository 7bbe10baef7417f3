"""``symgen generate dynamics``: the dynamics of one mechanism as C to take away."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.generate.destination import Destination, destination_options, mechanism_argument
from symgen.cli.terminal.publishing import tell_module

if TYPE_CHECKING:
    from symgen.simulate.tables.mechanism_tables import Structure


@click.command(name="dynamics")
@mechanism_argument
@click.option(
    "--method",
    type=click.Choice(["dimcd", "riccati"]),
    default="dimcd",
    show_default=True,
    help="Method of the engine, as for symgen simulate.",
)
@click.option(
    "--structure",
    type=click.Choice(["tree", "dense"]),
    default="tree",
    show_default=True,
    help="For method dimcd: unknowns, as for symgen simulate.",
)
@click.option("--name", metavar="ID", help="Name of the module.  [default: from the name of MECH]")
@destination_options(precisions=("double",), backends=("c",))
def command(destination: Destination, mechanism: str, method: str, structure: Structure, name: str | None) -> None:
    """Write the C of MECH's dynamics: engine, tables, an example.

    It is written in C and double precision only: its constraints hold to the
    rounding of double. For NumPy use `symgen simulate --backend numpy`. Files that
    symgen did not write stay in the folder, such as the program compiled of the
    example.
    """
    from symgen.model.load import load
    from symgen.naming import module_name
    from symgen.simulate.articulated.bundle import riccati_bundle
    from symgen.simulate.bundles.files import EXAMPLE
    from symgen.simulate.central.bundle import dynamics_bundle

    if method == "riccati" and structure == "dense":
        raise click.UsageError("--structure dense belongs to method dimcd; riccati uses the coordinates of a tree")
    started = time.perf_counter()
    destination = replace(destination, replacement=replace(destination.replacement, keep=True))
    loaded = load(mechanism)
    module = module_name(name, loaded.name or Path(mechanism).stem, "dynamics")
    destination.claim([module])
    texts = riccati_bundle(loaded, module) if method == "riccati" else dynamics_bundle(loaded, module, structure)
    files = destination.write([(module, texts)])
    tell_module(module, destination.out, time.perf_counter() - started)
    place = shlex.quote(str(destination.out / module))
    click.echo(f"to run it for a second: cd {place} && {_compiling(texts[EXAMPLE])}", err=True)
    destination.report([module], files)


def _compiling(example: str) -> str:
    """Return the command that stands in the head of the example."""
    return next(line.removeprefix(" *").strip() for line in example.splitlines() if " cc " in line)
