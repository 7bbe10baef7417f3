"""``symgen export MECH --for mbssa3d``: a mechanism as the input of another program."""

from __future__ import annotations

from pathlib import Path

import click

from symgen.errors import InputError

_SCRIPT = "User_Data.m"


@click.command(name="export", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("mechanism", metavar="MECH")
@click.option(
    "--for",
    "program",
    required=True,
    type=click.Choice(["mbssa3d"]),
    help="The program: mbssa3d takes the script User_Data.m.",
)
@click.option("--out", metavar="DIR|FILE.m", help="Write it here, in a folder as User_Data.m; not to standard output.")
def command(mechanism: str, program: str, out: str | None) -> None:
    """Write a mechanism for another program.

    MECH is a mechanism file. --for mbssa3d writes the script User_Data.m of
    MBSSA3D, which holds the structure alone: the type of each pair and how many of
    its freedoms are driven. `symgen import` reads it back. Notes about what it
    cannot hold go to standard error.
    """
    from symgen.cli.files import check_target, write_text
    from symgen.model.load import load
    from symgen.model.write_user_data import write_user_data
    from symgen.topology.multiple_joints import choose_trees

    target = None
    if out is not None:
        path = Path(out)
        target = check_target("--out", str(path / _SCRIPT if path.is_dir() else path), (".m",))
        if target.exists() and target.resolve() == Path(mechanism).resolve():
            raise InputError(f"--out {out}: this is the mechanism file itself; give another name")
    written = write_user_data(choose_trees(load(mechanism)))
    for note in written.notes:
        click.echo(f"note: {note}", err=True)
    if target is None:
        click.echo(written.text, nl=False)
    else:
        write_text(target, written.text)
        click.echo(f"written: {target}", err=True)
