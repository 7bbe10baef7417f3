"""``symgen vibrations MECH``: eigenfrequencies and mode shapes about rest."""

from __future__ import annotations

import json

import click

from symgen.cli.options.couplings import load_without, without_couplings


@click.command(name="vibrations", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option("--to", metavar="HZ", type=float, help="All modes up to this frequency [Hz].")
@click.option("--modes", metavar="N", type=click.IntRange(1), help="The lowest N modes.  [default: 10, or all of --to]")
@click.option("--settle", is_flag=True, help="First find the rest position, downhill from the initial configuration.")
@click.option(
    "--method",
    type=click.Choice(["riccati", "determinant"]),
    default="riccati",
    show_default=True,
    help="How to find frequencies: by counts in the Riccati recursion, or as zeros of the characteristic determinant "
    "of a chain.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document (symgen/vibrations/1).")
@click.option("--plot", metavar="FILE.svg", help="Write a picture of the mode shapes.")
@click.option("--animate", metavar="FILE.svg", help="Write the mode shapes as a moving picture for a browser.")
@without_couplings
def command(
    mechanism: str,
    to: float | None,
    modes: int | None,
    settle: bool,
    method: str,
    as_json: bool,
    plot: str | None,
    animate: str | None,
    left_out: bool,
) -> None:
    """Find eigenfrequencies and mode shapes of a mechanism about its rest.

    MECH is a mechanism file with geometry, masses and inertias, at rest in its initial configuration. Springs,
    weight and the forces at rest are included; driven freedoms are held; dampers are ignored. Bodies may be
    flexible beams. The exit status is 1 if rest is not stable, so that a motion grows. --method determinant is the
    classical method, for chains from a tip to the ground, between two grounds, or free.
    """
    from symgen.cli.tables.counts import count
    from symgen.cli.tables.vibrations import picture, print_vibrations
    from symgen.cli.terminal.files import check_distinct, check_target, tell_written, write_text
    from symgen.cli.terminal.progress import progress_bar
    from symgen.errors import InputError
    from symgen.vibrations.analysis import document, vibrations

    named = [(option, name) for option, name in (("--plot", plot), ("--animate", animate)) if name is not None]
    for option, name in named:
        if name == "-":
            raise InputError(f"{option} -: pictures go into files; give a name")
    targets = {option: check_target(option, name, (".svg",)) for option, name in named}
    check_distinct(targets)
    loaded = load_without(mechanism, left_out)
    with progress_bar("eigenfrequencies", quiet=as_json) as progress:
        result = vibrations(loaded, modes=modes, to=to, settle=settle, method=method, progress=progress.part)
    for option, target in targets.items():
        write_text(target, picture(result, moving=option == "--animate"))
        tell_written(target)
    if as_json:
        click.echo(json.dumps(document(result), allow_nan=False))
    else:
        print_vibrations(result)
    if result.growth:
        if as_json:  # else the table has said so
            click.echo(f"rest is not stable: {count(len(result.growth), 'motion')} grow", err=True)
        raise SystemExit(1)
