"""What a library's files are told of an export, for linkers, for pkg-config and for C++."""

from __future__ import annotations

from collections.abc import Sequence

from symgen import __version__
from symgen.export.step import writes_singular
from symgen.export.subject import Input, Result, Subject
from symgen.naming import free_text, identifier_from
from symgen.render.documentation import title_line
from symgen.render.export import LibraryView, NumberView, names_of


def library_view(subject: Subject) -> LibraryView:
    """Return the view of a library."""
    prefix = subject.prefix
    solver = subject.header.removesuffix(".h").removesuffix("_f32")
    batches = (f"symgen*_{solver}_*_batch",) if subject.batch else ()
    return LibraryView(
        preamble=(),
        title=title_line(subject.title),
        prefix=prefix,
        names=names_of(prefix),
        guard=f"{prefix.upper()}_HPP",
        real=subject.real,
        version=__version__,
        exported=(f"{prefix}_init", f"{prefix}_step", *batches),
        inputs=_named(subject.inputs, f"{prefix.upper()}_IN_"),
        results=_named(subject.results, f"{prefix.upper()}_OUT_"),
        good="status == SYMGEN_OK" + (" || status == SYMGEN_SINGULAR" if writes_singular(subject) else ""),
        branches=len(subject.branches) if subject.branch_is_input else 0,
        linked=f"-l{prefix}",
    )


def _named(values: Sequence[Input | Result], stem: str) -> tuple[NumberView, ...]:
    """Return names in C++ with the enumerators behind them, which are the same without what all begin with."""
    last = len(values) - 1
    found = []
    for k, value in enumerate(values):
        name = identifier_from(value.c_name.removeprefix(stem), "n")
        ending = f" = {value.c_name}{',' if k != last else ''}"
        found.append(NumberView(name, ending, free_text(f"{value.name} [{value.unit}]")))
    return tuple(found)
