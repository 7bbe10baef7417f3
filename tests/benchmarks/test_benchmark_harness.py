"""The yardstick is right and the counters count; nothing here measures time."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from benchmarks.__main__ import exact_values
from benchmarks.entrant import ROWS, Entrant
from benchmarks.harness import largest_error, measure
from benchmarks.native import count_operations, flat
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.tools import hand

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
needs_objdump = pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")


@pytest.mark.compiler
@needs_gcc
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_the_hand_written_kernels_agree_with_forty_digits(problem: Problem) -> None:
    for entrant in hand.entrants(problem):
        # Some dozens of roundings on well-conditioned rows, results of the order of 1 to 100.
        assert largest_error(entrant, exact_values(problem, ROWS[entrant.discipline])) < 1e-13


@pytest.mark.compiler
@needs_gcc
@needs_objdump
def test_machine_operations_are_counted_through_calls() -> None:
    source = """
    #include <math.h>
    static __attribute__((noinline)) double inner(double a, double b) { return a*b + sqrt(a); }
    __attribute__((noinline)) double outer(double a, double b) { return a - b; }
    int probe(const double *x, double *y)
    {
        y[0] = inner(x[0], x[1])/x[2] + inner(x[2], x[1]) + outer(x[0], x[2]);
        return 0;
    }
    """
    # inner twice (3 each), outer once (1), and one division and two additions.
    assert count_operations(flat("probe", "", source, "probe")) == 2 * 3 + 1 + 3


def test_a_wrong_competitor_is_found() -> None:
    exact = np.array([[1.0, 200.0]])

    def entrant(values: list[float]) -> Entrant:
        return Entrant("t", "f", "python", lambda passes: 0.0, lambda: np.array([values]))

    assert largest_error(entrant([1.0, 200.0]), exact) == 0.0
    assert largest_error(entrant([1.5, 200.0]), exact) == pytest.approx(0.5)
    assert largest_error(entrant([1.0, 201.0]), exact) == pytest.approx(1 / 200)
    assert largest_error(entrant([1.0, float("nan")]), exact) == float("inf")


def test_ratios_are_taken_inside_a_round_so_that_load_cancels() -> None:
    calls = 0

    def entrant(cost: float) -> Entrant:
        def run(passes: int) -> float:
            # A made-up clock: one call each to calibrate, then two to a round, and the load changes with the round.
            nonlocal calls
            load = 1.0 + (max(0, calls - 2) // 2) ** 2
            calls += 1
            return passes * cost * load

        return Entrant("tool", "form", "python", run, lambda: np.zeros((1, 1)))

    quick, slow = entrant(1.0), entrant(3.0)
    figures = measure([quick, slow], quick, rounds=9)
    assert [figure.ratio for figure in figures] == pytest.approx([1.0, 3.0], rel=1e-12)
    assert figures[1].nanoseconds == pytest.approx(3.0e9 * 17.0)  # the median round is the fifth: load 1 + 4^2
