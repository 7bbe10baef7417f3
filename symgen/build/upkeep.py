"""A cache stays below a limit: what was not used for longest goes first, and never what a running process uses.

An entry says when it was used last by the time of its ``meta.json``, which every use sets. An entry that is removed is
renamed first, while nobody can begin to use it (`symgen.build.holds`): it is there whole, or it is not there. The files
``<key>.lock`` stay: they are empty, and another process may be waiting for one.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from symgen.build.entries import META, check_owner, sound_library
from symgen.build.holds import unused
from symgen.errors import InputError

VARIABLE = "SYMGEN_CACHE_LIMIT"
#: All types of the library in both precisions take about 80 MB.
DEFAULT_LIMIT = 500_000_000
_UNITS = {"kb": 1e3, "mb": 1e6, "gb": 1e9}
_LOCK = "upkeep.lock"
#: Empty files beside the entries: modules of `symgen generate` that are up to date.
_MARKS = "made"


def limit() -> int | None:
    """Return how many bytes a cache may hold: ``$SYMGEN_CACHE_LIMIT``; None if it says that there is no limit.

    Raises
    ------
    InputError
        It is no size.
    """
    text = os.environ.get(VARIABLE, "").strip()
    if not text:
        return DEFAULT_LIMIT
    if text.lower() == "none":
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]b)?", text, flags=re.IGNORECASE | re.ASCII)
    if found is None:
        raise InputError(f'{VARIABLE}={text!r}: allowed are a size, such as "500 MB" or "2 GB", and "none"')
    return int(float(found[1]) * _UNITS[(found[2] or "mb").lower()])


@dataclass(frozen=True)
class CacheEntry:
    """One entry of a cache: its folder, the bytes of its files, and when it was used last [ns], 0 if that is lost."""

    folder: Path
    size: int
    used: int


@dataclass(frozen=True)
class Freed:
    """What was removed and what is left: numbers of entries, and bytes."""

    removed: int = 0
    removed_bytes: int = 0
    kept: int = 0
    kept_bytes: int = 0


@dataclass(frozen=True)
class Survey:
    """What a cache holds: sound and unsound entries, and the bytes of all files."""

    sound: int
    unsound: int
    size: int


def survey(root: Path) -> Survey | None:
    """Look through a cache folder; None if it cannot be written (or made).

    Raises
    ------
    UnsafeCacheError
        See `symgen.build.entries.check_owner`.
    """
    if not root.exists():
        above = next(folder for folder in root.parents if folder.exists())
        return Survey(0, 0, 0) if above.is_dir() and os.access(above, os.W_OK) else None
    if not root.is_dir() or not os.access(root, os.W_OK):
        return None
    check_owner(root)
    found = entries(root)
    sound = sum(sound_library(entry.folder, entry.folder.name) is not None for entry in found)
    return Survey(sound, len(found) - sound, _size(root))


def entries(root: Path) -> list[CacheEntry]:
    """Return the entries of a cache, the one that was not used for longest first."""
    found = []
    for folder in root.glob("??/" + "?" * 64):
        used = 0
        with suppress(OSError):
            used = (folder / META).stat().st_mtime_ns
        found.append(CacheEntry(folder, _size(folder), used))
    return sorted(found, key=lambda entry: (entry.used, entry.folder.name))


def keep_below(root: Path, most: int) -> Freed:
    """Remove what was not used for longest until the entries take no more bytes than `most`.

    A process that finds another one at it leaves it to that one.
    """
    from filelock import FileLock, Timeout

    found = entries(root)
    if sum(entry.size for entry in found) <= most:
        return _account(found, [])
    lock = FileLock(root / _LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        return _account(found, [])
    try:
        return _without_oldest(root, entries(root), most)
    finally:
        lock.release()


def clean(root: Path, everything: bool = False) -> Freed:
    """Remove damaged entries, what killed processes left, and what is above the limit.

    Parameters
    ----------
    everything : remove all entries that no process uses, and the marks of modules that are up to date.

    Raises
    ------
    InputError
        See `limit`.
    UnsafeCacheError
        See `symgen.build.entries.check_owner`.
    OSError
        The cache cannot be written.
    """
    most = 0 if everything else limit()
    if not root.is_dir():
        return Freed()
    check_owner(root)
    if everything:
        shutil.rmtree(root / _MARKS, ignore_errors=True)
    swept = _sweep_leftovers(root)
    damaged = [entry for entry in entries(root) if sound_library(entry.folder, entry.folder.name) is None]
    removed = [entry for entry in damaged if _remove(root, entry)]
    found = _account(entries(root), []) if most is None else keep_below(root, most)
    more = sum(entry.size for entry in removed) + swept
    return replace(found, removed=found.removed + len(removed), removed_bytes=found.removed_bytes + more)


def _without_oldest(root: Path, found: list[CacheEntry], most: int) -> Freed:
    left = sum(entry.size for entry in found)
    removed = []
    for entry in found:
        if left <= most:
            break
        if _remove(root, entry):
            removed.append(entry)
            left -= entry.size
    return _account(found, removed)


def _account(found: list[CacheEntry], removed: list[CacheEntry]) -> Freed:
    gone = sum(entry.size for entry in removed)
    return Freed(len(removed), gone, len(found) - len(removed), sum(entry.size for entry in found) - gone)


def _remove(root: Path, entry: CacheEntry) -> bool:
    """Remove an entry unless a process uses it; tell whether it is gone."""
    key = entry.folder.name
    with unused(root, key) as free:
        if not free:
            return False
        try:
            aside = Path(tempfile.mkdtemp(prefix=f"tmp-{key[:16]}-", dir=entry.folder.parent))
            entry.folder.rename(aside / "removed")
        except OSError:  # a process that cleans as well was faster, or the cache cannot be written
            return not entry.folder.exists()
    shutil.rmtree(aside, ignore_errors=True)
    return True


def _sweep_leftovers(root: Path) -> int:
    """Remove the folders that killed processes left, of keys that nobody is building; return their bytes."""
    from filelock import FileLock, Timeout

    swept = 0
    for left in root.glob("??/tmp-*"):
        with ExitStack() as locks, suppress(Timeout):
            for path in left.parent.glob(f"{left.name[4:20]}*.lock"):
                locks.enter_context(FileLock(path).acquire(timeout=0))
            size = _size(left)
            shutil.rmtree(left, ignore_errors=True)
            swept += size
    return swept


def _size(folder: Path) -> int:
    """Return the bytes of the files below a folder; one that another process removes meanwhile has none."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.lstat(os.path.join(path, name)).st_size
    return total
