"""Batches from Python: whichever way arrays lie and however many threads there are, rows are those of single calls.

The oracle is the same function on few rows, which never runs in lanes; equality is of bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import symgen
from symgen.build.errors import CompilerFailedError, NoCompilerError
from symgen.build.notices import forget_notices
from symgen.errors import InputError
from symgen.library import backends
from symgen.library.lanes import LARGE, LanesOf
from symgen.library.open import Library
from symgen.library.solved_type import SolvedFunction
from symgen.status import Status

pytestmark = pytest.mark.extension

ROWS = LARGE + 77


@pytest.fixture(scope="module", params=["double", "float"])
def function(request: pytest.FixtureRequest) -> SolvedFunction:
    return symgen.library(precision=request.param)["R.R.R 2D"].kernel.all


@pytest.fixture(scope="module")
def rows(function: SolvedFunction) -> dict[str, Any]:
    """Return rows of which one in five has no solution or is no input at all."""
    random, real = np.random.default_rng(5), function._owner.real
    given = {
        "a": random.uniform(-1, 1, (ROWS, 2)),
        "b": random.uniform(-1, 1, (ROWS, 2)),
        "l_a": random.uniform(0.2, 1.5, ROWS),
        "l_b": random.uniform(0.2, 1.5, ROWS),
        **{name: random.normal(size=(ROWS, 2)) for name in ("v_a", "v_b", "a_a", "a_b")},
    }
    given["l_b"][random.choice(ROWS, 20, replace=False)] = np.nan
    branch = random.integers(0, 2, ROWS).astype(np.int32)
    branch[random.choice(ROWS, 20, replace=False)] = 2
    return {**{name: array.astype(real) for name, array in given.items()}, "branch": branch}


@pytest.fixture(scope="module")
def wanted(function: SolvedFunction, rows: dict[str, Any]) -> Any:
    """Return what few rows at a time give, put together."""
    step = LARGE // 3
    parts = [function(**{n: a[k : k + step].copy() for n, a in rows.items()}) for k in range(0, ROWS, step)]
    found = type(parts[0])(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))
    assert {Status.OK, Status.NO_ASSEMBLY, Status.BAD_INPUT} <= {Status(int(s)) for s in found.status}
    return found


def _bits(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).tobytes()


def _assert_same(found: Any, wanted: Any) -> None:
    assert [n for n in wanted._fields if _bits(getattr(found, n)) != _bits(getattr(wanted, n))] == []


@pytest.mark.sampled(1)
def test_a_large_batch_has_the_bits_of_small_ones(function: SolvedFunction, rows: dict[str, Any], wanted: Any) -> None:
    assert function._function.lanes
    _assert_same(function(**rows), wanted)
    backend = function._owner.backend
    assert isinstance(backend, backends.CBackend)
    assert backend.lanes_of(function._function, "rows") is not None  # not row by row because a compiler failed


def test_columns_give_columns_and_the_same_bits(function: SolvedFunction, rows: dict[str, Any], wanted: Any) -> None:
    found = function(**{name: np.asfortranarray(array) for name, array in rows.items()})
    _assert_same(found, wanted)
    assert found.p.flags.f_contiguous
    wide = {name: np.empty((2, ROWS + 9), array.dtype)[:, :ROWS].T for name, array in rows.items() if array.ndim == 2}
    for name, array in wide.items():  # columns of a larger array are columns too
        array[...] = rows[name]
    _assert_same(function(**{**rows, **wide}), wanted)


def test_columns_that_fail_do_not_ask_for_lanes_of_rows() -> None:
    fresh = Library(symgen.library().catalogue, "double", "c")["R.R.R 2D"].kernel.position
    columns = {
        port.name: np.zeros(2 * LARGE, dtype=np.int32) if port.kind == "int"
        else np.full((2 * LARGE, *port.shape), np.nan, order="F")
        for port in fresh.inputs
    }  # fmt: skip
    assert (fresh(**columns).status == Status.BAD_INPUT).all()
    assert isinstance(fresh._owner.backend, backends.CBackend)
    assert [form for _, form in fresh._owner.backend._in_lanes] == ["columns"]


def test_arrays_that_lie_in_two_ways_or_in_none_give_the_same(
    function: SolvedFunction, rows: dict[str, Any], wanted: Any
) -> None:
    mixed = {name: np.asfortranarray(array) if name in ("a", "v_b") else array for name, array in rows.items()}
    _assert_same(function(**mixed), wanted)
    strided = {name: np.repeat(array, 2, axis=0)[::2] for name, array in rows.items()}
    _assert_same(function(**strided), wanted)
    backwards = {name: array[::-1].copy()[::-1] for name, array in rows.items()}
    _assert_same(function(**backwards), wanted)


def test_arguments_by_position_and_by_name_are_taken_alike(
    function: SolvedFunction, rows: dict[str, Any], wanted: Any
) -> None:
    columns = {name: np.asfortranarray(array) for name, array in rows.items()}
    for count in (0, 1, len(rows) - 1, len(rows)):
        first, others = list(columns.values())[:count], dict(list(columns.items())[count:])
        found = function(*first, **others)
        assert found.p.flags.f_contiguous  # nothing was converted
        _assert_same(found, wanted)
    with pytest.raises(InputError, match="'a' given twice"):
        function(columns["a"], **columns)


def test_few_rows_run_in_lanes_once_these_are_loaded(rows: dict[str, Any], function: SolvedFunction) -> None:
    fresh = symgen.library(precision=function._owner.library.precision)["R.R.R 2D"].kernel.all
    columns = {name: np.asfortranarray(array) for name, array in rows.items()}
    few = {name: np.asfortranarray(array[:9]) for name, array in rows.items()}
    before = fresh(**few)
    assert not before.p.flags.f_contiguous  # only lanes write columns
    fresh(**columns)
    after = fresh(**few)
    assert after.p.flags.f_contiguous
    _assert_same(after, before)


def test_numbers_stand_for_a_column(function: SolvedFunction, rows: dict[str, Any]) -> None:
    some = {**rows, "l_a": 1.0, "l_b": 1, "branch": 1}
    spread = {name: rows[name] if name not in ("l_a", "l_b", "branch") else value for name, value in some.items()}
    for name in ("l_a", "l_b", "branch"):
        spread[name] = np.full(ROWS, some[name], rows[name].dtype)
    _assert_same(function(**some), function(**spread))


def _placed(array: np.ndarray, behind: int) -> np.ndarray:
    """Return a copy that begins so many numbers behind the beginning of a line of memory."""
    held = np.empty(array.size + 192 // array.itemsize, array.dtype)
    start = -(held.ctypes.data // array.itemsize) % (64 // array.itemsize) + behind
    placed = held[start : start + array.size].reshape(array.shape)
    placed[...] = array
    return placed


@pytest.mark.parametrize("times", [1, 30], ids=["in cache", "in memory"])
def test_rows_may_begin_anywhere_in_a_line_of_memory(
    function: SolvedFunction, rows: dict[str, Any], wanted: Any, times: int
) -> None:
    """Blocks begin early where most arguments then begin a line: together, each elsewhere, and for results, too."""
    random = np.random.default_rng(1)
    many = {name: np.concatenate([array] * times) for name, array in rows.items()}
    expected = type(wanted)(*(np.concatenate([array] * times) for array in wanted))
    for behind in [*range(16), *(random.integers(0, 16, 12) for _ in range(8))]:
        places = np.broadcast_to(behind, 12)
        given = {name: _placed(array, int(place)) for (name, array), place in zip(many.items(), places, strict=False)}
        _assert_same(function(**given), expected)
        out = type(wanted)(*(_placed(array, int(place)) for array, place in zip(expected, places, strict=False)))
        for array in out:
            array[...] = 5
        assert function(**given, out=out) is not None
        _assert_same(out, expected)


@pytest.mark.parametrize("threads", [2, 3, 64])
def test_threads_share_the_rows_and_change_nothing(
    function: SolvedFunction, rows: dict[str, Any], wanted: Any, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("symgen.library.rows_call._OF_A_THREAD", 1)  # else so few rows are for one thread
    _assert_same(function(**rows, threads=threads), wanted)
    out = function(**rows)
    for array in out:
        array[...] = 5
    assert function(**rows, threads=threads, out=out).p is out.p
    _assert_same(out, wanted)


@pytest.mark.parametrize("threads", [0, -1, 1.5, "two", True])
def test_a_number_of_threads_that_is_none_is_refused(
    function: SolvedFunction, rows: dict[str, Any], threads: Any
) -> None:
    with pytest.raises(InputError, match=r"threads = .*; allowed are whole numbers from 1 on"):
        function(**rows, threads=threads)


def test_in_passing_nobody_waits_for_a_compiler(
    function: SolvedFunction, rows: dict[str, Any], wanted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded: list[str] = []

    class Counted(LanesOf):
        def __init__(self, *given: Any) -> None:
            loaded.append(given[3])
            super().__init__(*given)

    monkeypatch.setattr(backends, "LanesOf", Counted)
    monkeypatch.setattr(backends, "is_loaded", lambda key: False)
    for is_there, forms in ((False, []), (True, ["rows", "columns"])):
        monkeypatch.setattr(backends, "is_built", lambda sources, is_there=is_there: is_there)
        fresh = symgen.library(precision=function._owner.library.precision)["R.R.R 2D"].kernel.all
        assert isinstance(fresh._owner.backend, backends.CBackend)
        fresh._owner.backend._in_lanes.clear()
        for given in (rows, {name: np.asfortranarray(array) for name, array in rows.items()}):
            _assert_same(fresh.in_passing(**given), wanted)
        assert loaded == forms


@pytest.mark.parametrize("by_another", [False, True])
@pytest.mark.parametrize("form", ["rows", "columns"])
def test_lanes_that_are_compiled_later_are_taken_in_passing(
    function: SolvedFunction,
    rows: dict[str, Any],
    wanted: Any,
    form: str,
    by_another: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_up: list[object] = []
    answers: list[int | None] = []
    loaded: set[str] = set()
    ask = backends.CBackend.entry_in_lanes

    def asked(backend: backends.CBackend, function: Any, wanted: Any, *, compiles: bool = True) -> int | None:
        found = ask(backend, function, wanted, compiles=compiles)
        if not compiles and wanted == form:
            answers.append(found)
        return found

    monkeypatch.setattr(backends, "is_built", lambda sources: bool(looked_up.append(sources)))
    monkeypatch.setattr(backends, "is_loaded", lambda key: key in loaded)
    monkeypatch.setattr(backends.CBackend, "entry_in_lanes", asked)
    kernels = [symgen.library(precision=function._owner.library.precision)["R.R.R 2D"].kernel for _ in range(2)]
    given = rows if form == "rows" else {name: np.asfortranarray(array) for name, array in rows.items()}
    fresh = kernels[0].all
    for _ in range(3):
        _assert_same(fresh.in_passing(**given), wanted)
    assert set(answers) == {None}
    assert len(looked_up) == (1 if form == "rows" else 2)  # files are touched once; columns are brought into rows
    answers.clear()
    looked_up.clear()
    kernels[by_another].all(**given)  # compiles it
    backend = fresh._owner.backend
    assert isinstance(backend, backends.CBackend)
    if by_another:
        loaded.update(backend._not_built.values())
    for _ in range(3):
        _assert_same(fresh.in_passing(**given), wanted)
    lanes = backend._in_lanes[fresh.name, form]  # type: ignore[index]
    assert lanes is not None
    assert answers == [lanes.entry]  # and is asked no more
    assert not looked_up


def test_what_has_no_lanes_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    backend = symgen.library()["R.R.R 2D"].backend
    assert isinstance(backend, backends.CBackend)
    function = symgen.library()["R.R.R 2D"].kernel.position._function
    assert backend.entry_in_lanes(msgspec.structs.replace(function, lanes=0), "rows", compiles=False) == 0

    def no_compiler(_sources: object) -> bool:
        raise NoCompilerError("there is none")

    monkeypatch.setattr(backends, "is_built", no_compiler)
    backend._in_lanes.clear()
    assert backend.entry_in_lanes(function, "rows", compiles=False) == 0


def test_solving_a_mechanism_compiles_nothing_in_lanes(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "is_built", lambda sources: False)
    monkeypatch.setattr(backends, "is_loaded", lambda key: False)
    monkeypatch.setattr(backends, "LanesOf", None)  # to use it would fail
    library = symgen.library()
    for name in ("R.R.R 2D", "R* 2D"):
        library[name].backend._in_lanes.clear()  # type: ignore[attr-defined]
    found = symgen.solve(
        repository / "examples" / "jansen_leg" / "mechanism.toml", np.linspace(0.0, 1.0, LARGE), library=library
    )
    assert found.ok


def test_an_earlier_result_is_written_again(function: SolvedFunction, rows: dict[str, Any], wanted: Any) -> None:
    for given in (rows, {name: np.asfortranarray(array) for name, array in rows.items()}):
        out = function(**given)
        for array in out:
            array[...] = 5
        found = function(**given, out=out)
        assert all(one is other for one, other in zip(found, out, strict=True))
        _assert_same(found, wanted)


def test_results_that_overlap_inputs_are_refused(function: SolvedFunction, rows: dict[str, Any]) -> None:
    out = function(**rows)
    with pytest.raises(InputError, match="p shares memory with an input or another result"):
        function(**rows, out=out._replace(p=rows["a"]))
    with pytest.raises(InputError, match="v_p shares memory"):
        function(**rows, out=out._replace(v_p=out.p))


def test_a_prepared_call_of_many_rows_leaves_failed_ones_alone(function: SolvedFunction, rows: dict[str, Any]) -> None:
    large, small = function.prepare(ROWS), function.prepare(ROWS // 2)
    for call, count in ((large, ROWS), (small, ROWS // 2)):
        for name, array in call.inputs.items():
            array[...] = rows[name][:count]
        for array in call.outputs.values():
            array[...] = -3
        assert call() != 0
    failed = small.status != 0
    assert (large.status[: ROWS // 2] == small.status).all()
    for name, array in small.outputs.items():
        assert _bits(large.outputs[name][: ROWS // 2]) == _bits(array), name
        assert (array[failed] == -3).all()


@pytest.fixture
def _without_lanes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fails(*_: Any) -> None:
        raise CompilerFailedError(["cc"], "no vectors today")

    monkeypatch.setattr(backends, "LanesOf", fails)
    forget_notices()
    yield
    forget_notices()


@pytest.mark.usefixtures("_without_lanes")
def test_without_lanes_batches_go_row_by_row_and_say_so_once(
    rows: dict[str, Any], wanted: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    precision = "float" if rows["a"].dtype == np.float32 else "double"
    fresh = Library(symgen.library().catalogue, precision, "c")["R.R.R 2D"].kernel.all  # its lanes are not loaded yet
    _assert_same(fresh(**rows), wanted)
    _assert_same(fresh(**rows), wanted)
    said = capfd.readouterr().err
    assert said.count("no vectors today") == 1
    assert "batches go row by row instead" in said


@pytest.mark.parametrize("signature", ["U.U.U 3D", "R.U.S 3D"])
def test_a_function_that_iterates_or_is_large_is_solved_in_large_batches(signature: str) -> None:
    # U.U.U takes roots of a polynomial: it has no lanes; R.U.S has some 90 numbers in a row
    solved = symgen.library()[signature].kernel.position
    assert bool(solved._function.lanes) == (signature == "R.U.S 3D")
    random = np.random.default_rng(3)
    given = {
        port.name: random.integers(0, 2, ROWS).astype(np.int32)
        if port.kind == "int"
        else random.normal(size=(ROWS, *port.shape))
        for port in solved.inputs
    }
    for name, array in given.items():
        if array.ndim == 2 and array.shape[1] == 3 and np.char.find(name, "z") >= 0:
            array /= np.linalg.norm(array, axis=1, keepdims=True)
    found = solved(**given)
    half = solved(**{name: array[: LARGE // 2].copy() for name, array in given.items()})
    for name in found._fields:
        assert _bits(getattr(found, name)[: LARGE // 2]) == _bits(getattr(half, name)), name
