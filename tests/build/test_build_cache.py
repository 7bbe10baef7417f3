"""The cache of compiled modules: one builder, nothing unsound is ever loaded, nobody else's code is run."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from symgen.build import cache, entries, load, upkeep
from symgen.build.entries import file_digest
from symgen.build.errors import UnsafeCacheError
from symgen.build.load import build_module, load_module
from symgen.build.recipe import ModuleSources

pytestmark = pytest.mark.extension

BUILDER = Path(__file__).with_name("toy_builder.py")


def start_builder(folder: Path, sources: ModuleSources, **environment: str) -> subprocess.Popen[str]:
    folder.mkdir(exist_ok=True)
    for file in sources.files:
        (folder / Path(file.path).name).write_bytes(file.text)
    (folder / "toy.cdef").write_text(sources.cdef)
    return subprocess.Popen(
        [sys.executable, str(BUILDER), str(folder)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def meta_of(library: Path) -> dict[str, str]:
    meta: dict[str, str] = json.loads((library.parent / "meta.json").read_text())
    return meta


def leftovers(root: Path) -> list[Path]:
    return sorted(root.glob("*/tmp-*"))


def test_a_module_is_compiled_once_and_then_found(cache_root: Path, toy: ModuleSources) -> None:
    first, second = build_module(toy), build_module(toy)
    assert (first.fresh, second.fresh) == (True, False)
    assert first.library == second.library == cache_root / first.key[:2] / first.key / toy.library_name
    assert leftovers(cache_root) == []


def test_the_entry_says_what_it_was_made_of(cache_root: Path, toy: ModuleSources) -> None:
    built = build_module(toy)
    meta = meta_of(built.library)
    assert meta["sha256"] == file_digest(built.library)
    assert meta["module"] == "toy_double"
    assert "-ffp-contract=off" in meta["flags"]
    assert (built.library.parent / "src" / "toy" / "toy.c").read_bytes() == toy.files[0].text


def test_a_new_cache_belongs_to_the_user_alone(cache_root: Path, toy: ModuleSources) -> None:
    build_module(toy)
    assert stat.S_IMODE(cache_root.stat().st_mode) == 0o700


def test_building_says_nothing_on_standard_output(
    cache_root: Path, toy: ModuleSources, capfd: pytest.CaptureFixture[str]
) -> None:
    build_module(toy)
    assert capfd.readouterr() == ("", "")


def test_of_four_processes_one_compiles_and_the_others_wait(
    cache_root: Path, tmp_path: Path, toy: ModuleSources
) -> None:
    builders = [start_builder(tmp_path / "src", toy) for _ in range(4)]
    said = [builder.communicate(timeout=300) for builder in builders]
    assert [builder.returncode for builder in builders] == [0, 0, 0, 0], said
    assert sorted(out.strip() for out, _ in said) == ["compiled", "found", "found", "found"]
    assert leftovers(cache_root) == []


def truncate(library: Path) -> None:
    os.truncate(library, library.stat().st_size // 2)


def flip_a_bit(library: Path) -> None:
    data = bytearray(library.read_bytes())
    data[len(data) // 2] ^= 1
    library.write_bytes(data)


def break_meta(library: Path) -> None:
    (library.parent / "meta.json").write_text("{")


def lose_meta(library: Path) -> None:
    (library.parent / "meta.json").unlink()


def lose_library(library: Path) -> None:
    library.unlink()


def name_a_library_elsewhere(library: Path) -> None:
    meta = meta_of(library)
    (library.parent / "meta.json").write_text(json.dumps({**meta, "library": "../" + library.name}))


def turn_meta_into_a_list(library: Path) -> None:
    (library.parent / "meta.json").write_text("[]")


@pytest.mark.parametrize(
    "damage",
    [truncate, flip_a_bit, break_meta, lose_meta, lose_library, name_a_library_elsewhere, turn_meta_into_a_list],
)
def test_a_damaged_entry_is_built_again_and_never_loaded(
    cache_root: Path, toy: ModuleSources, damage: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = build_module(toy).library
    damage(library)
    mapped: list[str] = []
    really = load._load

    def watch(name: str, path: Path) -> object:
        mapped.append(file_digest(path))
        return really(name, path)

    monkeypatch.setattr(load, "_load", watch)
    monkeypatch.setattr(load, "_loaded", {})
    module = load_module(toy)
    assert module.lib.toy_double_it(4) == 8
    assert mapped == [meta_of(library)["sha256"]]
    assert leftovers(cache_root) == []


def test_a_killed_builder_leaves_only_what_the_next_build_clears_away(
    cache_root: Path, tmp_path: Path, toy: ModuleSources
) -> None:
    # The same compiler to the cache (it answers as cc does), but it hangs when it is to compile.
    hanging, started = tmp_path / "hanging-cc", tmp_path / "started"
    hanging.write_text(
        f'#!/bin/sh\ncase "$1" in --version|-dumpmachine) exec cc "$1";; esac\n: > "{started}"\nsleep 600\n'
    )
    hanging.chmod(0o755)
    builder = start_builder(tmp_path / "src", toy, CC=str(hanging))
    deadline = time.monotonic() + 120
    while not started.exists() and time.monotonic() < deadline and builder.poll() is None:
        time.sleep(0.01)
    assert started.exists(), builder.communicate(timeout=10)
    os.killpg(builder.pid, signal.SIGKILL)
    builder.communicate(timeout=60)
    assert len(leftovers(cache_root)) == 1
    assert list(cache_root.glob("*/*/meta.json")) == []

    built = build_module(toy)
    assert built.fresh
    assert leftovers(cache_root) == []


def test_a_cache_that_cannot_be_written_gives_a_private_one_and_says_so_once(
    cache_root: Path, toy: ModuleSources, capfd: pytest.CaptureFixture[str]
) -> None:
    cache_root.write_text("a file where the folder should be")  # also stops root, whom permissions do not
    first, second = build_module(toy), build_module(toy)
    assert (first.fresh, second.fresh) == (True, False)
    private = first.library.parent.parent.parent
    assert private != cache_root
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("SYMGEN_CACHE") == 1
    assert str(cache_root) in err


def test_a_sound_entry_of_a_read_only_cache_is_used(
    cache_root: Path, toy: ModuleSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = build_module(toy).library

    def refuse(*_args: object, **_kwargs: object) -> None:
        raise AssertionError("a hit must not write")

    monkeypatch.setattr(cache.Cache, "_lock", refuse)
    monkeypatch.setattr(cache.Cache, "_make_root", refuse)
    assert build_module(toy).library == library


def test_a_cache_everybody_may_write_is_refused(cache_root: Path, toy: ModuleSources) -> None:
    cache_root.mkdir()
    cache_root.chmod(0o777)
    with pytest.raises(UnsafeCacheError, match="written by every user"):
        build_module(toy)
    assert list(cache_root.iterdir()) == []


def test_a_cache_others_own_or_may_write_is_refused_even_if_it_has_the_module(
    cache_root: Path, toy: ModuleSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_module(toy)
    monkeypatch.setattr(entries, "reason_for_distrust", lambda path: "is not yours" if path == cache_root else None)
    with pytest.raises(UnsafeCacheError, match=r"is not yours.*SYMGEN_CACHE"):
        build_module(toy)


def test_an_entry_others_own_or_may_write_is_refused(
    cache_root: Path, toy: ModuleSources, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = build_module(toy).library.parent
    monkeypatch.setattr(entries, "reason_for_distrust", lambda path: "is not yours" if path == entry else None)
    with pytest.raises(UnsafeCacheError, match="is not yours"):
        build_module(toy)


def test_a_survey_counts_sound_and_damaged_entries(cache_root: Path, toy: ModuleSources) -> None:
    assert upkeep.survey(cache_root) == upkeep.Survey(0, 0, 0)
    library = build_module(toy).library
    found = upkeep.survey(cache_root)
    assert found is not None
    assert (found.sound, found.unsound) == (1, 0)
    truncate(library)
    found = upkeep.survey(cache_root)
    assert found is not None
    assert (found.sound, found.unsound) == (0, 1)
