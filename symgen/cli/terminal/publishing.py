"""Putting finished module folders where the user wants them: all of a folder or nothing, and nothing lost silently.

Modules are written into a staging folder beside their destination first; a
folder that is complete is then moved into place by renaming it. An existing
folder is replaced only if every file in it is one that symgen wrote there.
Its manifest holds the SHA-256 of each file: one that has been edited since, and
files that the new module would lack, are given up only if the user says so.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symgen.certificates.place import certificate_name
from symgen.cli.terminal.files import tell_written
from symgen.errors import InputError
from symgen.pipeline.texts import COMMON_HEADERS

_SCHEMAS = (
    "symgen/module/3",
    "symgen/module/2",
    "symgen/loop-module/1",
    "symgen/mechanism-module/1",
    "symgen/engine/1",
    "symgen/dynamics/1",
    "symgen/transfer/1",
)
# Named after a mechanism: two of them can come to the same name.
_OF_MECHANISMS = ("symgen/loop-module/1", "symgen/mechanism-module/1", "symgen/dynamics/1")
# Stand beside the C of every module.
_COMMON = frozenset(COMMON_HEADERS)
_IGNORED = {"__pycache__"}
_STAGING = ".symgen-staging-"
_KINDS = ("double", "float", "numpy")
_ELSEWHERE = "move it away or choose another --out"


@dataclass(frozen=True)
class Replacement:
    """What may happen to a module folder that is there already.

    Parameters
    ----------
    kinds : what the new module has, as the manifest calls it: of double, float, numpy.
    force : give up edited files, and files of other kinds.
    way_out : what a user can do beside moving the file away; ends a message.
    keep : leave files that symgen did not write in a folder that it did write: programs compiled beside their source.
    """

    kinds: Collection[str] = _KINDS
    force: bool = False
    way_out: str = "choose another --out"
    keep: bool = False


@contextmanager
def staging(out: Path) -> Iterator[Path]:
    """Make `out` if need be and give a staging folder in it, which is gone afterwards, whatever happens."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise InputError(f"--out {out}: there is a file of that name; give a folder") from error
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        folder = Path(tempfile.mkdtemp(prefix=_STAGING, dir=out))
    except OSError as error:
        raise _unwritable(out, error) from error
    try:
        yield folder
    except OSError as error:
        if error.filename is not None:
            raise
        raise InputError(f"--out {out}: {(error.strerror or str(error)).lower()}") from error  # a full disk
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unwritable(out: Path, error: OSError) -> InputError:
    # the name in the error is that of a folder in it that nobody has asked for
    return InputError(f"--out: nothing can be written in {out}: {(error.strerror or str(error)).lower()}")


def check_destination(out: Path, names: Sequence[str], replacement: Replacement | None = None) -> list[Path]:
    """Refuse before any work is done if one of the folders `names` below `out` is not symgen's to replace.

    Returns
    -------
    list of Path
        Files that will be given up because `force` allows it: edited ones, and those of other kinds.

    Raises
    ------
    InputError
        With the folder and the files that stand in the way.
    """
    rule = replacement or Replacement()
    return [path for name in names for path in _check_replaceable(out / name, rule)]


def publish(staged: Path, out: Path, replacement: Replacement | None = None) -> list[Path]:
    """Move every folder in the folder `staged` to `out`; return the files' new places, sorted."""
    folders = sorted(entry for entry in staged.iterdir() if entry.is_dir())
    check_destination(out, [folder.name for folder in folders], replacement)
    for folder in folders if replacement is None or not replacement.force else ():
        _check_same_mechanism(folder, out / folder.name, replacement or Replacement())
    published: list[Path] = []
    for folder in folders:
        target = out / folder.name
        published += sorted(target / path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        if replacement is not None and replacement.keep:
            _take_along(target, folder)
        _keep_certificate(target, folder)
        replace_folder(folder, target)
    return published


def tell_module(module: str, out: Path, seconds: float) -> None:
    """Say where a module stands now and what it took."""
    tell_written(out / module, f" ({seconds:.1f} s)")


def _check_same_mechanism(new: Path, target: Path, rule: Replacement) -> None:
    """Refuse to put a module of one mechanism in the place of another's that happens to have the same name."""
    old, made = (_read(folder / f"{new.name}.json") for folder in (target, new))
    titles = old.get("title"), made.get("title")
    if made.get("schema") in _OF_MECHANISMS and titles[0] is not None and titles[0] != titles[1]:
        raise InputError(
            f"{target} holds the {titles[0]}, which the {titles[1]} would replace: give it another name with --name "
            f"ID, {rule.way_out}"
        )


def replace_folder(new: Path, target: Path) -> None:
    """Put a finished folder in the place of another one, which comes back if that fails."""
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


def _take_along(target: Path, new: Path) -> None:
    """Copy into a folder that takes the place of `target` what symgen did not write there.

    Raises
    ------
    InputError
        A file of the new folder has the name of one of these.
    """
    for name in sorted(_foreign(target)[1]) if target.is_dir() else ():
        old, copy = target / name, new / name
        if copy.exists():
            raise InputError(f"{target} holds {name!r}, which symgen did not write there: {_ELSEWHERE}")
        if old.is_dir() and not old.is_symlink():
            shutil.copytree(old, copy, symlinks=True)
        else:
            shutil.copy2(old, copy, follow_symlinks=False)


def _keep_certificate(target: Path, new: Path) -> None:
    """Copy the certificate of a module that comes out byte for byte as it was; that of another one says nothing."""
    certificate, manifest = certificate_name(target.name), f"{target.name}.json"
    there = all(path.is_file() for path in (target / certificate, target / manifest, new / manifest))
    if there and (target / manifest).read_bytes() == (new / manifest).read_bytes():
        shutil.copy2(target / certificate, new / certificate)


def _foreign(target: Path) -> tuple[set[str], set[str]]:
    """Return names in a module folder: what symgen wrote, or may have written, and the others."""
    manifest = target / f"{target.name}.json"
    content = _read(manifest)
    own = {manifest.name, certificate_name(target.name), *_COMMON} if content else set()
    own |= {name for names in _files(content).values() for name in names}
    own |= set(_digests(content))
    found = {path.relative_to(target).as_posix() for path in target.iterdir() if path.name not in _IGNORED}
    return found & own, found - own


def _check_replaceable(target: Path, rule: Replacement) -> list[Path]:
    if target.is_symlink():
        raise InputError(f"{target} is a symbolic link: symgen writes only below --out; remove the link")
    if not target.exists():
        return []
    if not target.is_dir():
        raise InputError(f"{target} is a file, symgen needs a folder there: {_ELSEWHERE}")
    manifest = target / f"{target.name}.json"
    content = _read(manifest)
    files = _files(content)
    found, foreign = _foreign(target)
    if foreign and not (rule.keep and content):
        raise InputError(f"{target} holds {min(foreign)!r}, which symgen did not write there: {_ELSEWHERE}")
    written = found - {manifest.name, certificate_name(target.name)}
    edited = [name for name in sorted(written) if not _as_written(target / name, content)]
    lost = _lost(files, rule.kinds) & found
    if rule.force:
        return [target / name for name in sorted(lost.union(edited))]
    if edited:
        raise InputError(
            f"{target / edited[0]} has been edited, or comes from an older symgen: it differs from what its manifest "
            f"records; move it away, {rule.way_out}"
        )
    if lost:
        raise InputError(
            f"{target} holds {', '.join(sorted(lost))}, which this run would remove, because it writes "
            f"{_words(rule.kinds)} only: {rule.way_out}"
        )
    return []


def _lost(files: Mapping[str, Sequence[str]], kinds: Collection[str]) -> set[str]:
    """Return the files of kinds that are not made again."""
    lost = {name for kind, names in files.items() if kind not in kinds for name in names}
    lost -= {name for kind, names in files.items() if kind in kinds for name in names}
    return lost if {"double", "float"} & set(kinds) else lost | _COMMON


def _words(kinds: Collection[str]) -> str:
    names = {"double": "C in double precision", "float": "C in single precision", "numpy": "NumPy"}
    return " and ".join(names[kind] for kind in _KINDS if kind in kinds)


def _as_written(path: Path, manifest: Mapping[str, Any]) -> bool:
    """Whether a file is the one whose digest the manifest holds."""
    if not path.is_file() or path.is_symlink():
        return False
    return hashlib.sha256(path.read_bytes()).hexdigest() == _digests(manifest).get(path.name)


def is_as_written(folder: Path) -> bool:
    """Whether a module folder holds just what its manifest says was written, untouched."""
    content = _read(folder / f"{folder.name}.json")
    digests = _digests(content)
    if not digests:
        return False
    found = {path.name for path in folder.iterdir()} - _IGNORED - {f"{folder.name}.json", certificate_name(folder.name)}
    return found == set(digests) and all(_as_written(folder / name, content) for name in found)


def _read(manifest: Path) -> dict[str, Any]:
    """Return a manifest; nothing if it is not one of symgen's."""
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) and content.get("schema") in _SCHEMAS else {}


def _digests(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return the digests of the files that a manifest says were written beside it."""
    digests = manifest.get("sha256")
    return digests if isinstance(digests, dict) else {}


def _files(manifest: Mapping[str, Any]) -> dict[str, list[str]]:
    files = manifest.get("files", {})
    if not isinstance(files, dict):
        return {}
    return {str(kind): [str(name) for name in names] for kind, names in files.items() if isinstance(names, list)}
