"""Calling solved types: a batch is a loop of singles, both backends agree, statuses become exceptions."""

from __future__ import annotations

import copy
import json
import re
import shutil
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from symgen.build.errors import DeclarationError, NoCompilerError
from symgen.build.notices import forget_notices
from symgen.errors import InputError, SolveError
from symgen.library.catalogue import Catalogue, modules_in
from symgen.library.open import Library
from symgen.library.solved_type import SolvedType
from symgen.status import Status

FIXTURES = Path(__file__).resolve().parent.parent / "build" / "data" / "library"

#: a, b, l1, l2 for each status the fixture's kernel can return.
ROWS = [
    (Status.OK, [0.0, 0.0], [2.0, 0.0], 1.5, 1.5),
    (Status.NO_ASSEMBLY, [0.0, 0.0], [9.0, 0.0], 1.5, 1.5),
    (Status.SINGULAR, [0.0, 0.0], [3.0, 0.0], 1.5, 1.5),
    (Status.DEGENERATE, [1.0, 1.0], [1.0, 1.0], 1.5, 1.5),
    (Status.BAD_INPUT, [0.0, np.nan], [2.0, 0.0], 1.5, 1.5),
    (Status.BAD_INPUT, [0.0, 0.0], [2.0, 0.0], -1.5, 1.5),
]


def random_rows(count: int, seed: int = 7) -> dict[str, Any]:
    random = np.random.default_rng(seed)
    return {
        "a": random.uniform(-1, 1, (count, 2)),
        "b": random.uniform(-1, 1, (count, 2)),
        "l1": random.uniform(0.2, 1.5, count),
        "l2": random.uniform(0.2, 1.5, count),
        "branch": random.integers(0, 2, count),
    }


def test_a_single_call_gives_ports_as_attributes_and_a_status(toy: SolvedType) -> None:
    found = toy.kernel.position([0, 0], [2, 0], 1.5, l2=1.5, branch=0)
    # Half the base and the height of an isosceles triangle; a few roundings of numbers near 1.
    np.testing.assert_allclose(found.c, [1.0, np.sqrt(1.5**2 - 1)], rtol=4e-16)
    assert isinstance(found.area, float)
    assert found.status is Status.OK
    point, _area, _status = found  # it is a tuple too
    assert point is found.c


@pytest.mark.parametrize(("status", "a", "b", "l1", "l2"), ROWS)
def test_a_single_call_that_is_not_ok_raises_unless_told_not_to(
    toy: SolvedType, status: Status, a: list[float], b: list[float], l1: float, l2: float
) -> None:
    found = toy.kernel.position(a, b, l1, l2, 0, check=False)
    assert found.status is status
    assert np.isnan(found.area) == (status not in (Status.OK, Status.SINGULAR))
    if status is not Status.OK:
        with pytest.raises(SolveError, match=status.name) as caught:
            toy.kernel.position(a, b, l1, l2, 0)
        assert caught.value.status is status


def test_a_batch_never_raises_and_carries_a_status_a_row(toy: SolvedType) -> None:
    statuses, a, b, l1, l2 = (list(column) for column in zip(*ROWS, strict=True))
    found = toy.kernel.position(a, b, l1, l2, branch=0)
    assert found.status.dtype == np.int32
    assert list(found.status) == statuses
    written = np.isin(found.status, [Status.OK, Status.SINGULAR])
    assert np.array_equal(np.isfinite(found.c).all(axis=1), written)


def test_a_batch_is_a_loop_of_singles(toy: SolvedType) -> None:
    rows = random_rows(200)
    batch = toy.kernel.position(**rows)
    assert {Status.OK, Status.NO_ASSEMBLY} <= set(batch.status)  # the rows are worth comparing
    for index in range(200):
        single = toy.kernel.position(**{name: value[index] for name, value in rows.items()}, check=False)
        np.testing.assert_array_equal(single.c, batch.c[index])
        assert single.status == batch.status[index]


def test_leading_axes_broadcast(toy: SolvedType) -> None:
    a, lengths = np.zeros((3, 1, 2)), np.linspace(1.2, 1.8, 4)
    found = toy.kernel.position(a, [2.0, 0.0], lengths, 1.5, branch=[[0], [1], [0]])
    assert found.c.shape == (3, 4, 2)
    assert found.area.shape == found.status.shape == (3, 4)
    np.testing.assert_array_equal(found.area[0], -found.area[1])
    np.testing.assert_array_equal(found.c[0], found.c[2])


def test_a_batch_of_no_rows_is_a_batch(toy: SolvedType) -> None:
    found = toy.kernel.position(np.zeros((0, 2)), [2.0, 0.0], 1.5, 1.5, 0)
    assert found.c.shape == (0, 2)
    assert found.status.shape == (0,)


def test_input_need_not_be_contiguous_or_of_the_right_dtype(toy: SolvedType) -> None:
    rows = random_rows(20)
    wanted = toy.kernel.position(**rows)
    odd = {**rows, "a": np.asfortranarray(rows["a"]), "b": np.repeat(rows["b"], 2, axis=0)[::2]}
    odd["branch"] = rows["branch"].astype(np.int64)
    np.testing.assert_array_equal(toy.kernel.position(**odd).c, wanted.c)


@pytest.mark.extension
def test_numpy_and_c_agree(toy_catalogue: Catalogue) -> None:
    rows = random_rows(500)
    by_c, by_numpy = (
        Library(toy_catalogue, backend=name)["R.R.R 2D"].kernel.position(**rows) for name in ("c", "numpy")
    )
    np.testing.assert_array_equal(by_c.status, by_numpy.status)
    # The same expressions in the same order, contraction off: only the square root could differ, and it is exact.
    np.testing.assert_array_equal(by_c.c, by_numpy.c)


@pytest.mark.parametrize("name", [pytest.param("c", marks=pytest.mark.extension), "numpy"])
def test_float_is_double_to_float_rounding(toy_catalogue: Catalogue, name: Any) -> None:
    rows = {**random_rows(100), "l1": 1.5, "l2": 1.5}
    double = Library(toy_catalogue, backend=name)["R.R.R 2D"].kernel.position(**rows)
    single = Library(toy_catalogue, precision="float", backend=name)["R.R.R 2D"].kernel.position(**rows)
    assert single.c.dtype == np.float32
    # h/d is about l/d; points this near lose l/d of 1.2e-7: the nearest pair of the rows is 0.1 apart.
    np.testing.assert_allclose(single.c, double.c, atol=2e-5)


def test_a_prepared_call_keeps_its_arrays(toy: SolvedType) -> None:
    call = toy.kernel.position.prepare()
    call.inputs["b"][:] = 2.0, 0.0
    call.inputs["l1"][...] = call.inputs["l2"][...] = 1.5
    wanted = toy.kernel.position([0, 0], [2, 0], 1.5, 1.5, 0)
    assert call() == Status.OK
    np.testing.assert_array_equal(call.outputs["c"], wanted.c)
    call.inputs["b"][0] = 9.0
    assert call.run() == call.status[0] == Status.NO_ASSEMBLY
    np.testing.assert_array_equal(call.outputs["c"], wanted.c)  # not written, so kept


def test_a_prepared_call_of_many_rows_returns_the_first_failure(toy: SolvedType) -> None:
    rows = random_rows(50)
    call = toy.kernel.position.prepare(rows=50)
    for name, value in rows.items():
        call.inputs[name][...] = value
    wanted = toy.kernel.position(**rows)
    assert call() == wanted.status[wanted.status != 0][0]
    np.testing.assert_array_equal(call.status, wanted.status)
    written = wanted.status == 0
    np.testing.assert_array_equal(call.outputs["c"][written], wanted.c[written])


@pytest.mark.parametrize(
    ("given", "named", "message"),
    [
        ((), {}, r"missing a \(2,\) \[m\].*branch"),
        (([0, 0],) * 9, {}, "9 positional arguments given, it takes 5"),
        (([0, 0], [2, 0], 1, 1), {"brnch": 0}, "did you mean 'branch'"),
        (([0, 0], [2, 0], 1, 1, 0), {"a": [0, 0]}, "'a' given twice"),
        (([0, 0, 0], [2, 0], 1, 1, 0), {}, r"found shape \(3,\); it must end with \(2,\)"),
        ((0.0, [2, 0], 1, 1, 0), {}, r"found shape \(\)"),
        (([0, 0], [2, 0], "x", 1, 0), {}, "l1 .*found values of type"),
        (
            ([0, 0], [2, 0], 1, 1, 0.5),
            {},
            "branch.*found values of type float64; it takes whole numbers, and 0.5 is none",
        ),
        (
            ([0, 0], [2, 0], 1, 1, 1.0),
            {},
            "branch.*found values of type float64; it takes whole numbers: write branch=1",
        ),
        (([0, 0], [2, 0], 1, 1, [0.0, np.nan]), {}, "it takes whole numbers, and nan is none"),
        (([0, 0], [2, 0], 1, 1, np.zeros(3)), {}, r"found values .* give an array of integers, such as branch\.astype"),
        (([0, 0], [2, 0], 1, 1, "left"), {}, "branch.*found values of type <U4; it takes whole numbers$"),
        (([0, 0], [2, 0], 1, 1, 2**40), {}, "beyond 32 bits"),
        (([[0, 0], [0]], [2, 0], 1, 1, 0), {}, "input a"),
        ((np.zeros((3, 2)), np.zeros((4, 2)), 1, 1, 0), {}, r"do not broadcast: a \(3,\), b \(4,\)"),
        (([0, 0j], [2, 0], 1, 1, 0), {}, "found values of type complex"),
    ],
)
def test_arguments_are_refused_with_port_and_reason(
    toy: SolvedType, given: tuple[Any, ...], named: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        toy.kernel.position(*given, **named)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("positon", "R.R.R 2D has no kernel function 'positon'; did you mean \"position\"? There are: position"),
        ("stagse", 'did you mean "stages"?'),
        ("qqq", "no kernel function 'qqq'; there are: position"),
    ],
)
def test_an_attribute_that_is_none_is_answered_with_the_nearest(toy: SolvedType, name: str, said: str) -> None:
    with pytest.raises(AttributeError, match=re.escape(said)):
        getattr(toy.kernel, name)
    assert not hasattr(toy.kernel, name)
    assert not hasattr(toy, "_not_there")


def test_attributes_of_the_group_are_near_too(toy: SolvedType) -> None:
    with pytest.raises(AttributeError, match="no group function 'kernal'; did you mean \"kernel\""):
        getattr(toy, "kernal")  # noqa: B009 - mypy knows that it is not there
    with pytest.raises(InputError, match='did you mean "position"'):
        toy["positon"]


def test_what_is_asked_of_the_group_and_only_the_kernel_has_is_shown_there(
    toy: SolvedType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy, "_functions", ())  # as of a formula
    with pytest.raises(InputError, match=r"its kernel has one: write \.kernel\.position\. There are: none"):
        toy.position(1)


def test_copies_of_a_solved_type_are_made_without_its_names_being_asked_for(toy: SolvedType) -> None:
    assert copy.copy(toy).key == toy.key


@pytest.mark.parametrize("rows", [None, 2])
def test_arrays_of_a_prepared_call_that_are_not_there_are_answered_with_the_nearest(
    toy: SolvedType, rows: int | None
) -> None:
    call = toy.kernel.position.prepare(rows)
    with pytest.raises(KeyError, match=r'no input of R\.R\.R 2D kernel position, "brnch"; did you mean "branch"'):
        call.inputs["brnch"]
    with pytest.raises(InputError, match=r'no output of R\.R\.R 2D kernel position, "x"; there are c'):
        call.outputs["x"]


@pytest.mark.parametrize("rows", [1.5, "3", 0, -1, True, 2**31, np.float64(2.0)])
def test_a_number_of_rows_that_is_none_is_refused(toy: SolvedType, rows: Any) -> None:
    with pytest.raises(
        InputError, match=r"R\.R\.R 2D kernel position: prepare: rows = .*; allowed are None, for a single"
    ):
        toy.kernel.position.prepare(rows)


def test_numpys_whole_numbers_are_numbers_of_rows_and_threads(toy: SolvedType) -> None:
    assert toy.kernel.position.prepare(np.int64(3)).status.shape == (3,)  # type: ignore[arg-type]
    found = toy.kernel.position(np.zeros((3, 2)), [2.0, 0.0], 1.5, 1.5, 0, threads=np.int64(2))
    assert (found.status == Status.OK).all()


@pytest.mark.parametrize(
    ("level", "name"), [("kernel", "R.R.R 2D kernel position"), ("group", "R.R.R 2D group position")]
)
def test_a_message_says_whether_the_kernel_or_the_group_is_meant(toy: SolvedType, level: str, name: str) -> None:
    chosen = toy.kernel if level == "kernel" else toy
    with pytest.raises(InputError, match=f"^{name}: no input 'nothing'"):
        chosen.position(nothing=0)


def test_a_stage_that_is_not_there_names_those_that_are(toy: SolvedType) -> None:
    with pytest.raises(InputError, match="no group function 'velocity'; there are: position"):
        toy.velocity(k1=[0, 0, 0])


def test_options_of_the_library_are_checked(toy_catalogue: Catalogue) -> None:
    with pytest.raises(InputError, match="backend = 'fortran'"):
        Library(toy_catalogue, backend="fortran")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="precision = 'half'"):
        Library(toy_catalogue, precision="half")  # type: ignore[arg-type]


@pytest.mark.compiler
def test_with_a_compiler_but_without_python_h_numpy_takes_over_and_says_so_once(
    toy_catalogue: Catalogue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SYMGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    forget_notices()
    for _ in range(2):
        dyad = Library(toy_catalogue)["R.R.R 2D"]
        assert dyad.kernel.position([0, 0], [2, 0], 1.5, 1.5, 0).status is Status.OK
    err = capsys.readouterr().err
    assert err.count("no Python.h") == err.count("using NumPy instead") == 1
    assert "python3-dev" in err
    with pytest.raises(NoCompilerError, match=r"no Python\.h"):
        Library(toy_catalogue, backend="c")["R.R.R 2D"].kernel.position([0, 0], [2, 0], 1.5, 1.5, 0)


def test_without_a_compiler_numpy_takes_over_and_says_so_once(
    toy_catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    forget_notices()
    for _ in range(2):
        toy = Library(toy_catalogue)["R.R.R 2D"]
        assert toy.kernel.position([0, 0], [2, 0], 1.5, 1.5, 0).status is Status.OK
        assert toy.backend.name == "numpy"
    out, err = capfd.readouterr()
    assert out == ""
    assert err.count("NumPy") == 1
    assert "no-such-compiler" in err
    with pytest.raises(NoCompilerError):
        Library(toy_catalogue, backend="c")["R.R.R 2D"].kernel.position([0, 0], [2, 0], 1.5, 1.5, 0)


@pytest.mark.extension
def test_a_header_with_other_statuses_is_refused(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES, tmp_path / "library")
    header = tmp_path / "library" / "symgen_status.h"
    header.write_text(header.read_text().replace("SYMGEN_SINGULAR = 2", "SYMGEN_SINGULAR = 12"))
    toy = Library(Catalogue(modules_in(tmp_path / "library")), backend="c")["R.R.R 2D"]
    with pytest.raises(DeclarationError, match="SYMGEN_SINGULAR"):
        toy.kernel.position([0, 0], [2, 0], 1.5, 1.5, 0)


def test_a_missing_file_of_a_module_is_named(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES, tmp_path / "library")
    (tmp_path / "library" / "toy_dyad" / "toy_dyad.c").unlink()
    (tmp_path / "library" / "toy_dyad" / "toy_dyad.py").unlink()
    catalogue = Catalogue(modules_in(tmp_path / "library"))
    for name, missing in (("c", r"toy_dyad\.c"), ("numpy", r"toy_dyad\.py")):
        with pytest.raises(InputError, match=missing):
            Library(catalogue, backend=name)["R.R.R 2D"].kernel.position([0, 0], [2, 0], 1.5, 1.5, 0)  # type: ignore[arg-type]


def test_a_module_without_c_is_run_by_numpy(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(FIXTURES, tmp_path / "library")
    manifest = tmp_path / "library" / "toy_dyad" / "toy_dyad.json"
    tree = json.loads(manifest.read_text())
    tree["files"] = {"numpy": tree["files"]["numpy"]}
    manifest.write_text(json.dumps(tree))
    catalogue = Catalogue(modules_in(tmp_path / "library"))
    assert Library(catalogue)["R.R.R 2D"].backend.name == "numpy"
    assert capfd.readouterr() == ("", "")
    with pytest.raises(InputError, match="no C code in 'double' precision"):
        Library(catalogue, backend="c")["R.R.R 2D"].backend  # noqa: B018
