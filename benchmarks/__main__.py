"""``python -m benchmarks``: measure, print, write docs/benchmarks.md."""

from __future__ import annotations

import argparse
import importlib
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import mpmath
import numpy as np

from benchmarks import lanes
from benchmarks import whole as mechanisms
from benchmarks.entrant import Discipline, Entrant, LeftOutError
from benchmarks.float_bounds import write_float_bounds
from benchmarks.harness import largest_error, measure, ratio_of
from benchmarks.native import Kernel, compile_entrant
from benchmarks.operations import count_operations
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.race import race
from benchmarks.report import Figure, head, section, table
from benchmarks.structure import section_of, structure_section, with_section

TOOLS = ("hand", "symgen_tool", "sympy_tool", "casadi_tool", "pydy_tool", "numba_tool", "symengine_tool", "heyoka_tool")

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


class Table:
    """The lines of one table, and who could not be in it."""

    def __init__(self, problem: Problem, discipline: Discipline) -> None:
        self.problem, self.discipline = problem, discipline
        self.figures: list[Figure] = []
        self.left_out: list[str] = []

    def add(
        self,
        entrant: Entrant | Kernel,
        times: np.ndarray,
        yardsticks: Sequence[np.ndarray],
        answers: np.ndarray,
        *,
        operations: int | None,
        made_in: float | None,
        mark: str = "",
    ) -> None:
        """Add a line, unless its answers are wrong."""
        error = largest_error(answers, exact_values(self.problem, len(answers)))
        if error > TOLERATED:
            self.left_out.append(f"{entrant.tool}, {entrant.form} (wrong by {error:.0e})")
            return
        ratios = tuple(ratio_of(times, yardstick) for yardstick in yardsticks)
        median, least = float(np.median(times)), float(times.min())
        self.figures.append(
            Figure(entrant.tool + mark, entrant.form, median, least, ratios, operations, made_in, error)
        )


def gather(problem: Problem) -> tuple[list[Entrant | Kernel], list[str]]:
    """Return all competitors there are and, for tools that cannot compete, why."""
    entrants: list[Entrant | Kernel] = []
    left_out: list[str] = []
    for name in TOOLS:
        title = name.removesuffix("_tool")
        try:
            entrants += importlib.import_module(f"benchmarks.tools.{name}").entrants(problem)
        except ImportError as error:
            left_out.append(f"{title} (not installed: {error.name})")
        except LeftOutError as error:
            left_out.append(f"{title} ({error})")
        except Exception as error:  # a peer that breaks must not stop the others
            left_out.append(f"{title} ({type(error).__name__})")
    return entrants, left_out


def kernel_table(problem: Problem, kernels: list[Kernel], others: list[Entrant], rounds: int) -> tuple[str, list[str]]:
    """Race the C kernels; measure what is not C text beside the same yardsticks in this process."""
    found = Table(problem, "kernel")
    ways, refused = race(kernels, problem, rounds)
    found.left_out += refused
    yardsticks = [lane for lane in ways if lane.kernel.yardstick]
    if not yardsticks:
        return "", found.left_out
    for lane in ways:
        found.add(
            lane.kernel,
            lane.times,
            [yardstick.times for yardstick in yardsticks],
            lane.answers,
            operations=count_operations(lane.kernel),
            made_in=lane.made_in,
        )
    if others:
        here = [compile_entrant(yardstick.kernel, problem) for yardstick in yardsticks]
        times = measure([*here, *others], rounds)
        for k, entrant in enumerate(others, len(here)):
            columns = [times[:, column] for column in range(len(here))]
            answers = entrant.answers()
            found.add(entrant, times[:, k], columns, answers, operations=None, made_in=entrant.made_in, mark=" *")
    names = [yardstick.kernel.yardstick for yardstick in yardsticks]
    return table("kernel", found.figures, names), found.left_out


def table_of(problem: Problem, discipline: Discipline, entrants: list[Entrant], rounds: int) -> tuple[str, list[str]]:
    """Measure the entrants of one discipline; the first is the yardstick."""
    found = Table(problem, discipline)
    times = measure(entrants, rounds)
    for k, entrant in enumerate(entrants):
        found.add(entrant, times[:, k], [times[:, 0]], entrant.answers(), operations=None, made_in=entrant.made_in)
    return table(discipline, found.figures, [f"{entrants[0].tool}, {entrants[0].form}"]), found.left_out


def run(problem: Problem, rounds: int) -> str:
    """Measure one problem and return its section of the report."""
    competitors, left_out = gather(problem)
    kernels = [one for one in competitors if isinstance(one, Kernel)]
    entrants = [one for one in competitors if isinstance(one, Entrant)]
    tables = []
    text, missing = kernel_table(problem, kernels, [e for e in entrants if e.discipline == "kernel"], rounds)
    tables.append(text)
    left_out += missing
    for discipline in ("batch", "python"):
        group = [entrant for entrant in entrants if entrant.discipline == discipline]
        if group:
            text, missing = table_of(problem, discipline, group, rounds)
            tables.append(text)
            left_out += missing
    return section(problem, [text for text in tables if text], left_out)


def _dynamics(output: Path | None, repetitions: int) -> int:
    """Write the page of the simulations; other tools are imported only now."""
    from benchmarks.dynamics.report import write

    place = output or Path(__file__).resolve().parent.parent / "docs" / "benchmarks-dynamics.md"
    print(write(place, repetitions))
    return 0


def _transfer(output: Path | None, rounds: int) -> int:
    """Write the page of the transfer matrices; other tools are imported only now."""
    from benchmarks.transfer.report import write

    place = output or Path(__file__).resolve().parent.parent / "docs" / "benchmarks-transfer.md"
    print(write(place, rounds))
    return 0


def _controllers(output: Path | None) -> int:
    """Write the page of exports on controllers; CasADi is imported only now."""
    from benchmarks.controllers.report import write

    place = output or Path(__file__).resolve().parent.parent / "docs" / "benchmarks-controllers.md"
    print(write(place))
    return 0


def main() -> int:
    """Measure everything."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "what",
        nargs="?",
        choices=[
            "all",
            "kernels",
            "lanes",
            "whole",
            "structure",
            "dynamics",
            "transfer",
            "controllers",
            "float-bounds",
        ],
        default="all",
        help="default: %(default)s. Not in all: dynamics, transfer and controllers, which write pages of their own, "
        "docs/benchmarks-dynamics.md and so on, and float-bounds, which writes what generated "
        "headers say of float (then: make generate)",
    )
    parser.add_argument("--instances", type=int, default=3000, help="float-bounds: of a module (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=41, help="rounds of measurement (default %(default)s)")
    parser.add_argument("--problem", action="append", choices=[problem.name for problem in PROBLEMS])
    parser.add_argument("--repetitions", type=int, default=5, help="of every run of dynamics (default %(default)s)")
    parser.add_argument("--output", type=Path, help="default: docs/benchmarks.md; '-' prints only")
    options = parser.parse_args()
    if options.what == "float-bounds":
        write_float_bounds(options.instances)
        return 0
    warnings.simplefilter("ignore")  # other tools' deprecations are theirs
    if options.what == "dynamics":
        return _dynamics(options.output, options.repetitions)
    if options.what == "controllers":
        return _controllers(options.output)
    if options.what == "transfer":
        return _transfer(options.output, options.rounds)
    place = options.output or Path(__file__).resolve().parent.parent / "docs" / "benchmarks.md"
    old = place.read_text(encoding="utf-8") if str(place) != "-" and place.exists() else ""
    if options.what == "structure":
        measured = structure_section(options.rounds)
        print(measured)
        text = with_section(old, measured)
    elif options.what == "lanes":
        measured = lanes.lanes_section(options.rounds)
        print(measured)
        text = with_section(old, measured)
    elif options.what == "whole":
        measured = mechanisms.whole_section(options.rounds)
        print(measured)
        text = with_section(old, measured)
    else:
        parts = [head(options.rounds)]
        for problem in PROBLEMS:
            if options.problem is None or problem.name in options.problem:
                print(f"measuring {problem.name}: {problem.title}", file=sys.stderr, flush=True)
                parts.append(run(problem, options.rounds))
        whole = options.what == "all" and options.problem is None
        parts.append(lanes.lanes_section(options.rounds) if whole else lanes.section_of(old))
        parts.append(mechanisms.whole_section(options.rounds) if whole else mechanisms.section_of(old))
        parts.append(structure_section(options.rounds) if whole else section_of(old))
        text = "\n\n".join(part.strip() for part in parts if part) + "\n"
        print(text)
    if str(place) != "-" and (options.problem is None or options.output is not None):
        place.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
