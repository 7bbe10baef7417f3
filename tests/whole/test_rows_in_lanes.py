"""Rows of a whole mechanism in lanes: the bits, statuses and groups of the scalar function, for times and dimensions.

The oracle is the scalar function, called row by row; the four-bar of the tests swings out of reach, so rows fail too.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffi import FFI
from oracle.compilers import need, once
from oracle.whole_modules import Whole

import symgen
from symgen.build.compiler import FLAGS
from symgen.model.mechanism import Mechanism

pytestmark = pytest.mark.compiler

EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS = 101

#: Crank 1, coupler 2.5, rocker 2.5, ground 4; the law lets the crank swing through where the links do not reach.
FOUR_BAR: dict[str, Any] = {
    "schema": "symgen/mechanism/1",
    "name": "four-bar",
    "space": "planar",
    "bodies": {"crank": {}, "coupler": {"points": {"P": [2.0, 1.5]}}, "rocker": {}},
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "driven": 1, "at": [0, 0]},
        "B": {"type": "R", "bodies": ["crank", "coupler"], "at": [1, 0]},
        "C": {"type": "R", "bodies": ["coupler", "rocker"], "at": [2.5, 2]},
        "D": {"type": "R", "bodies": ["ground", "rocker"], "at": [4, 0]},
    },
    "drives": {"A": "2*pi*t"},
}
LEG = EXAMPLES / "jansen_leg" / "mechanism.toml"


def _mechanism(name: str) -> Mechanism:
    return Mechanism.from_dict(FOUR_BAR) if name == "four-bar" else symgen.load(LEG)


@pytest.fixture(scope="module", params=["four-bar", pytest.param("leg", marks=pytest.mark.slow)])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole") / "bars"
    return Whole(folder, _mechanism(request.param), "bars", geometry="parameters")


Compiled = Callable[[str], tuple[Path, Path]]


@pytest.fixture(scope="module")
def compiled(whole: Whole) -> Compiled:
    """Return for a precision the scalar functions alone, and those beside their batches in lanes."""

    def of(precision: str) -> tuple[Path, Path]:
        stem = {"double": "bars", "float": "bars_f32"}[precision]
        source, gcc = whole.folder / f"{stem}.c", need("gcc")
        flags = [flag for flag in FLAGS if flag != "-DSYMGEN_NO_COLUMNS"]
        plain = once(whole.folder, f"{stem}.plain.so", gcc, *flags, "-O2", "-shared", source, "-lm")
        scalar = once(whole.folder, f"{stem}.o", gcc, *flags, "-O2", "-DSYMGEN_LANES=1", "-c", source)
        lanes = ("-shared", "-DSYMGEN_LANES=2", source, scalar, "-lm")
        return plain, once(whole.folder, f"{stem}.so", gcc, *flags, "-O3", *lanes)

    return of


def _rows(whole: Whole, function: str, real: Any) -> dict[str, np.ndarray]:
    """Return rows of inputs: times of a turn, one of them no number; every row has dimensions of its own."""
    random, reference = np.random.default_rng(3), whole.manifest["reference"]
    geometry = np.array(reference["geometry"])
    rows = {
        "t": random.uniform(0, 1, ROWS),
        "geometry": geometry * (1 + 1e-3 * random.normal(size=(ROWS, len(geometry)))),
        "branch": np.tile(np.array(reference["branch"], dtype=np.int32), (ROWS, 1)),
    }
    rows["t"][[7, 70]] = np.nan, np.inf
    rows["branch"][9, -1] = 5
    names = [port["name"] for port in whole.ports(function) if port["direction"] == "in"]
    return {name: rows[name] if name == "branch" else rows[name].astype(real) for name in names}


def _results(whole: Whole, function: str, real: Any) -> dict[str, np.ndarray]:
    found = {
        port["name"]: np.full((ROWS, *port["shape"]), -7, dtype=np.int32 if port["kind"] == "int" else real)
        for port in whole.ports(function)
        if port["direction"] == "out"
    }
    return {**found, "status": np.full(ROWS, 99, dtype=np.int32)}


def _open(library: Path, whole: Whole, precision: str) -> tuple[FFI, Any]:
    ffi = FFI()
    prefix = "symgenf_bars_" if precision == "float" else "symgen_bars_"
    columns = "".join(
        f"symgen_status {prefix}{name}_columns(int32_t rows, const {precision} *const *from,"
        f" const int32_t *const *picked, {precision} *const *to, int32_t *const *tell, int32_t *status);\n"
        for name in ("position", "motion")
    )
    ffi.cdef(
        "typedef enum { SYMGEN_OK = 0, SYMGEN_BAD_INPUT = 7 } symgen_status;\n"
        + whole.manifest["cdef"][precision]
        + columns
    )
    return ffi, ffi.dlopen(str(library))


def _batch(
    library: Path, whole: Whole, function: str, precision: str, shared: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    ffi, lib = _open(library, whole, precision)
    real = np.float32 if precision == "float" else np.float64
    inputs = {**_rows(whole, function, real), **shared}
    results = _results(whole, function, real)
    pool = {**inputs, **results}
    pointers = [
        ffi.from_buffer(f"{'int32_t' if pool[p['name']].dtype == np.int32 else precision}[]", pool[p["name"]])
        for p in whole.ports(function)
    ]
    prefix = "symgenf_bars_" if precision == "float" else "symgen_bars_"
    getattr(lib, f"{prefix}{function}_batch")(ROWS, *pointers, ffi.from_buffer("int32_t[]", results["status"]))
    return results


def _columns(library: Path, whole: Whole, function: str, precision: str) -> dict[str, np.ndarray]:
    ffi, lib = _open(library, whole, precision)
    real = np.float32 if precision == "float" else np.float64
    inputs, results = _rows(whole, function, real), _results(whole, function, real)
    sides: dict[tuple[bool, bool], list[np.ndarray]] = {(i, w): [] for i in (True, False) for w in (True, False)}
    for pool, is_input in ((inputs, True), ({n: a for n, a in results.items() if n != "status"}, False)):
        for array in pool.values():
            columns = array.reshape(ROWS, -1).T
            sides[is_input, array.dtype == np.int32] += [np.ascontiguousarray(c) for c in columns]
    tables = {
        key: ffi.new(f"{'int32_t' if key[1] else precision} *[]", [
            ffi.from_buffer(f"{'int32_t' if key[1] else precision}[]", column) for column in columns
        ])
        for key, columns in sides.items()
    }  # fmt: skip
    prefix = "symgenf_bars_" if precision == "float" else "symgen_bars_"
    getattr(lib, f"{prefix}{function}_columns")(
        ROWS, tables[True, False], tables[True, True], tables[False, False], tables[False, True],
        ffi.from_buffer("int32_t[]", results["status"]),
    )  # fmt: skip
    at = {False: 0, True: 0}
    for name, array in results.items():
        if name == "status":
            continue
        is_whole, size = array.dtype == np.int32, math.prod(array.shape[1:])
        taken = sides[False, is_whole][at[is_whole] : at[is_whole] + size]
        at[is_whole] += size
        array[...] = np.stack(taken, axis=-1).reshape(array.shape)
    return results


def _one_by_one(library: Path, whole: Whole, function: str, precision: str) -> dict[str, np.ndarray]:
    """Return what single calls give, each with the dimensions and branches of its row."""
    ffi, lib = _open(library, whole, precision)
    real = np.float32 if precision == "float" else np.float64
    inputs, results = _rows(whole, function, real), _results(whole, function, real)
    prefix = "symgenf_bars_" if precision == "float" else "symgen_bars_"
    call = getattr(lib, f"{prefix}{function}")
    for row in range(ROWS):
        arguments = []
        for port in whole.ports(function):
            array = {**inputs, **results}[port["name"]][row : row + 1]
            if port["direction"] == "in" and not port["shape"]:
                arguments.append(float(array[0]))
            else:
                kind = "int32_t" if array.dtype == np.int32 else precision
                arguments.append(ffi.from_buffer(f"{kind}[]", array.reshape(-1)))
        results["status"][row] = call(*arguments)
    return results


def _assert_same(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert [n for n in wanted if found[n].tobytes() != wanted[n].tobytes()] == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("function", ["position", "motion"])
def test_rows_of_times_share_geometry_and_branch(
    whole: Whole, compiled: Compiled, function: str, precision: str
) -> None:
    reference, real = whole.manifest["reference"], np.float32 if precision == "float" else np.float64
    shared = {
        "geometry": np.array(reference["geometry"], dtype=real),
        "branch": np.array(reference["branch"], dtype=np.int32),
    }
    plain, lanes = compiled(precision)
    wanted = _batch(plain, whole, function, precision, shared)
    assert (wanted["status"] == 0).sum() > ROWS // 3
    assert (wanted["status"] != 0).sum() >= 2
    _assert_same(_batch(lanes, whole, function, precision, shared), wanted)


@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("function", ["position", "motion"])
def test_in_columns_every_row_has_dimensions_and_branches_of_its_own(
    whole: Whole, compiled: Compiled, function: str, precision: str
) -> None:
    plain, lanes = compiled(precision)
    wanted = _one_by_one(plain, whole, function, precision)
    assert (wanted["status"] == 0).sum() > ROWS // 3
    assert wanted["status"][9] != 0
    _assert_same(_columns(plain, whole, function, precision), wanted)
    _assert_same(_columns(lanes, whole, function, precision), wanted)


def test_functions_that_follow_have_no_columns(whole: Whole) -> None:
    header = (whole.folder / "bars.h").read_text(encoding="utf-8")
    assert "symgen_bars_motion_columns" in header
    assert "symgen_bars_follow_columns" not in header
