"""``symgen generate mechanism``: one module that solves a whole mechanism."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from symgen.cli.generate.destination import Destination, destination_options, math_option, mechanism_argument
from symgen.cli.options.name_lists import names_of
from symgen.cli.options.numbers import WholeNumber
from symgen.cli.options.own import know, own_option
from symgen.cli.terminal.publishing import tell_module

if TYPE_CHECKING:
    from symgen.printers.c99 import Math
    from symgen.whole.asked import Checks
    from symgen.whole.layout import Drives, Geometry
    from symgen.whole.module import WholeModule


@click.command(name="mechanism")
@mechanism_argument
@click.option(
    "--geometry",
    type=click.Choice(["constants", "parameters"]),
    default="constants",
    show_default=True,
    help="Compile the joint frames in, or make them an input.",
)
@click.option(
    "--drives",
    type=click.Choice(["laws", "inputs"]),
    default="laws",
    show_default=True,
    help="Compile the drive laws in, or make values, rates and accelerations inputs.",
)
@click.option(
    "--results",
    metavar="A,B,...",
    default="bodies,joints,points",
    show_default=True,
    help="The results: kinds, and BODY, JOINT, JOINT.FREEDOM, BODY.POINT.",
)
@click.option(
    "--checks",
    type=click.Choice(["needed", "all"]),
    default="needed",
    show_default=True,
    help="Solve only the groups that the results need, or check all groups.",
)
@click.option(
    "--at",
    "begin",
    metavar="T0",
    type=float,
    default=0.0,
    help="Time at which followed branches begin [s].  [default: 0]",
)
@click.option(
    "--assembly",
    metavar="K",
    type=WholeNumber("assembly", 1, 1_000_000),
    help="Begin with assembly K of `symgen solve MECH --assemblies --from T0`.",
)
@click.option("--name", metavar="ID", help="Name of the module.  [default: from the name of MECH]")
@math_option
@own_option
@destination_options()
def command(
    destination: Destination,
    mechanism: str,
    geometry: Geometry,
    drives: Drives,
    results: str,
    checks: Checks,
    begin: float,
    assembly: int | None,
    name: str | None,
    math: Math,
    own: tuple[str, ...],
) -> None:
    """Write one module that solves all of MECH in one call.

    The solvers of its structural groups are written into each other, and what
    is fixed in the mechanism is computed beforehand. For the solvers of the groups
    themselves use `symgen generate types --mechanism MECH`.
    """
    import symgen
    from symgen.model.load import load
    from symgen.pipeline import generate_whole_texts
    from symgen.whole.module import whole_module

    know(own)
    started = time.perf_counter()
    module = whole_module(
        load(mechanism),
        symgen.library(),
        module_id=name,
        drives=drives,
        geometry=geometry,
        results=names_of(results),
        checks=checks,
        time=begin,
        assembly=assembly,
    )
    destination.claim([module.id])
    files = destination.write(
        (each.id, generate_whole_texts(each, **destination.forms, math=math)) for each in [module]
    )
    tell_module(module.id, destination.out, time.perf_counter() - started)
    libm = _notes_of_math(module) if math == "own" and "c" in destination.backends else []
    for note in (*_notes(module), *libm):
        click.echo(note, err=True)
    destination.report([module.id], files)


def _notes_of_math(module: WholeModule) -> list[str]:
    """Say which functions of the laws have other bits on other machines, in spite of `--math own`."""
    from symgen.simulate.tables.laws import functions_of_libm

    if not module.layout.by_law:
        return []
    laws = [module.plan.mechanism.drives[key] for key in module.layout.drives]
    found = functions_of_libm([part for law in laws for part in (law.value, law.rate, law.acceleration)])
    if not found:
        return []
    return [
        f"the laws of the drives call {', '.join(found)}, which only <math.h> has, so bits may differ between "
        "machines; --drives inputs leaves the laws out"
    ]


def _notes(module: WholeModule) -> list[str]:
    """Say what the caller of the module has to know about branches."""
    notes = []
    if module.branch is None:
        notes.append(
            f"the manifest gives no initial branches: {module.doubt}\nthe code is the same for all branches: pass "
            "`branch` in each call, or write the manifest with --assembly K, numbered as in `symgen solve MECH "
            "--assemblies`"
        )
    else:
        notes.append(f"initial branches: {{{', '.join(map(str, module.branch))}}}")
    if module.left_out:
        listed = ", ".join(str(number) for number, _ in module.left_out)
        notes.append(
            f"left out, because no result needs them: group {listed}. Their checks are not made; --checks all makes "
            "them"
        )
    if module.layout.alone:
        listed = ", ".join(map(str, module.layout.alone))
        notes.append(
            f"only coordinates of group {listed} are requested: position and motion may leave out checks; the header "
            "lists them, --checks all keeps them"
        )
    late = ", ".join(str(each.number) for each in module.layout.followed)
    if late and module.beginning is not None:
        notes.append(
            f"group {late}: `begin` gives the state at t = {module.beginning.time:g} s, `follow` continues from it; "
            "`position` and `motion` have no memory"
        )
    elif late:
        notes.append(
            f"group {late}: nothing determines where to begin, so there is no `begin`; choose with --assembly K and "
            "--at T0"
        )
    return notes
