"""Redundant joints: of the reactions that fit, every method gives those of least norm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import symgen
from symgen.poses import Array

#: Two joints on one axis between what moves as one body: each pair says something twice.
PAIRS = (("R", "R"), ("W", "W"), ("R", "C"), ("P", "P"), ("R", "S"), ("C", "C"), ("R", "W"), ("H", "R"))


def _redundant_chain(random: np.random.Generator) -> dict[str, Any]:
    """Return bodies at rest, each held by the one before and by a leaf welded to it; some joints with a spring."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    before = "ground"
    for k in range(int(random.integers(1, 4))):
        name = f"b{k}"
        bodies[name] = {
            "mass": float(random.uniform(0.5, 3.0)),
            "inertia": [*random.uniform(0.1, 0.2, 3).tolist(), 0.0, 0.0, 0.0],
            "pose": {"r": random.uniform(-1.0, 1.0, 3).tolist()},
        }
        kinds = PAIRS[int(random.integers(len(PAIRS)))]
        axis, at = random.normal(size=3), random.uniform(-1.0, 1.0, 3)
        axis /= np.linalg.norm(axis)
        there = at + random.uniform(0.5, 1.5) * axis
        leaf = f"leaf{k}"
        bodies[leaf] = {"mass": 0.3, "inertia": [0.01, 0.02, 0.03, 0.0, 0.0, 0.0], "pose": {"r": there.tolist()}}
        joints[f"W{k}"] = {"type": "W", "bodies": [leaf, before], "at": there.tolist()}
        for kind, place, holder in zip(kinds, (at, there), (before, leaf), strict=True):
            bodies_of = [holder, name] if random.random() < 0.5 else [name, holder]
            joint = {"type": kind, "bodies": bodies_of, "at": place.tolist()}
            joint |= {"axis": axis.tolist()} if kind not in "WS" else {}
            joints[f"{kind}{k}{len(joints)}"] = joint | ({"pitch": 0.3} if kind == "H" else {})
        before = name
    forces = {}
    for joint_id, joint in joints.items():
        freedom = {"R": "angle", "H": "angle", "C": "slide", "P": "slide"}.get(joint["type"])
        if freedom is not None and random.random() < 0.5:
            given = {"stiffness": 5.0, "rest": 0.4, "value": float(random.normal())}
            forces[f"f{joint_id}"] = {"kind": "joint", "joint": joint_id, "freedom": freedom, **given}
    return {
        "schema": "symgen/mechanism/1", "name": "redundant", "space": "spatial", "gravity": [1.0, -2.0, -9.81],
        "bodies": bodies, "joints": joints, "forces": forces,
    }  # fmt: skip


def _side(axis: Array) -> Array:
    """Return two columns orthogonal to an axis."""
    found: Array = np.linalg.svd(axis[None])[2][1:].T
    return found


def _transmitted(joint: dict[str, Any]) -> Array:
    """Return orthonormal wrenches (6, k) [F M] that a joint transmits about its centre; of an H none is orthonormal."""
    axis = np.array(joint.get("axis", (0.0, 0.0, 1.0)))
    forces = {"R": np.eye(3), "W": np.eye(3), "S": np.eye(3), "P": _side(axis), "C": _side(axis)}[joint["type"]]
    moments = {"R": _side(axis), "W": np.eye(3), "S": np.zeros((3, 0)), "P": np.eye(3), "C": _side(axis)}[joint["type"]]
    found = np.zeros((6, forces.shape[1] + moments.shape[1]))
    found[:3, : forces.shape[1]], found[3:, forces.shape[1] :] = forces, moments
    return found


def _force(draft: dict[str, Any], name: str) -> Array:
    """Return the wrench of spring and actuator in a joint at rest, all coordinates being zero."""
    joint, found = draft["joints"][name], np.zeros(6)
    for force in draft["forces"].values():
        if force["joint"] == name:
            value = force["value"] + force["stiffness"] * force["rest"]
            found[slice(0, 3) if force["freedom"] == "slide" else slice(3, 6)] += value * np.array(joint["axis"])
    return found


def _least(draft: dict[str, Any], resultants: dict[str, Array]) -> dict[str, Array]:
    """Return the reactions of least norm by one dense least-squares solution over all joints."""
    length = _size(draft)
    names, number = list(draft["joints"]), {name: k for k, name in enumerate(draft["bodies"])}
    columns = {name: _transmitted(draft["joints"][name]) for name in names}
    blocks = []
    for name in names:
        block, joint = np.zeros((6 * len(number), columns[name].shape[1])), draft["joints"][name]
        in_newtons = columns[name] * np.array([1.0] * 3 + [length] * 3)[:, None]  # unit wrenches: moments over l
        for body, sign in zip(joint["bodies"], (-1.0, 1.0), strict=True):
            if body in number:
                lever = np.array(joint["at"]) - np.array(draft["bodies"][body]["pose"]["r"])
                part = sign * in_newtons
                part[3:] += np.cross(lever, part[:3].T).T
                block[6 * number[body] : 6 * number[body] + 6] = part
        blocks.append(block)
    load = np.concatenate([resultants[name] for name in number])
    amounts = np.linalg.lstsq(np.hstack(blocks), load, rcond=1e-10)[0]
    ends = np.cumsum([block.shape[1] for block in blocks])[:-1]
    return {
        name: columns[name] @ part * np.array([1.0] * 3 + [length] * 3)
        for name, part in zip(names, np.split(amounts, ends), strict=True)
    }


def _size(draft: dict[str, Any]) -> float:
    """Return the length that moments are divided by, as docs/transfer-matrices.md defines it."""
    centres = np.array([joint["at"] for joint in draft["joints"].values()])
    return float(np.sqrt(np.mean(np.sum((centres - centres.mean(axis=0)) ** 2, axis=1))))


def _resultants(draft: dict[str, Any], found: Any) -> dict[str, Array]:
    """Return what the joints' constraints exert on each body at rest, about its centre of mass."""
    wanted = {}
    for name, body in draft["bodies"].items():
        inertia = np.diag(body["inertia"][:3])
        force = body["mass"] * (found.bodies[name].a - np.array(draft["gravity"]))
        wanted[name] = np.concatenate([force, inertia @ found.bodies[name].alpha])
    for name, joint in draft["joints"].items():
        given = _force(draft, name)
        for body, sign in zip(joint["bodies"], (-1.0, 1.0), strict=True):
            if body in wanted:
                lever = np.array(joint["at"]) - np.array(draft["bodies"][body]["pose"]["r"])
                wanted[body] = wanted[body] - sign * np.concatenate([given[:3], given[3:] + np.cross(lever, given[:3])])
    return wanted


def _single_cuts(draft: dict[str, Any]) -> list[str]:
    """Return the joints that may each be cut alone: all of a single loop."""
    return list(draft["joints"]) if len(draft["joints"]) == 3 else []


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(20))
def test_all_methods_share_redundant_reactions_alike(seed: int) -> None:
    random = np.random.default_rng(seed)
    draft = _redundant_chain(random)
    mechanism = symgen.Mechanism.from_dict(draft)
    one = symgen.accelerations(mechanism)
    assert one.redundant > 0
    others = [symgen.accelerations(mechanism, "multiplier")]
    others += [symgen.accelerations(mechanism, cuts=[name]) for name in _single_cuts(draft)]
    scale = max(float(np.abs(load.force).max()) + float(np.abs(load.moment).max()) for load in one.joints.values())
    tolerance = 1e-8 * max(scale, 1.0)  # singular values down to 1e-3 of the largest; refined solutions
    for other in others:
        for name, load in one.joints.items():
            np.testing.assert_allclose(other.joints[name].force, load.force, rtol=0, atol=tolerance, err_msg=name)
            np.testing.assert_allclose(other.joints[name].moment, load.moment, rtol=0, atol=tolerance, err_msg=name)
            assert other.joints[name].unique == load.unique
    motion = symgen.simulate(
        mechanism, method="riccati", step=1e-4, until=1e-4, sample=1e-4, reactions=True, backend="numpy"
    )
    for name, load in one.joints.items():
        reaction, given = motion.reactions[name], _force(draft, name)
        np.testing.assert_allclose(reaction.force[0] + given[:3], load.force, rtol=0, atol=tolerance, err_msg=name)
        np.testing.assert_allclose(reaction.moment[0] + given[3:], load.moment, rtol=0, atol=tolerance, err_msg=name)
        assert reaction.unique == load.unique
    if any(joint["type"] == "H" for joint in draft["joints"].values()):
        return
    least = _least(draft, _resultants(draft, one))
    for name, load in one.joints.items():
        expected = least[name] + _force(draft, name)
        np.testing.assert_allclose(load.force, expected[:3], rtol=0, atol=tolerance, err_msg=name)
        np.testing.assert_allclose(load.moment, expected[3:], rtol=0, atol=tolerance, err_msg=name)


def test_a_door_on_two_welded_leaves_hangs_on_both_hinges_alike() -> None:
    """By symmetry each hinge carries half the weight, 10 kg times 9.81 / 2, in every method."""
    leaf = {"mass": 1.0, "inertia": [0.01, 0.01, 0.01, 0.0, 0.0, 0.0]}
    draft = {
        "schema": "symgen/mechanism/1", "name": "door", "space": "spatial", "gravity": [0.0, 0.0, -9.81],
        "bodies": {
            "low": leaf, "high": leaf | {"pose": {"r": [0.0, 0.0, 2.0]}},
            "door": {"mass": 10.0, "com": [0.4, 0.0, 1.0], "inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]},
        },
        "joints": {
            "w1": {"type": "W", "bodies": ["ground", "low"], "at": [0.0, 0.0, 0.0]},
            "w2": {"type": "W", "bodies": ["ground", "high"], "at": [0.0, 0.0, 2.0]},
            "h1": {"type": "R", "bodies": ["low", "door"], "at": [0.0, 0.0, 0.0], "axis": [0.0, 0.0, 1.0]},
            "h2": {"type": "R", "bodies": ["high", "door"], "at": [0.0, 0.0, 2.0], "axis": [0.0, 0.0, 1.0]},
        },
    }  # fmt: skip
    mechanism = symgen.Mechanism.from_dict(draft)
    forces = [
        symgen.accelerations(mechanism, method, cuts=cuts).joints[hinge].force[2]
        for method, cuts in (("riccati", ()), ("riccati", ("w1",)), ("riccati", ("h2",)), ("multiplier", ()))
        for hinge in ("h1", "h2")
    ]
    for method in ("dimcd", "riccati"):
        motion = symgen.simulate(
            mechanism, method=method, step=1e-3, until=1e-3, sample=1e-3, reactions=True, backend="numpy"
        )
        forces += [motion.reactions[hinge].force[0, 2] for hinge in ("h1", "h2")]
    np.testing.assert_allclose(forces, 10.0 * 9.81 / 2, rtol=1e-9)  # rounding; dimcd's rows close to 1e-12
