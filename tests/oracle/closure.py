"""What the equations of the joints leave over, from poses and coordinates alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mpmath
from oracle.instances import Instance
from oracle.kinematics import Matrix, inverse, pair_motion, pose_matrix


def body_matrices(instance: Instance, results: Mapping[str, Any]) -> dict[str, Matrix]:
    """Return the pose matrices of all bodies, the unknown ones from a solver's results."""
    solved = {
        k: pose_matrix([mpmath.mpf(x) for x in map(float, results[k])], instance.space) for k in unknown(instance)
    }
    return {**{k: instance.bodies[k] for k in instance.arrangement["known"]}, **solved}


def unknown(instance: Instance) -> list[str]:
    names: list[str] = instance.arrangement["bodies"]
    return names


def relative(instance: Instance, joint: Mapping[str, Any], bodies: Mapping[str, Matrix]) -> Matrix:
    """Return F_i^-1 F_j of a joint, F the joint's frame on each body taken to the world."""
    first, second = joint["bodies"]
    frame_1, frame_2 = (pose_matrix(instance.ports[name], instance.space) for name in joint["frames"])
    return inverse(bodies[first] * frame_1) * (bodies[second] * frame_2)


def largest_gap(instance: Instance, bodies: Mapping[str, Matrix], results: Mapping[str, Any]) -> float:
    """Return the largest entry by which any joint's relative pose misses the one of its coordinates.

    An S pair without drive has no coordinates: its origins must coincide.
    """
    gaps = []
    for joint in instance.arrangement["joints"]:
        found = relative(instance, joint, bodies)
        if joint["type"] == "S" and not joint["driven"]:
            gaps.append(max(abs(found[k, 3]) for k in range(3)))
            continue
        values = dict(zip(joint["driven"], instance.ports.get(f"u_{joint['name']}", ()), strict=True))
        if joint["type"] == "H":
            values["pitch"] = instance.ports[f"pitch_{joint['name']}"]
        if joint["freedoms"]:
            values |= dict(zip(joint["freedoms"], map(float, results[f"q_{joint['name']}"]), strict=True))
        difference = found - pair_motion(joint["type"], instance.space, values)
        gaps.append(max(abs(x) for x in difference))
    return float(max(gaps))


def distance(first: Mapping[str, Matrix], second: Mapping[str, Matrix], names: list[str]) -> float:
    """Return the largest entry of the difference of pose matrices."""
    return float(max(abs(x) for name in names for x in first[name] - second[name]))
