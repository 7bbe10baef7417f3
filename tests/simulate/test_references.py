"""The references themselves: general integrator and closed systems agree, published numbers come out, laws hold."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulate.references.closed_systems import (
    ANDREWS,
    chain,
    double_four_bar,
    flyball_governor,
    heavy_top,
    physical_pendulum,
)
from simulate.references.extrapolation import integrate
from simulate.references.make_references import CASES, CLOSED, reference, start_twists
from simulate.references.newton_euler import NewtonEuler

import symgen
from symgen.simulate.start.initial import initial_state

FOLDER = Path(__file__).resolve().parent / "references"
DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"
TOP = {"mass": 15.0, "arm": 1.0, "axial": 0.46875, "across": 0.234375, "spin": 150.0, "turn": -4.61538}


def stored(name: str) -> dict[str, Any]:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def system(example: str, **parameters: float) -> NewtonEuler:
    return NewtonEuler(symgen.load(DYNAMICS / example / "mechanism.toml").with_parameters(**parameters))


def test_the_integrator_keeps_an_oscillator_for_ten_periods() -> None:
    times = np.linspace(0.0, 20 * math.pi, 41)
    found = integrate(lambda _, s: np.array([s[1], -s[0]]), [1.0, 0.0], times)
    # Some sixty steps of at most 1e-13 each.
    assert np.abs(found[:, 0] - np.cos(times)).max() < 1e-11


def test_a_pendulum_of_small_swings_has_its_period() -> None:
    period = 2 * math.pi * math.sqrt((1 / 3) / (9.81 * 0.5))
    found = physical_pendulum([0.0, period], 1.0, 0.5, 1 / 3, 1e-5, 0.0)
    assert found[-1, 0] == pytest.approx(1e-5, rel=1e-9)  # the period grows by angle^2/16, the swing by its square


def test_newton_euler_agrees_with_the_lagrange_equations_of_a_chain() -> None:
    mechanism = hanging_chain(3, [1.0, 1.4, 0.3])
    bodies = NewtonEuler(mechanism)
    times = np.linspace(0.0, 0.6, 4)
    states = integrate(bodies.field, bodies.state(np.zeros((3, 6))), times, 1e-11, bodies.project)
    angles = chain(times, 3, 1.0, 0.5, [1.0, 1.4, 0.3])[:, :3]
    tips = np.cumsum(0.5 * np.stack([np.sin(angles), -np.cos(angles)], axis=-1), axis=1)
    for state, tip in zip(states, tips, strict=True):
        for k in range(3):
            assert bodies.point(state, f"b{k}", [0.5, 0.0, 0.0])[:2] == pytest.approx(tip[k], abs=1e-9)


def hanging_chain(links: int, angles: list[float]) -> symgen.Mechanism:
    bodies, joints, place = {}, {}, np.zeros(2)
    for k, angle in enumerate(angles[:links]):
        moment = 0.5**2 / 12
        bodies[f"b{k}"] = {
            "pose": {"r": place.tolist(), "angle": angle - math.pi / 2},
            "mass": 1.0, "com": [0.25, 0.0], "inertia": [0.0, moment, moment, 0.0, 0.0, 0.0],
        }  # fmt: skip
        joints[f"j{k}"] = {"type": "R", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"], "at": place.tolist()}
        place = place + 0.5 * np.array([math.sin(angle), -math.cos(angle)])
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "chain", "space": "planar", "gravity": [0.0, -9.81],
        "bodies": bodies, "joints": joints,
    })  # fmt: skip


def test_newton_euler_follows_the_parallel_branch_of_the_double_four_bar() -> None:
    bodies, times = system("double_four_bar"), np.linspace(0.0, 0.4, 3)
    start = np.array([[0.5, 0, 0, 0, 0, -1]] * 3 + [[1.0, 0, 0, 0, 0, 0]] * 2)
    states = integrate(bodies.field, bodies.state(start), times, 1e-11, bodies.project)
    theta = double_four_bar(times)[:, 0]
    assert [bodies.point(s, "crank0", [1, 0, 0])[0] for s in states] == pytest.approx(np.sin(theta), abs=1e-9)
    exact = stored("double_four_bar")
    assert exact["theta"][2] == pytest.approx(theta[2], abs=1e-12)
    # Energy of the pendulum: 3/2 theta'^2 + 3.5 g cos(theta).
    energy = 1.5 * np.square(exact["rate"]) + 3.5 * 9.81 * np.cos(exact["theta"])
    assert np.ptp(energy) < 1e-9  # of 69 J exchanged, three hundred steps of 1e-12
    assert exact["theta"][-1] == pytest.approx(31.7506, abs=5e-5)


def test_newton_euler_and_the_equation_of_the_axis_see_the_same_top() -> None:
    bodies, times = system("spinning_top", push=0.0), np.linspace(0.0, 0.3, 4)
    states = integrate(bodies.field, bodies.state(start_twists("spinning_top", bodies)), times, 1e-12, bodies.project)
    exact = np.array([bodies.point(state, "top", [0.0, 1.0, 0.0]) for state in states])
    # Seven turns about itself with quaternions: 45 rad, some hundred steps of 1e-12 at worst.
    assert np.abs(heavy_top(times, **TOP) - exact).max() < 1e-10


def test_a_top_without_weight_keeps_its_angle_to_the_moment_of_momentum() -> None:
    found = heavy_top(np.linspace(0.0, 1.0, 21), **TOP, lift=(15.0 * 9.81, 0.0, 2.0))
    about = np.array([0.0, 0.46875 * 150.0, -4.61538 * (15.0 + 0.234375)])
    assert np.ptp(found @ about) < 1e-10 * np.linalg.norm(about)


def test_a_push_changes_the_top_from_its_start_on() -> None:
    times = np.array([0.0, 0.5, 1.0, 1.05, 1.1])
    free, pushed = heavy_top(times, **TOP), heavy_top(times, **TOP, lift=(200.0, 1.0, 1.05))
    assert pushed[:3] == pytest.approx(free[:3], abs=1e-11)
    assert np.abs(pushed[-1] - free[-1]).max() > 1e-3


def test_andrews_mechanism_ends_as_published() -> None:
    data = stored("andrews")
    sums = {"K1": ("beta",), "K2": ("beta", "Theta"), "K3": ("gamma",), "K4": ("Phi", "delta"), "K5": ("delta",),
            "K6": ("Omega", "epsilon"), "K7": ("epsilon",)}  # fmt: skip
    for (angles, twist), q in zip(
        zip(sums.values(), data["last_twists"], strict=True), data["last_quaternions"], strict=True
    ):
        angle, rate = (sum(ANDREWS[name][k] for name in angles) for k in (0, 1))
        # Ours does not change between tolerances 1e-11 and 1e-12 (2.5e-11 rad). The published end is later on the same
        # motion by 1.1e-9 rad of beta, 1e-12 s: what a tolerance of 1e-14 a step has left. Rates of 1e1 rad/s with
        # accelerations of 6e5 rad/s^2 differ by as much time, 6e-7 rad/s.
        assert math.remainder(2 * math.atan2(q[3], q[0]) - angle, math.tau) == pytest.approx(0.0, abs=2e-9)
        assert twist[5] == pytest.approx(rate, rel=1e-9, abs=2e-6)


@pytest.mark.parametrize("name", ["bricard", "bricard_slender"])
def test_bricard_keeps_its_energy_and_the_cosines_of_its_trihedron(name: str) -> None:
    data = stored(name)
    assert np.ptp(data["energy"]) < 1e-11  # of some 20 J exchanged
    corners = np.array([data["points"][point] for point in ("AB.B", "BC.C", "CD.D", "DE.E")])
    ends = np.concatenate(
        [np.zeros((1, *corners.shape[1:])), corners, np.broadcast_to([0.0, 0, 1], (1, *corners.shape[1:]))]
    )
    rods = np.diff(np.concatenate([ends, ends[:1]]), axis=0)  # six, the fixed link last
    cosines = np.sum(rods * np.roll(rods, -1, axis=0), axis=-1)
    assert cosines[::2] == pytest.approx(np.broadcast_to(cosines[0], (3, cosines.shape[1])), abs=1e-11)
    assert cosines[1::2] == pytest.approx(np.broadcast_to(cosines[1], (3, cosines.shape[1])), abs=1e-11)
    assert np.abs(cosines[0] + cosines[1] + cosines[0] * cosines[1]).max() < 1e-11


@pytest.mark.parametrize("name", ["bricard", "spatial_slider_crank"])
def test_stored_references_are_what_their_script_computes(name: str) -> None:
    data, again = stored(name), reference(name, until=0.4)
    for point, places in again["points"].items():
        assert np.array(places) == pytest.approx(np.array(data["points"][point][: len(places)]), abs=1e-11)


@pytest.mark.parametrize("name", ["spatial_slider_crank", "flyball_governor", "spinning_top"])
def test_starts_by_hand_fit_the_joints_and_are_those_of_the_example(name: str) -> None:
    bodies = system(name)
    twists = start_twists(name, bodies)
    jacobian = bodies.constraints(bodies.places(bodies.state(twists)))[1]
    assert np.abs(jacobian @ twists.reshape(-1)).max() < 1e-12
    assert initial_state(bodies.mechanism, strict=True).twists == pytest.approx(twists, abs=1e-11)


def test_newton_euler_and_three_coordinates_see_the_same_governor() -> None:
    bodies, times = system("flyball_governor"), np.array([0.0, 0.004])
    start = bodies.state(start_twists("flyball_governor", bodies))
    last = integrate(bodies.field, start, times, 1e-9, bodies.project)[-1]
    turn, alpha, s = flyball_governor(times)[-1, :3]
    reach = 0.05 + math.cos(alpha)
    exact = [reach * math.cos(turn), reach * math.sin(turn), 1.0 - math.sin(alpha)]
    assert bodies.point(last, "rod_right", [1.0, 0.0, 0.0]) == pytest.approx(exact, abs=1e-9)
    assert bodies.point(last, "slider", [0.0, 0.0, 0.0]) == pytest.approx([0.0, 0.0, s], abs=1e-9)


def test_the_couplers_of_the_governor_keep_about_their_length() -> None:
    data = stored("flyball_governor")
    slider, alpha = np.array(data["points"]["slider.S"])[:, 2], np.array(data["alpha"])
    length = np.hypot(0.5 * np.cos(alpha), 1.0 - 0.5 * np.sin(alpha) - slider)
    # 8e5 N/m against some 100 N of inertia and weight.
    assert np.abs(length - 0.5).max() < 1e-3


def test_the_slider_starts_as_published() -> None:
    data = stored("spatial_slider_crank")
    assert data["points"]["slider.C"][0] == pytest.approx([0.2, 0.0, 0.0], abs=1e-14)
    assert np.ptp(data["energy"]) < 1e-11


def test_every_reference_has_its_file() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {*CASES, *CLOSED}
