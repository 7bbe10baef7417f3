"""Reactions of all rows at once: the same as one by one, told as they are found, found once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
import symgen.simulate.pieces as joined_at
import symgen.simulate.results.joint_reactions as found_at
from symgen.poses import matrix
from symgen.simulate.results.joint_reactions import joint_reactions
from symgen.simulate.tables.joint_rows import JointRows
from symgen.simulate.tables.scale import size_of_mechanism

TABLE = {
    "schema": "symgen/mechanism/1", "name": "crank and rod", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
    "bodies": {
        "crank": {"mass": 1.0, "com": [0.1, 0.0, 0.0], "inertia": [0.01, 0.02, 0.02, 0.0, 0.0, 0.0]},
        "rod": {"mass": 2.0, "inertia": [0.01, 0.05, 0.05, 0.0, 0.0, 0.0], "pose": {"r": [0.2, 0.0, 0.0]}},
        "slider": {"mass": 1.0, "inertia": [0.01, 0.01, 0.01, 0.0, 0.0, 0.0], "pose": {"r": [0.7, 0.0, 0.1]}},
    },
    "joints": {
        "A": {"type": "R", "bodies": ["ground", "crank"], "at": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0], "driven": 1},
        "B": {"type": "S", "bodies": ["crank", "rod"], "at": [0.2, 0.0, 0.0]},
        "C": {"type": "U", "bodies": ["rod", "slider"], "at": [0.7, 0.0, 0.1], "axis": [0.0, 1.0, 0.0],
              "axis2": [0.0, 0.0, 1.0]},
        "D": {"type": "P", "bodies": ["ground", "slider"], "at": [0.7, 0.0, 0.1], "axis": [1.0, 0.0, 0.0]},
    },
    "drives": {"A": "3*t"},
}  # fmt: skip


def _motion(**more: Any) -> Any:
    return symgen.simulate(
        symgen.Mechanism.from_dict(TABLE), method="riccati", step=0.01, until=0.2, reactions=True, backend="numpy",
        **more,
    )  # fmt: skip


def _states(motion: Any) -> tuple[Any, Any]:
    """Return poses of the centres of mass and resultants."""
    mechanism = motion.mechanism
    poses = np.stack(
        [
            np.hstack([motion.bodies[body.id].carry(np.tile(body.com or (0.0,) * 3, (len(motion.times), 1)))[0],
                       motion.bodies[body.id].q])
            for body in mechanism.bodies
        ], axis=1,
    )  # fmt: skip
    return poses, np.stack([motion.resultants[body.id] for body in mechanism.bodies], axis=1)


def test_every_row_has_the_reactions_that_it_has_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = _motion()
    poses, resultants = _states(motion)
    mechanism = motion.mechanism
    rows = JointRows(mechanism, size_of_mechanism(mechanism))
    monkeypatch.setattr(found_at, "_STACK", 20_000)  # several stacks
    together = joint_reactions(mechanism, rows, motion.times, poses, resultants)
    for k in range(len(motion.times)):
        part = slice(k, k + 1)
        alone = joint_reactions(mechanism, rows, motion.times[part], poses[part], resultants[part])
        for name, reaction in together.items():
            # the same operations on the same numbers: equal but for how a library sums
            np.testing.assert_allclose(reaction.force[k], alone[name].force[0], rtol=1e-11, atol=1e-11)
            np.testing.assert_allclose(reaction.moment[k], alone[name].moment[0], rtol=1e-11, atol=1e-11)


def test_joints_and_weight_balance_every_body_in_every_row() -> None:
    """Force of all joints on the slider and of its weight: mass times acceleration."""
    motion = _motion()
    on_slider = motion.reactions["C"].force + motion.reactions["D"].force
    expected = 1.0 * (motion.bodies["slider"].a - np.array([0.0, 0.0, -9.81]))
    np.testing.assert_allclose(on_slider, expected, atol=1e-7)  # loops are closed to 1e-12, rates to rounding


def _platform() -> dict[str, Any]:
    """A 3-RPS platform: three legs, each hinged to the ground, with a spring in its slide and a ball at its end."""
    bodies: dict[str, Any] = {"platform": {"mass": 2.0, "inertia": [0.03, 0.03, 0.05, 0.0, 0.0, 0.0],
                                           "pose": {"r": [0.0, 0.0, 0.6]}}}  # fmt: skip
    joints: dict[str, Any] = {}
    forces: dict[str, Any] = {}
    for k in range(3):
        c, s = np.cos(2.0 * np.pi * k / 3.0), np.sin(2.0 * np.pi * k / 3.0)
        foot, end = np.array([0.5 * c, 0.5 * s, 0.0]), np.array([0.3 * c, 0.3 * s, 0.6])
        along = (end - foot) / np.linalg.norm(end - foot)
        for name, place, mass in (("barrel", foot + 0.15 * along, 0.8), ("rod", end - 0.15 * along, 0.4)):
            bodies[f"{name}{k}"] = {
                "mass": mass, "inertia": [0.004, 0.004, 0.001, 0.0, 0.0, 0.0], "pose": {"r": place.tolist()}
            }  # fmt: skip
        joints[f"R{k}"] = {
            "type": "R", "bodies": ["ground", f"barrel{k}"], "at": foot.tolist(), "axis": [-float(s), float(c), 0.0]
        }  # fmt: skip
        joints[f"P{k}"] = {
            "type": "P", "bodies": [f"barrel{k}", f"rod{k}"], "at": bodies[f"barrel{k}"]["pose"]["r"],
            "axis": along.tolist(),
        }  # fmt: skip
        joints[f"S{k}"] = {"type": "S", "bodies": [f"rod{k}", "platform"], "at": end.tolist()}
        forces[f"F{k}"] = {"kind": "joint", "joint": f"P{k}", "freedom": "slide", "stiffness": 2000.0,
                           "damping": 20.0 + k, "value": f"10*sin({k + 3}*t)"}  # fmt: skip
    return {
        "schema": "symgen/mechanism/1", "name": "3-RPS", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
        "bodies": bodies, "joints": joints, "forces": forces,
    }  # fmt: skip


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["dimcd", "riccati"])
def test_joints_of_a_platform_balance_all_bodies_and_give_nothing_along_their_freedoms(method: str) -> None:
    """Newton and Euler for each body, with levers from the poses alone; no rows of constraints are asked."""
    draft = _platform()
    mechanism = symgen.Mechanism.from_dict(draft)
    motion = symgen.simulate(
        mechanism, method=method, step=0.002, sample=0.02, until=0.1, reactions=True, backend="numpy"
    )
    poses, resultants = _states(motion)
    number = {body.id: k for k, body in enumerate(mechanism.bodies)}
    left = resultants.copy()
    for joint in mechanism.joints:
        reaction = motion.reactions[joint.id]
        assert reaction.unique
        assert joint.frames is not None
        second = poses[:, number[joint.bodies[1]]]
        body = mechanism.bodies[number[joint.bodies[1]]]
        arm = np.array(joint.frames[1].at) - np.array(body.com or (0.0, 0.0, 0.0))
        centre = second[:, :3] + (matrix(second[:, 3:]) @ arm[:, None])[..., 0]
        for sign, end in ((-1.0, joint.bodies[0]), (1.0, joint.bodies[1])):
            if end in number:
                lever = centre - poses[:, number[end], :3]
                left[:, number[end], :3] -= sign * reaction.force
                left[:, number[end], 3:] -= sign * (reaction.moment + np.cross(lever, reaction.force))
        axis = matrix(second[:, 3:]) @ (matrix(np.array(joint.frames[1].q)) @ np.array([0.0, 0.0, 1.0]))
        free = {"R": reaction.moment * axis, "P": reaction.force * axis, "S": reaction.moment}[joint.type]
        # a few roundings of some 30 N
        assert np.abs(free if joint.type == "S" else free.sum(axis=-1)).max() < 1e-12
    # dimcd ends its iteration at 1e-10 of what it solves for; the greatest of it is some 30 N
    assert np.abs(left).max() < (1e-8 if method == "dimcd" else 1e-11)


def test_a_long_chain_carries_what_hangs_on_each_joint() -> None:
    """Forces of a chain, which need no equations: masses times accelerations of all that is beyond the joint."""
    bodies = {
        f"b{k}": {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [0.01, 0.1, 0.1, 0.0, 0.0, 0.0],
                  "pose": {"r": [float(k), 0.0, 0.0]}}
        for k in range(8)
    }  # fmt: skip
    joints = {
        f"J{k}": {"type": "R", "bodies": ["ground" if k == 0 else f"b{k - 1}", f"b{k}"], "at": [float(k), 0.0, 0.0],
                  "axis": [0.0, 1.0, 0.0] if k % 3 else [0.0, 0.8, 0.6]}
        for k in range(8)
    }  # fmt: skip
    chain = {"schema": "symgen/mechanism/1", "name": "chain", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
             "bodies": bodies, "joints": joints}  # fmt: skip
    motion = symgen.simulate(
        symgen.Mechanism.from_dict(chain), method="riccati", step=0.002, sample=0.02, until=0.06, reactions=True,
        backend="numpy",
    )  # fmt: skip
    beyond = np.zeros((len(motion.times), 3))
    for k in reversed(range(8)):
        centre = motion.bodies[f"b{k}"].attached(np.array([0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
        beyond = beyond + centre.a - np.array([0.0, 0.0, -9.81])
        # accelerations are those of the engine: the same numbers but for the order of sums, of some 100 N
        np.testing.assert_allclose(motion.reactions[f"J{k}"].force, beyond, atol=1e-9)


def test_progress_goes_on_while_reactions_are_found_and_ends_at_one() -> None:
    reached: list[float] = []
    motion = _motion(progress=reached.append)
    assert reached == sorted(reached)
    assert reached[-1] == 1.0
    assert motion.run.reactions_seconds > 0.0
    assert motion.to_dict()["reactions_seconds"] == motion.run.reactions_seconds


@pytest.mark.slow
def test_steps_that_are_only_tried_find_no_reactions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A coarse step loses the energy of a double pendulum: symgen looks for one that does not."""
    calls = []
    real = joint_reactions
    monkeypatch.setattr(joined_at, "joint_reactions", lambda *given: calls.append(1) or real(*given))
    arm = {"mass": 1.0, "com": [0.5, 0.0, 0.0], "inertia": [0.01, 0.1, 0.1, 0.0, 0.0, 0.0]}
    pendulum = symgen.Mechanism.from_dict({
        "schema": "symgen/mechanism/1", "name": "pendulum", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
        "bodies": {"one": arm, "two": arm | {"pose": {"r": [1.0, 0.0, 0.0]}}},
        "joints": {
            "A": {"type": "R", "bodies": ["ground", "one"], "at": [0.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]},
            "B": {"type": "R", "bodies": ["one", "two"], "at": [1.0, 0.0, 0.0], "axis": [0.0, 1.0, 0.0]},
        },
    })  # fmt: skip
    motion = symgen.simulate(pendulum, method="riccati", step=0.25, until=3.0, reactions=True, backend="numpy")
    assert any("a step of" in warning for warning in motion.run.warnings)
    assert len(calls) == 1
