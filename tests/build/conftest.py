"""A tiny module to compile, written by hand, and a cache of each test's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from symgen.build.notices import forget_notices
from symgen.build.recipe import ModuleSources, SourceFile

CDEF = "int32_t toy_double_it(int32_t value);"
HEADER = b"#include <stdint.h>\nint32_t toy_double_it(int32_t value);\n"
SOURCE = b'#include "toy.h"\nint32_t toy_double_it(int32_t value) { return 2*value; }\n'


def toy_sources(source: bytes = SOURCE, cdef: str = CDEF) -> ModuleSources:
    files = (SourceFile("toy/toy.c", source), SourceFile("toy/toy.h", HEADER))
    return ModuleSources("toy_double", cdef, "toy.h", ("toy/toy.c",), ("toy",), files)


@pytest.fixture
def toy() -> ModuleSources:
    return toy_sources()


@pytest.fixture
def cache_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "cache"
    monkeypatch.setenv("SYMGEN_CACHE", str(root))
    forget_notices()
    return root
