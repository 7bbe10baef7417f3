"""``symgen generate --mechanism MECH --dynamics``: the dynamics of one mechanism as C to take away."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.publishing import Replacement, check_destination, publish, staging, tell_module
from symgen.model.load import load
from symgen.naming import module_name

if TYPE_CHECKING:
    from symgen.simulate.mechanism_tables import Structure


def generate_dynamics(
    file: str, name: str | None, method: str, structure: Structure, out: Path, replacement: Replacement
) -> tuple[str, list[Path]]:
    """Write engine, tables and an example below `out`, and say so; return the folder's name and the files.

    What else is in the folder stays: the program compiled of the example is there.
    """
    from symgen.simulate.articulated.bundle import riccati_bundle
    from symgen.simulate.bundle import dynamics_bundle
    from symgen.simulate.bundle_files import EXAMPLE

    if method == "riccati" and structure == "dense":
        raise click.UsageError("--structure dense belongs to method dimcd; riccati uses the coordinates of a tree")
    started = time.perf_counter()
    replacement = replace(replacement, keep=True)
    mechanism = load(file)
    module = module_name(name, mechanism.name or Path(file).stem, "dynamics")
    for lost in check_destination(out, [module], replacement):
        click.echo(f"--force: {lost} is discarded", err=True)
    texts = riccati_bundle(mechanism, module) if method == "riccati" else dynamics_bundle(mechanism, module, structure)
    with staging(out) as stage:
        folder = stage / module
        folder.mkdir()
        for name_, text in texts.items():
            (folder / name_).write_text(text, encoding="utf-8", newline="\n")
        files = publish(stage, out, replacement)
    tell_module(module, out, time.perf_counter() - started)
    click.echo(f"to run it for a second: cd {shlex.quote(str(out / module))} && {_command(texts[EXAMPLE])}", err=True)
    return module, files


def _command(example: str) -> str:
    """Return the command that stands in the head of the example."""
    return next(line.removeprefix(" *").strip() for line in example.splitlines() if " cc " in line)
