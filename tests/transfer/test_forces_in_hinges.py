"""Drives, springs, dampers, actuators and applied forces in the recursion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.model.mechanism import Mechanism
from symgen.simulate.start.initial import initial_state
from symgen.transfer.snapshot import joint_motions
from symgen.transfer.start import take_snapshot

Tree = dict[str, Any]
FREEDOMS = {
    "R": ("angle",), "P": ("slide",), "H": ("angle",), "C": ("slide", "angle"), "U": ("angle1", "angle2"),
    "ER": ("angle1", "angle2"), "L": ("slide", "angle"), "S": ("yaw", "pitch", "roll"), "PL": ("x", "y", "angle"),
    "F": ("x", "y", "z", "yaw", "pitch", "roll"), "FP": ("x", "y", "angle"), "W": (),
}  # fmt: skip


def agree(mechanism: Mechanism) -> None:
    """Check accelerations and unique wrenches of riccati against multiplier."""
    found, expected = (symgen.accelerations(mechanism, method) for method in ("riccati", "multiplier"))
    # rounding: some ten bodies
    assert np.abs(found.table - expected.table).max() < 1e-11 * max(1.0, np.abs(expected.table).max())
    loads = [np.concatenate([each.force, each.moment]) for each in expected.joints.values()]
    largest = max(1.0, float(np.abs(loads).max()))
    for load, (name, joint) in zip(loads, found.joints.items(), strict=True):
        assert joint.unique == expected.joints[name].unique
        if joint.unique:
            np.testing.assert_allclose([*joint.force, *joint.moment], load, atol=1e-10 * largest)
    assert max(found.residual, expected.residual) < 1e-11


def add_joint_forces(tree: Tree, generator: np.random.Generator) -> None:
    """Add spring, damper and actuator to every freedom."""
    tree["forces"] = {
        f"{name}_{freedom}": {
            "kind": "joint", "joint": name, "freedom": freedom,
            **{key: float(generator.uniform(0.1, 5)) for key in ("stiffness", "damping", "rest", "value")},
        }
        for name, joint in tree["joints"].items()
        for freedom in FREEDOMS[joint["type"]]
    }  # fmt: skip


def add_drives(tree: Tree, generator: np.random.Generator) -> None:
    """Drive one freedom of every second joint."""
    tree["drives"] = {}
    for name, joint in list(tree["joints"].items())[::2]:
        freedoms = FREEDOMS[joint["type"]]
        if freedoms:
            freedom = str(generator.choice(freedoms))
            joint["driven"] = [freedom]
            rate, growth = (float(value) for value in generator.uniform(-2, 2, 2))
            tree["drives"][f"{name}.{freedom}" if len(freedoms) > 1 else name] = f"0.2 + {rate}*t + {growth}*t**2"


def add_springs(tree: Tree, generator: np.random.Generator) -> None:
    """Add springs between points of all bodies, and forces and torques in either axes."""
    names = list(tree["bodies"])
    tree["forces"] = {}
    for name in names:
        tree["bodies"][name]["points"] = {"P": generator.uniform(-1, 1, 3).tolist()}
    tree["bodies"]["ground"] = {"points": {"Q": [0.3, 0.2, 2.0]}}
    ends = ["ground.Q", *(f"{name}.P" for name in names)]
    for k, (one, two) in enumerate(zip(ends, ends[2:] + ends[:2], strict=True)):
        tree["forces"][f"s{k}"] = {
            "kind": "spring", "between": [one, two], "stiffness": 20.0, "damping": 3.0, "length": 0.4,
        }  # fmt: skip
    for k, axes in enumerate(("world", "body")):
        value = generator.uniform(-5, 5, 3).tolist()
        tree["forces"][f"f{k}"] = {
            "kind": "force", "body": names[k], "at": [0.1, 0.2, -0.3], "value": value, "axes": axes,
        }  # fmt: skip
        tree["forces"][f"t{k}"] = {"kind": "torque", "body": names[-1 - k], "value": value, "axes": axes}
    tree["forces"]["later"] = {"kind": "force", "body": names[0], "at": [0, 0, 0], "value": [1e3, 0, 0], "from": 1.0}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("change", [add_joint_forces, add_drives, add_springs])
def test_random_systems_with_forces_and_drives(systems: Any, change: Any, seed: int) -> None:
    loops = 0 if change is add_drives else seed % 3  # drives move the assembly, which random loops may not follow
    agree(systems.random(300 + seed, 7, loops=loops, grounded=1 + seed % 2, change=change))


@pytest.mark.parametrize("kind", ["S", "F"])
@pytest.mark.parametrize("driven", [["yaw"], ["pitch", "roll"], ["yaw", "pitch", "roll"]])
def test_driven_attitudes(systems: Any, kind: str, driven: list[str]) -> None:
    def drive(tree: Tree, generator: np.random.Generator) -> None:
        add_joint_forces(tree, generator)
        tree["drives"] = {}
        for name, joint in tree["joints"].items():
            if joint["type"] == kind:
                joint["driven"] = driven
                tree["drives"] |= {f"{name}.{freedom}": "0.3 - 0.4*t + 0.6*t**2" for freedom in driven}

    agree(systems.random(24, 4, types=[kind, "R"], change=drive))


@pytest.mark.parametrize("seed", [6, 7])
def test_driving_a_loop_as_it_moves_by_itself_needs_no_force(systems: Any, seed: int) -> None:
    mechanism = systems.random(seed, 6, loops=1, types=("S", "U", "C", "R", "PL", "R"))
    free = symgen.accelerations(mechanism)
    name = next(joint.id for joint in mechanism.joints if joint.type == "R")
    joint = mechanism.joint(name)
    start = initial_state(mechanism)
    value, rate, _ = joint_motions(take_snapshot(mechanism, start), [joint])[name]["angle"]
    growth = free.joints[name].accelerations["angle"]
    tree: Tree = {**mechanism.source, "joints": {**mechanism.source["joints"]}}
    tree["joints"][name] = {**tree["joints"][name], "driven": 1}
    tree["drives"] = {name: f"{float(value)!r} + {float(rate)!r}*t + {growth / 2!r}*t**2"}
    tree["initial"] = {
        "bodies": {
            body.id: {"v": twist[:3].tolist(), "omega": twist[3:].tolist()}
            for body, twist in zip(mechanism.bodies, start.twists, strict=True)
        }
    }
    driven = symgen.accelerations(Mechanism.from_dict(tree))
    # the law's coefficients are rounded, and the loop is closed again: some digits of 16
    assert np.abs(driven.table - free.table).max() < 1e-10 * np.abs(free.table).max()
    load, before = driven.joints[name], free.joints[name]
    largest = max(1.0, *(float(np.abs(each.moment).max()) for each in free.joints.values()))
    np.testing.assert_allclose(load.moment, before.moment, atol=1e-9 * largest)
    agree(Mechanism.from_dict(tree))


def test_a_spring_wound_up_by_whole_turns_pulls_with_all_of_them() -> None:
    tree: Tree = {
        "schema": "symgen/mechanism/1", "space": "spatial",
        "bodies": {"a": {"mass": 1, "com": [0, 0, 0], "inertia": [2, 2, 2, 0, 0, 0]}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "initial": {"joints": {"A": {"angle": 20.0, "rate": 3.0}}},
        "forces": {"s": {"kind": "joint", "joint": "A", "freedom": "angle", "stiffness": 0.5, "damping": 0.1}},
    }  # fmt: skip
    found = symgen.accelerations(Mechanism.from_dict(tree)).joints["A"]
    assert found.accelerations["angle"] == pytest.approx(-(0.5 * 20.0 + 0.1 * 3.0) / 2, rel=1e-12)
    # what the ground exerts on the body, spring and damper included
    assert found.moment[2] == pytest.approx(-(0.5 * 20.0 + 0.1 * 3.0), rel=1e-12)


def test_an_actuator_at_a_cut_joint_acts_as_at_any_other(systems: Any) -> None:
    mechanism = systems.random(31, 6, loops=2, types=("S", "R", "C"), change=add_joint_forces)
    chosen = symgen.accelerations(mechanism)
    found = [chosen]
    for cut in chosen.loops:
        for joint in mechanism.joints:
            cuts = [joint.id if name == cut else name for name in chosen.loops]
            try:
                found.append(symgen.accelerations(mechanism, cuts=cuts))
            except symgen.SymgenError:
                continue  # leaves no tree
    assert len(found) > 3
    for other in found[1:]:
        assert np.abs(other.table - chosen.table).max() < 1e-10 * np.abs(chosen.table).max()
