"""Output folders: all of a module or nothing, and never over files that symgen did not write."""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path

import pytest

from symgen.cli.terminal.publishing import Replacement, check_destination, publish, staging
from symgen.errors import InputError


def _module(folder: Path, text: str = "new", kinds: tuple[str, ...] = ("double", "numpy")) -> None:
    files = {"double": ["dyad.c", "dyad.h"], "numpy": ["dyad.py"]}
    names = [name for kind in kinds for name in files[kind]] + ["symgen_status.h"] * ("double" in kinds)
    digest = hashlib.sha256(text.encode()).hexdigest()
    manifest = {
        "schema": "symgen/module/3",
        "files": {kind: files[kind] for kind in kinds},
        "sha256": dict.fromkeys(names, digest),
    }
    folder.mkdir(parents=True)
    (folder / f"{folder.name}.json").write_text(json.dumps(manifest))
    for name in names:
        (folder / name).write_text(text)


def _publish_one(out: Path, text: str = "new") -> list[Path]:
    with staging(out) as staged:
        _module(staged / "dyad", text)
        return publish(staged, out)


def _tree(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_a_new_folder_is_moved_into_place_and_nothing_else_is_left(tmp_path: Path) -> None:
    files = _publish_one(tmp_path / "out")
    assert [path.name for path in files] == ["dyad.c", "dyad.h", "dyad.json", "dyad.py", "symgen_status.h"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["dyad"]


def test_a_folder_of_symgens_own_is_replaced_with_its_stale_files(tmp_path: Path) -> None:
    _publish_one(tmp_path, "old")
    _publish_one(tmp_path, "new")
    assert _tree(tmp_path)["dyad/dyad.c"] == "new"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["dyad"]


@pytest.mark.parametrize("foreign", ["notes.txt", "dyad.o", "sub/x"])
def test_a_folder_with_a_foreign_file_is_refused_and_left_alone(tmp_path: Path, foreign: str) -> None:
    _publish_one(tmp_path, "old")
    path = tmp_path / "dyad" / foreign
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    before = _tree(tmp_path)
    with pytest.raises(InputError, match="did not write"):
        check_destination(tmp_path, ["dyad"])
    with pytest.raises(InputError, match="did not write"):
        _publish_one(tmp_path)
    assert _tree(tmp_path) == before


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"schema": "other/1"}'])
def test_a_folder_with_a_manifest_of_something_else_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "dyad").mkdir()
    (tmp_path / "dyad" / "dyad.json").write_text(content)
    with pytest.raises(InputError, match=r"dyad\.json"):
        check_destination(tmp_path, ["dyad"])


def test_a_symbolic_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "dyad").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="symbolic link"):
        check_destination(tmp_path / "out", ["dyad"])


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dyad").write_text("mine")
    with pytest.raises(InputError, match="is a file"):
        check_destination(tmp_path, ["dyad"])
    with pytest.raises(InputError, match="give a folder"), staging(tmp_path / "dyad"):
        pass


def test_a_failure_in_the_middle_leaves_what_was_there(tmp_path: Path) -> None:
    _publish_one(tmp_path, "old")
    before = _tree(tmp_path)

    def fail_half_way() -> None:
        with staging(tmp_path) as staged:
            (staged / "dyad").mkdir()
            (staged / "dyad" / "dyad.c").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail_half_way()
    assert _tree(tmp_path) == before


def test_an_edited_file_is_given_up_only_by_force(tmp_path: Path) -> None:
    _publish_one(tmp_path, "old")
    (tmp_path / "dyad" / "dyad.c").write_text("mine")
    before = _tree(tmp_path)
    with pytest.raises(InputError, match=r"dyad\.c has been edited"):
        check_destination(tmp_path, ["dyad"])
    assert _tree(tmp_path) == before
    assert check_destination(tmp_path, ["dyad"], Replacement(force=True)) == [tmp_path / "dyad" / "dyad.c"]


def test_a_module_without_digests_counts_as_edited(tmp_path: Path) -> None:
    _publish_one(tmp_path, "old")
    manifest = tmp_path / "dyad" / "dyad.json"
    content = json.loads(manifest.read_text())
    del content["sha256"]
    manifest.write_text(json.dumps(content))
    with pytest.raises(InputError, match="older symgen"):
        check_destination(tmp_path, ["dyad"])


@pytest.mark.parametrize(
    ("kinds", "lost"), [(("numpy",), ["dyad.c", "dyad.h", "symgen_status.h"]), (("double", "float"), ["dyad.py"])]
)
def test_files_that_are_not_made_again_are_given_up_only_by_force(
    tmp_path: Path, kinds: tuple[str, ...], lost: list[str]
) -> None:
    _publish_one(tmp_path, "old")
    with pytest.raises(InputError, match="would remove") as caught:
        check_destination(tmp_path, ["dyad"], Replacement(kinds, way_out="give --force"))
    assert all(name in str(caught.value) for name in lost)
    given_up = check_destination(tmp_path, ["dyad"], Replacement(kinds, force=True))
    assert given_up == [tmp_path / "dyad" / name for name in lost]


def test_force_does_not_touch_a_file_that_symgen_did_not_write(tmp_path: Path) -> None:
    _publish_one(tmp_path, "old")
    (tmp_path / "dyad" / "thesis.tex").write_text("mine")
    with pytest.raises(InputError, match="thesis"):
        check_destination(tmp_path, ["dyad"], Replacement(force=True))


def test_more_kinds_than_before_are_welcome(tmp_path: Path) -> None:
    _module(tmp_path / "dyad", kinds=("numpy",))
    assert check_destination(tmp_path, ["dyad"], Replacement(("double", "numpy"))) == []


def test_a_full_disk_names_the_folder_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--out .*: no space left on device"), staging(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("foreign", ["a.out", "build/x.o"])
def test_what_was_compiled_beside_the_source_stays_where_that_is_said(tmp_path: Path, foreign: str) -> None:
    out = tmp_path / "out"
    _module(out / "m", "old")
    (out / "m" / foreign).parent.mkdir(exist_ok=True)
    (out / "m" / foreign).write_text("mine")
    with staging(out) as staged:
        _module(staged / "m")
        written = publish(staged, out, Replacement(keep=True))
    assert out / "m" / foreign not in written
    found = _tree(out)
    assert found[f"m/{foreign}"] == "mine"
    assert found["m/dyad.c"] == "new"
    with staging(out) as staged:  # a new file of that name would overwrite it
        _module(staged / "m")
        (staged / "m" / foreign).parent.mkdir(exist_ok=True)
        (staged / "m" / foreign).write_text("new")
        with pytest.raises(InputError, match="did not write there"):
            publish(staged, out, Replacement(keep=True))
    assert _tree(out) == found
