"""The table: what ``make bench`` writes into docs/benchmarks.md."""

from __future__ import annotations

import platform
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from benchmarks.entrant import ROWS, Discipline
from benchmarks.harness import Figure
from benchmarks.native import COMPILER, DEFAULT
from benchmarks.problems import Problem

_TITLES: dict[Discipline, str] = {
    "kernel": "One call from C",
    "batch": f"A batch of {ROWS['batch']} rows, one core",
    "python": "One call from Python",
}

_HEAD = """# Benchmarks

Written by `make bench`; do not edit. The competitors of a table ran in one process,
alternating in each of {rounds} rounds. Times are medians, for one row; a ratio is the
median of the ratios inside each round. Judge by ratios: the machine was shared.

- *Operations*: the add, sub, mul, div and sqrt instructions of a scalar -O2 build, a
  number that does not depend on load.
- *Made in*: from expressions to something that can be called; for symgen, from the
  committed C to a loaded function, out of the cache if it was built before.
- *Deviation*: every competitor was first compared with 40-digit values; the largest
  deviation, relative where a result exceeds 1.

The C of symgen answers with a status for whatever it cannot solve, NaN and overflow
among it; the hand-written C checks reach and folds only; the other tools check
nothing. symgen's default flags are
`{flags}`.

{machine}
"""


def machine() -> str:
    """Return processor, compiler and versions; no name of a host or place."""
    lines = [
        f"- processor: {_processor()}",
        f"- compiler: {_first_line([COMPILER, '--version'])}",
        f"- Python {platform.python_version()}, {platform.system()}",
    ]
    names = ("numpy", "sympy", "casadi", "numba", "pydy", "symengine", "heyoka")
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
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()[0]


def head(rounds: int) -> str:
    """Return the text above the tables."""
    return _HEAD.format(rounds=rounds, machine=machine(), flags=" ".join(DEFAULT))


def table(discipline: Discipline, figures: Sequence[Figure], errors: Mapping[int, float], yardstick: str) -> str:
    """Return one table, quickest first."""
    lines = [
        f"### {_TITLES[discipline]}",
        "",
        f"| tool | form | ns | ratio to {yardstick} | operations | made in, s | deviation |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for figure in sorted(figures, key=lambda figure: figure.ratio):
        entrant = figure.entrant
        strong = "**" if entrant.tool.startswith("symgen") else ""
        operations = "" if entrant.operations is None else str(entrant.operations)
        made = "" if entrant.made_in is None else f"{entrant.made_in:.3g}"
        lines.append(
            f"| {strong}{entrant.tool}{strong} | {entrant.form} | {_digits(figure.nanoseconds)} | {figure.ratio:.2f} "
            f"| {operations} | {made} | {errors[id(entrant)]:.0e} |"
        )
    return "\n".join(lines)


def _digits(nanoseconds: float) -> str:
    return f"{nanoseconds:.1f}" if nanoseconds < 100 else f"{nanoseconds:,.0f}"


def section(problem: Problem, tables: Sequence[str], left_out: Sequence[str]) -> str:
    """Return a problem's section."""
    title = f"## {problem.title}\n\n`{problem.name}`: {problem.size_in} numbers in, {problem.size_out} out."
    missing = ["Left out: " + "; ".join(left_out) + "."] if left_out else []
    return "\n\n".join([title, *tables, *missing])
