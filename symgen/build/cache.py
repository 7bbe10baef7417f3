"""The cache of shared objects: content-addressed, checked before use, published by one rename.

Layout::

    <root>/<first two letters of key>/<key>/{src/, <library>, meta.json}
    <root>/<first two letters of key>/<key>.lock
    <root>/<first two letters of key>/tmp-<16 letters of key>-*      being built or removed, or left by a killed process
    <root>/in-use                                                    what running processes use: `symgen.build.holds`

A library is never written where it will be loaded from, and its SHA-256 is
compared before it is mapped: a truncated shared object kills the process.
After each build the cache is brought below its limit again: `symgen.build.upkeep`.
"""

from __future__ import annotations

import atexit
import errno
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from symgen.build.entries import META, VARIABLE, cache_place, check_owner, file_digest, mark_used, sound_library
from symgen.build.holds import hold
from symgen.build.notices import say_once
from symgen.build.recipe import FORMAT
from symgen.build.upkeep import keep_below, limit
from symgen.errors import BuildError

#: Seconds to wait for another process that builds the same module.
LOCK_LIMIT = 600.0
_UNWRITABLE = {errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EEXIST, errno.ENOSPC, errno.EDQUOT}


@dataclass(frozen=True)
class Built:
    """A shared object that is ready to load, its key, and whether it was compiled just now."""

    library: Path
    key: str
    fresh: bool


class Cache:
    """A folder of built modules.

    Parameters
    ----------
    root : the folder; made on first use, for the user alone (mode 0700).
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def entry(self, key: str) -> Path:
        """Return the folder of a key, there or not."""
        return self.root / key[:2] / key

    def lookup(self, key: str) -> Path | None:
        """Return the library of a sound entry, or None if there is none or its digest is wrong.

        From here on nobody removes the entry, until this process ends.
        """
        if not self.root.is_dir():
            return None
        check_owner(self.root)
        hold(self.root, key)
        entry = self.entry(key)
        if entry.is_dir():  # it may be older than the care that the cache's folder is given now
            check_owner(entry)
        library = sound_library(entry, key)
        if library is not None:
            mark_used(entry)
        return library

    def obtain(self, key: str, make: Callable[[Path], Path], about: dict[str, str]) -> Built:
        """Return the library of a key, building it if there is no sound one.

        Parameters
        ----------
        key : content address.
        make : writes what it builds into the folder it is given and returns the library in it.
        about : what else ``meta.json`` shall say (compiler, flags, versions).

        Raises
        ------
        UnsafeCacheError
            See `check_owner`.
        BuildError
            Building failed, or another process held the lock for longer than `LOCK_LIMIT`.
        InputError
            See `symgen.build.upkeep.limit`.
        OSError
            The cache cannot be written; see `is_unwritable`.
        """
        found = self.lookup(key)
        if found is not None:
            return Built(found, key, fresh=False)
        most = limit()
        self._make_root()
        with self._lock(key):
            found = self.lookup(key)  # another process may have built it while we waited
            if found is not None:
                return Built(found, key, fresh=False)
            self._sweep(key)
            library = self._build(key, make, about)
        if most is not None:
            with suppress(OSError):  # the module is there; what could not be removed now goes another time
                keep_below(self.root, most)
        return Built(library, key, fresh=True)

    def _make_root(self) -> None:
        if not self.root.is_dir():
            try:
                self.root.parent.mkdir(parents=True, exist_ok=True)
                self.root.mkdir(mode=0o700, exist_ok=True)
            except FileNotFoundError as error:  # a place where nothing can be made, such as below /proc
                raise OSError(errno.EACCES, "it cannot be made there") from error
        check_owner(self.root)

    @contextmanager
    def _lock(self, key: str) -> Iterator[None]:
        from filelock import FileLock, Timeout  # 30 ms that a hit does not need

        shelf = self.root / key[:2]
        shelf.mkdir(mode=0o700, exist_ok=True)
        lock = FileLock(shelf / f"{key}.lock", timeout=LOCK_LIMIT)
        try:
            lock.acquire()
        except Timeout as error:
            raise BuildError(
                f"another process has been building {key[:16]} for more than {LOCK_LIMIT:g} s; "
                f"end it, or set {VARIABLE} to another folder"
            ) from error
        try:
            yield
        finally:
            lock.release()

    def _sweep(self, key: str) -> None:
        """Remove what a killed builder of this key left, and an entry that is not sound; the lock is ours."""
        entry = self.entry(key)
        if entry.exists():
            os.rename(entry, Path(tempfile.mkdtemp(prefix=f"tmp-{key[:16]}-", dir=entry.parent)) / "broken")
        for left in entry.parent.glob(f"tmp-{key[:16]}-*"):
            shutil.rmtree(left, ignore_errors=True)

    def _build(self, key: str, make: Callable[[Path], Path], about: dict[str, str]) -> Path:
        entry = self.entry(key)
        folder = Path(tempfile.mkdtemp(prefix=f"tmp-{key[:16]}-", dir=entry.parent))
        try:
            library = make(folder)
            meta = {"schema": FORMAT, "key": key, "library": library.name, "sha256": file_digest(library), **about}
            (folder / META).write_text(json.dumps(meta, indent=1, sort_keys=True) + "\n", encoding="utf-8")
            os.rename(folder, entry)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError) and error.errno is not None and error.filename is None:  # of a full disk
                raise OSError(error.errno, error.strerror, str(self.root)) from error
            raise
        return entry / library.name


def is_unwritable(error: OSError) -> bool:
    """Tell whether an error says that the cache cannot be written (rather than that something is broken)."""
    return error.errno in _UNWRITABLE


@lru_cache(maxsize=1)
def _private_folder(_process: int) -> Path:
    folder = tempfile.mkdtemp(prefix="symgen-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def private_cache(reason: OSError) -> Cache:
    """Return a cache in a temporary folder of this process, and say once that nothing will be kept."""
    cause = reason.strerror or str(reason)
    say_once(
        "cache",
        f"the cache folder {cache_place()} cannot be written ({cause}): compiled modules are kept "
        f"for this process only; set {VARIABLE} to a folder that can",
    )
    return Cache(_private_folder(os.getpid()))
