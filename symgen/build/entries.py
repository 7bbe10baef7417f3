"""Where the cache is, whose it must be, and what makes one entry of it sound."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from symgen.build.errors import UnsafeCacheError
from symgen.build.recipe import FORMAT
from symgen.build.trust import reason_for_distrust

VARIABLE = "SYMGEN_CACHE"
META = "meta.json"


def cache_place() -> Path:
    """Return where the cache is or would be: ``$SYMGEN_CACHE``, else the user's cache folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser().absolute()
    from platformdirs import user_cache_path

    return Path(user_cache_path("symgen", appauthor=False)) / "build"


def check_owner(folder: Path) -> None:
    """Refuse a folder from which code of somebody else could be run.

    Raises
    ------
    UnsafeCacheError
        The folder belongs to another user, or others may write to it: see `symgen.build.trust`.
    """
    reason = reason_for_distrust(folder)
    if reason is not None:
        raise UnsafeCacheError(
            f"cache folder {folder} {reason}: code in it would be run; or set {VARIABLE} to a folder of your own"
        )


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sound_library(entry: Path, key: str) -> Path | None:
    """Return the library of an entry if `meta.json` describes it and the digest fits, else None."""
    try:
        meta = json.loads((entry / META).read_text(encoding="utf-8"))
        name = meta["library"]
        if meta["schema"] != FORMAT or meta["key"] != key or os.path.basename(name) != name:
            return None
        library = entry / name
        return library if file_digest(library) == meta["sha256"] else None
    except (OSError, ValueError, TypeError, KeyError):
        return None


def mark_used(entry: Path) -> None:
    """Note that an entry is used now, where that can be written: by the time of its `meta.json`."""
    with suppress(OSError):
        os.utime(entry / META)
