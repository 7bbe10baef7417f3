"""Equilibrium of rigid bodies written from the wrenches that joints transmit, and what it leaves open, by dense SVD.

For drafts of mechanism files whose joints all have `at` and `axis` in the world and whose bodies stand where they are
drawn. Knows nothing of symgen: columns are unit forces and moments by pair type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RANK, OPEN = 1e-9, 1e-6


@dataclass
class Verdicts:
    """What the null space says."""

    rows: int
    columns: int
    rank: int
    unique: dict[str, bool]
    directions: dict[str, int]
    components: dict[str, dict[str, bool]]
    null: Array
    slices: dict[str, slice]


def _across(u: Array) -> tuple[Array, Array]:
    n1 = np.cross(u, np.eye(3)[int(np.argmin(np.round(np.abs(u), 9)))])
    n1 /= np.linalg.norm(n1)
    return n1, np.cross(u, n1)


def _unit(values: Any) -> Array:
    found = np.array(values, dtype=float)
    return found / np.linalg.norm(found)


def wrenches(joint: dict[str, Any], *, planar: bool) -> dict[str, Array]:
    """Return component -> the wrench [F, M] about the joint centre of one unit of it."""
    none, world = np.zeros(3), np.eye(3)
    kind = joint["type"]
    if planar:
        if kind == "R":
            return {f"F{a}": np.array([*world[k], *none]) for k, a in enumerate("xy")}
        u = np.append(_unit(joint["axis"][:2]), 0.0)
        return {"Fn": np.array([*np.cross(world[2], u), *none]), "Mz": np.array([*none, *world[2]])}
    forces = {f"F{a}": np.array([*world[k], *none]) for k, a in enumerate("xyz")}
    moments = {f"M{a}": np.array([*none, *world[k]]) for k, a in enumerate("xyz")}
    if kind == "S":
        return forces
    if kind == "W":
        return forces | moments
    u = _unit(joint["axis"])
    n1, n2 = _across(u)
    if kind == "U":
        uv = _unit(np.cross(u, _unit(joint["axis2"])))
        return forces | {"Muv": np.array([*none, *uv])}
    along = {"Fu": np.array([*u, *none]), "Fn1": np.array([*n1, *none]), "Fn2": np.array([*n2, *none])}
    about = {"Mu": np.array([*none, *u]), "Mn1": np.array([*none, *n1]), "Mn2": np.array([*none, *n2])}
    if kind == "H":
        along["Fu"] = np.array([*u, *(-joint["pitch"] * u)])
    wanted = {
        "R": ("Fu", "Fn1", "Fn2", "Mn1", "Mn2"),
        "H": ("Fu", "Fn1", "Fn2", "Mn1", "Mn2"),
        "P": ("Fn1", "Fn2", "Mu", "Mn1", "Mn2"),
        "C": ("Fn1", "Fn2", "Mn1", "Mn2"),
        "PL": ("Fu", "Mn1", "Mn2"),
    }[kind]
    every = along | about
    return {name: every[name] for name in wanted}


def drive(joint: dict[str, Any]) -> Array:
    """Return the wrench of a unit effort of a drive of an R or P."""
    u = np.array([0.0, 0.0, 1.0]) if "axis" not in joint else _unit([*joint["axis"], 0.0][:3])
    return np.array([*np.zeros(3), *u]) if joint["type"] == "R" else np.array([*u, *np.zeros(3)])


def equilibrium(draft: dict[str, Any]) -> tuple[Array, dict[str, slice], dict[str, list[str]]]:
    """Return A, the columns of every joint and drive, and the names of these."""
    planar = draft["space"] == "planar"
    parts = [0, 1, 5] if planar else list(range(6))
    number = {name: k for k, name in enumerate(draft["bodies"])}
    width = len(parts)
    columns: list[Array] = []
    slices: dict[str, slice] = {}
    names: dict[str, list[str]] = {}

    def add(name: str, joint: dict[str, Any], found: dict[str, Array]) -> None:
        slices[name] = slice(len(columns), len(columns) + len(found))
        names[name] = list(found)
        at = np.array([*joint["at"], 0.0][:3], dtype=float)
        for wrench in found.values():
            column = np.zeros(width * len(number))
            for body, sign in zip(joint["bodies"], (-1.0, 1.0), strict=True):
                if body in number:
                    com = np.array([*draft["bodies"][body].get("com", (0.0, 0.0, 0.0)), 0.0][:3], dtype=float)
                    full = np.concatenate([wrench[:3], wrench[3:] + np.cross(at - com, wrench[:3])])
                    column[width * number[body] : width * (number[body] + 1)] = sign * full[parts]
            columns.append(column)

    for name, joint in draft["joints"].items():
        add(name, joint, wrenches(joint, planar=planar))
    for name, joint in draft["joints"].items():
        if joint.get("driven"):
            freedom = {"R": "angle", "P": "slide"}[joint["type"]]
            add(f"{name}.{freedom}", joint, {"effort": drive(joint)})
    return np.array(columns).T.reshape(width * len(number), len(columns)), slices, names


def verdicts(draft: dict[str, Any]) -> Verdicts:
    """Return what can be known of the reactions."""
    matrix, slices, names = equilibrium(draft)
    scaled = matrix / np.maximum(np.linalg.norm(matrix, axis=0), 1e-300)
    _, sizes, right = np.linalg.svd(scaled, full_matrices=True)
    rank = int(np.sum(sizes > RANK * sizes[0]))
    null = right[rank:].T
    unique, directions, components = {}, {}, {}
    for name, place in slices.items():
        mine = null[place]
        held = int(np.sum(np.linalg.svd(mine, compute_uv=False) > OPEN)) if mine.shape[1] else 0
        unique[name] = held == 0
        directions[name] = len(mine) - held
        components[name] = {
            part: bool(np.abs(row).max(initial=0.0) <= OPEN) for part, row in zip(names[name], mine, strict=True)
        }
    return Verdicts(matrix.shape[0], matrix.shape[1], rank, unique, directions, components, null, slices)


def draft_of_reference(model: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the mechanism file of a model of the reference data."""
    names = {0: "ground"} | {body["index"]: body["name"] for body in model["bodies"]}
    bodies = {
        body["name"]: {"mass": body["m"], "com": body["com"], "inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]}
        for body in model["bodies"]
    }
    joints = {
        joint["name"]: {key: joint[key] for key in ("type", "axis", "axis2") if key in joint}
        | {"at": joint["point"], "bodies": [names[joint["i"]], names[joint["j"]]]}
        for joint in model["joints"]
    }
    return {"schema": "symgen/mechanism/1", "name": name, "space": "spatial", "bodies": bodies, "joints": joints}
