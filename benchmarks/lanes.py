"""Batches in lanes of vector registers: from C and from Python, rows and columns, one thread and two.

The yardstick of a problem's batches is heyoka's function with fast mathematics, called from Python with `outputs`, on
one thread; that of a group, which no peer has, is its own batch row by row. Bits are compared before times are taken.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import numpy as np

import symgen
from benchmarks.entrant import Entrant, LeftOutError
from benchmarks.harness import UnfairError, measure, ratio_of
from benchmarks.lanes_whole import Leg
from benchmarks.native import branches
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.python_loop import python_entrant
from symgen.library.backends import REAL, CBackend, open_backend
from symgen.library.lanes import FORMS
from symgen.library.manifest import Function, ManifestPort
from symgen.library.solved_type import SolvedFunction, SolvedType
from symgen.library.table_entries import table_name

TITLE = "## Batches in lanes"
#: A batch that stays in the cache of a core, and one that does not.
SIZES = (1500, 1_000_000)
SHARED = 200_000
#: Two cores are ours if they do so many times the work of one: calls of rows that stay in the cache of a core.
BOTH_CORES, NEAR, TURNS = 1.6, 1000, 60
#: Seconds to wait where they are not; some machines give a second core only for a while.
PAUSE = 0.3
GROUPS = ("R.R.R 2D", "R.U.S 3D")
TRIAD = "<-|R|R|R; 1-2R 1-3R 1-4R> 2D"
#: So often arrays are laid out anew where the time depends on the place they get: of batches that no cache holds, by up
#: to 20 %, and of a kernel that hardly calculates: five times as long where columns share places of a cache.
PLACES = 7
Arrays = Mapping[str, np.ndarray]

_ABOUT = """One function over many rows, by the same text that solves one row (`docs/lanes.md`). *Row by row* is the
batch function compiled as it stands; *in lanes* the same text compiled for rows side by side. Rows are one array for
each argument; columns are one array for each number, as heyoka takes them; columns of rows that fail may be
overwritten, as the library compiles them. Times are nanoseconds a row, medians of
{rounds} rounds; in brackets the ratio of the fastest rounds. Where batches are large, {places} times new arrays were
laid out, for the time depends on the place they get. New arrays: the result of the call before is let go first, so
that its memory is used again. All bits are those of the scalar function. From one run of this page to the next, a ratio
differs by up to a tenth: the machine, and the reference, are not always equally quick."""


@dataclass(frozen=True)
class Subject:
    """A function as the library compiles it: what `SolvedFunction` wants to know of its owner."""

    backend: CBackend
    function: Function
    key: str
    real: np.dtype[Any] = REAL["double"]


def lanes_section(rounds: int) -> str:
    """Measure everything; return the section."""
    parts = [TITLE, _ABOUT.format(rounds=rounds, places=PLACES)]
    for problem in PROBLEMS:
        print(f"measuring lanes: {problem.name}", file=sys.stderr, flush=True)
        try:
            parts.append(_problem_table(problem, rounds))
        except LeftOutError as error:
            parts.append(f"{problem.title}: left out ({error}).")
    print("measuring lanes: groups and threads", file=sys.stderr, flush=True)
    parts += [_group_table(rounds), _whole_table(rounds), _thread_table(rounds)]
    return "\n\n".join(parts)


def section_of(document: str) -> str:
    """Return this section of a document, or nothing."""
    _, found, rest = document.partition(f"{TITLE}\n")
    return f"{found}{rest.partition(chr(10) + '## ')[0]}".strip()


def _problem_table(problem: Problem, rounds: int) -> str:
    from benchmarks.tools.symgen_tool import subject_of

    given = subject_of(problem)
    subject = Subject(_opened(given.module), given.function, problem.name)
    columns: list[dict[str, tuple[float, str]]] = []
    for count in SIZES:
        instances = np.resize(problem.instances(SIZES[0]), (count, problem.size_in))
        picked = branches(problem, instances)

        def entrants(instances: np.ndarray = instances, picked: np.ndarray = picked) -> list[Entrant]:
            turned = np.ascontiguousarray(instances.T)
            found = _arrays(instances, turned, picked, given.function.inputs, given.binding.inputs)
            return [*_heyoka(problem, turned), *_symgen(subject, *found)]

        places = 1 if count == SIZES[0] else PLACES
        columns.append(_compared(entrants, max(3, rounds // places), places))
    heads = " | ".join(f"{count:,} rows, ns | over heyoka, fast_math" for count in SIZES)
    return _table(f"### {problem.title}", heads, columns)


def _group_table(rounds: int) -> str:
    lines = ["### Groups: poses in, poses out", "", "Over the batch row by row, 1,500 rows.", ""]
    for name in GROUPS:
        solved = symgen.library()[name]
        function = solved["all"]
        subject = Subject(_opened(solved.entry.module), _function_of(function), name)
        random = np.random.default_rng(5)
        rows = _group_rows(function, random, SIZES[0])
        columns = {key: np.asfortranarray(array) for key, array in rows.items()}
        entrants = partial(_symgen, subject, rows, columns)
        lines += [_table(f"#### {name}", "ns | over row by row", [_compared(entrants, rounds)]), ""]
    return "\n".join(lines).rstrip()


def _group_rows(function: SolvedFunction, random: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Return rows that are solved: random ones are tried until there are enough, then repeated."""
    kept: list[dict[str, np.ndarray]] = []
    for _ in range(200):
        tried = {port.name: _random_port(port, random, 4096) for port in function.inputs}
        solved = function(**tried).status == 0
        kept.append({name: array[solved] for name, array in tried.items()})
        if sum(len(each["branch"]) for each in kept) >= count // 4:
            break
    joined = {name: np.concatenate([each[name] for each in kept]) for name in kept[0]}
    if not len(joined["branch"]):
        raise LeftOutError("no random row assembles")
    return {name: np.ascontiguousarray(np.resize(array, (count, *array.shape[1:]))) for name, array in joined.items()}


def _random_port(port: ManifestPort, random: np.random.Generator, count: int) -> np.ndarray:
    """Return numbers for a port: poses and frames near the origin, quaternions of unit length."""
    if port.kind == "int":
        return random.integers(0, 2, size=count, dtype=np.int32)
    values = random.uniform(-1.0, 1.0, (count, *port.shape))
    if port.shape == (7,):
        values[:, 3:] /= np.linalg.norm(values[:, 3:], axis=1, keepdims=True)
    return values


def _whole_table(rounds: int) -> str:
    """Compare a whole mechanism, whose rows have dimensions of their own, with the kernels of its groups."""
    from benchmarks.tools.symgen_tool import subject_of

    problem = PROBLEMS[0]
    given = subject_of(problem)
    subject = Subject(_opened(given.module), given.function, problem.name)
    instances = problem.instances(SIZES[0])
    found = _arrays(
        instances,
        np.ascontiguousarray(instances.T),
        branches(problem, instances),
        given.function.inputs,
        given.binding.inputs,
    )
    dyad = _in_columns(_symgen(subject, *found))
    cranks = [_in_columns(_symgen(*_kernel_rows(symgen.library()["R* 2D"], SIZES[0]))) for _ in range(PLACES)]
    crank = cranks[int(np.argmin(measure(cranks, 5).min(axis=0)))]
    entrants: list[Entrant] = []
    for geometry, about in (("parameters", "dimensions of every row"), ("constants", "one leg")):
        folder = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        leg = Leg(Path(folder), geometry)
        entrants = entrants or [_in_turn(dyad, leg.dyads, crank), _in_turn(dyad, leg.dyads)]
        entrants += [
            _entrant(f"**symgen** {form}, {about}", SIZES[0], run, lambda: 0) for form, run in leg.runs(SIZES[0])
        ]
    title = "### Whole mechanism: Jansen's leg"
    about = (
        "Position, velocity and acceleration of its two points for 1,500 positions of the crank; with `--geometry "
        "parameters`, where every row has joint frames of its own, and folded into constants."
    )
    return _table(f"{title}\n\n{about}", "ns | over the kernels of its groups", [_compared(lambda: entrants, rounds)])


def _in_columns(entrants: list[Entrant]) -> Entrant:
    return next(entrant for entrant in entrants if entrant.form.endswith("C in lanes, columns"))


def _kernel_rows(solved: SolvedType, count: int) -> tuple[Subject, Arrays, Arrays]:
    """Return a type's kernel for all stages, with random rows and the same as columns."""
    function = solved.kernel.all
    random = np.random.default_rng(5)
    rows = {port.name: _random_port(port, random, count) for port in function.inputs}
    subject = Subject(_opened(solved.entry.module), _function_of(function), solved.entry.module.manifest.id)
    return subject, rows, {name: np.asfortranarray(array) for name, array in rows.items()}


def _in_turn(dyad: Entrant, dyads: int, crank: Entrant | None = None) -> Entrant:
    """Return the kernels of a leg's groups one after the other, as if they were one for each row."""
    form = f"{'' if crank is None else 'R* kernel, '}R.R.R kernel {dyads} times, C in lanes, columns"

    def run(passes: int) -> float:
        return dyad.run(passes * dyads) + (0.0 if crank is None else crank.run(passes))

    return Entrant("", form, "batch", run, dyad.answers, None, dyad.rows)


def _thread_table(rounds: int) -> str:
    """Compare two threads with one, where memory is the limit and where calculation is.

    What the machine gives is measured beside it: two batches of half the rows at the same time, in arrays of their own.
    """
    from benchmarks.tools.symgen_tool import subject_of

    problem = PROBLEMS[0]
    given = subject_of(problem)
    kernel = Subject(_opened(given.module), given.function, problem.name)
    instances = np.resize(problem.instances(SIZES[0]), (SHARED, problem.size_in))
    found = _arrays(
        instances,
        np.ascontiguousarray(instances.T),
        branches(problem, instances),
        given.function.inputs,
        given.binding.inputs,
    )
    group = symgen.library()["R.U.S 3D"]["all"]
    rows = _group_rows(group, np.random.default_rng(5), SHARED)
    triad = symgen.library()[TRIAD].kernel.position
    few = _group_rows(triad, np.random.default_rng(5), SHARED // 10)
    calls = (
        ("R.R.R kernel, rows", SolvedFunction(kernel, kernel.function), found[0]),  # type: ignore[arg-type]
        ("R.R.R kernel, columns", SolvedFunction(kernel, kernel.function), found[1]),  # type: ignore[arg-type]
        ("R.U.S group, rows", group, rows),
        ("R.U.S group, columns", group, {key: np.asfortranarray(array) for key, array in rows.items()}),
        (f"triad R.R.R, position, {SHARED // 10:,} rows", triad, few),
    )
    lines = [
        "### Two threads",
        "",
        f"{SHARED:,} rows, called from Python with `out=`: how many times as fast `threads=2` is as one thread, in "
        f"{PLACES} layouts of the arrays. Beside it what this machine gives: two threads that wait for work, each on a "
        "core of its own, solve half the rows each, in the same arrays. Where rows are cheap, both cores wait for the "
        "same memory. Rounds count in which the machine had two cores for us: two calls over rows in the nearest cache "
        f"took less than {2 / BOTH_CORES:.2f} times as long as one, before and after.",
        "",
        "| form | `threads=2` | two halves |",
        "|---|---:|---:|",
    ]
    near = {name: np.asfortranarray(array[:NEAR]) for name, array in rows.items()}
    group(**calls[3][2])  # so few rows take lanes once they are there
    with _two_cores() as pool:
        is_fair = partial(_has_both_cores, pool, [partial(group, **near, out=group(**near)) for _ in range(2)])
        for name, call, arrays in calls:
            try:
                times = np.concatenate(
                    [_threads_at_a_place(pool, call, arrays, max(2, rounds // PLACES), is_fair) for _ in range(PLACES)]
                )
            except UnfairError:
                lines.append(f"| {name} | left out: one core was busy with other work | |")
                continue
            ratios = [ratio_of(times[:, 0], times[:, k]) for k in (1, 2)]
            lines.append(f"| {name} | {' | '.join(f'**{r.median:.2f}** ({r.least:.2f})' for r in ratios)} |")
    return "\n".join(lines)


def _threads_at_a_place(
    pool: Executor, call: SolvedFunction, given: Arrays, rounds: int, is_fair: Callable[[], bool]
) -> np.ndarray:
    """Measure one thread, two, and two halves by themselves, in a layout of the arrays."""
    arrays = {name: array.copy(order="K") for name, array in given.items()}
    out = call(**arrays)
    half = len(out.status) // 2
    halves = []
    for rows in (slice(half), slice(half, None)):
        part = {name: array[rows] for name, array in arrays.items()}
        halves.append(partial(call, **part, out=out._make(each[rows] for each in out)))

    def apart() -> None:
        for each in [pool.submit(one) for one in halves]:
            each.result()

    runs = (partial(call, **arrays, out=out), partial(call, **arrays, out=out, threads=2), apart)
    return measure([_entrant("", len(out.status), run, lambda: 0) for run in runs], rounds, is_fair=is_fair)


def _two_cores() -> Executor:
    """Return two threads, each on a core of its own where the system lets us choose."""
    cores: dict[str, int] = {}
    for processor in sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_setaffinity") else []:
        same_core = Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        cores.setdefault(same_core.read_text() if same_core.exists() else str(processor), processor)
    if len(cores) < 2:
        return ThreadPoolExecutor(2)
    left = iter(cores.values())
    return ThreadPoolExecutor(2, initializer=lambda: os.sched_setaffinity(0, {next(left)}))


def _has_both_cores(pool: Executor, near: Sequence[Callable[[], object]]) -> bool:
    """Tell whether two calls that only calculate take hardly longer at the same time than one; if not, wait."""

    def turns(call: Callable[[], object]) -> None:
        for _ in range(TURNS):
            call()

    started = perf_counter()
    turns(near[0])
    one = perf_counter() - started
    for each in [pool.submit(turns, call) for call in near]:
        each.result()
    both = perf_counter() - started - one
    if 2 * one > BOTH_CORES * both:
        return True
    sleep(PAUSE)
    return False


def _symgen(subject: Subject, rows: Arrays, columns: Arrays) -> list[Entrant]:
    """Return every way to solve these rows; all give the same bits."""
    function, backend = subject.function, subject.backend
    call = SolvedFunction(subject, function)  # type: ignore[arg-type]
    first = call(**rows)
    count = len(first.status)
    if (first.status != 0).any():
        raise LeftOutError(f"{subject.key}: rows fail")
    in_rows, in_columns = (backend.lanes_of(function, form) for form in FORMS)
    if in_rows is None or in_columns is None:
        raise LeftOutError(f"{subject.key} does not run in lanes")
    entries = (
        ("C, row by row", backend, table_name(function, "double"), rows, False),
        ("C in lanes, rows", in_rows.extension, "rows_in_lanes", rows, False),
        ("C in lanes, columns", in_columns.extension, "columns_in_lanes", columns, True),
    )
    found = []
    for form, owner, name, arrays, are_columns in entries:
        ffi, lib = (owner._ffi, owner._lib) if isinstance(owner, CBackend) else (owner.ffi, owner.lib)
        out = [_empty(function, each, are_columns) for each in first]
        pointers = _pointers(function, [arrays[port.name] for port in function.inputs], out, are_columns)
        table = ffi.new("void *[]", [ffi.cast("void *", pointer) for pointer in pointers])
        run = partial(getattr(lib, name), count, table)
        found.append(_checked(form, count, run, lambda out=out: out, first))
    for form, arrays in (("rows", rows), ("columns", columns)):
        out = call(**arrays)
        found.append(_checked(f"Python, {form}, new arrays", count, partial(call, **arrays), None, first))
        with_out = partial(call, **arrays, out=out)
        found.append(_checked(f"Python, {form}, `out=`", count, with_out, lambda out=out: out, first))
    return found


def _empty(function: Function, like: np.ndarray, in_columns: bool) -> np.ndarray:
    return np.zeros(like.shape, like.dtype, order="F" if in_columns else "C")


def _pointers(function: Function, given: list[np.ndarray], out: list[np.ndarray], in_columns: bool) -> Iterator[int]:
    """Yield the pointers of a table: of arrays, or of columns of reals, whole numbers, results."""
    if not in_columns:
        yield from (array.ctypes.data for array in (*given, *out))
        return
    reals = [a for a, port in zip(given, function.inputs, strict=True) if port.kind == "real"]
    whole = [a for a, port in zip(given, function.inputs, strict=True) if port.kind == "int"]
    for array in (*reals, *whole, *out):
        for column in array.T if array.ndim == 2 else [array]:
            yield column.ctypes.data


def _checked(
    form: str, count: int, run: Callable[[], Any], results: Callable[[], Any] | None, expected: Any
) -> Entrant:
    """Return an entrant whose results have the bits they must have."""
    first = run()
    for one, other in zip(first if results is None else results(), expected, strict=True):
        if np.ascontiguousarray(one).tobytes() != np.ascontiguousarray(other).tobytes():
            raise AssertionError(f"{form}: other bits")
    return _entrant(f"**symgen** {form}", count, run, results)  # which keeps the arrays


def _entrant(form: str, count: int, run: Callable[[], Any], answers: Any) -> Entrant:
    entrant = python_entrant("", form, "batch", run, answers, None)
    return Entrant("", form, "batch", entrant.run, answers, None, count)


def _heyoka(problem: Problem, given: np.ndarray) -> list[Entrant]:
    """Return heyoka's functions of these columns, the lines of an array; the first is the yardstick."""
    try:
        from benchmarks.tools.heyoka_tool import compiled
    except ImportError as error:
        raise LeftOutError(f"heyoka cannot be used: {error}") from error
    count = given.shape[1]
    found = []
    for form, fast in (("heyoka, fast_math", True), ("heyoka", False)):
        function, _ = compiled(problem, fast=fast)
        out = np.zeros((problem.size_out, count))
        found.append(_entrant(form, count, partial(function, given, outputs=out), lambda: 0))
        if fast:
            found.append(_entrant(f"{form}, new arrays", count, partial(function, given), lambda: 0))
    return found


def _arrays(
    instances: np.ndarray,
    turned: np.ndarray,
    branch: np.ndarray,
    ports: tuple[ManifestPort, ...],
    where: Mapping[str, int],
) -> tuple[Arrays, Arrays]:
    """Return the same rows as arrays for each port, and as columns: lines of the turned array."""
    rows: dict[str, np.ndarray] = {}
    columns: dict[str, np.ndarray] = {}
    for port in ports:
        if port.kind == "int":
            rows[port.name] = columns[port.name] = branch
            continue
        start = where[port.name]
        part = slice(start, start + port.shape[0]) if port.shape else start
        rows[port.name] = np.ascontiguousarray(instances[:, part])
        columns[port.name] = turned[part].T
    return rows, columns


def _compared(entrants: Callable[[], list[Entrant]], rounds: int, places: int = 1) -> dict[str, tuple[float, str]]:
    """Measure entrants, with new arrays for each place; return nanoseconds and the ratio to the first, by form."""
    measured = []
    for _ in range(places):
        found = entrants()
        measured.append(measure(found, rounds))
        forms = [entrant.form for entrant in found]
        del found  # its arrays, before there are new ones
    times = np.concatenate(measured)
    ratios = [ratio_of(times[:, k], times[:, 0]) for k in range(len(forms))]
    medians = np.median(times, axis=0)
    return {
        form: (float(median), f"{ratio.median:.2f} ({ratio.least:.2f})")
        for form, median, ratio in zip(forms, medians, ratios, strict=True)
    }


def _table(title: str, heads: str, columns: list[dict[str, tuple[float, str]]]) -> str:
    count = len(columns)
    lines = [title, "", f"| form | {heads} |", "|---|" + "---:|---:|" * count]
    for form in columns[0]:
        cells = [cell for column in columns for cell in (f"{column[form][0]:.1f}", column[form][1])]
        lines.append(f"| {form} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _opened(module: Any) -> CBackend:
    backend = open_backend(module, "double", "c")
    assert isinstance(backend, CBackend)
    return backend


def _function_of(function: SolvedFunction) -> Function:
    return function._function
