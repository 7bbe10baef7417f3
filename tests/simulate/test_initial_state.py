"""Initial states: joints close by 4 x 4 matrices, velocities by differences; what does not fit is said or refused."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from oracle.mechanism_motion import gap, relative_frames

import symgen
from symgen.errors import MechanismError
from symgen.simulate.start.initial import InitialState, initial_state

DYNAMICS = Path(__file__).resolve().parents[2] / "examples" / "dynamics"


def example(name: str) -> symgen.Mechanism:
    return symgen.load(DYNAMICS / name / "mechanism.toml")


def turned(q: Any, v: Any) -> Any:
    w, u = q[0], np.asarray(q[1:])
    return np.asarray(v) + 2.0 * np.cross(u, np.cross(u, v) + w * np.asarray(v))


def body_poses(mechanism: symgen.Mechanism, poses: Any) -> dict[str, Any]:
    """Poses of the body frames from those of the centres of mass."""
    found = {}
    for body, pose in zip(mechanism.bodies, poses, strict=True):
        place = pose[:3] - turned(pose[3:], body.com or (0.0, 0.0, 0.0))
        found[body.id] = SimpleNamespace(r=place[None], q=pose[None, 3:])
    return found


def frames(mechanism: symgen.Mechanism, poses: Any) -> dict[str, Any]:
    result = SimpleNamespace(times=[0.0], bodies=body_poses(mechanism, poses), mechanism=mechanism)
    return {name: step[0] for name, step in relative_frames(result).items()}


def closes(mechanism: symgen.Mechanism, poses: Any) -> float:
    steps = frames(mechanism, poses)
    return max(gap(joint.type, steps[joint.id][None]) for joint in mechanism.joints)


def carried(state: InitialState, h: float) -> Any:
    """Poses after the time h with the twists held: rotations by Rodrigues' formula."""
    poses = np.array(state.poses)
    for pose, twist in zip(poses, state.twists, strict=True):
        pose[:3] += h * twist[:3]
        angle = 0.5 * h * float(np.linalg.norm(twist[3:]))
        axis = 0.5 * h * twist[3:] * (math.sin(angle) / angle if angle else 1.0)
        w, v = pose[3], pose[4:].copy()
        pose[3] = math.cos(angle) * w - axis @ v
        pose[4:] = math.cos(angle) * v + w * axis + np.cross(axis, v)
    return poses


@pytest.mark.parametrize("name", sorted(path.parent.name for path in DYNAMICS.glob("*/mechanism.toml")))
def test_what_is_closed_stays_as_it_is_and_velocities_keep_it_closed(name: str) -> None:
    mechanism = example(name)
    state = initial_state(mechanism)
    assert state.moved == 0.0
    assert state.messages == ()
    assert closes(mechanism, state.poses) < 1e-12  # matrices of some thirty typed digits
    h = 1e-5
    # Twists held for h leave gaps of the second order: (largest speed squared) h^2.
    fastest = float(np.abs(state.twists).max())
    assert closes(mechanism, carried(state, h)) <= 1e-12 + (fastest * h) ** 2


def test_bricard_stays_bit_for_bit_and_at_rest() -> None:
    mechanism = example("bricard")
    state = initial_state(mechanism)
    assert [tuple(pose[3:]) for pose in state.poses] == [(1.0, 0.0, 0.0, 0.0)] * 5
    assert state.poses[1, :3].tolist() == [1.0, -0.5, 0.0]
    assert not state.twists.any()


@pytest.mark.parametrize("name", ["jansen_leg", "stewart_forward"])
def test_rough_poses_are_assembled_near_by(name: str) -> None:
    mechanism = symgen.load(DYNAMICS.parent / name / "mechanism.toml")
    state = initial_state(mechanism)
    assert 0.0 < state.moved < 0.1
    assert closes(mechanism, state.poses) < 1e-12


def test_a_given_coordinate_moves_the_loop_along_its_own_branch() -> None:
    mechanism = with_initial(example("double_four_bar"), {"A0": {"angle": -2.5}})
    state = initial_state(mechanism)
    assert closes(mechanism, state.poses) < 1e-12
    # From upright to 2.5 rad, through the singular horizontal position: all cranks stay parallel.
    for crank in range(3):
        place = state.poses[crank, :3] - [crank, 0.0, 0.0]
        assert place == pytest.approx([0.5 * math.sin(2.5), 0.5 * math.cos(2.5), 0.0], abs=1e-9)


def with_initial(mechanism: symgen.Mechanism, joints: Any, bodies: Any = None, **more: Any) -> symgen.Mechanism:
    tree = {**mechanism.source, "initial": {"joints": joints, "bodies": bodies or {}}, **more}
    return symgen.Mechanism.from_dict(tree)


def test_coordinates_that_contradict_each_other_are_refused_by_name() -> None:
    mechanism = with_initial(example("double_four_bar"), {"A0": {"angle": 0.3}, "A1": {"angle": 0.1}})
    with pytest.raises(MechanismError, match=r"does not close with A0\.angle = 0\.3, A1\.angle = 0\.1.*give fewer"):
        initial_state(mechanism)


def test_a_link_that_cannot_reach_is_refused_by_name() -> None:
    mechanism = example("spatial_slider_crank").with_parameters(rod=0.3)
    joints = {**mechanism.source["joints"]}
    joints["D"] = {"type": "P", "bodies": ["ground", "slider"], "frames": {
        "ground": {"at": [0.0, 5.0, 0.0], "axis": [1, 0, 0], "axis2": [0, 1, 0]},
        "slider": {"at": [0.0, 0.0, 0.0], "axis": [1, 0, 0], "axis2": [0, 1, 0]}}}  # fmt: skip
    with pytest.raises(MechanismError, match=r"joints\.\w: does not close from the poses of the file"):
        initial_state(symgen.Mechanism.from_dict({**mechanism.source, "joints": joints}))


def test_rates_follow_from_one_rate_in_a_loop() -> None:
    state = initial_state(with_initial(example("double_four_bar"), {"A0": {"rate": -2.0}}))
    assert state.twists[:3, 5] == pytest.approx([-2.0] * 3, abs=1e-13)
    assert state.twists[3] == pytest.approx([2.0, 0, 0, 0, 0, 0], abs=1e-13)
    assert (state.velocities.mobility, state.velocities.open) == (1, 0)


def test_velocities_that_do_not_fit_are_averaged_and_said_or_refused() -> None:
    mechanism = with_initial(
        example("double_four_bar"), {"A0": {"rate": -1.0}, "A1": {"rate": -1.2}, "A2": {"rate": -1.4}}
    )
    state = initial_state(mechanism)
    assert state.twists[:3, 5] == pytest.approx([-1.2] * 3, abs=1e-13)  # the least-squares fit is the mean
    assert state.velocities.changed == pytest.approx(0.2, abs=1e-13)
    (message,) = state.messages
    assert "A0.angle.rate is -1 rad/s, the joints allow -1.2 rad/s" in message
    with pytest.raises(MechanismError, match="initial: the given velocities do not fit"):
        initial_state(mechanism, strict=True)


def test_bodies_and_joints_that_agree_are_taken_as_they_are() -> None:
    agree = with_initial(example("double_four_bar"), {"A0": {"rate": -1.0}}, {"bar1": {"v": [1.0, 0.0], "omega": 0.0}})
    assert initial_state(agree, strict=True).velocities.changed < 1e-13
    differ = with_initial(example("double_four_bar"), {"A0": {"rate": -1.0}}, {"bar1": {"v": [1.5, 0.0]}})
    with pytest.raises(MechanismError, match=r"bar1\.v\[0\] is 1\.5 m/s"):
        initial_state(differ, strict=True)


def test_a_singular_start_keeps_the_given_velocity() -> None:
    mechanism = example("double_four_bar").with_parameters(theta=math.pi / 2)
    state = initial_state(mechanism, strict=True)
    assert state.velocities.mobility == 3  # one in general
    assert state.twists[:3, 5] == pytest.approx([-1.0] * 3, abs=1e-12)
    assert state.twists[3:, 5] == pytest.approx([0.0] * 2, abs=1e-12)


def test_what_is_not_given_moves_with_least_energy() -> None:
    mechanism = pendulum_pair(first_rate=1.0)
    state = initial_state(mechanism)
    assert state.velocities.open == 1
    # Two rods hang in line along x, 1 m each, uniform slender of 1 kg. With w1 = 1 given, 2 T of the second rod is
    # (w1 + w2/2)^2 + w2^2/12, least at w2 = -3/2 (angular velocity against the ground).
    assert state.twists[:, 5] == pytest.approx([1.0, -1.5], abs=1e-12)


def pendulum_pair(first_rate: float) -> symgen.Mechanism:
    rod = {"mass": 1.0, "inertia": [0.0, 1 / 12, 1 / 12, 0.0, 0.0, 0.0]}
    return symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "pendulum pair", "space": "planar",
        "bodies": {"a": {**rod, "com": [0.5, 0.0]}, "b": {**rod, "com": [1.5, 0.0]}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0]},
                   "B": {"type": "R", "bodies": ["a", "b"], "at": [1, 0]}},
        "initial": {"joints": {"A": {"rate": first_rate}}},
    })  # fmt: skip


FREEDOMS = {
    "R": {"angle": 0.3}, "P": {"slide": 0.2}, "H": {"angle": 7.0}, "C": {"slide": -0.1, "angle": 0.7},
    "U": {"angle1": 0.4, "angle2": -0.6}, "ER": {"angle1": -0.9, "angle2": 0.3},
    "S": {"yaw": 0.5, "pitch": 0.4, "roll": -0.7}, "PL": {"x": 0.1, "y": -0.2, "angle": 1.1},
    "FP": {"x": 0.1, "y": -0.2, "angle": 1.1}, "L": {"slide": 0.3, "angle": -0.8},
    "F": {"x": 0.1, "y": 0.2, "z": -0.3, "yaw": 0.5, "pitch": -0.4, "roll": 0.6},
}  # fmt: skip


def coordinates(code: str, step: Any, pitch: float) -> dict[str, float]:
    """Coordinates from the matrix of one joint frame in the other, as the mechanism file defines them."""
    (x, y, z), r = step[:3, 3], step[:3, :3]
    yaw, roll = math.atan2(r[1, 0], r[0, 0]), math.atan2(r[2, 1], r[2, 2])
    if code in ("U", "ER"):
        return {"angle1": yaw, "angle2": roll}
    slide = x if code == "L" else z
    angle = z / pitch if code == "H" else yaw
    tilt = -math.asin(r[2, 0])
    return {"x": x, "y": y, "z": z, "slide": slide, "angle": angle, "yaw": yaw, "pitch": tilt, "roll": roll}


@pytest.mark.parametrize("code", FREEDOMS)
def test_coordinates_and_rates_are_those_of_the_file_for_every_pair(code: str) -> None:
    given = FREEDOMS[code]
    rates = {name: 0.5 + 0.3 * k for k, name in enumerate(given)}
    planar = code in ("FP", "L")
    joint = {"type": code, "bodies": ["ground", "b"], **({"pitch": 0.05} if code == "H" else {})}
    side = {"at": [0.1, -0.2], "axis2": [0.6, 0.8]} if code == "L" else {"at": [0.1, -0.2]}
    if not planar:
        side = {"at": [0.1, -0.2, 0.3], "axis": [1.0, 2.0, 2.0], "axis2": [2.0, 1.0, -2.0]}
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": code, "space": "planar" if planar else "spatial",
        "bodies": {"b": {"mass": 1.0, "com": [0.3, 0.1] if planar else [0.3, 0.1, -0.2]}},
        "joints": {"J": {**joint, "frames": {"ground": side, "b": side}}},
        "initial": {"joints": {"J": {**given, "rate": rates}}},
    })  # fmt: skip
    state = initial_state(mechanism, strict=True)
    pitch = mechanism.joint("J").pitch or 0.0
    found = coordinates(code, frames(mechanism, state.poses)["J"], pitch)
    assert {name: found[name] for name in given} == pytest.approx(given, abs=1e-12)
    h = 1e-4
    after, before = (coordinates(code, frames(mechanism, carried(state, s))["J"], pitch) for s in (h, -h))
    # Central differences: an error of h^2/6 times a third derivative of order 1 to 10.
    assert {n: (after[n] - before[n]) / (2 * h) for n in given} == pytest.approx(rates, abs=1e-6)


def test_a_welded_body_moves_with_its_neighbour() -> None:
    mechanism = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "weld", "space": "spatial",
        "bodies": {"a": {}, "b": {}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]},
                   "W": {"type": "W", "bodies": ["a", "b"], "at": [1, 0, 0]}},
        "initial": {"joints": {"A": {"angle": 2.0, "rate": 3.0}}},
    })  # fmt: skip
    state = initial_state(mechanism, strict=True)
    assert state.poses[1] == pytest.approx(state.poses[0], abs=1e-12)
    assert state.twists[1] == pytest.approx([0, 0, 0, 0, 0, 3.0], abs=1e-12)


def test_drives_give_coordinates_and_rates_and_may_not_be_contradicted() -> None:
    source = {**pendulum_pair(0.0).source}
    joints = {**source["joints"], "A": {**source["joints"]["A"], "driven": 1}}
    tree = {**source, "joints": joints, "drives": {"A": "0.5 + 2*t"}, "initial": {}}
    state = initial_state(symgen.Mechanism.from_dict(tree))
    assert 2.0 * math.acos(state.poses[0, 3]) == pytest.approx(0.5, abs=1e-12)
    assert state.twists[0, 5] == pytest.approx(2.0, abs=1e-12)
    later = initial_state(symgen.Mechanism.from_dict(tree), time=1.0)
    assert 2.0 * math.acos(later.poses[0, 3]) == pytest.approx(2.5, abs=1e-12)
    wrong = symgen.Mechanism.from_dict({**tree, "initial": {"joints": {"A": {"angle": 0.7}}}})
    with pytest.raises(MechanismError, match=r"initial\.joints\.A\.angle: is 0\.7, but the freedom is driven"):
        initial_state(wrong)


def test_a_pair_without_rows_is_refused_by_name() -> None:
    tree = {**pendulum_pair(0.0).source, "initial": {}}
    joints = {**tree["joints"], "G": {"type": "EO", "bodies": ["ground", "b"]}}
    with pytest.raises(MechanismError, match="G"):
        initial_state(symgen.Mechanism.from_dict({**tree, "joints": joints}))
