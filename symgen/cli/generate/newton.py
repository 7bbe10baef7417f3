"""``symgen generate newton``: certified Newton for one signature, as a module of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from symgen.cli.generate.destination import Destination, destination_options, math_option
from symgen.cli.terminal.files import tell_written

if TYPE_CHECKING:
    from symgen.printers.c99 import Math


@click.command(name="newton")
@click.argument("signatures", metavar="SIGNATURE...", nargs=-1, required=True)
@math_option
@destination_options()
def command(destination: Destination, signatures: tuple[str, ...], math: Math) -> None:
    """Write certified Newton for a SIGNATURE, such as "H.U.S 3D".

    The module iterates from a starting pose and proves that its result is a
    solution. Use it for groups without a closed form.
    """
    from symgen.pipeline import generate_chain_texts
    from symgen.whole.chain import chain_module

    modules = {module.id: module for module in map(chain_module, signatures)}
    destination.claim(list(modules))
    files = destination.write(
        (name, generate_chain_texts(each, **destination.forms, math=math)) for name, each in modules.items()
    )
    for name in modules:
        tell_written(destination.out / name)
    destination.report(list(modules), files)
