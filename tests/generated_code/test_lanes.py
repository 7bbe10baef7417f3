"""Batches in lanes: the scalar function's bits and statuses, on every kind of machine, for rows and for columns.

The oracle is the scalar function, which has oracles of its own; equality is of bits, and of what a failed row leaves
untouched. Rows are solved ones, in an order that mixes all branches, with failures of every kind strewn among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffi import FFI
from oracle.compilers import (
    C_ONLY,
    COMPILERS,
    IS_X86_64,
    KINDS,
    WARNINGS,
    Unit,
    chosen_units,
    need,
    need_instructions,
    once,
    run,
)
from oracle.lanes import functions_in_lanes, rows_of_inputs
from oracle.modules import DTYPE, Tree, home, inputs_of, outputs_of

from symgen.build.compiler import FLAGS
from symgen.library.lanes import FORMS
from symgen.library.sources import declarations, declarations_in_float, status_declaration

pytestmark = pytest.mark.compiler

#: Not a multiple of a block (64 rows), and more than one.
ROWS = 149
#: A block is one loop for all machines: each is compiled by itself, and then all in one.
#: "far": results go past the caches as those of a batch that none holds.
MACHINES = {"any": ("-DSYMGEN_ONE_MACHINE",), "all": (), "far": ("-DSYMGEN_FAR=0",)}
if IS_X86_64:
    MACHINES |= {"avx2": ("-DSYMGEN_ONE_MACHINE", "-mavx2"), "avx512": ("-DSYMGEN_ONE_MACHINE", "-march=x86-64-v4")}
_NEEDED = {"avx2": "avx2", "avx512": "avx512dq"}


#: Every function as it is shipped, for all machines; those that solve everything at once for each machine by itself.
CASES = [
    pytest.param(unit, entry, machine, id=f"{unit}-{entry['name']}-{machine}")
    for unit in chosen_units(KINDS)
    for machine in MACHINES
    for entry in functions_in_lanes(unit.module)
    if machine == "all" or entry["stage"] == "all"
]


def _need_machine(machine: str) -> None:
    if machine in _NEEDED:
        need_instructions(_NEEDED[machine])


def _shared(
    objects: Path, unit: Unit, entry: Tree, machine: str, compiler: str = "gcc", more: tuple[str, ...] = ()
) -> tuple[Path, Path]:
    """Compile the scalar half by itself, and one function's batch in lanes beside it."""
    flags = (*FLAGS, "-O3", "-shared")
    plain = once(objects, f"{unit}.plain.so", need("gcc"), *FLAGS, "-O2", "-shared", unit.source, "-lm")
    scalar = once(objects, f"{unit}.scalar.o", need("gcc"), *FLAGS, "-O2", "-DSYMGEN_LANES=1", "-c", unit.source)
    name = f"{unit}.{entry['name']}.{machine}.{compiler}{''.join(more)}.so"
    lanes = ("-DSYMGEN_LANES=2", f"-DSYMGEN_ONLY={entry['lanes']}", *MACHINES[machine], *more)
    return plain, once(objects, name, need(compiler), *flags, *lanes, unit.source, scalar, "-lm")


def _open(path: Path, unit: Unit, entry: Tree) -> tuple[FFI, Any, str]:
    ffi = FFI()
    told = declarations((unit.source.parent / f"{unit.module}.h").read_text(encoding="utf-8"))
    if unit.precision == "float":
        told = declarations_in_float(told, unit.module)
    symbol, real = entry["symbol"][unit.precision], unit.precision
    columns = (
        f"symgen_status {symbol}_columns(int32_t rows, const {real} *const *from, const int32_t *const *picked,"
        f" {real} *const *to, int32_t *const *tell, int32_t *status);"
    )
    ffi.cdef(status_declaration() + told + columns)
    return ffi, ffi.dlopen(str(path)), symbol


def _column(values: np.ndarray, behind: int) -> np.ndarray:
    """Return a copy that begins so many numbers behind the beginning of a line of memory, between others."""
    size = values.itemsize
    held = np.full(len(values) + behind + 3 * 64 // size, -5, dtype=values.dtype)
    start = -(held.ctypes.data // size) % (64 // size) + 64 // size + behind
    place = held[start : start + len(values)]
    place[:] = values
    return place


def _assert_nothing_beside(columns: Iterable[np.ndarray]) -> None:
    for column in columns:
        start = (column.ctypes.data - column.base.ctypes.data) // column.itemsize
        assert (np.delete(column.base, slice(start, start + len(column))) == -5).all()


def _rows(path: Path, unit: Unit, entry: Tree, inputs: dict[str, np.ndarray], behind: int = 2) -> dict[str, np.ndarray]:
    """Return results that begin so many numbers behind the beginning of a line of memory."""
    ffi, lib, symbol = _open(path, unit, entry)
    rows = len(next(iter(inputs.values())))
    empty = {p["name"]: np.full(rows * int(np.prod(p["shape"])), -7, DTYPE[unit.precision]) for p in outputs_of(entry)}
    held = {name: _column(values, behind) for name, values in empty.items()}
    found = {p["name"]: held[p["name"]].reshape((rows, *p["shape"])) for p in outputs_of(entry)}
    found["status"] = held["status"] = _column(np.full(rows, 99, dtype=np.int32), behind)
    pointers = []
    for port in entry["ports"]:
        kind = "int32_t" if port["kind"] == "int" else unit.precision
        pointers.append(ffi.from_buffer(f"{kind}[]", {**inputs, **found}[port["name"]]))
    worst = getattr(lib, f"{symbol}_batch")(rows, *pointers, ffi.from_buffer("int32_t[]", found["status"]))
    failed = found["status"][found["status"] != 0]
    assert worst == (failed[0] if len(failed) else 0)
    _assert_nothing_beside(held.values())
    return found


def _columns(
    path: Path, unit: Unit, entry: Tree, inputs: dict[str, np.ndarray], behind: tuple[int, ...] = (2,)
) -> dict[str, np.ndarray]:
    """Return the same by columns, put together as rows; `behind` are their places in a line of memory, in turn."""
    ffi, lib, symbol = _open(path, unit, entry)
    rows, real = len(next(iter(inputs.values()))), unit.precision
    columns: dict[str, list[np.ndarray]] = {"real": [], "int": [], "out": []}
    for port in inputs_of(entry):
        columns[port["kind"]] += [
            _column(c, place)
            for c, place in zip(
                inputs[port["name"]].reshape(rows, int(np.prod(port["shape"]))).T, cycle(behind), strict=False
            )
        ]
    sizes = [int(np.prod(port["shape"])) for port in outputs_of(entry)]
    columns["out"] = [
        _column(np.full(rows, -7, dtype=DTYPE[real]), place)
        for _, place in zip(range(sum(sizes)), cycle(behind), strict=False)
    ]
    status = _column(np.full(rows, 99, dtype=np.int32), sum(behind))  # anywhere, too
    tables = {
        side: ffi.new(f"{kind} *[]", [ffi.from_buffer(f"{kind}[]", column) for column in columns[side]])
        for side, kind in (("real", real), ("int", "int32_t"), ("out", real))
    }
    call = getattr(lib, f"{symbol}_columns")
    call(rows, tables["real"], tables["int"], tables["out"], ffi.NULL, ffi.from_buffer("int32_t[]", status))
    _assert_nothing_beside([*columns["out"], status])
    found = {}
    for port, start in zip(outputs_of(entry), np.cumsum([0, *sizes]), strict=False):
        size = int(np.prod(port["shape"]))
        found[port["name"]] = np.stack(columns["out"][start : start + size], axis=-1).reshape((rows, *port["shape"]))
    return {**found, "status": status}


def _assert_same_bits(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert found.keys() == wanted.keys()
    assert [n for n in wanted if np.ascontiguousarray(found[n]).tobytes() != wanted[n].tobytes()] == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("unit", "entry", "machine"), CASES)
def test_lanes_give_the_bits_and_statuses_of_the_scalar_function(
    unit: Unit, entry: Tree, machine: str, objects: Path
) -> None:
    _need_machine(machine)
    plain, lanes = _shared(objects, unit, entry, machine)
    inputs = rows_of_inputs(unit, entry, ROWS)
    wanted = _rows(plain, unit, entry, inputs)
    assert (wanted["status"] == 0).sum() >= 10  # in float many are within the tolerance of a fold
    assert (wanted["status"] != 0).any()
    _assert_same_bits(_rows(lanes, unit, entry, inputs), wanted)
    _assert_same_bits(_columns(lanes, unit, entry, inputs), wanted)


def _solved_rows(plain: Path, unit: Unit, entry: Tree, rows: int) -> dict[str, np.ndarray]:
    """Return rows that are all solved."""
    tried = rows_of_inputs(unit, entry, ROWS)
    solved = np.flatnonzero(_rows(plain, unit, entry, tried)["status"] == 0)
    return {name: np.ascontiguousarray(array[np.resize(solved, rows)]) for name, array in tried.items()}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("unit", "entry", "machine"), [case for case in CASES if case.values[1]["stage"] == "all"])
def test_blocks_that_are_solved_whole_are_written_as_one(unit: Unit, entry: Tree, machine: str, objects: Path) -> None:
    # where one row fails, its block is written row by row: here none does, then one of the second block
    _need_machine(machine)
    plain, lanes = _shared(objects, unit, entry, machine)
    inputs = _solved_rows(plain, unit, entry, ROWS)
    first = next(port["name"] for port in inputs_of(entry) if port["kind"] == "real")
    for fails in (False, True):
        inputs[first][70] = np.nan if fails else inputs[first][70]
        wanted = _rows(plain, unit, entry, inputs)
        assert np.count_nonzero(wanted["status"]) == fails
        for behind in range(4):
            _assert_same_bits(_rows(lanes, unit, entry, inputs, behind), wanted)
            _assert_same_bits(_columns(lanes, unit, entry, inputs, (behind,)), wanted)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("unit", [Unit("dyad_rrr", "double"), Unit("dyad_rrr", "float")], ids=str)
@pytest.mark.parametrize("rows", [0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 71, 73, 121])
def test_any_number_of_rows_is_solved(unit: Unit, rows: int, objects: Path) -> None:
    entry = next(e for e in functions_in_lanes(unit.module) if e["name"] == "kernel_all")
    plain, lanes = _shared(objects, unit, entry, "all")
    inputs = {name: array[:rows].copy() for name, array in rows_of_inputs(unit, entry, 121).items()}
    wanted = _rows(plain, unit, entry, inputs)
    _assert_same_bits(_rows(lanes, unit, entry, inputs), wanted)
    _assert_same_bits(_columns(lanes, unit, entry, inputs), wanted)


#: Places in a line of memory, counted in numbers: of all columns alike, of most, of as many here as there.
PLACES = [(0,), (1,), (2,), (7,), (3, 3, 6), (6, 2), (15,)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("more", [(), ("-DSYMGEN_OVERWRITE", "-DSYMGEN_FORM=2")], ids=["kept", "overwritten"])
@pytest.mark.parametrize("behind", PLACES, ids=str)
@pytest.mark.parametrize("unit", [Unit("dyad_rrr", "double"), Unit("dyad_rrr", "float")], ids=str)
@pytest.mark.parametrize("rows", [1023, 1024, 1030, 1088, 1089])
@pytest.mark.parametrize("machine", ["all", "far"])
def test_every_row_is_solved_wherever_columns_begin(
    unit: Unit, machine: str, rows: int, behind: tuple[int, ...], more: tuple[str, ...], objects: Path
) -> None:
    entry = next(e for e in functions_in_lanes(unit.module) if e["name"] == "kernel_all")
    plain, lanes = _shared(objects, unit, entry, machine, more=more)
    inputs = {name: array[:rows].copy() for name, array in rows_of_inputs(unit, entry, 1089).items()}
    wanted, found = _rows(plain, unit, entry, inputs), _columns(lanes, unit, entry, inputs, behind)
    assert (found["status"] == wanted["status"]).all()
    told = wanted["status"] == 0 if more else np.full(rows, fill_value=True)
    assert told[:64].any()
    _assert_same_bits({n: a[told] for n, a in found.items()}, {n: a[told] for n, a in wanted.items()})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("machine", ["all", "far"])
@pytest.mark.parametrize("behind", PLACES, ids=str)
@pytest.mark.parametrize("unit", [Unit("dyad_rrr", "double"), Unit("dyad_rrr", "float")], ids=str)
@pytest.mark.parametrize("rows", [1024, 1029, 1100])
def test_blocks_that_begin_early_and_are_solved_whole_hold_the_same_bits(
    unit: Unit, rows: int, behind: tuple[int, ...], machine: str, objects: Path
) -> None:
    # whole blocks go past the caches from line to line, the first ones overlap, a failure in between ends that
    entry = next(e for e in functions_in_lanes(unit.module) if e["name"] == "kernel_all")
    plain, lanes = _shared(objects, unit, entry, machine)
    inputs = _solved_rows(plain, unit, entry, rows)
    for fails in (False, True):
        inputs["a"][500] = np.nan if fails else inputs["a"][500]
        wanted = _rows(plain, unit, entry, inputs)
        assert np.count_nonzero(wanted["status"]) == fails
        _assert_same_bits(_columns(lanes, unit, entry, inputs, behind), wanted)
        _assert_same_bits(_rows(lanes, unit, entry, inputs, behind[0]), wanted)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("machine", ["all", "far"])
@pytest.mark.parametrize("unit", [Unit("dyad_rrr", "double"), Unit("loop_rss", "float")], ids=str)
def test_columns_that_may_be_overwritten_hold_the_same_where_rows_are_solved(
    unit: Unit, machine: str, objects: Path
) -> None:
    entry = next(e for e in functions_in_lanes(unit.module) if e["level"] == "kernel" and e["stage"] == "all")
    plain, lanes = _shared(objects, unit, entry, machine, more=("-DSYMGEN_OVERWRITE", "-DSYMGEN_FORM=2"))
    inputs = rows_of_inputs(unit, entry, ROWS)
    wanted, found = _rows(plain, unit, entry, inputs), _columns(lanes, unit, entry, inputs)
    solved = wanted["status"] == 0
    assert solved.any()
    assert not solved.all()
    assert (found["status"] == wanted["status"]).all()
    _assert_same_bits({n: a[solved] for n, a in found.items()}, {n: a[solved] for n, a in wanted.items()})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("unit", [Unit("dyad_rrr", "double"), Unit("dyad_rrr", "float")], ids=str)
def test_clang_gives_the_same_bits(unit: Unit, objects: Path) -> None:
    entry = next(e for e in functions_in_lanes(unit.module) if e["name"] == "rrr_all")
    plain, lanes = _shared(objects, unit, entry, "any", "clang")
    inputs = rows_of_inputs(unit, entry, ROWS)
    _assert_same_bits(_rows(lanes, unit, entry, inputs), _rows(plain, unit, entry, inputs))


@pytest.mark.parametrize("unit", [Unit("dyad_rrr", "double")], ids=str)
def test_columns_are_solved_without_lanes_too(unit: Unit, objects: Path) -> None:
    entry = next(e for e in functions_in_lanes(unit.module) if e["name"] == "kernel_all")
    flags = [flag for flag in FLAGS if flag != "-DSYMGEN_NO_COLUMNS"]
    whole = once(objects, f"{unit}.columns.so", need("gcc"), *flags, "-O1", "-shared", unit.source, "-lm")
    inputs = rows_of_inputs(unit, entry, ROWS)
    _assert_same_bits(_columns(whole, unit, entry, inputs), _rows(whole, unit, entry, inputs))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("unit", chosen_units(), ids=str)
def test_the_text_for_lanes_compiles_without_a_warning(unit: Unit, compiler: str, objects: Path) -> None:
    # one kind of machine: the others have the same text; level 1 sees what is unset. A part that only scalar functions
    # call is unused here, which clang says of inline functions too.
    flags = ("-std=c99", "-O1", *WARNINGS, *C_ONLY, "-DSYMGEN_LANES=2", "-DSYMGEN_ONE_MACHINE", "-Wno-unused-function")
    once(objects, f"{unit}.{compiler}.lanes.o", need(compiler), *flags, "-c", unit.source)


@pytest.mark.skipif(not IS_X86_64, reason="reads the instructions of x86-64")
@pytest.mark.sampled(1)
@pytest.mark.parametrize("machine", ["avx2", "avx512"])
@pytest.mark.parametrize("unit", chosen_units(), ids=str)
def test_a_block_is_solved_by_vector_instructions_alone(unit: Unit, machine: str, objects: Path) -> None:
    # the whole point of lanes: one call or branch in the loop, and the compiler takes row after row
    flags = (*FLAGS, "-O3", "-DSYMGEN_LANES=2", *MACHINES[machine])
    built = once(objects, f"{unit}.vectors.{machine}.o", need("gcc"), *flags, "-c", unit.source)
    text = run(need("objdump"), "-d", "--no-show-raw-insn", built)
    blocks = dict(re.findall(r"<((?:rows|columns)_\w+)[.\w]*>:\n(.*?)(?:\n\n|\Z)", text, flags=re.DOTALL))
    entries = functions_in_lanes(unit.module)
    assert sorted(blocks) == sorted(f"{form}_{entry['name']}" for form in FORMS for entry in entries)
    single = {name: re.findall(r"\bv(?:add|sub|mul|div|sqrt)s[sd]\b", block) for name, block in blocks.items()}
    assert {name: len(found) for name, found in single.items() if found} == {}
    register = "%zmm" if machine == "avx512" else "%ymm"
    assert all(re.search(rf"\bvmulp[sd]\b.*{register}", block) for block in blocks.values())


_REFUSED = {
    "-DSYMGEN_LANES=3": "-DSYMGEN_LANES is 0, 1 or 2",
    "-DSYMGEN_FORM=3": "-DSYMGEN_FORM is 0 (rows and columns), 1 (rows) or 2 (columns)",
    "-DSYMGEN_ONLY=99": "-DSYMGEN_ONLY is the number of a function that runs in lanes, at most 20 here",
    "-DSYMGEN_ONLY=1": "-DSYMGEN_ONLY=1: symgen_loop_rcs_kernel_position does not run in lanes",
}


@pytest.mark.parametrize("switch", _REFUSED)
def test_switches_that_mean_nothing_are_refused(switch: str) -> None:
    source = home("loop_rcs") / "loop_rcs.c"
    lanes = () if "LANES" in switch else ("-DSYMGEN_LANES=2",)
    with pytest.raises(AssertionError, match=re.escape(_REFUSED[switch])):
        run(need("gcc"), "-std=c99", "-fsyntax-only", *lanes, switch, source)


def test_a_switch_that_is_zero_is_off(tmp_path: Path) -> None:
    """The preprocessor's text is the same but for the lines of the switches themselves."""
    command = (need("gcc"), "-std=c99", "-E", "-P", "-DSYMGEN_LANES=2", home("dyad_rrr") / "dyad_rrr.c")
    plain = run(*command)
    assert run(*command, "-DSYMGEN_OVERWRITE=0", "-DSYMGEN_ONE_MACHINE=0") == plain
    assert run(*command, "-DSYMGEN_OVERWRITE") != plain
    assert run(*command, "-DSYMGEN_ONE_MACHINE") != plain or not IS_X86_64
