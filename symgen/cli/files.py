"""Files a verb writes: checked before the work, whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from symgen.errors import InputError


def check_target(option: str, name: str, suffixes: tuple[str, ...] = ()) -> Path:
    """Return the path of a file to write, refused early if it cannot be written.

    Raises
    ------
    InputError
        The suffix is not one of `suffixes`, there is no such folder, or the name is that of a folder.
    """
    path = Path(name)
    if suffixes and path.suffix.lower() not in suffixes:
        raise InputError(f"{option} {name}: the name must end in {' or '.join(suffixes)}, which says the format")
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


def write_whole(path: Path, write: Callable[[IO[str]], object]) -> None:
    """Write a text file beside its place and rename it: a reader sees the old file or the whole new one.

    Parameters
    ----------
    write : is given the open stream.
    """
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        # 0o666 less the user's umask, as any program would make it; O_EXCL: never through a link that is already there
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            write(stream)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise _cannot_write(path, error) from error
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _cannot_write(path: Path, error: OSError) -> InputError:
    """Name the file that the user asked for, not the one beside it that is renamed in the end."""
    return InputError(f"{path}: {(error.strerror or str(error)).lower()}; give a file that can be written")


def write_text(path: Path, text: str) -> None:
    """Write a text as a file, whole or not at all."""
    write_whole(path, lambda stream: stream.write(text))
