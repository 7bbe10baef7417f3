"""The table: what ``make bench`` writes into docs/benchmarks.md."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from benchmarks.entrant import ROWS, Discipline
from benchmarks.harness import Ratio
from benchmarks.native import COMPILER, DEFAULT
from benchmarks.problems import Problem

_TITLES: dict[Discipline, str] = {
    "kernel": "One call from C",
    "batch": f"A batch of {ROWS['batch']} rows, one core",
    "python": "One call from Python",
}

_HEAD = """# Benchmarks

Written by `make bench`; do not edit. This page compares the speed of symgen's generated code with hand-written C and
with other tools. The machine was shared with other work, so judge by ratios. The competitors of a table alternate, in
a new random order in each of {rounds} rounds. A ratio is the median of the ratios within each round; the value in
brackets is the fastest round over the fastest round of the reference. Times are for one row: the median, and the
fastest round (*min*).

- *One call from C*: all C kernels are linked into one executable, each compiled separately with its own flags, and
  called over 64 rows, without an interpreter. A competitor that is not C text (a callback compiled by numba) runs in
  Python's process from the same C loop, beside the same references, and is marked with a star.
- *Operations*: the add, sub, mul, div and sqrt instructions of a scalar -O2 build. This number does not depend on the
  load of the machine.
- *Made in*: seconds from expressions to something that can be called, with nothing cached. The remark on each kernel
  explains symgen's entries.
- *Deviation*: every competitor was first compared with 40-digit values. This is the largest deviation, relative where a
  result exceeds 1.

The C of symgen returns a status for everything it cannot solve, including NaN and overflow, and then writes nothing.
*Hand C, no input checks* tests only reach and folds; *hand C, same contract* (R.R.R) has the same arguments, statuses
and limits as symgen's. The other tools check nothing. symgen's default flags are `{flags}`.

{machine}
"""


@dataclass(frozen=True)
class Figure:
    """One line of a table: nanoseconds for one row (median, least), ratios to the yardsticks in their order."""

    tool: str
    form: str
    median: float
    least: float
    ratios: tuple[Ratio, ...]
    operations: int | None
    made_in: float | None
    error: float


def machine() -> str:
    """Return processor, compiler and versions; no name of a host or place."""
    lines = [
        f"- processor: {_processor()}",
        f"- compiler: {_first_line([COMPILER, '--version'])}",
        f"- Python {platform.python_version()}, {platform.system()}",
    ]
    names = ("numpy", "sympy", "casadi", "numba", "pydy", "symengine", "heyoka", "networkx")
    found = [f"{name} {_version(name)}" for name in names if _version(name) is not None]
    return "\n".join([*lines, f"- {', '.join(found)}"])


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} cores seen" if names else platform.machine()


def _first_line(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()[0]
    except (OSError, IndexError):
        return "none"


def head(rounds: int) -> str:
    """Return the text above the tables."""
    return _HEAD.format(rounds=rounds, machine=machine(), flags=" ".join(DEFAULT))


def table(discipline: Discipline, figures: Sequence[Figure], yardsticks: Sequence[str]) -> str:
    """Return one table, quickest first."""
    over = "".join(f" over {name} |" for name in yardsticks)
    counted = any(figure.operations is not None for figure in figures)
    heads = [f"| tool | form | ns | min |{over}", " operations |" if counted else "", " made in, s | deviation |"]
    rules = "|---|---|---:|---:|" + "---:|" * (len(yardsticks) + (1 if counted else 0)) + "---:|---:|"
    lines = [f"### {_TITLES[discipline]}", "", "".join(heads), rules]
    for figure in sorted(figures, key=lambda figure: figure.ratios[0].median):
        strong = "**" if figure.tool.startswith("symgen") else ""
        cells = [
            f"{strong}{figure.tool}{strong}",
            figure.form,
            _digits(figure.median),
            _digits(figure.least),
            *(f"{ratio.median:.2f} ({ratio.least:.2f})" for ratio in figure.ratios),
            *(["" if figure.operations is None else str(figure.operations)] if counted else []),
            "" if figure.made_in is None else f"{figure.made_in:.2g}",
            f"{figure.error:.0e}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _digits(nanoseconds: float) -> str:
    return f"{nanoseconds:.1f}" if nanoseconds < 100 else f"{nanoseconds:,.0f}"


def section(problem: Problem, tables: Sequence[str], left_out: Sequence[str]) -> str:
    """Return a problem's section."""
    title = f"## {problem.title}\n\n`{problem.name}`: {problem.size_in} numbers in, {problem.size_out} out."
    remark = [problem.remark] if problem.remark else []
    missing = ["Left out: " + "; ".join(left_out) + "."] if left_out else []
    return "\n\n".join([title, *remark, *tables, *missing])
