"""``python -m benchmarks``: measure, print, write docs/benchmarks.md."""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from pathlib import Path

import mpmath
import numpy as np

from benchmarks.entrant import Discipline, Entrant, LeftOutError
from benchmarks.harness import largest_error, measure
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.report import head, section, table

TOOLS = ("hand", "symgen_tool", "sympy_tool", "casadi_tool", "pydy_tool", "numba_tool", "symengine_tool", "heyoka_tool")
DISCIPLINES: tuple[Discipline, ...] = ("kernel", "batch", "python")

#: Rows compared with exact values, and the deviation at which a competitor is thrown out. The instances are well
#: conditioned (no row near a fold), so an honest double gives 1e-13 or better.
CHECKED, TOLERATED = 5, 1e-10


def exact_values(problem: Problem, rows: int) -> np.ndarray:
    """Return results of the first rows, computed with 40 digits."""
    with mpmath.workdps(40):
        return np.array(
            [
                [float(value) for value in problem.equations([mpmath.mpf(float(number)) for number in row], mpmath)]
                for row in problem.instances(rows)[:CHECKED]
            ]
        )


def gather(problem: Problem) -> tuple[list[Entrant], list[str]]:
    """Return all entrants there are and, for tools that cannot compete, why."""
    entrants: list[Entrant] = []
    left_out: list[str] = []
    for name in TOOLS:
        title = name.removesuffix("_tool")
        try:
            entrants += importlib.import_module(f"benchmarks.tools.{name}").entrants(problem)
        except ImportError as error:
            left_out.append(f"{title} (not installed: {error.name})")
        except LeftOutError as error:
            left_out.append(f"{title} ({error})")
    return entrants, left_out


def run(problem: Problem, rounds: int) -> str:
    """Measure one problem and return its section of the report."""
    from benchmarks.entrant import ROWS

    entrants, left_out = gather(problem)
    errors: dict[int, float] = {}
    kept = []
    for entrant in entrants:
        errors[id(entrant)] = largest_error(entrant, exact_values(problem, ROWS[entrant.discipline]))
        if errors[id(entrant)] <= TOLERATED:
            kept.append(entrant)
        else:
            left_out.append(f"{entrant.tool}, {entrant.form} (wrong by {errors[id(entrant)]:.0e})")
    tables = []
    for discipline in DISCIPLINES:
        group = [entrant for entrant in kept if entrant.discipline == discipline]
        if group:
            yardstick = group[0]
            figures = measure(group, yardstick, rounds)
            tables.append(table(discipline, figures, errors, f"{yardstick.tool}, {yardstick.form}"))
    return section(problem, tables, left_out)


def main() -> int:
    """Measure everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=41, help="rounds of measurement (default %(default)s)")
    parser.add_argument("--problem", action="append", choices=[problem.name for problem in PROBLEMS])
    parser.add_argument("--output", type=Path, help="default: docs/benchmarks.md; '-' prints only")
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # other tools' deprecations are theirs
    parts = [head(options.rounds)]
    for problem in PROBLEMS:
        if options.problem is None or problem.name in options.problem:
            print(f"measuring {problem.name}: {problem.title}", file=sys.stderr, flush=True)
            parts.append(run(problem, options.rounds))
    text = "\n\n".join(part.strip() for part in parts) + "\n"
    print(text)
    if options.problem is None or options.output is not None:
        place = options.output or Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
        if str(place) != "-":
            place.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
