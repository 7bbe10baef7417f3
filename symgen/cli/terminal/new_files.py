"""Many small files into a folder: all or none of them, into a new folder, an empty one, or over files of their kind."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from symgen.cli.terminal.publishing import staging
from symgen.errors import InputError
from symgen.model.nearest import list_names


def check_folder(option: str, name: str, head: str) -> Path:
    """Return the path of a folder to write, refused early if something else stands in it.

    Parameters
    ----------
    option : for messages.
    name : the folder.
    head : words that the first line of each file holds that may stand there.

    Raises
    ------
    InputError
        if it is no folder, or holds anything without these words; files whose names begin with a dot do not count.
    """
    folder = Path(name)
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InputError(f"{option} {name}: this is not a folder; give the name of a new or empty one")
    strange = [path.name for path in _shown(folder) if not _is_own(path, head)]
    if strange:
        raise InputError(
            f"{option} {name}: the folder holds {list_names(strange)}, not written by {head!r}; give the name of a "
            "new or an empty one"
        )
    return folder


def write_folder(option: str, name: str, head: str, files: Iterable[tuple[str, str]]) -> int:
    """Write files into a folder, which is made if need be; return how many.

    Parameters
    ----------
    option, name, head : as of `check_folder`.
    files : name and text of each.

    Raises
    ------
    InputError
        if the folder holds other files, of `head` too: they would lie beside the new ones as if they belonged to
        them. Nothing is written then.
    """
    folder = check_folder(option, name, head)
    with staging(folder) as staged:
        names = []
        for file, text in files:
            (staged / file).write_text(text, encoding="utf-8", newline="\n")
            names.append(file)
        check_folder(option, name, head)  # once more: writing may have taken its time
        stale = sorted({path.name for path in _shown(folder)} - set(names))
        if stale:
            raise InputError(
                f"{option} {name}: the folder holds {list_names(stale)} from another run, which would remain beside "
                f"the {len(names)} files of this one; remove them, or give the name of a new or empty folder"
            )
        for file in names:
            (staged / file).replace(folder / file)
    return len(names)


def _shown(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".")) if folder.is_dir() else []


def _is_own(path: Path, head: str) -> bool:
    if not path.is_file() or path.is_symlink():
        return False
    with path.open(encoding="utf-8", errors="replace") as stream:
        return head in stream.readline(500)
