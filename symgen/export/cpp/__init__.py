"""Exports for C++: a header around the C, with arrays of the right size and a class that holds the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symgen.export.backend import COMMON, Asked, Product, Setting, manifest_of, manifest_text

if TYPE_CHECKING:
    from symgen.export.subject import Subject
    from symgen.printers.c99 import Precision


@dataclass(frozen=True)
class Cpp:
    """C++11 around the C of an export."""

    name: str = "cpp"
    summary: str = "a C++ header around the C"
    common: frozenset[str] = frozenset(COMMON)
    settings: tuple[Setting, ...] = ()
    precision: Precision = "double"
    manifest: str = "manifest.json"
    archive: str = ""
    tangent: bool = False

    def check(self, settings: Mapping[str, Any]) -> None:
        """Nothing of its own can be wrong."""

    def files(self, subject: Subject, asked: Asked) -> Product:
        """Return headers, sources and the manifest."""
        from symgen.export.code import code_files
        from symgen.export.following import period_notes
        from symgen.export.library_view import library_view
        from symgen.export.step import abi
        from symgen.export.subject import refuse_prefix
        from symgen.naming import free_text
        from symgen.pipeline.texts import render_view

        refuse_prefix(subject.prefix, ("main", "std"), "C++ uses this name for something else")
        view = library_view(subject)
        code = code_files(subject, asked.command)
        subject = replace(subject, notes=(*subject.notes, *period_notes(subject, code)))
        files: dict[str, str | bytes] = {**code}
        files[f"include/{subject.prefix}.hpp"] = render_view("export/cpp/wrapper.hpp.j2", view, asked.command)
        manifest = manifest_of(subject, files, asked, abi=abi(subject), notes=list(subject.notes), not_run=[])
        said = (
            f"{free_text(subject.title)}: namespace {subject.prefix}, {len(subject.inputs)} inputs, "
            f"{len(subject.results)} results, {subject.precision}",
        )
        return Product({**files, self.manifest: manifest_text(manifest)}, manifest, said, (), subject.notes)


BACKEND = Cpp()
