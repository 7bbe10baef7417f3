"""Minimal coordinates through the structural groups: closed forms, published references, the other methods."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest

import symgen
from symgen.errors import InputError, MechanismError, SolveError, StructureError, UnsolvedTypeError
from symgen.model.mechanism import Mechanism
from symgen.simulate.explicit.schemes import EXPLICIT
from symgen.simulate.minimal.simulation import MinimalSession
from symgen.simulate.request import Request
from symgen.simulate.results.result import SimulationResult

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "dynamics"
G = 9.81


def _example(name: str) -> Mechanism:
    return symgen.load(EXAMPLES / name / "mechanism.toml")


def _simulate(mechanism: Mechanism, **how: Any) -> SimulationResult:
    motion: SimulationResult = symgen.simulate(mechanism, method="group", **how)
    return motion


def _gap(one: SimulationResult, two: SimulationResult, *parts: str) -> float:
    """Return the largest difference of the bodies' motion at the last time."""
    return max(
        float(np.abs(getattr(one.bodies[body], part)[-1] - getattr(two.bodies[body], part)[-1]).max())
        for body in one.bodies
        for part in parts
    )


def _body(**more: Any) -> dict[str, Any]:
    return {"mass": 2.0, "com": [0.3, 0.0, 0.0], "inertia": [0.01, 0.05, 0.06, 0.002, -0.001, 0.003], **more}


def _mechanism(**parts: Any) -> Mechanism:
    return Mechanism.from_dict({"schema": "symgen/mechanism/1", "name": "made here", "space": "spatial"} | parts)


#: A rod that swings about a horizontal axis; hinge to centre of mass 0.3 m.
PENDULUM: dict[str, Any] = {
    "gravity": [0, 0, -G],
    "bodies": {"rod": _body(inertia=[0.01, 0.05, 0.06, 0, 0, 0])},
    "joints": {"A": {"type": "R", "bodies": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
}

#: A table that a law turns about the vertical, unevenly; a rod hinged to it; a slider with spring and damper on that.
CAROUSEL: dict[str, Any] = {
    "gravity": [0, 0, -G],
    "bodies": {"table": _body(), "rod": _body(points={"P": [0.2, 0.1, 0]}), "slider": _body(mass=0.5)},
    "joints": {
        "T": {"type": "R", "bodies": ["ground", "table"], "driven": 1, "at": [0, 0, 0], "axis": [0, 0, 1]},
        "H": {"type": "R", "bodies": ["table", "rod"], "at": [0.2, 0, 0], "axis": [0.1, 1, 0]},
        "S": {"type": "P", "bodies": ["rod", "slider"], "at": [0.3, 0, 0], "axis": [1, 0, 0.2]},
    },
    "drives": {"T": "3*t + 0.4*sin(2*t)"},
    "initial": {"joints": {"H": {"angle": 0.3, "rate": -1.0}, "S": {"slide": 0.05, "rate": 0.2}}},
    "forces": {
        "spring": {"kind": "joint", "joint": "S", "freedom": "slide", "stiffness": 80.0, "damping": 1.5, "rest": 0.02},
        "brake": {"kind": "joint", "joint": "H", "freedom": "angle", "damping": 0.1, "value": "0.2*cos(t)"},
        "push": {"kind": "force", "body": "slider", "at": [0.1, 0, 0], "value": [0, "2*t", 1.0], "axes": "body"},
    },
}


@pytest.mark.parametrize("order", sorted(EXPLICIT))
def test_scheme_integrates_polynomials_up_to_its_order(order: int) -> None:
    scheme = EXPLICIT[order]
    weights, nodes = scheme.slopes[scheme.stages], scheme.nodes
    # the coefficients are given with 17 digits or more and sum up to 100 in size
    np.testing.assert_allclose(scheme.slopes.sum(axis=1), nodes, atol=1e-14)
    for power in range(order):
        assert weights @ nodes**power == pytest.approx(1.0 / (power + 1), abs=1e-15)
    for estimate, exact in ((scheme.fine, 5), (scheme.coarse, 3)):
        for power in range(exact if scheme.adaptive else 0):
            assert estimate @ nodes**power == pytest.approx(0.0, abs=1e-14)


def _pendulum_angle(time: float, start: float, rate2: float) -> float:
    """Return the angle from the lowest position of a pendulum released at rest: 2 asin(k sn(K - w t))."""
    k = mpmath.sin(abs(start) / 2)
    phase = mpmath.ellipk(k**2) - mpmath.sqrt(rate2) * time
    return float(mpmath.sign(start) * 2 * mpmath.asin(k * mpmath.ellipfun("sn", phase, m=k**2)))


@pytest.mark.compiler
def test_pendulum_swings_as_jacobis_function_and_pulls_its_hinge() -> None:
    mechanism = _mechanism(**PENDULUM)
    motion = _simulate(mechanism, tolerance=1e-10, until=3.0, sample=0.1, reactions=True)
    # the centre of mass lies along x at angle zero: a quarter turn before the lowest position
    arm, inertia = 0.3, 0.05 + 2.0 * 0.3**2
    rate2 = 2.0 * G * arm / inertia
    angle = motion.joints["A"].coordinates["angle"]
    wanted = [np.pi / 2 + _pendulum_angle(t, -np.pi / 2, rate2) for t in motion.times]
    np.testing.assert_allclose(angle, wanted, atol=1e-9)
    assert motion.drift < 1e-8
    # reaction along the rod: m (arm rate^2 + g sin angle)
    rate = motion.joints["A"].rates["angle"]
    along = np.stack([np.cos(angle), np.zeros_like(angle), -np.sin(angle)], axis=1)
    pull = np.sum(motion.reactions["A"].force * -along, axis=1)
    np.testing.assert_allclose(pull, 2.0 * (arm * rate**2 + G * np.sin(angle)), atol=1e-7)
    np.testing.assert_allclose(motion.resultants["rod"][:, :3], motion.reactions["A"].force, atol=1e-9)


@pytest.mark.compiler
@pytest.mark.parametrize(("order", "step"), [(4, 0.04), (8, 0.06)])
def test_order_is_that_of_the_scheme(order: int, step: float) -> None:
    mechanism = _mechanism(**PENDULUM)
    errors = []
    for h in (step, step / 2):
        motion = _simulate(mechanism, step=h, order=order, until=2.4, sample=0.24)
        exact = [
            np.pi / 2 + _pendulum_angle(t, -np.pi / 2, 2.0 * G * 0.3 / (0.05 + 2.0 * 0.3**2)) for t in motion.times
        ]
        errors.append(np.abs(motion.joints["A"].coordinates["angle"] - exact).max())
    # halving the step gains 2^order or, where the leading term is small, something more
    assert order - 0.3 < np.log2(errors[0] / errors[1]) < order + 1.5


def _four_bar_time(angle: float) -> float:
    """Return when the cranks of the double four-bar are at an angle from the vertical: 3 theta'' = 3.5 g sin theta."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    theta = 0.5 * angle * (nodes + 1.0)
    return float(0.5 * angle * np.sum(weights / np.sqrt(1.0 + 7.0 / 3.0 * G * (1.0 - np.cos(theta)))))


@pytest.mark.slow
@pytest.mark.compiler
def test_double_four_bar_falls_as_its_exact_pendulum() -> None:
    motion = _simulate(_example("double_four_bar"), tolerance=1e-10, until=0.5, sample=0.05)
    angle = -motion.joints["A0"].coordinates["angle"]
    np.testing.assert_allclose([_four_bar_time(each) for each in angle], motion.times, atol=1e-10)
    assert motion.largest_violation < 1e-14
    assert motion.drift < 1e-9  # at order 8 the energy is right to the tolerance times the 50 J that are moved


@pytest.mark.slow
@pytest.mark.compiler
def test_andrews_squeezer_reaches_the_published_state() -> None:
    # F. Mazzia, C. Magherini, "Test Set for Initial Value Problem Solvers": beta, gamma, delta, epsilon at 0.03 s
    motion = _simulate(_example("andrews"), tolerance=1e-9, until=0.03, sample=0.001)
    ends = [motion.bodies[name].q[-1] for name in ("K3", "K5", "K7")]
    found = [np.arctan2(2 * q[0] * q[3], 1 - 2 * q[3] ** 2) for q in ends]
    np.testing.assert_allclose(found, [0.4082224013073101e-1, 0.5244099658805304, 0.1048080741042263e1], atol=1e-9)
    start = -0.0617138900142764496358948458001
    assert start + np.ptp([0.0, *np.atleast_1d(_turned(motion, "O"))]) == pytest.approx(0.1581077119629904e2, abs=1e-8)


def _turned(motion: SimulationResult, joint: str) -> float:
    """Return how far a joint has turned, its full turns from the mean rate between many rows."""
    angle = motion.joints[joint].coordinates["angle"]
    return float(angle[-1] - angle[0])


@pytest.mark.slow
@pytest.mark.compiler
def test_spatial_slider_crank_moves_as_the_variational_method_says() -> None:
    mechanism = _example("spatial_slider_crank")
    other = symgen.simulate(mechanism, method="variational", order=6, step=0.001, until=1.0, sample=0.5)
    motion = _simulate(mechanism, tolerance=1e-10, until=1.0, sample=0.5)
    # what the other method's rounding leaves of a thousand steps
    assert _gap(motion, other, "r", "q", "v") < 1e-8
    assert _gap(motion, other, "a", "alpha") < 1e-5
    assert motion.drift < 1e-10
    assert motion.largest_violation < 1e-14


@pytest.mark.slow
@pytest.mark.compiler
def test_damped_governor_moves_as_dimcd_says() -> None:
    mechanism = _example("flyball_governor")
    coarse, fine = (
        symgen.simulate(mechanism, method="dimcd", step=step, until=0.2, sample=0.2) for step in (2e-4, 1e-4)
    )
    motion = _simulate(mechanism, tolerance=1e-8, until=0.2, sample=0.2)
    # dimcd is of order 2: its own difference tells its error
    assert _gap(motion, fine, "r", "q") < 0.5 * _gap(coarse, fine, "r", "q") + 1e-9
    assert _gap(motion, fine, "v", "omega") < 0.5 * _gap(coarse, fine, "v", "omega") + 1e-8
    assert motion.total[-1] < motion.total[0]


@pytest.mark.slow
@pytest.mark.compiler
def test_freedoms_with_laws_keep_them_while_others_move_freely() -> None:
    mechanism = _mechanism(**CAROUSEL)
    motion = _simulate(mechanism, tolerance=1e-10, until=1.0, sample=0.25, reactions=True)
    assert motion.run.coordinates == ("H.angle", "S.slide")
    table = motion.joints["T"]
    t = motion.times
    np.testing.assert_allclose(table.coordinates["angle"], 3 * t + 0.4 * np.sin(2 * t), atol=1e-13)
    np.testing.assert_allclose(table.accelerations["angle"], -1.6 * np.sin(2 * t), atol=1e-12)
    coarse, fine = (symgen.simulate(mechanism, method="dimcd", step=h, until=1.0, sample=0.25) for h in (2e-3, 1e-3))
    for part in ("r", "q", "v", "omega"):
        assert _gap(motion, fine, part) < 0.4 * _gap(coarse, fine, part) + 1e-9


@pytest.mark.compiler
def test_power_of_the_drive_is_what_the_energy_grows_by() -> None:
    # all is driven: inverse dynamics; the joints' wrenches do the work of the drive
    tree = json.loads(json.dumps(CAROUSEL))
    tree["joints"]["H"]["driven"] = tree["joints"]["S"]["driven"] = 1
    tree["drives"] |= {"H": "0.3*sin(4*t)", "S": "0.05*cos(3*t)"}
    del tree["initial"]
    tree["forces"] = {"push": {"kind": "torque", "body": "rod", "value": [0, 0.3, 0]}}
    motion = _simulate(_mechanism(**tree), step=1e-3, until=0.4)
    assert motion.run.coordinates == ()
    power = np.zeros(len(motion.times))
    for name, body in motion.bodies.items():
        wrench = motion.resultants[name]
        arm = np.array(motion.mechanism.body(name).com)
        turned = np.stack([_turn(q, arm) for q in body.q])
        velocity = body.v + np.cross(body.omega, turned)
        power += np.sum(wrench[:, :3] * velocity + wrench[:, 3:] * body.omega, axis=1)
    power += 0.3 * motion.bodies["rod"].omega[:, 1]
    growth = np.gradient(motion.total, motion.times, edge_order=2)
    # central differences at 1 ms of a motion at 4 rad/s: 1e-6 of a power of 10 W
    np.testing.assert_allclose(growth[2:-2], power[2:-2], atol=2e-4)


def _turn(q: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return vector + 2.0 * np.cross(q[1:], np.cross(q[1:], vector) + q[0] * vector)


@pytest.mark.compiler
def test_forces_begin_and_end_exactly() -> None:
    # mass 2 kg on a guide, 3 N from 0.1 s to 0.25 s: 0.15 s of 1.5 m/s^2, then uniform
    mechanism = _mechanism(
        bodies={"cart": _body()},
        joints={"P": {"type": "P", "bodies": ["ground", "cart"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        forces={
            "f": {"kind": "force", "body": "cart", "at": [0, 0, 0], "value": [3.0, 0, 0], "from": 0.1, "until": 0.25}
        },
    )
    for how in ({"tolerance": 1e-6}, {"step": 0.03}):
        motion = _simulate(mechanism, until=1.0, sample=0.5, **how)
        place, rate = (values["slide"][-1] for values in (motion.joints["P"].coordinates, motion.joints["P"].rates))
        assert rate == pytest.approx(0.225, abs=1e-14)
        assert place == pytest.approx(0.5 * 1.5 * 0.15**2 + 0.225 * 0.75, abs=1e-14)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"step": 0.01, "sample": 0.02}, id="equal"),
        pytest.param({"tolerance": 1e-7, "sample": 0.03}, id="chosen", marks=pytest.mark.slow),
    ],
)
def test_numpy_takes_the_same_steps_as_c(how: dict[str, float]) -> None:
    for mechanism in (_mechanism(**CAROUSEL), _example("double_four_bar")):
        one, two = (_simulate(mechanism, until=0.06, backend=backend, **how) for backend in ("c", "numpy"))
        assert one.run.steps == two.run.steps
        # the same operations in another order; accelerations are of size 10 to 100
        np.testing.assert_allclose(one.times, two.times)
        for body in one.bodies:
            for part in ("r", "q", "v", "omega", "a", "alpha"):
                np.testing.assert_allclose(getattr(one.bodies[body], part), getattr(two.bodies[body], part), atol=1e-11)
            np.testing.assert_allclose(one.resultants[body], two.resultants[body], atol=1e-10)
        np.testing.assert_allclose(one.total, two.total, atol=1e-12)


@pytest.mark.slow
@pytest.mark.compiler
def test_motion_does_not_depend_on_the_coordinates() -> None:
    mechanism = _example("double_four_bar")
    one, two = (
        _simulate(mechanism, tolerance=1e-10, until=0.4, sample=0.2, coordinates=[name]) for name in ("A0", "A1.angle")
    )
    assert _gap(one, two, "r", "q", "v", "omega") < 1e-9


#: Stephenson's third six-bar, whose crank lies outside the four-bar loop: with it as coordinate the rest is one triad.
STEPHENSON: dict[str, Any] = {
    "gravity": [0, -1.0],
    "bodies": {
        name: {"mass": 1.0 + k, "com": [0.05, 0.02 * k], "inertia": [0, 0, 0.01 + 0.01 * k, 0, 0, 0]}
        for k, name in enumerate(("crank", "rod", "left", "coupler", "right"))
    },
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0.6, 0.47]},
        "B": {"type": "R", "bodies": ["crank", "rod"], "at": [0.6, 0.5]},
        "C": {"type": "R", "bodies": ["coupler", "rod"], "at": [0.2, 0.45]},
        "D": {"type": "R", "bodies": ["left", "ground"], "at": [0.0, 0.0]},
        "E": {"type": "R", "bodies": ["left", "coupler"], "at": [0.05, 0.3]},
        "F": {"type": "R", "bodies": ["coupler", "right"], "at": [0.35, 0.25]},
        "G": {"type": "R", "bodies": ["ground", "right"], "at": [0.4, 0.0]},
    },
    "initial": {"joints": {"A": {"rate": 30.0}}},
}


@pytest.mark.slow
@pytest.mark.compiler
def test_ranked_branches_are_followed_when_their_numbers_change() -> None:
    mechanism = _mechanism(**STEPHENSON, space="planar")
    session = MinimalSession(Request(mechanism, 0.5, tolerance=1e-9, method="group", coordinates=["A.angle"]))
    ranked = zip(session.minimal.branches, session.minimal.ranked, strict=True)
    assert [count for count, is_ranked in ranked if is_ranked] == [6]
    ranks = {session.minimal.branch}
    for until in (0.1, 0.2, 0.35, 0.5):
        motion = session.result(replace(session.request, until=until, sample=until))
        assert motion.ok
        ranks.add(session.branch)
    assert len(ranks) > 1
    other = symgen.simulate(mechanism, method="variational", order=6, step=0.0005, until=0.5, sample=0.5)
    assert _gap(motion, other, "r", "q") < 1e-8
    assert _gap(motion, other, "v", "omega") < 1e-6


@pytest.mark.slow
@pytest.mark.compiler
def test_dead_centre_of_a_coordinate_names_the_group_that_turns_back() -> None:
    # the left rocker swings: where it turns back, it does not tell the way of the four-bar loop
    mechanism = _mechanism(**STEPHENSON, space="planar")
    motion = _simulate(mechanism, tolerance=1e-9, until=0.5, sample=0.01, coordinates=["D"])
    assert not motion.ok
    assert "group " in str(motion.run.failure)
    assert "choose other coordinates" in str(motion.run.failure)
    whole = _simulate(mechanism, tolerance=1e-9, until=0.5, sample=0.01, coordinates=["A"])
    rows = len(motion.times) - 1
    np.testing.assert_allclose(motion.bodies["rod"].r[:rows], whole.bodies["rod"].r[:rows], atol=1e-6)


@pytest.mark.sampled(1)
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"drives": {"T": "sqrt(0.2 - t)"}}, r"drives\.T"),
        ({"forces": {"f": {"kind": "torque", "body": "rod", "value": ["sqrt(0.2 - t)", 0, 0]}}}, r"forces\.f"),
    ],
)
def test_law_without_value_ends_the_run_and_is_named(change: dict[str, Any], message: str) -> None:
    motion = _simulate(_mechanism(**CAROUSEL | change), step=0.01, until=0.5)
    assert motion.run.failure is not None
    assert re.search(message, motion.run.failure.message)
    assert motion.run.failure.time == pytest.approx(0.19, abs=0.011)
    assert 19 <= len(motion.times) <= 21


def test_bodies_without_mass_are_named_before_anything_is_generated() -> None:
    with pytest.raises(MechanismError, match=r"bodies\.rod: rod can move without moving any mass"):
        _simulate(_mechanism(**PENDULUM | {"bodies": {"rod": _body(mass=0, inertia=[0] * 6)}}), step=0.01, until=0.1)


def test_overconstrained_mechanism_is_refused_and_told_what_to_use() -> None:
    with pytest.raises(StructureError, match=r"overconstrained(.|\n)*method dimcd"):
        _simulate(_example("bricard"), step=0.01, until=1.0)


def test_group_without_closed_form_is_named() -> None:
    with pytest.raises(UnsolvedTypeError, match=r"group 1 (.|\n)*method dimcd"):
        _simulate(_example("spatial_slider_crank"), step=0.01, until=1.0, coordinates=["B.yaw"])


def test_singular_start_is_refused_and_names_the_group() -> None:
    mechanism = _example("double_four_bar").with_parameters(theta=float(np.pi / 2))
    with pytest.raises(SolveError, match=r"group \d (.|\n)*singular position"):
        _simulate(mechanism, step=0.01, until=1.0)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"coordinates": ["A9"]}, r'no joint "A9".*A0'),
        ({"coordinates": ["A0.angel"]}, r"no freedom \"angel\".*angle"),
        ({"coordinates": ["A0", "A1"]}, "2 coordinates are named, but the mechanism has 1 freedoms"),
        ({"order": 6}, "orders 4 and 8"),
        ({"order": 4, "tolerance": 1e-6, "step": None}, "equal steps"),
        ({"tolerance": -1.0, "step": None}, "positive"),
    ],
)
def test_wrong_wishes_are_explained(how: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        _simulate(_example("double_four_bar"), **{"step": 0.01, "until": 0.1, **how})


def test_coordinates_are_those_of_method_group_alone() -> None:
    with pytest.raises(InputError, match="method group"):
        symgen.simulate(_example("double_four_bar"), method="dimcd", step=0.01, until=0.1, coordinates=["A0"])


#: The one group that no closed form can be derived of, and what to use instead.
LACKING = r"iteration solves group \d \(ha, hb, hc: R\.H\.R\.S 3D\)\.(.|\n)*method dimcd"


def _two_loops() -> Mechanism:
    """A crank with two loops to the ground: S.R.R.P, of which a module can be derived, and S.R.H.R.

    The screw lies between two bodies of its loop: driven, it is part of a longer chain still.
    """
    joints: dict[str, Any] = {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [0.1, 0.2, 1]},
    }
    turn, slide, screw = {"type": "R"}, {"type": "P"}, {"type": "H", "pitch": 0.02}
    for name, third, last, y in (("p", turn, slide, 0.3), ("h", screw, turn, -0.3)):
        joints |= {
            f"{name}1": {"type": "S", "bodies": ["crank", f"{name}a"], "at": [0.2, y, 0.1]},
            f"{name}2": {"type": "R", "bodies": [f"{name}a", f"{name}b"], "at": [0.5, y, 0.3], "axis": [0.2, 1, 0.3]},
            f"{name}3": {**third, "bodies": [f"{name}b", f"{name}c"], "at": [0.8, y, 0.1], "axis": [1, 0.4, 0.2]},
            f"{name}4": {**last, "bodies": [f"{name}c", "ground"], "at": [0.9, y, 0.4], "axis": [0.3, 0.1, 1]},
        }
    bodies = {body: _body() for body in ("crank", "pa", "pb", "pc", "ha", "hb", "hc")}
    return _mechanism(bodies=bodies, joints=joints)


def test_it_is_known_before_anything_is_derived_that_a_group_has_no_closed_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []

    def note(text: str, *_: Any) -> None:
        asked.append(text)

    monkeypatch.setenv("SYMGEN_DERIVE", "1")
    monkeypatch.setattr("symgen.library.open.derived_or_none", note)
    for wanted in (["A"], None):
        with pytest.raises(UnsolvedTypeError, match=LACKING):
            _simulate(_two_loops(), step=0.01, until=0.1, coordinates=wanted)
    assert asked == []
