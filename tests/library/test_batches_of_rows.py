"""Batches of a solved type: the quick way gives what the careful one gives, bit for bit; `out`; failed rows."""

from __future__ import annotations

import ctypes
import inspect
import os
import re
import signal
import subprocess
import threading
import time
from collections import namedtuple
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.build.errors import CompilerFailedError
from symgen.build.notices import forget_notices
from symgen.errors import InputError
from symgen.library import backends, rows_call, solved_type
from symgen.library.backends import INTEGER
from symgen.library.open import Library
from symgen.library.solved_type import SolvedFunction
from symgen.printers.tolerances import TOLERANCE_FLOAT
from symgen.status import Status


@pytest.fixture(scope="module", params=["double", "float"])
def dyad(request: pytest.FixtureRequest) -> Any:
    return symgen.library(precision=request.param)["R.R.R 2D"]


def _rows(function: SolvedFunction, real: Any, count: int = 50) -> dict[str, Any]:
    """Return random rows, of which some do not assemble, some hold NaN."""
    random = np.random.default_rng(7)
    rows: dict[str, Any] = {
        port.name: random.integers(0, 2, size=count, dtype=np.int32)
        if port.kind == "int"
        else random.normal(size=(count, *port.shape)).astype(real)
        for port in function.inputs
    }
    for name in ("l_a", "l_b"):
        if name in rows:
            rows[name] = np.abs(rows[name]) + rows[name].dtype.type(0.5)
    first = next(iter(rows))
    rows[first][3, 0] = np.nan
    return rows


def _same(one: Any, two: Any) -> None:
    for name in one._fields:
        a, b = getattr(one, name), getattr(two, name)
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        assert a.tobytes() == b.tobytes(), name


@pytest.mark.parametrize(("level", "stage"), [("kernel", "position"), ("kernel", "all"), ("group", "all")])
def test_arrays_as_they_are_wanted_give_what_every_other_form_gives(dyad: Any, level: str, stage: str) -> None:
    function = dyad.kernel[stage] if level == "kernel" else dyad[stage]
    rows = _rows(function, dyad.real)
    found = function(**rows)
    assert len(set(found.status.tolist())) > 1  # there are rows that fail
    _same(function(*rows.values()), found)
    _same(function(**{name: array.tolist() for name, array in rows.items()}), found)
    _same(function(**{name: np.asfortranarray(array) for name, array in rows.items()}), found)
    _same(function(**{name: np.repeat(array, 2, axis=0)[::2] for name, array in rows.items()}), found)
    cube = function(**{name: array.reshape(5, 10, *array.shape[1:]) for name, array in rows.items()})
    _same(function._result._make([array.reshape(50, *array.shape[2:]) for array in cube]), found)


def test_numbers_beside_arrays_count_for_every_row(dyad: Any) -> None:
    rows = _rows(dyad.kernel.position, dyad.real) | {"l_a": 1.5, "l_b": 2, "branch": 0}
    whole = {name: np.full(50, value) if np.isscalar(value) else value for name, value in rows.items()}
    _same(dyad.kernel.position(**rows), dyad.kernel.position(**whole))
    with pytest.raises(InputError, match=r"branch.*beyond 32 bits"):
        dyad.kernel.position(**rows | {"branch": 2**40})
    with pytest.raises(InputError, match=r"branch.*values of type float64"):
        dyad.kernel.position(**rows | {"branch": 0.0})


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_rows_that_fail_are_nan_where_a_row_alone_is(backend: str) -> None:
    """Each row beside what a prepared call leaves of outputs that held NaN."""
    dyad = symgen.library(backend=backend)["R.R.R 2D"]  # type: ignore[arg-type]
    function = dyad.all
    rows = _rows(function, dyad.real)
    found = function(**rows)
    call = function.prepare()
    for k in range(50):
        for name, array in call.inputs.items():
            array[...] = rows[name][k]
        for array in call.outputs.values():
            array[...] = np.nan
        assert call() == found.status[k]
        for name, array in call.outputs.items():
            np.testing.assert_array_equal(array, getattr(found, name)[k])
    failed = found.status != Status.OK
    assert 0 < failed.sum() < 50


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_out_takes_the_results_whatever_it_held(backend: str) -> None:
    dyad = symgen.library(backend=backend)["R.R.R 2D"]  # type: ignore[arg-type]
    function = dyad.kernel.all
    rows = _rows(function, dyad.real)
    wanted = function(**rows)
    held = function._result._make([np.full_like(array, 17) for array in wanted])
    found = function(**rows, out=held)
    assert all(one is two for one, two in zip(found, held, strict=True))
    _same(found, wanted)
    some = {"p": np.full_like(wanted.p, 17)}
    found = function(**rows, out=some)
    assert found.p is some["p"]
    _same(found, wanted)


@pytest.mark.parametrize("count", [50, 3000])
@pytest.mark.parametrize("lies", ["rows", "columns"])
def test_an_out_may_lie_anywhere(lies: str, count: int) -> None:
    function = symgen.library()["R.R.R 2D"].kernel.position
    rows = {name: np.resize(array, (count, *array.shape[1:])) for name, array in _rows(function, np.float64).items()}
    if lies == "columns":
        rows = {name: np.asfortranarray(array) for name, array in rows.items()}
    wanted = function(**rows)
    wide, shifted = np.zeros((count, 5)), np.zeros(16 * count + 1, dtype=np.uint8)[1:].view(np.float64)
    in_columns, in_rows, turned = np.zeros((count, 2), order="F"), np.zeros((count, 2)), wide[::-1, 3::-2]
    for p in (in_columns, in_rows, wide[:, 1:3], turned, shifted.reshape(count, 2)):
        status = np.zeros((count, 2), dtype=np.int32)
        found = function(**rows, out={"p": p, "status": status[:, 1]})
        assert found.p is p
        np.testing.assert_array_equal(p, wanted.p)
        np.testing.assert_array_equal(status[:, 1], wanted.status)
        assert not status[:, 0].any()
    assert not wide[:, [0, 4]].any()


def _read_only(array: np.ndarray) -> np.ndarray:
    found = array.copy()
    found.flags.writeable = False
    return found


def test_an_out_that_does_not_fit_is_refused_by_name() -> None:
    function = symgen.library()["R.R.R 2D"].kernel.position
    rows = _rows(function, np.float64)
    p = np.empty((50, 2))
    for out, words in (
        ({"q": p}, r"no result 'q'.*results are p, status"),
        ({"p": p[:49]}, r"p must be an array float64 \(50, 2\), found float64 \(49, 2\)"),
        ({"p": p.astype(np.float32)}, r"p must be an array float64 \(50, 2\), found float32"),
        ({"p": _read_only(p)}, "p is read-only"),
        ({"p": np.lib.stride_tricks.as_strided(p, strides=(0, 8))}, "p has numbers that share memory"),
        ({"p": np.lib.stride_tricks.as_strided(p, strides=(8, 8))}, "p has numbers that share memory"),
        ({"p": rows["a"]}, "p shares memory with an input"),
        ([p], "must be an earlier result or a mapping of arrays, found list"),
    ):
        with pytest.raises(InputError, match=rf"position: out: .*{words}"):
            function(**rows, out=out)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="out is for batches"):
        function(a=[0, 0], b=[2, 0], l_a=1.5, l_b=1.5, branch=0, out={"p": np.empty(2)})


def test_batches_without_rows_and_of_one_row_have_their_shapes() -> None:
    function = symgen.library()["R.R.R 2D"].kernel.position
    for count in (0, 1):
        rows = {"a": np.zeros((count, 2)), "b": np.tile([2.0, 0.0], (count, 1))}
        found = function(**rows, l_a=1.5, l_b=1.5, branch=0)
        assert found.p.shape == (count, 2)
        assert found.status.tolist() == [Status.OK] * count
        assert function(**rows, l_a=1.5, l_b=1.5, branch=0, out=found).p is found.p


@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_share_rows_and_columns_to_the_same_bits(
    layout: Any, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symgen.library.rows_call._OF_A_THREAD", 1)
    function = symgen.library()["R.R.R 2D"].kernel.position
    rows = {name: layout(array) for name, array in _rows(function, np.float64, 1100).items()}
    alone = function(**rows)
    assert len(set(alone.status.tolist())) > 1
    shared = function(**rows, threads=threads)
    _same(shared, alone)
    _same(function(**rows, threads=threads, out=shared), alone)
    _same(function(*rows.values(), threads=threads), alone)


def test_a_keyword_that_is_no_input_is_refused_however_many_there_are() -> None:
    function = symgen.library()["R.R.R 2D"].kernel.position
    rows = _rows(function, np.float64)
    with pytest.raises(InputError, match=r"no input 'threds' \(did you mean 'threads'\?\)"):
        function(**rows, threds=2)
    with pytest.raises(InputError, match="no input 'l_c'"):
        function(**{("l_c" if name == "l_b" else name): array for name, array in rows.items()})
    with pytest.raises(InputError, match="missing l_b"):
        function(**{name: array for name, array in rows.items() if name != "l_b"}, out=function(**rows))
    with pytest.raises(InputError, match="threads = 0"):
        function(**rows, threads=0)


def test_results_in_columns_that_reach_into_an_input_are_refused() -> None:
    function = symgen.library()["R.R.R 2D"].kernel.position
    rows = {name: np.asfortranarray(array) for name, array in _rows(function, np.float64, 1100).items()}
    out = function(**rows)
    both = np.zeros((3, 1100))
    both[::2] = rows["a"].T
    kept = both.copy()
    over = out._replace(p=np.lib.stride_tricks.as_strided(both[1:], (1100, 2), (8, 1100 * 8)))
    with pytest.raises(InputError, match="p shares memory with an input"):
        function(**{**rows, "a": both[::2].T}, out=over)
    np.testing.assert_array_equal(both, kept)


def test_without_numpy_headers_calls_give_the_same_and_say_so_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    function = symgen.library()["R.R.R 2D"].kernel.position
    rows = _rows(function, np.float64)
    wanted = function(**rows)

    def fails() -> None:
        raise CompilerFailedError(["cc"], "no numpy/arrayobject.h")

    monkeypatch.setattr(rows_call, "_extension", fails)
    forget_notices()
    fresh = Library(symgen.library().catalogue, backend="c")["R.R.R 2D"].kernel.position
    _same(fresh(**rows), wanted)
    _same(fresh(**rows, threads=2, out=fresh(**rows)), wanted)
    assert fresh([0, 0], [2, 0], 1.5, 1.5, 0).status == Status.OK
    said = capfd.readouterr().err
    forget_notices()
    assert said.count("no numpy/arrayobject.h") == 1
    assert "handed on in Python instead" in said


#: Ports on each side: more than rows.c has places for without asking for memory.
MANY = 60
Table = ctypes.POINTER(ctypes.c_void_p)
Doubled = namedtuple("Doubled", [*(f"y{k}" for k in range(MANY)), "status"])  # type: ignore[misc]
Counted = namedtuple("Counted", "y status")


def _numbers(address: int, count: int, kind: Any) -> np.ndarray:
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(kind)), (count,))


def _doubling(given: int, size: int) -> Any:
    """Return a compiled function's stand-in: it doubles `given` pointers to `size` numbers a row; whole ones follow."""

    def run(rows: int, table: Sequence[int]) -> int:
        for k in range(given):
            _numbers(table[given + 1 + k], size * rows, ctypes.c_double)[:] = 2 * _numbers(
                table[k], size * rows, ctypes.c_double
            )
        status = _numbers(table[2 * given + 1], rows, ctypes.c_int32)
        status[:] = _numbers(table[given], rows, ctypes.c_int32)
        return int(status.max())

    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, Table)(run)


def made(result: type, lanes: Any, entry: Any, large: int, *names_and_ports: Any, most: int = 10**12) -> Any:
    """Return what runs a function; it looks at signals after `most` rows."""
    return rows_call._extension().Rows(result, lanes, entry, large, most, *names_and_ports)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("threads", [1, 3])
def test_functions_of_very_many_ports_are_called_with_all_of_them(order: Any, threads: int) -> None:
    by_rows, by_columns = _doubling(MANY, 2), _doubling(2 * MANY, 1)
    entries = {
        form: ctypes.cast(each, ctypes.c_void_p).value for form, each in (("rows", by_rows), ("columns", by_columns))
    }
    asked: list[str] = []

    def in_lanes(form: str) -> Any:
        asked.append(form)
        return entries[form]

    sides = ((np.dtype(float).num, 2),) * MANY
    rows = made(
        Doubled,
        in_lanes,
        entries["rows"],
        10,
        (*(f"x{k}" for k in range(MANY)), "told"),
        (*sides, (INTEGER.num, 0), *sides, (INTEGER.num, 0)),
    )
    random = np.random.default_rng(0)
    given = [np.asarray(random.normal(size=(33, 2)), order=order) for _ in range(MANY)]
    told = np.zeros(33, INTEGER)
    found = rows.share(None, threads, 1, *given, told)
    assert all((one == 2 * other).all() for one, other in zip(found, given, strict=False))
    assert asked == ["columns" if order == "F" else "rows"]  # once, and not for what is not needed
    told[20] = 3
    again = rows.share(found, threads, 1, *given, told)
    assert all(one is other for one, other in zip(again, found, strict=True))
    assert all((one == 2 * other).all() for one, other in zip(found, given, strict=False))
    assert found.status.tolist() == told.tolist()
    # what overlaps is looked at elsewhere: the last result with another, and with the last input
    assert rows.share(found._replace(y59=found.y58), threads, 1, *given, told) is None
    assert rows.share(found._replace(y59=given[59]), threads, 1, *given, told) is None


@pytest.mark.parametrize("count", [640, 1000, 1001])
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("in_lanes", [False, True])
def test_a_thread_that_is_late_is_not_waited_for(count: int, threads: int, in_lanes: bool) -> None:
    """The others wait until this one has nothing left but what they took: it takes rows that were meant for them."""
    given, first = np.arange(float(count)), threading.get_ident()
    parts: list[tuple[bool, int, int]] = []
    is_done = threading.Event()

    def run(rows: int, table: Sequence[int]) -> int:
        begin = (table[0] - given.ctypes.data) // given.itemsize
        is_first = threading.get_ident() == first
        if not is_first:
            assert is_done.wait(20.0)
        parts.append((is_first, begin, rows))
        _numbers(table[1], rows, ctypes.c_double)[:] += _numbers(table[0], rows, ctypes.c_double)
        if is_first and begin >= count // threads:
            is_done.set()
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, Table)
    entries = [kind(run), kind(run)]
    address, plain = (ctypes.cast(entry, ctypes.c_void_p).value for entry in entries)
    sides = ((np.dtype(float).num, 0), (np.dtype(float).num, 0), (INTEGER.num, 0))
    rows = made(Counted, lambda _: address if in_lanes else 0, plain, 1, ("x",), sides)
    found = rows.share(Counted(np.zeros(count), np.zeros(count, INTEGER)), threads, 1, given)
    assert (found.y == given).all()  # each row once: they are counted
    assert any(is_first and begin >= count // threads for is_first, begin, _ in parts)
    unit = 64 if in_lanes else 8  # lines of memory begin where they did; no line is written by two
    assert all(begin % unit == 0 for _, begin, _ in parts)
    assert count // threads // unit * unit in {begin for _, begin, _ in parts}
    assert sum(size for _, _, size in parts) == count


#: An entry that tells the processor each part ran on, and how many processors its thread may run on; 10 us a row.
_WHERE = """
#include <sched.h>
#include <stdint.h>
#include <time.h>
int32_t where(int32_t rows, void *const *table)
{
    cpu_set_t allowed;
    struct timespec from, now;
    sched_getaffinity(0, sizeof allowed, &allowed);
    const int processor = sched_getcpu();
    clock_gettime(CLOCK_MONOTONIC, &from);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - from.tv_sec)*1e6 + (now.tv_nsec - from.tv_nsec)*1e-3 < 10.0*rows);
    for (int32_t row = 0; row < rows; ++row) {
        ((double *)table[1])[row] = processor;
        ((double *)table[2])[row] = CPU_COUNT(&allowed);
    }
    return 0;
}
"""
Placed = namedtuple("Placed", "processor allowed status")


@pytest.fixture(scope="module")
def where(tmp_path_factory: pytest.TempPathFactory) -> Any:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system does not tell where a thread runs")
    folder = tmp_path_factory.mktemp("where")
    (folder / "where.c").write_text(_WHERE)
    subprocess.run(
        ["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", "where.so", "where.c"], cwd=folder, check=True, timeout=60
    )
    entry = ctypes.CDLL(str(folder / "where.so")).where
    real = np.dtype(float).num
    sides = ((real, 0), (real, 0), (real, 0), (INTEGER.num, 0))
    return made(Placed, lambda _: 0, ctypes.cast(entry, ctypes.c_void_p).value, 10**6, ("x",), sides, most=1000)


def test_a_new_thread_begins_on_another_processor_and_may_then_run_anywhere(where: Any) -> None:
    """Linux leaves it where its parent runs, for milliseconds, if the others were idle for some: so there are pauses.

    A processor can be busy with other work, and what was moved can be moved again: not every turn counts, most do.
    """
    allowed = os.sched_getaffinity(0)
    apart = 0
    for _ in range(20):
        time.sleep(0.01)
        found = where.share(None, 2, 1, np.zeros(512))  # 5 ms of work
        assert set(found.allowed) == {len(allowed)}
        apart += found.processor[0] != found.processor[256]
    assert os.sched_getaffinity(0) == allowed
    assert apart > 10 or len(allowed) == 1


def test_threads_stay_on_the_processors_that_are_allowed(where: Any) -> None:
    allowed = os.sched_getaffinity(0)
    one = max(allowed)
    os.sched_setaffinity(0, {one})  # of this thread
    try:
        found = where.share(None, 3, 1, np.zeros(512))
        assert os.sched_getaffinity(0) == {one}
    finally:
        os.sched_setaffinity(0, allowed)
    assert set(found.processor) == {one}
    assert set(found.allowed) == {1}


def test_parts_of_large_batches_are_large() -> None:
    """A part that comes from no cache is solved as such a batch is: it is longer than the lanes' own limit."""
    folder = Path(rows_call.__file__).parent
    limit = re.search(r"#define SYMGEN_FAR (\d+)", (folder.parents[1] / "templates/c99/symgen_lanes.h.j2").read_text())
    part = re.search(r"BYTES_OF_LARGE_PARTS = (\d+) << (\d+)", (folder / "threads.c").read_text())
    assert limit
    assert part
    assert int(part[1]) << int(part[2]) > int(limit[1])
    count = 1_000_000
    begun: list[int] = []
    given = np.zeros(count)

    def run(rows: int, table: Sequence[int]) -> int:
        begun.append(rows)
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, Table)
    entry, other = kind(run), kind(run)
    address, plain = (ctypes.cast(each, ctypes.c_void_p).value for each in (entry, other))
    sides = ((np.dtype(float).num, 0), (np.dtype(float).num, 0), (INTEGER.num, 0))
    in_lanes, by_itself = (
        made(Counted, lambda _, found=found: found, plain, 1, ("x",), sides) for found in (address, 0)
    )
    assert in_lanes.share(None, 2, 1000, given) is not None
    assert sum(begun) == count
    assert min(begun) * 16 > int(limit[1])  # 16 bytes of reals a row
    begun.clear()
    assert by_itself.share(None, 2, 1000, given) is not None
    assert sum(begun) == count
    assert min(begun) < 5000  # where rows may differ much, late ones are left for other threads


def test_names_in_any_order_and_beside_positions_are_told_apart(dyad: Any) -> None:
    function = dyad.kernel.all
    rows = _rows(function, dyad.real)
    wanted = function(**rows)
    names = [*rows]
    for turned in (names[::-1], names[4:] + names[:4], sorted(names, key=len)):
        _same(function(**{name: rows[name] for name in turned}), wanted)
        of_its_own = {"".join(list(name)): rows[name] for name in turned}  # names that are not the ports' own objects
        _same(function(**of_its_own, out=function(**rows)), wanted)
        _same(
            function(*(rows[name] for name in names[:3]), **{k: rows[k] for k in turned if k not in names[:3]}), wanted
        )
    for wrong in (
        {name: rows[name] for name in names[1:]},
        {**rows, "x": rows["a"]},
        {**{name: rows[name] for name in names[1:]}, "x": rows["a"]},
        {**rows, "out": 5},
        {**rows, "threads": 0},
    ):
        with pytest.raises(InputError):
            function(**wrong)
    for values, named in (
        ((rows["a"],), rows),
        ((*rows.values(), rows["a"]), {}),
        ((*rows.values(),), {"a": rows["a"]}),
    ):
        with pytest.raises(InputError):
            function(*values, **named)
    _same(function(**rows, threads=1, check=True), wanted)


def test_a_function_stays_what_it_is_when_compiled_code_takes_its_calls(dyad: Any) -> None:
    """The first call exchanges ``__call__``: of all functions, also those that are run in NumPy."""
    rows = _rows(dyad.kernel.all, dyad.real)
    dyad.kernel.all(**rows)
    assert type(dyad.kernel.all) is SolvedFunction
    assert type(SolvedFunction.__call__).__name__ == "method_descriptor"
    in_numpy = symgen.library(backend="numpy")["R.R.R 2D"].kernel.all
    given = {name: array.astype(float) if array.dtype.kind == "f" else array for name, array in rows.items()}
    assert (in_numpy(**given).status == dyad.kernel.all(**rows).status).all()
    with pytest.raises(TypeError, match="descriptor '__call__'"):
        SolvedFunction.__call__(3)  # type: ignore[arg-type]


def test_calls_are_described_alike_before_and_after_the_first(dyad: Any) -> None:
    dyad.kernel.all(**_rows(dyad.kernel.all, dyad.real))
    compiled, first = SolvedFunction.__call__, solved_type._CALL_IN_PYTHON
    assert compiled is not first
    assert compiled.__doc__ == first.__doc__
    assert inspect.signature(compiled) == inspect.signature(first)
    assert "threads : how many" in (SolvedFunction.__doc__ or "")


def test_a_call_that_somebody_replaced_stays_replaced(dyad: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    def spy(*given: Any, **named: Any) -> Any:
        seen.append(named)
        return solved_type._CALL_IN_PYTHON(*given, **named)

    monkeypatch.setattr(SolvedFunction, "__call__", spy)
    rows = _rows(dyad.kernel.all, dyad.real)
    for _ in range(3):
        dyad.kernel.all(**rows)
    assert len(seen) == 3


def test_who_interrupts_the_compiler_may_ask_for_lanes_again() -> None:
    asked: list[str] = []
    entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, Table)(lambda rows, table: 0)
    address = ctypes.cast(entry, ctypes.c_void_p).value

    def in_lanes(form: str) -> Any:
        asked.append(form)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return address

    real = np.dtype(float).num
    sides = ((real, 0), (real, 0), (INTEGER.num, 0))
    rows = made(Counted, in_lanes, address, 1, ("x",), sides)
    with pytest.raises(KeyboardInterrupt):
        rows.share(None, 1, 1, np.zeros(10))
    for _ in range(2):
        assert rows.share(None, 1, 1, np.zeros(10)) is not None
    assert len(asked) == 2


@pytest.mark.parametrize("in_lanes", [False, True])
def test_fewer_rows_than_a_part_start_no_thread(in_lanes: bool) -> None:
    """Parts are 64 rows in lanes, 8 elsewhere, or more: for fewer a thread would have nothing to do."""
    threads: set[int] = set()

    def run(rows: int, table: Sequence[int]) -> int:
        threads.add(threading.get_ident())
        return 0

    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, Table)
    entries = [kind(run), kind(run)]
    address, plain = (ctypes.cast(entry, ctypes.c_void_p).value for entry in entries)
    real = np.dtype(float).num
    ports = ((real, 0), (real, 0), (INTEGER.num, 0))
    rows = made(Counted, lambda _: address if in_lanes else 0, plain, 1, ("x",), ports)
    for count in (1, 63, 64, 100, 127) if in_lanes else (1, 7, 8, 15):
        assert rows.share(None, 8, 6, np.zeros(count)) is not None
    assert threads == {threading.get_ident()}


Failing = namedtuple("Failing", "place count near status")
#: Status 1 is solved, but for its count; status 2 writes a place; for another nothing is written.
SOLVED, PLACED, UNSOLVED = 0, 2, 3


def _failing(kind: Any, *, in_columns: bool) -> Any:
    """Return a stand-in that fails where its whole input says so: rows write what there is, columns more than that."""

    def run(rows: int, table: Sequence[int]) -> int:
        if in_columns:
            x, y, told, place_x, place_y, count, near, status = (table[k] for k in range(8))
            given = np.stack([_numbers(x, rows, kind), _numbers(y, rows, kind)], axis=1)
        else:
            both, told, place, count, near, status = (table[k] for k in range(6))
            given = _numbers(both, 2 * rows, kind).reshape(rows, 2)
        found = _numbers(status, rows, ctypes.c_int32)
        found[:] = _numbers(told, rows, ctypes.c_int32)
        is_written = (found == SOLVED) | in_columns
        if in_columns:
            for at, values in ((place_x, 3 * given[:, 0]), (place_y, 3 * given[:, 1])):
                _numbers(at, rows, kind)[:] = np.where(found == SOLVED, values, 77)
        else:
            has_place = is_written | (found == PLACED)
            _numbers(place, 2 * rows, kind).reshape(rows, 2)[has_place] = 3 * given[has_place]
        _numbers(count, rows, ctypes.c_int32)[is_written] = 7
        _numbers(near, rows, kind)[is_written] = 5
        return int(found[found != 0][0]) if found.any() else 0

    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, Table)(run)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("real", [np.float64, np.float32])
@pytest.mark.parametrize("failing", ["some", "all", "none"])
def test_a_row_that_failed_holds_what_its_function_writes_by_itself_else_nothing(
    order: Any, threads: int, real: Any, failing: str
) -> None:
    kind = ctypes.c_double if real is np.float64 else ctypes.c_float
    entries = {form: _failing(kind, in_columns=form == "columns") for form in ("rows", "columns")}
    address = {form: ctypes.cast(each, ctypes.c_void_p).value for form, each in entries.items()}
    number, whole = np.dtype(real).num, INTEGER.num
    ports = ((number, 2), (whole, 0), (number, 2), (whole, 0), (number, 0), (whole, 0))
    rows = made(Failing, lambda form: address[form], address["rows"], 1, ("x", "told"), ports)
    random = np.random.default_rng(1)
    count = 333
    x = np.asarray(random.normal(size=(count, 2)), dtype=real, order=order)
    chosen = {"some": [SOLVED, PLACED, UNSOLVED], "all": [UNSOLVED], "none": [SOLVED]}[failing]
    told = random.choice(chosen, count).astype(INTEGER)
    empty = [np.full((count, 2), 99, real, order), np.full(count, 99, INTEGER), np.full(count, 99, real)]
    found = rows.share(Failing(*empty, np.full(count, 99, INTEGER)), threads, 1, x, told)
    assert (found.status == told).all()
    has_place, is_solved = told != UNSOLVED, told == SOLVED
    np.testing.assert_array_equal(found.place, np.where(has_place[:, None], 3 * x, np.nan))
    np.testing.assert_array_equal(found.count, np.where(is_solved, 7, 0))
    np.testing.assert_array_equal(found.near, np.where(is_solved, 5, np.nan))


class AlarmError(Exception):
    """A signal that came in a batch."""


@pytest.mark.parametrize("threads", [1, 2])
def test_a_signal_ends_a_long_batch(where: Any, threads: int) -> None:
    """Ten seconds of work end soon after a signal; what comes before the next look is solved, and 30 s is no limit."""

    def alarm(*_: object) -> None:
        raise AlarmError

    before = signal.signal(signal.SIGALRM, alarm)
    started = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(AlarmError):
            where.share(None, threads, 1, np.zeros(1_000_000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - started < 4.0
    assert len(set(where.share(None, threads, 1, np.zeros(5_000)).allowed)) == 1  # all of it, and all the same


def test_python_goes_on_while_a_batch_is_solved(where: Any) -> None:
    """Two tenths of a second of work in one thread: another counts milliseconds meanwhile, many of them."""
    counted: list[float] = []
    is_over = threading.Event()

    def count() -> None:
        while not is_over.wait(0.001):
            counted.append(time.monotonic())

    other = threading.Thread(target=count)
    other.start()
    begun = time.monotonic()
    where.share(None, 1, 1, np.zeros(999))  # less than what is solved between two looks at signals
    where.share(None, 1, 1, np.zeros(20_000))
    ended = time.monotonic()
    is_over.set()
    other.join()
    assert sum(begun < each < begun + 0.008 for each in counted) >= 1
    assert sum(begun < each < ended for each in counted) > 20


def test_arrays_of_another_byte_order_are_converted(dyad: Any) -> None:
    function = dyad.kernel.position
    rows = _rows(function, function._owner.real)
    swapped = {
        name: array.astype(array.dtype.newbyteorder()) if array.dtype != np.int32 else array
        for name, array in rows.items()
    }
    _same(function(**swapped), function(**rows))


@pytest.mark.parametrize("order", ["C", "F"])
def test_results_are_not_written_where_they_may_not_be(dyad: Any, order: Any) -> None:
    function = dyad.kernel.position
    rows = {name: np.asarray(array, order=order) for name, array in _rows(function, function._owner.real, 2000).items()}
    found = function(**rows)
    kept = found.p.copy()
    found.p.flags.writeable = False
    with pytest.raises(InputError, match="p is read-only"):
        function(**rows, out=found)
    np.testing.assert_array_equal(found.p, kept)
    size = kept.itemsize
    shared = np.lib.stride_tricks.as_strided(np.zeros(3000, kept.dtype), (2000, 2), (size, size))
    with pytest.raises(InputError, match="numbers that share memory"):
        function(**rows, out=found._replace(p=shared))
    for name in ("a", "b"):  # whatever way an input lies, and whether it is converted
        with pytest.raises(InputError, match="p shares memory with an input"):
            function(**rows, out={"p": rows[name]})


def test_more_rows_than_can_be_counted_are_refused() -> None:
    kernel = symgen.library(backend="c")["R.R.R 2D"].kernel.position
    ends = np.broadcast_to(0.0, (2**31, 2))
    assert kernel._rows is not None
    with pytest.raises(InputError, match="2147483648 rows: at most 2147483647"):
        kernel._rows.run([ends], [ends], np.broadcast_to(np.int32(0), 2**31))


def test_what_is_a_unit_vector_in_float_is_one_in_numpy_too() -> None:
    """NumPy solves in double, whose tolerance is narrower than the rounding of what it is given."""
    assert TOLERANCE_FLOAT["UNIT_TOLERANCE"] == backends.UNIT_IN_FLOAT
    in_c, in_numpy = (symgen.library(precision="float", backend=name)["R.S.U 3D"].position for name in ("c", "numpy"))
    random = np.random.default_rng(0)
    rows: dict[str, Any] = {}
    for port in in_c.inputs:
        values = random.normal(size=(400, *port.shape))
        if port.shape == (7,):
            values[:, 3:] /= np.linalg.norm(values[:, 3:], axis=1)[:, None]
        rows[port.name] = np.zeros(400, INTEGER) if port.kind == "int" else values.astype(np.float32)
    found, wanted = in_numpy(**rows), in_c(**rows)
    # Near a fold the two may disagree: float is rounded. Nothing here is near one.
    np.testing.assert_array_equal(found.status, wanted.status)
    assert (wanted.status == Status.OK).sum() > 100
    rows["k1"][:, 3:] *= np.float32(1.001)
    assert set(in_numpy(**rows).status) == set(in_c(**rows).status) == {Status.BAD_INPUT}


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_results_over_what_only_looks_like_an_array_are_refused(backend: Any) -> None:
    function = symgen.library(backend=backend)["R.R.R 2D"].kernel.position
    both = np.zeros((5, 2))
    with pytest.raises(InputError, match="p shares memory with an input"):
        function(memoryview(both), np.ones((5, 2)), 1.0, 1.0, 0, out={"p": both})  # type: ignore[arg-type]
    assert not both.any()
