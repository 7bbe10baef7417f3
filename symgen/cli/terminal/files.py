"""Files a verb writes: checked before the work, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from symgen.errors import InputError
from symgen.model.whole_files import write_bytes, write_whole

__all__ = ["check_distinct", "check_target", "tell_written", "write_bytes", "write_text", "write_whole"]


def check_target(option: str, name: str, suffixes: tuple[str, ...] = ()) -> Path:
    """Return the path of a file to write, refused early if it cannot be written.

    Raises
    ------
    InputError
        The suffix is not one of `suffixes`, there is no such folder, or the name is that of a folder.
    """
    path = Path(name)
    if suffixes and path.suffix.lower() not in suffixes:
        raise InputError(f"{option} {name}: the name must end in {' or '.join(suffixes)}, which selects the format")
    if path.is_dir():
        raise InputError(f"{option} {name}: this is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(f"{option} {name}: there is no folder {str(path.parent)!r}; make it first")
    return path


def check_distinct(targets: Mapping[str, str | Path | None]) -> None:
    """Refuse two options (option -> file or None) that would write the same file, whatever it is called.

    Raises
    ------
    InputError
        With both options.
    """
    seen: dict[Path, str] = {}
    for option, name in targets.items():
        if name is None:
            continue
        place = Path(name).resolve()
        if place in seen:
            raise InputError(f"{seen[place]} and {option} both write {name}; give two names")
        seen[place] = option


def tell_written(path: str | Path, note: str = "") -> None:
    """Say that a file or folder has been written: on standard error, the same word whatever it is."""
    click.echo(f"written: {path}{note}", err=True)


def write_text(path: Path, text: str) -> None:
    """Write a text as a file, whole or not at all."""
    write_whole(path, lambda stream: stream.write(text))
