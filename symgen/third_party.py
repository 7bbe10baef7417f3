"""What installed packages offer: derivations of theirs, and folders of modules that they have generated.

Three groups of entry points are read, without importing anything that they name:

symgen.groups     NAME = "package.module:function": a derivation, of a structural group or a formula
symgen.elements   the same, of an element of transfer matrices
symgen.library    NAME = "package:folder": a folder of generated modules inside a package

Looking costs some milliseconds and is done once a process, when the library is first opened. A package is imported only
when a name is asked for that is its own.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from functools import lru_cache
from importlib import metadata
from importlib.machinery import PathFinder
from pathlib import Path

GROUPS, ELEMENTS, LIBRARY = "symgen.groups", "symgen.elements", "symgen.library"


@dataclass(frozen=True)
class Offer:
    """One entry point.

    Parameters
    ----------
    group : of entry points, such as ``symgen.groups``.
    name : what the package calls it; of a derivation the id of its module.
    value : where it is: ``package.module:attribute``.
    package : name and version of the distribution.
    """

    group: str
    name: str
    value: str
    package: str

    @property
    def text(self) -> str:
        """The entry point, for messages."""
        return f"entry point {self.name!r} of {self.group} ({self.value}, package {self.package})"


def derivations() -> tuple[Offer, ...]:
    """Return the derivations that installed packages offer, by name, then by package."""
    return tuple(offer for offer in offers() if offer.group in (GROUPS, ELEMENTS))


def named(name: str) -> tuple[Offer, ...]:
    """Return the derivations that are offered under a name; several if packages contradict each other."""
    return tuple(offer for offer in derivations() if offer.name == name)


def offers() -> tuple[Offer, ...]:
    """Return all entry points that are symgen's business, by group, name and package."""
    return _offers(tuple(sys.path))


@lru_cache(maxsize=4)
def _offers(_path: tuple[str, ...]) -> tuple[Offer, ...]:
    every = metadata.entry_points()
    found = {
        Offer(group, point.name, point.value, _package(point))
        for group in (GROUPS, ELEMENTS, LIBRARY)
        for point in every.select(group=group)
    }
    return tuple(sorted(found, key=lambda offer: (offer.group, offer.name, offer.package, offer.value)))


def _package(point: metadata.EntryPoint) -> str:
    distribution = point.dist
    return "unknown" if distribution is None else f"{distribution.name} {distribution.version}"


def library_places() -> tuple[tuple[Offer, Path | None], ...]:
    """Return the folders of generated modules that packages ship; None where there is no such folder."""
    return tuple((offer, _folder(offer.value)) for offer in offers() if offer.group == LIBRARY)


def _folder(value: str) -> Path | None:
    """Return the folder inside a package without importing the package."""
    package, _, inside = value.partition(":")
    for place in _places(package.strip()):
        folder = place.joinpath(*inside.strip().split(".")) if inside.strip() else place
        if folder.is_dir():
            return folder
    return None


def _places(package: str) -> list[Path]:
    """Return the folders of a package; none if it is not there, or is a single file."""
    path: list[str] | None = None
    parts = package.split(".")
    for number in range(len(parts)):
        spec = PathFinder.find_spec(".".join(parts[: number + 1]), path)
        path = [] if spec is None else list(spec.submodule_search_locations or ())
        if not path:
            return []
    return [Path(each) for each in path or ()]


def _sources(value: str) -> list[Path]:
    """Return the Python files of the package, or the file, that an entry point names."""
    top = value.partition(":")[0].split(".")[0].strip()
    spec = PathFinder.find_spec(top)
    if spec is None:
        return []
    folders = [Path(each) for each in spec.submodule_search_locations or ()]
    if not folders:
        return [Path(spec.origin)] if spec.origin else []
    return [path for folder in folders for path in sorted(folder.rglob("*.py"))]


def digest() -> str:
    """Return the SHA-256 of what is offered and of its sources, in hexadecimal; "" if there is nothing.

    A package that is worked on changes without a new version: sizes and times of its sources count.
    """
    wanted = derivations()
    if not wanted:
        return ""
    found = hashlib.sha256()
    for offer in wanted:
        found.update(f"{offer}\0".encode())
        for path in _sources(offer.value):
            state = path.stat()
            found.update(f"{path}\0{state.st_size}\0{state.st_mtime_ns}\0".encode())
    return found.hexdigest()
