"""Random mechanisms with redundant constraints, and changes of a draft that change no verdict."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Pair types that are drawn, and which need an axis.
KINDS = ("R", "R", "R", "P", "C", "U", "S", "S", "H", "PL", "W")


def overconstrained(random: np.random.Generator) -> dict[str, Any]:
    """Return a mechanism of joints on a small grid, axes along few directions: redundant more often than not."""
    count = int(random.integers(1, 6))
    names = ["ground", *(f"b{k}" for k in range(count))]
    ends = [(names[int(random.integers(k + 1))], names[k + 1]) for k in range(count)]
    for _ in range(int(random.integers(1, 4))):
        one, two = random.choice(len(names), 2, replace=False)
        ends.append((names[int(one)], names[int(two)]))
    few = random.integers(3) == 0
    directions = [[0, 0, 1]] if few else [[0, 0, 1], [1, 0, 0], [0, 1, 0], [3, 4, 0]]
    bodies: dict[str, Any] = {
        name: {"mass": 1.0, "com": random.uniform(-1, 1, 3).tolist(), "inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]}
        for name in names[1:]
    }
    joints: dict[str, Any] = {}
    seen: set[frozenset[str]] = set()
    for one, two in ends:
        if frozenset((one, two)) in seen:  # two bodies may have one joint: a leaf welded to the first has the other
            leaf = f"l{len(joints)}"
            bodies[leaf] = {"mass": 0.1, "inertia": [0.1, 0.1, 0.1, 0.0, 0.0, 0.0]}
            joints[f"J{len(joints)}"] = {"type": "W", "bodies": [one, leaf], "at": random.integers(-2, 3, 3).tolist()}
            one = leaf
        seen.add(frozenset((one, two)))
        joints[f"J{len(joints)}"] = _joint(random, [one, two][:: 1 if random.random() < 0.5 else -1], directions)
    return {"schema": "symgen/mechanism/1", "name": "random", "space": "spatial", "bodies": bodies, "joints": joints}


def _joint(random: np.random.Generator, ends: list[str], directions: list[list[int]]) -> dict[str, Any]:
    kind = str(random.choice(KINDS))
    joint: dict[str, Any] = {"type": kind, "bodies": ends, "at": [int(x) for x in random.integers(-2, 3, 3)]}
    if kind not in "SW":
        axis = directions[int(random.integers(len(directions)))]
        joint["axis"] = list(axis)
        if kind == "U":
            joint["axis2"] = [-axis[1], axis[0], 0] if axis[2] == 0 else [1, 0, 0]
        if kind == "H":
            joint["pitch"] = 0.25
        if kind in "RP" and random.random() < 0.25:
            joint["driven"] = 1
    return joint


def renumbered(draft: dict[str, Any]) -> dict[str, Any]:
    """Return it with bodies and joints in the opposite order: other numbers, another tree."""
    return draft | {name: dict(reversed(draft[name].items())) for name in ("bodies", "joints")}


def in_other_units(draft: dict[str, Any], factor: float) -> dict[str, Any]:
    """Return it with all lengths times a factor."""
    bodies = {
        name: body | {"com": (factor * np.array(body.get("com", (0.0, 0.0, 0.0)))).tolist()}
        for name, body in draft["bodies"].items()
    }
    joints = {
        name: joint
        | {"at": (factor * np.array(joint["at"])).tolist()}
        | ({"pitch": factor * joint["pitch"]} if "pitch" in joint else {})
        for name, joint in draft["joints"].items()
    }
    return draft | {"bodies": bodies, "joints": joints}


def turned(draft: dict[str, Any], turn: NDArray[np.float64]) -> dict[str, Any]:
    """Return it in a world that is turned."""
    joints = {
        name: joint | {key: (turn @ np.array(joint[key])).tolist() for key in ("at", "axis", "axis2") if key in joint}
        for name, joint in draft["joints"].items()
    }
    bodies = {
        name: body | {"com": (turn @ np.array(body.get("com", (0.0, 0.0, 0.0)))).tolist()}
        for name, body in draft["bodies"].items()
    }
    return draft | {"bodies": bodies, "joints": joints}


def rotation(random: np.random.Generator) -> NDArray[np.float64]:
    """Return a random rotation matrix."""
    found, _ = np.linalg.qr(random.normal(size=(3, 3)))
    return found * np.sign(np.linalg.det(found))
