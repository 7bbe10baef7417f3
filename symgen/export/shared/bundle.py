"""The files of a shared library: the library, headers, sources, what pkg-config reads, the manifest."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from symgen.build.compiler import find_compiler
from symgen.errors import BuildError
from symgen.export.backend import Asked, Product, manifest_of, manifest_text
from symgen.export.code import code_files
from symgen.export.following import period_notes
from symgen.export.library_view import library_view
from symgen.export.linking import ENDINGS, link, system_of
from symgen.export.step import abi
from symgen.export.subject import Subject, refuse_prefix
from symgen.naming import free_text
from symgen.pipeline.texts import render_view

MANIFEST = "manifest.json"
_EXPORTS = "exports"
#: Libraries that a linker takes by these names, and would take ours for.
_LIBRARIES = frozenset(["c", "m", "dl", "rt", "pthread", "util", "gcc", "gcc_s", "stdc++", "supc++", "atomic", "z"])


def bundle(subject: Subject, asked: Asked) -> Product:
    """Return the files of a shared library.

    Raises
    ------
    BuildError
        There is no compiler, it makes libraries for no system that is known here, or it fails.
    InputError
        A prefix that is taken; a period too long to follow the motion of the file.
    """
    refuse_prefix(subject.prefix, _LIBRARIES, f"lib{subject.prefix} is a library of every system")
    compiler = find_compiler()
    system = system_of(compiler.machine)
    if system is None:
        raise BuildError(
            f"{' '.join(compiler.command)} compiles for {compiler.machine}, but symgen does not know how to link "
            "libraries there; set CC to a compiler for Linux, macOS or Windows"
        )  # fmt: skip
    view = library_view(subject)
    code = code_files(subject, asked.command)
    subject = replace(subject, notes=(*subject.notes, *period_notes(subject, code)))
    name = f"lib{subject.prefix}{ENDINGS[system]}"
    more, flags = _exporting(system, name, view.exported)
    with tempfile.TemporaryDirectory(prefix="symgen-export-") as folder:
        library = Path(folder) / name
        link(compiler, {**code, **more}, ("include", "src"), flags, library)
        files: dict[str, str | bytes] = {**code, f"lib/{name}": library.read_bytes()}
    files[f"lib/pkgconfig/{subject.prefix}.pc"] = render_view("export/shared/library.pc.j2", view, asked.command)
    manifest = manifest_of(
        subject, files, asked, abi=abi(subject), library=f"lib/{name}", machine=compiler.machine,
        notes=list(subject.notes), not_run=[],
    )  # fmt: skip
    files[MANIFEST] = manifest_text(manifest)
    said = (
        f"{free_text(subject.title)}: {name} for {compiler.machine}, {len(subject.inputs)} inputs, "
        f"{len(subject.results)} results, {subject.precision}",
    )
    return Product(files, manifest, said, (), subject.notes)


def _exporting(system: str, name: str, exported: tuple[str, ...]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return a file for the linker and flags by which a library shows the functions of the header and no other."""
    if system == "darwin":
        text = "".join(f"_{each}\n" for each in exported)
        return {_EXPORTS: text}, ("-Wl,-exported_symbols_list," + _EXPORTS, f"-Wl,-install_name,@rpath/{name}")
    if system == "linux":
        text = f"{{ global: {' '.join(f'{each};' for each in exported)} local: *; }};\n"
        return {_EXPORTS: text}, (f"-Wl,--version-script={_EXPORTS}", f"-Wl,-soname,{name}")
    return {}, ()  # on Windows everything is exported
