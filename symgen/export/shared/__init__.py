"""Exports as shared libraries: compiled here, with a header and what pkg-config reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symgen.export.backend import COMMON, Asked, Product, Setting

if TYPE_CHECKING:
    from symgen.export.subject import Subject
    from symgen.printers.c99 import Precision


@dataclass(frozen=True)
class Shared:
    """A shared library for this machine."""

    name: str = "shared"
    summary: str = "a shared library with header and pkg-config"
    common: frozenset[str] = frozenset(COMMON)
    settings: tuple[Setting, ...] = ()
    precision: Precision = "double"
    manifest: str = "manifest.json"
    archive: str = ""
    tangent: bool = False

    def check(self, settings: Mapping[str, Any]) -> None:
        """Refuse to begin without a compiler (BuildError)."""
        from symgen.build.compiler import find_compiler

        find_compiler()

    def files(self, subject: Subject, asked: Asked) -> Product:
        """Return the library, its headers and sources, and what pkg-config reads."""
        from symgen.export.shared.bundle import bundle

        return bundle(subject, asked)


BACKEND = Shared()
