"""``python -m benchmarks dynamics``: run everybody, write docs/benchmarks-dynamics.md and its pictures."""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.dynamics.contestant import LeftOutError, Outcome, measure
from benchmarks.dynamics.growth import STEP, grow
from benchmarks.dynamics.picture import Curve, log_log
from benchmarks.dynamics.problems import Problem, problems
from benchmarks.peer_versions import other_tools

TOOLS = ("symgen", "mujoco", "exudyn", "pinocchio")
_PACKAGES = {"MuJoCo": "mujoco", "Exudyn": "exudyn", "Pinocchio": "pin"}
LEVELS = tuple(10.0**-k for k in range(3, 10))

_HEAD = """# Simulation: work against precision

Written by `make bench-dynamics`; do not edit. Every tool simulates the same mechanisms with one step size after
another. The error is the largest distance of a named point from its reference at any of the samples (every 0.2 s),
because this is the quantity that users need. The references are an extrapolation method on textbook equations
(Bricard), and the pendulum that the parallel branch is equivalent to (double four-bar). Times are processor time, the
minimum of {repetitions} repetitions. Building, compiling and reading are not included for any tool.

{versions}"""


def gather(problem: Problem, repetitions: int) -> tuple[list[Outcome], list[str]]:
    """Run every tool on a problem; return outcomes and who is left out, with the reason."""
    outcomes: list[Outcome] = []
    left_out: list[str] = []
    for tool in TOOLS:
        try:
            entries = importlib.import_module(f"benchmarks.dynamics.{tool}_tool").contestants(problem)
        except ImportError as error:
            left_out.append(f"{tool} (not installed: {error.name})")
            continue
        except LeftOutError as error:
            left_out.append(f"{tool} ({error})")
            continue
        for entry in entries:
            print(f"{problem.name}: {entry.name}", file=sys.stderr, flush=True)
            outcomes += measure(entry, problem, repetitions)
    return outcomes, left_out


def least_time(outcomes: Sequence[Outcome], level: float) -> Outcome | None:
    """Return the quickest of the runs whose error is at most `level`."""
    good = [outcome for outcome in outcomes if outcome.error <= level and math.isfinite(outcome.seconds)]
    return min(good, key=lambda outcome: outcome.seconds, default=None)


def level_table(outcomes: Sequence[Outcome]) -> str:
    """Return for each error level the quickest run of each tool, and by how much symgen's is quicker."""
    tools = list(dict.fromkeys(outcome.tool for outcome in outcomes))
    lines = [
        f"| error at most [m] | {' | '.join(tools)} | fastest other / symgen |",
        f"|---|{'---|' * len(tools)}---|",
    ]
    for level in LEVELS:
        best = {tool: least_time([each for each in outcomes if each.tool == tool], level) for tool in tools}
        others = [each.seconds for tool, each in best.items() if each is not None and tool != "symgen"]
        own = best.get("symgen")
        ratio = f"{min(others) / own.seconds:.1f}" if own is not None and others else "–"
        lines.append(f"| {level:.0e} | {' | '.join(_cell(best[tool]) for tool in tools)} | {ratio} |")
    return "\n".join(lines)


def _cell(outcome: Outcome | None) -> str:
    if outcome is None:
        return "–"
    return f"{1e3 * outcome.seconds:.3g} ms ({outcome.method}, {1e3 * outcome.step:g} ms)"


def run_table(outcomes: Sequence[Outcome]) -> str:
    """Return every run."""
    lines = ["| tool, method | step [ms] | time [ms] | error [m] |", "|---|---|---|---|"]
    for each in outcomes:
        time = f"{1e3 * each.seconds:.3g}" if math.isfinite(each.seconds) else "–"
        error = f"{each.error:.1e}" if math.isfinite(each.error) else each.failure or "lost"
        lines.append(f"| {each.tool}, {each.method} | {1e3 * each.step:g} | {time} | {error} |")
    return "\n".join(lines)


def curves(outcomes: Sequence[Outcome]) -> list[Curve]:
    """Return error against time of each method, runs that came through and stayed below 0.1 m."""
    found = []
    for tool, method in dict.fromkeys((each.tool, each.method) for each in outcomes):
        runs = [each for each in outcomes if (each.tool, each.method) == (tool, method) and 0.0 < each.error < 0.1]
        points = [(each.error, each.seconds) for each in runs if math.isfinite(each.seconds)]
        found.append(Curve(f"{tool}, {method}", points, dashed=tool != "symgen"))
    return found


def write(place: Path, repetitions: int, with_growth: bool = True) -> str:
    """Measure everything, write the page and its pictures, and return the page."""
    images = place.parent / "images"
    images.mkdir(parents=True, exist_ok=True)
    parts = [_HEAD.format(repetitions=repetitions, versions=other_tools(_PACKAGES))]
    for problem in problems():
        outcomes, left_out = gather(problem, repetitions)
        parts.append(f"## {problem.title[0].upper()}{problem.title[1:]}")
        if left_out:
            parts.append(f"Left out: {'; '.join(left_out)}.")
        if any(curve.points for curve in curves(outcomes)):
            name = f"work_precision_{problem.name}.svg"
            picture = log_log(problem.title, "largest position error [m]", "time [s]", curves(outcomes))
            (images / name).write_text(picture, encoding="utf-8")
            parts.append(f"![Time against error, {problem.title}](images/{name})")
        if outcomes:
            parts += [level_table(outcomes), run_table(outcomes)]
    if with_growth:
        parts += _growth(images)
    page = "\n\n".join(parts) + "\n"
    place.write_text(page, encoding="utf-8")
    return page


def _growth(images: Path) -> list[str]:
    print("growth: chains of revolute bodies", file=sys.stderr, flush=True)
    found = list(grow())
    drawn = [
        Curve(tool, [(float(bodies), seconds) for bodies, seconds in points], dashed=not tool.startswith("symgen"))
        for tool, points, _ in found
    ]
    parts = [
        "## Growth: a chain of n revolute bodies",
        f"Time of one step of {1e3 * STEP:g} ms for an open chain of 1 m and 1 kg that starts horizontal.",
    ]
    if any(curve.points for curve in drawn):
        picture = log_log("one step of a chain of n bodies", "bodies", "time of a step [s]", drawn)
        (images / "chain_growth.svg").write_text(picture, encoding="utf-8")
        parts.append("![Time of a step against the number of bodies](images/chain_growth.svg)")
    numbers = sorted({bodies for _, points, _ in found for bodies, _ in points})
    lines = [f"| tool | {' | '.join(f'n = {n}' for n in numbers)} |", f"|---|{'---|' * len(numbers)}"]
    for tool, points, _ in found:
        times = dict(points)
        lines.append(f"| {tool} | {' | '.join(f'{1e6 * times[n]:.3g} µs' if n in times else '–' for n in numbers)} |")
    notes = [f"{tool}: {why}." for tool, _, why in found if why]
    return [*parts, "\n".join(lines), *(["\n".join(notes)] if notes else [])]
