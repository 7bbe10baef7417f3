"""Copies of a module that keeps data: nobody sees what somebody else has written."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from symgen.build.errors import LoadError
from symgen.build.load import Copies, build_module
from symgen.build.recipe import ModuleSources, SourceFile

pytestmark = pytest.mark.compiler

_TEXT = b"""#include "kept.h"
static int32_t kept;
void keep(int32_t value) { kept = value; }
int32_t told(void) { return kept; }
"""
_HEADER = b"#include <stdint.h>\nvoid keep(int32_t value);\nint32_t told(void);\n"


def _sources() -> ModuleSources:
    files = (SourceFile("kept/kept.c", _TEXT), SourceFile("kept/kept.h", _HEADER))
    return ModuleSources(
        "kept", "void keep(int32_t value);\nint32_t told(void);", "kept.h", ("kept/kept.c",), ("kept",), files
    )


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Copies:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))
    return Copies(_sources())


def test_calls_at_a_time_have_data_of_their_own(copies: Copies) -> None:
    with copies.one() as first, copies.one() as second:
        first.lib.keep(1)
        second.lib.keep(2)
        assert (first.lib.told(), second.lib.told()) == (1, 2)


def test_a_copy_is_used_again_also_by_others(copies: Copies) -> None:
    with copies.one() as first:
        pass
    with Copies(_sources()).one() as again:
        assert again is first


def test_a_copy_comes_back_when_the_call_fails(copies: Copies) -> None:
    with pytest.raises(ZeroDivisionError), copies.one() as first:
        raise ZeroDivisionError
    with copies.one() as again:
        assert again is first


def test_one_run_at_a_time_needs_no_room_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))
    sources = replace(_sources(), preamble="/* a module that no other test has loaded */")
    build_module(sources)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    copies = Copies(sources)
    with copies.one() as first:
        first.lib.keep(1)
        with pytest.raises(LoadError, match="TMPDIR"), copies.one():
            raise AssertionError("there is no room")


def test_threads_never_share_one(copies: Copies) -> None:
    wrong: list[int] = []
    together = threading.Barrier(4)

    def work(value: int) -> None:
        together.wait()
        for _ in range(200):
            with copies.one() as module:
                module.lib.keep(value)
                wrong.extend([value] if module.lib.told() != value else [])

    threads = [threading.Thread(target=work, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
