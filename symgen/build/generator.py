"""Which generator this is: the digest of all that decides what is generated."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from functools import cache
from pathlib import Path

#: What a derivation stands on besides symgen: another version may order or print terms otherwise.
_LIBRARIES = ("sympy", "mpmath", "jinja2")
#: Templates, and the C that is the same in everything that is generated.
_TEMPLATES = (".j2", ".c", ".h")


@cache
def generator_digest(sources: frozenset[str] | None = None) -> str:
    """Return the SHA-256, in hexadecimal, of symgen's sources and templates and of the libraries' versions.

    Parameters
    ----------
    sources : names of the Python modules to take (`symgen.pipeline.module_sources`); by default all.
    """
    from symgen.resources import source_path, templates_folder

    package = Path(__file__).resolve().parent.parent
    every = package.rglob("*.py") if sources is None else map(source_path, sources)
    found = hashlib.sha256()
    for root, paths in (
        (package, every),
        (package / "printers", (package / "printers").rglob("*.json")),
        (templates_folder(), [path for path in templates_folder().rglob("*") if path.suffix in _TEMPLATES]),
    ):
        for path in sorted(paths):
            found.update(f"{path.relative_to(root).as_posix()}\0{path.stat().st_size}\0".encode())
            found.update(path.read_bytes())
    for name in _LIBRARIES:
        found.update(f"{name} {importlib.metadata.version(name)}\0".encode())
    found.update(platform.python_version().encode())
    return found.hexdigest()
