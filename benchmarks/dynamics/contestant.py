"""Who simulates: a tool with one of its methods, run with one step after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.dynamics.problems import Problem

#: Steps [s], all of which divide the time between two samples; each method runs with some of them.
STEPS = (
    0.1, 0.05, 0.04, 0.02, 0.0125, 0.01, 0.008, 0.00625, 0.005, 0.004, 0.0025, 0.002, 0.00125, 0.001, 0.0005, 0.00025,
    0.0001,
)  # fmt: skip


class LeftOutError(Exception):
    """A tool cannot take part; the text says why and goes into the report."""


@dataclass(frozen=True)
class Contestant:
    """One method of one tool on one problem.

    run : step [s] -> seconds and places (times, points, 3); raises if it fails.
    steps : those worth running.
    """

    tool: str
    method: str
    steps: tuple[float, ...]
    run: Callable[[float], tuple[float, np.ndarray]]

    @property
    def name(self) -> str:
        """Tool and method."""
        return f"{self.tool}, {self.method}"


@dataclass(frozen=True)
class Outcome:
    """One run: seconds (the least of its repetitions) and the largest error [m]; `failure` is why there is none."""

    tool: str
    method: str
    step: float
    seconds: float
    error: float
    failure: str = ""


def measure(contestant: Contestant, problem: Problem, repetitions: int) -> list[Outcome]:
    """Run a contestant with all its steps."""
    return [_run(contestant, problem, step, repetitions) for step in contestant.steps]


def _run(contestant: Contestant, problem: Problem, step: float, repetitions: int) -> Outcome:
    seconds, error = float("inf"), float("inf")
    try:
        for repetition in range(repetitions):
            taken, places = contestant.run(step)
            error = problem.error(places)
            seconds = min(seconds, taken)
            if taken > 2.0 and repetition == 0:  # long against any disturbance of the clock
                break
    except LeftOutError:
        raise
    except Exception as problem_found:  # a method may not get through: that is a result
        reason = str(problem_found).strip().splitlines()
        return Outcome(
            contestant.tool, contestant.method, step, float("inf"), float("inf"),
            (reason[0] if reason else type(problem_found).__name__)[:120],
        )  # fmt: skip
    return Outcome(contestant.tool, contestant.method, step, seconds, error)
