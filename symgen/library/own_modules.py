"""Where a module of somebody's own may be that the library does not hold, for whoever asks for it by its name."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from symgen.library.manifest import is_of_another_kind

#: Names the folders that are searched before the shipped one.
VARIABLE = "SYMGEN_LIBRARY"
#: So many entries of a folder are looked at: a message takes no time.
_MOST_ENTRIES = 200


def advice_for_own(name: str) -> str:
    """Return what helps if `name` is that of a module of one's own; an empty text if it can be none."""
    if not name.isidentifier():
        return ""
    found = seen_nearby(name)
    if found:
        return found
    given = os.environ.get(VARIABLE, "")
    if given:
        return f"No folder of {VARIABLE}={given} holds a module {name!r}"
    return (
        f"If {name!r} is a module of your own, set {VARIABLE} to the folder that it was generated into (--out); "
        f"{VARIABLE} is not set"
    )


def seen_nearby(name: str) -> str:
    """Return how a module of this name is found whose files, or whose derivation, are at hand; else an empty text."""
    if not name.isidentifier():
        return ""
    folder = _folder_with(name)
    if folder is not None and is_of_another_kind(Path(folder) / name / f"{name}.json"):
        return f"The folder {Path(folder) / name} holds no solved type but a whole mechanism, or what serves one"
    if folder is not None:
        others = os.environ.get(VARIABLE, "")
        value = f"{folder}{os.pathsep}{others}" if others else folder
        return f"The folder {Path(folder) / name} holds a module of this name; it is found with {VARIABLE}={value}"
    if os.path.isfile(f"{name}.py"):
        return (
            f"There is a file {name}.py: if it is the derivation, `symgen generate {name}.py --out solvers` writes the "
            f"module, and with {VARIABLE}=solvers it is found"
        )
    return ""


def _folder_with(name: str) -> str | None:
    """Return the folder that holds a module: the working folder, or one in it."""
    try:
        with os.scandir(".") as entries:
            inside = sorted(each.name for each in islice(entries, _MOST_ENTRIES) if each.is_dir())
    except OSError:
        return None
    candidates = (".", *inside)
    return next((each for each in candidates if os.path.isfile(os.path.join(each, name, f"{name}.json"))), None)
