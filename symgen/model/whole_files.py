"""Files written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from symgen.errors import InputError


def write_whole(path: Path, write: Callable[[IO[str]], object]) -> None:
    """Write a text file beside its place and rename it: a reader sees the old file or the whole new one.

    Parameters
    ----------
    write : is given the open stream.
    """

    def text(handle: int) -> None:
        with open(handle, "w", encoding="utf-8", newline="\n") as stream:
            write(stream)

    _write(path, text)


def write_bytes(path: Path, content: bytes) -> None:
    """Write bytes in the same way."""

    def whole(handle: int) -> None:
        with open(handle, "wb") as stream:
            stream.write(content)

    _write(path, whole)


def _write(path: Path, write: Callable[[int], None]) -> None:
    part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
    try:
        # 0o666 less the user's umask, as any program would make it; O_EXCL: never through a link that is already there
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise _cannot_write(path, error) from error
    try:
        write(handle)
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
