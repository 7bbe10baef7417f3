"""``symgen generate SIGNATURE --newton``: certified Newton for one signature, as a module of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.files import tell_written
from symgen.cli.publishing import Replacement, check_destination, publish, staging

if TYPE_CHECKING:
    from symgen.printers.c99 import Math, Precision


def generate_newton(
    signatures: Sequence[str],
    target: Path,
    precisions: tuple[Precision, ...],
    backends: tuple[str, ...],
    math: Math,
    replacement: Replacement,
) -> tuple[list[str], list[Path]]:
    """Write a module for each signature; return their ids and files."""
    from symgen.pipeline import generate_chain_texts
    from symgen.whole.chain import chain_module

    modules = {module.id: module for module in map(chain_module, signatures)}
    for lost in check_destination(target, list(modules), replacement):
        click.echo(f"--force: {lost} is discarded", err=True)
    with staging(target) as stage:
        for name, module in modules.items():
            folder = stage / name
            folder.mkdir()
            texts = generate_chain_texts(module, precisions=precisions, backends=backends, math=math)
            for file, text in texts.items():
                (folder / file).write_text(text, encoding="utf-8", newline="\n")
        files = publish(stage, target, replacement)
    for name in modules:
        tell_written(target / name)
    return list(modules), files
