"""The C of an export as a tree: what a caller includes, and what is compiled."""

from __future__ import annotations

from symgen.export.step import step_view
from symgen.export.subject import Subject
from symgen.pipeline.texts import render_view


def code_files(subject: Subject, request: str) -> dict[str, str]:
    """Return headers below ``include/`` and sources below ``src/``: what a caller sees, then what works behind it."""
    step = step_view(subject)
    files = {f"include/{subject.prefix}.h": render_view("export/header.h.j2", step, request)}
    files["include/symgen_status.h"] = subject.texts["symgen_status.h"]
    files[f"src/{subject.prefix}.c"] = render_view("export/step.c.j2", step, request)
    for name, text in sorted(subject.texts.items()):
        if name != "symgen_status.h":
            files[f"{'include' if subject.batch and name == subject.header else 'src'}/{name}"] = text
    return files


def units_of(files: dict[str, str]) -> tuple[str, ...]:
    """Return what is compiled, in order."""
    return tuple(sorted(name for name in files if name.endswith(".c")))
