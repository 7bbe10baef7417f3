"""``python -m benchmarks controllers``: build and run everybody, write docs/benchmarks-controllers.md."""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.controllers.entrants import entrants, peer_function
from benchmarks.controllers.measure import Cost, cost_of
from benchmarks.controllers.problems import PROBLEMS, Problem
from symgen.export.code import code_files
from symgen.export.embedded.targets import COMPILER, CORES, EMULATOR, FLAGS
from symgen.export.host import Host, run_vectors
from symgen.export.subject import Subject
from symgen.status import Status

#: Largest deviation of a result from CasADi's own answer in double, in parts of the largest of its row.
TOLERATED = {"double": 1e-10, "float": 2e-3}
#: What steps are called that lie next to the border of what can be reached: there all digits are lost.
_BORDER = "at the border"


@dataclass(frozen=True)
class Line:
    """What one competitor costs on one core, and how far its results are off."""

    core: str
    real: str
    cost: Cost
    error: float


def rows_of(subject: Subject) -> list[tuple[float, ...]]:
    """Return the inputs of those steps of the export's self-test that are solved, but for those beside a border."""
    host = Host(subject, code_files(subject, "export"))
    solved = [vector.trial for vector in run_vectors(subject, host) if vector.status is Status.OK]
    return [trial.inputs for trial in solved if not trial.what.startswith(_BORDER)]


def deviation(subject: Subject, answers: np.ndarray, wanted: np.ndarray) -> float:
    """Return the largest difference in parts of the largest result of its row; full turns of angles are none."""
    angles = np.array([result.unit == "rad" for result in subject.results])
    off = answers - wanted
    off = np.where(angles, off - 2 * math.pi * np.round(off / (2 * math.pi)), off)
    return float(np.max(np.abs(off) / np.maximum(1.0, np.abs(wanted).max(axis=1, keepdims=True))))


def lines_of(problem: Problem) -> Iterator[Line]:
    """Measure everybody on one problem, core by core, symgen first.

    Raises
    ------
    ValueError
        Somebody's answers are wrong.
    """
    function = peer_function(problem)
    for core in (core for core in CORES if core.name in problem.cores):
        real = problem.cores[core.name]
        subject = problem.subject(real)
        rows = rows_of(subject)
        wanted = np.array(function.map(len(rows))(np.array(rows).T)).T
        for entrant in entrants(problem, subject):
            with tempfile.TemporaryDirectory() as place:
                cost = cost_of(entrant, core, real, rows, len(subject.results), Path(place))
            error = deviation(subject, cost.answers, wanted)
            if not error <= TOLERATED[real]:
                raise ValueError(f"{problem.name}, {entrant.tool} on {core.name}: wrong by {error:.0e}")
            yield Line(core.name, real, cost, error)


_HEAD = """# Controllers: exports beside CasADi's

Written by `make bench-controllers`; do not edit. This page compares programs that compute the same results from the
same inputs:

- *symgen*: the export of [export-embedded.md](export-embedded.md), with all its checks;
- *CasADi*: the C that CasADi generates, after `cse`, from the closed form of the positions written in its symbols;
  rates and accelerations come from its derivatives. This C checks nothing. In float it is given the float functions of
  `<math.h>`; otherwise it would call those of double;
- *by hand*: C written by hand (`benchmarks/kernels/`).

All are compiled with `{flags}` by {compiler} and run in QEMU in one go, over
the solved steps of the export's self-test.

| column | meaning |
|---|---|
| instructions | instructions (not cycles) of one step: mean, minimum to maximum |
| stack | bytes of a step, including the call |
| code | the difference in size between a linked program with one step and one without |
| over | mean instructions of symgen divided by those of the row |
| deviation | from CasADi's own answer in double, relative to the largest result of a step |

CasADi's C lets the compiler fuse multiplications and additions, which GCC does with these flags. Exports forbid it,
because bits must be the same everywhere. Rows with `-ffp-contract=off` forbid it for CasADi's C too.
"""


def section(problem: Problem, lines: Sequence[Line]) -> str:
    """Return the tables of a problem."""
    text = [
        f"## {problem.title}",
        "",
        "| core | tool | instructions | stack [B] | code [B] | over | deviation |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for line in lines:
        own = next(each for each in lines if each.core == line.core).cost.instructions[0]
        mean, least, most = line.cost.instructions
        strong = "**" if line.cost.tool == "symgen" else ""
        cells = [
            f"{line.core}, {line.real}", f"{strong}{line.cost.tool}{strong}", f"{mean:,} ({least:,} to {most:,})",
            f"{line.cost.stack:,}", f"{line.cost.code:,}", f"{own / mean:.2f}", f"{line.error:.0e}",
        ]  # fmt: skip
        text.append(f"| {' | '.join(cells)} |")
    return "\n".join(text)


def write(place: Path) -> str:
    """Measure all problems, write the page and return it."""
    for tool in (COMPILER, EMULATOR):
        if shutil.which(tool) is None:
            raise SystemExit(f"there is no {tool} here: nothing was measured, {place.name} is as it was")
    compiler = subprocess.run([COMPILER, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    parts = [_HEAD.format(flags=" ".join(FLAGS), compiler=f"GCC {compiler[0].split()[-2]}").strip()]
    parts += [section(problem, list(lines_of(problem))) for problem in PROBLEMS]
    text = "\n\n".join(parts) + "\n"
    place.write_text(text, encoding="utf-8")
    return text
