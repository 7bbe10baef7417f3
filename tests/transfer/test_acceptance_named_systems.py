"""The named systems through the public face: tree, mixed, planar, 250 bodies, chains, zoo of hinges, slider-crank.

Tolerances are those of the acceptance list; errors are over the largest acceleration (or wrench) of the system.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from transfer.judged import ask, ask_cli, errors, judge, judge_uniqueness
from transfer.oracle_multibody import Multibody, State, rotation
from transfer.slider_crank import SliderCrank
from transfer.spec_systems import (
    HINGES,
    chain3_ball,
    chain6_percussion,
    chain40_ball,
    hinge_zoo,
    reference,
    tree23,
)

import symgen
from symgen.model.mechanism import Mechanism
from symgen.simulate.start.initial import initial_state

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "transfer"
METHODS = ("riccati", "transfer", "multiplier")


def moving(name: str, seed: int) -> Mechanism:
    """Return an example with random velocities that fit."""
    mechanism = symgen.load(EXAMPLES / name / "mechanism.toml")
    rng, bodies = np.random.default_rng(seed), Multibody(mechanism)
    wish = rng.normal(size=(len(mechanism.bodies), 6))
    now = bodies.velocities(bodies.state(), wish)
    initial = {
        body: {"v": [float(x) for x in now.v[k]], "omega": [float(x) for x in now.omega[k]]}
        for k, body in enumerate(bodies.names)
    }
    return Mechanism.from_dict({**mechanism.source, "initial": {"bodies": initial}})


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", range(4))
def test_the_tree_is_as_in_the_reference(method: str, k: int) -> None:
    state = reference()["states"][k]
    found = ask(tree23(state), method)
    assert found.status == "OK"
    # A3: direct 1e-10, Riccati 1e-11, wrenches 1e-10; accelerations up to 60
    tolerance = 1e-10 if method == "transfer" else 1e-11
    for body in state["acc_I1"]:
        np.testing.assert_allclose(found.a(body), state["acc_I1"][body], rtol=0, atol=tolerance)
        np.testing.assert_allclose(found.alpha(body), state["alpha"][body], rtol=0, atol=tolerance)
    hinge_of = {inboard: f"h{key}" for key, (inboard, _, _) in HINGES.items()} | {23: "root"}
    for body, wrench in state["wrench_out"].items():
        np.testing.assert_allclose(found.moment(hinge_of[int(body)]), wrench[:3], rtol=0, atol=1e-10)
        np.testing.assert_allclose(found.force(hinge_of[int(body)]), wrench[3:], rtol=0, atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["mixed24", "planar_mixed24"])
def test_the_mixed_systems_agree_with_the_oracle_at_rest_and_moving(name: str, method: str) -> None:
    for mechanism in (
        symgen.load(EXAMPLES / name / "mechanism.toml"),
        *(moving(name, seed) for seed in range(3)),
    ):
        judge(mechanism, method, accelerations=1e-10 if method == "transfer" else 1e-11)


@pytest.mark.slow
def test_of_250_bodies_the_recursion_keeps_ten_digits() -> None:
    judge(symgen.load(EXAMPLES / "large250" / "mechanism.toml"), "riccati", accelerations=1e-10, wrenches=1e-9)


@pytest.mark.parametrize("mechanism", [chain40_ball(), chain6_percussion()], ids=lambda m: m.name)
def test_long_and_percussion_chains_are_solved_by_the_recursion_and_refused_by_the_product(
    mechanism: Mechanism,
) -> None:
    judge(mechanism, "riccati", accelerations=1e-10)
    judge(mechanism, "multiplier", accelerations=1e-10)
    assert refusal(mechanism) is not None


def refusal(mechanism: Mechanism) -> str | None:
    """Return the words with which the direct method refuses; None if it does not."""
    try:
        found = ask(mechanism, "transfer")
    except symgen.SymgenError as error:
        return str(error)
    return None if found.status == "OK" else json.dumps(found.document)


def test_the_large_system_is_refused_by_the_product() -> None:
    assert refusal(symgen.load(EXAMPLES / "large250" / "mechanism.toml")) is not None


@pytest.mark.parametrize("miss", [1e-3, 1e-6, 1e-9])
def test_near_the_centre_of_percussion_the_product_is_right_or_refuses(miss: float) -> None:
    mechanism = chain6_percussion(miss)
    judge(mechanism, "riccati", accelerations=1e-11)
    if refusal(mechanism) is None:
        worst, _ = errors(ask(mechanism, "transfer"), Multibody(mechanism).solve())
        assert worst < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_a_short_chain_agrees_by_all_methods(method: str) -> None:
    judge(chain3_ball(), method)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_every_kind_of_hinge_in_one_chain(seed: int, reverse: bool) -> None:
    mechanism = hinge_zoo(reverse=reverse).moving(np.random.default_rng(seed))
    judge(mechanism, "riccati")
    judge(mechanism, "multiplier")
    words = refusal(mechanism)
    assert words is not None
    assert "riccati" in words.lower()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["riccati", "multiplier"])
@pytest.mark.parametrize("reverse", [False, True])
def test_the_slider_crank_obeys_its_one_equation(method: str, reverse: bool) -> None:
    for seed in range(13):
        case = SliderCrank.random(np.random.default_rng(seed))
        for space in ("planar", "spatial"):
            if reverse and space == "planar" and seed % 4:
                continue
            found = ask(case.mechanism(space, reverse=reverse), method)
            for body, (a, alpha) in case.accelerations().items():
                size = 1.0 + abs(alpha) + float(np.abs(a).max())
                np.testing.assert_allclose(found.a(body)[:2], a, rtol=0, atol=1e-11 * size)
                assert found.alpha(body)[2] == pytest.approx(alpha, abs=1e-11 * size)


def test_the_arm_is_held_by_the_torques_of_the_manual() -> None:
    """Corke's toolbox prints the gravity load of the PUMA's nominal position with four decimals."""
    found = ask(symgen.load(EXAMPLES / "robot_arm" / "mechanism.toml"))
    # 5e-5 N m over the inertia that each joint moves: 1 kg m^2 at the shoulder, 6e-4 at the wrist
    assert np.abs(found.alpha("2")).max() < 1e-4
    assert np.abs(found.alpha("3")).max() < 1e-3
    assert np.abs(found.alpha("6")).max() < 0.1
    assert found.moment("shoulder") @ [0.0, -1.0, 0.0] == pytest.approx(31.6399, abs=1e-9)


@pytest.mark.parametrize("name", ["tree23", "mixed24", "planar_mixed24", "robot_arm", "slider_crank"])
def test_the_command_line_gives_the_document_of_the_contract(name: str, capsys: Any) -> None:
    file = EXAMPLES / name / "mechanism.toml"
    status, document = ask_cli(file, capsys)
    assert status == 0
    assert document["schema"] == "symgen/accelerations/1"
    assert document["status"] == "OK"
    assert document["method"] == "riccati"
    mechanism = symgen.load(file)
    assert list(document["bodies"]) == [body.id for body in mechanism.bodies]
    assert list(document["joints"]) == [joint.id for joint in mechanism.joints]
    assert document["bodies"] == ask(mechanism).document["bodies"]
    for joint in document["joints"].values():
        assert joint["unique"] is True
        assert len(joint["force"]) == len(joint["moment"]) == 3


@pytest.mark.parametrize("method", ["riccati", "multiplier"])
@pytest.mark.parametrize("name", ["andrews", "bricard", "double_four_bar", "flyball_governor", "spatial_slider_crank"])
def test_mechanisms_of_the_dynamics_agree_in_their_assembled_start(name: str, method: str) -> None:
    mechanism = symgen.load(EXAMPLES.parent / "dynamics" / name / "mechanism.toml")
    start = initial_state(mechanism)
    turn = np.array([rotation(q) for q in start.poses[:, 3:]])
    truth = Multibody(mechanism).solve(State(start.poses[:, :3], turn, start.twists[:, :3], start.twists[:, 3:]))
    found = ask(mechanism, method)
    worst, gap = errors(found, truth)
    # stiff springs of the governor: 1e5 N/m over 1e-2 kg
    assert worst < 1e-11
    assert gap < 1e-11
    judge_uniqueness(found, truth)
