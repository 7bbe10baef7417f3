"""``symgen generate --engines``: the certified Newton solvers, one a space, for groups of any shape."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symgen.cli.files import tell_written
from symgen.cli.publishing import Replacement, check_destination, publish, staging

if TYPE_CHECKING:
    from symgen.printers.c99 import Precision


def generate_engines(
    target: Path, precisions: Sequence[Precision], backends: Sequence[str], replacement: Replacement
) -> tuple[list[str], list[Path]]:
    """Write all solvers; return their ids and files."""
    from symgen.pipeline import generate_engine_texts, known_engines

    engines = list(known_engines())
    for file in check_destination(target, engines, replacement):
        click.echo(f"--force: {file} is given up", err=True)
    with staging(target) as stage:
        for engine in engines:
            folder = stage / engine
            folder.mkdir()
            for name, text in generate_engine_texts(engine, precisions=precisions, backends=backends).items():
                (folder / name).write_text(text, encoding="utf-8", newline="\n")
        files = publish(stage, target, replacement)
    for engine in engines:
        tell_written(target / engine)
    return engines, files
