"""The compiler: found, never through a shell, its refusals told in its own words."""

from __future__ import annotations

import dataclasses
import json
import sysconfig
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symgen.build import compiler
from symgen.build.compiler import find_compiler
from symgen.build.errors import CompilerFailedError, DeclarationError, NoCompilerError
from symgen.build.load import build_module
from symgen.build.recipe import FileOnDemand, ModuleSources, SourceFile, digest, key_of
from symgen.errors import InputError


def with_source(toy: ModuleSources, text: bytes) -> ModuleSources:
    return dataclasses.replace(toy, files=(SourceFile("toy/toy.c", text), toy.files[1]))


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-compiler", "is not a program"),
        ("'unclosed", "cannot be read as a command"),
        ("false", "does not work as a C compiler"),
    ],
)
def test_a_compiler_that_is_none_is_a_typed_error_that_names_cc(
    command: str, message: str, cache_root: Path, toy: ModuleSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", command)
    with pytest.raises(NoCompilerError, match=message):
        build_module(toy)


def test_no_compiler_on_the_path_says_what_was_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCompilerError, match="cc, gcc, clang"):
        find_compiler()


def test_cc_is_never_given_to_a_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "ran"
    monkeypatch.setenv("CC", f"cc; touch {marker}")
    with pytest.raises(NoCompilerError):
        find_compiler()
    assert not marker.exists()


@pytest.mark.compiler
def test_cc_may_hold_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "cc -pipe")
    assert find_compiler().command == ("cc", "-pipe")


@pytest.mark.compiler
def test_without_python_h_the_error_says_what_to_install(
    cache_root: Path, toy: ModuleSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    with pytest.raises(NoCompilerError, match=r"no Python\.h.*python3-dev"):
        build_module(toy)


@pytest.mark.extension
def test_a_refused_source_is_told_with_the_command_and_leaves_nothing(cache_root: Path, toy: ModuleSources) -> None:
    with pytest.raises(CompilerFailedError) as caught:
        build_module(with_source(toy, b'#include "toy.h"\nint32_t toy_double_it(int32_t value) { return 2*valeu; }\n'))
    text = str(caught.value)
    assert "-std=c99" in text.splitlines()[0]
    assert "valeu" in text
    assert len(text.splitlines()) <= CompilerFailedError.LINES + 2
    assert list(cache_root.glob("*/tmp-*")) == []
    assert list(cache_root.glob("*/*/meta.json")) == []


@pytest.mark.extension
def test_declarations_that_cannot_be_read_are_a_typed_error(cache_root: Path, toy: ModuleSources) -> None:
    with pytest.raises(DeclarationError, match="toy_double"):
        build_module(dataclasses.replace(toy, cdef="int32_t f(unknown_type x);"))


@pytest.mark.extension
def test_a_compiler_that_hangs_is_ended(
    cache_root: Path, toy: ModuleSources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hanging = tmp_path / "hanging-cc"
    hanging.write_text('#!/bin/sh\ncase "$1" in --version|-dumpmachine) echo slow; exit;; esac\nexec sleep 600\n')
    hanging.chmod(0o755)
    monkeypatch.setenv("CC", str(hanging))
    monkeypatch.setattr(compiler, "TIME_LIMIT", 0.2)
    with pytest.raises(CompilerFailedError, match="did not finish"):
        build_module(toy)


def test_lengths_keep_lists_of_parts_apart() -> None:
    assert len({digest(parts) for parts in ([b"ab", b"c"], [b"a", b"bc"], [b"abc"], [b"abc", b""], [])}) == 5


@given(st.lists(st.binary(max_size=4), max_size=4), st.lists(st.binary(max_size=4), max_size=4))
def test_equal_digests_mean_equal_parts(first: list[bytes], second: list[bytes]) -> None:
    assert (digest(first) == digest(second)) == (first == second)


@pytest.mark.compiler
def test_the_key_changes_with_everything_that_decides_the_bytes(
    toy: ModuleSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMGEN_OPTIMISE", "1")
    cc = find_compiler()
    changed = [
        key_of(toy, cc),
        key_of(toy, dataclasses.replace(cc, version="another")),
        key_of(toy, dataclasses.replace(cc, machine="another")),
        key_of(dataclasses.replace(toy, name="other"), cc),
        key_of(dataclasses.replace(toy, cdef=toy.cdef + "\n"), cc),
        key_of(with_source(toy, toy.files[0].text + b"\n"), cc),
    ]
    monkeypatch.setattr("symgen.build.compiler.FLAGS", ("-g",))
    changed.append(key_of(toy, cc))
    for level in ("2", "3"):
        monkeypatch.setenv("SYMGEN_OPTIMISE", level)
        changed.append(key_of(toy, cc))
    assert len(set(changed)) == len(changed)


@pytest.mark.compiler
def test_a_file_on_demand_is_known_by_what_decides_it_and_is_not_written_for_its_key(toy: ModuleSources) -> None:
    def refused() -> str:
        raise AssertionError("written")

    cc = find_compiler()
    keys = set()
    for decides in (b"one", b"two"):
        file = FileOnDemand(toy.files[0].path, decides, refused)
        keys.add(key_of(dataclasses.replace(toy, files=(file, *toy.files[1:])), cc))
    assert len(keys) == 2
    assert FileOnDemand("a.h", b"", lambda: "\u00b5").text == "\u00b5".encode()


@pytest.mark.extension
def test_the_level_of_optimisation_is_the_users(
    cache_root: Path, toy: ModuleSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = {}
    for level in ("", "3", "1"):
        monkeypatch.setenv("SYMGEN_OPTIMISE", level)
        built = build_module(toy)
        found[level] = built.key, built.fresh
        meta = json.loads((built.library.parent / "meta.json").read_text())
        assert f"-O{level or 3}" in meta["flags"].split()
    assert found["3"] == (found[""][0], False)
    assert found["1"][1]


@pytest.mark.parametrize("level", ["0", "s", "3 -g"])
def test_a_level_that_is_none_is_refused(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_OPTIMISE", level)
    with pytest.raises(InputError, match=r"SYMGEN_OPTIMISE.*allowed are 1, 2, 3"):
        compiler.module_flags()


@pytest.mark.compiler
def test_the_users_own_options_are_part_of_the_key(toy: ModuleSources, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = []
    for options in ("", " -O1", " -O3", " -O1 -O3", " '-O1 -O3'"):
        monkeypatch.setenv("CC", f"cc{options}")
        keys.append(key_of(toy, find_compiler()))
    assert len(set(keys)) == len(keys)


@pytest.mark.extension
def test_other_options_in_cc_build_a_module_of_their_own(
    cache_root: Path, toy: ModuleSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for command in ("cc -O1", "cc -O3", "cc -O1"):
        monkeypatch.setenv("CC", command)
        built = build_module(toy)
        found.append((built.key, built.fresh))
    (first, fresh_1), (second, fresh_2), (again, fresh_3) = found
    assert (fresh_1, fresh_2, fresh_3) == (True, True, False)
    assert first != second
    assert first == again


@pytest.mark.compiler
def test_the_key_does_not_depend_on_the_order_of_files(toy: ModuleSources) -> None:
    cc = find_compiler()
    assert key_of(toy, cc) == key_of(dataclasses.replace(toy, files=toy.files[::-1]), cc)
