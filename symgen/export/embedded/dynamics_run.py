"""Runs of an exported dynamics: as C, and made on this machine, whose bits every other machine has to give."""

from __future__ import annotations

import struct
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from symgen.build.compiler import TIME_LIMIT, find_compiler, run_compiler
from symgen.emit.folding import INDENT, folded
from symgen.errors import BuildError
from symgen.export.embedded.bundle import bits_in_c
from symgen.naming import free_text
from symgen.render.documentation import WIDTH
from symgen.render.environment import render
from symgen.render.export import RunRowView, RunView, names_of
from symgen.simulate.bundles.files import own_file, renamed
from symgen.simulate.bundles.run import ExampleRun
from symgen.status import Status

#: What samples hold before a run: no result of a mechanism.
_UNTOUCHED = "-123456.75"
#: Numbers in both runs that are written: some 26 bytes each.
_MOST_NUMBERS = 2200
#: Steps that are tried until a mechanism can be moved by them [s], the first that is found.
STEPS = (1e-3, 1e-4, 1e-5)
#: Spans between samples, from many to few.
_SPANS = (5, 4, 2, 1)
#: Steps of a run, and those of a mechanism of many bodies.
_LONG, _SHORT, _MANY_BODIES = 100, 20, 20
#: Steps of a run whose instructions are counted: some tens of millions are as many as a timer counts.
_COUNTED = 20
_MEASURED = 4
#: Spans of the example, which runs a second.
_TENTHS = 10
#: What is compiled is what anyone else compiles; the same bits as with any other level.
_FLAGS = ("-std=c99", "-O1", "-ffp-contract=off", "-fno-math-errno")


@dataclass(frozen=True)
class Stretches:
    """How a run of the self-test is sampled: spans, steps in each, the first row that is compared, numbers compared.

    `step` is the length of one [s]. Of an array the first `most` numbers are compared, 0: all of them.
    """

    samples: int
    every: int
    first: int
    numbers: int
    step: float
    most: int = 0

    def compared(self, count: int) -> int:
        """Return how many numbers of an array, or of its last row, are compared."""
        return min(count, self.most) if self.most else count

    @property
    def steps(self) -> int:
        """Steps of a run."""
        return self.samples * self.every


@dataclass(frozen=True)
class SelfTestRun:
    """A run of the self-test: from the start or on from the last, of a spoilt state or not, and its settings as C.

    `refused` says that it is no run: it has to be BAD_INPUT, and nothing is touched.
    """

    fresh: bool
    spoilt: bool
    refused: bool
    settings: tuple[str, ...]
    what: str


@dataclass(frozen=True)
class SelfTestOutcome:
    """What this machine gives: bytes of the workspace; of each row its status and what it writes, if anything."""

    workspace: int
    rows: tuple[tuple[Status, tuple[float, ...] | None], ...]


def stretches_of(run: ExampleRun, step: float) -> Stretches:
    """Return how to sample a run: as often as its numbers fit in a file that a person can open."""
    kept = [len(each.values) for each in run.held if each.kind == "double"]
    rows = [each.row for each in run.samples]
    steps = _LONG if len(run.bodies) <= _MANY_BODIES else _SHORT
    for samples in _SPANS:
        numbers = sum(kept) + len(run.figures) + (samples + 1) * sum(rows)
        if 2 * numbers <= _MOST_NUMBERS:
            return Stretches(samples, steps // samples, 0, numbers, step)
    few = Stretches(1, steps, 1, sum(kept) + len(run.figures) + sum(rows), step)
    if 2 * few.numbers <= _MOST_NUMBERS:
        return few
    most = (_MOST_NUMBERS // 2 - len(run.figures)) // len([*kept, *rows])
    fewer = replace(few, most=most)
    return replace(fewer, numbers=len(run.figures) + sum(map(fewer.compared, [*kept, *rows])))


def rows_of(run: ExampleRun, stretches: Stretches) -> tuple[SelfTestRun, ...]:
    """Return the runs of the self-test: one from the start, what is no run, one that goes on behind it."""
    begin = tuple(run.stretch(0, stretches.samples, stretches.every, stretches.step).values())
    on = run.stretch(stretches.steps, stretches.samples, stretches.every, stretches.step)
    return (
        SelfTestRun(True, False, False, begin, f"{stretches.steps} steps from the start"),
        *(SelfTestRun(False, False, True, tuple({**on, **given}.values()), why) for why, given in run.refused),
        SelfTestRun(False, False, False, tuple(on.values()), f"{stretches.steps} steps on from there"),
        SelfTestRun(True, True, True, begin, "the state contains a NaN"),
    )


def run_view(run: ExampleRun, prefix: str, title: str, stretches: Stretches, workspace: int) -> RunView:
    """Return the parts of C that the self-test and the programs that measure it share.

    Parameters
    ----------
    workspace : its size on the machine that exported it [bytes].
    """
    names, upper = names_of(prefix), prefix.upper()
    symbol = renamed(f"{run.symbol}_", prefix)
    rows = "ROWS" if not stretches.first else f"(ROWS - {stretches.first})"
    at = f" + {stretches.first}*" if stretches.first else ""
    doubles = [each for each in run.held if each.kind == "double"]
    held = [line.removeprefix(INDENT) for each in run.held for line in each.initialised]
    kept = [f"static {each.kind} {each.name}[{len(each.values)}];" for each in run.held]
    spans = [
        *(f"{{ {each.name}, {stretches.compared(len(each.values))} }}," for each in doubles),
        *(f"{{ &state.{each}, 1 }}," for each in run.figures),
        *(
            f"{{ {each.name}{at and f'{at}{each.row}'}, {rows}*{stretches.compared(each.row)} }},"
            for each in run.samples
        ),
    ]
    return RunView(
        preamble=(),
        title=free_text(title),
        prefix=prefix,
        names=names,
        guard=f"{upper}_VECTORS_H",
        headers=tuple(own_file(each, prefix) for each in run.headers),
        rows=str(stretches.samples + 1),
        workspace=f"static double workspace[{-(-workspace // 8)}];",
        held=(*_begun(held), *kept),
        samples=tuple(f"static double {each.name}[ROWS*{each.row}];" for each in run.samples),
        copied=tuple(f"memcpy({each.name}, begun_{each.name}, sizeof {each.name});" for each in run.held),
        state=f"{symbol}state",
        settings=f"{symbol}settings",
        samples_type=f"{symbol}samples",
        begun=run.state,
        given=f"{{{', '.join(each.name for each in run.samples)}}}",
        active=run.active,
        warned=run.warned,
        call=renamed(run.call(f"({symbol}workspace *)(void *)workspace", "settings"), prefix),
        size=f"{symbol}workspace_size",
        first=doubles[0].name,
        members=tuple(
            f"{value}, /* {name} */"
            for name, value in run.stretch(0, _TENTHS, round(1 / (_TENTHS * stretches.step)), stretches.step).items()
        ),
        step=f"{stretches.step:g}",
        spans=tuple(spans),
        compared=", ".join([*run.figures, *(each.name for each in run.samples)]),
        most=stretches.most,
        wiped=tuple(
            line
            for each in run.samples
            for line in (
                f"for (int i = 0; i < {each.row}; ++i) {{",
                f"{INDENT}{each.name}[{each.row}*k + i] = {names.untouched};",
                "}",
            )
        ),
        untouched=_UNTOUCHED,
        numbers=f"{upper}_NUMBERS",
        numbers_of=f"{prefix}_numbers",
        number_count=stretches.numbers,
        vectors=(),
        count=0,
        wanted=(),
        runs=0,
        steps=stretches.steps,
        measured=tuple(
            f"{{ {', '.join(run.stretch(first, 1, _COUNTED, stretches.step).values())} }},"
            for first in range(0, _MEASURED * _COUNTED, _COUNTED)
        ),
        measured_count=_MEASURED,
        solved=_COUNTED + run.beyond,
    )


def _begun(lines: Sequence[str]) -> list[str]:
    """Return declarations as constants: how the arrays of the state begin."""
    return [
        f"static const {line.replace(' ', ' begun_', 1)}" if line.startswith(("double ", "int32_t ")) else line
        for line in lines
    ]


def with_rows(view: RunView, rows: Sequence[SelfTestRun], outcome: SelfTestOutcome | None) -> RunView:
    """Return a view with the rows of the self-test; without what they give, if that is not known yet."""
    found = outcome.rows if outcome else tuple((Status.OK, None) for _ in rows)
    written = [numbers for _, numbers in found if numbers is not None]
    vectors, row = [], 0
    for each, (status, numbers) in zip(rows, found, strict=True):
        place = -1
        if numbers is not None:
            place, row = row, row + 1
        head = f"{{ {int(each.fresh)}, {int(each.spoilt)}, {int(status)}, {place}, {{ {', '.join(each.settings)} }} }},"
        vectors.append(RunRowView(head, f"{each.what}: {status.name}" if outcome else each.what))
    lines = [line for numbers in written or [(0.0,)] for line in _table_row(numbers)]
    return replace(
        view, vectors=tuple(vectors), count=len(vectors), wanted=tuple(lines), runs=max(len(written), 1)
    )  # fmt: skip


def _table_row(numbers: Sequence[float]) -> list[str]:
    inner = folded([bits_in_c(x, "double") for x in numbers], WIDTH - 2 * len(INDENT))
    return ["{", *(f"{INDENT}{line}" for line in inner), "},"]


def moved(
    files: Mapping[str, str], run: ExampleRun, prefix: str, title: str
) -> tuple[RunView, tuple[SelfTestRun, ...], SelfTestOutcome]:
    """Make the runs of the self-test on this machine, by the longest of `STEPS` with which the mechanism moves.

    Where it moves with none of them, they are made with the first, and have the status that says so.

    Raises
    ------
    BuildError
        There is no C compiler here, or what it made fails.
    """
    made = [_moved(files, run, prefix, title, STEPS[0])]
    while not _is_good(*made[-1][1:]) and len(made) < len(STEPS):
        made.append(_moved(files, run, prefix, title, STEPS[len(made)]))
    return made[-1] if _is_good(*made[-1][1:]) else made[0]


def _is_good(rows: Sequence[SelfTestRun], outcome: SelfTestOutcome) -> bool:
    return all(row.refused or status is Status.OK for row, (status, _) in zip(rows, outcome.rows, strict=True))


def _moved(
    files: Mapping[str, str], run: ExampleRun, prefix: str, title: str, step: float
) -> tuple[RunView, tuple[SelfTestRun, ...], SelfTestOutcome]:
    stretches = stretches_of(run, step)
    rows = rows_of(run, stretches)
    outcome = run_here(files, run_view(run, prefix, title, stretches, 0), rows)
    return with_rows(run_view(run, prefix, title, stretches, outcome.workspace), rows, outcome), rows, outcome


def run_here(files: Mapping[str, str], view: RunView, rows: Sequence[SelfTestRun]) -> SelfTestOutcome:
    """Make the runs on this machine.

    Parameters
    ----------
    files : of the export, by path; the programs of `view` are compiled with them.

    Raises
    ------
    BuildError
        There is no C compiler here, or what it made fails.
    AssertionError
        What is no run was not refused, or has written something.
    """
    compiler = find_compiler()
    asked = replace(with_rows(view, rows, None), workspace="static double *workspace;")
    with tempfile.TemporaryDirectory(prefix="symgen-export-") as place:
        folder = Path(place)
        texts = {
            **files,
            "vectors.h": render("export/embedded/dynamics/vectors.h.j2", asked),
            "tell.c": render("export/embedded/dynamics/tell.c.j2", asked),
        }
        for name, text in texts.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        units = [name for name in files if name.startswith("src/") and name.endswith(".c")]
        program = folder / "tell.exe"
        run_compiler([*compiler.command, *_FLAGS, "-Iinclude", *units, "tell.c", "-o", program.name, "-lm"], folder)
        size, *lines = _said(program).splitlines()
    found = []
    for row, line in zip(rows, lines, strict=True):
        status, *bits = line.split()
        numbers = tuple(struct.unpack("<d", int(each, 16).to_bytes(8, "little"))[0] for each in bits)
        if row.refused and (numbers or int(status) != Status.BAD_INPUT):
            raise AssertionError(f"{view.prefix}: a run was not refused: {row.what}")
        found.append((Status(int(status)), numbers or None))
    return SelfTestOutcome(int(size), tuple(found))


def _said(program: Path) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - our own program, made of files that we wrote
            [str(program)], capture_output=True, text=True, timeout=TIME_LIMIT, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"the runs of the self-test cannot be calculated: {error}") from error
    if done.returncode != 0:
        raise BuildError(
            f"the runs of the self-test cannot be calculated: their program ended with exit status {done.returncode}"
        )
    return done.stdout
