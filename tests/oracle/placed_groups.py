"""Mechanisms of one spatial structural group between bodies that move freely by laws, with random geometry."""

from __future__ import annotations

import random
from typing import Any

from oracle.instances import random_instance
from oracle.kinematics import inverse, matrix_pose

from symgen.model.mechanism import Mechanism

_FREEDOMS = ("x", "y", "z", "yaw", "pitch", "roll")


def placed_group(manifest: dict[str, Any], arrangement: dict[str, Any], seed: int, *, grounded: bool) -> Mechanism:
    """Return a mechanism whose reference configuration is a random instance of an arrangement.

    The known bodies move in all their freedoms; with `grounded` the first of them is the ground. Joint frames are given
    in bodies, as an arrangement's ports have them.
    """
    instance = random_instance(manifest, arrangement, seed)
    rng = random.Random(seed + 1)
    first = arrangement["known"][0]
    world = inverse(instance.bodies[first]) if grounded else None
    poses = {
        body: [float(x) for x in matrix_pose(pose if world is None else world * pose, "spatial")]
        for body, pose in instance.bodies.items()
        if not (grounded and body == first)
    }
    joints: dict[str, Any] = {}
    drives: dict[str, str] = {}
    for body in arrangement["known"]:
        if body in poses:
            frames = {"ground": _frame(poses[body]), body: _frame([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])}
            joints[f"hand_{body}"] = {"type": "F", "bodies": ["ground", body], "driven": 6, "frames": frames}
            drives |= {f"hand_{body}.{freedom}": _law(rng) for freedom in _FREEDOMS}
    for joint in arrangement["joints"]:
        names = [body if body in poses else "ground" for body in joint["bodies"]]
        frames = {name: _frame(instance.ports[port]) for name, port in zip(names, joint["frames"], strict=True)}
        joints[joint["name"]] = {"type": joint["type"], "bodies": names, "frames": frames}
        if joint["type"] == "H":
            joints[joint["name"]]["pitch"] = instance.ports[f"pitch_{joint['name']}"]
        if joint["driven"]:
            joints[joint["name"]]["driven"] = list(joint["driven"])
            for freedom, value in zip(joint["driven"], instance.ports[f"u_{joint['name']}"], strict=True):
                drives[f"{joint['name']}.{freedom}"] = f"{value!r} + {_law(rng)}"
    return Mechanism.from_dict(
        {
            "schema": "symgen/mechanism/1",
            "name": arrangement["id"],
            "space": "spatial",
            "bodies": {body: {"pose": {"r": pose[:3], "q": pose[3:]}} for body, pose in poses.items()},
            "joints": joints,
            "drives": drives,
        }
    )


def _law(rng: random.Random) -> str:
    return f"({rng.uniform(-0.1, 0.1)!r})*t + ({rng.uniform(-0.1, 0.1)!r})*t**2"


def _frame(pose: list[float]) -> dict[str, Any]:
    return {"at": pose[:3], "q": pose[3:]}
