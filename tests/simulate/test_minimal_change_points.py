"""Minimal coordinates through change points: the motion is the smooth one, whatever the steps are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.library.smooth import hermite_weights
from symgen.model.mechanism import Mechanism
from symgen.resources import generated_folder
from symgen.simulate.results.result import SimulationResult
from symgen.status import Status
from tests.oracle.change_point_families import make_case

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "dynamics"


def _planar(bodies: dict[str, Any], joints: dict[str, Any], **more: Any) -> Mechanism:
    tree = {"schema": "symgen/mechanism/1", "name": "made here", "space": "planar", "bodies": bodies, "joints": joints}
    return Mechanism.from_dict(tree | more)


def _body(place: list[float], mass: float, inertia: float) -> dict[str, Any]:
    return {"pose": {"r": place}, "mass": mass, "com": [0, 0, 0], "inertia": [0, 0, inertia, 0, 0, 0]}


def _pin(one: str, two: str, at: list[float]) -> dict[str, Any]:
    return {"type": "R", "bodies": [one, two], "at": at}


#: Bodies and joints of a parallelogram whose crank stands upright.
_PARALLELOGRAM: tuple[dict[str, Any], dict[str, Any]] = (
    {
        "crank": _body([0, 0], 1.0, 0.02),
        "coupler": _body([0.2, 0.2], 2.0, 0.05),
        "rocker": _body([0.6, 0], 1.0, 0.03),
    },
    {
        "A": _pin("ground", "crank", [0, 0]),
        "B": _pin("crank", "coupler", [0, 0.2]),
        "C": _pin("coupler", "rocker", [0.6, 0.2]),
        "D": _pin("rocker", "ground", [0.6, 0]),
    },
)


def _parallelogram(missed: float = 0.0) -> Mechanism:
    """Return a parallelogram that turns with 2 rad/s: flat after a quarter of pi seconds."""
    bodies, joints = _PARALLELOGRAM
    joints = joints | {"D": _pin("rocker", "ground", [0.6 * (1 + missed), 0])}
    return _planar(bodies, joints, initial={"joints": {"A": {"rate": 2.0}}})


def _isosceles(driven: int = 0, **more: Any) -> Mechanism:
    """Return a slider-crank with crank and rod of one length, which flies over its centre when the crank is upright."""
    return _planar(
        {
            "crank": _body([0, 0], 1.0, 0.02),
            "rod": _body([0.2, 0.2], 1.5, 0.03),
            "slider": _body([0.4, 0], 0.7, 0.01),
        },
        {
            "A": _pin("ground", "crank", [0, 0]) | ({"driven": 1} if driven else {}),
            "B": _pin("crank", "rod", [0.2, 0.2]),
            "C": _pin("rod", "slider", [0.4, 0]),
            "P": {"type": "P", "bodies": ["ground", "slider"], "at": [0.4, 0], "axis": [1, 0]},
        },
        **more,
    )


def _simulate(mechanism: Mechanism, **how: Any) -> SimulationResult:
    motion: SimulationResult = symgen.simulate(mechanism, method="group", **how)
    return motion


def test_extrapolation_is_hermites() -> None:
    weights = hermite_weights(np.array([-3.0, -2.0, -1.0]), np.array([1.0]))[:, 0]
    text = (generated_folder() / "dynamics" / "dynamics_kinds.h").read_text(encoding="utf-8")
    written = [float(each) for each in re.findall(r"-?\d+\.0", text[text.index("#define EXTRAPOLATION") :])]
    # they are whole numbers of up to six digits, computed with sixteen
    np.testing.assert_allclose(written, weights.reshape(-1), atol=1e-7)


#: Steps that land on the flat position exactly (after pi/4 s), steps that come near it, and steps of any length.
STEPS: tuple[dict[str, Any], ...] = (
    {"step": np.pi / 80, "sample": np.pi / 80},
    {"step": np.pi / 80, "sample": np.pi / 80, "order": 8},
    {"step": np.pi / 80.0001, "sample": np.pi / 80.0001},
    {"step": 0.13, "sample": 0.13},
    {"tolerance": 1e-9, "sample": np.pi / 40},
)


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("how", STEPS)
def test_free_parallelogram_turns_evenly_and_its_coupler_never(how: dict[str, Any]) -> None:
    # cranks turn alike and the coupler does not: the reduced inertia is constant
    motion = _simulate(_parallelogram(), until=40 * how["sample"], coordinates=["A"], **how)
    assert motion.ok
    angle = 2.0 * motion.times
    wanted = np.stack([0.2 - 0.2 * np.sin(angle), 0.2 * np.cos(angle)], axis=1)
    # the limit at a change point is good to 1e-10 of accelerations, and wide steps add that up over 6 s
    np.testing.assert_allclose(motion.bodies["coupler"].r[:, :2], wanted, atol=1e-9)
    np.testing.assert_allclose(motion.bodies["coupler"].omega, 0.0, atol=1e-9)
    np.testing.assert_allclose(motion.bodies["coupler"].alpha, 0.0, atol=1e-7)
    np.testing.assert_allclose(motion.bodies["rocker"].omega[:, 2], 2.0, atol=1e-9)


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize("steps", [40, 61, 97, 100])
def test_driven_isosceles_slider_goes_on_over_its_centre(steps: int) -> None:
    # with 40 steps the eighth of a second, where crank and rod lie on each other, is one of them
    motion = _simulate(_isosceles(driven=1, drives={"A": "2*pi*t"}), step=1 / steps, until=1.0, sample=1 / steps)
    assert motion.ok
    angle = np.pi / 4 + 2 * np.pi * motion.times
    w = 2 * np.pi
    slider = motion.bodies["slider"]
    np.testing.assert_allclose(slider.r[:, 0], 0.4 * np.sqrt(2) * np.cos(angle), atol=1e-9)
    np.testing.assert_allclose(slider.v[:, 0], -0.4 * np.sqrt(2) * w * np.sin(angle), atol=1e-8)
    np.testing.assert_allclose(slider.a[:, 0], -0.4 * np.sqrt(2) * w**2 * np.cos(angle), atol=1e-6)


@pytest.mark.compiler
@pytest.mark.parametrize("how", [{"step": 0.01, "order": 8}, {"tolerance": 1e-9}])
def test_free_isosceles_slider_crank_keeps_its_energy_over_its_centre(how: dict[str, Any]) -> None:
    mechanism = _isosceles(initial={"joints": {"A": {"rate": 5.0}}})
    motion = _simulate(mechanism, until=3.0, sample=0.1, coordinates=["A"], **how)
    assert motion.ok
    turn = np.pi / 4 + motion.joints["A"].coordinates["angle"]
    length = 0.2 * np.sqrt(2)
    # crank and rod turn with w and -w; the rod's centre of mass is the pin B, where it was put
    inertia = 0.02 + 0.03 + 1.5 * length**2 + 0.7 * (2 * length * np.sin(turn)) ** 2
    wanted = 5.0 * np.sqrt(inertia[0] / inertia)
    np.testing.assert_allclose(motion.joints["A"].rates["angle"], wanted, rtol=1e-8)
    assert abs(turn[-1] - turn[0]) > 6.0 or np.ptp(turn) > 3.0  # it went round


@pytest.mark.slow
@pytest.mark.compiler
def test_double_four_bar_is_a_pendulum_through_twenty_singular_positions() -> None:
    # its links are all equal: in every other flat position they can turn freely, with no branch in sight
    motion = _simulate(symgen.load(EXAMPLES / "double_four_bar" / "mechanism.toml"), tolerance=1e-10, until=10.0)
    assert motion.ok
    # 3 theta'' = 3.5 g sin(theta), integrated with 40 digits: examples/dynamics/double_four_bar/README.md
    assert motion.bodies["bar1"].r[-1, 0] == pytest.approx(np.sin(31.7506), abs=1e-4)
    assert motion.drift < 1e-6


@pytest.mark.slow
@pytest.mark.compiler
def test_order_of_the_scheme_holds_through_change_points() -> None:
    mechanism = symgen.load(EXAMPLES / "double_four_bar" / "mechanism.toml")
    exact = _simulate(mechanism, tolerance=1e-11, until=2.0, sample=0.1)
    errors = []
    for step in (0.02, 0.01, 0.005):
        motion = _simulate(mechanism, step=step, until=2.0, sample=0.1)
        assert motion.ok
        errors.append(max(np.abs(motion.bodies[body].r - exact.bodies[body].r).max() for body in motion.bodies))
    assert np.all(np.log2(np.array(errors[:-1]) / errors[1:]) > 3.7)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("missed", [1e-3, 1e-6])
def test_near_miss_keeps_its_own_branch(missed: float) -> None:
    # the longer ground keeps the four-bar from going through: beyond the flat position it is crossed
    wide, fine = (
        _simulate(_parallelogram(missed), until=3.0, sample=0.1, coordinates=["A"], **how)
        for how in ({"tolerance": 1e-8}, {"tolerance": 1e-10})
    )
    for motion in (wide, fine):
        turned = np.linalg.norm(motion.bodies["coupler"].omega, axis=1)
        if motion.ok:
            assert turned[-1] > 0.1
    rows = min(len(wide.times), len(fine.times))
    np.testing.assert_allclose(wide.bodies["coupler"].r[:rows], fine.bodies["coupler"].r[:rows], atol=1e-6)
    assert abs(fine.total[-1] - fine.total[0]) < 1e-7


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("family", "seed"),
    [
        ("kite", 0), ("galloway", 0), ("grazing_slider_crank", 0), ("grazing_slot", 1), ("two_driven_cranks", 0),
        ("two_at_once", 1), ("one_after_another", 0), ("behind_a_crank_rocker", 0), ("turns_back_at_it", 0),
        ("near_miss_3", 1), ("near_miss_6", 1), ("rod_parallelogram", 1), ("rod_isogram", 2),
    ],
)  # fmt: skip
def test_driven_mechanisms_move_as_solve_says(family: str, seed: int) -> None:
    mechanism, until = _weighed(family, seed)
    for steps in (40, 61):
        motion = _simulate(mechanism, step=until / steps, until=until, sample=until / steps)
        assert motion.ok
        other = symgen.solve(mechanism, np.linspace(0.0, until, steps + 1))
        for body in motion.bodies:
            np.testing.assert_allclose(motion.bodies[body].r, other.bodies[body].r, atol=1e-9)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("steps", [40, 61])
def test_a_drive_through_a_dead_centre_is_no_ok(steps: int) -> None:
    # the slider turns back where the crank goes on: a sign that is kept would turn the crank back
    mechanism, until = _weighed("piston_through_dead_centres", 0)
    motion = _simulate(mechanism, step=until / steps, until=until, sample=until / steps)
    assert motion.run.failure is not None
    assert motion.run.failure.status == Status.BRANCH_LOST
    other = symgen.solve(mechanism, motion.times)
    np.testing.assert_allclose(motion.bodies["crank"].omega, other.bodies["crank"].omega, atol=1e-6)


@pytest.mark.compiler
@pytest.mark.parametrize(
    "how",
    [
        {"step": np.pi / 20, "sample": np.pi / 20},
        pytest.param({"tolerance": 1e-6, "sample": np.pi / 10}, marks=pytest.mark.slow),
    ],
)
def test_numpy_follows_branches_as_c_does(how: dict[str, Any]) -> None:
    one, two = (
        _simulate(_parallelogram(), until=0.4 * np.pi, coordinates=["A"], backend=backend, **how)
        for backend in ("c", "numpy")
    )
    assert one.ok
    assert one.run.steps == two.run.steps
    for part, tolerance in (("r", 1e-11), ("v", 1e-10), ("a", 1e-8)):
        for body in one.bodies:
            np.testing.assert_allclose(getattr(one.bodies[body], part), getattr(two.bodies[body], part), atol=tolerance)


BACKENDS = [pytest.param("c", marks=pytest.mark.compiler), "numpy"]


def _crank_rocker(rate: float) -> Mechanism:
    """Return a crank and rocker, which meets no other branch however far it turns."""
    return _planar(
        {
            "crank": _body([0, 0], 1.0, 0.02),
            "coupler": _body([0, 0.1], 2.0, 0.05),
            "rocker": _body([0.6, 0], 1.0, 0.03),
        },
        {
            "A": _pin("ground", "crank", [0, 0]),
            "B": _pin("crank", "coupler", [0, 0.1]),
            "C": _pin("coupler", "rocker", [0.6, 0.4]),
            "D": _pin("rocker", "ground", [0.6, 0]),
        },
        initial={"joints": {"A": {"rate": rate}}},
    )


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_step_of_many_turns_is_too_long_and_not_singular(backend: str) -> None:
    # 3000 rad/s: 48 turns in a step of 0.1 s, with some tenths of a radian in a region
    long, short = (
        _simulate(_crank_rocker(3000.0), step=step, until=2 * step, coordinates=["A"], backend=backend)
        for step in (0.1, 0.01)
    )
    assert short.ok
    failure = long.run.failure
    assert failure is not None
    assert failure.status is Status.NOT_CONVERGED
    assert failure.time == 0.0
    assert re.search(r"group 2 \(R\.R\.R 2D: coupler, rocker\).*step of 0\.1 s: take a shorter one", failure.message)


@pytest.mark.compiler
def test_steps_that_a_tolerance_makes_too_long_come_with_the_step_that_does() -> None:
    # nothing accelerates the parallelogram, so that steps grow past every bound but that of the regions
    how: dict[str, Any] = {"until": 0.2, "coordinates": ["A"]}
    failure = _simulate(_turning(3000.0), tolerance=1e-6, **how).run.failure
    assert failure is not None
    assert failure.status is Status.NOT_CONVERGED
    told = re.search(r"a smaller tolerance, or a --step shorter than ([\d.e-]+) s", failure.message)
    assert told is not None
    assert _simulate(_turning(3000.0), step=float(told[1]) / 2, **how).ok


@pytest.mark.slow
@pytest.mark.compiler
def test_regions_that_shrink_to_nothing_are_no_fault_of_the_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SYMGEN_DERIVE", "1")  # P.S.S*yaw is not shipped
    mechanism, until = _weighed("rod_slider_crank", 0)
    failure = _simulate(mechanism, tolerance=1e-8, until=until).run.failure
    assert failure is not None
    assert failure.status is Status.NOT_CONVERGED
    assert 0.0 < failure.time < until
    assert re.search(r"group 2 .*however short the steps: branches come together there; method dimcd", failure.message)


def _turning(rate: float, **more: Any) -> Mechanism:
    return _planar(*_PARALLELOGRAM, initial={"joints": {"A": {"rate": rate}}}, **more)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("span", [{"from": np.pi / 4}, {"until": np.pi / 4}])
def test_a_push_that_begins_or_ends_at_a_change_point_is_named(span: dict[str, float], backend: str) -> None:
    def motion(shift: float) -> SimulationResult:
        times = {name: time + shift for name, time in span.items()}
        push = {"kind": "torque", "body": "crank", "value": [0, 0, 0], **times}  # it is there in time
        mechanism = _turning(2.0, forces={"kick": push, "other": {**push, "from": 0.1, "until": 0.2}})
        return _simulate(mechanism, step=np.pi / 40, until=np.pi / 2, coordinates=["A"], backend=backend)

    failure = motion(0.0).run.failure
    assert failure is not None
    assert failure.status is Status.SINGULAR
    assert failure.time == pytest.approx(np.pi / 4, abs=1e-6)
    assert "group 2 (R.R.R 2D: coupler, rocker) is where branches meet just when kick begins or ends" in failure.message
    assert "shift that time a little; method dimcd" in failure.message
    assert motion(0.02).ok


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(("family", "seed"), [("rod_isogram", 1), ("rod_slider_crank", 0), ("rod_slider_crank", 3)])
@pytest.mark.parametrize("steps", [7, 40])
def test_runs_that_end_at_rods_in_space_say_where_and_what_to_do(
    family: str, seed: int, steps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYMGEN_DERIVE", "1")
    mechanism, until = _weighed(family, seed)
    result = _simulate(mechanism, step=until / steps, until=until)
    failure = result.run.failure
    assert failure is not None
    assert failure.status in (Status.SINGULAR, Status.AMBIGUOUS, Status.NOT_CONVERGED)
    assert str(failure).startswith(f"at t = {failure.time:g} s: {failure.word}")
    assert re.search(r"group 2 \((R\.U\.S|P\.S\.S\*) 3D: rod, (rocker|block)\)", failure.message)
    assert "; method dimcd passes singular positions, or choose other coordinates" in failure.message


def _weighed(family: str, seed: int) -> tuple[Mechanism, float]:
    """Return a mechanism of a family with masses, and the time it is asked for."""
    case = make_case(family, seed)
    plain = Mechanism.from_dict(case.tree)
    solid = {"mass": 1.0, "com": [0.05, 0.02, 0.0], "inertia": [0.01, 0.01, 0.01, 0, 0, 0]}
    bodies = {body.id: case.tree["bodies"].get(body.id, {}) | solid for body in plain.bodies if body.id != plain.ground}
    return Mechanism.from_dict(case.tree | {"bodies": bodies}), case.until
