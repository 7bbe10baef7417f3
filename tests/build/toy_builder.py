"""Run by the tests as a process of its own: build the toy module, say whether it was compiled here."""

from __future__ import annotations

import sys
from pathlib import Path

from symgen.build.load import build_module, load_module
from symgen.build.recipe import ModuleSources, SourceFile


def main(folder: Path) -> None:
    files = tuple(SourceFile(f"toy/{name}", (folder / name).read_bytes()) for name in ("toy.c", "toy.h"))
    cdef = (folder / "toy.cdef").read_text()
    sources = ModuleSources("toy_double", cdef, "toy.h", ("toy/toy.c",), ("toy",), files)
    built = build_module(sources)
    assert load_module(sources).lib.toy_double_it(21) == 42
    print("compiled" if built.fresh else "found")


main(Path(sys.argv[1]))
