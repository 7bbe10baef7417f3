"""``symgen import FILE``: a URDF robot or a ``User_Data.m`` of MBSSA3D becomes a mechanism file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.options.name_lists import names_of
from symgen.errors import InputError

if TYPE_CHECKING:
    from symgen.model.importers.imported import Imported
    from symgen.model.write import Suffix


@click.command(name="import", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("file", metavar="FILE")
@click.option(
    "--out", metavar="FILE.toml|FILE.json", help="Write the mechanism file here instead of to standard output."
)
@click.option("--loops", metavar="SIDE.toml", help="URDF: loops, inputs and laws in a side table.")
@click.option("--drive", metavar="NAME,...|all", help="URDF: joints whose freedoms are inputs.")
@click.option("--free-base", is_flag=True, help="URDF: let the root link move freely.")
@click.option("--json", "as_json", is_flag=True, help="Print the mechanism file as one JSON document.")
def command(file: str, out: str | None, loops: str | None, drive: str | None, free_base: bool, as_json: bool) -> None:
    """Make a mechanism file from a file in another format.

    FILE is a robot (.urdf, .xml) or the script User_Data.m of MBSSA3D (.m). The
    script is read as text; no code in it is run. Notes about what is left out,
    renamed or assumed go to standard error and into the head of the file.
    """
    from symgen.cli.terminal.files import check_target, tell_written, write_text

    target = None if out is None else check_target("--out", out, (".toml", ".json"))
    found = _import(file, loops, drive, free_base)
    for note in found.notes:
        click.echo(f"note: {note}", err=True)
    if target is not None:
        suffix: Suffix = ".json" if target.suffix.lower() == ".json" else ".toml"
        write_text(target, found.text(suffix))
        tell_written(target)
    if as_json:
        click.echo(found.text(".json"), nl=False)
    elif target is None:
        click.echo(found.text(), nl=False)


def _import(file: str, loops: str | None, drive: str | None, free_base: bool) -> Imported:
    suffix = Path(file).suffix.lower()
    if suffix in (".urdf", ".xml"):
        from symgen.model.importers.side_table import load_side_table
        from symgen.model.importers.urdf import import_urdf

        side = None if loops is None else load_side_table(loops)
        names = tuple(names_of(drive or ""))
        return import_urdf(file, side, drive=names, free_base=free_base)
    if suffix == ".m":
        given = {"--loops": loops is not None, "--drive": drive is not None, "--free-base": free_base}
        for option in (option for option, is_given in given.items() if is_given):
            raise InputError(f"{option} is for URDF files; {file} is a MATLAB script")
        from symgen.model.importers.user_data import import_user_data

        return import_user_data(file)
    hint = "it is a mechanism file already" if suffix in (".toml", ".json") else "its name has none of these suffixes"
    raise InputError(f"{file}: can be imported: .urdf or .xml (URDF), .m (User_Data.m of MBSSA3D); {hint}")
