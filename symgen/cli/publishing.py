"""Putting finished module folders where the user wants them: all of a folder or nothing, and never over foreign files.

Modules are written into a staging folder beside their destination first; a
folder that is complete is then moved into place by renaming it. An existing
folder is replaced only if every file in it is one that symgen wrote there.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from symgen.errors import InputError

_SCHEMAS = ("symgen/module/1", "symgen/loop-module/1")
# Stands beside every module and is named by no manifest.
_COMMON = {"symgen_status.h"}
_IGNORED = {"__pycache__"}
_STAGING = ".symgen-staging-"


@contextmanager
def staging(out: Path) -> Iterator[Path]:
    """Make `out` if need be and give a staging folder in it, which is gone afterwards, whatever happens."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"--out {out}: there is a file of that name; give a folder") from error
    folder = Path(tempfile.mkdtemp(prefix=_STAGING, dir=out))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_destination(out: Path, names: list[str]) -> None:
    """Refuse before any work is done if one of the folders `names` below `out` is not symgen's to replace.

    Raises
    ------
    InputError : with the folder and the first foreign file in it.
    """
    for name in names:
        _check_replaceable(out / name)


def publish(staged: Path, out: Path) -> list[Path]:
    """Move every folder in the folder `staged` to `out`; return the files' new places, sorted."""
    folders = sorted(entry for entry in staged.iterdir() if entry.is_dir())
    check_destination(out, [folder.name for folder in folders])
    published: list[Path] = []
    for folder in folders:
        target = out / folder.name
        _replace_folder(folder, target)
        published += sorted(path for path in target.rglob("*") if path.is_file())
    return published


def _replace_folder(new: Path, target: Path) -> None:
    if target.exists():
        with staging(target.parent) as attic:
            old = attic / target.name
            target.rename(old)
            try:
                new.rename(target)
            except OSError:
                old.rename(target)
                raise
    else:
        new.rename(target)


def _check_replaceable(target: Path) -> None:
    if target.is_symlink():
        raise InputError(f"{target} is a symbolic link: symgen writes only below --out; remove the link")
    if not target.exists():
        return
    if not target.is_dir():
        raise InputError(f"{target} is a file, symgen needs a folder there: move it away or choose another --out")
    foreign = sorted(_foreign_files(target))
    if foreign:
        raise InputError(
            f"{target} holds {foreign[0]!r}, which symgen did not write there: move it away or choose another --out"
        )


def _foreign_files(folder: Path) -> set[str]:
    found = {path.relative_to(folder).as_posix() for path in folder.iterdir() if path.name not in _IGNORED}
    manifest = folder / f"{folder.name}.json"
    return found - _files_of(manifest)


def _files_of(manifest: Path) -> set[str]:
    """Return a manifest and the files that belong to it; nothing if it is not one of symgen's."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return set()
    if not isinstance(content, dict) or content.get("schema") not in _SCHEMAS:
        return set()
    files = content.get("files", {})
    groups = files.values() if isinstance(files, dict) else []
    return _COMMON | {manifest.name} | {str(name) for group in groups if isinstance(group, list) for name in group}
