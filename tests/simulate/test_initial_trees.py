"""Open trees start where the product of their joints' frames puts them; nothing is solved for."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import symgen
from symgen.poses import Array, matrix
from symgen.simulate.start.initial import initial_state

#: Pair type -> its motions (axis, turn or slide, freedom) in the order of docs/mechanism-file.md.
MOTIONS: dict[str, tuple[tuple[int, str, str], ...]] = {
    "R": ((2, "turn", "angle"),),
    "P": ((2, "slide", "slide"),),
    "C": ((2, "slide", "slide"), (2, "turn", "angle")),
    "U": ((2, "turn", "angle1"), (0, "turn", "angle2")),
    "S": ((2, "turn", "yaw"), (1, "turn", "pitch"), (0, "turn", "roll")),
    "H": ((2, "screw", "angle"),),
    "PL": ((0, "slide", "x"), (1, "slide", "y"), (2, "turn", "angle")),
    "W": (),
}
PITCH = 0.2


def _motion(axis: int, kind: str, value: float) -> Array:
    found = np.eye(4)
    if kind != "turn":
        found[axis, 3] = value * (PITCH if kind == "screw" else 1.0)
    if kind != "slide":
        i, j = (axis + 1) % 3, (axis + 2) % 3
        found[i, i] = found[j, j] = math.cos(value)
        found[j, i], found[i, j] = math.sin(value), -math.sin(value)
    return found


def _rigid(r: Any, q: Any) -> Array:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = matrix(np.asarray(q, dtype=np.float64)), r
    return found


def _unit(random: np.random.Generator) -> Array:
    q: Array = random.normal(size=4)
    return q / np.linalg.norm(q)


def _tree(random: np.random.Generator, count: int) -> dict[str, Any]:
    """Return a tree whose joints all have their coordinates at zero in the poses of the file."""
    bodies: dict[str, Any] = {}
    joints: dict[str, Any] = {}
    world = {"ground": np.eye(4)}
    for k in range(count):
        name, carrier = f"b{k}", ["ground", *bodies][int(random.integers(0, k + 1))]
        kind = list(MOTIONS)[int(random.integers(len(MOTIONS)))]
        here = {"at": random.normal(size=3).tolist(), "q": _unit(random).tolist()}
        there = {"at": random.normal(size=3).tolist(), "q": _unit(random).tolist()}
        frame = world[carrier] @ _rigid(here["at"], here["q"])
        world[name] = frame @ np.linalg.inv(_rigid(there["at"], there["q"]))
        bodies[name] = {
            "mass": 1.0, "com": random.normal(size=3).tolist(), "inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
            "pose": {"r": world[name][:3, 3].tolist(), "q": _quaternion(world[name][:3, :3]).tolist()},
        }  # fmt: skip
        ends = [carrier, name] if random.random() < 0.5 else [name, carrier]
        joints[f"j{k}"] = {"type": kind, "bodies": ends, "frames": {carrier: here, name: there}}
        if kind == "H":
            joints[f"j{k}"]["pitch"] = PITCH
    return {"schema": "symgen/mechanism/1", "name": "tree", "space": "spatial", "bodies": bodies, "joints": joints}


def _quaternion(turn: Array) -> Array:
    """Return the quaternion of a rotation: the vector that the matrix of Davenport leaves."""
    xx, yy, zz = np.diag(turn)
    davenport = np.array([
        [xx + yy + zz, turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]],
        [turn[2, 1] - turn[1, 2], xx - yy - zz, turn[0, 1] + turn[1, 0], turn[0, 2] + turn[2, 0]],
        [turn[0, 2] - turn[2, 0], turn[0, 1] + turn[1, 0], yy - xx - zz, turn[1, 2] + turn[2, 1]],
        [turn[1, 0] - turn[0, 1], turn[0, 2] + turn[2, 0], turn[1, 2] + turn[2, 1], zz - xx - yy],
    ])  # fmt: skip
    found: Array = np.linalg.eigh(davenport)[1][:, -1]
    return found


def _placed(tree: dict[str, Any], values: dict[str, dict[str, float]]) -> dict[str, Array]:
    """Return the body frames (4, 4) with coordinates at their values, others zero."""
    world = {"ground": np.eye(4)}
    for name, joint in tree["joints"].items():
        relative = np.eye(4)
        for axis, kind, freedom in MOTIONS[joint["type"]]:
            relative = relative @ _motion(axis, kind, values.get(name, {}).get(freedom, 0.0))
        first, second = joint["bodies"]
        if second not in world:
            held = _rigid(**_named(joint["frames"][second]))
            world[second] = world[first] @ _rigid(**_named(joint["frames"][first])) @ relative @ np.linalg.inv(held)
        else:
            back = np.linalg.inv(_rigid(**_named(joint["frames"][first])) @ relative)
            world[first] = world[second] @ _rigid(**_named(joint["frames"][second])) @ back
    return world


def _named(frame: dict[str, Any]) -> dict[str, Any]:
    return {"r": frame["at"], "q": frame["q"]}


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_stands_where_its_coordinates_put_it(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(seed)
    tree = _tree(random, 8)
    values: dict[str, dict[str, float]] = {}
    for name, joint in tree["joints"].items():
        freedoms = [freedom for _, _, freedom in MOTIONS[joint["type"]]]
        if freedoms and random.random() < 0.7:  # some, and of these some freedoms only; angles of several radians
            chosen = {freedom: float(random.uniform(-3.0, 3.0)) for freedom in freedoms if random.random() < 0.8}
            values |= {name: chosen} if chosen else {}
    mechanism = symgen.Mechanism.from_dict(tree | {"initial": {"joints": values}})
    monkeypatch.setattr(np.linalg, "lstsq", lambda *given, **more: pytest.fail("a tree has nothing to solve for"))
    state = initial_state(mechanism)
    for body, pose in zip(mechanism.bodies, state.poses, strict=True):
        wanted = _placed(tree, values)[body.id]
        centre = wanted[:3, :3] @ np.array(body.com) + wanted[:3, 3]
        # some dozen products of numbers of order 10
        np.testing.assert_allclose(pose[:3], centre, rtol=0, atol=1e-12)
        np.testing.assert_allclose(matrix(pose[3:]), wanted[:3, :3], rtol=0, atol=1e-12)


def test_what_stays_where_it_is_keeps_its_pose_bit_for_bit() -> None:
    tree = _tree(np.random.default_rng(3), 6)
    last = list(tree["joints"])[-1]
    tree["joints"][last]["type"] = "R"
    tree["joints"][last].pop("pitch", None)
    still = initial_state(symgen.Mechanism.from_dict(tree)).poses
    gone = initial_state(symgen.Mechanism.from_dict(tree | {"initial": {"joints": {last: {"angle": 1.0}}}})).poses
    assert gone[:-1].tobytes() == still[:-1].tobytes()
    assert np.abs(gone[-1] - still[-1]).max() > 0.01


def test_a_side_turned_by_half_a_turn_is_still_refused() -> None:
    tree = {
        "schema": "symgen/mechanism/1", "name": "turned", "space": "spatial",
        "bodies": {"a": {"mass": 1.0, "inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]}},
        "joints": {"A": {"type": "R", "bodies": ["ground", "a"], "frames": {
            "ground": {"at": [0, 0, 0], "axis": [0, 0, 1]}, "a": {"at": [0, 0, 0], "axis": [0, 0, -1]}}}},
        "initial": {"joints": {"A": {"angle": 1.0}}},
    }  # fmt: skip
    with pytest.raises(symgen.SymgenError, match="half a turn"):
        initial_state(symgen.Mechanism.from_dict(tree))
