"""The cache stays below its limit: the longest unused goes first, what a process uses stays, whoever cleans."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from symgen.build import cache, holds, upkeep
from symgen.build.cache import Cache
from symgen.errors import InputError

SIZE = 100_000
KEYS = [f"{number:02x}" * 32 for number in range(8)]
#: An entry is its library and some hundred bytes of `meta.json`.
ROOM_FOR_ONE = SIZE + 1000


def write_library(folder: Path) -> Path:
    (folder / "library").write_bytes(b"\0" * SIZE)
    return folder / "library"


def fill(root: Path, keys: list[str]) -> None:
    """Put entries into a cache by another process that has ended, used one after the other."""
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); from symgen.build.cache import Cache\n"
        "def make(folder):\n (folder / 'library').write_bytes(bytes(int(sys.argv[3]))); return folder / 'library'\n"
        "for key in sys.argv[4:]: Cache(Path(sys.argv[2])).obtain(key, make, {})\n"
    )
    repository = str(Path(__file__).parents[2])
    environment = {**os.environ, upkeep.VARIABLE: "none"}
    subprocess.run([sys.executable, "-c", script, repository, str(root), str(SIZE), *keys], check=True, env=environment)
    for age, key in enumerate(reversed(keys)):
        used = 1e9 - age
        os.utime(Cache(root).entry(key) / "meta.json", (used, used))


def there(root: Path) -> list[str]:
    return [key for key in KEYS if Cache(root).entry(key).is_dir()]


@contextmanager
def user_of(root: Path, key: str) -> Iterator[subprocess.Popen[str]]:
    """A process that uses an entry until the end of the block."""
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); from symgen.build.cache import Cache\n"
        "print(Cache(Path(sys.argv[2])).lookup(sys.argv[3]), flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parents[2]), str(root), key]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip().endswith("library")
        yield process


def test_what_was_not_used_for_longest_goes_first(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache_root, KEYS[:4])
    monkeypatch.setenv(upkeep.VARIABLE, f"{3 * ROOM_FOR_ONE / 1e6} MB")
    Cache(cache_root).obtain(KEYS[5], write_library, {})
    assert there(cache_root) == [KEYS[2], KEYS[3], KEYS[5]]


def test_a_use_makes_an_entry_young_again(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache_root, KEYS[:3])
    with user_of(cache_root, KEYS[0]):
        pass
    monkeypatch.setenv(upkeep.VARIABLE, f"{2 * ROOM_FOR_ONE / 1e6} MB")
    Cache(cache_root).obtain(KEYS[5], write_library, {})
    assert there(cache_root) == [KEYS[0], KEYS[5]]


def test_nothing_goes_while_there_is_room(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache_root, KEYS[:3])
    monkeypatch.setenv(upkeep.VARIABLE, f"{4 * ROOM_FOR_ONE / 1e6}")
    Cache(cache_root).obtain(KEYS[5], write_library, {})
    assert there(cache_root) == [*KEYS[:3], KEYS[5]]


def test_what_another_process_uses_stays(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache_root, KEYS[:3])
    monkeypatch.setenv(upkeep.VARIABLE, "0 MB")
    with user_of(cache_root, KEYS[1]) as process:
        Cache(cache_root).obtain(KEYS[5], write_library, {})
        assert there(cache_root) == [KEYS[1], KEYS[5]]
        process.send_signal(signal.SIGKILL)
    Cache(cache_root).obtain(KEYS[6], write_library, {})
    assert there(cache_root) == [KEYS[5], KEYS[6]]  # what this process itself uses


def test_a_child_that_was_forked_uses_what_its_parent_used(cache_root: Path) -> None:
    fill(cache_root, KEYS[:2])
    script = (
        "import os, sys; from pathlib import Path; sys.path.insert(0, sys.argv[1])\n"
        "from symgen.build.cache import Cache\n"
        "Cache(Path(sys.argv[2])).lookup(sys.argv[3])\n"
        "if os.fork(): os._exit(0)\n"
        "os.setsid(); print('ready', flush=True); sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parents[2]), str(cache_root), KEYS[0]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.wait(timeout=60) == 0
        assert parent.stdout.readline() == "ready\n"
        upkeep.clean(cache_root, everything=True)
        assert there(cache_root) == [KEYS[0]]


def test_a_limit_below_one_module_keeps_what_was_just_made(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache_root, KEYS[:2])
    monkeypatch.setenv(upkeep.VARIABLE, "1 kB")
    built = Cache(cache_root).obtain(KEYS[5], write_library, {})
    assert built.library.stat().st_size == SIZE
    assert there(cache_root) == [KEYS[5]]


def test_an_entry_that_was_removed_is_made_again(cache_root: Path) -> None:
    fill(cache_root, KEYS[:1])
    upkeep.clean(cache_root, everything=True)
    assert there(cache_root) == []
    built = Cache(cache_root).obtain(KEYS[0], write_library, {})
    assert built.fresh
    assert Cache(cache_root).lookup(KEYS[0]) == built.library


def test_a_cache_that_was_deleted_under_a_process_is_made_again_and_held(cache_root: Path) -> None:
    import shutil

    Cache(cache_root).obtain(KEYS[0], write_library, {})
    shutil.rmtree(cache_root)
    fill(cache_root, KEYS[:2])
    assert Cache(cache_root).lookup(KEYS[0]) is not None
    fill(cache_root, [])
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from symgen.build.upkeep import clean; from pathlib import Path"
    )
    command = [sys.executable, "-c", f"{script}; clean(Path(sys.argv[2]), True)", str(Path(__file__).parents[2])]
    subprocess.run([*command, str(cache_root)], check=True)
    assert there(cache_root) == [KEYS[0]]


def test_many_processes_fill_and_clean_one_cache(cache_root: Path) -> None:
    script = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); from symgen.build.cache import Cache\n"
        "def make(folder):\n (folder / 'library').write_bytes(bytes(int(sys.argv[3]))); return folder / 'library'\n"
        "cache = Cache(Path(sys.argv[2]))\n"
        "for key in sys.argv[4:]:\n"
        " library = cache.obtain(key, make, {}).library\n"
        " assert library.stat().st_size == int(sys.argv[3])\n"
        "print(sum(cache.entry(key).is_dir() for key in sys.argv[4:]))\n"
    )
    environment = {**os.environ, upkeep.VARIABLE: f"{ROOM_FOR_ONE / 1e6} MB"}
    arguments = [str(Path(__file__).parents[2]), str(cache_root), str(SIZE)]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script, *arguments, *KEYS[first:], *KEYS[:first]],
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for first in (0, 2, 4, 6)
    ]
    said = [process.communicate(timeout=120)[0].strip() for process in processes]
    assert said == [str(len(KEYS))] * len(processes)  # what a process used is there as long as it runs
    assert list(cache_root.glob("*/tmp-*")) == []


def truncate(entry: Path) -> None:
    os.truncate(entry / "library", SIZE // 2)


def lose_meta(entry: Path) -> None:
    (entry / "meta.json").unlink()


def lose_library(entry: Path) -> None:
    (entry / "library").unlink()


@pytest.mark.parametrize("damage", [truncate, lose_meta, lose_library])
def test_cleaning_removes_what_is_damaged_and_keeps_what_is_sound(
    cache_root: Path, damage: Callable[[Path], None]
) -> None:
    fill(cache_root, KEYS[:3])
    damage(Cache(cache_root).entry(KEYS[1]))
    done = upkeep.clean(cache_root)
    assert there(cache_root) == [KEYS[0], KEYS[2]]
    assert (done.removed, done.kept) == (1, 2)
    assert 2 * SIZE < done.kept_bytes < 2 * ROOM_FOR_ONE


def test_cleaning_removes_what_a_killed_process_left_and_nothing_that_is_being_made(cache_root: Path) -> None:
    fill(cache_root, KEYS[:1])
    shelf = cache_root / KEYS[0][:2]
    left = shelf / f"tmp-{KEYS[0][:16]}-xyz"
    left.mkdir()
    write_library(left)
    seen = []

    def make(folder: Path) -> Path:
        seen.append(upkeep.clean(cache_root, everything=True))
        return write_library(folder)

    built = Cache(cache_root).obtain(KEYS[5], make, {})
    assert built.library.stat().st_size == SIZE
    assert not left.exists()
    assert there(cache_root) == [KEYS[5]]
    assert 2 * SIZE < seen[0].removed_bytes < 2 * ROOM_FOR_ONE


def test_cleaning_a_cache_that_is_not_there_makes_none(cache_root: Path) -> None:
    assert upkeep.clean(cache_root, everything=True) == upkeep.Freed()
    assert not cache_root.exists()


def test_a_read_only_cache_is_used_and_nothing_is_removed(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(cache_root, KEYS[:2])

    def refuse(path: object, *_args: object, **_kwargs: object) -> None:
        raise PermissionError(13, "read-only", str(path))

    # Permissions do not stop root, and tests may run as root.
    for name in ("utime", "rename", "mkdir"):
        monkeypatch.setattr(os, name, refuse)
    really = os.open
    monkeypatch.setattr(
        os, "open", lambda path, flags, *a, **k: (refuse if flags & os.O_RDWR else really)(path, flags, *a)
    )
    assert Cache(cache_root).lookup(KEYS[0]) is not None
    table = holds._table(cache_root)
    assert table is not None
    assert (table.writable, table.held) == (False, {KEYS[0]})
    assert upkeep.keep_below(cache_root, 10 * SIZE).removed == 0
    with pytest.raises(PermissionError):
        upkeep.keep_below(cache_root, 0)
    assert there(cache_root) == KEYS[:2]


def test_a_module_is_used_though_nothing_could_be_removed_for_it(
    cache_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(cache, "keep_below", refuse)
    assert Cache(cache_root).obtain(KEYS[0], write_library, {}).fresh


@pytest.mark.parametrize(
    ("text", "size"),
    [("", 500_000_000), ("2 GB", 2_000_000_000), ("1.5mb", 1_500_000), ("20", 20_000_000), ("10 kB", 10_000), ("0", 0)],
)
def test_a_limit_is_a_size(text: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(upkeep.VARIABLE, text)
    assert upkeep.limit() == size


def test_none_is_no_limit(cache_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(upkeep.VARIABLE, "None")
    assert upkeep.limit() is None
    fill(cache_root, KEYS[:2])
    assert upkeep.clean(cache_root).kept == 2


@pytest.mark.parametrize("text", ["-1", "1 TB", "MB", "0x10", "1e3", "٣"])
def test_a_limit_that_is_no_size_is_refused_before_anything_is_made(
    text: str, cache_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(upkeep.VARIABLE, text)
    with pytest.raises(InputError, match=r'SYMGEN_CACHE_LIMIT.*"500 MB"'):
        Cache(cache_root).obtain(KEYS[0], write_library, {})
    assert not cache_root.exists()
