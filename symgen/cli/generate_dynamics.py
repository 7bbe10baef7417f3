"""``symgen generate --mechanism MECH --dynamics``: the dynamics of one mechanism as C to take away."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.publishing import Replacement, check_destination, publish, staging
from symgen.model.load import load
from symgen.naming import check_identifier, identifier_from

if TYPE_CHECKING:
    from symgen.simulate.mechanism_tables import Structure


def generate_dynamics(
    file: str, name: str | None, method: str, structure: Structure, out: Path, replacement: Replacement
) -> tuple[str, list[Path]]:
    """Write engine, tables and an example below `out`; return the folder's name and the files.

    What else is in the folder stays: the program compiled of the example is there.
    """
    from symgen.simulate.articulated.bundle import riccati_bundle
    from symgen.simulate.bundle import dynamics_bundle

    if method == "riccati" and structure == "dense":
        raise click.UsageError("--structure dense belongs to method dimcd; riccati has the coordinates of a tree")
    replacement = replace(replacement, keep=True)
    mechanism = load(file)
    module = check_identifier(name or f"{identifier_from(mechanism.name, 'mechanism')}_dynamics")
    for lost in check_destination(out, [module], replacement):
        click.echo(f"--force: {lost} is given up", err=True)
    texts = riccati_bundle(mechanism, module) if method == "riccati" else dynamics_bundle(mechanism, module, structure)
    with staging(out) as stage:
        folder = stage / module
        folder.mkdir()
        for name_, text in texts.items():
            (folder / name_).write_text(text, encoding="utf-8", newline="\n")
        return module, publish(stage, out, replacement)
