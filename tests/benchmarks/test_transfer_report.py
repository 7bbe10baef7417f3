"""The benchmark of accelerations: everybody gets the same motion, and tables say what was measured."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from oracle.ball_trees import dense_accelerations, rotation

import symgen
from benchmarks.transfer import growth, mixed_symgen, report, symgen_tool
from benchmarks.transfer.contestant import Contestant, deviation
from benchmarks.transfer.mixed import SLIDES, TURNS, freedoms, mixed_chain
from benchmarks.transfer.rounds import Times, measure
from benchmarks.transfer.systems import SHAPES, relative_in_child, relative_in_parent, system
from symgen.simulate.special.tree import make_tree
from symgen.simulate.start.initial import initial_state

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize("shape", SHAPES)
def test_the_yardstick_is_right(shape: str) -> None:
    given = system(shape, 9)
    inertia = np.pad(given.inertia, ((0, 0), (0, 3)))
    gravity = np.array([0.0, 0.0, -9.81])
    tree = make_tree("ball", given.parent, given.mass, inertia, given.output, given.input, gravity)
    exact = dense_accelerations(tree, np.concatenate([given.q, given.omega], axis=1)[tree.order])[1]
    assert symgen_tool.angular_accelerations(given)[tree.order] == pytest.approx(exact, rel=1e-11, abs=1e-11)
    contestant = symgen_tool.contestant(given)
    assert contestant.call() == 0
    assert contestant.error(symgen_tool.angular_accelerations(given)) <= 1e-13


@pytest.mark.parametrize("shape", SHAPES)
def test_relative_motion_is_the_derivative_of_relative_attitudes(shape: str) -> None:
    """What other tools take and give, against differences of turns and rates that were moved by the absolute ones."""
    given, h = system(shape, 7), 1e-6
    alpha = np.random.default_rng(3).normal(size=(7, 3))
    rates = []
    for sign in (-1.0, 1.0):
        omega = given.omega + sign * h * alpha
        turns = np.array([_turn(sign * h * rate) @ turn for rate, turn in zip(given.omega, given.turns, strict=True)])
        carrying = np.where((given.parent >= 0)[:, None, None], turns[given.parent], np.eye(3))
        relative = omega - np.where((given.parent >= 0)[:, None], omega[given.parent], 0.0)
        rates.append((np.einsum("nji,nj->ni", turns, relative), np.einsum("nji,nj->ni", carrying, relative)))
    for k, found in enumerate((relative_in_child(given, alpha), relative_in_parent(given, alpha))):
        assert found == pytest.approx((rates[1][k] - rates[0][k]) / (2 * h), abs=1e-8)


def _turn(vector: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(vector))
    return rotation(np.array([np.cos(angle / 2), *(np.sin(angle / 2) * vector / angle)]))


def test_rods_hang_on_each_others_ends() -> None:
    given = system("tree", 15)
    assert np.bincount(given.parent[1:]).max() == 2
    assert given.input[0] == pytest.approx(0.0)
    assert given.input[1:] == pytest.approx(-given.output[given.parent[1:]])
    for turn, q in zip(given.turns, given.q, strict=True):
        assert turn == pytest.approx(rotation(q), abs=1e-14)


def test_quickest_rounds_are_compared() -> None:
    found = measure([lambda: sum(range(1000)), lambda: sum(range(8000))], 5)
    assert found[0].ratio == 1.0
    assert found[1].ratio > 2.0
    assert all(each.least > 0 for each in found)


def test_a_tool_that_cannot_take_part_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "TOOLS", ("symgen", "absent"))
    lines = report.lines_of(system("chain", 4), 1)
    assert [line.tool for line in lines] == ["symgen", "absent"]
    assert "not installed" in lines[1].left_out
    text = report.table(system("chain", 4), [*lines, report.Line("other", 2e-3, 17.25, 3e-9)])
    assert text.startswith("### Chain of 4\n")
    assert re.search(r"\| symgen \| [\d.]+ µs, \d+ ns per body \| 1 \| \|", text)
    assert "| other | 2 ms | 17.2 | 3e-09 |" in text


@pytest.mark.slow
def test_the_yardstick_of_mixed_hinges_is_right() -> None:
    """Against multipliers, and the engine's own first row against both."""
    given = mixed_chain(12)
    exact = symgen.accelerations(mixed_symgen.mechanism_of(given), method="multiplier").table[:, 3:]
    found = mixed_symgen.angular_accelerations(given)
    assert deviation(found, exact) <= 1e-11
    assert mixed_symgen.contestant(given).error(exact) <= 1e-11


def test_mixed_chains_hang_together_and_move_as_their_rates_say() -> None:
    """Rates as differences of the places of a body whose hinges are turned and slid one by one."""
    given = mixed_chain(10)
    mechanism = mixed_symgen.mechanism_of(given)
    assert [joint.type for joint in mechanism.joints] == ["R", "U", "S", "P", "C"] * 2
    assert [len(rates) for rates in given.rates] == [freedoms(kind) for kind in given.kinds]
    start = initial_state(mechanism)
    omega, spins = np.zeros(3), start.twists[:, 3:]
    for k, (kind, frame, rates) in enumerate(zip(given.kinds, given.frames, given.rates, strict=True)):
        turning = rates[len(SLIDES.get(kind, [])) :]
        for axis, rate in zip(TURNS.get(kind, []), turning, strict=True):
            omega = omega + rate * frame[:, "xyz".index(axis)]
        assert spins[k] == pytest.approx(omega, abs=1e-9)


@pytest.mark.slow
def test_the_page_on_mixed_hinges_counts_evaluations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report, "MIXED_TOOLS", {"symgen": "mixed_symgen", "absent": "mixed_absent"})
    monkeypatch.setattr(report, "measure", lambda calls, rounds: [Times(2e-3, 1.0)] * len(calls))
    parts = report.mixed_part(1, (5,))
    assert "revolute, universal, ball, prismatic and cylindrical" in parts[1]
    assert "### Mixed hinges, chain of 5" in parts[2]
    # 200 steps of four evaluations in 2 ms
    assert "| symgen | 2.5 µs, 500 ns per body | 1 | |" in parts[2]
    assert "not installed" in parts[2]


def test_the_page_on_growth_shows_every_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def idle(_: int) -> Contestant:
        return Contestant("idle", lambda: None, lambda _: 0.0)

    monkeypatch.setattr(growth, "ENGINES", {"one": idle, "two": idle})
    monkeypatch.setattr(growth, "measure", lambda calls, rounds: [Times(1e-3, 1.0), Times(8e-3, 8.0)][: len(calls)])
    parts = report.growth_part(tmp_path, 1)
    assert "| one | 8.00 | 8.00 | 8.00 | 8.00 | 8.00 |" in parts[-1]
    ElementTree.fromstring((tmp_path / "transfer_growth.svg").read_text(encoding="utf-8"))  # noqa: S314 - our own


def test_deviations_are_relative_to_the_largest_value() -> None:
    assert deviation(np.array([[1.0, 2.0, 0.0]]), np.array([[1.0, 4.0, 0.0]])) == 0.5
    assert SimpleNamespace(tools=report.TOOLS).tools[0] == "symgen"
