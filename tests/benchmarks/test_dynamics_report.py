"""The simulation benchmarks: errors count what they should, tables and pictures say what was measured."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ElementTree
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import symgen
from benchmarks.dynamics import growth, picture, report, symgen_tool
from benchmarks.dynamics.contestant import Contestant, Outcome, measure
from benchmarks.dynamics.linkages import BRICARD
from benchmarks.dynamics.problems import SAMPLE, Problem, problems


def problem() -> Problem:
    return next(each for each in problems() if each.name == "double_four_bar")


def test_errors_are_the_largest_distance_of_a_point_and_nothing_missing_passes() -> None:
    four_bar = problem()
    moved = four_bar.reference.copy()
    moved[3, 1] += [3e-3, 4e-3, 0.0]
    assert four_bar.error(four_bar.reference) == 0.0
    assert four_bar.error(moved) == pytest.approx(5e-3)
    moved[-1, 0, 0] = np.nan
    assert four_bar.error(moved) == math.inf
    assert four_bar.error(four_bar.reference[:-1]) == math.inf


def test_points_of_the_references_are_those_of_the_mechanism_files() -> None:
    for each in problems():
        mechanism = symgen.load(each.file)
        for point in each.points:
            body, _, name = point.partition(".")
            assert name in mechanism.body(body).points
        assert each.samples == round(each.until / SAMPLE)


def test_linkages_of_the_other_tools_are_those_of_the_file() -> None:
    mechanism = symgen.load(next(each for each in problems() if each.name == "bricard").file)
    for (name, start, end, axis), joint in zip(BRICARD.rods, mechanism.joints, strict=False):
        body = mechanism.body(name)
        assert body.com == pytest.approx((start + end) / 2)
        assert joint.frames is not None
        assert joint.frames[0].at == pytest.approx(start)
        q0, q1, q2, q3 = joint.frames[0].q  # z of the joint frame is the axis
        z = [2 * (q1 * q3 + q0 * q2), 2 * (q2 * q3 - q0 * q1), 1 - 2 * (q1 * q1 + q2 * q2)]
        assert np.abs(z) == pytest.approx(axis, abs=1e-12)


def test_a_method_that_fails_is_a_result_and_stops_nothing() -> None:
    four_bar = problem()

    def run(step: float) -> tuple[float, Any]:
        if step > 0.01:
            raise ArithmeticError("lost the branch\nmore")
        return 0.5, four_bar.reference + np.array([step, 0.0, 0.0])

    lost, found = measure(Contestant("tool", "method", (0.02, 0.01), run), four_bar, 2)
    assert (lost.failure, lost.error) == ("lost the branch", math.inf)
    assert (found.seconds, found.error) == (0.5, pytest.approx(0.01))


RUNS = [
    Outcome("symgen", "order 4", 0.05, 0.002, 4e-6),
    Outcome("symgen", "order 4", 0.01, 0.010, 6e-9),
    Outcome("Other", "RK4", 0.01, 0.011, 9e-6),
    Outcome("Other", "RK4", 0.001, 0.110, 8e-8),
    Outcome("Other", "implicit", 0.1, math.inf, math.inf, "did not converge"),
]


def test_the_table_of_levels_takes_the_quickest_run_that_is_good_enough() -> None:
    best = report.least_time(RUNS, 1e-5)
    assert best is RUNS[0]
    lines = report.level_table(RUNS).splitlines()
    assert lines[2] == "| 1e-03 | 2 ms (order 4, 50 ms) | 11 ms (RK4, 10 ms) | 5.5 |"
    assert lines[6] == "| 1e-07 | 10 ms (order 4, 10 ms) | 110 ms (RK4, 1 ms) | 11.0 |"
    assert lines[8] == "| 1e-09 | – | – | – |"
    assert "did not converge" in report.run_table(RUNS)


def test_the_picture_is_a_well_formed_document_with_a_curve_for_each_method() -> None:
    text = picture.log_log("title <&>", "error", "time", report.curves(RUNS))
    root = ElementTree.fromstring(text)  # noqa: S314 (our own text)
    assert root.attrib["viewBox"]
    assert "symgen, order 4" in text
    assert "implicit" not in text  # no run came through


def test_symgen_is_read_at_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    four_bar = problem()
    times = np.linspace(0.0, 10.0, 1001)

    def simulate(_mechanism: Any, *, until: float, step: float, **_: Any) -> Any:
        rows = np.repeat(four_bar.reference[:1], len(times), axis=0) * 0 + times[:, None, None]
        names = {point: k for k, point in enumerate(four_bar.points)}
        run = SimpleNamespace(processor=0.25)
        return SimpleNamespace(times=times, run=run, point=lambda name: rows[:, names[name]])

    monkeypatch.setattr(symgen, "simulate", simulate, raising=False)
    entry = symgen_tool.contestants(four_bar)[0]
    seconds, places = entry.run(0.01)
    assert seconds == 0.25
    assert places[:, 0, 0] == pytest.approx(SAMPLE * np.arange(1, 51))
    times = times + 0.003
    with pytest.raises(ValueError, match="no sample within"):
        entry.run(0.01)


def test_chains_of_the_growth_have_one_joint_a_body() -> None:
    mechanism = growth.chain(7)
    assert (len(mechanism.bodies), len(mechanism.joints)) == (7, 7)
    assert sum(body.mass or 0.0 for body in mechanism.bodies) == pytest.approx(1.0)
    assert mechanism.body("b6").points["tip"] == (1.0, 0.0, 0.0)


def test_growth_says_why_a_tool_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def cubic(bodies: int) -> float:
        return 1e-6 * bodies**3

    def absent(_: int) -> float:
        raise ModuleNotFoundError("no", name="gone")

    monkeypatch.setattr(growth, "TOOLS", {"cubic": cubic, "absent": absent})
    (_, found, why), (_, nothing, missing) = growth.grow((1, 10, 100, 1000))
    assert [bodies for bodies, _ in found] == [1, 10, 100]
    assert why == "not run beyond 100 bodies"
    assert (nothing, missing) == ([], "not installed: gone")
