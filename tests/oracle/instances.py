"""Random, solvable instances of an arrangement, with moving known bodies and moving drives, from its manifest alone."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

from oracle.kinematics import chain, inverse, matrix_pose, pair_motion, pose_matrix, rotation_exp

Values = dict[str, Any]


@dataclass
class Instance:
    """Ports of an arrangement's routines (inputs of all stages) and the configuration they were built from."""

    space: str
    arrangement: dict[str, Any]
    ports: Values
    bodies: dict[str, Any] = field(default_factory=dict)
    coordinates: dict[str, dict[str, float]] = field(default_factory=dict)


def random_pose(rng: random.Random, space: str, size: float = 1.0) -> list[float]:
    """Return a random pose [x, y, phi] or [r, q]."""
    if space == "planar":
        return [rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-math.pi, math.pi)]
    q = [rng.gauss(0, 1) for _ in range(4)]
    norm = math.sqrt(sum(x * x for x in q))
    return [rng.uniform(-size, size) for _ in range(3)] + [x / norm for x in q]


def random_instance(manifest: dict[str, Any], arrangement: dict[str, Any], seed: int) -> Instance:
    """Build an instance forwards: bodies one by one through random joint coordinates, closed at the last pair."""
    rng = random.Random(seed)
    space = manifest["space"]
    known = arrangement["known"]
    bodies = {name: pose_matrix(random_pose(rng, space), space) for name in known}
    ports: Values = {}
    coordinates: dict[str, dict[str, float]] = {}
    degrees = 3 if space == "planar" else 6
    for name in known:
        ports[name] = [float(x) for x in matrix_pose(bodies[name], space)]
        ports[f"v_{name}"] = [rng.uniform(-1, 1) for _ in range(degrees)]
        ports[f"a_{name}"] = [rng.uniform(-1, 1) for _ in range(degrees)]
        bodies[name] = pose_matrix(ports[name], space)
    waiting = list(arrangement["joints"])
    while waiting:  # in order, but for pairs between bodies that are both not placed yet
        joint = next(j for j in waiting if not bodies.keys().isdisjoint(j["bodies"]))
        waiting.remove(joint)
        values = {f: rng.uniform(-1.4, 1.4) for _, _, f in chain(joint["type"], space)}
        if joint["type"] == "H":
            values["pitch"] = ports[f"pitch_{joint['name']}"] = rng.choice([-1, 1]) * rng.uniform(0.05, 1.4)
        coordinates[joint["name"]] = values
        if joint["driven"]:
            ports[f"u_{joint['name']}"] = [values[f] for f in joint["driven"]]
            ports[f"ud_{joint['name']}"] = [rng.uniform(-1, 1) for _ in joint["driven"]]
            ports[f"udd_{joint['name']}"] = [rng.uniform(-1, 1) for _ in joint["driven"]]
        _close(rng, space, joint, values, bodies, ports, other_ball(arrangement, joint))
    return Instance(space, arrangement, ports, bodies, coordinates)


def other_ball(arrangement: dict[str, Any], joint: dict[str, Any]) -> str | None:
    """Return the frame of the other ball on the body of the last joint, if that is a rod between two balls."""
    *_, other, last = [None, *arrangement["joints"]]
    is_rod = joint is last and other is not None and other["type"] == last["type"] == "S"
    return other["frames"][1] if is_rod and other is not None else None


def _without_spin(rng: random.Random, frame: Any, other: list[float]) -> Any:
    """Return a random rotation of a ball's frame about an axis across the line to the rod's other ball."""
    line = inverse(frame) * pose_matrix([*other[:3], 1, 0, 0, 0], "spatial")
    x, y, z = (line[k, 3] for k in range(3))
    u, v, w = (rng.uniform(-1, 1) for _ in range(3))
    return rotation_exp([y * w - z * v, z * u - x * w, x * v - y * u])


def _close(
    rng: random.Random,
    space: str,
    joint: dict[str, Any],
    values: dict[str, float],
    bodies: dict[str, Any],
    ports: Values,
    before: str | None,
) -> None:
    """Choose the joint's frames; place its second body, or, if both are placed, fit the first frame."""
    first, second = joint["bodies"]
    name_1, name_2 = joint["frames"]
    motion = pair_motion(joint["type"], space, values)
    ports[name_2] = random_pose(rng, space, 0.6)
    if before is not None:
        motion = _without_spin(rng, pose_matrix(ports[name_2], space), ports[before])
    if second in bodies and first in bodies:
        fitted = inverse(bodies[first]) * bodies[second] * pose_matrix(ports[name_2], space) * inverse(motion)
        ports[name_1] = [float(x) for x in matrix_pose(fitted, space)]
        return
    ports[name_1] = random_pose(rng, space, 0.6)
    if second in bodies:  # the known body carries the pin of an L
        frame = bodies[second] * pose_matrix(ports[name_2], space) * inverse(motion)
        bodies[first] = frame * inverse(pose_matrix(ports[name_1], space))
        return
    frame = bodies[first] * pose_matrix(ports[name_1], space) * motion
    bodies[second] = frame * inverse(pose_matrix(ports[name_2], space))
