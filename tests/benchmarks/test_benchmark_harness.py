"""Competitors are right, the counters count and ratios are ratios; nothing here measures time."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from benchmarks.__main__ import exact_values, gather
from benchmarks.entrant import ROWS, Entrant, LeftOutError
from benchmarks.harness import largest_error, measure, ratio_of
from benchmarks.native import O3, Kernel, flat
from benchmarks.operations import count_operations
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.race import race
from benchmarks.report import Figure, table
from benchmarks.tools import hand, symgen_tool

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
needs_objcopy = pytest.mark.skipif(shutil.which("objcopy") is None, reason="objcopy is not installed")
needs_objdump = pytest.mark.skipif(shutil.which("objdump") is None, reason="objdump is not installed")
by_name = pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)


def kernels_of(problem: Problem) -> list[Kernel]:
    found = [*hand.entrants(problem), *symgen_tool.entrants(problem)]
    return [one for one in found if isinstance(one, Kernel)]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.extension
@needs_gcc
@needs_objcopy
@by_name
def test_hand_written_and_generated_c_agree_with_forty_digits(problem: Problem) -> None:
    lanes, left_out = race(kernels_of(problem), problem, rounds=1)
    assert left_out == []
    exact = exact_values(problem, ROWS["kernel"])
    for lane in lanes:
        # Some dozens of roundings on well-conditioned rows, results of the order of 1 to 100.
        assert largest_error(lane.answers, exact) < 1e-13, lane.kernel.form


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.extension
@needs_gcc
@by_name
def test_batch_and_python_entries_agree_with_forty_digits(problem: Problem) -> None:
    entrants = [*hand.entrants(problem), *symgen_tool.entrants(problem)]
    tried = [one for one in entrants if isinstance(one, Entrant)]
    assert {one.discipline for one in tried} == {"batch", "python"}
    for entrant in tried:
        assert largest_error(entrant.answers(), exact_values(problem, ROWS[entrant.discipline])) < 1e-13, entrant.form


@pytest.mark.sampled(1)
@pytest.mark.extension
@needs_gcc
@needs_objdump
@pytest.mark.parametrize(("name", "most"), [("rrr_na", 90), ("ups6", 600)])
def test_generated_kernels_stay_within_their_machine_operations(name: str, most: int) -> None:
    (problem,) = [one for one in PROBLEMS if one.name == name]
    for kernel in kernels_of(problem):
        operations = count_operations(kernel)
        assert operations is not None
        assert 0 < operations <= most, kernel.form


@pytest.mark.slow
@pytest.mark.extension
@needs_gcc
@needs_objcopy
def test_a_kernel_that_does_not_compile_is_left_out_with_the_reason() -> None:
    problem = PROBLEMS[0]
    broken = flat("broken", "text", "int broken(const double *x, double *y) { return nothing; }", "broken")
    lanes, left_out = race([*kernels_of(problem)[:1], broken], problem, rounds=2)
    assert [lane.kernel.tool for lane in lanes] == [hand.FREE]
    assert len(left_out) == 1
    assert "broken, text (gcc refuses its C" in left_out[0]


def test_without_a_compiler_every_tool_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from benchmarks import native

    monkeypatch.setattr(native.shutil, "which", lambda name: None)
    _, left_out = gather(PROBLEMS[0])
    assert any("hand (gcc is not installed)" in text for text in left_out)


@pytest.mark.extension
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
    assert count_operations(flat("probe", "", source, "probe", flags=O3)) == 2 * 3 + 1 + 3


def test_a_wrong_competitor_is_found() -> None:
    exact = np.array([[1.0, 200.0]])
    assert largest_error(np.array([[1.0, 200.0]]), exact) == 0.0
    assert largest_error(np.array([[1.5, 200.0]]), exact) == pytest.approx(0.5)
    assert largest_error(np.array([[1.0, 201.0]]), exact) == pytest.approx(1 / 200)
    assert largest_error(np.array([[1.0, float("nan")]]), exact) == float("inf")


def test_ratios_are_taken_inside_a_round_so_that_load_cancels() -> None:
    load = np.array([1.0, 5.0, 2.0, 17.0, 1.5])
    ratio = ratio_of(3.0 * load, load)
    assert (ratio.median, ratio.least) == pytest.approx((3.0, 3.0), rel=1e-12)


def test_every_entrant_is_measured_in_every_round_for_one_row() -> None:
    def entrant(cost: float) -> Entrant:
        return Entrant("t", "f", "batch", lambda passes: passes * cost, lambda: np.zeros((1, 1)))

    times = measure([entrant(1.0), entrant(3.0)], rounds=9)
    assert times.shape == (9, 2)
    assert times == pytest.approx(np.tile([1e9 / ROWS["batch"], 3e9 / ROWS["batch"]], (9, 1)), rel=1e-12)


def test_a_table_is_ordered_by_the_first_ratio_and_has_no_empty_column() -> None:
    from benchmarks.harness import Ratio

    def figure(form: str, ratio: float) -> Figure:
        return Figure("tool", form, 10.0, 9.0, (Ratio(ratio, ratio),), None, None, 0.0)

    text = table("python", [figure("slow", 2.0), figure("quick", 0.5)], ["hand"])
    assert text.index("quick") < text.index("slow")
    assert "operations" not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({row.count("|") for row in rows}) == 1


def test_left_out_is_an_exception_with_a_reason() -> None:
    assert str(LeftOutError("no such thing")) == "no such thing"
