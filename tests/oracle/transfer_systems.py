"""The example systems of the transfer matrix method as mechanism files: tree, mixed system, planar, chains.

Bodies hang from the ground at the origin; each has an output towards the root and one or two inputs on the side of the
tips, at its own origin first. Orientations and angular velocities are random, positions and velocities follow from the
balls (pins) at the outputs.

Source: X. Rui et al., figures 2, 4 and 9; masses and lengths are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: body -> mass [kg], length [m]
SIZES = {
    1: (1.0, 0.50), 2: (1.2, 0.45), 3: (0.9, 0.55), 4: (1.1, 0.50), 9: (1.5, 0.40), 10: (1.4, 0.45), 11: (1.6, 0.40),
    12: (1.3, 0.45), 17: (2.5, 0.60), 18: (2.2, 0.55), 21: (3.0, 0.70), 23: (2.0, 0.50),
}  # fmt: skip
#: hinge -> inboard body, outboard body, its input
HINGES = {
    5: (1, 9, 1), 6: (2, 10, 1), 7: (3, 11, 1), 8: (4, 12, 1), 13: (9, 17, 1), 14: (10, 17, 2), 15: (11, 18, 1),
    16: (12, 18, 2), 19: (17, 21, 1), 20: (18, 21, 2), 22: (21, 23, 1),
}  # fmt: skip
GRAVITY = {"spatial": [0.0, 0.0, -9.81], "planar": [0.0, -9.81, 0.0]}


def rotation(q: Sequence[float]) -> Array:
    """Return the matrix of a unit quaternion, scalar first."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def tree_bodies(planar: bool = False) -> dict[str, dict[str, Any]]:
    """Return mass, centre of mass, inertia, inputs and output of the bodies of the tree, body frames."""
    two = {outboard for _, outboard, place in HINGES.values() if place == 2}
    found: dict[str, dict[str, Any]] = {}
    for body, (mass, length) in SIZES.items():
        half = 0.3 * length
        if body in two:
            com, inputs, output = [0.45, 0.309, 0.02], [[0.0, 0.0, 0.0], [0.0, 2 * half, 0.0]], [length, half, 0.0]
            inertia = mass * np.array([0.04, 0.083, 0.115, 0.002, -0.001, 0.0015]) * length**2
        else:
            com, inputs, output = [0.48, 0.02, -0.01], [[0.0, 0.0, 0.0]], [length, 0.0, 0.0]
            inertia = mass * np.array([0.0087, 0.084, 0.085, 0.002, -0.001, 0.0015]) * length**2
        place = [length * x for x in com]
        if planar:
            place[2], inertia[3:] = 0.0, [0.002 * mass * length**2, 0.0, 0.0]
        found[str(body)] = {
            "mass": mass, "com": place, "inertia": [float(x) for x in inertia], "inputs": inputs, "output": output,
        }  # fmt: skip
    return found


def hang(
    bodies: Mapping[str, Mapping[str, Any]],
    hinges: Mapping[str, tuple[str, str, int]],
    root: str,
    *,
    planar: bool = False,
    seed: int = 0,
) -> dict[str, Any]:
    """Return bodies on balls (pins in the plane) as a mechanism in a random state.

    Parameters
    ----------
    bodies : as of `tree_bodies`.
    hinges : inboard body, outboard body, input; a body after all that it carries is not required.
    root : the body at the ground.
    """
    generator = np.random.default_rng(seed)
    turn: dict[str, Array] = {}
    spin: dict[str, Array] = {}
    for name in bodies:
        q = generator.normal(size=4)
        w = generator.normal(size=3)
        if planar:
            q[1:3], w[:2] = 0.0, 0.0
        turn[name], spin[name] = q / np.linalg.norm(q), w
    carried = {inboard: (outboard, place) for inboard, outboard, place in hinges.values()}
    origin: dict[str, Array] = {}
    speed: dict[str, Array] = {}

    def locate(name: str) -> None:
        if name in origin:
            return
        end, rate = np.zeros(3), np.zeros(3)
        if name != root:
            outboard, place = carried[name]
            locate(outboard)
            lever = rotation(turn[outboard]) @ np.array(bodies[outboard]["inputs"][place - 1])
            end, rate = origin[outboard] + lever, speed[outboard] + np.cross(spin[outboard], lever)
        lever = rotation(turn[name]) @ np.array(bodies[name]["output"])
        origin[name], speed[name] = end - lever, rate - np.cross(spin[name], lever)

    file: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "hanging", "space": "planar" if planar else "spatial",
        "gravity": GRAVITY["planar" if planar else "spatial"], "bodies": {}, "joints": {}, "initial": {"bodies": {}},
    }  # fmt: skip
    for name, body in bodies.items():
        locate(name)
        file["bodies"][name] = {
            "mass": body["mass"], "com": body["com"], "inertia": body["inertia"],
            "pose": {"r": origin[name].tolist(), "q": turn[name].tolist()},
        }  # fmt: skip
        centre = speed[name] + np.cross(spin[name], rotation(turn[name]) @ np.array(body["com"]))
        file["initial"]["bodies"][name] = {"v": centre.tolist(), "omega": spin[name].tolist()}
    pair = "R" if planar else "S"
    for joint, (inboard, outboard, place) in hinges.items():
        file["joints"][joint] = _joint(
            pair, inboard, bodies[inboard]["output"], outboard, bodies[outboard]["inputs"][place - 1]
        )
    file["joints"]["root"] = _joint(pair, root, bodies[root]["output"], "ground", [0.0, 0.0, 0.0])
    return file


def _joint(pair: str, one: str, at_one: Sequence[float], two: str, at_two: Sequence[float]) -> dict[str, Any]:
    axis = [0.0, 0.0, 1.0]
    return {
        "type": pair, "bodies": [one, two],
        "frames": {one: {"at": list(at_one), "axis": axis}, two: {"at": list(at_two), "axis": axis}},
    }  # fmt: skip


def tree(*, planar: bool = False, seed: int = 0) -> dict[str, Any]:
    """Return the tree of 23 elements."""
    hinges = {f"h{k}": (str(a), str(b), place) for k, (a, b, place) in HINGES.items()}
    return hang(tree_bodies(planar), hinges, "23", planar=planar, seed=seed)


def mixed(*, planar: bool = False, seed: int = 0) -> dict[str, Any]:
    """Return the tree with a loop hinge between the free ends of bodies 2 and 3, at the place where body 2's is.

    The state closes the loop in position by the place of the hinge on body 3; its velocities are at rest.
    """
    file = tree(planar=planar, seed=seed)
    place = {name: body["pose"] for name, body in file["bodies"].items()}
    lever = np.array(place["2"]["r"]) - np.array(place["3"]["r"])
    at_three = rotation(place["3"]["q"]).T @ lever
    file["joints"]["h24"] = _joint("R" if planar else "S", "2", [0.0, 0.0, 0.0], "3", at_three.tolist())
    file["initial"] = {}
    return file


def chain(
    pairs: Sequence[str], *, seed: int = 0, body: Mapping[str, Any] | None = None, space: str = "spatial"
) -> dict[str, Any]:
    """Return bodies in a row, tip first, body k's output by the pair ``pairs[k]``, the last to the ground; at a random place.

    Parameters
    ----------
    body : mass, com, inertia of all bodies; generic ones by default.
    """
    generator = np.random.default_rng(seed)
    file: dict[str, Any] = {
        "schema": "symgen/mechanism/1", "name": "chain", "space": space, "gravity": GRAVITY[space],
        "bodies": {}, "joints": {}, "initial": {"joints": {}},
    }  # fmt: skip
    count = len(pairs)
    names = [f"b{k + 1}" for k in range(count)]
    for k, name in enumerate(names):
        given = body or {
            "mass": float(generator.uniform(0.5, 2.0)),
            "com": generator.uniform(-0.3, 0.3, 3).tolist(),
            "inertia": [0.05, 0.06, 0.07, *generator.uniform(-0.01, 0.01, 3).tolist()],
        }
        file["bodies"][name] = {**given, "pose": {"r": [float(count - k), 0.0, 0.0], "q": [1.0, 0.0, 0.0, 0.0]}}
    for k, pair in enumerate(pairs):
        inboard, outboard = names[k], names[k + 1] if k + 1 < count else "ground"
        axis = generator.normal(size=3)
        axis2 = np.cross(axis, generator.normal(size=3))
        at = np.array([count - k - 0.5, 0.0, 0.0])
        if body is None:
            at[1:] = generator.uniform(-0.2, 0.2, 2)
        if space == "planar":
            axis, at[2] = np.array([0.0, 0.0, 1.0]), 0.0
            if pair == "P":
                axis = np.array([*generator.normal(size=2), 0.0])
        file["joints"][f"j{k + 1}"] = {
            "type": pair, "bodies": [outboard, inboard], "at": at.tolist(),
            "axis": (axis / np.linalg.norm(axis)).tolist(), **({"pitch": 0.1} if pair == "H" else {}),
            **({} if space == "planar" else {"axis2": (axis2 / np.linalg.norm(axis2)).tolist()}),
        }  # fmt: skip
    return file
