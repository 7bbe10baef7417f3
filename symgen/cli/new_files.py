"""Many small files into a folder: all or none of them, and never over a file that is not of the same kind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from symgen.cli.publishing import staging
from symgen.errors import InputError


def write_folder(option: str, name: str, head: str, files: Iterable[tuple[str, str]]) -> int:
    """Write files into a folder, which is made if need be; return how many.

    Parameters
    ----------
    option : for messages.
    name : the folder.
    head : words that the first line of each of these files holds; a file without them is not written over.
    files : name and text of each.

    Raises
    ------
    InputError
        if a file of that name stands there that does not begin with `head`; nothing is written then.
    """
    folder = Path(name)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InputError(f"{option} {name}: this is no folder; give the name of a new or an empty one")
    with staging(folder) as staged:
        names = []
        for file, text in files:
            (staged / file).write_text(text, encoding="utf-8", newline="\n")
            names.append(file)
        for file in names:
            _check_own(option, folder / file, head)
        for file in names:
            (staged / file).replace(folder / file)
    return len(names)


def _check_own(option: str, path: Path, head: str) -> None:
    if not path.exists() and not path.is_symlink():
        return
    if path.is_file() and not path.is_symlink():
        with path.open(encoding="utf-8", errors="replace") as stream:
            if head in stream.readline(500):
                return
    raise InputError(f"{option}: {path} was not written by {head!r}; move it away or choose another folder")
