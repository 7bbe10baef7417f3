"""Parts of one routine that are alike: solved side by side in C, with the bits, statuses and results of one by one.

The oracles are the same parts under five meanings, which C calls one after the other and leaves at the first that
fails, and the routine itself with 50 digits.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffi import FFI
from oracle.compilers import C_ONLY, COMPILERS, IS_X86_64, MACHINES, WARNINGS, need, once, run
from oracle.modules import DTYPE

from symgen.algebra import SMALL_LENGTH, number, sqrt, symbol
from symgen.build.compiler import FLAGS
from symgen.derive.derivation import Derivation
from symgen.derive.items import Inner
from symgen.derive.module import ModuleDerivation
from symgen.derive.vectors import Vector
from symgen.emit.side_by_side import (
    FEWEST,
    NO_PLACES,
    SidePlaces,
    name_of_all,
    rows_of,
    runs_of_like_calls,
    side_places,
)
from symgen.ir.evaluate import evaluate
from symgen.ir.nodes import Routine
from symgen.library.sources import declarations, declarations_in_float, status_declaration
from symgen.lower import lower
from symgen.passes import run_passes
from symgen.pipeline.modules import LoweredModule, module_texts
from symgen.status import Status

pytestmark = pytest.mark.compiler

ROWS, PARTS, SENTINEL = 150, 5, -7.0
#: name -> numbers a row, in the order of the function's arguments
INPUTS = {"origin": 3, "scale": 1, "tips": 3 * PARTS, "loads": PARTS}
OUTPUTS = {"lengths": PARTS, "moment": 3}


def _arm() -> Inner:
    """An arm: its length and direction, refused without length; a load beyond 100 N is refused, too."""
    d = Derivation("arm", level="kernel", title="an arm", source="this test")
    origin = d.input_vector("origin", 3, meaning="where it begins", unit="m")
    scale = d.input_scalar("scale", meaning="of all arms", unit="1")
    tip = d.input_vector("tip", 3, meaning="where it ends", unit="m")
    load = d.input_scalar("load", meaning="its load", unit="N")
    beside = d.input_vector("beside", 3, meaning="a step to the side", unit="m")
    line = d.vector("line", (tip - origin) * scale + beside, "from origin to tip", "m")
    size2 = d.scalar("size2", line.dot(line), "squared length", "m^2")
    d.guard(size2, ">", SMALL_LENGTH, Status.DEGENERATE, "the arm has no length")
    d.guard(load, "<=", number(100), Status.NO_ASSEMBLY, "too heavy")
    length = d.scalar("length", sqrt(size2), "length", "m")
    u = d.vector("u", line * (1 / length), "direction")
    moment = d.scalar("moment", length * load, "moment", "N m")
    d.output("size", (length, moment), meaning="length and moment", unit="m, N m")
    d.output("along", u, meaning="direction", unit="1")
    d.claim_identity("unit", "the direction has unit length", [u.dot(u) * size2 - line.dot(line)])
    return Inner("arm", d)


_ARM = _arm()


def _arms(parts: int = PARTS, *, way: str = "alike") -> Derivation:
    d = Derivation("arms kernel", level="kernel", title="some arms", source="this test")
    origin = d.input_vector("origin", 3, meaning="where they begin", unit="m")
    scale = d.input_scalar("scale", meaning="of all arms", unit="1")
    ends = d.input_array(
        "tips", [f"tip{k}_{x}" for k in range(parts) for x in "xyz"], meaning="where they end", unit="m"
    )
    loads = d.input_array("loads", [f"load{k}" for k in range(parts)], meaning="loads", unit="N")
    tips = [Vector(ends[3 * k : 3 * k + 3]) for k in range(parts)]
    sides = [d.vector(f"side{k}", tips[k].cross(origin), "to the side", "m") for k in range(parts)]
    each = [{"tip": tips[k], "load": loads[k] * number(2), "beside": sides[k]} for k in range(parts)]
    shared = {"origin": origin, "scale": scale}
    if way == "alike":
        found = d.call_each(_ARM, shared, each, "arm", "arms")
    else:
        found = []
        for k in range(parts):
            taken = {"tip": found[-1].vector("along")} if way == "chained" and k else {}
            meaning = "arms" if way == "chained" else f"arm {k}"
            found.append(d.call(_ARM, {**shared, **each[k], **taken}, f"arm{k}", meaning))
    d.output("lengths", [one.values["size"][1] for one in found], meaning="moments", unit="N m")
    total = found[0].vector("along").cross(found[-1].vector("along"))
    d.output("moment", d.vector("turned", total, "of the first and the last"), meaning="moment", unit="1")
    return d


@lru_cache(maxsize=8)
def _routine(parts: int = PARTS, way: str = "alike") -> Routine:
    return run_passes(lower(_arms(parts, way=way), "position"))


def _write(place: Path, kernel: Derivation, routine: Routine) -> Path:
    module = ModuleDerivation(
        id="arms",
        title="Arms",
        space="spatial",
        degree=1,
        source="this test",
        summary=("Arms.",),
        kernel=kernel,
        arrange=lambda position: (),
    )
    lowered = LoweredModule(module, (), (routine,))
    for name, text in module_texts(lowered, "this test").items():
        (place / name).write_text(text, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("arms"), _arms(), _routine())


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("arms_apart"), _arms(way="apart"), _routine(way="apart"))


def _rows(rows: int = ROWS) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    return {
        name: np.round(rng.uniform(0.5, 2.0, (rows, width)), 3).astype(np.float64) for name, width in INPUTS.items()
    }


def _broken() -> dict[str, np.ndarray]:
    """Rows in which every part fails in every way, alone and with another one before or behind it."""
    rows = _rows(4 * PARTS)
    for row in range(4 * PARTS):
        part, kind = row % PARTS, row // PARTS
        other = (part + 2) % PARTS
        if kind in (0, 2):  # without length: what it steps aside is parallel to nothing
            rows["origin"][row], rows["tips"][row, 3 * part : 3 * part + 3] = 0.0, 0.0
        if kind in (1, 3):
            rows["loads"][row, part] = 51.0
        if kind == 2:
            rows["loads"][row, other] = 51.0
        if kind == 3:
            rows["loads"][row, other] = np.nan
    return rows


def _exact(rows: dict[str, np.ndarray], row: int) -> tuple[Status, dict[str, Any]]:
    given = {name: array[row].tolist() if INPUTS[name] > 1 else float(array[row, 0]) for name, array in rows.items()}
    return evaluate(_routine(), given)


Call = Callable[[dict[str, np.ndarray], int], tuple[Status, np.ndarray]]


def _opened(shared: Path, folder: Path, precision: str) -> tuple[FFI, Any, str]:
    ffi, prefix = FFI(), "symgen" if precision == "double" else "symgenf"
    told = declarations((folder / "arms.h").read_text(encoding="utf-8"))
    told = told if precision == "double" else declarations_in_float(told, "arms")
    name = f"{prefix}_arms_kernel_position"
    ffi.cdef(status_declaration() + told)
    return ffi, ffi.dlopen(str(shared)), name


def _scalar(shared: Path, folder: Path, precision: str) -> Call:
    ffi, lib, name = _opened(shared, folder, precision)
    call = getattr(lib, name)

    def one(rows: dict[str, np.ndarray], row: int) -> tuple[Status, np.ndarray]:
        given = [
            float(rows[n][row, 0]) if width == 1 else ffi.new(f"{precision}[]", rows[n][row].tolist())
            for n, width in INPUTS.items()
        ]
        found = [ffi.new(f"{precision}[]", [SENTINEL] * width) for width in OUTPUTS.values()]
        status = Status(call(*given, *found))
        return status, np.array([x for array in found for x in array])

    return one


def _compiled(folder: Path, precision: str, machine: str, level: str = "-O3") -> Path:
    source = folder / ("arms.c" if precision == "double" else "arms_f32.c")
    name = f"{precision}.{machine}{level}.so"
    return once(folder, name, need("gcc"), *FLAGS, level, "-shared", *MACHINES[machine], source, "-lm")


def test_like_calls_are_told_from_others() -> None:
    assert [len(run) for run in runs_of_like_calls(_routine()).values()] == [PARTS]
    assert runs_of_like_calls(_routine(FEWEST - 1)) == {}
    assert runs_of_like_calls(_routine(way="chained")) == {}  # each takes what the one before it gives
    assert runs_of_like_calls(_routine(way="apart")) == {}


def test_names_of_a_run_collide_with_nothing(tmp_path: Path) -> None:
    d = Derivation("names kernel", level="kernel", title="names", source="this test")
    side, leg = (
        d.input_vector("side", 3, meaning="a port", unit="m"),
        d.input_vector("leg", 3, meaning="a port", unit="m"),
    )
    loads = d.input_array("load", [f"load_{n}" for n in range(PARTS)], meaning="a port", unit="N")
    scale = d.input_scalar("scale", meaning="a port", unit="1")
    found = []
    for prefix in ("leg", "leg1", "arm"):  # the first is a port's name, the second begins with the first's of another
        each = [{"tip": leg, "load": load * number(2), "beside": side} for load in loads]
        found += d.call_each(_ARM, {"origin": side, "scale": scale}, each, prefix, f"arms, {prefix}")
    d.output("out", [one.values["along"][0] for one in found], meaning="a result", unit="1")  # of size nothing is used
    routine = run_passes(lower(d, "position"))
    assert [len(run) for run in runs_of_like_calls(routine).values()] == [PARTS]
    names = [name_of_all(run) for run in runs_of_like_calls(routine).values()]
    assert names == ["arm"]  # others would meet the port or the first run
    _write(tmp_path, d, routine)
    flags = ("-std=c99", "-O1", *WARNINGS, *C_ONLY, "-Wno-unused-function")  # -Wshadow and what is set but not used
    for lanes in "02":
        run(need("gcc"), *flags, f"-DSYMGEN_LANES={lanes}", "-c", tmp_path / "arms.c", "-o", tmp_path / "arms.o")


def _part(flag: bool = False, also: str = "") -> Inner:
    d = Derivation("part", level="kernel", title="a part", source="this test")
    t = d.input_vector("t", 3, meaning="a vector", unit="m")
    d.guard(t[0], ">", number(0), Status.NO_ASSEMBLY, "to the left")
    if flag:
        d.flag(t[1], "<", number(1), Status.DEGENERATE, "low")
    d.output("u", d.vector("u", t * 2, "twice"), meaning="twice", unit="m")
    if also:
        d.output(also, d.vector("more", t * 3, "three times"), meaning="three times", unit="m")
    return Inner("part", d)


def _also(part: Inner) -> Vector:
    """Let a part take another vector, too."""
    return part.derivation.input_vector("s", 3, meaning="another vector", unit="m") * 3


def _runs_of(
    each: Callable[[list[Vector]], list[Vector]], part: Inner, prefixes: Sequence[str] = (), shares: bool = False
) -> list[int]:
    d = Derivation("few kernel", level="kernel", title="a few", source="this test")
    given = d.input_array("a", [f"a{k}_{x}" for k in range(PARTS) for x in "xyz"], meaning="vectors", unit="m")
    taken = each([Vector(given[3 * k : 3 * k + 3]) for k in range(PARTS)])
    names = prefixes or [f"one{k}" for k in range(1, len(taken) + 1)]
    if shares:
        part.derivation.output("v", part.derivation.vector("v", _also(part), "again"), meaning="again", unit="m")
    all_take = {"s": taken[0]} if shares else {}
    found = [d.call(part, {"t": t, **all_take}, name, "parts") for name, t in zip(names, taken, strict=True)]
    d.output("out", [one.values["u"][0] for one in found], meaning="a result", unit="m")
    return [len(run) for run in runs_of_like_calls(run_passes(lower(d, "position"))).values()]


def _single_too() -> Derivation:
    """Like parts, and one more of them behind, which is called by itself and written last."""
    d = Derivation("arms kernel", level="kernel", title="some arms", source="this test")
    given = d.input_array("a", [f"a{k}_{x}" for k in range(PARTS) for x in "xyz"], meaning="vectors", unit="m")
    vectors = [Vector(given[3 * k : 3 * k + 3]) for k in range(PARTS)]
    last = d.input_vector("b", 3, meaning="a vector", unit="m")
    part = _part()
    found = d.call_each(part, {}, [{"t": t} for t in vectors], "run", "parts")
    found.append(d.call(part, {"t": last}, "lone", "one more"))
    for k, one in enumerate(found):
        d.output(f"out{k}", one.vector("u"), meaning="a result", unit="m")
    d.witness("position", [])
    return d


@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_part_called_by_itself_too_writes_nothing_if_it_fails(compiler: str, tmp_path: Path) -> None:
    routine = run_passes(lower(_single_too(), "position"))
    assert [len(calls) for calls in runs_of_like_calls(routine).values()] == [PARTS]
    _write(tmp_path, _single_too(), routine)
    flags = ("-std=c99", "-O1", "-fPIC", *WARNINGS, *C_ONLY, "-Wno-unused-function", "-DSYMGEN_ONE_MACHINE")
    for source in ("arms.c", "arms_f32.c"):
        run(need(compiler), *flags, "-shared", tmp_path / source, "-o", tmp_path / f"{source}.so", "-lm")
    ffi, lib, name = _opened(tmp_path / "arms.c.so", tmp_path, "double")
    for b, wanted in (([1.0, 2.0, 3.0], Status.OK), ([-1.0, 2.0, 3.0], Status.NO_ASSEMBLY)):
        found = [ffi.new("double[]", [SENTINEL] * 3) for _ in range(PARTS + 1)]
        status = Status(getattr(lib, name)(ffi.new("double[]", [1.0] * 15), ffi.new("double[]", b), *found))
        assert status is wanted
        values = [list(array) for array in found]
        doubled = [[2.0] * 3] * PARTS + [[2.0 * x for x in b]]
        assert values == (doubled if wanted is Status.OK else [[SENTINEL] * 3] * (PARTS + 1))


def test_what_would_give_a_wrong_number_or_status_goes_one_by_one() -> None:
    assert _runs_of(lambda a: a, _part()) == [PARTS]
    assert _runs_of(lambda a: a, _part(also="v")) == [PARTS]
    for taken in ("u_sides", "u_places"):  # arrays of the results called u have these names
        assert _runs_of(lambda a: a, _part(also=taken)) == []
    assert _runs_of(lambda a: a, _part(flag=True)) == []  # a guard of a part comes before its flag
    assert _runs_of(lambda a: a, _part(), [f"arm{k}" for k in range(PARTS)]) == []  # names not counted from 1
    routine = _runs_of(lambda a: [a[0], a[1] * 2, *a[1:]], _part())
    assert routine == [PARTS + 1]  # one takes an expression: not the rows of the argument
    assert _runs_of(lambda a: a, _part(), shares=True) == []  # all take the first's row besides
    assert not rows_of(("x", "y"), [(symbol("x"),), (symbol("x") * 2,), (symbol("y"),)])


def test_the_text_is_one_loop_in_which_nothing_returns(folder: Path) -> None:
    text = (folder / "arms.c").read_text(encoding="utf-8")
    assert text.count("solve_arm(") == 2  # the part, and its one call
    part = text[text.index("symgen_side solve_arm(") :].split("\n}\n")[0]
    assert part.count("NOTE(SYMGEN_") == 3
    assert part.count("return") == 1
    assert "tips + 3*symgen_row" in text  # rows of an argument are read where they are


@pytest.mark.skipif(not IS_X86_64, reason="reads the instructions of x86-64")
@pytest.mark.parametrize("precision", ["double", "float"])
def test_the_parts_are_solved_by_vector_instructions(folder: Path, precision: str) -> None:
    if "avx2" not in MACHINES:
        pytest.skip("this processor has no AVX2")
    text = run(need("objdump"), "-d", "--no-show-raw-insn", _compiled(folder, precision, "avx2"))
    assert re.search(r"\bvsqrtp[sd]\b", text)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("level", ["-O1", "-O3"])
@pytest.mark.parametrize("precision", ["double", "float"])
def test_bits_and_statuses_are_those_of_one_by_one(
    folder: Path, apart: Path, precision: str, machine: str, level: str
) -> None:
    native = _scalar(_compiled(folder, precision, machine, level), folder, precision)
    one_by_one = _scalar(_compiled(apart, precision, "any"), apart, precision)
    for rows in (_rows(), _broken()):
        for row in range(len(rows["scale"])):
            status, found = native(rows, row)
            wanted_status, wanted = one_by_one(rows, row)
            assert status is wanted_status
            assert (status is Status.OK) == (rows["loads"].max() < 50.0)
            assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("precision", ["double", "float"])
def test_the_first_part_that_fails_has_the_last_word_and_nothing_is_written(
    folder: Path, machine: str, precision: str
) -> None:
    native = _scalar(_compiled(folder, precision, machine), folder, precision)
    rows = _broken()
    seen = set()
    for row in range(4 * PARTS):
        status, found = native(rows, row)
        exact, _ = _exact(rows, row)
        seen.add(status)
        # no load is NaN for the routine with 50 digits: it asks nothing of what it is given
        assert status is (Status.BAD_INPUT if np.isnan(rows["loads"][row]).any() else exact)
        assert (found == SENTINEL).all()
    assert seen == {Status.DEGENERATE, Status.NO_ASSEMBLY, Status.BAD_INPUT}


def test_numpy_solves_them_at_once_to_the_same_numbers_and_statuses(folder: Path, apart: Path) -> None:
    together, one_by_one = _numpy(folder), _numpy(apart)
    assert (folder / "arms.py").read_text(encoding="utf-8").count("_solve_arm(") == 2  # the part, and its one call
    rows = {n: np.concatenate([a, b]) for (n, a), b in zip(_rows().items(), _broken().values(), strict=True)}
    given = [rows[name] if width > 1 else rows[name][:, 0] for name, width in INPUTS.items()]
    shared = [given[0][0], given[1][0], *given[2:]]  # what all rows share has no axis for them
    lone = [each[3] for each in given]
    for arguments in (given, shared, lone):
        *found, status = together.kernel_position(*arguments)
        *wanted, wanted_status = one_by_one.kernel_position(*arguments)
        assert (status == wanted_status).all()
        for one, other in zip(found, wanted, strict=True):
            assert one.shape == other.shape
            assert np.array_equal(one, other, equal_nan=True)


def _numpy(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location(folder.name, folder / "arms.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("precision", "bound"), [("double", 1e-14), ("float", 5e-6)])
def test_values_are_those_of_fifty_digits(folder: Path, precision: str, bound: float) -> None:
    # some twenty operations on numbers up to 10: 20 roundings of 1.1e-16 (6e-8) times 4, relative to sizes up to 10
    native = _scalar(_compiled(folder, precision, "all"), folder, precision)
    rows = {name: array.astype(DTYPE[precision]) for name, array in _rows(30).items()}
    for row in range(30):
        status, exact = _exact(rows, row)
        assert status is Status.OK
        values = np.array([float(x) for part in exact.values() for x in part])
        assert np.abs(native(rows, row)[1] / values - 1.0).max() < 100 * bound


@pytest.mark.sampled(1)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("precision", ["double", "float"])
def test_batches_in_lanes_have_the_same_bits(folder: Path, precision: str, machine: str) -> None:
    plain = _compiled(folder, precision, "any")
    source = folder / ("arms.c" if precision == "double" else "arms_f32.c")
    scalar = once(folder, f"{precision}.scalar.o", need("gcc"), *FLAGS, "-O2", "-DSYMGEN_LANES=1", "-c", source)
    flags = (*FLAGS, "-O3", "-shared", "-DSYMGEN_LANES=2", "-DSYMGEN_ONLY=1", *MACHINES[machine])
    lanes = once(folder, f"{precision}.{machine}.lanes.so", need("gcc"), *flags, source, scalar, "-lm")
    rows = {n: np.concatenate([a, b]) for (n, a), b in zip(_rows(80).items(), _broken().values(), strict=True)}
    count = len(rows["scale"])
    results = []
    for shared in (plain, lanes):
        ffi, lib, name = _opened(shared, folder, precision)
        given = [np.ascontiguousarray(rows[n], dtype="f8" if precision == "double" else "f4") for n in INPUTS]
        found = [np.full((count, width), SENTINEL, dtype=given[0].dtype) for width in OUTPUTS.values()]
        status = np.full(count, 99, dtype=np.int32)
        pointers = [ffi.from_buffer(f"{precision}[]", array) for array in (*given, *found)]
        getattr(lib, f"{name}_batch")(count, *pointers, ffi.from_buffer("int32_t[]", status))
        results.append((status.tobytes(), *(array.tobytes() for array in found)))
    assert results[0] == results[1]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("lanes", ["0", "1", "2"])
def test_it_compiles_without_a_warning(folder: Path, compiler: str, lanes: str) -> None:
    flags = ("-std=c99", "-O1", *WARNINGS, *C_ONLY, f"-DSYMGEN_LANES={lanes}", "-Wno-unused-function")
    once(folder, f"{compiler}.{lanes}.o", need(compiler), *flags, "-c", folder / "arms.c")


def _placed(reads_one: bool = False, copied: bool = False) -> Derivation:
    """Parts whose inputs are rows of one argument, and whose results are results; others before and behind them.

    With `copied` results are also taken by other parts, and given twice; so is what the first parts take.
    """
    d = Derivation("arms kernel", level="kernel", title="some arms", source="this test")
    given = d.input_array("a", [f"a{k}_{x}" for k in range(PARTS) for x in "xyz"], meaning="vectors", unit="m")
    vectors = [Vector(given[3 * k : 3 * k + 3]) for k in range(PARTS)]
    last = d.input_vector("b", 3, meaning="a vector", unit="m")
    found = [one.vector("u") for one in d.call_each(_part(), {}, [{"t": t} for t in vectors], "run", "parts")]
    after = d.call(_part(), {"t": last}, "lone", "one more").vector("u")
    total = d.vector("total", (found[0] + found[1] + after) * (given[4] if reads_one else 1), "of some", "m")
    d.output("total", total, meaning="a result", unit="m")
    for k, one in enumerate(found):
        d.output(f"out{k}", one, meaning="a result", unit="m")
    d.output("after", after, meaning="a result", unit="m")
    if copied:
        more = [one.vector("u") for one in d.call_each(_part(), {}, [{"t": t} for t in found], "again", "parts again")]
        for k, one in enumerate((*more, found[1])):
            d.output(f"more{k}", one, meaning="a result", unit="m")
        d.output("same", given, meaning="a result", unit="m")
    d.witness("position", [])
    return d


def test_arguments_that_parts_read_and_write_by_themselves_are_told_from_others() -> None:
    results = frozenset(f"out{k}" for k in range(PARTS))
    assert side_places(run_passes(lower(_placed(), "position"))) == SidePlaces(frozenset("a"), results)
    assert side_places(run_passes(lower(_placed(reads_one=True), "position"))) == SidePlaces(frozenset(), results)
    assert side_places(_routine()) == NO_PLACES  # its tips are read before, too; results are made of many parts'


@pytest.fixture(scope="module", params=[False, True], ids=["once", "copied"])
def placed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[int, ...]]:
    """Return where the module lies, and the sizes of its results."""
    kernel, copied = _placed(copied=request.param), request.param
    folder = _write(tmp_path_factory.mktemp("placed"), kernel, run_passes(lower(kernel, "position")))
    text = (folder / "arms.c").read_text(encoding="utf-8")
    assert ("const real a[15]" if copied else "symgen_given a[15]") in text
    assert copied or f"true, (k < 3 || k >= {3 + 3 * PARTS})," in text
    return folder, (3, *[3] * PARTS, 3, *([3] * (PARTS + 1) + [3 * PARTS] if copied else []))


#: What is compiled beside -DSYMGEN_LANES=2, whether rows or columns are solved, and whether failed rows keep results.
FORMS = {
    "rows": (("-DSYMGEN_FORM=1",), "batch", True),
    "rows beside columns": ((), "batch", True),
    "columns kept": ((), "columns", True),
    "columns overwritten": (("-DSYMGEN_OVERWRITE", "-DSYMGEN_FORM=2"), "columns", False),
    "row by row": (("-USYMGEN_LANES",), "columns", True),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("precision", ["double", "float"])
@pytest.mark.parametrize("form", FORMS)
def test_what_parts_write_at_once_has_the_bits_of_single_calls(
    placed: tuple[Path, tuple[int, ...]], precision: str, machine: str, form: str
) -> None:
    (folder, sizes), (more, entry, keeps) = placed, FORMS[form]
    source = folder / ("arms.c" if precision == "double" else "arms_f32.c")
    scalar = once(folder, f"{precision}.scalar.o", need("gcc"), *FLAGS, "-O2", "-DSYMGEN_LANES=1", "-c", source)
    flags = (*FLAGS, "-USYMGEN_NO_COLUMNS", "-O3", "-shared", "-DSYMGEN_LANES=2", *more, *MACHINES[machine])
    others = () if form == "row by row" else (scalar,)
    shared = once(folder, f"{precision}.{machine}.{form}.so".replace(" ", "-"), need("gcc"), *flags, source, *others)
    ffi, lib, name = _opened(shared, folder, precision)
    random, real, count = np.random.default_rng(3), DTYPE[precision], 150
    a, b = (random.uniform(-0.05, 1.0, (count, width)).astype(real) for width in (3 * PARTS, 3))
    found = [np.full((count, size), SENTINEL, real) for size in sizes]
    status = np.full(count, 99, np.int32)
    told = ffi.from_buffer("int32_t[]", status)
    if entry == "columns":
        columns = [np.ascontiguousarray(each.T) for each in (a, b, *found)]
        places = [
            [ffi.from_buffer(f"{precision}[]", c) for each in part for c in each] for part in (columns[:2], columns[2:])
        ]
        tables = [ffi.new(f"{precision} *[]", each) for each in places]
        ffi.cdef(f"int32_t {name}_columns(int32_t, {precision} **, void *, {precision} **, void *, int32_t *);")
        getattr(lib, f"{name}_columns")(count, tables[0], ffi.NULL, tables[1], ffi.NULL, told)
        found = [each.T for each in columns[2:]]
    else:
        getattr(lib, f"{name}_batch")(count, *(ffi.from_buffer(f"{precision}[]", x) for x in (a, b, *found)), told)
    assert {Status(s) for s in status} == {Status.OK, Status.NO_ASSEMBLY}
    for row in range(count):
        one = [ffi.new(f"{precision}[]", [SENTINEL] * size) for size in sizes]
        wanted = getattr(lib, name)(
            ffi.new(f"{precision}[]", a[row].tolist()), ffi.new(f"{precision}[]", b[row].tolist()), *one
        )
        assert status[row] == wanted
        if keeps or wanted == Status.OK:
            assert [list(array) for array in one] == [each[row].tolist() for each in found]


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("form", FORMS)
def test_parts_that_write_at_once_compile_without_a_warning(
    placed: tuple[Path, tuple[int, ...]], compiler: str, form: str
) -> None:
    folder, more = placed[0], FORMS[form][0]
    flags = ("-std=c99", "-O1", *WARNINGS, *C_ONLY, "-Wno-unused-function", "-DSYMGEN_LANES=2", *more)
    for source in ("arms.c", "arms_f32.c"):
        run(need(compiler), *flags, "-c", folder / source, "-o", folder / f"{compiler}.o")


def test_numbers_that_are_also_taken_one_by_one_are_not_left_in_place() -> None:
    part = Derivation("part", level="kernel", title="a part", source="this test")
    (t,) = part.input_array("t", ["t_x"], meaning="an array of one", unit="m")
    q = part.input_scalar("q", meaning="a number", unit="m")
    part.output("u", [part.scalar("both", t + q, "both", "m")], meaning="a result", unit="m")
    d = Derivation("few kernel", level="kernel", title="a few", source="this test")
    given = d.input_array("given_ones", [f"a{k}_x" for k in range(PARTS)], meaning="numbers", unit="m")
    found = d.call_each(Inner("part", part), {}, [{"t": [x], "q": x} for x in given], "run", "parts")
    d.output("out", [one.values["u"][0] for one in found], meaning="a result", unit="m")
    routine = run_passes(lower(d, "position"))
    assert len(runs_of_like_calls(routine)) == 1
    assert side_places(routine).given == frozenset()
